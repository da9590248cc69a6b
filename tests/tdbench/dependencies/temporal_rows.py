"""Temporal tables made in the test, and dependencies judged pair by pair."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import duckdb
from hypothesis import strategies as st

from state.interval import Granularity, parse_granule
from state.tdbench_config import Dependency
from tdbench.table import TemporalTable, quote

FOREVER = 10**9

Row = tuple[tuple[str | None, ...], int, int | None]
"""Cells, start and end."""


def make_table(
    connection: duckdb.DuckDBPyConnection,
    columns: Sequence[str],
    rows: Sequence[Row],
    places: Sequence[int] | None = None,
    granularity: Granularity = Granularity.DAY,
) -> TemporalTable:
    """The rows in the database, as a loader leaves them."""
    kinds = ", ".join(f"{quote(column)} VARCHAR" for column in columns)
    connection.execute(f'CREATE OR REPLACE TABLE "the table" ({kinds}, _row BIGINT, _start BIGINT, _end BIGINT)')
    lines = [(*cells, place, start, end) for place, (cells, start, end) in zip(places or range(len(rows)), rows, strict=True)]
    for at in range(0, len(lines), 500):  # one statement each time: a row at a time takes long
        some = lines[at : at + 500]
        marks = ", ".join(f"({', '.join('?' * (len(columns) + 3))})" for _ in some)
        connection.execute(f'INSERT INTO "the table" VALUES {marks}', [cell for line in some for cell in line])
    glossary = {column: column for column in columns}
    return TemporalTable("the table", tuple(columns), "start", "end", granularity, "ongoing", len(rows), glossary, "tests")


def read_csv(path: Path, *, inclusive: bool = False) -> tuple[list[str], list[Row], Granularity]:
    """Columns, rows and unit of a file with columns Start and End; a row without length gets one granule."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    columns = [name for name in lines[0] if name not in ("Start", "End")]
    rows: list[Row] = []
    for line in lines:
        start, end = parse_granule(line["Start"]), None
        if line["End"] not in ("", "nan"):
            end = parse_granule(line["End"])
            end = end + 1 if inclusive or end == start else end
        rows.append((tuple(line[name] or None for name in columns), start, end))
    return columns, rows, Granularity.YEAR if len(lines[0]["Start"]) == 4 else Granularity.DAY


class Judged(NamedTuple):
    """A dependency, pair by pair."""

    complete: list[int]
    agreeing: list[tuple[int, int]]
    overlapping: list[tuple[int, int]]
    broken: list[tuple[int, int]]
    together: int
    support: int


def judge(columns: Sequence[str], rows: Sequence[Row], dependency: Dependency) -> Judged:
    """Every pair of rows looked at."""
    left = [columns.index(name) for name in dependency.determinants]
    right = columns.index(dependency.dependent)
    complete = [place for place, (cells, *_) in enumerate(rows) if all(cells[column] is not None for column in (*left, right))]
    agreeing, overlapping, broken, together, changing = [], [], [], 0, set()
    for one, two in combinations(complete, 2):
        (cells, start, end), (others, begin, until) = rows[one], rows[two]
        key = tuple(cells[column] for column in left)
        if key != tuple(others[column] for column in left):
            continue
        agreeing.append((one, two))
        last, final = FOREVER if end is None else end, FOREVER if until is None else until
        differs = cells[right] != others[right]
        if start < final and begin < last:
            overlapping.append((one, two))
            if differs:
                broken.append((one, two))
                together += start == begin and 1 in (last - start, final - begin)
        elif differs:
            changing.add(key)
    return Judged(complete, agreeing, overlapping, broken, together, len(changing))


@st.composite
def small_tables(draw: st.DrawFn, width: int) -> list[Row]:
    """Few values and times, so that rows meet, overlap, begin together and repeat; some cells and ends are missing."""
    cell = st.sampled_from(["a", "b", "c", None]) if draw(st.booleans()) else st.sampled_from(["a", "b"])
    starts = st.integers(-3, 12)
    lengths = st.one_of(st.integers(1, 5), st.none())
    row = st.tuples(st.tuples(*[cell] * width), starts, lengths)
    return [(cells, start, None if length is None else start + length) for cells, start, length in draw(st.lists(row, max_size=14))]
