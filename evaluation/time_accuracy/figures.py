"""What `summary.json` of an evaluation on temporal tables holds: counts, exact where they can be, rates with intervals."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from evaluation.statistics.intervals import Rate
from state.model_base import Contract
from state.tdbench_scoring import JudgeAgreement, Tally

RowKind = Literal["asked", "outside"]
PartKind = Literal["all", "kind", "relation", "cardinality", "hops", "domain"]
Kind = Literal["relation", "now", "basic", "join"]
"""What a question asks of time; `relation` stands for all thirteen."""
Measure = Literal["A", "AT"]


class PartFigures(Contract):
    """One part of the questions; all of its questions are in every denominator."""

    by: PartKind
    """What the questions are divided by."""
    part: str
    """Which of the parts; `all` of the whole."""
    tally: Tally
    """Counts, of answer classes and alignment classes too."""
    a: Rate
    """Answer accuracy."""
    t: Rate
    """Time accuracy."""
    at: Rate
    """Both right."""
    loose_t: Rate
    """Time accuracy in which half a verdict counts one half: numerator and denominator are in halves."""
    gap: Rate
    """A - AT: right answers with wrong dates."""


class JudgedFigures(Contract):
    """A row by one judge."""

    judge: str
    """`rules`, or the judge's name in the config."""
    parts: tuple[PartFigures, ...]
    """The whole first, then each part in the order in which it is shown."""
    signature: str
    """How the verdicts were made; figures with different signatures are not compared."""

    @property
    def whole(self) -> PartFigures:
        """All questions."""
        return self.parts[0]

    def of(self, by: PartKind) -> tuple[PartFigures, ...]:
        """The parts of one division."""
        return tuple(part for part in self.parts if part.by == by)


class AgreementFigures(Contract):
    """How far the judge and the rules agree on one row; first the rules, then the judge."""

    judge: str
    """The judge's name in the config."""
    answer: JudgeAgreement
    """On whether the answer is right."""
    time: JudgeAgreement
    """On the dates."""


class Spending(Contract):
    """What a role used in a row."""

    role: str
    """Answerer or judge."""
    model: str
    """The model's name on its server."""
    calls: int
    """Calls made and replies taken from the cache."""
    cached_calls: int
    """Replies from the cache."""
    input: int
    """Prompt tokens paid for."""
    output: int
    """Completion tokens paid for."""
    usd_paid: float
    """US dollars paid; 0 for a model without a price."""
    usd_saved: float
    """US dollars that replies from the cache cost when they were first paid for."""


class RowFigures(Contract):
    """One model, or one file of replies."""

    name: str
    """Name in tables: the model's in the config, or that of the file."""
    kind: RowKind
    """Whether it was asked here."""
    model: str | None
    """The model's name on its server; `None` of a file."""
    prompt: str | None
    """Version of its prompt; `None` of a file."""
    failed: int = Field(ge=0)
    """Questions without a usable reply after all tries; they count as misses."""
    unjudged: int = Field(ge=0)
    """Replies on which the judge gave no usable verdict; they count as misses by the judge."""
    to_judge: int = Field(default=0, ge=0)
    """Replies that the judge was asked about."""
    judged: tuple[JudgedFigures, ...]
    """By the rules, then by the judge if there is one."""
    agreement: AgreementFigures | None
    """How far the two agree; `None` without a judge."""
    spending: tuple[Spending, ...]
    """What was used; nothing of a file that the rules judge."""

    @property
    def is_judged(self) -> bool:
        """Whether a verdict of the judge could be read, or none was asked for: else the figures by the judge mean nothing."""
        return self.unjudged < self.to_judge or not self.to_judge

    @property
    def is_mostly_unjudged(self) -> bool:
        """Whether most verdicts could not be read."""
        return 2 * self.unjudged > self.to_judge


class Compared(Contract):
    """Two rows on the same questions."""

    judge: str
    """Whose verdicts."""
    measure: Measure
    """Answer accuracy, or both right."""
    first: str
    """A row."""
    second: str
    """Another one."""
    only_first: int
    """Questions that only the first row has right."""
    only_second: int
    """Questions that only the second has right."""
    difference: float
    """Share of the first minus share of the second."""
    p: float
    """Two-sided p-value."""
    p_adjusted: float
    """Holm's over all pairs of this measure and judge."""
    test: Literal["exact McNemar", "sign flip over queries"]
    """The second where queries are asked in several phrasings."""


class PartSize(Contract):
    """How many questions a part has."""

    by: PartKind
    """What the questions are divided by."""
    part: str
    """Which part."""
    questions: int
    """Questions."""


class TimeAccuracySummary(Contract):
    """All figures of an evaluation."""

    format: Literal[1] = 1
    """Format version."""
    source: str
    """Where the questions come from."""
    questions: int
    """Questions asked."""
    available: int
    """Questions that the source has."""
    queries: int
    """Groups of questions; phrasings of one query are one."""
    with_rows: bool
    """Whether rows were shown (open book)."""
    judge: str
    """`rules`, or the model that judged beside them."""
    seed: int
    """Seed of the draw and of resampling."""
    sizes: tuple[PartSize, ...]
    """Questions by part."""
    rows: tuple[RowFigures, ...]
    """Models in the order of the config, then files."""
    comparisons: tuple[Compared, ...]
    """Each pair of rows."""
    always_no_answer: PartFigures | None = None
    """What a reply of "no answer" to every question comes to by the rules."""
    notes: tuple[str, ...]
    """What a reader must know."""
    chronoqg: str
    """Version of the package."""
