"""What `chronoqg study rewriter` writes and prints: data, tables, figures and two reports of the same content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.pages.rate_text import rate_text, usd_text
from evaluation.pages.report_files import Report, filled, grids, offline_warning, write_report
from evaluation.pages.tables import Table, as_text, rounded
from evaluation.rewriter.summary import RewriterSummary
from evaluation.rewriter.tables import settings, tables
from state.rewriter_study import RewriterStudy

if TYPE_CHECKING:  # the drawing and the templates are loaded when a report is written, so that commands start quickly
    from evaluation.pages.charts import Picture
    from evaluation.pages.page_parts import Block, Section


def write_rewriter_report(path: Path, study: RewriterStudy, summary: RewriterSummary) -> list[Path]:
    """Writes the study's data and reports, each file whole or not at all; the same study gives the same bytes.

    Cost: about a second for the figures, more for more than ten cells.

    Args:
        path: where to: `study.json`, `summary.json`, `study.md`, `study.html`, `tables/` and `figures/`.
        study: the data.
        summary: its summary.

    Returns:
        What was written.

    Raises:
        RunFolderError: the disk refuses.
    """
    from evaluation.rewriter.charts import PICTURES, rewriter_pictures
    from evaluation.rewriter.item_lists import lost_table

    pictures = rewriter_pictures(summary)
    sections = _sections(study, summary, pictures)
    report = Report(f"Study of the rewriter: {study.dataset}", _lead(summary), offline_warning(study), sections)
    all_tables = (*tables(summary), settings(study), lost_table(study))
    return write_report(path, study, summary, report, tables=all_tables, pictures=pictures, all_pictures=PICTURES)


def summary_lines(study: RewriterStudy, summary: RewriterSummary) -> list[str]:
    """What a person reads in the terminal: a row for each cell, the notes, and which cell to take."""
    by_usd = any(cell.pipeline_cost.usd_per_accepted is not None for cell in summary.cells)
    rows = tuple(
        (
            cell.name,
            rate_text(cell.accepted),
            rate_text(cell.first_pass),
            rounded(cell.length.mean),
            rounded(cell.preservation.micro),
            usd_text(cell.pipeline_cost.usd_per_accepted) if by_usd else rounded(cell.pipeline_cost.tokens_per_accepted, 0),
        )
        for cell in summary.cells
    )
    cost = f"{'USD' if by_usd else 'tokens'} an accepted question"
    header = ("cell", "accepted", "first verification", "shorter by %", "names kept %", cost)
    warning = offline_warning(study)
    notes = [*([warning] if warning else []), *summary.notes]
    return [
        *as_text(Table("cells", f"{_size(summary)}: hits/instances, percent and 95 % interval", header, rows)),
        *(f"note: {note}" for note in notes),
        f"recommendation: {summary.recommendation.line}",
    ]


def _lead(summary: RewriterSummary) -> list[str]:
    of_what = f"{_size(summary)}; seed {summary.seed}, chronoqg {summary.chronoqg}."
    how = (
        "Accepted is what all agents together make of a rewriter's questions; agreed at the first verification is the rewriter's "
        "own merit, before any repair. Instances that failed count as not accepted."
    )
    return [f"Recommendation: {summary.recommendation.line}.", of_what, how]


def _size(summary: RewriterSummary) -> str:
    return f"{summary.instances} traces of {summary.source}, {len(summary.cells)} cell{'' if len(summary.cells) == 1 else 's'}"


def _sections(study: RewriterStudy, summary: RewriterSummary, pictures: tuple[Picture, ...]) -> list[Section]:
    """The parts of both reports; those without content are left out."""
    from evaluation.pages.page_parts import Drawing, Listed

    made = {table.name: table for table in (*tables(summary), settings(study))}
    return filled(
        (
            ("figures", "Figures", [Drawing(picture) for picture in pictures]),
            ("notes", "Notes", [Listed(summary.notes)] if summary.notes else []),
            ("shares", "Accepted questions", grids(made, "cells", "groups", folded=("groups",))),
            ("fates", "What became of the instances", grids(made, "fates", "retries")),
            ("wording", "Wording", grids(made, "wording")),
            ("costs", "Cost", grids(made, "costs")),
            ("comparisons", "Cells beside each other", grids(made, "comparisons")),
            ("instances", "Instances", list(_instances(study, summary))),
            ("making", "How it was made", grids(made, "settings", "signatures", folded=("signatures",))),
        )
    )


def _instances(study: RewriterStudy, summary: RewriterSummary) -> Iterator[Block]:
    from evaluation.rewriter.item_lists import explorer, flipped_grids, lost_grid

    yield from flipped_grids(study, summary)
    lost = lost_grid(study, summary)
    if lost is not None:
        yield lost
    if study.cells and study.instances:
        yield explorer(study, summary)
