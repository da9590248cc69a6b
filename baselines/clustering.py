"""k-means over vectors of whole numbers: seeded, with every tie decided, and exact, so the same on any machine.

Distances stay below 2**53, where products in floating point are exact whatever the order of the sums; centroids are
rounded to whole numbers for that.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baselines.term_weights import Whole

MOST_ROUNDS = 100
"""Rounds after which a run ends although rows still move: a rounded centroid may swing between two places."""


class Clusters(NamedTuple):
    """A partition of rows."""

    labels: Whole
    """Cluster of each row; each cluster has one."""
    distances: Whole
    """Squared distance of each row to its own centroid."""

    @property
    def inertia(self) -> int:
        """Sum of the distances."""
        return int(self.distances.sum())

    def nearest(self) -> list[int]:
        """The row nearest to the centroid, by cluster; of equals the first."""
        found: list[int] = []
        for cluster in range(int(self.labels.max()) + 1):
            rows = np.flatnonzero(self.labels == cluster)
            found.append(int(rows[np.argmin(self.distances[rows])]))
        return found


def k_means(rows: Whole, k: int, *, n_init: int, seed: int) -> Clusters:
    """The best of several runs by inertia; of equals the first.

    A row goes to the nearest centroid, of equals to the first. Starts are drawn by k-means++: each next centroid
    with a chance proportional to the squared distance from those before. A cluster that loses all rows takes the row
    that is farthest from its centroid, of equals the first. With fewer distinct rows than `k` there are fewer clusters.

    Args:
        rows: `(n, terms)`, at least one row.
        k: most clusters.
        n_init: runs.
        seed: seed of the starts.
    """
    rng = random.Random(f"k-means {seed}")  # noqa: S311 - no secret; a text seeds the same on every machine
    clusters = min(k, len(np.unique(rows, axis=0)))
    exact = rows.astype(np.float64)
    runs = [_run(rows, exact, _starts(rows, exact, clusters, rng)) for _ in range(n_init)]
    return min(runs, key=lambda run: run.inertia)


def _starts(rows: Whole, exact: npt.NDArray[np.float64], k: int, rng: random.Random) -> Whole:
    chosen = [rng.randrange(len(rows))]
    nearest = _distances(rows, exact, rows[chosen])[:, 0]
    while len(chosen) < k:
        sums = np.cumsum(nearest)
        chosen.append(int(np.searchsorted(sums, rng.randrange(int(sums[-1])), side="right")))
        nearest = np.minimum(nearest, _distances(rows, exact, rows[chosen[-1:]])[:, 0])
    return rows[chosen]


def _run(rows: Whole, exact: npt.NDArray[np.float64], centroids: Whole) -> Clusters:
    labels, distances = _assigned(rows, exact, centroids)
    for _ in range(MOST_ROUNDS):
        moved = np.stack([_mean(rows[labels == cluster]) for cluster in range(len(centroids))])
        again, distances = _assigned(rows, exact, moved)
        if np.array_equal(again, labels):
            break
        labels = again
    return Clusters(labels, distances)


def _assigned(rows: Whole, exact: npt.NDArray[np.float64], centroids: Whole) -> tuple[Whole, Whole]:
    table = _distances(rows, exact, centroids)
    labels: Whole = table.argmin(axis=1)
    distances: Whole = table[np.arange(len(rows)), labels]
    for cluster in range(len(centroids)):
        if not (labels == cluster).any():
            shared = np.bincount(labels, minlength=len(centroids))[labels] > 1  # no cluster is emptied to fill another
            row = int(np.where(shared, distances, -1).argmax())
            labels[row], distances[row] = cluster, 0
    return labels, distances


def _mean(rows: Whole) -> Whole:
    mean: Whole = (2 * rows.sum(axis=0) + len(rows)) // (2 * len(rows))  # halves up
    return mean


def _distances(rows: Whole, exact: npt.NDArray[np.float64], centroids: Whole) -> Whole:
    products = (exact @ centroids.astype(np.float64).T).astype(np.int64)
    table: Whole = (rows * rows).sum(axis=1)[:, None] - 2 * products + (centroids * centroids).sum(axis=1)[None, :]
    return table
