"""When rows of several tables hold at one time, as SQL: for certain, possibly, and as their intervals say.

A day is taken as exact. Within a month or year in which a row begins or ends, it holds for a part that nobody knows.
So of rows in months and years a span tells three things: `touched`, the granules in which the row holds at all;
`throughout`, those in which it does so from the first day to the last; and `possible`, those in which it may.
A missing end that means `unknown` leaves a row certain of its first granule alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from state.interval import Granularity
from tdbench.table import END, START, TemporalTable

_FOREVER = "9223372036854775807"


class Span(NamedTuple):
    """A half-open span of granules as two SQL expressions; an end that is NULL is later than every time."""

    start: str
    end: str


def touched(table: TemporalTable, alias: str) -> Span:
    """The granules in which a row holds for certain, be it for a part: its interval, if its end is known or ongoing."""
    start, end = f"{alias}.{START}", f"{alias}.{END}"
    return Span(start, end if table.open_end == "ongoing" else f"coalesce({end}, {start} + 1)")


def throughout(table: TemporalTable, alias: str) -> Span:
    """The granules that a row fills for certain; past its end where there is none."""
    if table.granularity is Granularity.DAY:
        return touched(table, alias)
    start, end = f"{alias}.{START} + 1", f"{alias}.{END}"
    if table.ends == "inclusive":
        end = f"{end} - 1"
    return Span(start, end if table.open_end == "ongoing" else f"coalesce({end}, {start})")


def possible(table: TemporalTable, alias: str) -> Span:
    """The granules in which a row may hold."""
    is_shared = table.granularity is not Granularity.DAY and table.ends == "exclusive"  # the granule of the end, in part
    return Span(f"{alias}.{START}", f"{alias}.{END}" + (" + 1" if is_shared else ""))


def share_time(spans: Sequence[Span]) -> str:
    """Whether all spans have a granule in common."""
    starts, ends = ", ".join(span.start for span in spans), ", ".join(span.end for span in spans)
    return f"greatest({starts}) < coalesce(least({ends}), {_FOREVER})"  # least() takes no notice of NULL


def share_time_for_certain(tables: Sequence[TemporalTable], aliases: Sequence[str]) -> str:
    """Whether rows hold at one time whatever is not known of them: one touches a granule that all others fill."""
    pairs = list(zip(tables, aliases, strict=True))
    tests = [
        share_time([(touched if place == one else throughout)(*pair) for place, pair in enumerate(pairs)]) for one in range(len(pairs))
    ]
    return f"({' OR '.join(dict.fromkeys(tests))})"
