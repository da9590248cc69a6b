"""What a question says of time, read word by word; where the words allow several readings, all of them.

A sentence is followed clause by clause: what begins or ends the row, then where that lies. A date without such a verb is
when the row holds. What cannot be followed makes the whole question unread.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from agents.offline.tables.verifier_dates import Span
from agents.offline.tables.verifier_tests import NEVER, Demand, Reading, Time, covering, overlapping
from agents.offline.tables.verifier_text import Unread
from agents.offline.tables.verifier_words import Sign

MOST_READINGS = 64
"""Readings that are looked at."""

_Limits = tuple[int | None, int | None]
_BOUNDS = {Sign.BEGIN: Time.START, Sign.END: Time.END}
_PLACING = frozenset((
    Sign.BEFORE, Sign.AFTER, Sign.UP_TO, Sign.FROM_ON, Sign.IN, Sign.AS_OF, Sign.WHOLE, Sign.FROM, Sign.SINCE, Sign.UNTIL,
    Sign.BY, Sign.BETWEEN,
))  # fmt: skip


class Symbol(NamedTuple):
    """A phrase or a date with its place among the pieces of the question."""

    sign: Sign | Span
    begin: int
    end: int


class _Placed(NamedTuple):
    """A phrase that places something in time, with its dates."""

    sign: Sign
    dates: tuple[Span, ...]
    is_open_ended: bool
    """`onwards`."""
    inclusion: Sign | None


def read_time(symbols: Sequence[Symbol], as_of: int | None) -> list[Reading]:
    """Every way to read what a question says of time; `[()]` if it says nothing.

    Args:
        symbols: its phrases and dates, in order.
        as_of: the granule that now means.

    Raises:
        Unread: they make no sense together, or too many.
    """
    reader = _Reader(symbols, as_of)
    reader.read()
    count = 1
    for one in reader.groups:
        count *= len(one)
    if count > MOST_READINGS:
        raise Unread("too many readings")
    return [sum(choice, ()) for choice in product(*reader.groups)]


class _Reader:
    def __init__(self, symbols: Sequence[Symbol], as_of: int | None) -> None:
        self.symbols = symbols
        self.as_of = as_of
        self.at = 0
        self.groups: list[list[Reading]] = []
        self.bounds: tuple[Time, ...] = ()
        """What the last verb was about."""
        self.is_bare = False
        """Whether that verb still waits for its date."""
        self.loose: list[_Placed] = []
        """Placed without a verb."""
        self.end_group: int | None = None
        """The last condition on an end alone."""
        self.is_always = False

    def read(self) -> None:
        present = False
        while (sign := self._sign()) is not None:
            if sign in _BOUNDS:
                self._verb()
            elif isinstance(sign, Span) or sign in _PLACING:
                self._place()
            elif sign is Sign.UNENDED:
                self._unended()
            elif sign in (Sign.RAN, Sign.BEYOND):
                self._lasting()
            elif sign is Sign.OR_OPEN:
                self._or_open()
            elif sign is Sign.STILL:
                self._still(is_present=present)
            elif sign is Sign.NOW:
                self.groups.append([self._today()])
                self.at += 1
            elif sign in (Sign.AND, Sign.ALWAYS, Sign.IS):
                present = present or sign is Sign.IS
                self.is_always = self.is_always or sign is Sign.ALWAYS
                self.at += 1
            else:
                raise Unread(f"{sign.value} stands alone")
        self._settle()
        if not self.groups and present and not self.is_always:
            self.groups.append([(), self._today()])

    def _sign(self, ahead: int = 0) -> Sign | Span | None:
        at = self.at + ahead
        return self.symbols[at].sign if at < len(self.symbols) else None

    def _touches(self, at: int) -> bool:
        """Whether a symbol stands right after the one before it."""
        return self.symbols[at - 1].end == self.symbols[at].begin

    def _today(self) -> Reading:
        if self.as_of is None:
            raise Unread("now is not said")
        return overlapping(self.as_of, self.as_of)

    def _still(self, *, is_present: bool) -> None:
        """`still in office on` a date is said of that date, `still in office after` one of the end, and `is still` of today."""
        self.at += 1
        if self._sign() is Sign.AFTER and not is_present:
            self.at += 1
            self.groups.append([(Demand(Time.END, _whole(self._date()).last + 1, None, True),)])
            self.bounds = ()
        elif is_present or self._sign() not in (Sign.IN, Sign.AS_OF):
            self.groups.append([self._today()])
        else:
            self.bounds = ()

    def _verb(self) -> None:
        if self.is_bare:
            raise Unread("a verb has no date")
        times = [_BOUNDS[self.symbols[self.at].sign]]  # type: ignore[index]
        is_pair = self._sign(1) is Sign.AND and self._sign(2) in _BOUNDS
        if is_pair and self._touches(self.at + 1) and self._touches(self.at + 2):
            times.append(_BOUNDS[self.symbols[self.at + 2].sign])  # type: ignore[index]
            self.at += 2
        self.bounds, self.is_bare = tuple(times), True
        self.at += 1

    def _place(self) -> None:
        is_continued = bool(self.bounds) and self.at > 0 and self._touches(self.at) and self.symbols[self.at - 1].sign is Sign.AND
        placed = self._placed()
        if self.is_bare or is_continued:
            self._bind(placed)
        else:
            self.loose.append(placed)

    def _bind(self, placed: _Placed) -> None:
        limits = _limits(placed)
        for time in self.bounds:
            self.end_group = len(self.groups) if self.bounds == (Time.END,) else None
            self.groups.append([(Demand(time, low, high, fits),) for low, high in limits for fits in _open_readings(time, low, high)])
        self.is_bare = False

    def _placed(self) -> _Placed:
        sign = self._sign()
        if isinstance(sign, Span):
            return _Placed(Sign.IN, (self._date(),), False, None)
        assert sign is not None
        self.at += 1
        dates = [self._date()]
        inclusion = None
        if sign is Sign.BETWEEN:
            if self._sign() is not Sign.AND:
                raise Unread("between what?")
            self.at += 1
            dates.append(self._date())
            if self._sign() in (Sign.INCLUSIVE, Sign.EXCLUSIVE):
                inclusion = self._sign()
                self.at += 1
        elif sign is Sign.FROM and self._sign() in (Sign.TO, Sign.UNTIL):
            self.at += 1
            dates.append(self._date())
        is_open_ended = self._sign() is Sign.ONWARDS
        if is_open_ended:
            if sign not in (Sign.FROM, Sign.IN) or len(dates) > 1:
                raise Unread("onwards from when?")
            self.at += 1
        return _Placed(sign, tuple(dates), is_open_ended, inclusion if isinstance(inclusion, Sign) else None)

    def _date(self) -> Span:
        sign = self._sign()
        if not isinstance(sign, Span):
            raise Unread("a date is missing")
        self.at += 1
        return sign

    def _unended(self) -> None:
        self.at += 1
        sign = self._sign()
        if sign in (Sign.BY, Sign.BEFORE):
            self.at += 1
            date = _whole(self._date())
            low = date.last + 1 if sign is Sign.BY else date.first
        else:
            low = NEVER
        self.groups.append([(Demand(Time.END, low, None, True),)])
        self.bounds, self.end_group = (), None

    def _lasting(self) -> None:
        is_beyond = self._sign() is Sign.BEYOND
        self.at += 1
        if is_beyond:
            self.groups.append([(Demand(Time.END, _whole(self._date()).last + 1, None, True),)])
            return
        at_least = False
        while self._sign() is Sign.AT_LEAST or (self._sign() is Sign.UNTIL and self._sign(1) is Sign.AT_LEAST):
            self.at += 1
            at_least = True
        if isinstance(self._sign(), Span) and at_least:  # "lasted until at least 1999"
            self.groups.append([(Demand(Time.END, _whole(self._date()).first, None, True),)])
        elif self._sign() in (Sign.FROM, Sign.UNTIL):
            placed = self._placed()
            if placed.sign is Sign.UNTIL:
                date = _whole(placed.dates[0])
                self.groups.append([(Demand(Time.END, date.first, None if at_least else date.last, at_least),)])
            elif len(placed.dates) == 2 and not at_least:
                self.groups.append([_equal(*map(_whole, placed.dates))])
            else:
                raise Unread("it lasted from when to when?")

    def _or_open(self) -> None:
        if self.end_group is None:
            raise Unread("what has not ended?")
        self.groups[self.end_group] = list(
            dict.fromkeys(tuple(one._replace(takes_open=True) for one in reading) for reading in self.groups[self.end_group])
        )
        self.at += 1

    def _settle(self) -> None:
        """Gives a verb without a date the date that stood before it, and reads the other loose dates."""
        if self.is_bare:
            if len(self.loose) != 1:
                raise Unread("a verb has no date")
            self._bind(self.loose.pop())
        for placed in self.loose:
            self.groups.append(_loose_readings(placed, self.as_of))


def _whole(date: Span) -> Span:
    if date.is_finer:
        raise Unread("a date is finer than the table")
    return date


def _open_readings(time: Time, low: int | None, high: int | None) -> tuple[bool, ...]:
    """A row that is ongoing has not ended after a date, and yet it ends later if at all."""
    return (False, True) if time is Time.END and high is None and low is not None else (False,)


def _limits(placed: _Placed) -> list[_Limits]:
    """Where a bound lies."""
    first, last = _whole(placed.dates[0]), _whole(placed.dates[-1])
    match placed.sign:
        case Sign.FROM if len(placed.dates) == 2:
            raise Unread("it began or ended from then to then")
        case Sign.FROM | Sign.IN if placed.is_open_ended:
            return [(first.first, None)]
        case Sign.BEFORE:
            return [(None, first.first - 1)]
        case Sign.AFTER:
            return [(first.last + 1, None)]
        case Sign.UP_TO | Sign.BY:
            return [(None, first.last)]
        case Sign.FROM_ON:
            return [(first.first, None)]
        case Sign.IN:
            return [(first.first, first.last)]
        case Sign.FROM:
            return [(first.first, first.last), (first.first, None)]
        case Sign.SINCE:
            return [(first.first, None), (first.last + 1, None)]
        case Sign.BETWEEN:
            inner, outer = (first.last + 1, last.first - 1), (first.first, last.last)
            return [inner] if placed.inclusion is Sign.EXCLUSIVE else [outer] if placed.inclusion is Sign.INCLUSIVE else [inner, outer]
        case _:
            raise Unread(f"{placed.sign.value}, of a start or an end")


def _equal(first: Span, last: Span) -> Reading:
    return Demand(Time.START, first.first, first.last), Demand(Time.END, last.first, last.last)


def _within_granule(granule: int) -> list[Reading]:
    """When a row holds at a date within a granule: whether before or after a start or an end in it is not known."""
    return [
        overlapping(granule, granule),
        (Demand(Time.START, None, granule - 1), Demand(Time.END, granule + 1, None, True)),
        (Demand(Time.START, None, granule), Demand(Time.END, granule, None, True)),
    ]


def _loose_readings(placed: _Placed, as_of: int | None) -> list[Reading]:
    """When a row holds of which nothing more is said than a date."""
    if placed.sign in (Sign.IN, Sign.AS_OF) and not placed.is_open_ended:
        date = placed.dates[0]
        if date.is_finer:
            return _within_granule(date.first)
        readings = [overlapping(date.first, date.last)]
        return readings if placed.sign is Sign.IN or date.first == date.last else [*readings, covering(date.first, date.last)]
    first, last = _whole(placed.dates[0]), _whole(placed.dates[-1])
    match placed.sign:
        case Sign.WHOLE:
            return [covering(first.first, first.last)]
        case Sign.BEFORE:
            return [(Demand(Time.PAST, None, first.first),), (Demand(Time.START, None, first.first - 1),)]
        case Sign.AFTER:
            return [(Demand(Time.START, first.last + 1, None),), (Demand(Time.PAST, first.last + 2, None, True),)]
        case Sign.UNTIL:
            return [(Demand(Time.END, first.first, first.last),)]
        case Sign.SINCE:
            today = (Demand(Time.END, NEVER, None, True),) if as_of is None else overlapping(as_of, as_of)
            return [
                (Demand(Time.START, first.first, first.last), *today),
                (Demand(Time.START, first.first, None),),
                (Demand(Time.START, None, first.last), *today),
            ]
        case Sign.FROM if len(placed.dates) == 2:
            return [_equal(first, last), overlapping(first.first, last.last), covering(first.first, last.last)]
        case Sign.BETWEEN:
            within = (Demand(Time.START, first.first, None), Demand(Time.END, None, last.last))
            inside = (Demand(Time.START, first.last + 1, None), Demand(Time.END, None, last.first - 1))
            return [overlapping(first.first, last.last), within, inside, overlapping(first.last + 1, last.first - 1)]
        case _:
            raise Unread(f"{placed.sign.value}, of nothing")
