"""What would make a broken dependency hold: another column on its left side, earlier ends, or fewer rows.

Nothing is changed here: each suggestion says what to change and how many violations it leaves, and which to take is
the user's word. The paper leaves such dependencies to the user without a hint. Paper: TDBench, section 3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import Literal

import duckdb
import numpy as np

from state.model_base import Contract
from state.tdbench_config import Dependency
from tdbench.dependencies.check import Contradictions, contradictions, written
from tdbench.dependencies.discover import MOST_DETERMINANTS
from tdbench.dependencies.encoding import Codes, EncodedRows, encode, require_columns
from tdbench.table import TemporalTable

MOST_PAIRS = 2_000_000
"""With more pairs of rows to look at one by one, only columns are suggested: such a dependency is not nearly valid."""


class Cut(Contract):
    """An earlier end for one row."""

    row: int
    """Its place in the source, from 0."""
    end: int
    """The granule in which it is no longer to hold: the start of the row that takes over."""
    lost: int | None
    """Granules that it no longer holds in; `None` if it had no end."""


class Suggestion(Contract):
    """One way to repair a dependency, wholly or in part."""

    kind: Literal["add a column", "shorten rows by one granule", "shorten rows", "drop rows"]
    """What is to be changed."""
    column: str | None = None
    """The column to add to X."""
    cuts: tuple[Cut, ...] = ()
    """The rows to shorten, in the order of the source."""
    rows: tuple[int, ...] = ()
    """The rows to drop, in the order of the source."""
    violations_left: int
    """Pairs that break the dependency afterwards."""
    support_left: int
    """Groups of X that change their Y over time afterwards; a suggestion that leaves none is not made."""


class Repairs(Contract):
    """What would help a dependency."""

    table: str
    """The table's name."""
    dependency: Dependency
    """What is to be repaired."""
    violations: int
    """Pairs that break it now."""
    suggestions: tuple[Suggestion, ...]
    """Columns first, those that leave the fewest violations in front, then shorter rows, then fewer rows."""
    rows_examined: bool
    """Whether rows were looked at; `False` if they are too many for the dependency to be nearly valid."""

    def as_lines(self) -> list[str]:
        """The state of things, then one line a suggestion."""
        if not self.violations:
            return [f"{self.table}: {written(self.dependency)} needs no repair"]
        lines = [f"{self.table}: {written(self.dependency)} is broken; violations {self.violations:,}"]
        for suggestion in self.suggestions:
            left = f"violations left {suggestion.violations_left:,}, groups that change over time {suggestion.support_left:,}"
            lines.append(f"  {_told(suggestion)}; {left}")
        if not self.suggestions:
            lines.append("  nothing would help and leave something that changes over time")
        if not self.rows_examined:
            lines.append("  too many rows contradict one another to say which should be shortened or dropped")
        return lines


def suggest_repairs(connection: duckdb.DuckDBPyConnection, table: TemporalTable, dependency: Dependency) -> Repairs:
    """What would make a dependency hold, or hold better.

    - A column is suggested if it makes violations fewer. Rows that lack a value there say nothing any more.
    - A row is shortened where another takes over: one that begins later, holds at least as long, and contradicts it.
      It then ends where the first such row begins. Once for the rows of which that takes a single granule, as when
      both hold office on the day of the hand-over, and once for all.
    - Rows are dropped until nothing is broken, always the one in most violations, of several the last in the source.
      The fewest rows possible they need not be.

    Raises:
        ConfigError: the table lacks one of the columns.
    """
    require_columns(table, (*dependency.determinants, dependency.dependent))
    encoded = encode(connection, table, table.columns)
    found = contradictions(encoded, dependency)
    if not found.pairs:
        return Repairs(table=table.name, dependency=dependency, violations=0, suggestions=(), rows_examined=True)
    pairs = _broken_pairs(encoded, dependency, found)
    columns = sorted(_columns(encoded, table, dependency, found.pairs), key=lambda suggestion: suggestion.violations_left)
    rows = () if pairs is None else (*_shorter(encoded, dependency, *pairs), *_fewer(encoded, dependency, *pairs))
    return Repairs(
        table=table.name,
        dependency=dependency,
        violations=found.pairs,
        suggestions=tuple(suggestion for suggestion in (*columns, *rows) if suggestion.support_left),
        rows_examined=pairs is not None,
    )


def _columns(encoded: EncodedRows, table: TemporalTable, dependency: Dependency, violations: int) -> Iterator[Suggestion]:
    if len(dependency.determinants) == MOST_DETERMINANTS:
        return
    for column in table.columns:
        if column not in dependency.determinants and column != dependency.dependent:
            longer = Dependency(determinants=(*dependency.determinants, column), dependent=dependency.dependent)
            after = contradictions(encoded, longer)
            if after.pairs < violations:
                yield Suggestion(kind="add a column", column=column, violations_left=after.pairs, support_left=after.support)


