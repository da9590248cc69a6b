"""The queries of published questions, run anew in a DuckDB database that holds their tables and sees nothing else.

What runs is put together here from a query that was read: columns are called `c0`, `c1`, ..., and every value is bound.
An open end lies past every date, as the published program stores it, and is what `IS NULL` finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from evaluation.audit.tdbench.sql_reader import Column, Comparison, IsNull, Moved, Operand, Select, SqlRefused, Text
from evaluation.audit.tdbench.tables import FAR, TIMES, PublishedTable
from state.interval import civil_from_days, days_from_civil
from tdbench.tables.dates import DateKind, read_date

_MOST_YEARS = 1_000_000
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "temp_directory": "",
    "threads": 1,
}


class Ran(NamedTuple):
    """What a query gave."""

    rows: tuple[int, ...]
    """Places in the table, in the query's order."""
    is_tied: bool
    """Whether its limit cuts between rows of one rank."""


class Meaning(NamedTuple):
    """A query in the words of its table."""

    table: PublishedTable
    select: Select
    columns: tuple[str, ...]
    """The chosen columns, in lower case."""
    asked: str
    """The first of them that is no time."""
    given: tuple[Comparison | IsNull, ...]
    """Conditions on columns that are no times."""
    temporal: tuple[Comparison | IsNull, ...]
    """The others."""

    @property
    def has_condition(self) -> bool:
        """Whether it asks anything of time."""
        return bool(self.temporal) or self.select.limit is not None

    @property
    def bounds(self) -> frozenset[str]:
        """Which bounds of a row its condition looks at."""
        found = (self.table.known[column.name.lower()] for column in _columns_of(self.temporal))
        return frozenset(str(bound) for bound in found)


class PublishedTables:
    """All tables of one audit; leaving its `with` block closes the database."""

    def __init__(self, tables: Sequence[PublishedTable], as_of: int | None = None, notes: Sequence[str] = ()) -> None:
        self.tables = tuple(tables)
        self.as_of = as_of
        """The day past which a date lies in the future; `None`: the last date in each table."""
        self.notes = tuple(notes)
        self._connection = duckdb.connect(":memory:", config=_SETTINGS)
        for table in tables:
            own = {f"c{place}": pa.array([row[place] for row in table.cells], pa.string()) for place in range(len(table.columns))}
            times = {"s": pa.array(table.start, pa.int64()), "e": pa.array(table.end, pa.int64())}
            self._connection.register("source", pa.table({"place": pa.array(range(len(table.cells)), pa.int64()), **times, **own}))
            self._connection.execute(f"CREATE TABLE t{table.place} AS SELECT * FROM source")
            self._connection.unregister("source")
        self._connection.execute("SET lock_configuration = true")

    def __enter__(self) -> PublishedTables:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def meaning(self, select: Select) -> Meaning:
        """What a query asks of which table.

        Raises:
            SqlRefused: the table or a column is not known, or values are compared that cannot be.
        """
        called = [table for table in self.tables if select.table.lower() in table.names]
        if not called:
            known = ", ".join(sorted({name for table in self.tables for name in table.names}))
            raise SqlRefused(f"no table {select.table!r}; known: {known}")
        wanted = {column.name.lower() for column in (*select.columns, *_columns_of(select.conditions))}
        wanted |= {select.order.name.lower()} if select.order is not None else set()
        fitting = [table for table in called if wanted <= table.known.keys()]
        if not fitting:
            unknown = min(sorted(wanted - table.known.keys()) for table in called)
            raise SqlRefused(f"{select.table} has no column {', '.join(map(repr, unknown))}")
        exact = [table for table in fitting if table.name.lower() == select.table.lower()] or fitting
        if len(exact) > 1:
            raise SqlRefused(f"several tables have its columns: {', '.join(table.name for table in exact)}")
        (table,) = exact
        select = select._replace(conditions=tuple(_of_table(table, each) for each in select.conditions))
        columns = tuple(column.name.lower() for column in select.columns) or tuple(table.known)
        asked = next((column for column in columns if table.known[column] not in TIMES), None)
        if asked is None:
            raise SqlRefused("it asks for times only")
        is_temporal = [any(table.known[column.name.lower()] in TIMES for column in _columns_of([each])) for each in select.conditions]
        split = {
            flag: tuple(each for each, is_ in zip(select.conditions, is_temporal, strict=True) if is_ is flag) for flag in (False, True)
        }
        meaning = Meaning(table, select, columns, asked, split[False], split[True])
        self._compiled(meaning, select.conditions)
        return meaning

    def run(self, meaning: Meaning) -> Ran:
        """The rows of a query."""
        table, select = meaning.table, meaning.select
        keys: list[str] = []
        if select.order is not None:
            column = table.known[select.order.name.lower()]
            keys = [_bound_sql(table, str(column))] if column in TIMES else [f"TRY_CAST(c{column} AS DOUBLE)", f"c{column}"]
        direction = "DESC NULLS LAST" if select.descends else "ASC NULLS FIRST"
        order = ", ".join([*(f"{key} {direction}" for key in keys), "place"])
        condition, values = self._compiled(meaning, select.conditions)
        shown = ", ".join(["place", *keys])
        found = self._connection.execute(f"SELECT {shown} FROM t{table.place} WHERE {condition} ORDER BY {order}", values).fetchall()
        cut = len(found) if select.limit is None else select.limit
        is_tied = 0 < cut < len(found) and found[cut - 1][1:] == found[cut][1:]
        return Ran(tuple(row[0] for row in found[:cut]), is_tied)

    def agreeing(self, meaning: Meaning) -> tuple[int, ...]:
        """The rows that agree with what is given, whatever the time."""
        condition, values = self._compiled(meaning, meaning.given)
        found = self._connection.execute(f"SELECT place FROM t{meaning.table.place} WHERE {condition} ORDER BY place", values).fetchall()
        return tuple(place for (place,) in found)

    def _compiled(self, meaning: Meaning, conditions: Sequence[Comparison | IsNull]) -> tuple[str, list[Any]]:
        """A condition of ours, and its values."""
        parts, values = ["true"], []
        for condition in conditions:
            text, bound = _condition_sql(meaning.table, condition)
            parts.append(text)
            values += bound
        return " AND ".join(parts), values


