"""The laws of the operator table: exactly one row holds, the converse holds backwards, nothing is missing. Trap F01."""

from __future__ import annotations

import itertools
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_sampler.operators import (
    BY_NAME,
    OPERATOR_NAMES,
    ORDINAL_BY_NAME,
    ORDINALS,
    PAIRWISE,
    RANK_WORDS,
    WORDINGS,
    Wording,
    family_of,
    operator_named,
    operator_said,
    operators_of,
    opposite_of,
    relate,
    word_of,
)
from graph_sampler.order_codes import NO_PAIR, meanings, order_codes
from state.interval import ValidInterval
from state.vocabulary import Family, OperatorWord, RelationType
from tests.brute_force_execution import FAMILIES, FAMILY_OF, holds
from tests.brute_force_graph import Fact

SPANS = [ValidInterval(start, end) for start in range(6) for end in range(start, 6)]
POINTS = [span for span in SPANS if span.start == span.end]
PAIRWISE_FAMILIES = [family for family in Family if family is not Family.ORDINAL]
SIDES = {Family.I_I: (SPANS, SPANS), Family.P_I: (POINTS, SPANS), Family.I_P: (SPANS, POINTS), Family.P_P: (POINTS, POINTS)}
REVERSED = {Family.I_I: Family.I_I, Family.P_I: Family.I_P, Family.I_P: Family.P_I, Family.P_P: Family.P_P}
PAIRS = [(family, x, y) for family in PAIRWISE_FAMILIES for x, y in itertools.product(*SIDES[family])]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Family, ValidInterval, ValidInterval]:
    """Two facts of a family, far apart or with shared bounds, one granule long or more."""
    near = st.integers(-3, 3)
    bound = st.one_of(near, st.integers(-800_000, 3_000_000))
    family = draw(st.sampled_from(PAIRWISE_FAMILIES))

    def side(is_point: bool) -> ValidInterval:
        start = draw(bound)
        return ValidInterval(start, start if is_point else start + draw(st.one_of(st.integers(0, 3), st.integers(0, 4_000_000))))

    return family, side(family in (Family.P_I, Family.P_P)), side(family in (Family.I_P, Family.P_P))


def check_one_row_holds(family: Family, x: ValidInterval, y: ValidInterval) -> None:
    """By the table in its order, and by a second table that knows nothing of the first."""
    first = next(row for row in operators_of(family) if row.holds(x.start, x.end, y.start, y.end))
    assert relate(family, x, y) is first
    said = [name for name in FAMILIES[family.value] if holds(name, Fact("", "", "", *x), Fact("", "", "", *y))]
    assert said == [first.name]


def check_converse(family: Family, x: ValidInterval, y: ValidInterval) -> None:
    forward = relate(family, x, y)
    assert relate(REVERSED[family], y, x).name == forward.converse


def test_exactly_one_row_of_a_family_holds_for_all_pairs_within_0_to_5() -> None:
    for family, x, y in PAIRS:
        check_one_row_holds(family, x, y)


def test_the_converse_holds_backwards_for_all_pairs_within_0_to_5() -> None:
    for family, x, y in PAIRS:
        check_converse(family, x, y)


@given(pairs())
def test_exactly_one_row_of_a_family_holds_for_any_pair(pair: tuple[Family, ValidInterval, ValidInterval]) -> None:
    check_one_row_holds(*pair)


@given(pairs())
def test_the_converse_holds_backwards_for_any_pair(pair: tuple[Family, ValidInterval, ValidInterval]) -> None:
    check_converse(*pair)


@given(pairs(), st.integers(-5_000, 5_000))
def test_moving_both_facts_by_the_same_time_changes_nothing(pair: tuple[Family, ValidInterval, ValidInterval], shift: int) -> None:
    family, x, y = pair
    moved = (ValidInterval(each.start + shift, each.end + shift) for each in (x, y))
    assert relate(family, *moved) is relate(family, x, y)


@given(pairs(), st.booleans(), st.booleans())
def test_what_the_order_of_bounds_says_is_what_the_table_says(
    pair: tuple[Family, ValidInterval, ValidInterval], shared: bool, plainly: bool
) -> None:
    family, x, y = pair
    bounds = (x.start, x.end, y.start, y.end)
    known = meanings(family, shared, plainly)
    [code] = order_codes(*(np.array([bound], np.int64) for bound in bounds)).tolist()
    assert [row for row, holds_here in zip(known.operators, known.held[:, code], strict=True) if holds_here] == [relate(*pair)]
    for row, is_plain in zip(known.operators, known.plain[:, code], strict=True):
        if shared and row.loosely is not None:
            assert is_plain == row.loosely(*bounds)
        elif plainly and row.is_boundary:
            assert is_plain == row.holds(*bounds)
        else:
            assert is_plain == (row is relate(*pair))
    assert not any(table[:, NO_PAIR].any() for table in known[1:])


