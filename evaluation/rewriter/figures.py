"""The figures of a study of the rewriter: what a summary says of one cell, and of two cells beside each other.

`None` is said of what cannot be known (nothing counted, no price, no difference seen); it never stands for 0.
"""

from __future__ import annotations

from typing import Literal

from evaluation.entity_preservation import EntityPreservation
from evaluation.length_reduction import LengthReduction
from evaluation.statistics.intervals import Rate
from state.model_base import Contract
from state.vocabulary import DiscardReason, Node, TryError

Grouping = Literal["part", "family", "template"]
Measure = Literal["accepted", "first verification"]


class GroupFigures(Contract):
    """The instances of one kind."""

    grouping: Grouping
    """By what instances are grouped; one counts once in each of its distinct families."""
    group: str
    """The kind."""
    accepted: Rate
    """Accepted in the end / all of the kind."""
    first_pass: Rate
    """Agreed at the first verification / all of the kind."""


class DiscardCount(Contract):
    """Instances that were discarded for one reason."""

    reason: DiscardReason
    """The reason."""
    instances: int
    """How many."""


class FailureCount(Contract):
    """Instances that failed because one node's role gave nothing usable."""

    node: Node
    """The node."""
    instances: int
    """How many."""


class ErrorCount(Contract):
    """Tries of the rewriter that gave no usable question for one reason."""

    kind: TryError
    """The reason."""
    is_fault: bool
    """Whether the server was at fault: no reply of the model's came, and the try does not count as a retry."""
    tries: int
    """How many tries."""
    instances: int
    """Instances with at least one."""


class Cost(Contract):
    """What instances cost when their replies were first paid for, cached here or not."""

    input_tokens: int
    """Prompt tokens."""
    output_tokens: int
    """Completion tokens."""
    tokens_per_instance: float | None
    """Both together, an instance; `None` without one."""
    tokens_per_accepted: float | None
    """All tokens of the cell, an accepted question; `None` without one."""
    usd: float | None
    """US dollars; `None` if an instance that used tokens lacks a price, or all do."""
    usd_per_instance: float | None
    """The same an instance."""
    usd_per_accepted: float | None
    """All US dollars of the cell, an accepted question."""


class RewriterFigures(Contract):
    """One setting of the rewriter."""

    name: str
    """`MODEL/PROMPT`."""
    model: str
    """Name of the model on its server."""
    model_key: str
    """Its name under `models`."""
    prompt: str
    """Version of the prompt."""
    address: str
    """`STUDY@CELL`."""
    instances: int
    """Instances asked."""
    accepted: Rate
    """Accepted in the end / all: what the whole pipeline makes of this rewriter's questions."""
    first_pass: Rate
    """Agreed at the first verification / all: the rewriter's own merit, before any repair."""
    accepted_at_once: int
    """Accepted instances whose question passed its first verification and the leak check as it was first written."""
    accepted_on_appeal: int
    """Accepted instances whose question is as first written, though the first verification did not agree."""
    groups: tuple[GroupFigures, ...]
    """Both rates by part, family and template; only kinds that the sample has."""
    discarded: tuple[DiscardCount, ...]
    """By reason; only reasons that occur."""
    failed: tuple[FailureCount, ...]
    """By node; only nodes that occur."""
    revised: int
    """Instances whose question the reviser wrote anew."""
    revised_accepted: int
    """Of these, accepted ones."""
    leak_rewritten: int
    """Instances whose question the leak rewriter wrote anew."""
    leak_rewritten_accepted: int
    """Of these, accepted ones."""
    errors: tuple[ErrorCount, ...]
    """Tries of the rewriter that gave no usable question, by reason; only reasons that occur."""
    unusable: int
    """Replies of the rewriter that could not be used; faults of the server are not among them."""
    unusable_per_instance: float | None
    """The same an instance."""
    calls: int
    """Role calls of all agents."""
    calls_per_instance: float | None
    """The same an instance."""
    length: LengthReduction
    """Over the accepted instances."""
    preservation: EntityPreservation
    """Over the accepted instances."""
    rewriter_cost: Cost
    """The rewriter's own tries."""
    pipeline_cost: Cost
    """All tries of all agents."""


class MeasureTest(Contract):
    """Whether two cells differ in one measure: exact McNemar test over the instances of both."""

    measure: Measure
    """The measure."""
    instances: int
    """Instances compared."""
    hits_a: int
    """Hits of A."""
    hits_b: int
    """Hits of B."""
    only_a: tuple[str, ...]
    """Ids of the instances that only A hit, sorted."""
    only_b: tuple[str, ...]
    """Ids of the instances that only B hit, sorted."""
    difference: float | None
    """Share of A less that of B; `None` if nothing was compared."""
    p: float | None
    """Two-sided p-value; `None` if nothing was compared."""
    p_holm: float | None
    """The same after Holm's adjustment over all comparisons of the measure in the grid."""
    told_apart: bool | None
    """Whether that is at most 0.05."""
    smallest_difference: float | None
    """What so many instances could tell at 5 % with 80 % power, in one test; `None` if the cells never differed, or there are too few."""
    note: str
    """The same in a few plain words."""


class RewriterComparison(Contract):
    """Two cells on the same instances; exchanging them transposes it."""

    a: str
    """Name of the first cell."""
    b: str
    """Name of the second cell."""
    tests: tuple[MeasureTest, ...]
    """Accepted, and agreed at the first verification."""


class RewriterRecommendation(Contract):
    """Which cell to take: of those not told apart from the best by accepted share, the cheapest an accepted question."""

    cell: str | None
    """Name of the cell; `None` if nothing was accepted anywhere."""
    best: str | None
    """Name of the cell of the highest accepted share."""
    not_told_apart: tuple[str, ...]
    """The best and the cells not told apart from it, in the order of the grid."""
    cost_by: Literal["usd", "tokens"] | None
    """What was compared for cheapness: US dollars of the whole pipeline where all these cells have a price, else tokens."""
    sample_suffices: bool | None
    """Whether a difference of 5 points from the best would have been told; `None` if there was nothing to choose."""
    line: str
    """The recommendation in one line."""
