"""What each role is shown and what it replies; the seam between agents and their backends.

A request holds exactly what the role may see (the verifier's holds neither gold answer nor
constraint); both the language-model backend and the rule backend get the same request.
"""

from __future__ import annotations

from state.fact import LabelledFact
from state.model_base import Contract
from state.vocabulary import Cause


class RewriteRequest(Contract):
    """What the rewriter sees."""

    template_question: str
    """The raw question."""
    support_facts: tuple[LabelledFact, ...]
    """Facts of the rows left at the end, and the references."""
    answer: str
    """The gold answer, as a thing to avoid."""


class VerifyRequest(Contract):
    """What the verifier and the appeal see: nothing of the gold answer or the trace."""

    question: str
    """The question to answer."""
    evidence: tuple[LabelledFact, ...]
    """Every fact among which the answer is to be found."""
    structure_hint: str
    """Topology, hop count and relation labels."""


class AnalyseRequest(Contract):
    """What the error analyst sees."""

    template_question: str
    """The raw question."""
    question: str
    """The question that failed."""
    verifier_answers: tuple[str, ...]
    """What the verifier named; empty if nothing fits or it could not tell."""
    cannot_tell: bool
    """Whether the verifier could not tell."""
    answer: str
    """The gold answer."""
    evidence: tuple[LabelledFact, ...]
    """The verifier's evidence."""


class ReviseRequest(AnalyseRequest):
    """What the reviser sees: the analyst's request, its verdict, and an appeal's answers."""

    cause: Cause
    """The analyst's cause; `unclear` after a lost appeal."""
    reason: str
    """The analyst's reason."""
    appeal_answers: tuple[str, ...] | None
    """What the appeal named; `None` if there was no appeal."""


class LeakRewriteRequest(Contract):
    """What the leak rewriter sees."""

    question: str
    """The question that leaks."""
    template_question: str
    """The raw question."""
    avoid: tuple[str, ...]
    """The strings that must not appear."""


RoleRequest = RewriteRequest | VerifyRequest | AnalyseRequest | ReviseRequest | LeakRewriteRequest


class QuestionReply(Contract):
    """Reply of rewriter, reviser and leak rewriter."""

    question: str
    """The written question."""


class AnswersReply(Contract):
    """Reply of verifier and appeal."""

    answers: tuple[str, ...]
    """Every entity that fits, by label; empty with `cannot_tell` false: none fits."""
    cannot_tell: bool
    """Whether the question could not be understood or decided."""


class CauseReply(Contract):
    """Reply of the error analyst."""

    cause: Cause
    """Out of the closed list."""
    reason: str
    """One or two sentences."""


RoleReply = QuestionReply | AnswersReply | CauseReply
