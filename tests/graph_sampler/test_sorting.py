"""Sorting rows: the order of `lexsort`, whatever the columns hold."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.sorting import distinct_rows, sort_rows
from graph_sampler.temporal_graph import NEG_INF, POS_INF

NUMBERS = st.one_of(st.integers(-3, 3), st.sampled_from((NEG_INF, POS_INF, 2**31 - 1, -(2**31))))
ROWS = st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[NUMBERS] * width), min_size=1, max_size=40))


@settings(max_examples=60)
@given(ROWS)
def test_rows_are_sorted_as_lexsort_sorts_them_and_each_new_one_is_marked(rows: list[tuple[int, ...]]) -> None:
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)]
    order, is_new = sort_rows(columns)
    assert order.tolist() == sorted(range(len(rows)), key=lambda row: (rows[row], row))
    ranked = [rows[row] for row in order]
    assert is_new.tolist() == [row == 0 or ranked[row] != ranked[row - 1] for row in range(len(ranked))]


def test_no_rows_have_no_order() -> None:
    order, is_new = sort_rows([np.zeros(0, np.int32)])
    assert len(order) == len(is_new) == 0


@settings(max_examples=60)
@given(ROWS, st.booleans())
def test_distinct_rows_stand_in_order_with_their_counts(rows: list[tuple[int, ...]], is_ready: bool) -> None:
    rows = sorted(set(rows)) if is_ready else rows
    found, counts = distinct_rows([np.array(column, np.int64) for column in zip(*rows, strict=True)])
    assert list(zip(*(column.tolist() for column in found), strict=True)) == sorted(set(rows))
    assert counts.tolist() == [rows.count(row) for row in sorted(set(rows))]


def test_distinct_rows_keep_the_kinds_of_their_columns() -> None:
    columns = [np.array([2, 1, 2], np.int32), np.array([True, False, True]), np.array([-5, 7, -5], np.int64)]
    found, counts = distinct_rows(columns)
    assert [(column.dtype.name, column.tolist()) for column in found] == [
        ("int32", [1, 2]), ("bool", [False, True]), ("int64", [7, -5]),
    ]  # fmt: skip
    assert counts.tolist() == [1, 2]


def test_no_rows_are_distinct() -> None:
    found, counts = distinct_rows([np.zeros(0, np.int32), np.zeros(0, np.bool_)])
    assert [len(column) for column in found] == [0, 0]
    assert len(counts) == 0
