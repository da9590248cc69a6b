"""The figures of a study of the verifier: what a summary says of one cell, and of two cells beside each other.

`None` is said of what cannot be known (nothing was asked, no price, no difference seen); it never stands for 0.
Unless a field says otherwise, a figure is over the items of one register whose family is one of the four
pairwise ones: Table 2 has no ordinals. Paper: section 4.3.2.
"""

from __future__ import annotations

from typing import Literal

from evaluation.statistics.intervals import Rate
from state.model_base import Contract
from state.study import DamageKind, Reading, Register
from state.vocabulary import Family

Measure = Literal["acceptance", "detection", "balanced accuracy"]
Span = Family | Literal["pairwise"]
"""One family, or the four pairwise ones together."""


class ReadingCounts(Contract):
    """Sound or damaged items by what the verifier made of them; they sum to the items asked."""

    agreed: int
    """It named the gold answer: right on a sound item, a miss on a damaged one."""
    another: int
    """It named another set of entities, or read other constraints."""
    abstained: int
    """It could not tell."""
    no_reply: int
    """No usable reply: a miss on a sound item, and not a detection on a damaged one."""


class AcceptanceRow(Contract):
    """How sound items of one family, or of the pairwise ones, were taken."""

    family: Span
    """The family."""
    readings: ReadingCounts
    """The items by reading."""
    rate: Rate
    """Agreed / asked, with Wilson's interval where there is one sound item a source question, as there is in a study."""
    false_rejections: int
    """Sound items rejected by a reply that named another set or read other constraints; no abstention is among them."""
    model_is_wrong: int
    """Of the false rejections, those whose named set is not what symbolic execution of the trace names."""


class Acceptance(Contract):
    """How sound items were taken."""

    families: tuple[AcceptanceRow, ...]
    """The four pairwise families in the paper's order; also those of which nothing was asked."""
    micro: AcceptanceRow
    """The four together, each item alike: `Overall` of Table 2."""
    ordinal: AcceptanceRow
    """The ordinals, in no other figure."""
    weighted: Rate
    """The four together, each family by its share of the population; drawn within the families, or MOVER of them."""
    population_covered: float | None
    """Share of the pairwise population whose families were asked, to whom the weighted rate speaks; `None` without a population."""


class DetectionRow(Contract):
    """How items with one kind of damage were taken."""

    kind: DamageKind
    """What was done to the trace."""
    family: Span
    """Family of the damaged or added constraint."""
    readings: ReadingCounts
    """The items by reading; `agreed` ones were missed."""
    rate: Rate
    """(Another + abstained) / asked; Wilson's interval where no source question has two such items, else the wider of two."""
    right_reason: Rate
    """Of the detected, those in which the verifier named exactly what the damaged trace names."""


class Detection(Contract):
    """How damaged items were taken."""

    kinds: tuple[DetectionRow, ...]
    """The six kinds that change the answer, over the pairwise families; also those of which nothing was asked."""
    unnecessary: DetectionRow
    """The kind that leaves the answer as it is, over the pairwise families; never in `pooled`."""
    by_family: tuple[DetectionRow, ...]
    """Every kind and family of which something was asked, `unnecessary` and ordinals included."""
    pooled: Rate
    """Mean of the rates in `kinds`, each kind alike; the wider of bootstrap over source questions and MOVER of the kinds."""
    ordinal: Rate
    """The same over the ordinals."""
    right_reason: Rate
    """Of the detected items of `kinds`, those in which the verifier named exactly what the damaged trace names."""


class LabelCount(Contract):
    """How often a label was given."""

    label: str
    """`missing`, `wrong`, `reversed` or `unnecessary`."""
    items: int
    """Items to which it was given, at least once."""


class LabelRow(Contract):
    """What a cell of mode `roundtrip` said of items with one kind of damage, all families together."""

    kind: DamageKind
    """What was done to the trace."""
    right_label: str
    """The label that this damage should get."""
    items: int
    """Items of which the reader was asked; in `all+roundtrip` those that mode `all` had agreed with."""
    given: tuple[LabelCount, ...]
    """The labels that were given, sorted; an item may get several."""
    unlabelled: int
    """Of these, items that got no label."""
    rate: Rate
    """Items with the right label, others beside it or not / read; interval as in a detection row."""
    alone: Rate
    """Items with the right label and no other / read."""


class Contamination(Contract):
    """What share of accepted questions is wrong after one verification."""

    error_rate: float
    """Share of wrong questions before it."""
    share: float | None
    """Share of wrong ones among the accepted; `None` if acceptance or detection is unknown, or nothing is accepted."""


