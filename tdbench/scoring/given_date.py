"""Dates as tables and files give them, in the ISO form that rows hold. Nothing is guessed: what is no date is refused."""

from __future__ import annotations

import re

from state.interval import format_year, is_date

_TIMESTAMP = re.compile(r"([+-]?\d{1,6})(?:-(\d\d)(?:-(\d\d))?)?(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?)?", re.ASCII)


def iso_date(text: str) -> str:
    """ISO text to the precision that is given: without clock, without plus, without parts of zeros.

    >>> iso_date("+2003-00-00T00:00:00Z"), iso_date("2003-05-01 00:00:00")
    ('2003', '2003-05-01')

    Raises:
        ValueError: it is no such date, or the calendar lacks it.
    """
    match = _TIMESTAMP.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a date: {text!r}")
    year, month, day = int(match[1]), int(match[2] or 0), int(match[3] or 0)
    if not is_date(year, month or 1, day or 1) or (day and not month):
        raise ValueError(f"not a date of the calendar: {text!r}")
    return format_year(year) + (f"-{month:02d}" if month else "") + (f"-{day:02d}" if day else "")


def as_parts(iso: str) -> tuple[int, ...]:
    """Year, month and day of ISO text, as many as it gives; dates of one precision compare as their parts do."""
    sign = -1 if iso.startswith("-") else 1
    year, *rest = (int(part) for part in iso.lstrip("+-").split("-"))
    return (sign * year, *rest)
