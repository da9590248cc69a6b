"""The error analyst: why did the question fail verification? Paper: section 4.3.3."""

from __future__ import annotations

from agents.backends import RoleCall
from agents.crew import Crew, no_usable_reply
from state.pipeline_state import GraphState, NodeResult, Work
from state.roles import AnalyseRequest, AnswersReply, CauseReply
from state.vocabulary import Cause, Outcome, Role

NO_ANSWERS = AnswersReply(answers=(), cannot_tell=True)


async def analyse(state: GraphState, crew: Crew) -> NodeResult:
    """The node: names a cause out of the closed list; it admits nothing."""
    return cause_named(await crew.ask(state, Role.ERROR_ANALYST, analyse_request(state)))


def cause_named(call: RoleCall) -> NodeResult:
    """What an analyst's reply comes to."""
    if not isinstance(call.reply, CauseReply):
        return no_usable_reply(Role.ERROR_ANALYST, call)
    cause, reason = call.reply.cause, call.reply.reason
    outcome = Outcome.VERIFIER_AT_FAULT if cause is Cause.VERIFIER_AT_FAULT else Outcome.OTHER_CAUSE
    result = {"cause": cause.value, "reason": reason}
    work = Work(Role.ERROR_ANALYST, outcome, result, None, call.prompt, call.tries)
    return NodeResult(outcome, {"cause": cause, "reason": reason}, (work,))


def analyse_request(state: GraphState) -> AnalyseRequest:
    """What the analyst sees."""
    record = state["record"]
    objection = state["objection"] or NO_ANSWERS
    return AnalyseRequest.model_construct(
        template_question=record.raw_question,
        question=state["question"],
        verifier_answers=objection.answers,
        cannot_tell=objection.cannot_tell,
        answer=record.answer,
        evidence=record.labelled_evidence,
        findings=state["findings"],
    )
