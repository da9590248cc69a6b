"""Whether a declared temporal functional dependency holds, and which rows break it.

X ->T Y holds if any two rows that agree on X and share a granule agree on Y. Intervals are half-open, a missing end
is later than every time, and a row without length is one granule long. A row with no value in X or in Y says
nothing: it neither agrees nor disagrees. Paper: TDBench, section 3.

A count of violations is told of the pairs of rows that agree on X, at whatever time they hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import duckdb
import numpy as np

from state.interval import Granularity, format_granule
from state.model_base import Contract
from state.tdbench_config import Dependency
from tdbench.dependencies.encoding import Codes, EncodedRows, encode
from tdbench.dependencies.overlaps import PairCount, Partition, count_fellows, count_pairs, everything
from tdbench.table import ROW, TemporalTable, quote


class WitnessRow(Contract):
    """One of two rows that contradict each other."""

    row: int
    """Its place in the source, from 0."""
    value: str
    """What it says of Y."""
    start: int
    """Its first granule."""
    end: int | None
    """The granule in which it no longer holds; `None` if it has no end."""


class Witness(Contract):
    """Two rows that agree on X, share a granule and disagree on Y."""

    determinants: tuple[str, ...]
    """What both say of X."""
    first: WitnessRow
    """The one that comes first in the source."""
    second: WitnessRow
    """The other."""


class DependencyReport(Contract):
    """A dependency against the rows of one table."""

    table: str
    """The table's name."""
    granularity: Granularity
    """Unit of the times."""
    dependency: Dependency
    """What was checked."""
    rows: int
    """Rows with a value in every column of X and in Y; the others say nothing."""
    incomplete: int
    """The others."""
    agreeing: int
    """Pairs of rows that agree on X, at whatever time they hold; violations are told of these."""
    overlapping: int
    """Those of them that share a granule."""
    violations: int
    """Those of these that disagree on Y."""
    started_together: int
    """Violations of which one row is a single granule long and begins with the other. A row without length in the
    source, which is given one granule, would share no instant with a row that begins when it does."""
    rows_involved: int
    """Rows that are part of a violation."""
    support: int
    """Groups that agree on X and take two values of Y at times apart: without any, nothing changes and X ->T Y says
    no more than an ordinary dependency, or nothing."""
    witnesses: tuple[Witness, ...]
    """The first violations by the place of their rows in the source."""

    @property
    def holds(self) -> bool:
        """Whether no pair breaks it."""
        return self.violations == 0

    def as_lines(self) -> list[str]:
        """The verdict, then a line for each witness."""
        if not self.agreeing:
            return [f"{self.table}: {written(self.dependency)} is not put to the test: no two rows agree on its left side"]
        agree = f"{self.agreeing:,} pairs of rows that agree on {' + '.join(self.dependency.determinants)}"
        verdict = f"holds for the {agree}" if self.holds else f"is broken by {self.violations:,} of the {agree}"
        lines = [
            f"{self.table}: {written(self.dependency)} {verdict} (share time: {self.overlapping:,});"
            f" groups whose {self.dependency.dependent} changes over time: {self.support:,}"
        ]
        if self.incomplete:
            lines.append(f"  rows that lack a value and say nothing: {self.incomplete:,}")
        if self.violations:
            lines.append(f"  rows involved: {self.rows_involved:,}" + ("; for example" if self.witnesses else ""))
        for found in self.witnesses:
            lines.append(f"  {', '.join(found.determinants)}: {self._as_text(found.first)}, but {self._as_text(found.second)}")
        return lines

    def _as_text(self, side: WitnessRow) -> str:
        end = "on" if side.end is None else f"before {format_granule(side.end, self.granularity)}"
        return f"row {side.row} has {side.value!r} from {format_granule(side.start, self.granularity)} {end}"


def written(dependency: Dependency) -> str:
    """A dependency as a person writes it.

    >>> written(Dependency(determinants=("Country", "Role"), dependent="Name"))
    'Country + Role ->T Name'
    """
    return f"{' + '.join(dependency.determinants)} ->T {dependency.dependent}"


