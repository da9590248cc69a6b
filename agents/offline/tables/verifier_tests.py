"""What a question can demand of a row's time, and which rows keep it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from state.interval import Granularity, civil_from_days, parse_iso, to_granule
from state.table_instance import ShownRow, ShownTable

NEVER = 10**12
"""A granule past every date: only a row that is ongoing outlives it."""


class Time(Enum):
    """What of a row is looked at."""

    START = "start"
    END = "end"
    """As its column says it."""
    PAST = "past"
    """The first granule in which the row holds no more."""


class Demand(NamedTuple):
    """A time of the row lies from `low` to `high`, both included; `None`: no limit."""

    time: Time
    low: int | None
    high: int | None
    takes_open: bool = False
    """Whether a row that is ongoing fits as well."""


Reading = tuple[Demand, ...]
"""All that a question, read in one way, demands of a row's time."""


class Times(NamedTuple):
    """A row's times in granules."""

    start: int
    end: int | None
    past: int | None
    is_ongoing: bool


def overlapping(first: int, last: int) -> Reading:
    """The row holds in one of these granules at least."""
    return Demand(Time.START, None, last), Demand(Time.PAST, first + 1, None, True)


def covering(first: int, last: int) -> Reading:
    """The row holds in all of these granules."""
    return Demand(Time.START, None, first), Demand(Time.PAST, last + 1, None, True)


def times_of(row: ShownRow, table: ShownTable, unit: Granularity) -> Times | None:
    """A row's times, `None` where they are no dates of the unit."""
    start = granule(row.start, unit)
    end = None if row.end is None else granule(row.end, unit)
    if start is None or (end is None and row.end is not None):
        return None
    past = None if end is None else end + 1 if table.ends == "inclusive" else max(end, start + 1)
    return Times(start, end, past, row.end is None and table.open_end == "ongoing")


def granule(iso: str, unit: Granularity) -> int | None:
    """The granule of the unit that holds an ISO date, `None` if it is no date or a coarser one."""
    try:
        value, own = parse_iso(iso)
    except ValueError:
        return None
    if own is unit:
        return value
    if own is Granularity.DAY:
        year, month, _ = civil_from_days(value)
        return to_granule(unit, year, month)
    return 1970 + value // 12 if own is Granularity.MONTH and unit is Granularity.YEAR else None


def keeps(times: Times, demands: Iterable[Demand]) -> bool:
    """Whether a row is as demanded."""
    return all(_keeps(times, one) for one in demands)


def _keeps(times: Times, demand: Demand) -> bool:
    value = {Time.START: times.start, Time.END: times.end, Time.PAST: times.past}[demand.time]
    if value is None:
        return demand.takes_open and times.is_ongoing
    return (demand.low is None or value >= demand.low) and (demand.high is None or value <= demand.high)