@given(pairs(), st.integers(-3, 9), st.booleans())
def test_what_holds_has_its_start_and_its_end_whatever_the_other_bound(
    pair: tuple[Family, ValidInterval, ValidInterval], other: int, shared: bool
) -> None:
    family, x, y = pair
    known = meanings(family, shared, True)
    [code] = order_codes(*(np.array([bound], np.int64) for bound in (x.start, x.end, y.start, y.end))).tolist()
    for position, row in enumerate(known.operators):
        has_both = known.starts[position, code] and known.ends[position, code]
        assert has_both or not known.plain[position, code]
        for test in [row.holds, *([row.loosely] if shared and row.loosely else [])]:
            assert known.starts[position, code] or not test(x.start, other, y.start, y.end)
            assert known.ends[position, code] or not test(other, x.end, y.start, y.end)


def test_between_proper_intervals_only_one_test_is_true_whatever_the_order_of_rows() -> None:
    proper = [span for span in SPANS if span.start < span.end]
    for x, y in itertools.product(proper, proper):
        assert sum(bool(row.holds(*x, *y)) for row in operators_of(Family.I_I)) == 1, (x, y)


def test_every_row_holds_somewhere_within_0_to_5() -> None:
    assert {relate(*pair).name for pair in PAIRS} == set(BY_NAME)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ((1996, 2003), (2003, 2009), "I-meets-I"),
        ((1996, 2003), (2004, 2009), "I-before-I"),
        ((1996, 2003), (1996, 2009), "I-starts-I"),
        ((2003, 2003), (2003, 2009), "I-starts-I"),
        ((1996, 2003), (2003, 2003), "I-finished-by-I"),
        ((2003, 2003), (2003, 2003), "I-equals-I"),
    ],
)
def test_intervals_that_share_a_boundary_year_meet_and_one_granule_follows_precedence(
    x: tuple[int, int], y: tuple[int, int], expected: str
) -> None:
    assert relate(Family.I_I, ValidInterval(*x), ValidInterval(*y)).name == expected
    assert relate(Family.I_I, ValidInterval(*y), ValidInterval(*x)).name == BY_NAME[expected].converse


def test_a_point_in_an_intervals_first_year_is_at_its_start() -> None:
    point, interval = ValidInterval(2003, 2003), ValidInterval(2003, 2009)
    assert relate(Family.P_I, point, interval).name == "P-at-start-I"
    assert relate(Family.I_P, interval, point).name == "I-starts-at-P"
    assert relate(Family.P_I, point, point).name == "P-at-start-I"
    assert relate(Family.I_P, point, point).name == "I-starts-at-P"


def test_the_table_has_26_pairwise_rows_and_3_ordinals_in_their_families() -> None:
    assert Counter(row.family for row in PAIRWISE) == {Family.I_I: 13, Family.P_I: 5, Family.I_P: 5, Family.P_P: 3}
    assert len(PAIRWISE) == len(BY_NAME) == 26
    assert [ordinal.name for ordinal in ORDINALS] == list(FAMILIES["ordinal"]) == list(ORDINAL_BY_NAME)
    assert list(OPERATOR_NAMES) == [*BY_NAME, *ORDINAL_BY_NAME]
    assert {name: operator_named(name).family.value for name in OPERATOR_NAMES} == FAMILY_OF
    assert {ordinal.name for ordinal in ORDINALS if ordinal.for_points} == {"start_rank"}


def test_a_converse_is_of_the_reverse_family_and_its_converse_is_the_row() -> None:
    for row in PAIRWISE:
        converse = BY_NAME[row.converse]
        assert converse.family is REVERSED[row.family]
        assert BY_NAME[converse.converse] is row
    assert {row.name for row in PAIRWISE if row.converse == row.name} == {"I-equals-I", "P-equals-P"}


def test_every_two_relation_types_have_their_family() -> None:
    for family in PAIRWISE_FAMILIES:
        left, right = (RelationType.POINT if side == "P" else RelationType.INTERVAL for side in family.value.split("-"))
        assert family_of(left, right) is family


