"""A question about temporal tables on its way into English: what the agents are given and what a run keeps. Paper: TDBench, section 3.3."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from state.instance import Backend
from state.interval import Granularity
from state.model_base import Contract
from state.tdbench_question import Question
from state.vocabulary import DiscardReason, Node


class ShownRow(Contract):
    """A row of a table as a reader is shown it."""

    values: tuple[str, ...]
    """One value for each of the table's columns, in their order; empty where the source has nothing."""
    start: str
    """ISO: the first granule in which it holds."""
    end: str | None
    """ISO: the end as the source gives it; `None`: it has none."""


class ShownTable(Contract):
    """A part of a table: the columns that a question is about, and rows of them."""

    name: str
    """What the table is called."""
    columns: tuple[str, ...] = Field(min_length=1)
    """What a question calls the columns, without those of time."""
    ends: Literal["exclusive", "inclusive"]
    """Whether a row still holds in the granule of its end."""
    open_end: Literal["ongoing", "unknown"]
    """What a missing end means."""
    rows: tuple[ShownRow, ...]
    """In an order that gives nothing away."""

    @model_validator(mode="after")
    def _fits(self) -> ShownTable:
        if any(len(row.values) != len(self.columns) for row in self.rows):
            raise ValueError("a row has not one value for each column")
        return self


class TableProvenance(Contract):
    """Where an instance comes from."""

    content_hash: str
    """SHA-256 of the cleaned rows of the table, or of those of the joined ones."""
    seed: int
    """The seed of every choice."""
    version: str
    """Version of the package."""


class Refreshed(Contract):
    """What a refresh made of a question whose phrasing it kept."""

    verified_on: str
    """SHA-256 of the cleaned rows on which the verifier passed the phrasing."""
    change: Literal["none", "dates", "answers"]
    """What is other than it was: nothing that a reply is scored by, dates of the answering rows, or who or what answers."""
    reread: Literal["not needed", "agrees", "cannot tell"]
    """What the reader by rules makes of the phrasing and the new rows: the rows shown are the same as before, it names
    exactly the new answers, or it does not understand the phrasing, which then stands on the old pass."""


class TableInstance(Contract):
    """One phrasing of one question: a line of `questions.jsonl`, and once it is accepted of the benchmark file."""

    id: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*-[0-9a-f]{12}\.[1-9][0-9]?$")
    """The question's id, a point, and the number of the phrasing."""
    dataset: str
    """Name of the benchmark."""
    phrasing: int = Field(ge=1, le=99)
    """Which of the question's phrasings this is; translator accuracy is counted over the first ones."""
    question: Question
    """The query with its answer."""
    sql: str
    """The query as its rewriter reads it; never run."""
    glossary: dict[str, str]
    """Column named in `sql` -> what a question calls it."""
    evidence: tuple[ShownTable, ...] = Field(min_length=1)
    """All rows that the verifier is shown: those that answer, the other rows of the same things, and rows of others."""
    as_of: str | None
    """The day, in ISO form, that now means; `None` if the config has none."""
    final_question: str | None
    """The accepted question; `None` until one is."""
    backend: Backend | None
    """Which rewriter and verifier made the final question; `None` until one did."""
    provenance: TableProvenance
    """Source, seed and version."""
    refreshed: Refreshed | None = None
    """`None` unless new data have been put under the question since it was accepted."""
    format: Literal[1] = 1
    """Format version of the line."""

    @model_validator(mode="after")
    def _is_coherent(self) -> TableInstance:
        if self.id != f"{self.question.id}.{self.phrasing}":
            raise ValueError("id, question and phrasing disagree")
        return self

    @property
    def answers(self) -> tuple[str, ...]:
        """The texts that answer, each once; none if nothing does."""
        return self.question.answers

    @property
    def granularity(self) -> Granularity:
        """Unit of time."""
        return self.question.granularity


class DiscardedTableInstance(TableInstance):
    """A line of `discarded.jsonl`: the instance and why it was thrown away."""

    reason: DiscardReason
    """Why."""
    detail: str
    """The last question and what spoke against it."""
    last_node: Node
    """The node that decided."""


class FailedTableInstance(TableInstance):
    """A line of `failed.jsonl`: an instance that an agent could not finish."""

    reason: Literal["agent error"] = "agent error"
    """Always an agent error."""
    detail: str
    """The last try's error."""
    last_node: Node
    """The node whose role gave no usable reply."""
