"""What each role is shown and what it replies; the seam between agents and their backends.

A request holds exactly what the role may see (the verifier's holds neither gold answer nor
constraint); both the language-model backend and the rule backend get the same request.
"""

from __future__ import annotations

from state.answer_roles import AnswerRoleRequest, VerdictReply
from state.fact import LabelledFact
from state.model_base import Contract
from state.table_roles import TableRoleRequest
from state.vocabulary import Cause, OperatorWord, RankOrder


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


class NamedFact(Contract):
    """A fact by the labels of its parts, without its time."""

    subject: str
    """Label of the subject."""
    relation: str
    """Label of the relation."""
    object: str
    """Label of the object."""


class ReadRequest(Contract):
    """What the round-trip reader sees: nothing of the gold answer or the trace, and no time."""

    question: str
    """The question to read."""
    facts: tuple[NamedFact, ...]
    """The distinct facts of the evidence, sorted by label."""
    moments: tuple[str, ...]
    """Labels of the relations whose facts in the evidence all begin and end in one granule, sorted."""


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
    findings: tuple[str, ...] | None = None
    """How the constraints that the round-trip reader read differ from the trace's; empty: not at all.

    `None`: no such reader was asked, or it could not tell.
    """


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


class GenerateRequest(Contract):
    """What a question generator sends at one of its stages."""

    system: str
    """The system message."""
    user: str
    """The user's message."""
    params: dict[str, float]
    """Parameters of the stage; those that the model's own settings name are theirs."""
    max_tokens: int
    """Most completion tokens where the model's settings name no limit."""


RoleRequest = (
    RewriteRequest
    | VerifyRequest
    | ReadRequest
    | AnalyseRequest
    | ReviseRequest
    | LeakRewriteRequest
    | GenerateRequest
    | TableRoleRequest
    | AnswerRoleRequest
)


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


class FactDescription(Contract):
    """A fact as a question speaks of it."""

    relation: str
    """Label of the relation."""
    subject: str | None
    """Label of the subject; `None` where the question leaves it open."""
    object: str | None
    """Label of the object; `None` where the question leaves it open."""


class StatedConstraint(Contract):
    """One condition on time that a question states."""

    operator: OperatorWord
    """What must hold from left to right, or by what the left fact is ranked."""
    left: FactDescription
    """The fact compared or ranked."""
    right: FactDescription | None
    """What it is compared with; `None` exactly for a rank."""
    rank: int | None
    """From 1, from the end that `order` names; `None` for a comparison."""
    order: RankOrder | None
    """`None` for a comparison."""


class ReadingReply(Contract):
    """Reply of the round-trip reader."""

    constraints: tuple[StatedConstraint, ...]
    """Every condition on time that the question states; empty with `cannot_tell` false: none."""
    cannot_tell: bool
    """Whether the question could not be understood."""


class TextReply(Contract):
    """Reply of a question generator at one of its stages, or of a model that answers a question."""

    text: str
    """The text without reasoning blocks."""


RoleReply = QuestionReply | AnswersReply | CauseReply | ReadingReply | TextReply | VerdictReply