def check(connection: duckdb.DuckDBPyConnection, table: TemporalTable, dependency: Dependency, witnesses: int = 10) -> DependencyReport:
    """What the table's rows say of a dependency, with so many witnesses of its violation at most.

    Time grows with n log n of the rows and with the witnesses; memory with the rows.

    Raises:
        ConfigError: the table lacks one of the columns.
    """
    encoded = encode(connection, table, (*dependency.determinants, dependency.dependent))
    found = contradictions(encoded, dependency)
    pairs = list(_first_pairs(encoded, found, encoded.values[dependency.dependent], witnesses))
    complete = np.logical_and.reduce([values >= 0 for values in encoded.values.values()])
    return DependencyReport(
        table=table.name,
        granularity=table.granularity,
        dependency=dependency,
        rows=int(complete.sum()),
        incomplete=int((~complete).sum()),
        agreeing=found.agreeing.agreeing,
        overlapping=found.agreeing.overlapping,
        violations=found.pairs,
        started_together=_started_together(encoded, found),
        rows_involved=int((found.per_row > 0).sum()),
        support=found.support,
        witnesses=_as_witnesses(connection, table, dependency, encoded, pairs),
    )


class Contradictions(NamedTuple):
    """Where rows break a dependency."""

    by_determinants: Partition
    """Rows that agree on X with some other, all with a value of Y."""
    by_all: Partition
    """Rows that agree on X and Y with some other."""
    agreeing: PairCount
    """Pairs that agree on X."""
    pairs: int
    """Violations."""
    per_row: Codes
    """Violations that each row of the table is part of."""
    support: int
    """Groups of X with two values of Y at times apart."""


def contradictions(encoded: EncodedRows, dependency: Dependency) -> Contradictions:
    """Where encoded rows break a dependency."""
    by_determinants = everything(encoded, dependency.dependent).refined_by(encoded, *dependency.determinants)
    by_all = by_determinants.refined_by(encoded, dependency.dependent)
    agreeing = count_pairs(encoded, by_determinants)
    fellows, alike = count_fellows(encoded, by_determinants), count_fellows(encoded, by_all)
    is_change = (fellows.over > alike.over)[by_determinants.places]
    return Contradictions(
        by_determinants,
        by_all,
        agreeing,
        agreeing.less(count_pairs(encoded, by_all)).overlapping,
        fellows.overlapping - alike.overlapping,
        len(np.unique(by_determinants.groups[is_change])),
    )


def _started_together(encoded: EncodedRows, found: Contradictions) -> int:
    """Violations among rows with one start, less those in which both rows are longer than a granule."""
    times = np.append(encoded.instants, np.iinfo(np.int64).max)
    is_short = times[encoded.ends] - times[encoded.starts] == 1
    total = 0
    for sign, starts in ((1, encoded.starts), (-1, np.where(is_short, -1, encoded.starts))):
        for side, partition in ((1, found.by_determinants), (-1, found.by_all)):
            together = partition.refined(starts, len(encoded.instants))
            total += sign * side * count_pairs(encoded, together).agreeing
    return total


def _first_pairs(encoded: EncodedRows, found: Contradictions, dependent: Codes, most: int) -> Iterator[tuple[int, int]]:
    """Places of the two rows of a violation, the first violations by both.

    Each row that is looked at begins a pair or ends one that was given before, so no more than twice `most` are.
    """
    by_place = found.by_determinants
    left = most
    for place in np.flatnonzero(found.per_row > 0):
        if not left:
            return
        own = by_place.groups[np.searchsorted(by_place.places, place)]
        others = by_place.places[(by_place.groups == own) & (by_place.places > place)]
        shares_time = (encoded.starts[others] < encoded.ends[place]) & (encoded.starts[place] < encoded.ends[others])
        for other in others[shares_time & (dependent[others] != dependent[place])][:left]:
            left -= 1
            yield int(place), int(other)


def _as_witnesses(
    connection: duckdb.DuckDBPyConnection,
    table: TemporalTable,
    dependency: Dependency,
    encoded: EncodedRows,
    pairs: Sequence[tuple[int, int]],
) -> tuple[Witness, ...]:
    columns = (*dependency.determinants, dependency.dependent)
    rows = sorted({int(encoded.rows[place]) for pair in pairs for place in pair})
    named = ", ".join(quote(column) for column in (ROW, *columns))
    marks = f"SELECT {named} FROM {quote(table.name)} WHERE {quote(ROW)} IN (SELECT unnest(?::BIGINT[]))"
    texts = {row[0]: row[1:] for row in connection.execute(marks, [rows]).fetchall()}

    def side(place: int) -> WitnessRow:
        row = int(encoded.rows[place])
        start = int(encoded.instants[encoded.starts[place]])
        return WitnessRow(row=row, value=texts[row][-1], start=start, end=encoded.granule(encoded.ends[place]))

    return tuple(
        Witness(determinants=texts[int(encoded.rows[first])][:-1], first=side(first), second=side(second)) for first, second in pairs
    )