def test_equality_rows_leave_one_span_and_rows_that_overlap_another_read_a_boundary() -> None:
    for row in PAIRWISE:
        firsts, seconds = SIDES[row.family]
        fixes = all(len({x for x in firsts if row.holds(*x, *y)}) == 1 for y in seconds)
        assert row.is_equality == (fixes and row.converse == row.name), row.name
        rivals = [other for other in operators_of(row.family) if other is not row]
        if any(row.holds(*x, *y) and other.holds(*x, *y) for other in rivals for x in firsts for y in seconds):
            assert row.is_boundary, row.name


def test_ordinal_keys_are_start_end_and_length() -> None:
    assert [ordinal.key(1996, 2003) for ordinal in ORDINALS] == [1996, 2003, 7]


def test_tests_and_keys_say_the_same_of_arrays() -> None:
    for row in PAIRWISE:
        xs, ys = SIDES[row.family]
        x, y = np.array(xs), np.array(ys)
        matrix = row.holds(x[:, :1], x[:, 1:], y[None, :, 0], y[None, :, 1])
        assert matrix.tolist() == [[bool(row.holds(*one, *other)) for other in ys] for one in xs], row.name
    x = np.array(SPANS)
    for ordinal in ORDINALS:
        assert ordinal.key(x[:, 0], x[:, 1]).tolist() == [ordinal.key(*span) for span in SPANS]


@pytest.mark.parametrize("name", OPERATOR_NAMES)
def test_a_row_travels_between_processes_as_itself(name: str) -> None:
    assert pickle.loads(pickle.dumps(operator_named(name))) is operator_named(name)


def test_a_family_that_does_not_fit_the_facts_is_refused() -> None:
    with pytest.raises(ValueError, match="no operator of"):
        relate(Family.ORDINAL, ValidInterval(1, 2), ValidInterval(1, 2))


KINDS = {Family.I_I: (False, False), Family.P_I: (True, False), Family.I_P: (False, True), Family.P_P: (True, True)}
"""Family -> whether left and right are moments."""


def test_every_word_has_one_row_and_every_operator_a_word() -> None:
    assert [wording.word for wording in WORDINGS] + list(RANK_WORDS) == list(OperatorWord)
    assert {word for word in OperatorWord if word.is_rank} == set(RANK_WORDS)
    assert sorted(RANK_WORDS.values()) == sorted(ORDINAL_BY_NAME)
    for operator in PAIRWISE:
        assert operator_said(word_of(operator.name), *KINDS[operator.family]) == operator.name
    for ordinal in ORDINALS:
        assert RANK_WORDS[word_of(ordinal.name)] == ordinal.name


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda wording: wording.word.value)
@pytest.mark.parametrize("family", KINDS)
def test_a_word_said_from_the_other_side_is_its_converse(wording: Wording, family: Family) -> None:
    left, right = KINDS[family]
    said, turned = operator_said(wording.word, left, right), operator_said(wording.converse, right, left)
    assert BY_NAME[said].converse == turned
    assert BY_NAME[said].family in (family, Family.I_I)


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda wording: wording.word.value)
@pytest.mark.parametrize("family", KINDS)
def test_a_word_that_no_operator_of_the_family_means_holds_between_no_such_facts(wording: Wording, family: Family) -> None:
    name = operator_said(wording.word, *KINDS[family])
    if BY_NAME[name].family is not family:
        xs, ys = SIDES[family]
        proper = [(x, y) for x, y in itertools.product(xs, ys) if KINDS[family] == (x.start == x.end, y.start == y.end)]
        assert not any(BY_NAME[name].holds(*x, *y) for x, y in proper)


def test_an_opposite_is_the_converse_or_what_holds_when_time_runs_backwards() -> None:
    without = {name for name in BY_NAME if opposite_of(name) is None}
    assert without == {"I-equals-I", "P-equals-P", "P-inside-I", "I-covers-P"}
    for name in BY_NAME.keys() - without:
        other = opposite_of(name)
        assert other is not None
        assert opposite_of(other) == name != other
        family = BY_NAME[name].family
        assert BY_NAME[other].family is family
        for x, y in itertools.product(*SIDES[family]):
            # Said of time running backwards, or of the facts changed over, the opposite says the same.
            backwards = relate(family, ValidInterval(-x.end, -x.start), ValidInterval(-y.end, -y.start)).name
            is_clear = all(span.start < span.end for span, side in zip((x, y), family.value.split("-"), strict=True) if side == "I")
            if is_clear and relate(family, x, y).name == name:
                assert other in (backwards, BY_NAME[name].converse)
