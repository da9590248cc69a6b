"""Several temporal tables in one database, and joins and their questions by looking at every combination of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Literal, NamedTuple

import duckdb
from hypothesis import strategies as st

from state.interval import Granularity, format_granule
from state.tdbench_config import TdbenchConfig
from tdbench.table import TemporalTable, quote

ALWAYS = frozenset(range(-2, 120))
"""More granules than the rows of a test have; what lies past a row's start, if it has no end."""


CELLS: dict[str, list[str | None]] = {
    "event": ["I", "II", "III", "IV", "V", None],
    "country": ["P", "P", "P", "P", "Q", None],
    "role": ["chair", "chair", "chair", "judge", None],
    "name": ["Ana", "Bo", "Cy", "Di", None],
}
OTHERS: list[str | None] = ["a", "b", None]
"""Values of a random table's columns: few, so that rows agree on what tables share and differ on the rest."""


class Row(NamedTuple):
    """Values of the columns, first granule, first granule past the end."""

    values: tuple[str | None, ...]
    start: int
    end: int | None


class Source(NamedTuple):
    """A table before it is in a database."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    unit: Granularity = Granularity.DAY
    open_end: Literal["ongoing", "unknown"] = "ongoing"
    ends: Literal["exclusive", "inclusive"] = "exclusive"


class Database(NamedTuple):
    """Tables in one database."""

    connection: Any
    tables: dict[str, TemporalTable]


def hold(*sources: Source) -> Database:
    """The tables as a store leaves them."""
    connection = duckdb.connect(config={"enable_external_access": "false", "threads": 1})
    tables = {}
    for source in sources:
        kinds = ", ".join(f"{quote(column)} VARCHAR" for column in source.columns)
        connection.execute(f"CREATE TABLE {quote(source.name)} (_row BIGINT, _start BIGINT, _end BIGINT, {kinds})")
        if source.rows:
            marks = ", ".join(f"({', '.join('?' * (3 + len(source.columns)))})" for _ in source.rows)
            values = [cell for place, row in enumerate(source.rows) for cell in (place, row.start, row.end, *row.values)]
            connection.execute(f"INSERT INTO {quote(source.name)} VALUES {marks}", values)
        glossary = {column: column for column in source.columns}
        tables[source.name] = TemporalTable(
            source.name, source.columns, "from", "until", source.unit, source.open_end, len(source.rows), glossary, "d", source.ends
        )
    return Database(connection, tables)


def sources(
    name: str, columns: tuple[str, ...], unit: Granularity = Granularity.DAY, *, least: int = 0, most: int = 8
) -> st.SearchStrategy[Source]:
    """Tables of few values and times, so that rows agree, meet and overlap; some cells and ends are missing."""
    row = st.builds(
        lambda values, start, length: Row(values, start, None if length == 0 else start + length),
        st.tuples(*(st.sampled_from(CELLS.get(column, OTHERS)) for column in columns)),
        st.integers(0, 8),
        st.integers(0, 6),
    )
    meanings: Any = st.sampled_from(["ongoing", "unknown"])
    how: Any = st.sampled_from(["exclusive", "inclusive"])
    return st.builds(Source, st.just(name), st.just(columns), st.lists(row, min_size=least, max_size=most), st.just(unit), meanings, how)


def certain(source: Source, row: Row) -> frozenset[int]:
    """The granules in which a row holds for certain."""
    if row.end is not None:
        return frozenset(range(row.start, row.end))
    return frozenset(range(row.start, max(ALWAYS) + 1)) if source.open_end == "ongoing" else frozenset([row.start])


Combination = tuple[tuple[int, ...], dict[str, "str | None"], int, "int | None"]
"""Places of the rows, values by column, first granule and first one past the end."""


def brute_join(tables: Sequence[Source]) -> Iterator[Combination]:
    """The natural join: every combination of rows looked at, and every granule."""
    for places in product(*(range(len(table.rows)) for table in tables)):
        rows = [table.rows[place] for table, place in zip(tables, places, strict=True)]
        values = agreement(tables, rows)
        common = frozenset.intersection(*(certain(table, row) for table, row in zip(tables, rows, strict=True)))
        if values is not None and common:
            yield places, values, min(common), None if all(row.end is None for row in rows) else max(common) + 1


def agreement(tables: Sequence[Source], rows: Sequence[Row]) -> dict[str, str | None] | None:
    """The values of rows by column; `None` if two differ on a column, or lack a value that they should agree on."""
    values: dict[str, str | None] = {}
    for table, row in zip(tables, rows, strict=True):
        for column, value in zip(table.columns, row.values, strict=True):
            if column in values and (value is None or values[column] != value):
                return None
            values[column] = value
    return values


def config_of(names: Mapping[str, TemporalTable], **join: Any) -> TdbenchConfig:
    """A config with one join of all tables, `joined`."""
    return TdbenchConfig.model_validate({"joins": {"joined": {"tables": tuple(names), **join}}})


def iso(granule: int, unit: Granularity) -> str:
    """A granule as a question shows it."""
    return format_granule(granule, unit)
