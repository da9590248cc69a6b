"""Time text -> the range of granules that it leaves open, by an integer parser of our own.

Reads ISO years, months and days, masks (`1995-##-##`, `19##`), signs, zero months and days
(`+1996-00-00`), unpadded years and times of day; `datetime` holds neither years before 1 nor masks.
Paper: section 3.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import IntEnum, StrEnum
from typing import NamedTuple

from graph_sampler.temporal_graph import NEG_INF, POS_INF
from state.config import YearNumbering
from state.interval import Granularity, days_from_civil, is_date, is_leap, to_granule

_UNKNOWN = frozenset(("", "none", "null", "nan", "unknown", "?"))
_MONTH_END = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_TIME = re.compile(
    r"""(?P<sign>[+-]?)
        (?P<year>\d{1,6}|\d{0,5}[#X]{1,6})
        (?:-(?P<month>\d\d?|\#\#|XX)
          (?:-(?P<day>\d\d?|\#\#|XX)
            (?:[T\x20]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?
          )?
        )?""",
    re.VERBOSE | re.ASCII,
)
_WRAPPED = re.compile(r'"([^"]*)"(?:\^\^\S+)?')
_STATED = re.compile(r"(.*) <(day|month|year|decade|century)>", re.DOTALL)
_CLOCK = re.compile(r"[T\x20]\d\d:\d\d.*\Z", re.ASCII | re.DOTALL)


class TimeKind(IntEnum):
    """What a time text says about one bound of a fact."""

    EXACT = 0
    """One granule."""
    UNKNOWN = 1
    """There is a value, and the source does not know it; also a bound that is left out."""
    OPEN = 2
    """The fact still holds."""
    COARSE = 3
    """A range of several granules."""
    BAD = 4
    """No time at all, or a date that the calendar lacks."""


class Precision(StrEnum):
    """A stated precision, for sources that keep it beside the time."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


class TimeRange(NamedTuple):
    """The granules that a time text may mean, both ends included."""

    kind: TimeKind
    low: int = NEG_INF
    high: int = POS_INF
    first_day: int = NEG_INF
    """First and last day, before the cut to the granularity: they tell a reversed row."""
    last_day: int = POS_INF


OPEN = "<open>"
"""Time text of a loader whose source says that the fact still holds."""
ABSENT = "<absent>"
"""Time text of a loader whose source says nothing: it may be open or not known."""


def with_precision(text: str, precision: Precision) -> str:
    """Time text of a loader whose source states a precision beside the time; `read_time` reads it back."""
    return f"{text} <{precision.value}>"


_NOT_KNOWN = TimeRange(TimeKind.UNKNOWN)
_BAD = TimeRange(TimeKind.BAD)


def read_time(
    text: str,
    granularity: Granularity,
    numbering: YearNumbering = YearNumbering.ASTRONOMICAL,
    *,
    open_dates: Collection[str] = (),
    unknown_dates: Collection[str] = (),
    precision: Precision | None = None,
) -> TimeRange:
    """The range of granules that a time text stands for.

    A precision finer than the granularity is checked against the calendar, then cut to it. The
    sentinels are compared with the whole text and with the text without sign, quotes and time of day.

    Args:
        text: the source's text, or what `with_precision`, `OPEN` and `ABSENT` write.
        granularity: the graph's unit.
        numbering: how the source counts years before 1; `historical` has no year 0.
        open_dates: texts that mean "still holds".
        unknown_dates: texts that mean "not known", beside the empty text, `None`, `null` and `nan`.
        precision: stated precision; digits finer than it are not read, wider than a year it widens.
    """
    text = text.strip()
    if text == OPEN:
        return TimeRange(TimeKind.OPEN)
    if text == ABSENT:
        return _NOT_KNOWN
    if stated := _STATED.fullmatch(text):
        text, precision = stated.group(1), Precision(stated.group(2))
    if wrapped := _WRAPPED.fullmatch(text):
        text = wrapped.group(1).strip()
    bare = _CLOCK.sub("", text).removeprefix("+")
    if text in unknown_dates or bare in unknown_dates or text.casefold() in _UNKNOWN:
        return _NOT_KNOWN
    if text in open_dates or bare in open_dates:
        return TimeRange(TimeKind.OPEN)
    match = _TIME.fullmatch(text)
    if match is None:
        return _BAD
    years = _years(match["sign"] == "-", match["year"], numbering, precision)
    month, day = _number(match["month"]), _number(match["day"])
    if precision is not None and precision is not Precision.DAY:
        month, day = (month if precision is Precision.MONTH else 0), 0
    if years is None or month > 12 or day > 31 or (month == 0 and precision is Precision.MONTH):
        return _BAD
    first, last = years
    if first == NEG_INF:
        return _NOT_KNOWN
    if first == last and month and day and not is_date(first, month, day):
        return _BAD
    has_day = bool(month and day and first == last)
    earliest = first, month or 1, day if has_day else 1
    latest = last, month or 12, day if has_day else _month_end(last, month or 12)
    low, high = to_granule(granularity, *earliest), to_granule(granularity, *latest)
    kind = TimeKind.EXACT if low == high else TimeKind.COARSE
    return TimeRange(kind, low, high, days_from_civil(*earliest), days_from_civil(*latest))


def _number(digits: str | None) -> int:
    """A month or day, 0 where it is left out or masked."""
    return int(digits) if digits and digits.isdecimal() else 0


def _month_end(year: int, month: int) -> int:
    return _MONTH_END[month - 1] + (month == 2 and is_leap(year))


def _years(is_negative: bool, digits: str, numbering: YearNumbering, precision: Precision | None) -> tuple[int, int] | None:
    """First and last astronomical year; both infinite for a masked year, `None` for a year that does not exist."""
    known = digits.rstrip("#X")
    if not known:
        return NEG_INF, POS_INF
    width = 10 ** (len(digits) - len(known))
    near, far = int(known) * width, int(known) * width + width - 1
    first, last = (-far, -near) if is_negative else (near, far)
    if numbering is YearNumbering.HISTORICAL:
        if first == last == 0:
            return None
        # A masked range that touches the year 0 loses it: `-00##` is 99 BC to 1 BC.
        first, last = (first or 1), (last or -1)
        first, last = first + (first < 0), last + (last < 0)
    if precision is Precision.DECADE:
        return first // 10 * 10, last // 10 * 10 + 9
    if precision is Precision.CENTURY:
        # Sources write the century 1901-2000 as 1901, 1950 or 2000, and some mean 2000-2099 by 2000: keep both.
        return (first - 1) // 100 * 100 + 1, max(last // 100 * 100 + 99, (last - 1) // 100 * 100 + 100)
    return first, last
