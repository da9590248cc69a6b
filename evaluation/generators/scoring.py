"""From references and rows of questions to every figure of an evaluation. Paper: section 5, Tables 4 to 6, Figures 5 to 7."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.generators.comparisons import Tested, tested_rows
from evaluation.generators.failures import Reader, count_failures
from evaluation.generators.figures import DatasetFigures, EvaluationSummary, Heatmap, OperatorBars, RowFigures, RowName, Score, Spending
from evaluation.generators.items import MeasuredRow, reference_of
from evaluation.generators.measuring import measure_rows
from evaluation.generators.rows import Dataset, Row, RowKey, RowKind
from evaluation.generators.strata import CONSTRAINTS, Scored, heatmap, operator_bars
from evaluation.metrics.scores import METRICS
from evaluation.pages.report_files import OFFLINE
from evaluation.statistics.intervals import package_version, wilson_rate


@dataclass(frozen=True)
class Evaluation:
    """What was scored and what came of it: all that the report needs."""

    datasets: tuple[Dataset, ...]
    """The references."""
    measured: tuple[MeasuredRow, ...]
    """The rows, question by question: methods, outside rows, reference rows."""
    summary: EvaluationSummary
    """The figures."""


def score_rows(datasets: Sequence[Dataset], rows: Sequence[Row], *, seed: int, resamples: int, reader: Reader | None) -> Evaluation:
    """Every figure of an evaluation; the same rows give the same figures.

    Cost: about a millisecond a question, and what the reader takes.

    Args:
        datasets: the references; records without a final question are not among them.
        rows: a row for a generator and a dataset; a generator need not have all datasets.
        seed: seed of resampling.
        resamples: bootstrap resamples behind each interval and test.
        reader: who reads the questions for failure types; `None` for nobody.

    Raises:
        ValueError: names are not unique, a row is of no dataset, or its ids are not just those of the dataset.
    """
    measured = measure_rows(datasets, rows, reader)
    tested = {dataset.name: _tested(dataset, measured, seed, resamples) for dataset in datasets}
    figures = tuple(_figures(one, tested[one.dataset.name].get(one.row.key)) for one in measured)
    summary = EvaluationSummary(
        chronoqg=package_version(),
        seed=seed,
        resamples=resamples,
        reader="none" if reader is None else reader.name,
        datasets=tuple(map(_dataset, datasets)),
        rows=figures,
        heatmaps=tuple(_heatmaps(measured)),
        operators=tuple(_operators(measured)),
        notes=tuple(_notes(figures, datasets)),
    )
    return Evaluation(tuple(datasets), measured, summary)


def _tested(dataset: Dataset, measured: Sequence[MeasuredRow], seed: int, resamples: int) -> Mapping[RowKey, Tested]:
    own = [one for one in measured if one.dataset.name == dataset.name]
    return tested_rows(dataset, own, seed=seed, resamples=resamples)


def _figures(one: MeasuredRow, tested: Tested | None) -> RowFigures:
    row, n = one.row, len(one.dataset.records)
    questions = [row.predictions[record.id] for record in one.dataset.records]
    written = one.words[one.words > 0]
    leaks = int(one.leaks.sum())
    return RowFigures(
        row=one.name,
        dataset=row.dataset,
        is_self=row.wrote_references,
        address=row.address,
        n=n,
        failed=row.failed,
        empty=sum(not question.strip() for question in questions),
        scores=_scores(one, tested),
        comparisons=() if tested is None else tested.comparisons,
        leaks=wilson_rate(leaks, n, stem=f"answer leak|{row.dataset}"),
        mean_words=float(written.mean()) if len(written) else None,
        failures=count_failures(one.failures),
        spending=Spending(
            questions=row.usage.questions,
            calls=row.usage.calls,
            cached_calls=row.usage.cached_calls,
            input=row.usage.input,
            output=row.usage.output,
            usd=row.usage.usd,
            usd_paid=row.usage.usd_paid,
        ),
    )


def _scores(one: MeasuredRow, tested: Tested | None) -> tuple[Score, ...]:
    """All metrics of a row; those that were resampled with their intervals."""
    if one.scores is None:
        return ()
    corpus = one.scores.corpus()
    resampled = {} if tested is None else tested.scores
    found = []
    for metric in METRICS:
        value = getattr(corpus, metric)
        if metric in resampled:
            found.append(resampled[metric])
        elif value is not None:
            found.append(Score(metric=metric, value=value, signature=corpus.signatures[metric]))
    return tuple(found)


def _dataset(dataset: Dataset) -> DatasetFigures:
    references = [reference_of(record) for record in dataset.records]
    return DatasetFigures(
        name=dataset.name,
        source=dataset.source,
        n=len(references),
        groups=len({dataset.groups[record.id] for record in dataset.records}),
        rewriters=tuple(sorted({record.backend.rewriter if record.backend else "unknown" for record in dataset.records})),
        mean_words=sum(len(reference.split()) for reference in references) / len(references) if references else 0.0,
    )


def _scored(measured: Sequence[MeasuredRow]) -> dict[RowName, list[tuple[str, Scored]]]:
    """Row -> the source of each of its datasets with what BLEU counts of it."""
    found: dict[RowName, list[tuple[str, Scored]]] = {}
    for one in measured:
        if one.scores is not None:
            found.setdefault(one.name, []).append((one.dataset.source, Scored(one.dataset.records, one.scores.counts)))
    return found


def _heatmaps(measured: Sequence[MeasuredRow]) -> Iterator[Heatmap]:
    for row, parts in _scored(measured).items():
        for source in dict.fromkeys(source for source, _ in parts):
            yield heatmap(row, source, [scored for own, scored in parts if own == source])


def _operators(measured: Sequence[MeasuredRow]) -> Iterator[OperatorBars]:
    for row, parts in _scored(measured).items():
        for constraints in (None, *CONSTRAINTS):
            yield operator_bars(row, constraints, [scored for _, scored in parts])


def _notes(figures: Sequence[RowFigures], datasets: Sequence[Dataset]) -> Iterator[str]:
    for scored in datasets if figures else ():
        groups = len(set(scored.groups.values()))
        if groups < FEW_GROUPS:
            yield f"{scored.name} has {groups} groups of questions only: intervals and tests of so few are too sure of themselves"
    by_row: dict[RowName, list[RowFigures]] = {}
    for one in figures:
        by_row.setdefault(one.row, []).append(one)
    for row, own in by_row.items():
        if selves := [one.dataset for one in own if one.is_self]:
            yield f"{row.name} wrote the references of {', '.join(selves)}: its scores would be those of a copy, and stand as self"
    for row, own in by_row.items():
        lost = [f"{one.failed} failed and {one.empty} empty of {one.n} on {one.dataset}" for one in own if one.failed or one.empty]
        if lost:
            yield f"questions of {row.name}: {'; '.join(lost)}; each of these scores 0 and stays in every mean"
    read = {(one.dataset, one.failures.asked, one.n) for one in figures if one.failures is not None and one.failures.asked < one.n}
    for dataset, asked, n in sorted(read):
        yield f"failure types of {dataset} are of {asked} of its {n} questions of a row"
    for kind, what in (
        (RowKind.OUTSIDE, "a file of predictions; what its system was shown is not known"),
        (RowKind.REFERENCE, "a free row to compare with, which may know the template question"),
    ):
        for row in by_row:
            if row.kind is kind:
                yield f"{row.name}: {what}"
    if unpriced := [row.name for row, own in by_row.items() if any(one.spending.usd is None for one in own)]:
        yield f"without a price for all replies: {', '.join(unpriced)}"


FEW_GROUPS = 20
"""Groups below which resampling them is known to give intervals that are too narrow."""


def offline_warning(summary: EvaluationSummary) -> str:
    """What must be read first where the references or a row have no language model behind them; empty if all have."""
    said = []
    ruled = [dataset.name for dataset in summary.datasets if OFFLINE in dataset.rewriters]
    if ruled:
        said.append(
            f"The references of {', '.join(ruled)} were written by the offline rules, not by a language model: scores against them "
            "say nothing of natural English and are not to be set beside published ones."
        )
    rows = [name.name for name in summary.names if name.model == OFFLINE or name.kind is RowKind.REFERENCE]
    if rows:
        said.append(f"The figures of {', '.join(rows)} are no language model's.")
    return " ".join(said)
