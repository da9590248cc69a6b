"""Texts of the two time columns -> dates, each with its own precision. Paper: TDBench, section 3."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from state.interval import Granularity, civil_from_days, days_from_civil, is_date, is_leap, parse_iso, to_granule

NO_VALUE = ("", "NULL", "null", "None", "nan", "NaN", "NaT")
"""Texts that mean that the source has nothing, in a column of time or any other."""
_CLOCK = re.compile(r"[T ]\d\d:\d\d.*\Z", re.ASCII | re.DOTALL)
_WHOLE_FLOAT = re.compile(r"(\d{4})\.0\Z", re.ASCII)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)\Z", re.ASCII)
_UNSIGNED_LONG = re.compile(r"\d{5,}", re.ASCII)
_MONTH_END = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

COARSENESS = {Granularity.DAY: 0, Granularity.MONTH: 1, Granularity.YEAR: 2}
"""The units, the finest first."""


class DateKind(StrEnum):
    """What a text of a time column says."""

    DATE = "date"
    NONE = "none"
    """The source has nothing."""
    OPEN = "open"
    """One of the config's texts for a missing end."""
    BAD = "bad"
    """No date, or one that the calendar lacks."""


class TableDate(NamedTuple):
    """A text read; year, month and day are those of the first day that it may mean."""

    kind: DateKind
    precision: Granularity = Granularity.DAY
    year: int = 0
    month: int = 1
    day: int = 1

    @property
    def first_day(self) -> int:
        """Days from 1970-01-01 to the first day that the text may mean."""
        return days_from_civil(self.year, self.month, self.day)

    @property
    def last_day(self) -> int:
        """Days from 1970-01-01 to the last day that the text may mean."""
        if self.precision is Granularity.DAY:
            return self.first_day
        month = 12 if self.precision is Granularity.YEAR else self.month
        return days_from_civil(self.year, month, _MONTH_END[month - 1] + (month == 2 and is_leap(self.year)))

    def granule(self, granularity: Granularity) -> int | None:
        """The granule that holds the date; `None` if the text is coarser than the granularity."""
        if COARSENESS[self.precision] > COARSENESS[granularity]:
            return None
        return to_granule(granularity, self.year, self.month, self.day)


def read_date(text: str, open_dates: Collection[str] = ()) -> TableDate:
    """What the text of a time column says; a time of day is cut off.

    Read are ISO years, months and days, years as floats (`1996.0`) and days without strokes (`19960501`).

    Args:
        text: the cell, trimmed.
        open_dates: texts, in lower case, that mean a missing end.

    >>> read_date("1996-05-01 00:00:00").granule(Granularity.MONTH) == read_date("1996-05").granule(Granularity.MONTH)
    True
    """
    if text in NO_VALUE:
        return TableDate(DateKind.NONE)
    bare = _CLOCK.sub("", text)
    if text.lower() in open_dates or bare.lower() in open_dates:
        return TableDate(DateKind.OPEN)
    if match := _COMPACT.match(bare):
        year, month, day = map(int, match.groups())
        return TableDate(DateKind.DATE, Granularity.DAY, year, month, day) if is_date(year, month, day) else TableDate(DateKind.BAD)
    if match := _WHOLE_FLOAT.match(bare):
        bare = match[1]
    if _UNSIGNED_LONG.match(bare):  # five digits and more are a number; ISO writes such a year with its sign
        return TableDate(DateKind.BAD)
    try:
        granule, precision = parse_iso(bare)
    except ValueError:
        return TableDate(DateKind.BAD)
    date = partial(TableDate, DateKind.DATE, precision)
    if precision is Granularity.YEAR:
        return date(granule)
    if precision is Granularity.MONTH:
        return date(1970 + granule // 12, granule % 12 + 1)
    return date(*civil_from_days(granule))
