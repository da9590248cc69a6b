"""The verifier and the appeal: answer the question from the evidence alone. Paper: section 4.3.2.

The request holds neither the gold answer nor a constraint of the trace; the comparison with the gold
answer is code and comes after the reply.
"""

from __future__ import annotations

from typing import Any

from agents.agreement import Gold, Verdict, judge
from agents.crew import Crew, no_usable_reply
from state.instance import BenchmarkRecord
from state.pipeline_state import NodeResult, PipelineState, Work
from state.roles import AnswersReply, VerifyRequest
from state.vocabulary import Cause, Outcome, Role


async def verify(state: PipelineState, crew: Crew) -> NodeResult:
    """The node: asks the verifier in each mode."""
    return await _ask_all_modes(state, crew, Role.VERIFIER)


async def appeal(state: PipelineState, crew: Crew) -> NodeResult:
    """The node: asks a second verifier about the unchanged question."""
    result = await _ask_all_modes(state, crew, Role.APPEAL)
    objection: AnswersReply | None = result.update.get("objection")
    if result.outcome is not Outcome.DISAGREES or objection is None:
        return result
    # The reviser is told both answers; the first verifier's objection stays as it is.
    update = {"appeal_answers": objection.answers, "cause": Cause.UNCLEAR, "detail": result.update["detail"]}
    return NodeResult(result.outcome, update, result.work)


async def _ask_all_modes(state: PipelineState, crew: Crew, role: Role) -> NodeResult:
    """All modes must agree; the first that does not decides, and the rest are not asked."""
    record, question = state["record"], state["question"]
    request = VerifyRequest.model_construct(question=question, evidence=record.labelled_evidence, structure_hint=record.structure_hint)
    gold = gold_of(record)
    done: tuple[Work, ...] = ()
    for mode in crew.modes:
        call = await crew.ask(state, role, request, mode)
        if not isinstance(call.reply, AnswersReply):
            return no_usable_reply(role, call, mode, done)
        verdict = judge(call.reply, mode, gold)
        outcome = Outcome.AGREES if verdict is Verdict.MATCH else Outcome.DISAGREES
        result = {**call.reply.model_dump(mode="json"), "verdict": verdict.value}
        done = (*done, Work(role, outcome, result, mode, call.prompt, call.tries))
        if outcome is Outcome.DISAGREES:
            update: dict[str, Any] = {"objection": call.reply, "detail": f"{question} | {_told(role, mode, verdict, call.reply)}"}
            return NodeResult(outcome, update, done)
    return NodeResult(Outcome.AGREES, {"verified": question}, done)


def gold_of(record: BenchmarkRecord) -> Gold:
    """The gold answer among the other entities of the evidence."""
    ids = {end for fact in record.evidence for end in (fact.subject, fact.object)} - {record.answer_id}
    return Gold(record.answer, record.answer_aliases, tuple(record.labels[end] for end in sorted(ids)))


def _told(role: Role, mode: str, verdict: Verdict, reply: AnswersReply) -> str:
    named = ", ".join(repr(answer) for answer in reply.answers) or "nothing"
    return f"{role.value} (mode {mode}) named {named}: {verdict.value}"