def _broken_pairs(encoded: EncodedRows, dependency: Dependency, found: Contradictions) -> tuple[Codes, Codes] | None:
    """Places of the earlier and of the later row of every violation; `None` if too many pairs would have to be looked at.

    In the order of group and start, the rows that a row overlaps and that come after it stand in one stretch behind
    it: those of its group that start before its end.
    """
    places, groups = found.by_determinants
    keys = groups * (len(encoded.instants) + 1)
    order = np.argsort(keys + encoded.starts[places], kind="stable")
    places, keys = places[order], keys[order]
    until = np.searchsorted(keys + encoded.starts[places], keys + encoded.ends[places], side="left")
    looked_at = np.flatnonzero(found.per_row[places] > 0)
    lengths = until[looked_at] - looked_at - 1
    if lengths.sum() > MOST_PAIRS:
        return None
    earlier = np.repeat(looked_at, lengths)
    later = earlier + 1 + np.arange(len(earlier)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    dependent = encoded.values[dependency.dependent][places]
    broken = dependent[earlier] != dependent[later]
    return places[earlier[broken]], places[later[broken]]


def _shorter(encoded: EncodedRows, dependency: Dependency, earlier: Codes, later: Codes) -> Iterator[Suggestion]:
    takes_over = (encoded.starts[earlier] < encoded.starts[later]) & (encoded.ends[earlier] <= encoded.ends[later])
    ends = encoded.ends.copy()
    np.minimum.at(ends, earlier[takes_over], encoded.starts[later[takes_over]])
    cut = np.flatnonzero(ends < encoded.ends)
    times = np.append(encoded.instants, np.iinfo(np.int64).max)
    by_one = cut[times[encoded.ends[cut]] - times[ends[cut]] == 1]
    if 0 < len(by_one) < len(cut):
        yield _shortened(encoded, dependency, "shorten rows by one granule", by_one, ends)
    if len(cut):
        yield _shortened(encoded, dependency, "shorten rows" if len(by_one) < len(cut) else "shorten rows by one granule", cut, ends)


def _shortened(
    encoded: EncodedRows,
    dependency: Dependency,
    kind: Literal["shorten rows", "shorten rows by one granule"],
    cut: Codes,
    ends: Codes,
) -> Suggestion:
    changed = encoded.ends.copy()
    changed[cut] = ends[cut]
    after = contradictions(replace(encoded, ends=changed), dependency)
    cuts = []
    for place in cut:
        before, end = encoded.granule(encoded.ends[place]), int(encoded.instants[ends[place]])
        cuts.append(Cut(row=int(encoded.rows[place]), end=end, lost=None if before is None else before - end))
    return Suggestion(kind=kind, cuts=tuple(cuts), violations_left=after.pairs, support_left=after.support)


def _fewer(encoded: EncodedRows, dependency: Dependency, earlier: Codes, later: Codes) -> Iterator[Suggestion]:
    fellows: dict[int, set[int]] = defaultdict(set)
    for first, second in zip(earlier.tolist(), later.tolist(), strict=True):
        fellows[first].add(second)
        fellows[second].add(first)
    waiting = [(-len(others), -place) for place, others in fellows.items()]
    heapify(waiting)
    dropped = []
    while waiting:
        violations, place = heappop(waiting)
        others = fellows[-place]
        if -violations != len(others):
            continue  # it was dropped, or stands in the heap once more with fewer violations
        for other in others:
            fellows[other].discard(-place)
            if fellows[other]:
                heappush(waiting, (-len(fellows[other]), -other))
        dropped.append(-place)
        fellows[-place] = set()
    values = encoded.values[dependency.dependent].copy()
    values[dropped] = -1
    after = contradictions(replace(encoded, values=encoded.values | {dependency.dependent: values}), dependency)
    rows = tuple(int(encoded.rows[place]) for place in sorted(dropped))
    yield Suggestion(kind="drop rows", rows=rows, violations_left=after.pairs, support_left=after.support)


def _told(suggestion: Suggestion) -> str:
    """What is to be done."""
    if suggestion.kind == "add a column":
        return f"add {suggestion.column} to the left side"
    if suggestion.kind == "drop rows":
        return f"drop rows: {len(suggestion.rows):,}"
    ended = [cut.lost for cut in suggestion.cuts if cut.lost is not None]
    never_ended = len(suggestion.cuts) - len(ended)
    lost = f", granules lost at most {max(ended):,}" if ended else ""
    opened = f", without an end so far {never_ended:,}" if never_ended else ""
    return f"end rows where the next begins: {len(suggestion.cuts):,}{lost}{opened}"
