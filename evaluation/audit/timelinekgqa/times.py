"""Times of events and answers as days; the published words for unbounded times are the first and the last day there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from graph_sampler.loaders.dates import TimeKind, read_time
from state.interval import Granularity, days_from_civil, format_granule, is_date

BEGINNING, END = days_from_civil(1, 1, 1), days_from_civil(9999, 12, 31)
"""The days that stand for `beginning of time` and `end of time`."""
_WORDS = {"beginning of time": BEGINNING, "end of time": END}
_NAMES = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_MONTHS = {short: number for number, name in enumerate(_NAMES, start=1) for short in (name, name[:3])} | {"sept": 9}
_INSTANT = re.compile(r"beginning of time|end of time|(?<![\d-])-\d{4,6}-\d\d-\d\d|(?<!\d)\d{4,6}-\d\d-\d\d", re.IGNORECASE)
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WORDED = re.compile(
    rf"\b(?:(?P<m1>{_MONTH})\.?,?\s+(?P<d1>\d\d?)(?:st|nd|rd|th)?|(?P<d2>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{_MONTH})\.?),?\s+(?P<y>\d{{4}})\b",
    re.IGNORECASE,
)


class Span(NamedTuple):
    """The days of an event, both included; `start <= end`."""

    start: int
    end: int

    @property
    def is_point(self) -> bool:
        """Whether it starts and ends on one day."""
        return self.start == self.end

    @property
    def days(self) -> int:
        """Its length as the published program counts it: the last day less the first."""
        return self.end - self.start


def read_day(text: str) -> int:
    """The day of a stated time; the first one of a bare year or month.

    Raises:
        ValueError: it is none.
    """
    word = _WORDS.get(text.strip().casefold())
    if word is not None:
        return word
    found = read_time(text, Granularity.DAY)
    if found.kind not in (TimeKind.EXACT, TimeKind.COARSE):
        raise ValueError(f"{text[:40]!r} is no date")
    return found.low


def days_in(text: str) -> tuple[int, ...]:
    """The ISO dates and words for unbounded times of a text, in its order."""
    return tuple(_read_all(text))


def _read_all(text: str) -> Iterator[int]:
    for match in _INSTANT.finditer(text):
        try:
            yield read_day(match.group())
        except ValueError:  # digits that the calendar lacks
            continue


def worded_days(text: str) -> set[int]:
    """The dates that a text writes out: `January 1st, 1999`, `1 January 1999`."""
    found = set()
    for match in _WORDED.finditer(text):
        year, day = int(match["y"]), int(match["d1"] or match["d2"])
        month = _MONTHS[(match["m1"] or match["m2"]).casefold()]
        if is_date(year, month, day):
            found.add(days_from_civil(year, month, day))
    return found


def written(day: int) -> str:
    """A day in ISO form, or the words for an unbounded one."""
    return next((word for word, known in _WORDS.items() if known == day), None) or format_granule(day, Granularity.DAY)


def written_length(days: int, hours: int = 0) -> str:
    """A length as the published program writes it: years of 365 days, months of 30."""
    years, rest = divmod(days, 365)
    if years > 2000:
        return "forever"
    return f"{years} years, {rest // 30} months, {rest % 30} days, {hours} hours, 0 minutes, 0 seconds"