class RegisterFigures(Contract):
    """What one cell made of the items in one register."""

    wording: Register
    """In which words they ask."""
    items: int
    """Items asked, sound and damaged."""
    sources: int
    """Source questions that they come from."""
    acceptance: Acceptance
    """Of sound items."""
    detection: Detection
    """Of damaged items."""
    labels: tuple[LabelRow, ...]
    """One for each of the seven kinds in a cell of mode `roundtrip`; empty in others."""
    balanced: Rate
    """(Acceptance micro + pooled detection) / 2; the wider of bootstrap and MOVER; numerator and denominator are the sums of both."""
    balanced_sources: int
    """Source questions that its items come from."""
    contamination: tuple[Contamination, ...]
    """At three error rates of the rewriter."""


class CellCost(Contract):
    """What one cell cost."""

    items: int
    """Items answered."""
    input_tokens: int
    """Prompt tokens of all tries, cached or not."""
    output_tokens: int
    """Completion tokens of all tries."""
    tokens_per_item: float | None
    """Both together, an item; `None` without an item."""
    usd: float | None
    """What all replies cost when they were first paid for; `None` if an item that used tokens lacks a price, or all do."""
    usd_per_item: float | None
    """The same an item."""
    calls: int
    """Calls and replies from the cache."""
    cached_calls: int
    """Of these, replies from the cache."""
    usd_paid: float
    """US dollars paid in this study directory."""
    usd_saved: float
    """US dollars that the cached replies cost when they were first paid for."""


class CellFigures(Contract):
    """One setting of the grid."""

    name: str
    """`MODEL/PROMPT/MODES`."""
    model: str
    """Name of the model on its server."""
    model_key: str
    """Its name under `models`."""
    prompt: str
    """Version of the prompt."""
    modes: tuple[str, ...]
    """The verifier's modes, all of which must agree."""
    address: str
    """`STUDY@CELL`."""
    template: RegisterFigures
    """Of the rigid template questions: the study's figures."""
    final: RegisterFigures | None
    """Of accepted questions of a finished run, apart; `None` if none were asked."""
    cost: CellCost
    """What it cost."""
    on_frontier: bool | None
    """Whether no other cell is both at most as dear an item and at least as accurate (balanced), and better in one of them.

    `None` if its price or its balanced accuracy is unknown; such cells dominate nobody."""


class MeasureTest(Contract):
    """Whether two cells differ in one measure, over the template items that both were asked."""

    measure: Measure
    """The measure; `detection` weights each item alike here, and is over the six kinds that change the answer."""
    method: Literal["exact McNemar", "cluster sign-flip"]
    """The test."""
    sources: int
    """Source questions compared."""
    items: int
    """Items compared."""
    hits_a: int
    """Items that A took rightly."""
    hits_b: int
    """Items that B took rightly."""
    only_a: int
    """Items that only A took rightly."""
    only_b: int
    """Items that only B took rightly."""
    difference: float | None
    """Measure of A less that of B; `None` if nothing was compared."""
    p: float | None
    """Two-sided p-value; `None` if nothing was compared."""
    p_holm: float | None
    """The same after Holm's adjustment over all comparisons of the measure in the grid."""
    told_apart: bool | None
    """Whether that is at most 0.05."""
    smallest_difference: float | None
    """What so many source questions could tell at 5 % with 80 % power, in one test; `None` if the cells never differed."""
    sources_needed: int | None
    """Source questions that would tell the difference seen, in one test; `None` if none was seen."""
    note: str
    """The same in a few plain words."""


class FlippedItem(Contract):
    """An item that only one of two cells took rightly; of any register, kind and family."""

    item: str
    """The item."""
    source: str
    """Its source question."""
    wording: Register
    """In which words it asks."""
    kind: DamageKind | None
    """What was done to the trace; `None`: it is sound."""
    family: Family
    """Its family."""
    a: Reading
    """What A made of it."""
    b: Reading
    """What B made of it."""


class CellComparison(Contract):
    """Two cells on the same items; exchanging them transposes it."""

    a: str
    """Name of the first cell."""
    b: str
    """Name of the second cell."""
    tests: tuple[MeasureTest, ...]
    """Acceptance, detection and balanced accuracy."""
    flipped: tuple[FlippedItem, ...]
    """The items that only one of them took rightly, sorted by id."""


class Recommendation(Contract):
    """Which cell to take: of those not told apart from the best by balanced accuracy, the cheapest."""

    cell: str | None
    """Name of the cell; `None` if no cell has a balanced accuracy."""
    best: str | None
    """Name of the cell of the highest balanced accuracy."""
    not_told_apart: tuple[str, ...]
    """The best and the cells not told apart from it, in the order of the grid."""
    cost_by: Literal["usd", "tokens"] | None
    """What was compared for cheapness: US dollars an item where all these cells have a price, else tokens an item."""
    sample_suffices: bool | None
    """Whether a difference of 5 points between the two would have been told; `None` if there was nothing to choose."""
    line: str
    """The recommendation in one line."""
