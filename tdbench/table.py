"""A temporal table as it stands in DuckDB, where all SQL runs.

Beside its own columns, all text, a table has three of ours: `_row` (place in its source, from 0), `_start` and
`_end`, whole granules of its unit, half-open: a row holds from `_start` up to but not in `_end`. `_end` is NULL
where the source has none. A row without length is one granule long. What a missing end means is the config's word.
A table made by a join has also `_row_1`, `_row_2`, ...: the `_row` of each part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from state.interval import Granularity, format_granule

ROW, START, END = "_row", "_start", "_end"
"""The columns that every table has beside its own."""


def aside(name: str) -> str:
    """The database's name for the rows of a table that were dropped in reading, exact duplicates apart: its own columns only."""
    return f"_aside_{name}"


@dataclass(frozen=True)
class TemporalTable:
    """What is known of a table; its rows are in the database."""

    name: str
    """Its name in the database."""
    columns: tuple[str, ...]
    """Its own columns, in the source's order, without the two of time; all VARCHAR, NULL where the source has nothing."""
    start_column: str
    """What the source calls the start."""
    end_column: str
    """What the source calls the end."""
    granularity: Granularity
    open_end: Literal["ongoing", "unknown"]
    rows: int
    """Rows that are left after cleaning."""
    glossary: dict[str, str]
    """Column -> what a question calls it; every column has an entry."""
    domain: str
    ends: Literal["exclusive", "inclusive"] = "exclusive"
    """Whether a row holds still in the granule of its end as the source gives it; in the database it does not."""


def shown_end(table: TemporalTable, end: int | None) -> str | None:
    """A row's `_end` as ISO text, as the source says it: for inclusive ends the last granule in which the row holds.

    A row without length, which was made one granule long, reads as one of that length.
    """
    return None if end is None else format_granule(end - _past(table), table.granularity)


def shown_bound(table: TemporalTable, bound: Literal["start", "end"], granule: int) -> str:
    """The date that the source's own column compares with as `_start` or `_end` does with a granule."""
    return format_granule(granule - (_past(table) if bound == "end" else 0), table.granularity)


def _past(table: TemporalTable) -> int:
    """Granules by which `_end` lies past the source's end."""
    return int(table.ends == "inclusive")


def quote(identifier: str) -> str:
    """An identifier as SQL takes it: the only way in which a name of a table or column comes into a statement.

    >>> print(quote('a"b'))
    "a""b"

    Raises:
        ValueError: it holds a NUL, which no SQL can.
    """
    if "\0" in identifier:
        raise ValueError("an identifier holds no NUL")
    doubled = identifier.replace('"', '""')
    return f'"{doubled}"'
