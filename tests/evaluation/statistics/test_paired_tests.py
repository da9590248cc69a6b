"""Paired tests: by hand, by their laws, and by how often they are wrong."""

from __future__ import annotations

from itertools import product
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics.paired_tests import PairedSpread, exact_mcnemar, holm, sign_flip, smallest_difference, sources_needed

whole = st.lists(st.integers(-6, 6), max_size=10).map(lambda values: np.array(values, dtype=float))


@pytest.mark.parametrize(("only_a", "only_b", "p"), [(0, 0, 1.0), (1, 5, 0.21875), (0, 6, 0.03125), (3, 3, 1.0), (2, 10, 158 / 4096)])
def test_mcnemar_gives_the_values_worked_by_hand(only_a: int, only_b: int, p: float) -> None:
    assert exact_mcnemar(only_a, only_b) == pytest.approx(p)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_sums_the_binomial_on_both_sides(only_a: int, only_b: int) -> None:
    total, far = only_a + only_b, abs(only_a - only_b)
    tails = sum(comb(total, one) for one in range(total + 1) if abs(total - 2 * one) >= far)
    assert exact_mcnemar(only_a, only_b) == pytest.approx(tails / 2**total)


@given(st.integers(0, 8), st.integers(0, 8))
def test_flipping_single_items_is_mcnemar(only_a: int, only_b: int) -> None:
    differences = np.array([1.0] * only_a + [-1.0] * only_b + [0.0])
    assert sign_flip(differences, seed=1, name="x") == pytest.approx(exact_mcnemar(only_a, only_b))


@given(whole)
def test_a_sign_flip_counts_all_the_flips(differences: np.ndarray) -> None:
    moved = [value for value in differences if value]
    sums = [sum(sign * value for sign, value in zip(signs, moved, strict=True)) for signs in product((1, -1), repeat=len(moved))]
    expected = sum(abs(total) >= abs(sum(moved)) for total in sums) / len(sums)
    found = sign_flip(differences, seed=1, name="x")
    assert found == (pytest.approx(expected) if len(differences) else None)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60))
def test_exchanging_the_settings_leaves_the_sign_flip(values: list[int]) -> None:
    differences = np.array(values, dtype=float)
    assert sign_flip(differences, seed=1, name="x", flips=200) == sign_flip(-differences, seed=1, name="x", flips=200)


def test_fractions_that_sum_alike_count_as_alike() -> None:
    thirds = np.array([0.1, 0.2, -0.3])
    assert sign_flip(thirds, seed=1, name="x") == 1.0


def test_random_flips_come_near_mcnemar_and_are_never_zero() -> None:
    near = sign_flip(np.array([1.0] * 40 + [-1.0] * 22), seed=1, name="x")
    assert near == pytest.approx(exact_mcnemar(40, 22), abs=4 * sqrt(0.03 / 9999))
    assert sign_flip(np.ones(100), seed=1, name="x", flips=99) == 0.01


def test_no_difference_is_one_and_no_source_is_none() -> None:
    assert sign_flip(np.zeros(5), seed=1, name="x") == 1.0
    assert sign_flip(np.zeros(0), seed=1, name="x") is None


def false_alarms(studies: int, sources: int, flips: int) -> float:
    """How often two settings alike in truth are told apart, where what a source's six items do hangs together."""
    rng, alarms = np.random.default_rng(3), 0
    for study in range(studies):
        chances = rng.beta(1, 1, size=sources) * (rng.random(sources) < 0.6)
        one, other = rng.binomial(6, chances), rng.binomial(6, chances)
        p = sign_flip((one - other).astype(float), seed=study, name="x", flips=flips)
        assert p is not None
        alarms += p <= 0.05
    return alarms / studies


def test_a_sign_flip_is_wrong_no_more_than_5_times_in_100() -> None:
    """Margin: three Monte Carlo standard errors."""
    assert false_alarms(600, 60, 199) <= 0.05 + 3 * sqrt(0.05 * 0.95 / 600)
    assert false_alarms(600, 18, 199) <= 0.05 + 3 * sqrt(0.05 * 0.95 / 600)


def test_items_taken_as_independent_would_be_wrong_far_more_often() -> None:
    rng, alarms = np.random.default_rng(4), 0
    for _ in range(300):
        flips = rng.integers(2, size=30)
        alarms += exact_mcnemar(6 * int(flips.sum()), 6 * int(30 - flips.sum())) <= 0.05
    assert alarms / 300 > 0.2


def test_holm_gives_the_values_worked_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([0.9, 0.5]) == (1.0, 1.0)
    assert holm([]) == ()


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_order_and_never_lowers(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(p <= q <= 1 for p, q in zip(values, adjusted, strict=True))
    pairs = sorted(zip(values, adjusted, strict=True))
    assert [q for _, q in pairs] == sorted(adjusted)


def spread(sources: int, only_a: int, only_b: int) -> PairedSpread:
    return PairedSpread.of(np.array([1.0] * only_a + [-1.0] * only_b + [0.0] * (sources - only_a - only_b)))


def test_the_sources_needed_are_those_of_the_formula() -> None:
    """psi 0.2, d 0.1: (1.95996 sqrt(0.2) + 0.84162 sqrt(0.19))^2 / 0.01 = (0.87652 + 0.36685)^2 / 0.01 = 154.6."""
    assert sources_needed(spread(100, 15, 5)) == 155
    assert sources_needed(spread(100, 10, 10)) is None


def test_the_smallest_difference_is_the_one_that_needs_just_this_many() -> None:
    seen = spread(500, 60, 40)
    smallest = smallest_difference(seen)
    assert smallest is not None
    assert sources_needed(PairedSpread(500, smallest - 1e-9, seen.mean_square)) == 501
    assert sources_needed(PairedSpread(500, smallest + 1e-9, seen.mean_square)) == 500
    assert smallest_difference(spread(500, 0, 0)) is None
    assert smallest_difference(spread(3, 2, 1)) is None


def test_so_many_sources_find_the_difference_four_times_in_five() -> None:
    """Rates 0.15 and 0.05 of discordant pairs; margin: three Monte Carlo standard errors, and four points that the exact test costs."""
    needed = sources_needed(spread(100, 15, 5))
    assert needed is not None
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(1000):
        only_a, only_b, _none = rng.multinomial(needed, [0.15, 0.05, 0.8])
        found += exact_mcnemar(int(only_a), int(only_b)) <= 0.05
    assert found / 1000 == pytest.approx(0.80, abs=3 * sqrt(0.8 * 0.2 / 1000) + 0.04)


@pytest.mark.parametrize("difference", [0.0, 1e-17, -3e-16])
def test_a_difference_that_is_rounding_alone_needs_no_number_of_sources(difference: float) -> None:
    assert sources_needed(PairedSpread(sources=100, difference=difference, mean_square=0.2)) is None
