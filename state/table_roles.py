"""What each role is shown of a question about temporal tables; the replies are those of `state.roles`.

A request holds exactly what the role may see: the verifier's neither the query nor its answer. The language
model's backend and the rules get the same request.
"""

from __future__ import annotations

from state.interval import Granularity
from state.model_base import Contract
from state.table_instance import ShownTable
from state.vocabulary import Cause


class TranslateRequest(Contract):
    """What the rewriter sees: a query to be put into English."""

    sql: str
    """The query in the source's own names, dates in ISO form."""
    glossary: dict[str, str]
    """Column -> what a question calls it."""
    unit: Granularity
    """Unit of time."""
    ends: str
    """`exclusive` or `inclusive`: whether a row still holds in the granule of its end."""
    open_end: str
    """`ongoing` or `unknown`: what a missing end means."""
    as_of: str | None
    """The day that now means."""
    is_about_now: bool
    """Whether the query asks what holds on that day."""
    phrasing: int
    """Which phrasing is wanted, from 1; others of the same query are asked for apart and should read differently."""
    phrasings: int
    """How many there are to be."""
    avoid: tuple[str, ...]
    """The answers, which must not be named."""


class TableVerifyRequest(Contract):
    """What the verifier and the appeal see: nothing of the query or its answer."""

    question: str
    """The question to answer."""
    tables: tuple[ShownTable, ...]
    """Every row among which the answer is to be found."""
    unit: Granularity
    """Unit of time."""
    as_of: str | None
    """The day that now means."""


class TableAnalyseRequest(Contract):
    """What the error analyst sees."""

    sql: str
    """The query."""
    glossary: dict[str, str]
    """Column -> what a question calls it."""
    question: str
    """The question that failed."""
    verifier_answers: tuple[str, ...]
    """What the verifier named; empty if nothing fits or it could not tell."""
    cannot_tell: bool
    """Whether the verifier could not tell."""
    answers: tuple[str, ...]
    """The right answers; none if nothing answers."""
    tables: tuple[ShownTable, ...]
    """The verifier's rows."""
    unit: Granularity
    """Unit of time."""
    as_of: str | None
    """The day that now means."""


class TableReviseRequest(TableAnalyseRequest):
    """What the reviser sees: the analyst's request, its verdict, and an appeal's answers."""

    cause: Cause
    """The analyst's cause; `unclear` after a lost appeal."""
    reason: str
    """The analyst's reason."""
    appeal_answers: tuple[str, ...] | None
    """What the appeal named; `None` if there was no appeal."""


class TableLeakRewriteRequest(Contract):
    """What the leak rewriter sees."""

    question: str
    """The question that leaks."""
    sql: str
    """The query."""
    glossary: dict[str, str]
    """Column -> what a question calls it."""
    avoid: tuple[str, ...]
    """The strings that must not appear."""


TableRoleRequest = TranslateRequest | TableVerifyRequest | TableAnalyseRequest | TableReviseRequest | TableLeakRewriteRequest
