"""The comparisons of a query drawn together: for each bound of a row the earliest and latest date that it may have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agents.offline.tables.sql_reader import Comparison
from state.interval import Granularity, civil_from_days, days_from_civil, parse_iso


class Edge(NamedTuple):
    """One side of a window."""

    date: str
    """ISO."""
    is_within: bool
    """Whether the bound may lie in this granule itself."""


class Window(NamedTuple):
    """Where a bound of a row must lie; a side of `None` is open."""

    low: Edge | None
    high: Edge | None

    @property
    def is_one_granule(self) -> bool:
        """Whether both sides are the same granule."""
        return self.low is not None and self.low == self.high and self.low.is_within


def window(comparisons: Iterable[Comparison]) -> Window | None:
    """The comparisons of one bound as a window, the tighter of two on one side; `None` without any."""
    lows, highs = [], []
    for one in comparisons:
        if one.sign in (">", ">=", "="):
            lows.append(Edge(one.date, one.sign != ">"))
        if one.sign in ("<", "<=", "="):
            highs.append(Edge(one.date, one.sign != "<"))
    if not lows and not highs:
        return None
    low = max(lows, key=lambda edge: (parse_iso(edge.date)[0], not edge.is_within), default=None)
    high = min(highs, key=lambda edge: (parse_iso(edge.date)[0], edge.is_within), default=None)
    return Window(low, high)


def whole_granule(span: Window) -> str | None:
    """The month or year, in ISO form, of which a window is every day or month, else `None`."""
    if span.low is None or span.high is None or not (span.low.is_within and span.high.is_within):
        return None
    (first, unit), (last, other) = parse_iso(span.low.date), parse_iso(span.high.date)
    if unit is not other or unit is Granularity.YEAR:
        return None
    if unit is Granularity.MONTH:
        return span.low.date[:-3] if first % 12 == 0 and last == first + 11 else None
    year, month, day = civil_from_days(first)
    if day != 1:
        return None
    if last == days_from_civil(year + month // 12, month % 12 + 1, 1) - 1:
        return span.low.date[:-3]
    return span.low.date[:-6] if month == 1 and last == days_from_civil(year, 12, 31) else None
