"""The published conditions (`tdbench` mode), their faults mended; `docs/tdbench_sql.md` lists which.

Paper: TDBench, section 3.2. Each is named after a relation and is weaker than it in seven of thirteen cases. A row lends
its bounds to the dates of a condition, moved by drawn distances; G(t) is the month of t, or the year in a table of years.
Where the published program takes even and odd rows, a bit is drawn, so that the order of rows does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from state.interval import Granularity
from tdbench.questions.candidates import Form, Proposal
from tdbench.questions.draws import Granules, drawn, mixed
from tdbench.questions.relations import RELATIONS
from tdbench.questions.rows import Lenders
from tdbench.table import TemporalTable


class Calendar:
    """Months and years of a table's granules, on whole arrays."""

    def __init__(self, unit: Granularity) -> None:
        self.unit = unit
        self.months = 12 if unit is Granularity.YEAR else 1
        """Months in the unit of offsets."""

    def moved(self, time: Granules, offset: Granules) -> Granules:
        """A time so many months (years in a table of years) later; a day past its month's last becomes the last."""
        if self.unit is not Granularity.DAY:
            return time + offset
        month = self._month(time)
        same_day = self._first_day(month + offset) + time - self._first_day(month)
        return np.asarray(np.minimum(same_day, self._first_day(month + offset + 1) - 1), dtype=np.int64)

    def moved_years(self, time: Granules, years: Granules | int) -> Granules:
        """A time so many years later."""
        return self.moved(time, np.asarray(years) * (12 // self.months))

    def first(self, time: Granules) -> Granules:
        """First granule of G(t)."""
        return self._first_day(self._month(time)) if self.unit is Granularity.DAY else time

    def last(self, time: Granules) -> Granules:
        """Last granule of G(t)."""
        return self._first_day(self._month(time) + 1) - 1 if self.unit is Granularity.DAY else time

    def first_of_year(self, time: Granules) -> Granules:
        """First granule of the year of t."""
        return self._of_year(time, 0)

    def last_of_year(self, time: Granules) -> Granules:
        """Last granule of the year of t."""
        return time if self.unit is Granularity.YEAR else self._of_year(time, 1) - 1

    def _of_year(self, time: Granules, later: int) -> Granules:
        if self.unit is Granularity.YEAR:
            return time + later
        months = self._month(time) if self.unit is Granularity.DAY else time
        january = (months // 12 + later) * 12
        return self._first_day(january) if self.unit is Granularity.DAY else january

    @staticmethod
    def _month(days: Granules) -> Granules:
        return np.asarray(days).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)

    @staticmethod
    def _first_day(months: Granules) -> Granules:
        return np.asarray(months).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


class _Seeds:
    """The rows that lend their bounds, and what is drawn for each under one relation."""

    def __init__(self, table: TemporalTable, rows: Lenders, place: int, as_of: int | None, horizon: int) -> None:
        self.rows, self.place, self.horizon = rows, place, horizon
        self.keys = mixed(rows.keys, 300 + place)
        self.calendar = Calendar(table.granularity)
        self.is_ongoing = ~rows.is_ended if table.open_end == "ongoing" else np.zeros(len(rows.end), dtype=bool)
        self.start = rows.start
        today = rows.start if as_of is None else np.full(len(rows.end), as_of, dtype=np.int64)
        self.end = np.where(rows.is_ended, rows.end, today)
        self.has_end = rows.is_ended | (self.is_ongoing & (as_of is not None) & (self.start <= today))
        """Whether an end is known, or, of what is ongoing, the as-of day stands for it."""
        yearly = self.calendar.unit is Granularity.YEAR
        self.offset = self.draw(1, 1, 5 if yearly else 12)
        self.years = self.draw(2, 1, 5)
        self.is_odd = self.draw(3, 0, 1).astype(bool)
        self.inside = self.draw(4, self.start, self.end)
        """A time from start to end."""

    def draw(self, stream: int, low: Granules | int, high: Granules | int) -> Granules:
        return drawn(self.keys, stream, low, high)

    def near(self, stream: int, years: int) -> Granules:
        """Up to so many years, in the unit of offsets."""
        return self.draw(stream, 0, years * 12 // self.calendar.months)

    def known(self, time: Granules) -> Granules:
        """A time, or the horizon if that is earlier: who will have ended later is not known."""
        return np.minimum(time, self.horizon)

    def ask(
        self, condition: str, dates: tuple[Granules, ...], chosen: np.ndarray, first: Granules,
        second: Granules | None = None, back: Granules | None = None,
    ) -> Proposal:  # fmt: skip
        """The condition with its dates for those of the chosen rows for which none lies past the horizon."""
        for date in dates:
            chosen = chosen & (date <= self.horizon)
        form: Form = tuple(tuple(part.split()) for part in condition.split(" and "))  # type: ignore[misc]
        yearly = self.calendar.unit is Granularity.YEAR
        months, years = (None, back) if yearly else (back, None)
        return Proposal(self.place, form, self.rows.group, dates, first, second, months, years).where(chosen)


def _after(s: _Seeds) -> Iterator[Proposal]:
    time = s.calendar.last(s.calendar.moved(s.start, -s.near(5, 7 if s.calendar.unit is Granularity.YEAR else 3)))
    yield s.ask("start >", (time,), np.ones(len(time), dtype=bool), time)


def _before(s: _Seeds) -> Iterator[Proposal]:
    time = s.known(s.calendar.last(s.calendar.moved(s.end, s.near(5, 5 if s.calendar.unit is Granularity.YEAR else 3))))
    yield s.ask("end <", (time,), s.has_end, time)


def _exactly(s: _Seeds, bound: str, own: Granules, usable: np.ndarray, hits_if: np.ndarray) -> Iterator[Proposal]:
    """`bound = T - o`: T lies o past the row's own bound, which then answers, or T is that bound, and it does not."""
    later = s.calendar.moved(own, s.offset)
    returns = s.calendar.moved(later, -s.offset) == own
    offset = np.where(returns, s.offset, 12 // s.calendar.months)
    later = s.calendar.moved(own, offset)
    returns = s.calendar.moved(later, -offset) == own
    yield s.ask(f"{bound} =", (own,), usable & hits_if & returns, later, back=offset)
    yield s.ask(f"{bound} =", (s.calendar.moved(own, -s.offset),), usable & ~hits_if, own, back=s.offset)


def _meet(s: _Seeds) -> Iterator[Proposal]:
    yield from _exactly(s, "end", s.end, s.rows.is_ended, s.is_odd)


def _met_by(s: _Seeds) -> Iterator[Proposal]:
    yield from _exactly(s, "start", s.start, np.ones(len(s.start), dtype=bool), ~s.is_odd)


def _overlap(s: _Seeds) -> Iterator[Proposal]:
    time, until = s.calendar.last(s.inside), s.known(s.calendar.moved_years(s.end, s.years))
    yield s.ask("start < and end >= and end <=", (time, time, until), s.has_end, time, until)


def _overlapped_by(s: _Seeds) -> Iterator[Proposal]:
    time, since = s.calendar.last(s.inside), s.calendar.moved_years(s.start, -s.years)
    yield s.ask("start >= and start <= and end >", (since, time, time), s.has_end, since, time)


def _within(s: _Seeds) -> tuple[Granules, Granules]:
    return s.calendar.first(s.start), s.calendar.last(s.start)


def _equal(s: _Seeds) -> Iterator[Proposal]:
    begin, begun = _within(s)
    close, closed = s.calendar.first(s.end), s.known(s.calendar.last(s.end))
    yield s.ask("start >= and start <= and end >= and end <=", (begin, begun, close, closed), s.rows.is_ended, begin, close)
    yield s.ask("start >= and start <=", (begin, begun), s.is_ongoing, begin)


def _start(s: _Seeds) -> Iterator[Proposal]:
    begin, begun = _within(s)
    until = s.known(s.calendar.first(s.calendar.moved(s.end, s.offset)))
    yield s.ask("start >= and start <= and end <", (begin, begun, until), s.rows.is_ended, begin, until)
    yield s.ask("start >= and start <=", (begin, begun), s.is_ongoing, begin)


def _started_by(s: _Seeds) -> Iterator[Proposal]:
    begin, begun = _within(s)
    yield s.ask("start >= and start <=", (begin, begun), np.ones(len(begin), dtype=bool), begin)


def _finish(s: _Seeds) -> Iterator[Proposal]:
    since = s.calendar.last(s.calendar.moved(s.start, -s.offset))
    close, closed = s.calendar.first(s.end), s.known(s.calendar.last(s.end))
    yield s.ask("start > and end >= and end <=", (since, close, closed), s.rows.is_ended, since, close)


def _finished_by(s: _Seeds) -> Iterator[Proposal]:
    close, closed = s.calendar.first(s.end), s.known(s.calendar.last(s.end))
    yield s.ask("end >= and end <=", (close, closed), s.rows.is_ended, close)


def _during(s: _Seeds) -> Iterator[Proposal]:
    since, until = s.calendar.first_of_year(s.start), s.known(s.calendar.last_of_year(s.end))
    yield s.ask("start > and end <", (since, until), s.rows.is_ended, since, until)
    low, high = s.calendar.moved_years(s.start, -2), s.known(s.calendar.moved_years(s.start, 2))
    yield s.ask("start >= and start <=", (low, high), s.is_ongoing, low, high)


def _contain(s: _Seeds) -> Iterator[Proposal]:
    january, december = s.calendar.first_of_year(s.start), s.calendar.last_of_year(s.end)
    yield s.ask("start < and end >", (january, december), s.has_end & ~s.is_odd, january, december)
    step = s.draw(6, 1, 1 if s.calendar.unit is Granularity.YEAR else 5)
    later, earlier = s.calendar.moved(s.start, step), s.calendar.moved(s.end, -step)
    yield s.ask("start < and end >", (later, earlier), s.has_end & s.is_odd & (later < earlier), later, earlier)


CONDITIONS: dict[str, Callable[[_Seeds], Iterator[Proposal]]] = {
    "after": _after, "before": _before, "meet": _meet, "met-by": _met_by, "overlap": _overlap, "overlapped-by": _overlapped_by,
    "equal": _equal, "start": _start, "started-by": _started_by, "finish": _finish, "finished-by": _finished_by,
    "during": _during, "contain": _contain,
}  # fmt: skip


def published_proposals(table: TemporalTable, rows: Lenders, asked: frozenset[int], as_of: int | None, horizon: int) -> list[Proposal]:
    """For each row and relation the published condition, with dates made from the row's own.

    Args:
        table: what is known of the table.
        rows: those that lend their dates.
        asked: places in `RELATIONS` of those that are wanted.
        as_of: the granule that stands for the end of what is ongoing; `None`: no condition needs it then.
        horizon: the granule up to which the table is known; no date lies past it.
    """
    return [
        proposal
        for place in sorted(asked)
        for proposal in CONDITIONS[RELATIONS[place].name](_Seeds(table, rows, place, as_of, horizon))
        if len(proposal.groups)
    ]
