"""The rows that the verifier of tables is shown, with their values and times ready to compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agents.offline.tables.verifier_tests import Times, times_of
from agents.offline.tables.verifier_text import Unread, column_key, value_key
from state.interval import Granularity
from state.table_instance import ShownTable


class Record(NamedTuple):
    """A row, or two that hold at a time."""

    values: dict[str, str]
    """Column in normal form -> value."""
    keys: dict[str, str]
    """Column in normal form -> value in normal form."""
    times: Times


def records(table: ShownTable, unit: Granularity) -> list[Record]:
    """The rows of a table.

    Raises:
        Unread: a row's times are no dates of the unit, or two columns have one name.
    """
    columns = [column_key(column) for column in table.columns]
    if len(set(columns)) != len(columns):
        raise Unread("two columns have one name")
    found = []
    for row in table.rows:
        times = times_of(row, table, unit)
        if times is None:
            raise Unread("a row has no dates of the table's unit")
        values = dict(zip(columns, row.values, strict=True))
        found.append(Record(values, {column: value_key(value) for column, value in values.items()}, times))
    return found


def joined(tables: Sequence[ShownTable], unit: Granularity) -> list[Record]:
    """Rows of all tables that agree on the columns of one name and share time, as one row each.

    Raises:
        Unread: two tables have no column in common, or a row's times are no dates.
    """
    kept = records(tables[0], unit)
    for table in tables[1:]:
        others = records(table, unit)
        shared = {column_key(column) for column in table.columns} & {key for one in kept for key in one.values}
        if kept and others and not shared:
            raise Unread("the tables have no column in common")
        kept = [
            Record({**one.values, **other.values}, {**one.keys, **other.keys}, _both(one.times, other.times))
            for one in kept
            for other in others
            if all(one.values[column] and one.keys[column] == other.keys[column] for column in shared) and _share(one.times, other.times)
        ]
    return kept


def _share(one: Times, other: Times) -> bool:
    """Whether two rows hold in one granule; of an unknown end only the start is sure."""
    return one.start < _until(other) and other.start < _until(one)


def _until(times: Times) -> float:
    if times.past is not None:
        return times.past
    return float("inf") if times.is_ongoing else times.start + 1


def _both(one: Times, other: Times) -> Times:
    """The time that two rows share."""
    past = min(_until(one), _until(other))
    end = None if past == float("inf") else int(past)
    return Times(max(one.start, other.start), end, end, end is None)
