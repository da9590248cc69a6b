"""Laws of the allocation over families, and of the draw within them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.verifier.strata import PAPER, allocate, draw, largest_remainder, populations
from graph_sampler.operators import BY_NAME, ORDINALS, PAIRWISE
from state.instance import BenchmarkRecord
from state.study import Stratum
from state.vocabulary import Family
from tests.sample_record import make_record

OPERATOR = {family: next(row.name for row in PAIRWISE if row.family is family) for family in Family if family is not Family.ORDINAL}
OPERATOR[Family.ORDINAL] = ORDINALS[0].name
COUNTS = st.dictionaries(st.sampled_from(Family), st.integers(0, 60))


def record(number: int, *families: Family) -> BenchmarkRecord:
    update = {
        "id": f"sample-{number:012x}", "families": families, "operators": tuple(OPERATOR[family] for family in families),
        "temporal_constraint_count": len(families),
    }  # fmt: skip
    return make_record().model_copy(update=update)


def records_of(population: Mapping[Family, int]) -> list[BenchmarkRecord]:
    families = [family for family, count in population.items() for _ in range(count)]
    return [record(number, family) for number, family in enumerate(families)]


def by_family(strata: tuple[Stratum, ...]) -> dict[Family, Stratum]:
    return {stratum.family: stratum for stratum in strata}


def test_the_operators_of_the_test_are_of_their_families() -> None:
    assert all(BY_NAME[OPERATOR[family]].family is family for family in PAPER)


@given(COUNTS, st.integers(0, 400))
def test_a_proportional_sample_has_the_size_asked_for_unless_there_are_fewer_records(population: dict[Family, int], total: int) -> None:
    strata = allocate(population, "proportional", total)
    assert [stratum.family for stratum in strata] == list(Family)
    assert sum(stratum.taken for stratum in strata) == min(total, sum(population.values()))


@given(COUNTS, st.integers(0, 400), st.sampled_from(["proportional", "even", "paper"]) | COUNTS)
def test_no_stratum_gives_more_than_it_has_or_than_is_wanted(population: dict[Family, int], total: int, allocation: object) -> None:
    for stratum in allocate(population, allocation, total):  # type: ignore[arg-type]
        assert stratum.taken == min(stratum.wanted, stratum.population)
        assert stratum.population == population.get(stratum.family, 0)


@given(COUNTS, st.integers(0, 400))
def test_a_proportional_share_is_rounded_up_or_down(population: dict[Family, int], total: int) -> None:
    whole = sum(population.values())
    for stratum in allocate(population, "proportional", total):
        assert abs(stratum.wanted * whole - total * stratum.population) < max(whole, 1)


@given(COUNTS, st.integers(0, 400))
def test_a_larger_stratum_gives_no_less(population: dict[Family, int], total: int) -> None:
    strata = allocate(population, "proportional", total)
    for one in strata:
        for other in strata:
            if one.population > other.population:
                assert one.wanted >= other.wanted


@given(COUNTS, st.integers(0, 400))
def test_an_even_sample_differs_by_one_at_most_and_grows_with_its_size(population: dict[Family, int], total: int) -> None:
    wanted = {stratum.family: stratum.wanted for stratum in allocate(population, "even", total)}
    assert sum(wanted.values()) == total
    assert max(wanted.values()) - min(wanted.values()) <= 1
    more = {stratum.family: stratum.wanted for stratum in allocate(population, "even", total + 1)}
    assert all(more[family] >= count for family, count in wanted.items())


def test_equal_remainders_are_served_in_the_order_of_the_families() -> None:
    assert list(largest_remainder(dict.fromkeys(Family, 1), 7).values()) == [2, 2, 1, 1, 1]
    assert largest_remainder({Family.I_I: 4, Family.P_I: 3, Family.I_P: 3}, 5) == {Family.I_I: 2, Family.P_I: 2, Family.I_P: 1}


def test_the_papers_allocation_has_no_ordinals_and_says_where_a_stratum_is_too_small() -> None:
    strata = allocate({Family.I_I: 300, Family.P_I: 12, Family.I_P: 25, Family.ORDINAL: 90}, "paper", 500)
    assert [(one.family.value, one.wanted, one.taken) for one in strata] == [
        ("I-I", 284, 284), ("P-I", 40, 12), ("I-P", 25, 25), ("P-P", 151, 0),
    ]  # fmt: skip
    assert sum(PAPER.values()) == 500


def test_counts_of_ones_own_come_in_the_order_of_the_families() -> None:
    strata = allocate({Family.I_I: 5, Family.ORDINAL: 9}, {Family.ORDINAL: 7, Family.I_I: 6}, 1)
    assert [(one.family, one.wanted, one.taken) for one in strata] == [(Family.I_I, 6, 5), (Family.ORDINAL, 7, 7)]


def test_records_with_two_constraints_are_in_no_stratum() -> None:
    records = [record(1, Family.P_P), record(2, Family.P_P, Family.P_P), record(3, Family.ORDINAL)]
    assert populations(records) == {Family.I_I: 0, Family.P_I: 0, Family.I_P: 0, Family.P_P: 1, Family.ORDINAL: 1}
    strata = allocate(populations(records), {Family.P_P: 3}, 0)
    assert draw(records, strata, 0) == (records[0],)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_larger_sample_holds_a_smaller_one_whatever_the_order_of_the_records(seed: int) -> None:
    records = records_of({Family.I_I: 30, Family.P_P: 20, Family.ORDINAL: 10})
    samples = []
    for count in range(0, 31, 5):
        strata = allocate(populations(records), {Family.I_I: count, Family.P_P: count}, 0)
        sample = draw(records, strata, seed)
        assert sample == draw(records[::-1], strata, seed)
        assert [one.id for one in sample] == sorted(one.id for one in sample)
        assert {one.id for one in sample} >= {one.id for one in (samples[-1] if samples else ())}
        assert len(sample) == min(count, 30) + min(count, 20)
        samples.append(sample)


def test_another_seed_draws_other_records() -> None:
    records = records_of({Family.I_I: 40})
    strata = allocate(populations(records), {Family.I_I: 10}, 0)
    assert len({draw(records, strata, seed)[0].id for seed in range(8)} | {draw(records, strata, 0)[-1].id}) > 2
    assert by_family(strata)[Family.I_I].taken == 10
