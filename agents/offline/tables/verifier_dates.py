"""Dates in a question's text: written out in either order, in ISO form, months and years alone."""

from __future__ import annotations

import re
from typing import NamedTuple

from state.interval import Granularity, days_from_civil, is_date, to_granule

_NAMES = (
    ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun"), ("july", "jul"),
    ("august", "aug"), ("september", "sept", "sep"), ("october", "oct"), ("november", "nov"), ("december", "dec"),
)  # fmt: skip
_MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_YEAR = r"(?P<year>(?:the year |AD )\d{1,6}|\d{1,4} (?:BCE|BC|AD|CE)\b|\d{4})(?![\w]|[/–-]\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_PATTERNS = tuple(
    re.compile(rf"(?<![\w/–-])(?:{pattern})", re.IGNORECASE)
    for pattern in (
        rf"(?:the )?{_DAY}(?: day)?(?: of)? {_MONTH},? {_YEAR}",
        rf"{_MONTH} (?:the )?{_DAY}(?:,| of)? {_YEAR}",
        rf"(?:the month of )?{_MONTH}(?: of|,)? {_YEAR}",
        r"(?P<year>\d{4})-(?P<number>\d\d)-(?P<day>\d\d)(?![\w-])",
        r"(?P<year>\d{4})-(?P<number>\d\d)(?![\w-])",
        _YEAR,
    )
)


class Span(NamedTuple):
    """A date in a text, as the granules of the table's unit that it covers."""

    begin: int
    """Where its text begins."""
    finish: int
    """Where its text ends."""
    first: int
    """Its first granule."""
    last: int
    """Its last granule."""
    is_finer: bool
    """Whether it is a part of a granule: a day where the table counts years."""


def find_dates(text: str, unit: Granularity) -> list[Span]:
    """The dates of a text from left to right, the longest where they share signs; what no calendar has is left out."""
    found: list[Span] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if all(match.end() <= one.begin or match.start() >= one.finish for one in found):
                span = _span(match, unit)
                if span is not None:
                    found.append(span)
    return sorted(found)


def _span(match: re.Match[str], unit: Granularity) -> Span | None:
    groups = match.groupdict()
    year = _year(groups["year"])
    month = _MONTHS[groups["month"].lower()] if groups.get("month") else int(groups.get("number") or 0)
    day = int(groups.get("day") or 0)
    if (month or day) and not is_date(year, month, day or 1):
        return None
    first = to_granule(unit, year, month or 1, day or 1)
    if day:
        last, finer = first, unit is not Granularity.DAY
    elif month:
        last, finer = _last_of_month(unit, year, month), unit is Granularity.YEAR
    else:
        last, finer = _last_of_month(unit, year, 12), False
    return Span(match.start(), match.end(), first, last, finer)


def _last_of_month(unit: Granularity, year: int, month: int) -> int:
    if unit is not Granularity.DAY:
        return to_granule(unit, year, month)
    return days_from_civil(year + month // 12, month % 12 + 1, 1) - 1


def _year(text: str) -> int:
    number = int(re.sub(r"\D", "", text))
    return 1 - number if text.upper().endswith(("BC", "BCE")) else number
