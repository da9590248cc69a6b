"""The published tables, where they lie beside the checkout: what is guessed about them and what cleaning leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from state.tdbench_config import TableConfig
from tdbench.tables.report import RowDrop
from tdbench.tables.store import open_tables

TABLES = {
    # rows, copies, without an end, unit
    "dyknow/dyknow_leaders": (448, 1, 78, "day"),
    "dyknow/dyknow_organizations": (121, 0, 22, "day"),
    "dyknow/dyknow_sports": (125, 0, 25, "year"),  # whole years, written as 1 January but for a few
    "legal/legal": (121, 0, 121, "year"),
    "culture/culture": (537, 0, 469, "year"),
    "movie/movie": (335, 0, 335, "day"),
    "olympic/olympic": (53, 0, 0, "day"),
    "olympic/olympic_dyknow_leaders": (66, 0, 0, "day"),
}


@pytest.mark.parametrize("name", TABLES)
def test_published_tables_lose_nothing_but_copies(shared_data: Path, name: str) -> None:
    rows, copies, open_ends, unit = TABLES[name]
    path = shared_data / "tdbench" / "dataset" / "crafted" / f"{name}.csv"
    with open_tables({"published": TableConfig(path=str(path))}, {}) as database:
        table, report = database.tables["published"], database.reports["published"]
    assert (report.rows, report.kept, report.dropped[RowDrop.DUPLICATE]) == (rows, rows - copies, copies)
    assert (report.open_ends, str(table.granularity)) == (open_ends, unit)
    assert (table.start_column, table.end_column) == ("Start", "End")
