"""The bootstrap over groups: its laws, a slow double of it, and how often its intervals hold."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluation.metrics.scores import PRIMARY, ItemScores, measure
from evaluation.statistics.intervals import generator
from evaluation.statistics.paired_bootstrap import Difference, Estimate, compare, compare_with, estimate, resampled_sums

WORDS = ("who", "led", "the", "club", "after", "?")
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
items = st.lists(st.tuples(texts, texts, st.sampled_from("pqrst")), min_size=1, max_size=10)


def mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of statistics that are a one and a value."""
    values: NDArray[np.float64] = sums[..., 1] / sums[..., 0]
    return values


def table(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack([np.ones(len(values)), values])


@given(items, st.integers(0, 9))
@settings(max_examples=40)
def test_a_resample_is_the_corpus_of_the_items_of_the_groups_drawn(rows: list[tuple[str, str, str]], seed: int) -> None:
    scores, groups = ItemScores.of(row[:2] for row in rows), [row[2] for row in rows]
    sums = resampled_sums({"x": scores.statistics()}, groups, seed=seed, resamples=12, name="cell")["x"]
    labels, rng = sorted(set(groups)), generator(seed, "cell")
    for resample in range(12):
        drawn = [labels[number] for number in rng.integers(len(labels), size=len(labels))]
        chosen = [index for label in drawn for index, group in enumerate(groups) if group == label]
        slow = scores.select(chosen).corpus()
        for name in PRIMARY:
            assert measure(name, sums.resampled[resample]) == pytest.approx(getattr(slow, name), abs=1e-12)
    assert measure("bleu4", sums.observed) == pytest.approx(scores.corpus().bleu4, abs=1e-12)


def test_all_draws_of_three_groups_come_as_often_as_they_should() -> None:
    values, groups = np.array([1.0, 4, 16, 64]), ["p", "p", "q", "r"]
    sums = resampled_sums({"x": table(values)}, groups, seed=3, resamples=20_000)["x"]
    expected = Counter(sum({"p": 5, "q": 16, "r": 64}[group] for group in draw) for draw in product("pqr", repeat=3))
    found = Counter(sums.resampled[:, 1].astype(int).tolist())
    assert set(found) == set(expected)
    for total, ways in expected.items():
        share = Fraction(ways, 27)
        error = float(share * (1 - share) / 20_000) ** 0.5
        assert found[total] / 20_000 == pytest.approx(float(share), abs=5 * error)


@given(items, st.integers(0, 9), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_the_same_seed_gives_the_same_numbers_in_any_order_of_items(
    rows: list[tuple[str, str, str]], seed: int, rng: random.Random
) -> None:
    def run(order: list[int], seed: int) -> NDArray[np.float64]:
        statistics = ItemScores.of(rows[index][:2] for index in order).statistics()
        return resampled_sums({"x": statistics}, [rows[index][2] for index in order], seed=seed, resamples=30)["x"].resampled

    order = list(range(len(rows)))
    plain = run(order, seed)
    assert plain.tobytes() == run(order, seed).tobytes()
    rng.shuffle(order)
    shuffled = run(order, seed)
    assert np.array_equal(plain[:, :11], shuffled[:, :11])
    assert shuffled == pytest.approx(plain, abs=1e-12)


def test_another_seed_or_name_gives_other_draws_and_another_signature() -> None:
    statistics, groups = table(np.arange(20.0)), [str(index) for index in range(20)]
    runs = [resampled_sums({"x": statistics}, groups, seed=seed, name=name)["x"] for seed, name in ((0, ""), (1, ""), (0, "cell"))]
    assert len({run.signature for run in runs}) == len({run.resampled.tobytes() for run in runs}) == 3
    assert runs[0].signature.startswith("bootstrap:groups|groups:20|n:20|resamples:1000|seed:0|name:-|interval:percentile-95|chronoqg:")
    with pytest.raises(ValueError, match="resampled differently"):
        compare(runs[0], runs[1], mean)


@given(st.lists(st.sampled_from("pqrst"), min_size=2, max_size=12).filter(lambda groups: len(set(groups)) > 1), st.floats(0, 1))
@settings(max_examples=40)
def test_a_constant_has_an_interval_of_itself(groups: list[str], value: float) -> None:
    found = estimate(resampled_sums({"x": table(np.full(len(groups), value))}, groups, seed=0, resamples=50)["x"], mean)
    assert found.value == pytest.approx(value)
    assert (found.low, found.high) == (pytest.approx(value), pytest.approx(value))


@given(items.filter(lambda rows: len({row[2] for row in rows}) > 1))
@settings(max_examples=40)
def test_a_system_does_not_differ_from_itself(rows: list[tuple[str, str, str]]) -> None:
    statistics = ItemScores.of(row[:2] for row in rows).statistics()
    sums = resampled_sums({"x": statistics, "y": statistics.copy()}, [row[2] for row in rows], seed=0, resamples=50)
    for name in PRIMARY:
        found = compare(sums["x"], sums["y"], lambda table, name=name: measure(name, table))
        assert (found.value, found.p) == (0, 1)
        assert (found.low, found.high) == (pytest.approx(0, abs=1e-12), pytest.approx(0, abs=1e-12))


def test_exchanging_the_systems_turns_the_difference_round() -> None:
    rng = np.random.default_rng(0)
    systems = {"x": table(rng.random(60)), "y": table(rng.random(60) + 0.1)}
    sums = resampled_sums(systems, [str(index // 2) for index in range(60)], seed=0)
    there, back = compare(sums["x"], sums["y"], mean), compare(sums["y"], sums["x"], mean)
    assert there.value == -back.value
    assert (there.low, there.high) == pytest.approx((-(back.high or 0), -(back.low or 0)))
    assert there.p == back.p


def test_the_p_value_counts_the_resamples_on_the_other_side() -> None:
    rng = np.random.default_rng(1)
    sums = resampled_sums({"x": table(rng.random(40)), "y": table(rng.random(40))}, [str(index) for index in range(40)], seed=0)
    differences = mean(sums["x"].resampled) - mean(sums["y"].resampled)
    other_side = min(sum(differences <= 0), sum(differences >= 0))
    assert compare(sums["x"], sums["y"], mean).p == min(1, 2 * (other_side + 1) / 1001)
    apart = resampled_sums({"x": table(np.ones(9)), "y": table(np.zeros(9))}, list("abcdefghi"), seed=0)
    assert compare(apart["x"], apart["y"], mean).p == 2 / 1001


def test_pairing_takes_out_what_is_hard_for_both() -> None:
    rng = np.random.default_rng(2)
    hardness = rng.random(100)
    systems = {"x": table(hardness), "y": table(hardness - 0.02 - 0.01 * rng.random(100))}
    sums = resampled_sums(systems, [str(index) for index in range(100)], seed=0)
    paired, alone = compare(sums["x"], sums["y"], mean), estimate(sums["x"], mean)
    assert paired.p == 2 / 1001
    assert (paired.high or 0) - (paired.low or 0) < 0.1 * ((alone.high or 0) - (alone.low or 0))


def test_all_systems_are_compared_with_the_baseline_and_adjusted_together() -> None:
    rng = np.random.default_rng(3)
    systems = {name: table(rng.random(80) + shift) for name, shift in (("low", 0.0), ("same", 0.0), ("middle", 0.12), ("high", 0.5))}
    sums = resampled_sums(systems, [str(index) for index in range(80)], seed=0)
    found = compare_with("low", sums, mean)
    assert list(found) == ["same", "middle", "high"]
    assert found["high"].value == pytest.approx(float(systems["high"][:, 1].mean() - systems["low"][:, 1].mean()))
    assert found["high"].p_holm == pytest.approx(3 * 2 / 1001)
    for difference in found.values():
        assert difference.p is not None
        assert difference.p_holm is not None
        assert difference.p <= difference.p_holm <= 3 * difference.p
        assert difference.signature.endswith("|p:two-sided,+1|holm:3|baseline:low")
    assert compare_with("low", {"low": sums["low"]}, mean) == {}


def test_one_group_says_nothing_about_others() -> None:
    sums = resampled_sums({"x": table(np.ones(5)), "y": table(np.zeros(5))}, ["p"] * 5, seed=0)
    found = compare_with("y", sums, mean)["x"]
    assert (found.value, found.low, found.high, found.p, found.p_holm) == (1, None, None, None, None)
    alone = estimate(sums["x"], mean)
    assert (alone.value, alone.low, alone.high) == (1, None, None)


def test_rows_and_groups_must_line_up() -> None:
    with pytest.raises(ValueError, match=r"y: statistics of shape \(2, 2\) for 3 items"):
        resampled_sums({"x": table(np.ones(3)), "y": table(np.ones(2))}, list("pqr"), seed=0)
    with pytest.raises(ValueError, match="no item"):
        resampled_sums({"x": np.ones((0, 2))}, [], seed=0)


def test_other_systems_do_not_change_the_draws_nor_does_the_size_of_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    systems, groups = {"x": table(rng.random(50)), "y": table(rng.random(50))}, [str(index) for index in range(50)]
    both = resampled_sums(systems, groups, seed=0)["x"].resampled
    assert resampled_sums({"x": systems["x"]}, groups, seed=0)["x"].resampled == pytest.approx(both, abs=1e-12)
    monkeypatch.setattr("evaluation.statistics.paired_bootstrap.BLOCK", 700)
    assert resampled_sums(systems, groups, seed=0)["x"].resampled == pytest.approx(both, abs=1e-12)


def simulated(rng: np.random.Generator, shift: float) -> tuple[dict[str, NDArray[np.float64]], list[str]]:
    """Two systems on 60 groups of one to four items whose hardness is the group's."""
    index = np.repeat(np.arange(60), rng.integers(1, 5, size=60))
    hardness = rng.normal(size=60)[index]
    x = 0.5 + 0.2 * hardness + 0.1 * rng.normal(size=len(index))
    y = 0.5 + 0.1 * hardness + 0.1 * rng.normal(size=len(index)) + shift
    return {"x": table(x), "y": table(y)}, [str(number) for number in index]


@pytest.mark.slow
def test_intervals_hold_nineteen_times_in_twenty_and_need_the_groups() -> None:
    """Margins: four Monte Carlo standard errors, and two points that percentiles of 60 groups fall short."""
    rng, runs = np.random.default_rng(7), 1000
    holds, holds_by_item, differences, told = 0, 0, 0, 0
    for run in range(runs):
        systems, groups = simulated(rng, 0.0)
        sums = resampled_sums(systems, groups, seed=run, resamples=400)
        alone = resampled_sums(systems, [str(number) for number in range(len(groups))], seed=run, resamples=400)
        holds += covers(estimate(sums["x"], mean), 0.5)
        holds_by_item += covers(estimate(alone["x"], mean), 0.5)
        found = compare(sums["x"], sums["y"], mean)
        differences += covers(found, 0.0)
        told += found.p is not None and found.p <= 0.05
    error = (0.05 * 0.95 / runs) ** 0.5
    assert holds / runs == pytest.approx(0.94, abs=0.01 + 4 * error)
    assert differences / runs == pytest.approx(0.94, abs=0.01 + 4 * error)
    assert told / runs == pytest.approx(0.06, abs=0.01 + 4 * error)
    assert holds_by_item / runs < 0.85


def covers(found: Estimate | Difference, truth: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= truth <= found.high
