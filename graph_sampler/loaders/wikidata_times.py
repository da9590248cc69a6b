"""Time values of Wikidata's JSON as time texts: precision, calendar model, and the digits below the precision.

Years are counted historically there (44 BC is -44). Dates under the Julian calendar model are that calendar's, so days
are converted, a month is no more than its year, and years are left alone. Paper: section 3.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.dates import ABSENT, Precision, with_precision
from state.config import YearNumbering
from state.interval import civil_from_days

_TIME = re.compile(r"([+-])(\d+)-(\d\d)-(\d\d)(?:T.*)?", re.ASCII | re.DOTALL)
_DAY, _MONTH, _YEAR, _DECADE, _CENTURY = 11, 10, 9, 8, 7
_FINEST = 14
_JULIAN = "Q1985786"
_JULIAN_EPOCH = -719164
"""1 January of the year 1 of the Julian calendar in days since 1970-01-01: two days before that of the Gregorian one."""


def time_text(value: Any, counters: ImportCounters, numbering: YearNumbering = YearNumbering.HISTORICAL) -> str:
    """The time text of a time value; a text that is no time where the value is none, so that it is counted as a bad date."""
    if not isinstance(value, dict):
        return _no_time(value)
    time, precision, calendar = value.get("time"), value.get("precision"), str(value.get("calendarmodel", ""))
    if not isinstance(time, str) or not isinstance(precision, int) or not 0 <= precision <= _FINEST:
        return _no_time(value)
    is_julian = calendar.endswith(_JULIAN)
    if is_julian:
        counters.add("julian_calendar")
    if precision < _CENTURY:
        counters.add("coarser_than_century")
        return ABSENT
    return _text(time, min(precision, _DAY), is_julian, numbering)


def _no_time(value: Any) -> str:
    return f"no time: {str(value)[:40]}"


@lru_cache(maxsize=1 << 16)
def _text(time: str, precision: int, is_julian: bool, numbering: YearNumbering) -> str:
    match = _TIME.fullmatch(time)
    if match is None or (numbering is YearNumbering.HISTORICAL and int(match[2]) == 0):
        return _no_time(time)
    # Old dumps write years with eleven digits.
    sign, year = match[1].replace("+", ""), match[2].lstrip("0").rjust(4, "0")
    month, day = int(match[3]), int(match[4])
    if is_julian and precision == _DAY and month and day:
        return _converted(int(sign + year), month, day, numbering) or _no_time(time)
    digits = f"{sign}{year}"
    if precision == _DAY:
        # A month or day of 00 says that the stated precision is not true: the text is then as coarse as its digits.
        return digits if not month else f"{digits}-{month:02d}" + (f"-{day:02d}" if day else "")
    if precision == _MONTH and not is_julian:  # a Julian month lies in two Gregorian ones
        return f"{digits}-{month:02d}"
    if precision in (_MONTH, _YEAR):
        return digits
    return with_precision(digits, Precision.DECADE if precision == _DECADE else Precision.CENTURY)


def _converted(year: int, month: int, day: int, numbering: YearNumbering) -> str | None:
    """A Julian day as a Gregorian one, `None` where the Julian calendar lacks it."""
    is_historical = numbering is YearNumbering.HISTORICAL
    days = julian_days(year + (is_historical and year < 0), month, day)
    if days is None:
        return None
    year, month, day = civil_from_days(days)
    year -= is_historical and year <= 0
    return f"{'-' if year < 0 else ''}{abs(year):04d}-{month:02d}-{day:02d}"


def julian_days(year: int, month: int, day: int) -> int | None:
    """Days since 1970-01-01 (Gregorian) of a day of the Julian calendar, whose year is astronomical; `None` where it lacks the day."""
    lengths = (31, 29 if year % 4 == 0 else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not 1 <= month <= 12 or not 1 <= day <= lengths[month - 1]:
        return None
    passed = year - 1
    return _JULIAN_EPOCH + passed * 365 + passed // 4 + sum(lengths[: month - 1]) + day - 1
