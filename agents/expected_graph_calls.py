"""The calls of a question about a graph before any is made: what each role would be shown and how much it would say."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping

from agents.constraint_difference import Finding
from agents.crew import Crew
from agents.error_analyst import analyse_request
from agents.leak_filter import names_to_avoid
from agents.read_constraints import Bench
from agents.round_trip import read_request
from agents.transitions import START
from agents.usable_question import required_names
from agents.usual_tokens import CAUSE_TOKENS, NAMES_TOLD, REASON, Outlook, fewest_tokens, most_tokens
from graph_sampler.execute import execute, structure_of
from state.instance import BenchmarkRecord
from state.pipeline_state import initial_state
from state.roles import AnswersReply, LeakRewriteRequest, ReviseRequest, RewriteRequest, RoleRequest, VerifyRequest
from state.vocabulary import Cause, Difference, Role

QUESTION_SHARE = (0.4, 1.5)
"""Length of a written question, as shares of the template question's."""


def typed_request(role: Role, record: BenchmarkRecord, *, has_appeal: bool, has_reader: bool = False) -> RoleRequest:
    """What a role would be shown of an instance, the template question standing for what others wrote; the rewriter's is exact.

    Of a round-trip reader's findings the trace's own words are there, each constraint under the longest label, and
    every candidate as what its constraints name.
    """
    question = record.raw_question
    if role is Role.REWRITER:
        support = tuple(record.labelled(fact) for fact in record.support_facts)
        return RewriteRequest(template_question=question, support_facts=support, answer=record.answer)
    if role in (Role.VERIFIER, Role.APPEAL):
        evidence = tuple(record.labelled(fact) for fact in record.evidence)
        return VerifyRequest(question=question, evidence=evidence, structure_hint=record.structure_hint)
    if role is Role.ROUND_TRIP_READER:
        return read_request(record, question)
    if role is Role.LEAK_REWRITER:
        avoid = names_to_avoid(record.answer, record.answer_aliases)
        return LeakRewriteRequest(question=question, template_question=question, avoid=avoid)
    named = _labels_of_candidates(record) if has_reader else (record.answer,)
    objection = AnswersReply(answers=named, cannot_tell=False)
    findings = tuple(Finding(Difference.REVERSED, told, "").sentence for told in record.temporal_constraints) if has_reader else None
    analysed = analyse_request(initial_state(record, START) | {"question": question, "objection": objection, "findings": findings})
    if role is Role.ERROR_ANALYST:
        return analysed
    appeal = named if has_appeal else None
    return ReviseRequest(**dict(analysed), cause=Cause.AMBIGUOUS_REFERENCE, reason=REASON, appeal_answers=appeal)


def _labels_of_candidates(record: BenchmarkRecord) -> tuple[str, ...]:
    """What a reader's constraints name at most, whatever they are."""
    candidates = execute(structure_of(record.trace), record.evidence).answers
    return tuple(sorted(record.labels[entity] for entity in candidates))


def _question_tokens(record: BenchmarkRecord) -> tuple[int, int]:
    size, frame = len(record.raw_question.encode()), len(json.dumps({"question": ""}))
    low, high = QUESTION_SHARE
    return fewest_tokens(frame + math.floor(low * size)), most_tokens(frame + math.ceil(high * size))


def _answer_tokens(record: BenchmarkRecord) -> tuple[int, int]:
    """From the answer alone to the answer and the longest of the other names."""
    entities = {end for fact in record.evidence for end in (fact.subject, fact.object)} - {record.answer_id}
    lengths = sorted((len(record.labels[end].encode()) for end in entities), reverse=True)
    frame, answer = len(json.dumps({"answers": [""], "cannot_tell": False})), len(record.answer.encode())
    return fewest_tokens(frame + answer), most_tokens(frame + answer + sum(4 + length for length in lengths[: NAMES_TOLD - 1]))


def _reading_tokens(record: BenchmarkRecord) -> tuple[int, int]:
    """From one constraint, the shortest, to one more than there are."""
    stated = json.loads(Bench(record).state().model_dump_json())
    lengths = sorted(len(json.dumps(constraint).encode()) for constraint in stated["constraints"])
    frame = len(json.dumps({**stated, "constraints": []}))
    return fewest_tokens(frame + lengths[0]), most_tokens(frame + sum(lengths) + lengths[-1])


def _request(role: Role, record: BenchmarkRecord, crew: Crew) -> RoleRequest:
    return typed_request(role, record, has_appeal=Role.APPEAL in crew.backends, has_reader="roundtrip" in crew.modes)


def _reply_tokens(role: Role, record: BenchmarkRecord) -> tuple[int, int]:
    return _REPLIES[role](record)


def _names(record: BenchmarkRecord) -> tuple[str, ...]:
    return (*required_names(record), max(record.labels, key=len))


_REPLIES: Mapping[Role, Callable[[BenchmarkRecord], tuple[int, int]]] = {
    Role.REWRITER: _question_tokens,
    Role.VERIFIER: _answer_tokens,
    Role.APPEAL: _answer_tokens,
    Role.ERROR_ANALYST: lambda record: CAUSE_TOKENS,
    Role.REVISER: _question_tokens,
    Role.LEAK_REWRITER: _question_tokens,
    Role.ROUND_TRIP_READER: _reading_tokens,
}
"""Fewest and most tokens of a role's usual reply."""

GRAPH_OUTLOOK = Outlook(_request, _reply_tokens, _names)
"""Of questions about graphs."""
