"""Times as places on a line from 0 to 1, with the marks that a reader finds his way by.

All calendar arithmetic is done here, so that whoever draws needs to know nothing of granules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from state.interval import Granularity, civil_from_days, days_from_civil, format_granule, format_year, parse_iso, to_granule

MOST_MARKS = 7
"""Marks on an axis."""
_DAYS = (1, 2, 5, 10)
"""Steps from day to day, in days."""
_MONTHS = (1, 3, 6)
"""Steps from month to month, in months."""
_ENOUGH = 4 * MOST_MARKS
"""So many steps are too many marks in any case."""


class Mark(NamedTuple):
    """A mark on the axis."""

    place: float
    """Where, from 0 to 1."""
    text: str
    """The time, as it is read."""


class TimeAxis:
    """A line that holds some closed spans with room on both sides."""

    def __init__(self, spans: Sequence[tuple[str, str]]) -> None:
        """Takes the spans.

        Args:
            spans: first and last granule of each, ISO text of one granularity; at least one.
        """
        starts, ends = ([parse_iso(text)[0] for text in column] for column in zip(*spans, strict=True))
        self._granularity = parse_iso(spans[0][0])[1]
        low, high = min(starts), max(ends) + 1
        room = max(1, round(0.04 * (high - low)))
        self._low, self._high = low - room, high + room

    @property
    def unit(self) -> str:
        """The granularity of the spans, in which bars are drawn whole."""
        return self._granularity.value

    def place(self, granule: float) -> float:
        """Where a granule begins."""
        return round((granule - self._low) / (self._high - self._low), 5)

    def span(self, start: str, end: str) -> tuple[float, float]:
        """Where a closed span begins and ends; the last granule is within it."""
        return self.place(parse_iso(start)[0]), self.place(parse_iso(end)[0] + 1)

    def marks(self) -> tuple[Mark, ...]:
        """Marks from left to right, each where the time that it names begins; at most `MOST_MARKS`."""
        for granules in self._candidates():
            if len(granules) <= MOST_MARKS:
                return tuple(Mark(self.place(granule), self._text(granule, granules)) for granule in granules)
        raise AssertionError("years far enough apart are few")

    def _candidates(self) -> Iterator[list[int]]:
        """Rows of granules for marks, the densest first."""
        if self._granularity is Granularity.DAY:
            for step in _DAYS:
                if self._high - self._low <= step * _ENOUGH:
                    dates = ((day, civil_from_days(day)[2]) for day in range(self._low, self._high))
                    yield [day for day, of_month in dates if (of_month - 1) % step == 0 and (step == 1 or of_month < 31)]
        if self._granularity is not Granularity.YEAR:
            for step in _MONTHS:
                if self._year(self._high) - self._year(self._low) <= step * _ENOUGH / 12:
                    yield [granule for granule in self._months() if _month(granule, self._granularity)[1] % step == 1 % step]
        first, last = self._year(self._low), self._year(self._high)
        scale = 1
        while True:
            for factor in (1, 2, 5):
                starts = (to_granule(self._granularity, year) for year in _round_years(first, last, factor * scale))
                yield [granule for granule in starts if self._low <= granule < self._high]
            scale *= 10

    def _months(self) -> Iterator[int]:
        """Where months begin on the axis."""
        if self._granularity is Granularity.MONTH:
            yield from range(self._low, self._high)
            return
        year, month, _ = civil_from_days(self._low)
        while (day := days_from_civil(year, month, 1)) < self._high:
            if day >= self._low:
                yield day
            year, month = (year + 1, 1) if month == 12 else (year, month + 1)

    def _year(self, granule: int) -> int:
        return _month(granule, self._granularity)[0]

    def _text(self, granule: int, row: Sequence[int]) -> str:
        """As few parts of the date as tell the marks of a row apart."""
        dates = [_date(one, self._granularity) for one in row]
        year, month, day = _date(granule, self._granularity)
        if self._granularity is Granularity.DAY and any(date[2] != 1 for date in dates):
            return reading(f"{format_year(year)}-{month:02d}-{day:02d}")
        if self._granularity is not Granularity.YEAR and any(date[1] != 1 for date in dates):
            return reading(f"{format_year(year)}-{month:02d}")
        return reading(format_year(year))


def reading(iso: str) -> str:
    """ISO text as a person reads it: years without leading zeros, and those before the year 1 as `BC`.

    >>> reading("0476"), reading("-0043"), reading("1996-05-01"), reading("-0043-03")
    ('476', '44 BC', '1996-05-01', '44 BC-03')
    """
    granule, granularity = parse_iso(iso)
    year = _month(granule, granularity)[0]
    rest = format_granule(granule, granularity).removeprefix(format_year(year))
    return f"{1 - year} BC{rest}" if year < 1 else f"{year}{rest}"


@lru_cache(maxsize=1 << 15)  # a file of records names the same spans again and again
def span_reading(start: str, end: str) -> str:
    """A closed span as a person reads it, a single granule as itself.

    >>> span_reading("1996", "2003"), span_reading("1996", "1996")
    ('1996 to 2003', '1996')
    """
    return reading(start) if start == end else f"{reading(start)} to {reading(end)}"


def _round_years(first: int, last: int, step: int) -> list[int]:
    """Years from the first to the last whose number, as it is read, is a multiple of the step."""
    before = [1 - number for number in range(step * -(-max(1, 1 - last) // step), 2 - first, step)]
    return [*before[::-1], *range(step * -(-max(1, first) // step), last + 1, step)]


def _month(granule: int, granularity: Granularity) -> tuple[int, int]:
    return _date(granule, granularity)[:2]


def _date(granule: int, granularity: Granularity) -> tuple[int, int, int]:
    """Year, month and day on which a granule begins."""
    if granularity is Granularity.YEAR:
        return granule, 1, 1
    if granularity is Granularity.MONTH:
        return 1970 + granule // 12, granule % 12 + 1, 1
    return civil_from_days(granule)
