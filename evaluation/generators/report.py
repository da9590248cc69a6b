"""What `chronoqg evaluate` writes and prints: data, tables, figures and two reports of the same content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.generators.analysis_tables import costs_table, failures_table, heatmap_table, leaks_table, operators_table
from evaluation.generators.figures import EvaluationSummary
from evaluation.generators.item_lists import explorer, scores_table
from evaluation.generators.items import evaluation_data
from evaluation.generators.paper_tables import PAPER_NOTE, paper_notes, paper_tables
from evaluation.generators.rows import RowKind
from evaluation.generators.score_tables import (
    TOLD,
    ScoreTable,
    all_scores,
    backbone_scores,
    comparisons_table,
    main_scores,
    metrics_table,
    reference_scores,
    sizes_table,
)
from evaluation.generators.scoring import Evaluation, offline_warning
from evaluation.metrics.scores import PRIMARY
from evaluation.pages.report_files import Report, filled, grids, write_report
from evaluation.pages.tables import Table, as_text, rounded

if TYPE_CHECKING:  # the drawing and the templates are loaded when a report is written, so that commands start quickly
    from evaluation.pages.charts import Picture
    from evaluation.pages.page_parts import Block, Section

STEM = "evaluation"
"""Stem of `evaluation.json`, `evaluation.md` and `evaluation.html`."""


def write_evaluation_report(folder: Path, evaluation: Evaluation) -> list[Path]:
    """Writes data and reports, each file whole or not at all; the same evaluation gives the same bytes.

    Cost: some seconds for the figures; with tens of thousands of questions some more for the data.

    Args:
        folder: where to: `evaluation.json`, `summary.json`, `evaluation.md`, `evaluation.html`, `tables/` and `figures/`.
        evaluation: what was scored.

    Returns:
        What was written.

    Raises:
        RunFolderError: the disk refuses.
    """
    from evaluation.generators.charts import PICTURES, evaluation_pictures

    summary = evaluation.summary
    pictures = evaluation_pictures(summary)
    report = Report("Question generators", _lead(summary), offline_warning(summary), _sections(evaluation, pictures))
    tables = (*evaluation_tables(summary).values(), *paper_tables(), scores_table(evaluation.measured))
    data = evaluation_data(evaluation.datasets, evaluation.measured)
    return write_report(folder, data, summary, report, tables=tables, pictures=pictures, all_pictures=PICTURES, stem=STEM)


def summary_lines(summary: EvaluationSummary) -> list[str]:
    """What a person reads in the terminal: the scores of all rows, and the notes."""
    warning = offline_warning(summary)
    lines = [line for made in (main_scores(summary), reference_scores(summary)) if made.table.rows for line in as_text(made.table)]
    return [*lines, *(f"note: {note}" for note in ([warning] if warning else [])), *(f"note: {note}" for note in summary.notes)]


def evaluation_tables(summary: EvaluationSummary) -> dict[str, Table]:
    """All tables of the evaluation's own figures, the most telling first."""
    made = (
        *(main_scores(summary).table, reference_scores(summary).table, comparisons_table(summary), backbone_scores(summary).table),
        *(metrics_table(summary), costs_table(summary), heatmap_table(summary), operators_table(summary), failures_table(summary)),
        *(leaks_table(summary), sizes_table(summary), all_scores(summary)),
    )
    return {table.name: table for table in made}


def _lead(summary: EvaluationSummary) -> list[str]:
    sizes = [(sum(one.n for one in summary.datasets), "reference"), (len(summary.datasets), "dataset"), (len(summary.names), "row")]
    of_what = ", ".join(f"{number} {what}{'' if number == 1 else 's'}" for number, what in sizes)
    how = (
        f"{of_what}; intervals and tests from {summary.resamples} resamples of split groups, seed {summary.seed}, chronoqg "
        f"{summary.chronoqg}. Every question is in every mean; an empty one scores 0."
    )
    return [_best(summary), how]


def _best(summary: EvaluationSummary) -> str:
    """The highest BLEU-4 of each dataset among methods and outside rows."""
    said = []
    for dataset in summary.datasets:
        rows = [one for one in summary.rows if one.dataset == dataset.name and one.row.kind is not RowKind.REFERENCE]
        scored = [(score.value, one.row.name) for one in rows if (score := one.score(PRIMARY[0])) is not None]
        if scored:
            value = max(value for value, _ in scored)
            names = [name for own, name in scored if own == value]
            whose = "no row is above 0" if value == 0 else names[0] if len(names) == 1 else f"{len(names)} rows alike"
            said.append(f"{whose} on {dataset.name}{f', {rounded(value, 3)}' if value else ''}")
    return f"Highest BLEU-4: {'; '.join(said)}." if said else "No row of a method has scores."


def _sections(evaluation: Evaluation, pictures: tuple[Picture, ...]) -> list[Section]:
    """The parts of both reports; those without content are left out."""
    from evaluation.pages.page_parts import Drawing, Listed

    summary = evaluation.summary
    made = evaluation_tables(summary)

    def drawings(stem: str) -> list[Block]:
        return [Drawing(one) for one in pictures if one.name.startswith(stem)]

    found = explorer(evaluation.measured)
    return filled(
        (
            ("scores", "Scores", [*_with_intervals(main_scores(summary)), *_with_intervals(reference_scores(summary))]),
            ("notes", "Notes", [Listed(summary.notes)] if summary.notes else []),
            ("comparisons", "Rows beside each other", grids(made, "comparisons", folded=("comparisons",))),
            ("backbones", "Models beside each other", list(_with_intervals(backbone_scores(summary)))),
            ("cost", "Cost", grids(made, "costs")),
            (
                "hops",
                "Hops and constraints",
                [*drawings("hops_constraints"), *grids(made, "hops_constraints", folded=("hops_constraints",))],
            ),
            ("operators", "Operators", [*drawings("operators"), *grids(made, "operators", folded=("operators",))]),
            ("failures", "What questions state otherwise", [*drawings("failures"), *grids(made, "failures", folded=("failures",))]),
            ("leaks", "Leaks and lengths", grids(made, "leaks")),
            ("metrics", "Every metric", grids(made, "metrics", folded=("metrics",))),
            ("paper", "The paper's own figures", list(_paper())),
            ("questions", "Questions", [] if found is None else [found]),
            ("making", "How it was made", grids(made, "datasets", "all_scores", folded=("all_scores",))),
        )
    )


def _with_intervals(made: ScoreTable) -> Iterator[Block]:
    from evaluation.pages.page_parts import Grid

    if made.table.rows:
        is_told = any(TOLD in cell for line in made.intervals for cell in line)
        told = " * told apart from the first row of its model, p adjusted at most 0.05; tables/comparisons.csv has the tests."
        yield Grid(made.table, note=f"Small print: 95 % intervals.{told if is_told else ''}", below=made.intervals)


def _paper() -> Iterator[Block]:
    from evaluation.pages.page_parts import Grid, Listed, Text

    yield Text((PAPER_NOTE,))
    for table in paper_tables():
        yield Grid(table, is_folded=True)
    yield Listed(paper_notes())
