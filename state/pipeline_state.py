"""What flows between the agents: the state of one instance, and what a node adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar

from state.instance import BenchmarkRecord
from state.roles import AnswersReply
from state.table_instance import TableInstance
from state.trajectory import PromptRef, Try, Visit
from state.vocabulary import Cause, Node, Outcome, Role, Terminal

InstanceT = TypeVar("InstanceT", BenchmarkRecord, TableInstance)


class PipelineState(TypedDict, Generic[InstanceT]):
    """One instance on its way; plain values, so that a copy is cheap and a dump is readable."""

    record: InstanceT
    """The instance with its answer; agents show their roles only what the contract allows."""
    question: str
    """The question as it stands; empty until one is written."""
    objection: AnswersReply | None
    """The answers of the verification that disagreed last."""
    findings: tuple[str, ...] | None
    """What the round-trip reader's constraints differ in, at the verification that disagreed last; `None`: nobody could say."""
    appeal_answers: tuple[str, ...] | None
    """What a lost appeal named."""
    cause: Cause
    """The error analyst's cause; `unclear` after a lost appeal."""
    reason: str
    """The error analyst's reason."""
    leaks: tuple[str, ...]
    """The strings of the answer found in the question."""
    verified: str | None
    """Proof: the very text with which every verifier mode agreed."""
    cleared: str | None
    """Proof: the very text in which the leak filter found nothing."""
    detail: str
    """What spoke against the question last, or the last error."""
    to: Node | Terminal
    """Where the transition table leads next; a terminal once the last node has written it."""
    visits: tuple[Visit, ...]
    """The trajectory so far."""


class Work(NamedTuple):
    """One role's work within a node visit: a verify node does one for each mode."""

    role: Role
    outcome: Outcome
    result: Mapping[str, Any]
    mode: str | None = None
    prompt: PromptRef | None = None
    tries: tuple[Try, ...] = ()


class NodeResult(NamedTuple):
    """What a node function hands back; it does not know the node that follows."""

    outcome: Outcome
    update: Mapping[str, Any]
    """A part of `PipelineState`."""
    work: tuple[Work, ...]


GraphState = PipelineState[BenchmarkRecord]
"""The state of a question about a graph."""
TableState = PipelineState[TableInstance]
"""The state of a question about temporal tables."""


def initial_state(record: InstanceT, start: Node) -> PipelineState[InstanceT]:
    """The state before the first node."""
    return PipelineState[InstanceT](
        record=record,
        question="",
        objection=None,
        findings=None,
        appeal_answers=None,
        cause=Cause.UNCLEAR,
        reason="",
        leaks=(),
        verified=None,
        cleared=None,
        detail="",
        to=start,
        visits=(),
    )
