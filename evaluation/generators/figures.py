"""The figures of an evaluation of question generators: what every table and picture of it prints. Paper: section 5."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from evaluation.generators.rows import RowKind
from evaluation.statistics.intervals import Rate
from state.model_base import Contract

Constraints = Literal["1", "2", "3+"]
"""How many temporal constraints a question has, as Figure 5 groups them."""


class RowName(Contract):
    """A generator, whatever the dataset."""

    method: str
    """Key of the method, or the name of an outside row."""
    label: str
    """How tables call it."""
    model: str | None
    """The model's name on its server; `None` where none is asked."""
    kind: RowKind
    """Where its questions come from."""
    with_path: bool
    """Whether it was given the reasoning path although the paper does not give it to its method."""

    @property
    def name(self) -> str:
        """Label and model on one line, with what sets the row apart."""
        parts = [self.label, *([self.model] if self.model else [])]
        marks = [*([self.kind.value] if self.kind is not RowKind.METHOD else []), *(["with path"] if self.with_path else [])]
        return ", ".join(parts) + (f" ({'; '.join(marks)})" if marks else "")


class Score(Contract):
    """One metric of one row on one dataset."""

    metric: str
    """Its key, e.g. `bleu4`."""
    value: float
    """Between 0 and 1."""
    low: float | None = None
    """Lower end of the 95 % interval; `None` for a metric without one."""
    high: float | None = None
    """Upper end."""
    signature: str
    """How it was made, `|` between the parts."""


class Comparison(Contract):
    """One metric of a row beside its baseline, on the same resamples."""

    metric: str
    """Key of the metric."""
    baseline: RowName
    """The row that it is set beside."""
    difference: float
    """The row's score less the baseline's."""
    low: float | None
    """Lower end of the difference's 95 % interval; `None` with a single group of the split, which says nothing about others."""
    high: float | None
    """Upper end."""
    p: float | None
    """Two-sided p-value of the paired bootstrap; `None` with a single group."""
    p_holm: float | None
    """The same after Holm's adjustment over all comparisons of the metric on the dataset."""
    told_apart: bool | None
    """Whether that is at most 0.05."""
    signature: str
    """How it was made."""


class FailureCounts(Contract):
    """What questions state otherwise than their traces; one question may count under several labels. Paper: Figure 7."""

    asked: int
    """Questions that were given to the reader."""
    read: int
    """Those that it could read."""
    clean: int
    """Read, and stating just the constraints of the trace."""
    missing: int
    """Questions that leave out a constraint."""
    wrong: int
    """Questions that state another operator, or bind one to another fact; reversed ones are among them."""
    reversed: int
    """Questions that state a constraint the other way round."""
    unnecessary: int
    """Questions that state a condition on time that the trace does not have."""

    @property
    def unread(self) -> int:
        """Empty questions and those that the reader could not make out."""
        return self.asked - self.read


class Spending(Contract):
    """What a row's questions used."""

    questions: int
    """Questions asked for."""
    calls: int
    """Calls, retries included."""
    cached_calls: int
    """Those answered from the cache."""
    input: int
    """Prompt tokens."""
    output: int
    """Completion tokens."""
    usd: float | None
    """US dollars as if nothing had come from the cache; `None` without a price."""
    usd_paid: float
    """US dollars paid in this evaluation."""


class RowFigures(Contract):
    """One row on one dataset."""

    row: RowName
    """Which generator."""
    dataset: str
    """Name of the dataset."""
    is_self: bool
    """Whether its system wrote the references: it has no scores."""
    address: str
    """`FOLDER@CELL`, under which one of its instances opens; empty where there is none."""
    n: int
    """Records of the dataset, every one of them in the denominator."""
    failed: int
    """Instances without a usable reply."""
    empty: int
    """Questions that are empty; they score 0 and stay in."""
    scores: tuple[Score, ...]
    """All metrics; none for a row that wrote the references."""
    comparisons: tuple[Comparison, ...]
    """The main metrics beside the row's baseline; none for a baseline, a reference row or a row without scores."""
    leaks: Rate
    """Questions that give their answer away."""
    mean_words: float | None
    """Mean of blank-separated words of the questions that are not empty; `None` if all are."""
    failures: FailureCounts | None
    """What its questions state otherwise than their traces; `None` if nobody read them."""
    spending: Spending
    """What it used."""

    def score(self, metric: str) -> Score | None:
        """The score of that metric; `None` if there is none."""
        return next((score for score in self.scores if score.metric == metric), None)


class DatasetFigures(Contract):
    """The references of one dataset."""

    name: str
    """Name of the dataset."""
    source: str
    """The benchmark that it is a part of."""
    n: int
    """Records that are scored."""
    groups: int
    """Groups of the split among them; intervals resample these."""
    rewriters: tuple[str, ...]
    """Models that wrote the references, sorted; `offline-rules` for the rules."""
    mean_words: float
    """Mean of blank-separated words of the references."""


class HeatCell(Contract):
    """Corpus BLEU-4 of the questions of so many hops and constraints."""

    hops: int = Field(ge=1, le=3)
    """Structural facts."""
    constraints: Constraints
    """Temporal constraints."""
    n: int
    """Questions."""
    bleu4: float | None
    """Corpus BLEU-4; `None` below 20 questions."""


class Heatmap(Contract):
    """Figure 5 for one row and one source."""

    row: RowName
    """Which generator."""
    source: str
    """The benchmark, its single- and multi-constraint parts pooled."""
    cells: tuple[HeatCell, ...]
    """All nine, hops first."""


class OperatorBar(Contract):
    """Corpus BLEU-4 of the questions that hold an operator."""

    operator: str
    """Name of the operator."""
    family: str
    """Its family."""
    n: int
    """Questions; each counts once for each of its distinct operators."""
    bleu4: float | None
    """Corpus BLEU-4; `None` without a question."""


class OperatorBars(Contract):
    """Figure 6 for one row, pooled over all datasets."""

    row: RowName
    """Which generator."""
    constraints: Constraints | None
    """Only questions of so many constraints; `None`: all, as in the paper."""
    bars: tuple[OperatorBar, ...]
    """All 29, in the order of the operator table."""


class EvaluationSummary(Contract):
    """Everything that the tables and figures of an evaluation print."""

    format: Literal[1] = 1
    """Format version."""
    chronoqg: str
    """Version of this package."""
    seed: int
    """Seed of resampling."""
    resamples: int
    """Bootstrap resamples behind each interval and test."""
    reader: str
    """Who read the questions for failure types: a model, `offline-rules`, or `none`."""
    datasets: tuple[DatasetFigures, ...]
    """The references, in the order given."""
    rows: tuple[RowFigures, ...]
    """Rows in the order given: methods, then outside rows, then reference rows."""
    heatmaps: tuple[Heatmap, ...]
    """Figure 5 of every row with scores."""
    operators: tuple[OperatorBars, ...]
    """Figure 6 of every row with scores: all questions, then those of equal numbers of constraints."""
    notes: tuple[str, ...]
    """What a reader must know before the numbers."""

    @property
    def names(self) -> tuple[RowName, ...]:
        """The generators, each once, in order."""
        return tuple(dict.fromkeys(figures.row for figures in self.rows))
