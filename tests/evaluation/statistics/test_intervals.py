"""Intervals: worked values, edges, and that 95 % of them hold the truth."""

from __future__ import annotations

from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics.intervals import bootstrap_rate, cluster_bootstrap, mover, no_rate, wilson, wilson_rate


def column(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)[:, None]


@pytest.mark.parametrize(
    ("hits", "asked", "low", "high"),
    [(0, 10, 0.0, 0.2775), (8, 10, 0.4902, 0.9433), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)],
)
def test_wilson_gives_the_published_values(hits: int, asked: int, low: float, high: float) -> None:
    interval = wilson(hits, asked)
    assert interval is not None
    assert interval == pytest.approx((low, high), abs=5e-5)


def test_wilson_of_nothing_asked_is_no_interval() -> None:
    assert wilson(0, 0) is None
    rate = wilson_rate(0, 0, stem="x")
    assert (rate.value, rate.low, rate.high, rate.method) == (None, None, None, None)
    assert rate.signature.startswith("x|n:0|hits:0|excl:0|interval:none|chronoqg:")


@given(st.integers(1, 10_000).flatmap(lambda asked: st.tuples(st.integers(0, asked), st.just(asked))))
def test_wilson_holds_the_share_and_mirrors_and_ends_exactly(pair: tuple[int, int]) -> None:
    hits, asked = pair
    interval, mirrored = wilson(hits, asked), wilson(asked - hits, asked)
    assert interval is not None
    assert mirrored is not None
    assert 0 <= interval.low <= hits / asked <= interval.high <= 1
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-12)
    assert (interval.low == 0) == (hits == 0)
    assert (interval.high == 1) == (hits == asked)


@pytest.mark.parametrize(("asked", "share"), [(25, 0.5), (40, 0.8), (151, 0.9), (284, 0.6), (500, 0.95)])
def test_wilson_holds_the_truth_95_times_in_100(asked: int, share: float) -> None:
    """The coverage is summed over all outcomes, so there is no Monte Carlo error; it swings by up to 3 points as n is finite."""
    coverage = 0.0
    for hits in range(asked + 1):
        interval = wilson(hits, asked)
        assert interval is not None
        if interval.low <= share <= interval.high:
            coverage += comb(asked, hits) * share**hits * (1 - share) ** (asked - hits)
    assert coverage == pytest.approx(0.95, abs=0.03)


def test_a_bootstrap_with_one_item_a_source_comes_near_wilson() -> None:
    found = cluster_bootstrap(column([1] * 150 + [0] * 50), column([1] * 200), seed=1, name="x")
    interval = wilson(150, 200)
    assert found is not None
    assert interval is not None
    assert found.value == 0.75
    assert found.method == "wider of bootstrap and MOVER"
    assert found.interval == pytest.approx(interval, abs=0.015)


def test_a_bootstrap_is_wider_where_items_of_a_source_hang_together() -> None:
    together = cluster_bootstrap(column([6] * 60 + [0] * 40), column([6] * 100), seed=1, name="x")
    interval = wilson(360, 600)
    assert together is not None
    assert interval is not None
    assert together.interval.high - together.interval.low > 2 * (interval.high - interval.low)


def test_the_weighted_mean_weights_groups_and_not_items() -> None:
    hits, asked = np.array([[1, 0], [1, 0], [1, 1]]), np.array([[1, 0], [1, 1], [1, 3]])
    equal = cluster_bootstrap(hits, asked, seed=1, name="x")
    weighted = cluster_bootstrap(hits, asked, seed=1, name="x", weights=[1, 3])
    assert equal is not None
    assert weighted is not None
    assert equal.value == pytest.approx((1 + 1 / 4) / 2)
    assert weighted.value == pytest.approx((1 + 3 / 4) / 4)


def test_a_group_in_which_nothing_was_asked_changes_nothing() -> None:
    hits, asked = np.array([[1], [0], [1]]), np.array([[1], [1], [1]])
    empty = np.zeros((3, 1), dtype=np.int64)
    with_empty = cluster_bootstrap(np.hstack([hits, empty]), np.hstack([asked, empty]), seed=1, name="x", weights=[1, 9])
    assert with_empty == cluster_bootstrap(hits, asked, seed=1, name="x")


