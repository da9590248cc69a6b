"""All temporal functional dependencies that a table obeys and that are not implied by shorter ones.

Left sides grow level by level, from one column to three. A left side is left out for Y as soon as a part of it
already determines Y, or no pair of rows that agrees on a part of it disagrees on Y: then a longer one is not minimal,
or nothing is left for it to tell. Pairs are counted by sorting (`overlaps`), for every set of up to four columns at
most once. Paper: TDBench, section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import duckdb

from state.model_base import Contract
from state.tdbench_config import Dependency
from tdbench.dependencies.check import contradictions, written
from tdbench.dependencies.encoding import EncodedRows, encode
from tdbench.dependencies.overlaps import PairCount, Partition, count_pairs, everything
from tdbench.table import TemporalTable

MOST_DETERMINANTS = 3
"""Columns on a left side, at most."""

_Key = tuple[str | None, tuple[str, ...]]
"""The column that rows must have a value in, if some have none, and those that they agree on, in the table's order."""


class FoundDependency(Contract):
    """A minimal dependency that the rows obey."""

    dependency: Dependency
    """Left and right side."""
    agreeing: int
    """Pairs of rows that agree on the left side."""
    overlapping: int
    """Those of them that share a granule."""
    violations: int
    """Those of these that disagree on the right side: none unless some are tolerated."""
    support: int
    """Groups that agree on the left side and change the right one over time; at least one."""


class Discovered(Contract):
    """What was found in a table."""

    table: str
    """The table's name."""
    tolerance: float
    """Share of the pairs that agree on the left side that may break a dependency."""
    temporal: tuple[FoundDependency, ...]
    """Minimal dependencies with support, short left sides first, then in the order of the table's columns."""
    constant: tuple[Dependency, ...]
    """Ordinary dependencies, whose right side never changes while the left one stays, and which more than one row
    bears out. Minimal too, and without those whose left side has a part that is in `temporal` for the same Y."""

    def as_lines(self) -> list[str]:
        """One line a dependency."""
        lines = [f"{self.table}: temporal dependencies: {len(self.temporal):,}; those that never change: {len(self.constant):,}"]
        for found in self.temporal:
            broken = f", broken by {found.violations:,} of {found.agreeing:,} pairs" if found.violations else ""
            lines.append(f"  {written(found.dependency)}: groups that change over time: {found.support:,}{broken}")
        lines.extend(f"  {written(dependency)}: never changes" for dependency in self.constant)
        return lines


def discover(connection: duckdb.DuckDBPyConnection, table: TemporalTable, tolerance: float = 0.0) -> Discovered:
    """The minimal dependencies of a table with at most three columns on the left.

    A dependency holds if at most `tolerance` of the pairs that agree on its left side break it, and is minimal if it
    holds for no part of that side. Rows without a value on either side are left out of it, pair by pair.

    Time grows with n log n of the rows, times the sets of columns that are left to look at; memory with rows and columns.
    """
    encoded = encode(connection, table, table.columns)
    settled: dict[str, list[frozenset[str]]] = {column: [] for column in table.columns}
    temporal, constant = [], []
    for size in range(1, MOST_DETERMINANTS + 1):
        tests = [
            Dependency(determinants=left, dependent=right)
            for left in combinations(table.columns, size)
            for right in table.columns
            if right not in left and not any(part.issubset(left) for part in settled[right])
        ]
        counts = _counts(encoded, table.columns, tests)
        for test in tests:
            left_key, both_key = _keys(encoded, table.columns, test)
            agreeing = counts[left_key]
            differing = agreeing.less(counts[both_key])
            if not differing.agreeing:
                settled[test.dependent].append(frozenset(test.determinants))
                if agreeing.agreeing:
                    constant.append(test)
            elif differing.overlapping <= tolerance * agreeing.agreeing:
                settled[test.dependent].append(frozenset(test.determinants))
                if differing.disjoint:
                    temporal.append(
                        FoundDependency(
                            dependency=test,
                            agreeing=agreeing.agreeing,
                            overlapping=agreeing.overlapping,
                            violations=differing.overlapping,
                            support=contradictions(encoded, test).support,
                        )
                    )
    return Discovered(table=table.name, tolerance=tolerance, temporal=tuple(temporal), constant=tuple(constant))


def _keys(encoded: EncodedRows, columns: tuple[str, ...], test: Dependency) -> tuple[_Key, _Key]:
    """What to count for a test: pairs that agree on X where Y is known, and those that agree on both."""
    both = {*test.determinants, test.dependent}
    having = None if encoded.is_complete(test.dependent) else test.dependent
    return (having, test.determinants), (None, tuple(column for column in columns if column in both))


def _counts(encoded: EncodedRows, columns: tuple[str, ...], tests: Iterable[Dependency]) -> dict[_Key, PairCount]:
    """The pairs of all that the tests need, one partition at a time."""
    wanted = {key for test in tests for key in _keys(encoded, columns, test)}
    place = {None: -1} | {column: number for number, column in enumerate(columns)}
    in_order = sorted(wanted, key=lambda key: (place[key[0]], [place[column] for column in key[1]]))
    return {key: count_pairs(encoded, partition) for key, partition in _partitions(encoded, in_order)}


def _partitions(encoded: EncodedRows, in_order: Iterable[_Key]) -> Iterator[tuple[_Key, Partition]]:
    """The partition of each key; those of a key's beginnings are kept for the next one, and nothing else is."""
    having: str | None = None
    chain: list[tuple[str, Partition]] = []
    root = everything(encoded)
    for key in in_order:
        if key[0] != having:
            having, chain, root = key[0], [], everything(encoded, key[0])
        shared = 0
        while shared < len(chain) and chain[shared][0] == key[1][shared]:
            shared += 1
        del chain[shared:]
        for column in key[1][shared:]:
            before = chain[-1][1] if chain else root
            chain.append((column, before.refined_by(encoded, column)))
        yield key, chain[-1][1]
