"""Dates of EventKG as time texts: what their writer widened to whole days is taken back to the stated unit.

Every date is written as a day, a begin as the first and an end as the last of its unit. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from functools import lru_cache
from typing import Literal

import numpy as np

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.dates import ABSENT, Precision, with_precision
from graph_sampler.raw_facts import RawFacts

Unstated = Literal["day", "month", "year"]
"""The unit to trust where a file states none."""
_DATE = re.compile(rb"(-?\d{4,6})-(\d\d)-(\d\d)")
_YEAR = re.compile(r"(-?\d{4,6})\b")
_NO_YEAR = 10**7
_LONGEST = 150
_LAST_LIKELY = 2100


class Unit(Enum):
    """The unit that a date is stated in."""

    DAY = b"unitDay"
    MONTH = b"unitMonth"
    YEAR = b"unitYear"
    DECADE = b"unitDecade"
    CENTURY = b"unitCentury"


@lru_cache(maxsize=1 << 16)
def read_bound(value: bytes, unit: bytes, is_end: bool, unstated: Unstated = "year") -> str:
    """The time text that a date and its unit stand for.

    Args:
        value: the literal's value, such as `1999-12-31`.
        unit: local name of the unit, empty where none is stated (the first release, or a lost line).
        is_end: whether the date is the last day of its unit, not the first.
        unstated: the unit where none is stated.
    """
    stated = next((known for known in Unit if known.value == unit), None)
    match = _DATE.fullmatch(value)
    if match is None:
        return value.decode("utf-8", "replace") or "?"
    year, month, day = match.groups()
    kind = stated or Unit["DAY" if unstated == "day" else unstated.upper()]
    if kind is Unit.MONTH and is_end and month == b"03" and day in (b"02", b"03"):
        month = b"02"  # 31 February, as the writer had it, is written as one of these days
    if kind in (Unit.DECADE, Unit.CENTURY):
        return _coarse(int(year), kind, is_end)
    pieces = {Unit.DAY: (year, month, day), Unit.MONTH: (year, month)}.get(kind, (year,))
    return b"-".join(pieces).decode("ascii")


def _coarse(year: int, unit: Unit, is_end: bool) -> str:
    """The decade or century as a time text.

    The writer makes an end of it by writing nines for all zeros on the right: 1999 may come from 1990 or 1900, and
    2999 from 2000. Where that is open, the text stands for all of them.
    """
    if is_end and year % 1000 == 999 and year > _LAST_LIKELY:
        return with_precision(f"{year - 999:04d}", Precision.CENTURY)
    if is_end and year % 100 == 99:
        return with_precision(f"{year - 99:04d}", Precision.CENTURY)
    precision = Precision.DECADE if unit is Unit.DECADE else Precision.CENTURY
    return with_precision(f"{year:04d}", precision)


def without_impossible_times(raw: RawFacts, min_year: int, counters: ImportCounters) -> RawFacts:
    """The rows, with absent bounds where the dates cannot be meant.

    The writer loses the minus sign of years before 1, so a year before `min_year` may lie in either era. Two days more
    than 150 years apart are the ends of a millennium, of which the writer says that its unit is a day.
    """
    if not len(raw.subject):
        return raw
    years = np.array([int(match[1]) if (match := _YEAR.match(text)) else _NO_YEAR for text in raw.times])
    is_day = np.array([text[-6:-5] == text[-3:-2] == "-" for text in raw.times], dtype=np.bool_)
    is_early = (years < min_year) & (years != _NO_YEAR)
    is_early_row = is_early[raw.start] | is_early[raw.end]
    is_long_row = is_day[raw.start] & is_day[raw.end] & (years[raw.end] - years[raw.start] > _LONGEST) & ~is_early_row
    counters.add("bad_era_possible", int(is_early_row.sum()))
    counters.add("suspect_span", int(is_long_row.sum()))
    times = [*raw.times, ABSENT]
    start, end = (np.where(is_early_row | is_long_row, len(raw.times), column).astype(np.int32) for column in (raw.start, raw.end))
    return replace(raw, times=times, start=start, end=end)
