"""Intervals to compare rows with in `strict` mode: one for each row and relation, so that the row is an answer.

The interval is given by its dates, never by another row: a row's name may belong to several intervals, and the
dates say the same without a second hop. Both bounds lie a drawn distance from the row's own unless the relation fixes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from state.interval import Granularity
from tdbench.questions.candidates import Form, Proposal
from tdbench.questions.draws import Granules, Keys, drawn, mixed
from tdbench.questions.relations import COMPARATORS, RELATIONS, Relation
from tdbench.questions.rows import Lenders, Rows
from tdbench.table import TemporalTable

FARTHEST = {Granularity.YEAR: 5, Granularity.MONTH: 36, Granularity.DAY: 730}
"""Granules from a row's bound to a reference's at most."""

_NEEDS_THE_END = frozenset({"before", "meet", "overlap", "equal", "start", "finish", "finished-by", "during"})
"""Relations in which the reference's bounds follow from the row's end, or lie past it."""
_NEEDS_NO_END = frozenset({"after", "met-by"})


class _Row(NamedTuple):
    """Columns of the rows that references are drawn for."""

    start: Granules
    end: Granules
    near: Granules
    """A drawn distance."""
    far: Granules
    """Another."""
    keys: Keys

    def within(self, stream: int, low: Granules, high: Granules) -> Granules:
        """A drawn granule from `low` to `high`."""
        return drawn(self.keys, stream, low, high)


_Interval = tuple[Granules, Granules]


def _inside(row: _Row) -> _Interval:
    start = row.within(1, row.start + 1, row.end - 2)
    return start, row.within(2, start + 1, row.end - 1)


def _past_the_start(row: _Row) -> Granules:
    return row.within(1, row.start + 1, row.end - 1)


_DRAW: dict[str, Callable[[_Row], _Interval]] = {
    "after": lambda row: (row.start - row.near - row.far, row.start - row.near),
    "before": lambda row: (row.end + row.near, row.end + row.near + row.far),
    "meet": lambda row: (row.end, row.end + row.far),
    "met-by": lambda row: (row.start - row.far, row.start),
    "overlap": lambda row: (_past_the_start(row), row.end + row.far),
    "overlapped-by": lambda row: (row.start - row.far, _past_the_start(row)),
    "equal": lambda row: (row.start, row.end),
    "start": lambda row: (row.start, row.end + row.far),
    "started-by": lambda row: (row.start, _past_the_start(row)),
    "finish": lambda row: (row.start - row.far, row.end),
    "finished-by": lambda row: (_past_the_start(row), row.end),
    "during": lambda row: (row.start - row.near, row.end + row.far),
    "contain": _inside,
}
"""The reference to which a row stands in a relation."""


def form_of(relation: Relation) -> Form:
    """A relation's comparisons as the form of a condition."""
    return tuple((test.bound, test.comparator) for test in relation.tests)


def strict_proposals(table: TemporalTable, rows: Lenders, asked: frozenset[int], horizon: int) -> list[Proposal]:
    """For each row and relation a query that the row answers, and one that asks the relation of another one's reference.

    The second kind has, as a rule, no answer. References are cut at the horizon: what holds still may end before a
    later date. One that no longer fits its row then is left out.

    Args:
        table: what is known of the table.
        rows: those that lend their dates.
        asked: places in `RELATIONS` of those that are wanted.
        horizon: the granule up to which the table is known.
    """
    unknown = table.open_end == "unknown"
    farthest = FARTHEST[table.granularity]
    starts: list[Granules] = []
    ends: list[Granules] = []
    fits = []
    for place, relation in enumerate(RELATIONS):
        streams = mixed(rows.keys, 100 + place)
        known = np.where(rows.is_ended, rows.end, horizon)
        row = _Row(rows.start, known, drawn(streams, 3, 1, farthest), drawn(streams, 4, 1, farthest), streams)
        start, end = _DRAW[relation.name](row)
        end = np.minimum(end, horizon)
        fit = np.ones(len(start), dtype=bool)
        for test in relation.tests:
            own = rows.start if test.bound == "start" else rows.end
            fit &= COMPARATORS[test.comparator](own, start if test.other == "start" else end)
        if relation.name in _NEEDS_THE_END or (unknown and relation.name not in _NEEDS_NO_END):
            fit &= rows.is_ended
        starts.append(start)
        ends.append(end)
        fits.append(fit & (start < end))
    proposals = []
    for place in sorted(asked):
        relation = RELATIONS[place]
        for which in (np.full(len(rows.start), place), _another(rows.keys, place)):
            start, end, fit = np.choose(which, starts), np.choose(which, ends), np.choose(which, fits)
            dates = tuple(start if test.other == "start" else end for test in relation.tests)
            proposals.append(Proposal(place, form_of(relation), rows.group, dates, start, end).where(fit))
    return proposals


def _another(keys: Keys, place: int) -> Granules:
    other = drawn(keys, 200 + place, 0, len(RELATIONS) - 2)
    return other + (other >= place)


def horizon_of(rows: Rows, as_of: int | None) -> int:
    """The granule up to which the table is known: that of the as-of day, or the last in the rows.

    What is ongoing holds in it. So of an interval that ends no later it is known who outlives it and who does not.
    """
    if as_of is not None:
        return as_of
    dates = [*rows.start.tolist(), *rows.end[rows.is_ended].tolist()]
    return max(dates, default=0)
