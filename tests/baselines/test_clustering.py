"""Weights of terms against their definition, and k-means by its laws and against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.clustering import Clusters, k_means
from baselines.term_weights import SCALE, Rows, TermIndex, TermWeights, Whole, likeness, ngrams, rows_of

TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=7)
ROWS = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(st.integers(-9, 9), min_size=width, max_size=width), min_size=1, max_size=9)
).map(lambda rows: np.array(rows, dtype=np.int64))  # fmt: skip

QUICK = settings(max_examples=30)


def test_ngrams_are_runs_of_every_length() -> None:
    assert ngrams(["a", "b", "c"], 2) == ["a", "b", "c", "a b", "b c"]
    assert ngrams(["a"], 3) == ["a"]


def test_weights_are_smoothed_tf_idf_of_unit_length() -> None:
    weights = TermWeights([["a", "a", "b"], ["b"], ["c"]])
    a, b = 2 * (math.log(4 / 2) + 1), math.log(4 / 3) + 1
    assert weights.of(["a", "b", "a", "unheard"]) == {"a": round(SCALE * a / math.hypot(a, b)), "b": round(SCALE * b / math.hypot(a, b))}
    assert weights.of(["unheard"]) == weights.of([]) == {}


@QUICK
@given(TEXTS, st.lists(st.sampled_from("abcdefg"), max_size=6))
def test_an_index_ranks_by_likeness_and_then_by_place(texts: list[list[str]], asked: list[str]) -> None:
    weights = TermWeights(texts)
    scores = [likeness(weights.of(asked), weights.of(text)) for text in texts]
    assert TermIndex(texts).ranked(asked) == sorted(range(len(texts)), key=lambda place: (-scores[place], place))


@QUICK
@given(TEXTS)
def test_rows_have_the_entries_of_their_vectors(texts: list[list[str]]) -> None:
    vectors = [TermWeights(texts).of(text) for text in texts]
    rows, terms = rows_of(vectors), sorted({term for vector in vectors for term in vector})
    for vector, columns, values in zip(vectors, rows.columns, rows.values, strict=True):
        assert {terms[column]: value for column, value in zip(columns, values, strict=True) if value} == vector
    assert rows.width == max(1, len(terms))


def _rows(dense: Whole) -> Rows:
    return Rows(np.tile(np.arange(dense.shape[1]), (len(dense), 1)), dense, dense.shape[1])


@QUICK
@given(ROWS, st.integers(1, 5), st.integers(0, 3))
def test_clusters_are_as_many_as_there_are_distinct_rows_and_none_is_empty(rows: Whole, k: int, seed: int) -> None:
    found = k_means(_rows(rows), k, n_init=2, seed=seed)
    assert set(found.labels.tolist()) == set(range(min(k, len({tuple(row) for row in rows.tolist()}))))
    again = k_means(_rows(rows), k, n_init=2, seed=seed)
    assert np.array_equal(found.labels, again.labels)
    assert found.inertia <= k_means(_rows(rows), k, n_init=1, seed=seed).inertia
    for cluster, row in enumerate(found.nearest()):
        inside = [at for at, label in enumerate(found.labels) if label == cluster]
        assert row == min(inside, key=lambda at: (found.distances[at], at))


@QUICK
@given(ROWS)
def test_one_cluster_lies_around_the_mean_halves_rounded_up(rows: Whole) -> None:
    mean = [math.floor(sum(column) / len(rows) + 0.5) for column in rows.T.tolist()]
    expected = [sum((value - centre) ** 2 for value, centre in zip(row, mean, strict=True)) for row in rows.tolist()]
    assert k_means(_rows(rows), 1, n_init=1, seed=0).distances.tolist() == expected


@pytest.mark.parametrize("seed", range(3))
def test_groups_that_lie_apart_are_found_as_by_trying_every_partition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.concatenate([centre + rng.integers(-40, 40, (2, 2)) for centre in ([0, 0], [900, 100], [300, 800])]).astype(np.int64)
    rows = rows[rng.permutation(len(rows))]
    found = k_means(_rows(rows), 3, n_init=10, seed=seed)
    best = min(itertools.product(range(3), repeat=len(rows)), key=lambda labels: _inertia(rows, labels))
    assert _partition(found.labels.tolist()) == _partition(list(best))


def _inertia(rows: Whole, labels: tuple[int, ...]) -> float:
    total = 0.0
    for cluster in set(labels):
        inside = rows[[at for at, label in enumerate(labels) if label == cluster]]
        total += float((inside**2).sum() - (inside.sum(axis=0) ** 2).sum() / len(inside))
    return total


def _partition(labels: list[int]) -> set[frozenset[int]]:
    return {frozenset(at for at, label in enumerate(labels) if label == cluster) for cluster in set(labels)}


def test_every_row_is_with_its_nearest_centroid_once_a_run_has_come_to_rest() -> None:
    rows = np.array([[0], [2], [10], [13], [40]], dtype=np.int64)
    found = k_means(_rows(rows), 3, n_init=10, seed=1)
    assert _partition(found.labels.tolist()) == {frozenset({0, 1}), frozenset({2, 3}), frozenset({4})}
    assert found.inertia == 1 + 1 + 4 + 1 + 0  # around 1, 12 (11.5 rounded up) and 40


def test_the_nearest_of_equals_is_the_first() -> None:
    found = Clusters(np.array([1, 0, 1, 0], dtype=np.int64), np.array([4, 9, 4, 9], dtype=np.int64))
    assert found.nearest() == [1, 0]
