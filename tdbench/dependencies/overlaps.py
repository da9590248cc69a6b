"""How many rows of a group hold at once: counted by sorting, never pair by pair.

Let all rows of a group be half-open intervals of at least one granule. Two of them share no granule exactly if one
ends at or before the start of the other. So of a row's group-fellows,

    those that are over before it    have  end <= its start,  and
    those that begin while it holds,
    or before                        have  start < its end.

Who is over has begun (start < end <= its start < its end), and the row itself has begun and is not over. Therefore

    overlapping fellows = (starts before its end) - (ends up to its start) - 1,

and, as of two disjoint rows exactly one is over before the other, the disjoint pairs of a group are the sum of
(ends up to its start) over its rows. Both are places in a sorted array: n log n steps, memory linear in n.

Rows that agree on X but not on Y are those that agree on X less those that agree on X and Y. So violations of
X ->T Y are a difference of two such counts, exact for every pair and every row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tdbench.dependencies.encoding import Codes, EncodedRows


class PairCount(NamedTuple):
    """Unordered pairs of rows in the same group."""

    agreeing: int
    """All of them, whenever they hold."""
    disjoint: int
    """Those that share no granule."""

    @property
    def overlapping(self) -> int:
        """Those that share one."""
        return self.agreeing - self.disjoint

    def less(self, other: PairCount) -> PairCount:
        """The pairs that are in this count and not in a part of it."""
        return PairCount(self.agreeing - other.agreeing, self.disjoint - other.disjoint)


class Partition(NamedTuple):
    """The rows that have a fellow in their group; nobody else makes a pair, here or in any finer partition."""

    places: NDArray[np.intp]
    """Places of the rows in the encoded table, ascending."""
    groups: Codes
    """Group of each, from 0 without a gap."""

    def refined(self, codes: Codes, size: int) -> Partition:
        """The partition by one more thing as well: its number of each row of the table, below `size`.

        Rows with -1, for nothing, agree with nobody and leave.
        """
        places, groups, codes = self.places, self.groups, codes[self.places]
        if (codes < 0).any():
            present = codes >= 0
            places, groups, codes = places[present], groups[present], codes[present]
        keys = groups * size + codes
        bound = (int(groups.max()) + 1) * size if len(groups) else 0
        if bound > 4 * len(keys):
            _, keys = np.unique(keys, return_inverse=True)
            bound = len(keys)
        shared = np.bincount(keys, minlength=bound) > 1
        kept = shared[keys]
        return Partition(places[kept], (np.cumsum(shared) - 1)[keys[kept]])

    def refined_by(self, encoded: EncodedRows, *columns: str) -> Partition:
        """The partition by columns as well."""
        partition = self
        for column in columns:
            partition = partition.refined(encoded.values[column], encoded.sizes[column])
        return partition


def everything(encoded: EncodedRows, having: str | None = None) -> Partition:
    """All rows, or those with a value in one column, in a single group."""
    places = np.arange(len(encoded)) if having is None else np.flatnonzero(encoded.values[having] >= 0)
    return Partition(places, np.zeros(len(places), dtype=np.int64))


def count_pairs(encoded: EncodedRows, partition: Partition) -> PairCount:
    """The pairs of a partition."""
    sizes = np.bincount(partition.groups)
    span = len(encoded.instants) + 1
    starts = np.sort(partition.groups * span + encoded.starts[partition.places])
    ends = np.sort(partition.groups * span + encoded.ends[partition.places])
    over = np.searchsorted(ends, starts, side="right")
    return PairCount(int((sizes * (sizes - 1) // 2).sum()), int(over.sum()) - int((sizes * (np.cumsum(sizes) - sizes)).sum()))


class Fellows(NamedTuple):
    """Of each row of the table: how many others of its group there are."""

    overlapping: Codes
    """Those that share a granule with it."""
    over: Codes
    """Those that end at or before its start."""


def count_fellows(encoded: EncodedRows, partition: Partition) -> Fellows:
    """The fellows of every row, none for rows outside the partition."""
    overlapping, over = np.zeros(len(encoded), dtype=np.int64), np.zeros(len(encoded), dtype=np.int64)
    sizes = np.bincount(partition.groups)
    before = (np.cumsum(sizes) - sizes)[partition.groups]
    span = len(encoded.instants) + 1
    starts = partition.groups * span + encoded.starts[partition.places]
    ends = partition.groups * span + encoded.ends[partition.places]
    ended = np.searchsorted(np.sort(ends), starts, side="right") - before
    over[partition.places] = ended
    overlapping[partition.places] = np.searchsorted(np.sort(starts), ends, side="left") - before - ended - 1
    return Fellows(overlapping, over)
