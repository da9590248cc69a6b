"""Windows of a row's bounds in English, in three voices that say the same in different words.

What *ended* in a granule has it as its end in the table: where ends are exclusive it held no more in it, where they are
inclusive it still did. So a comparison with the column is said alike in both, and the reader compares with the same column.
"""

from __future__ import annotations

from typing import NamedTuple

from agents.offline.tables.windows import Edge, Window, whole_granule
from state.interval import Granularity, civil_from_days, parse_iso

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


class Voice(NamedTuple):
    """The words of one phrasing."""

    begin: str
    """What a row does at its start."""
    finish: str
    """What it does at its end."""
    after: str
    from_on: str
    """The date itself included."""
    before: str
    up_to: str
    """The date itself included."""
    link: str
    """Between two dates for one bound."""
    unless: str
    """Said of an end that may be missing, after the date; empty if `still` says it otherwise."""
    still: str
    """Said instead of `finish` of an end that may be missing."""
    span: str
    """Said where both times are known; empty if they are said apart."""


PLAIN = Voice(
    "began", "ended", "after", "no earlier than", "before", "no later than", "and", "or has not ended", "", "ran from {} until {}"
)
"""`that began after 1990 and ended before 1999`."""
TRAILING = Voice(
    "starting", "finishing", "later than", "not before", "earlier than", "not after", "but", "or not at all", "", ""
)  # fmt: skip
"""`starting later than 1990 and finishing earlier than 1999`."""
SPOKEN = Voice("started", "came to an end", "after", "{on} or after", "before", "{on} or before", "and", "", "had not come to an end", "")
"""`started after 1990 and came to an end before 1999`."""
OFFICE = SPOKEN._replace(begin="took office", finish="left office", still="had not left office")
"""`took office after 1990 and left office before 1999`."""


def date_words(iso: str) -> str:
    """A date as it is written out: `5 May 2004`, `May 2004`, `2004`; years before 1000 name their era."""
    granule, unit = parse_iso(iso)
    if unit is Granularity.YEAR:
        return _year(granule)
    if unit is Granularity.MONTH:
        return f"{_MONTHS[granule % 12]} {_year(1970 + granule // 12)}"
    year, month, day = civil_from_days(granule)
    return f"{day} {_MONTHS[month - 1]} {_year(year)}"


def _year(year: int) -> str:
    if year < 1:
        return f"{1 - year} BC"
    if year < 1000:
        return f"{year} AD"
    return str(year) if year < 10000 else f"the year {year}"


def on(iso: str) -> str:
    """`on` a day, `in` a month or year."""
    return "on" if parse_iso(iso)[1] is Granularity.DAY else "in"


def at(iso: str) -> str:
    """The date with its preposition."""
    return f"{on(iso)} {date_words(iso)}"


def clause(start: Window | None, end: Window | None, voice: Voice, *, has_open_ends: bool) -> str:
    """The windows as what a row did: `began before 1990 and ended after 1999 or has not ended`.

    Args:
        start: of the row's start; `None`: anything.
        end: of the row's end; `None`: anything. At least one of the two is given.
        voice: the words.
        has_open_ends: whether a missing end lies past every date, so that it fits wherever only an earliest date is given.
    """
    if voice.span and start is not None and end is not None and start.is_one_granule and end.is_one_granule:
        return voice.span.format(*(date_words(side.low.date) for side in (start, end) if side.low))
    parts = []
    if start is not None:
        parts.append(f"{voice.begin} {_place(start, voice)}")
    if end is not None and end.high is None and end.low is not None and has_open_ends:
        parts.append(_outlasting(end.low, voice))
    elif end is not None:
        parts.append(f"{voice.finish} {_place(end, voice)}")
    return " and ".join(parts)


def _outlasting(low: Edge, voice: Voice) -> str:
    if voice.still:
        return f"{voice.still} {'before' if low.is_within else 'by'} {date_words(low.date)}"
    return f"{voice.finish} {_low(low, voice)} {voice.unless}"


def _place(span: Window, voice: Voice) -> str:
    if span.is_one_granule and span.low is not None:
        return at(span.low.date)
    if whole := whole_granule(span):
        return at(whole)
    sides = [_low(span.low, voice)] if span.low else []
    sides += [_high(span.high, voice)] if span.high else []
    return f" {voice.link} ".join(sides)


def _low(edge: Edge, voice: Voice) -> str:
    words = voice.from_on if edge.is_within else voice.after
    return f"{words.replace('{on}', on(edge.date))} {date_words(edge.date)}"


def _high(edge: Edge, voice: Voice) -> str:
    words = voice.up_to if edge.is_within else voice.before
    return f"{words.replace('{on}', on(edge.date))} {date_words(edge.date)}"
