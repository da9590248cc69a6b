"""k-means over vectors of whole numbers: seeded, with every tie decided, and exact, so the same on any machine.

Centroids are rounded to whole numbers too, so no sum depends on its order.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np

from baselines.term_weights import Rows, Whole

MOST_ROUNDS = 100
"""Rounds after which a run ends although rows still move: a rounded centroid may swing between two places."""


class Clusters(NamedTuple):
    """A partition of rows."""

    labels: Whole
    """Cluster of each row; each cluster has one."""
    distances: Whole
    """Squared distance of each row to its centroid; 0 of a row that was moved to an empty cluster."""

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


def k_means(rows: Rows, k: int, *, n_init: int, seed: int) -> Clusters:
    """The best of several runs by inertia; of equals the first.

    A row goes to the nearest centroid, of equals to the first. Starts are drawn by k-means++: each next centroid
    with a chance proportional to the squared distance from those before. A cluster that loses all rows takes the row
    that is farthest from its centroid, of equals the first. With fewer distinct rows than `k` there are fewer clusters.

    Args:
        rows: at least one.
        k: most clusters.
        n_init: runs.
        seed: seed of the starts.
    """
    rng = random.Random(f"k-means {seed}")  # noqa: S311 - no secret; a text seeds the same on every machine
    distinct = len({(columns.tobytes(), values.tobytes()) for columns, values in zip(rows.columns, rows.values, strict=True)})
    runs = [_run(rows, _starts(rows, min(k, distinct), rng)) for _ in range(n_init)]
    return min(runs, key=lambda run: run.inertia)


def _starts(rows: Rows, k: int, rng: random.Random) -> Whole:
    first = rng.randrange(len(rows.values))
    centroids = [_dense(rows, first)]
    nearest = _distances(rows, centroids[0])
    while len(centroids) < k:
        sums = np.cumsum(nearest)
        row = int(np.searchsorted(sums, rng.randrange(int(sums[-1])), side="right"))
        centroids.append(_dense(rows, row))
        nearest = np.minimum(nearest, _distances(rows, centroids[-1]))
    return np.stack(centroids)


def _run(rows: Rows, centroids: Whole) -> Clusters:
    labels, distances = _assigned(rows, centroids)
    for _ in range(MOST_ROUNDS):
        again, distances = _assigned(rows, _means(rows, labels, len(centroids)))
        if np.array_equal(again, labels):
            break
        labels = again
    return Clusters(labels, distances)


def _assigned(rows: Rows, centroids: Whole) -> tuple[Whole, Whole]:
    table = np.stack([_distances(rows, centroid) for centroid in centroids], axis=1)
    labels: Whole = table.argmin(axis=1)
    distances: Whole = table.min(axis=1)
    for cluster in range(len(centroids)):
        if not (labels == cluster).any():
            shared = np.bincount(labels, minlength=len(centroids))[labels] > 1  # no cluster is emptied to fill another
            row = int(np.where(shared, distances, -1).argmax())
            labels[row], distances[row] = cluster, 0
    return labels, distances


def _means(rows: Rows, labels: Whole, clusters: int) -> Whole:
    sums: Whole = np.zeros((clusters, rows.width), dtype=np.int64)
    np.add.at(sums, (labels[:, None], rows.columns), rows.values)
    sizes = np.bincount(labels, minlength=clusters)[:, None]
    means: Whole = (2 * sums + sizes) // (2 * sizes)  # halves up
    return means


def _distances(rows: Rows, centroid: Whole) -> Whole:
    products = (centroid[rows.columns] * rows.values).sum(axis=1)
    distances: Whole = (rows.values * rows.values).sum(axis=1) - 2 * products + (centroid * centroid).sum()
    return distances


def _dense(rows: Rows, row: int) -> Whole:
    dense: Whole = np.zeros(rows.width, dtype=np.int64)
    np.add.at(dense, rows.columns[row], rows.values[row])
    return dense