def test_a_resample_that_misses_a_group_scales_the_other_weights_up() -> None:
    """Every item is a hit, so every resample must come to 1, with the one source that has the second group or without."""
    asked = np.array([[1, 0], [1, 0], [1, 0], [1, 1]])
    found = cluster_bootstrap(asked, asked, seed=1, name="x")
    assert found is not None
    assert found.value == 1.0
    assert found.interval == pytest.approx(mover([1, 1], [4, 1], [0.5, 0.5]))


def test_a_source_in_which_nothing_was_asked_is_not_drawn() -> None:
    assert cluster_bootstrap(column([1, 0, 0, 1]), column([1, 0, 1, 1]), seed=1, name="x") == cluster_bootstrap(
        column([1, 0, 1]), column([1, 1, 1]), seed=1, name="x"
    )


def test_nothing_asked_gives_no_interval() -> None:
    assert cluster_bootstrap(column([0, 0]), column([0, 0]), seed=1, name="x") is None
    assert cluster_bootstrap(np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2), dtype=np.int64), seed=1, name="x") is None
    rate = bootstrap_rate(column([0]), column([0]), stem="x", seed=1, name="x")
    assert (rate.value, rate.low, rate.high, rate.method) == (None, None, None, None)
    assert no_rate("x", excluded=3).excluded == 3


@pytest.mark.parametrize("hit", [0, 1])
def test_sources_all_alike_get_an_interval_over_sources_and_not_one_of_no_width(hit: int) -> None:
    found = cluster_bootstrap(column([4 * hit] * 20), column([4] * 20), seed=1, name="x")
    assert found is not None
    assert found.interval == pytest.approx(wilson(20 * hit, 20))


def test_one_source_alone_gets_the_interval_of_one_item() -> None:
    found = cluster_bootstrap(column([2]), column([4]), seed=1, name="x")
    assert found is not None
    assert found.value == 0.5
    assert found.interval == pytest.approx(wilson(0.5, 1))


def test_the_draws_depend_on_seed_and_name_alone() -> None:
    hits, asked = column([1, 0, 2, 3, 0, 1]), column([3, 3, 3, 3, 3, 3])
    one, again = (cluster_bootstrap(hits, asked, seed=1, name="x") for _ in range(2))
    assert one == again
    many = {str(cluster_bootstrap(hits, asked, seed=seed, name=name, resamples=50)) for seed in (1, 2) for name in ("x", "y")}
    assert len(many) > 1


def test_draws_within_strata_keep_each_stratums_size() -> None:
    """Within strata that are each alike inside, nothing varies, and Wilson's interval is left; across them, some draws miss one."""
    hits, asked, strata = column([100] * 2 + [0] * 18), column([100] * 2 + [1] * 18), [0] * 2 + [1] * 18
    within, across = (cluster_bootstrap(hits, asked, seed=1, name="x", strata=given_strata) for given_strata in (strata, None))
    assert within is not None
    assert across is not None
    assert within.interval == pytest.approx(wilson(20 * 200 / 218, 20))
    assert across.interval.low == 0


def by_family(misses: tuple[int, int], sizes: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """One sound item a source question, of two families: hits, asked, family of each."""
    hits, asked = (np.zeros((sum(sizes), 2), dtype=np.int64) for _ in range(2))
    strata = [0] * sizes[0] + [1] * sizes[1]
    for row, family in enumerate(strata):
        asked[row, family] = 1
        hits[row, family] = (row - family * sizes[0]) >= misses[family]
    return hits, asked, strata


@pytest.mark.parametrize("sizes", [(90, 6), (60, 36), (6, 90)])
@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.9, 0.1), (0.99, 0.01)])
def test_a_rate_with_misses_never_reaches_less_far_down_than_one_without(sizes: tuple[int, int], weights: tuple[float, float]) -> None:
    lows = []
    for misses in ((0, 0), (0, 2), (2, 2)):
        hits, asked, strata = by_family(misses, sizes)
        found = cluster_bootstrap(hits, asked, seed=1, name="x", weights=weights, strata=strata)
        assert found is not None
        lows.append(found.interval.low)
    assert lows[0] >= lows[1] >= lows[2]


