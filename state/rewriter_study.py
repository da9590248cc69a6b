"""A study of the rewriter: what was asked, what became of it in each cell, and what it cost. Paper: sections 4.3.1 and 5, Table 8.

Every cell takes the same instances through all agents; only the rewriter differs. An instance that failed is one
that was not accepted: it stays in every denominator.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from state.model_base import Contract
from state.study import CellUsage
from state.vocabulary import ConstraintCount, DiscardReason, Family, Node, Status, Template, TryError


class RewriterInstance(Contract):
    """One trace of the sample, the same for every cell."""

    id: str
    """Id of the record."""
    families: tuple[Family, ...]
    """One family a constraint, in step order."""
    template: Template
    """The template."""
    part: ConstraintCount
    """S for one temporal constraint, M for more."""
    raw_question: str
    """The template question."""
    entities: tuple[tuple[str, ...], ...]
    """The names of each distinct entity that the template question mentions."""


class Spent(Contract):
    """What tries cost when they were first paid for, whether the replies came from the cache here or not."""

    input_tokens: int
    """Prompt tokens."""
    output_tokens: int
    """Completion tokens."""
    usd: float | None
    """US dollars; `None` if a try that used tokens lacks a price, or all do."""


class RewriterOutcome(Contract):
    """What became of one instance in one cell."""

    instance: str
    """The instance."""
    status: Status
    """Accepted, discarded or failed; no duplicate step follows in a study."""
    reason: DiscardReason | None
    """Why it was discarded; `None` otherwise."""
    last_node: Node
    """The node that decided."""
    passed_at_first: bool
    """Whether the first verification, in all its modes, agreed with the rewriter's own question."""
    rewriter_errors: tuple[TryError, ...]
    """Why tries of the rewriter gave no usable question, in order; faults of the server are among them."""
    calls: int
    """Role calls of all agents; a call and its retries are one."""
    was_revised: bool
    """Whether the reviser wrote the question anew after a failed verification."""
    was_leak_rewritten: bool
    """Whether the leak rewriter wrote the question anew after a leak."""
    final_question: str | None
    """The accepted question; `None` unless accepted."""
    spent: Spent
    """All tries of all agents."""
    rewriter_spent: Spent
    """Of these, the rewriter's own."""

    @model_validator(mode="after")
    def _is_coherent(self) -> RewriterOutcome:
        if (self.status is Status.ACCEPTED) != bool(self.final_question):
            raise ValueError("an accepted instance has a final question, and no other has one")
        if (self.status is Status.DISCARDED) != (self.reason is not None):
            raise ValueError("a discarded instance has a reason, and no other has one")
        return self


class RewriterCell(Contract):
    """One setting of the rewriter and what became of every instance."""

    name: str
    """`MODEL/PROMPT`, e.g. `mini/v2`."""
    model: str
    """Name of the rewriter's model on its server, or `offline-rules`."""
    model_key: str
    """Its name under `models`."""
    prompt: str
    """Version of the rewriter's prompt."""
    address: str
    """`STUDY@CELL`, as seen from the folder in which the study's directory lies, for `chronoqg show`, `replay` and `compare`."""
    outcomes: tuple[RewriterOutcome, ...]
    """One for each instance, sorted by instance id."""
    usage: CellUsage
    """What it used in this study directory: the one part that depends on what the cache already held."""


class RewriterStudy(Contract):
    """The data of `study.json`: everything that the tables are made from."""

    format: Literal[1] = 1
    """Format version."""
    study: Literal["rewriter"] = "rewriter"
    """Which study."""
    dataset: str
    """Name of the dataset."""
    source: str
    """Where the traces come from: a run's path, or the graph's name."""
    seed: int
    """Seed of the sample."""
    instances: tuple[RewriterInstance, ...]
    """The sample, sorted by id."""
    cells: tuple[RewriterCell, ...]
    """The grid, in the order of the config."""
    notes: tuple[str, ...]
    """What a reader must know before the numbers."""
