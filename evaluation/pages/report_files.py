"""The files of a study: its data, tables, figures and two reports of the same content."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evaluation.pages.tables import Table, as_csv
from runs.json_lines import escape_line_ends, model_line, write_whole
from state.model_base import Contract
from state.rewriter_study import RewriterStudy
from state.study import VerifierStudy

if TYPE_CHECKING:  # the drawing and the templates are loaded when a report is written, so that commands start quickly
    from evaluation.pages.charts import Picture
    from evaluation.pages.page_parts import Block, Section

STUDY, SUMMARY, MARKDOWN, PAGE = "study.json", "summary.json", "study.md", "study.html"
"""Names of a study's files; those of another kind of report have its own stem for `study`."""
TABLES, FIGURES = "tables", "figures"
OFFLINE = "offline-rules"
"""The model that is none."""
_MOST_OPEN = 80
"""Rows from which a table is folded, too."""


class Report(NamedTuple):
    """What both pages say."""

    title: str
    """Heading."""
    lead: Sequence[str]
    """Lines below it, the most important one first."""
    warning: str
    """What must be read before any number; nothing if empty."""
    sections: Sequence[Section]
    """The parts, in order."""


def write_report(
    folder: Path,
    study: Contract,
    summary: Contract,
    report: Report,
    *,
    tables: Iterable[Table],
    pictures: Sequence[Picture],
    all_pictures: Collection[str],
    stem: str = "study",
) -> list[Path]:
    """Writes everything, each file whole or not at all; the same content gives the same bytes.

    Args:
        folder: where to.
        study: the data.
        summary: its summary.
        report: what both pages say.
        tables: a CSV file each.
        pictures: an SVG and a PNG file each.
        all_pictures: names that such pictures can have: files of those that are not there any more are removed.
        stem: stem of the files of the data and of both pages.

    Returns:
        What was written.

    Raises:
        RunFolderError: the disk refuses.
    """
    from evaluation.pages.html_page import html_page
    from evaluation.pages.markdown_page import markdown_page

    files = {
        f"{stem}.json": model_line(study) + b"\n",
        SUMMARY: escape_line_ends(summary.model_dump_json(indent=2).encode()) + b"\n",
        **{f"{TABLES}/{table.name}.csv": as_csv(table).encode() for table in tables},
        **{f"{FIGURES}/{picture.name}.svg": picture.svg for picture in pictures},
        **{f"{FIGURES}/{picture.name}.png": picture.png for picture in pictures},
        f"{stem}.md": markdown_page(report.title, report.lead, report.sections, warning=report.warning),
        f"{stem}.html": html_page(report.title, report.lead, report.sections, warning=report.warning),
    }
    for name, data in files.items():
        write_whole(folder / name, [data])
    for name in sorted(set(all_pictures) - {picture.name for picture in pictures}):  # of an earlier call with other cells
        (folder / FIGURES / f"{name}.svg").unlink(missing_ok=True)
        (folder / FIGURES / f"{name}.png").unlink(missing_ok=True)
    return [folder / name for name in files]


def filled(parts: Iterable[tuple[str, str, Sequence[Block]]]) -> list[Section]:
    """Sections of these anchors, headings and blocks; those without content are left out."""
    from evaluation.pages.page_parts import Section

    return [Section(ident, title, tuple(blocks)) for ident, title, blocks in parts if blocks]


def grids(tables: Mapping[str, Table], *names: str, folded: Collection[str] = ()) -> list[Block]:
    """These tables in their order, empty ones left out; long ones are folded, and those of `folded`."""
    from evaluation.pages.page_parts import Grid

    return [Grid(tables[name], is_folded=name in folded or len(tables[name].rows) > _MOST_OPEN) for name in names if tables[name].rows]


def offline_warning(study: VerifierStudy | RewriterStudy) -> str:
    """What must be read first where cells have no language model; empty if all have one."""
    offline = [cell.name for cell in study.cells if cell.model == OFFLINE]
    if not offline:
        return ""
    whose = "All figures" if len(offline) == len(study.cells) else f"The figures of {', '.join(offline)}"
    return f"{whose} are of the offline rules, not of any language model, and are not to be set beside one's."