def test_a_weight_on_a_group_without_a_miss_does_not_make_an_interval_narrower_than_that_group_alone() -> None:
    """The misses are in a family of small weight: no resample moves far, yet 60 of 60 may well be 0.94."""
    hits, asked, strata = by_family((0, 2), (60, 36))
    weighted = cluster_bootstrap(hits, asked, seed=1, name="x", weights=(0.95, 0.05), strata=strata)
    alone = wilson(60, 60)
    assert weighted is not None
    assert alone is not None
    assert weighted.value - weighted.interval.low >= 0.95 * (1 - alone.low)


groups = st.lists(st.tuples(st.integers(1, 300), st.floats(0, 1), st.floats(0.01, 1)), min_size=1, max_size=8)


@given(groups)
def test_mover_holds_the_mean_mirrors_and_of_one_group_is_wilson(given_groups: list[tuple[int, float, float]]) -> None:
    asked = [number for number, _, _ in given_groups]
    shares = [round(share * number) / number for number, share, _ in given_groups]
    weights = [weight / sum(weight for *_, weight in given_groups) for *_, weight in given_groups]
    found = mover(shares, asked, weights)
    mirrored = mover([1 - share for share in shares], asked, weights)
    mean = sum(weight * share for weight, share in zip(weights, shares, strict=True))
    assert 0 <= found.low <= mean + 1e-12
    assert mean - 1e-12 <= found.high <= 1
    assert found == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-9)
    assert mover(shares[:1], asked[:1], [1.0]) == pytest.approx(wilson(shares[0] * asked[0], asked[0]), abs=1e-9)


@pytest.mark.parametrize("shares", [(0.99, 0.9), (0.95, 0.6), (0.5, 0.9)])
def test_a_mean_of_strata_holds_the_truth_at_least_95_times_in_100(shares: tuple[float, float]) -> None:
    rng, held, truth = np.random.default_rng(3), 0, 0.8 * shares[0] + 0.2 * shares[1]
    _, asked, strata = by_family((0, 0), (60, 20))
    for study in range(300):
        hits = rng.binomial(asked, shares)
        found = cluster_bootstrap(hits, asked, seed=study, name="x", weights=(0.8, 0.2), strata=strata, resamples=200)
        assert found is not None
        held += found.interval.low <= truth <= found.interval.high
    assert held / 300 >= 0.95 - 3 * sqrt(0.95 * 0.05 / 300)


def coverage_of_bootstrap(studies: int, sources: int, resamples: int) -> float:
    """Share of intervals that hold the truth, where a source question's four damages are detected with its own chance."""
    rng, held = np.random.default_rng(7), 0
    for study in range(studies):
        chances = rng.beta(3, 1, size=sources)
        asked = np.stack([np.ones(sources, dtype=np.int64), rng.integers(1, 5, size=sources)], axis=1)
        found = cluster_bootstrap(rng.binomial(asked, chances[:, None]), asked, seed=study, name="x", resamples=resamples)
        assert found is not None
        held += found.interval.low <= 0.75 <= found.interval.high
    return held / studies


def test_the_bootstrap_holds_the_truth_at_least_95_times_in_100() -> None:
    """Margin: three Monte Carlo standard errors; more is no fault, as the wider of two intervals is taken."""
    assert coverage_of_bootstrap(400, 100, 400) >= 0.95 - 3 * sqrt(0.95 * 0.05 / 400)


@pytest.mark.slow
def test_the_bootstrap_holds_the_truth_at_least_95_times_in_100_at_the_size_of_a_study() -> None:
    """Margin: three Monte Carlo standard errors."""
    assert coverage_of_bootstrap(2000, 500, 1000) >= 0.95 - 3 * sqrt(0.95 * 0.05 / 2000)
