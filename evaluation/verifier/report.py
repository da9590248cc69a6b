"""What `chronoqg study verifier` writes and prints: data, tables, figures and two reports of the same content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.pages.rate_text import rate_text, usd_text
from evaluation.pages.report_files import Report, filled, grids, offline_warning, write_report
from evaluation.pages.tables import Table, as_text, rounded
from evaluation.verifier.summary import VerifierSummary
from evaluation.verifier.tables import per_thousand, verifier_tables
from state.study import VerifierStudy
from state.vocabulary import Family

if TYPE_CHECKING:  # the drawing and the templates are loaded when a report is written, so that commands start quickly
    from evaluation.pages.charts import Picture
    from evaluation.pages.page_parts import Block, Section


def write_verifier_report(folder: Path, study: VerifierStudy, summary: VerifierSummary) -> list[Path]:
    """Writes the study's data and reports, each file whole or not at all; the same study gives the same bytes.

    Cost: about a second for the figures, more for more than ten cells.

    Args:
        folder: where to: `study.json`, `summary.json`, `study.md`, `study.html`, `tables/` and `figures/`.
        study: the data.
        summary: its summary.

    Returns:
        What was written.

    Raises:
        RunFolderError: the disk refuses.
    """
    from evaluation.verifier.charts import PICTURES, verifier_pictures
    from evaluation.verifier.item_lists import answers_of, flipped_table, missed_table

    answers = answers_of(study)
    tables = (*verifier_tables(summary), flipped_table(study, summary, answers), missed_table(study, answers))
    pictures = verifier_pictures(summary)
    sections = _sections(study, summary, pictures)
    report = Report(f"Study of the verifier: {study.dataset}", _lead(summary), offline_warning(study), sections)
    return write_report(folder, study, summary, report, tables=tables, pictures=pictures, all_pictures=PICTURES)


def summary_lines(study: VerifierStudy, summary: VerifierSummary) -> list[str]:
    """What a person reads in the terminal: a row for each cell, the notes, and which cell to take."""
    by_usd = any(per_thousand(cell) is not None for cell in summary.cells)
    rows = tuple(
        (
            cell.name,
            rate_text(cell.template.acceptance.micro.rate),
            rate_text(cell.template.detection.pooled),
            rate_text(cell.template.balanced),
            usd_text(per_thousand(cell)) if by_usd else rounded(cell.cost.tokens_per_item, 0),
        )
        for cell in summary.cells
    )
    price = "USD per 1,000 questions" if by_usd else "tokens a question"
    header = ("cell", "acceptance", "detection, each kind alike", "balanced accuracy", price)
    caption = f"{_size(summary)}: hits/asked, percent and 95 % interval; n: items asked, of a weighted rate"
    warning = offline_warning(study)
    notes = [*([warning] if warning else []), *summary.notes]
    return [
        *as_text(Table("cells", caption, header, rows)),
        *(f"note: {note}" for note in notes),
        f"recommendation: {summary.recommendation.line}",
    ]


def _lead(summary: VerifierSummary) -> list[str]:
    of_what = f"{_size(summary)}; seed {summary.seed}, chronoqg {summary.chronoqg}."
    how = (
        "Rates are hits/asked, the rate in percent, and its 95 % interval in brackets; a weighted rate is not the share of hits, "
        "and stands with n, the items asked. Acceptance is of sound questions; detection of damaged ones, each kind alike; "
        "balanced accuracy is the mean of both."
    )
    return [f"Recommendation: {summary.recommendation.line}.", of_what, how]


def _size(summary: VerifierSummary) -> str:
    """What was asked, in one line; the rows of a terminal have no ordinals, so it says how many there are."""
    cells = f"{len(summary.cells)} cell{'' if len(summary.cells) == 1 else 's'}"
    ordinals = sum(stratum.taken for stratum in summary.strata if stratum.family is Family.ORDINAL)
    apart = f", of which {ordinals} ordinals stand apart in the report" if ordinals else ""
    return f"{summary.sources} source questions (traces with one constraint) of {summary.source}{apart}; {summary.items} items, {cells}"


def _sections(study: VerifierStudy, summary: VerifierSummary, pictures: tuple[Picture, ...]) -> list[Section]:
    """The parts of both reports; those without content are left out."""
    from evaluation.pages.page_parts import Drawing, Listed

    tables = {table.name: table for table in verifier_tables(summary)}

    def shown(*names: str) -> list[Block]:
        return grids(tables, *names, folded=_FOLDED)

    return filled(
        (
            ("figures", "Figures", [Drawing(picture) for picture in pictures]),
            ("notes", "Notes", [Listed(summary.notes)] if summary.notes else []),
            ("rates", "Both rates and cost", shown("both_rates", "cost")),
            ("acceptance", "Sound questions", shown("acceptance", "sound_readings")),
            ("detection", "Damaged questions", shown("detection", "unnecessary", "labels", "detection_by_family")),
            ("comparisons", "Cells beside each other", shown("comparisons")),
            ("final", "Accepted questions of a finished run", shown("both_rates_final", "acceptance_final", "detection_final")),
            ("items", "Items that flipped or were missed", list(_items(study, summary))),
            ("making", "How it was made", shown("settings", "sample", "signatures", "paper_table2")),
        )
    )


_FOLDED = ("sound_readings", "detection_by_family", "signatures", "paper_table2")


def _items(study: VerifierStudy, summary: VerifierSummary) -> Iterator[Block]:
    from evaluation.verifier.item_lists import answers_of, explorer, flipped_grids, flipped_note, missed_grid

    answers = answers_of(study)
    note = flipped_note(study, summary)
    if note is not None:
        yield note
    yield from flipped_grids(study, summary, answers)
    missed = missed_grid(study, summary, answers)
    if missed is not None:
        yield missed
    if study.cells and study.items:
        yield explorer(study, summary, answers)
