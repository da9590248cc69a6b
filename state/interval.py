"""Times as integers in one granularity, and the closed interval in which a fact holds.

A year is its astronomical number (1 BC is 0); a month or a day counts from 1970-01(-01) in the
proleptic Gregorian calendar. `datetime` cannot hold years before 1 or after 9999, so the calendar
arithmetic is done here. Paper: section 3.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

_ISO = re.compile(r"([+-]?)(\d{4,})(?:-(\d\d)(?:-(\d\d))?)?\Z", re.ASCII)
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Granularity(StrEnum):
    """The unit in which a graph counts time."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"


class ValidInterval(NamedTuple):
    """The closed span `[start, end]` in granules; whether it is a point is the relation's matter."""

    start: int
    end: int


def is_leap(year: int) -> bool:
    """Whether an astronomical year has a 29 February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def is_date(year: int, month: int, day: int) -> bool:
    """Whether the calendar has this day."""
    if not 1 <= month <= 12 or day < 1:
        return False
    return day <= _MONTH_DAYS[month - 1] + (month == 2 and is_leap(year))


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 of a proleptic Gregorian date."""
    shifted = year - (month <= 2)
    era = shifted // 400
    year_of_era = shifted - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


def civil_from_days(days: int) -> tuple[int, int, int]:
    """Year, month and day of a count of days since 1970-01-01."""
    shifted = days + 719468
    era = shifted // 146097
    day_of_era = shifted - era * 146097
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_index = (5 * day_of_year + 2) // 153
    month = month_index + (3 if month_index < 10 else -9)
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * month_index + 2) // 5 + 1


def to_granule(granularity: Granularity, year: int, month: int = 1, day: int = 1) -> int:
    """The granule that holds a date."""
    if granularity is Granularity.YEAR:
        return year
    if granularity is Granularity.MONTH:
        return (year - 1970) * 12 + month - 1
    return days_from_civil(year, month, day)


def format_year(year: int) -> str:
    """A year in ISO 8601, expanded before year 0 and after 9999: `0476`, `-0043`, `+12000`."""
    if year < 0:
        return f"-{-year:04d}"
    return f"{year:04d}" if year <= 9999 else f"+{year}"


def format_granule(granule: int, granularity: Granularity) -> str:
    """A granule as ISO text: `1996`, `1996-05` or `1996-05-01`."""
    if granularity is Granularity.YEAR:
        return format_year(granule)
    if granularity is Granularity.MONTH:
        return f"{format_year(1970 + granule // 12)}-{granule % 12 + 1:02d}"
    year, month, day = civil_from_days(granule)
    return f"{format_year(year)}-{month:02d}-{day:02d}"


def parse_granule(text: str) -> int:
    """The integer that ISO text stands for; its own precision is the granularity.

    Raises:
        ValueError: the text is not an ISO year, month or day, or the calendar lacks the date.
    """
    return parse_iso(text)[0]


@lru_cache(maxsize=65536)  # a file of records names the same few thousand times again and again
def parse_iso(text: str) -> tuple[int, Granularity]:
    """The integer and the granularity of ISO text.

    Raises:
        ValueError: the text is not an ISO year, month or day, or the calendar lacks the date.
    """
    match = _ISO.match(text)
    if match is None:
        raise ValueError(f"not an ISO time: {text!r}")
    sign, digits, month, day = match.groups()
    year = -int(digits) if sign == "-" else int(digits)
    if month is None:
        return year, Granularity.YEAR
    if not is_date(year, int(month), int(day or 1)):
        raise ValueError(f"not a date of the calendar: {text!r}")
    if day is None:
        return to_granule(Granularity.MONTH, year, int(month)), Granularity.MONTH
    return days_from_civil(year, int(month), int(day)), Granularity.DAY
