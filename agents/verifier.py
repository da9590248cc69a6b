"""The verifier and the appeal: answer the question from the evidence alone. Paper: section 4.3.2.

A request holds neither the gold answer nor a constraint of the trace; the comparison with them is code and
comes after the reply. In mode `roundtrip` the round-trip reader is asked, for either of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, cast

from agents.agreement import Gold, Verdict, judge
from agents.crew import Crew, Mode, no_usable_reply
from agents.round_trip import judge_reading, read_request
from state.instance import BenchmarkRecord
from state.pipeline_state import GraphState, NodeResult, Work
from state.roles import AnswersReply, ReadingReply, RoleReply, RoleRequest, VerifyRequest
from state.vocabulary import Cause, Outcome, Role


async def verify(state: GraphState, crew: Crew) -> NodeResult:
    """The node: asks the verifier in each mode."""
    return await _ask_all_modes(state, crew, Role.VERIFIER)


async def appeal(state: GraphState, crew: Crew) -> NodeResult:
    """The node: asks a second verifier about the unchanged question."""
    result = await _ask_all_modes(state, crew, Role.APPEAL)
    objection: AnswersReply | None = result.update.get("objection")
    if result.outcome is not Outcome.DISAGREES or objection is None:
        return result
    # The reviser is told both answers; the first verifier's objection stays as it is.
    update = {"appeal_answers": objection.answers, "cause": Cause.UNCLEAR, "detail": result.update["detail"]}
    if state["findings"] is None:
        update["findings"] = result.update["findings"]
    return NodeResult(result.outcome, update, result.work)


async def read_what_differs(state: GraphState, crew: Crew, result: NodeResult) -> NodeResult:
    """A disagreement with what the round-trip reader finds, if its mode had not come yet.

    Its reading decides nothing and is told to analyst and reviser; without a usable reply the node has none.
    """
    if "roundtrip" not in crew.modes or any(work.mode == "roundtrip" for work in result.work):
        return result
    judged, read = await _ask_mode(state, crew, Role.VERIFIER, "roundtrip", result.work)
    if judged is None:
        return read
    return NodeResult(result.outcome, {**result.update, "findings": judged.findings}, read.work)


def player(role: Role, mode: Mode | None) -> Role:
    """Who is asked where a verifying role works in a mode."""
    return Role.ROUND_TRIP_READER if mode == "roundtrip" else role


class _Judged(NamedTuple):
    """What a reply in one mode comes to."""

    verdict: Verdict
    answers: AnswersReply
    """What is told as the verifier's answers; of a reader what its constraints name."""
    findings: tuple[str, ...] | None
    """`None` where nobody read the constraints."""
    result: Mapping[str, Any]


async def _ask_all_modes(state: GraphState, crew: Crew, role: Role) -> NodeResult:
    """All modes must agree; the first that does not decides, and the rest are not asked."""
    question = state["question"]
    findings: tuple[str, ...] | None = None
    done: tuple[Work, ...] = ()
    for mode in crew.modes:
        judged, result = await _ask_mode(state, crew, role, mode, done)
        if judged is None:
            return result
        findings = findings if judged.findings is None else judged.findings
        done = result.work
        if result.outcome is Outcome.DISAGREES:
            told = _told(player(role, mode), mode, judged)
            update: dict[str, Any] = {"objection": judged.answers, "findings": findings, "detail": f"{question} | {told}"}
            return result._replace(update=update)
    return NodeResult(Outcome.AGREES, {"verified": question}, done)


async def _ask_mode(state: GraphState, crew: Crew, role: Role, mode: Mode, done: tuple[Work, ...]) -> tuple[_Judged | None, NodeResult]:
    """Asks in one mode after what is done; `None` without a usable reply, of which the node then has none."""
    record, played = state["record"], player(role, mode)
    call = await crew.ask(state, played, _request(record, state["question"], mode), mode)
    if not isinstance(call.reply, AnswersReply | ReadingReply):
        return None, no_usable_reply(played, call, mode, done)
    judged = _judge(call.reply, mode, record)
    outcome = Outcome.AGREES if judged.verdict is Verdict.MATCH else Outcome.DISAGREES
    return judged, NodeResult(outcome, {}, (*done, Work(played, outcome, judged.result, mode, call.prompt, call.tries)))


def _request(record: BenchmarkRecord, question: str, mode: Mode) -> RoleRequest:
    if mode == "roundtrip":
        return read_request(record, question)
    return VerifyRequest.model_construct(question=question, evidence=record.labelled_evidence, structure_hint=record.structure_hint)


def _judge(reply: RoleReply, mode: Mode, record: BenchmarkRecord) -> _Judged:
    if isinstance(reply, ReadingReply):
        reading = judge_reading(reply, record)
        findings = None if reply.cannot_tell else tuple(finding.sentence for finding in reading.findings)
        answers = AnswersReply(answers=reading.answers, cannot_tell=reply.cannot_tell)
        return _Judged(reading.verdict, answers, findings, reading.result(reply))
    assert isinstance(reply, AnswersReply)
    verdict = judge(reply, cast(Literal["all", "single"], mode), gold_of(record))
    return _Judged(verdict, reply, None, {**reply.model_dump(mode="json"), "verdict": verdict.value})


def gold_of(record: BenchmarkRecord) -> Gold:
    """The gold answer among the other entities of the evidence."""
    ids = {end for fact in record.evidence for end in (fact.subject, fact.object)} - {record.answer_id}
    return Gold(record.answer, record.answer_aliases, tuple(record.labels[end] for end in sorted(ids)))


def _told(role: Role, mode: Mode, judged: _Judged) -> str:
    if role is Role.ROUND_TRIP_READER:
        said = "; ".join(judged.findings or ()) or "nothing"
        return f"{role.value} (mode {mode}) read: {said}: {judged.verdict.value}"
    return told_answers(role, mode, judged.answers, judged.verdict)


def told_answers(role: Role, mode: Mode, answers: AnswersReply, verdict: Verdict) -> str:
    """What a verifier named and what that came to, in words."""
    named = ", ".join(repr(answer) for answer in answers.answers) or "nothing"
    return f"{role.value} (mode {mode}) named {named}: {verdict.value}"
