"""The tables of scores: the main one, backbones beside each other, secondary metrics, comparisons. Paper: Tables 4 and 5."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from evaluation.generators.figures import EvaluationSummary, RowFigures, RowName, Score
from evaluation.generators.rows import RowKind
from evaluation.metrics.scores import METRICS, PRIMARY
from evaluation.pages.rate_text import NOTHING, p_text, whole
from evaluation.pages.tables import Table, rounded

SELF = "self"
"""Stands for the scores of a row whose system wrote the references."""
NO_MODEL = "-"
TOLD = " *"
"""Behind the interval of a score that is told apart from its baseline's."""
TITLES: Mapping[str, str] = {
    "bleu4": "BLEU-4",
    "rouge2_f1": "ROUGE-2",
    "rougeL_f1": "ROUGE-L",
    "sentence_bleu4_m1": "sentence BLEU-4, smoothed",
    "rouge2_recall": "ROUGE-2 recall",
    "rougeL_recall": "ROUGE-L recall",
    "unicode_rouge2_f1": "ROUGE-2, every script",
    "unicode_rougeL_f1": "ROUGE-L, every script",
    "caption_rougeL": "ROUGE-L, beta 1.2",
}
"""Metric -> how tables call it."""

Rows = Iterator[tuple[str, ...]]


class ScoreTable(NamedTuple):
    """A table of scores with the interval of each."""

    table: Table
    """Its text."""
    intervals: tuple[tuple[str, ...], ...]
    """Small print below each cell; nothing where it is empty."""


def main_scores(summary: EvaluationSummary) -> ScoreTable:
    """Table 4: models and methods, and outside rows, each dataset's three main metrics."""
    names = [name for name in summary.names if name.kind is not RowKind.REFERENCE]
    caption = "Scores by model and method: BLEU-4 of the corpus, mean ROUGE-2 and ROUGE-L F1, 0 to 1"
    return _scores(summary, "scores", caption, names)


def reference_scores(summary: EvaluationSummary) -> ScoreTable:
    """The reference rows in the layout of the main table, apart from it."""
    names = [name for name in summary.names if name.kind is RowKind.REFERENCE]
    caption = "Reference rows: not competitors, and exempt from the rule that no generator sees the template question"
    return _scores(summary, "reference_rows", caption, names)


def backbone_scores(summary: EvaluationSummary) -> ScoreTable:
    """Table 5: methods that were asked of several models, those models below each other."""
    models: dict[str, list[RowName]] = {}
    for name in summary.names:
        if name.kind is RowKind.METHOD and name.model is not None:
            models.setdefault(name.method, []).append(name)
    names = [name for of_method in models.values() if len(of_method) > 1 for name in of_method]
    return _scores(summary, "backbones", "The same methods on several models", names)


def metrics_table(summary: EvaluationSummary) -> Table:
    """Every metric, the secondary ones among them: the paper does not say which variants it used."""
    rows = tuple((*labels(one.row), one.dataset, str(one.n), *(_cell(one, metric) for metric in METRICS)) for one in summary.rows)
    header = ("method", "model", "dataset", "n", *(TITLES[metric] for metric in METRICS))
    return Table("metrics", "Every metric by row and dataset; empty questions score 0 and are in every mean", header, rows)


def comparisons_table(summary: EvaluationSummary) -> Table:
    """Each row beside its baseline."""
    header = (
        "model",
        "method",
        "dataset",
        "beside",
        "metric",
        "difference",
        "95 % interval",
        "p adjusted",
        "told apart",
        "p of this test alone",
    )
    rows = (
        (
            *(*labels(one.row), one.dataset, test.baseline.name, TITLES[test.metric], signed(test.difference)),
            NOTHING if test.low is None or test.high is None else f"{signed(test.low)} to {signed(test.high)}",
            *(p_text(test.p_holm), NOTHING if test.told_apart is None else "yes" if test.told_apart else "no", p_text(test.p)),
        )
        for one in summary.rows
        for test in one.comparisons
    )
    caption = (
        "Each row beside the first one of its model, or of all where it has no model: paired bootstrap on the same resamples, "
        "p adjusted over all rows of a dataset (Holm)"
    )
    return Table("comparisons", caption, header, tuple(rows))


def all_scores(summary: EvaluationSummary) -> Table:
    """Every number at full precision with its interval and signature."""
    header = ("method", "model", "kind", "dataset", "n", "empty", "metric", "value", "low", "high", "signature")
    rows = (
        (
            *(*labels(one.row), one.row.kind.value, one.dataset, str(one.n), str(one.empty), score.metric),
            *(NOTHING if number is None else repr(number) for number in (score.value, score.low, score.high)),
            score.signature,
        )
        for one in summary.rows
        for score in one.scores
    )
    return Table("all_scores", "How each score was made; two numbers with different signatures are not compared", header, tuple(rows))


def labels(row: RowName) -> tuple[str, str]:
    """Method and model as tables show them, with what sets the row apart."""
    return row.model_copy(update={"model": None}).name, row.model or NO_MODEL


def signed(difference: float) -> str:
    """A difference with its sign and three decimals."""
    text = rounded(difference, 3)
    return text if text.startswith("-") else f"+{text}"


def _scores(summary: EvaluationSummary, name: str, caption: str, names: Iterable[RowName]) -> ScoreTable:
    datasets = [dataset.name for dataset in summary.datasets]
    by_place = {(one.row, one.dataset): one for one in summary.rows}
    rows, below = [], []
    for row in names:
        figures = [by_place.get((row, dataset)) for dataset in datasets]
        rows.append((*labels(row), *(_cell(one, metric) for one in figures for metric in PRIMARY)))
        below.append(("", "", *(_interval(one, metric) for one in figures for metric in PRIMARY)))
    header = ("method", "model", *(f"{dataset} {TITLES[metric]}" for dataset in datasets for metric in PRIMARY))
    return ScoreTable(Table(name, caption, header, tuple(rows)), tuple(below))


def _cell(figures: RowFigures | None, metric: str) -> str:
    if figures is None:
        return NOTHING
    if figures.is_self:
        return SELF
    score = figures.score(metric)
    return NOTHING if score is None else rounded(score.value, 3)


def _interval(figures: RowFigures | None, metric: str) -> str:
    score: Score | None = None if figures is None else figures.score(metric)
    if score is None or score.low is None or score.high is None:
        return ""
    told = figures is not None and any(test.metric == metric and test.told_apart for test in figures.comparisons)
    return f"{rounded(score.low, 3)} to {rounded(score.high, 3)}{TOLD if told else ''}"


def sizes_table(summary: EvaluationSummary) -> Table:
    """The datasets."""
    rows = tuple(
        (one.name, one.source, whole(one.n), whole(one.groups), ", ".join(one.rewriters), rounded(one.mean_words))
        for one in summary.datasets
    )
    header = ("dataset", "benchmark", "records", "groups", "references written by", "mean words")
    return Table("datasets", "The references; resampling takes a group of the split whole", header, rows)
