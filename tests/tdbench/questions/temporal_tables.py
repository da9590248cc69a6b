"""Temporal tables in DuckDB for tests, and a plain reading of what a question asks of them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import duckdb
from hypothesis import strategies as st

from state.interval import Granularity, format_granule, parse_granule, to_granule
from state.tdbench_question import AnswerRow, Question
from tdbench.table import TemporalTable, quote

Shown = tuple[str, str, "str | None"]
"""Answer, start and end of a row as a question shows it."""


class Row(NamedTuple):
    """Values of the columns, first granule, first granule past the end."""

    values: tuple[str | None, ...]
    start: int
    end: int | None


class Held(NamedTuple):
    """A table with the database that it is in."""

    connection: Any
    table: TemporalTable
    rows: tuple[Row, ...]


def hold(
    rows: Sequence[Row],
    columns: Sequence[str] = ("place", "office", "name"),
    *,
    name: str = "offices",
    unit: Granularity = Granularity.YEAR,
    open_end: Literal["ongoing", "unknown"] = "ongoing",
) -> Held:
    """A table as a store leaves it: text columns, `_row`, and whole granules, with nothing outside in reach."""
    connection = duckdb.connect(config={"enable_external_access": "false", "autoload_known_extensions": "false", "threads": 1})
    declared = ", ".join(f"{quote(column)} VARCHAR" for column in columns)
    connection.execute(f"CREATE TABLE {quote(name)} (_row BIGINT, _start BIGINT, _end BIGINT, {declared})")
    marks = ", ".join("?" * (3 + len(columns)))
    if rows:
        values = [[place, row.start, row.end, *row.values] for place, row in enumerate(rows)]
        connection.executemany(f"INSERT INTO {quote(name)} VALUES ({marks})", values)
    glossary = {column: column for column in columns}
    table = TemporalTable(name, tuple(columns), "from", "until", unit, open_end, len(rows), glossary, name)
    return Held(connection, table, tuple(rows))


def read_csv(path: Path, unit: Granularity, name: str) -> Held:
    """A file of the shared tables: empty and `nan` ends are open, an end at the start is a granule later, reversed rows go."""
    with path.open(encoding="utf-8", newline="") as lines:
        found = list(csv.DictReader(lines))
    columns = [column for column in found[0] if column not in ("Start", "End")]
    rows = []
    for row in found:
        start, end = _granule(row["Start"], unit), _granule(row["End"], unit)
        if start is None or (end is not None and end < start):
            continue
        until = None if end is None else max(end, start + 1)
        rows.append(Row(tuple(row[column] or None for column in columns), start, until))
    return hold(rows, columns, name=name, unit=unit)


def _granule(text: str, unit: Granularity) -> int | None:
    if text in ("", "nan"):
        return None
    return to_granule(unit, *map(int, text.split()[0].split("-")))


def small_rows(
    names: Sequence[str] = "ABCD", firsts: st.SearchStrategy[int] | None = None, longest: int = 6
) -> st.SearchStrategy[list[Row]]:
    """Tables of up to a dozen rows under two or three X, in which equal, touching and open intervals are frequent."""
    start = firsts if firsts is not None else st.integers(1995, 2005)
    row = st.builds(
        lambda values, start, length: Row(values, start, None if length == 0 else start + length),
        st.tuples(st.sampled_from("PQ"), st.sampled_from(["r", None] + ["r"] * 6), st.sampled_from([*names, None])),
        start,
        st.integers(0, longest),
    )
    return st.lists(row, max_size=12)


def brute_force(held: Held, question: Question) -> tuple[set[Shown], set[Shown]]:
    """Answering rows and the others with the same X, from the rows and the question's own words, one row at a time."""
    table, dependency = held.table, question.dependency
    gold, others = set(), set()
    for row in held.rows:
        values = dict(zip(table.columns, row.values, strict=True))
        text = values[dependency.dependent]
        if text is None or any(values[column] != value for column, value in question.determinants.items()):
            continue
        until = None if row.end is None else format_granule(row.end, table.granularity)
        shown = (text, format_granule(row.start, table.granularity), until)
        is_answer = all(_holds(row, one.bound, one.operator, parse_granule(one.date), table.open_end) for one in question.comparisons)
        (gold if is_answer else others).add(shown)
    return gold, others - gold


def _holds(row: Row, bound: str, sign: str, date: int, open_end: str) -> bool:
    own = row.start if bound == "start" else row.end
    if own is None:
        return open_end == "ongoing" and sign in (">", ">=")
    order = (own > date) - (own < date)
    return order in {"<": (-1,), "<=": (-1, 0), "=": (0,), ">=": (0, 1), ">": (1,)}[sign]


def as_set(rows: Sequence[AnswerRow]) -> set[Shown]:
    """Rows of a question as tuples."""
    return {(*row.values.values(), row.start, row.end) for row in rows}  # type: ignore[misc]