def dates_of(meaning: Meaning) -> list[int]:
    """The days that a query's condition compares with."""
    sides = (side for each in meaning.temporal if isinstance(each, Comparison) for side in (each.left, each.right))
    return [day_of(side) for side in sides if not isinstance(side.of if isinstance(side, Moved) else side, Column)]


def day_of(side: Operand) -> int:
    """The day of a date, moved as SQLite moves it: a day past its month's last runs into the next.

    Raises:
        SqlRefused: it is no date.
    """
    text = side.of if isinstance(side, Moved) else side
    assert isinstance(text, Text)
    date = read_date(text.value.strip())
    if date.kind is not DateKind.DATE or abs(date.year) > _MOST_YEARS:
        raise SqlRefused(f"a time is compared with {text.value[:30]!r}")
    day = date.first_day
    if not isinstance(side, Moved) or not side.number:
        return day
    if side.unit == "day":
        return day + side.number
    year, month, of_month = civil_from_days(day)
    months = year * 12 + month - 1 + side.number * (12 if side.unit == "year" else 1)
    return days_from_civil(months // 12, months % 12 + 1, 1) + of_month - 1


def _of_table(table: PublishedTable, condition: Comparison | IsNull) -> Comparison | IsNull:
    """A condition in which each text in double quotes that names a column of the table is that column, as SQLite reads it."""
    if isinstance(condition, IsNull):
        return condition
    return Comparison(_side_of_table(table, condition.left), condition.sign, _side_of_table(table, condition.right))


def _side_of_table(table: PublishedTable, side: Operand) -> Operand:
    if isinstance(side, Moved):
        return side._replace(of=_plain_of_table(table, side.of))
    return _plain_of_table(table, side)


def _plain_of_table(table: PublishedTable, side: Column | Text) -> Column | Text:
    if isinstance(side, Column):
        return side
    return Column(side.value) if side.may_be_column and side.value.lower() in table.known else Text(side.value)


def _columns_of(conditions: Sequence[Comparison | IsNull]) -> list[Column]:
    sides: list[Operand] = []
    for condition in conditions:
        sides += [condition.column] if isinstance(condition, IsNull) else [condition.left, condition.right]
    bare = [side.of if isinstance(side, Moved) else side for side in sides]
    return [side for side in bare if isinstance(side, Column)]


def _bound_sql(table: PublishedTable, bound: str) -> str:
    if bound == "start":
        return "s"
    return f"coalesce(e, {FAR})" if table.is_open_past_all else "e"


def _condition_sql(table: PublishedTable, condition: Comparison | IsNull) -> tuple[str, list[Any]]:
    if isinstance(condition, IsNull):
        column = table.known[condition.column.name.lower()]
        name = {"start": "s", "end": "e"}.get(str(column), f"c{column}")
        return f"{name} IS {'NOT ' if condition.is_negated else ''}NULL", []
    sides = (condition.left, condition.right)
    if any(table.known[column.name.lower()] in TIMES for column in _columns_of([condition])):
        written = [_time_sql(table, side) for side in sides]
    else:
        if condition.sign not in ("=", "<>"):
            what = (
                f"texts are compared by {condition.sign}" if _columns_of([condition]) else f"no column on either side of {condition.sign}"
            )
            raise SqlRefused(f"{what}; {table.start_column} and {table.end_column} are compared with dates")
        written = [_text_sql(table, side) for side in sides]
    (left, left_values), (right, right_values) = written
    return f"{left} {condition.sign} {right}", left_values + right_values


def _time_sql(table: PublishedTable, side: Operand) -> tuple[str, list[Any]]:
    bare = side.of if isinstance(side, Moved) else side
    if not isinstance(bare, Column):
        return "?", [day_of(side)]
    bound = table.known[bare.name.lower()]
    if bound not in TIMES:
        raise SqlRefused(f"a time is compared with the column {bare.name}")
    if isinstance(side, Moved) and side.number:
        raise SqlRefused("a column of time is moved")
    return _bound_sql(table, str(bound)), []


def _text_sql(table: PublishedTable, side: Operand) -> tuple[str, list[Any]]:
    if isinstance(side, Column):
        return f"c{table.known[side.name.lower()]}", []
    if isinstance(side, Moved):
        raise SqlRefused("a text is compared with a date")
    return "?", [side.value.strip()]
