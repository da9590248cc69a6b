"""The dates of a text, in any of the formats that people write, each with its role. Paper: TDBench, section 4.

The formats are a table, in order of precedence: what one has read, no later one reads again. Roles are decided by
`date_roles`. Nothing depends on a clock or a locale: `05/03/2004` is read both ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from state.interval import is_date
from tdbench.scoring.date_roles import ABOUT, DateRole, decide_roles, find_present

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
"""English names; their first three letters are names too."""


class PartialDate(NamedTuple):
    """A date as far as it is given."""

    year: int
    """Astronomical: 1 BC is 0."""
    month: int | None = None
    """1 to 12; `None` if not given."""
    day: int | None = None
    """`None` if not given."""


class ReadDate(NamedTuple):
    """A date in a text, or a word that says that something holds still."""

    start: int
    """Offset in the text."""
    end: int
    """Offset behind it."""
    readings: tuple[PartialDate, ...]
    """What it may mean, more than one only where day and month may be either way; none of a word such as `present`."""
    role: DateRole
    """What it is the date of."""
    opens_span: bool
    """Whether it is the first date of a span such as `2004-2009`."""
    implies_present: bool
    """Whether it says besides that what began then goes on, as `since 2004` does."""
    is_firm: bool
    """Of a word such as `present`: whether it stands where an end would, as in `2004 to present`."""

    @property
    def is_present(self) -> bool:
        """Whether it is no date but says that something holds still."""
        return not self.readings


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\.?"
)
_DAY = r"(?:[0-2]?\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"[12]\d{3}"
_BEFORE, _AFTER = r"(?<![\w$€£#])(?<!\d[.,])", r"(?![\w%])(?![.,]\d)"
_TO = r" ?(?:-|to|until|till|through|and) ?"
_OF = r"(?:,? |-|/|,? of )"
_CLOCK = r"(?:[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:z|utc|[+-]\d\d:?\d\d))?)?"
_BOUND_AFTER = re.compile(rf"\bafter{ABOUT}")
_BOUND_BEFORE = re.compile(rf",? (?:and|but) before{ABOUT}")

Reading = Callable[[re.Match[str]], Iterator[tuple[int, int, tuple[PartialDate, ...]]]]


def _one(match: re.Match[str]) -> Iterator[tuple[int, int, tuple[PartialDate, ...]]]:
    yield (*match.span(), (_partial(match["y"], _group(match, "m"), _group(match, "d")),))


def _either_way(match: re.Match[str]) -> Iterator[tuple[int, int, tuple[PartialDate, ...]]]:
    both = (_partial(match["y"], match["a"], match["b"]), _partial(match["y"], match["b"], match["a"]))
    yield (*match.span(), tuple(dict.fromkeys(both)))


def _shared(match: re.Match[str]) -> Iterator[tuple[int, int, tuple[PartialDate, ...]]]:
    """Two dates of which one borrows the month, the year or both from the other."""
    month = _group(match, "m") or _group(match, "m2")
    yield (*match.span("first"), (_partial(match["y"], month, _group(match, "d")),))
    yield match.start("second"), match.end(), (_partial(match["y"], _group(match, "m2") or month, _group(match, "d2")),)


def _short_span(match: re.Match[str]) -> Iterator[tuple[int, int, tuple[PartialDate, ...]]]:
    """`1998-2003` with the century left out of its end."""
    first, last = int(match["y"]), int(match["y"][:2] + match["yy"])
    if last > first:
        yield (*match.span("y"), (PartialDate(first),))
        yield (*match.span("yy"), (PartialDate(last),))


def _of_era(match: re.Match[str]) -> Iterator[tuple[int, int, tuple[PartialDate, ...]]]:
    year = 1 - int(match["bc"]) if match["bc"] else int(match["ad"] or match["after"])
    yield (*match.span(), (PartialDate(year),))


_FORMATS: tuple[tuple[re.Pattern[str], Reading], ...] = tuple(
    (re.compile(_BEFORE + pattern + _AFTER), reading)
    for pattern, reading in (
        (rf"(?P<y>{_YEAR})(?P<s>[-/.])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?){_CLOCK}", _one),
        (rf"(?P<a>\d\d?)(?P<s>[-/.])(?P<b>\d\d?)(?P=s)(?P<y>{_YEAR})", _either_way),
        (rf"(?P<y>{_YEAR})[- ](?P<m>{_MONTH})[- ](?P<d>\d\d?)", _one),
        (rf"(?P<first>(?P<d>{_DAY}) (?:of )?(?P<m>{_MONTH})){_TO}(?P<second>(?P<d2>{_DAY}) (?:of )?(?P<m2>{_MONTH})){_OF}(?P<y>{_YEAR})",
         _shared),
        (rf"(?P<first>(?P<m>{_MONTH}) (?P<d>{_DAY})){_TO}(?P<second>(?P<m2>{_MONTH}) (?P<d2>{_DAY})){_OF}(?P<y>{_YEAR})", _shared),
        (rf"(?P<first>(?P<m>{_MONTH})){_TO}(?P<second>(?P<m2>{_MONTH})){_OF}(?P<y>{_YEAR})", _shared),
        (rf"(?P<first>(?P<d>{_DAY})){_TO}(?P<second>(?P<d2>{_DAY}) (?:of )?(?P<m2>{_MONTH})){_OF}(?P<y>{_YEAR})", _shared),
        (rf"(?P<first>(?P<m>{_MONTH}) (?P<d>{_DAY})){_TO}(?P<second>(?P<d2>{_DAY})){_OF}(?P<y>{_YEAR})", _shared),
        (rf"(?P<d>{_DAY})[ -](?:of )?(?P<m>{_MONTH}){_OF}(?P<y>{_YEAR})", _one),
        (rf"(?P<m>{_MONTH}) (?:the )?(?P<d>{_DAY}){_OF}(?P<y>{_YEAR})", _one),
        (rf"(?P<m>{_MONTH}){_OF}(?P<y>{_YEAR})", _one),
        (rf"(?P<y>{_YEAR})(?:-(?=\d\d)|/)(?P<m>0?[1-9]|1[0-2])(?![-/]?\d)", _one),
        (rf"(?P<m>0?[1-9]|1[0-2])[-/.](?P<y>{_YEAR})", _one),
        (rf"(?P<y>{_YEAR}) ?[-/] ?(?P<yy>\d\d)", _short_span),
        (r"(?:(?P<bc>\d{1,4}) ?bce?|(?P<ad>\d{3,4}) ?(?:ad|ce)|ad (?P<after>\d{1,4}))", _of_era),
        (rf"(?P<y>{_YEAR})", _one),
    )
)  # fmt: skip


@lru_cache(maxsize=1024)
def read_dates(text: str) -> tuple[ReadDate, ...]:
    """The dates of a text, and the words that say that something holds still, in its order.

    Args:
        text: in the normal form of `normalise_reply`.
    """
    taken = bytearray(len(text))
    dates = sorted(_find(text, taken))
    present = [word for word in find_present(text) if not any(taken[word.start : word.end])]
    roles = decide_roles(text, [(start, end) for start, end, _ in dates], present)
    read = [ReadDate(*date, *role, is_firm=False) for date, role in zip(dates, roles, strict=True)]
    read += [ReadDate(word.start, word.end, (), DateRole.END, False, False, word.is_firm) for word in present]
    return tuple(sorted(read))


def names_a_span(text: str) -> bool:
    """Whether a text, in normal form, has a span of two dates: `2004-2009`, `between ... and ...`, `after ... and before ...`."""
    dates = read_dates(text)
    return any(date.opens_span for date in dates) or any(
        _BOUND_AFTER.search(text[: one.start]) and _BOUND_BEFORE.fullmatch(text, one.end, other.start) for one, other in pairwise(dates)
    )


def _find(text: str, taken: bytearray) -> list[tuple[int, int, tuple[PartialDate, ...]]]:
    """The dates by their formats; what one of them covers is marked in `taken`."""
    found = []
    for pattern, reading in _FORMATS:
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            for start, end, readings in reading(match):
                if real := tuple(date for date in readings if is_date(date.year, date.month or 1, date.day or 1)):
                    found.append((start, end, real))
                    taken[start:end] = b"\1" * (end - start)
    return found


def _group(match: re.Match[str], name: str) -> str | None:
    return match.groupdict().get(name)


def _partial(year: str, month: str | None, day: str | None) -> PartialDate:
    return PartialDate(int(year), (_month(month) or None) if month else None, (int(re.sub(r"\D", "", day)) or None) if day else None)


def _month(text: str) -> int:
    return int(text) if text.isdigit() else next(number for number, name in enumerate(MONTHS, start=1) if name.startswith(text[:3]))
