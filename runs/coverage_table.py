"""The coverage of a sample as lines of text: what was wanted, found, short and impossible."""

from __future__ import annotations

from collections.abc import Sequence

from state.coverage import CoverageReport


def render_coverage(report: CoverageReport) -> list[str]:
    """Two tables, cells and operators; `-` marks what cannot exist by construction."""
    lines = [
        f"{report.found} of {report.target} traces, from {report.roots_seen} of {report.roots_total} roots; "
        f"{report.doubtful} refused as doubtful",
        "",
    ]
    cells: list[tuple[str, ...]] = [("cell", "wanted", "found", "short", "proposed")]
    cells += [(f"{row.template} {row.part}", *map(str, (row.wanted, row.found, row.shortfall, row.proposed))) for row in report.cells]
    lines += [*_table(cells), ""]
    names = [f"{row.template} {row.part}" for row in report.cells]
    operators = [("operator", "wanted", "found", "short", "proposed", *names)]
    for row in report.operators:
        by_cell = [_count(row.by_cell.get(name, 0)) for name in names]
        operators.append((row.operator, *map(str, (row.wanted, row.found, row.shortfall, row.proposed)), *by_cell))
    return [*lines, *_table(operators)]


def _count(count: int | None) -> str:
    return "-" if count is None else str(count)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
