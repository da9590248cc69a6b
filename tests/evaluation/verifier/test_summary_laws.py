"""Laws of the summary: neither order nor names matter, and exchanging two cells transposes what is said of them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.verifier.cell_figures import KINDS
from evaluation.verifier.figures import CellComparison
from evaluation.verifier.summary import summarise_verifier_study
from state.study import DamageKind, Reading, Register, StudyItem, VerifierStudy
from state.vocabulary import Family
from tests.planted_study import Planted, planted_study

CELLS = 3
items = st.builds(
    Planted,
    source=st.sampled_from([f"s{number}" for number in range(5)]),
    kind=st.sampled_from([None, None, *DamageKind]),
    readings=st.tuples(*[st.sampled_from(list(Reading))] * CELLS),
    family=st.sampled_from(list(Family)),
    wording=st.sampled_from([Register.TEMPLATE, Register.TEMPLATE, Register.FINAL]),
    labels=st.sampled_from([(), ("wrong",), ("missing", "wrong")]),
    model_is_wrong=st.booleans(),
)
planted_items = st.lists(items, max_size=25)
populations = st.dictionaries(st.sampled_from(list(Family)), st.integers(0, 50))
NAMES = ("<first>", "<second>", "<third>")


def study_of(planted: list[Planted], population: dict[Family, int], names: tuple[str, ...] = NAMES) -> VerifierStudy:
    return planted_study(planted, names=names, prices=(0.003, 0.002, 0.001), population=population, modes=("all", "roundtrip"))


@settings(max_examples=25)
@given(planted_items, populations, st.randoms(use_true_random=False))
def test_the_order_of_items_and_outcomes_does_not_matter(planted: list[Planted], population: dict[Family, int], random: object) -> None:
    study = study_of(planted, population)
    shuffled = study.model_copy(
        update={
            "items": tuple(_shuffled(study.items, random)),
            "cells": tuple(cell.model_copy(update={"outcomes": tuple(_shuffled(cell.outcomes, random))}) for cell in study.cells),
        }
    )
    assert summarise_verifier_study(shuffled, resamples=30) == summarise_verifier_study(study, resamples=30)


def _shuffled(values: tuple[object, ...], random: object) -> list[object]:
    copy = list(values)
    random.shuffle(copy)  # type: ignore[attr-defined]
    return copy


@settings(max_examples=25)
@given(planted_items, populations)
def test_other_names_of_cells_change_the_names_alone(planted: list[Planted], population: dict[Family, int]) -> None:
    renamed = summarise_verifier_study(study_of(planted, population, ("{z}", "{y}", "{x}")), resamples=30).model_dump_json()
    for old, new in zip(("{z}", "{y}", "{x}"), NAMES, strict=True):
        renamed = renamed.replace(old, new)
    assert renamed == summarise_verifier_study(study_of(planted, population), resamples=30).model_dump_json()


@settings(max_examples=25)
@given(planted_items)
def test_exchanging_two_cells_transposes_their_comparison(planted: list[Planted]) -> None:
    study = study_of(planted, {})
    one = study.model_copy(update={"cells": study.cells[:2]})
    other = study.model_copy(update={"cells": study.cells[1::-1]})
    (straight,), (turned,) = (summarise_verifier_study(of, resamples=30).comparisons for of in (one, other))
    assert _transposed(turned) == straight


def _transposed(comparison: CellComparison) -> CellComparison:
    tests = [
        test.model_copy(
            update={
                "hits_a": test.hits_b,
                "hits_b": test.hits_a,
                "only_a": test.only_b,
                "only_b": test.only_a,
                "difference": None if test.difference is None else -test.difference,
            }
        )
        for test in comparison.tests
    ]
    flipped = [item.model_copy(update={"a": item.b, "b": item.a}) for item in comparison.flipped]
    return comparison.model_copy(update={"a": comparison.b, "b": comparison.a, "tests": tuple(tests), "flipped": tuple(flipped)})


@settings(max_examples=25)
@given(planted_items, populations)
def test_rows_sum_to_the_items_asked_and_differences_to_the_rates(planted: list[Planted], population: dict[Family, int]) -> None:
    study = study_of(planted, population)
    summary = summarise_verifier_study(study, resamples=30)
    templates = [item for item in study.items if item.wording is Register.TEMPLATE]
    for place, cell in enumerate(summary.cells):
        figures = cell.template
        rows = [*figures.acceptance.families, figures.acceptance.ordinal, *figures.detection.by_family]
        assert sum(row.rate.denominator for row in rows) == len(templates) == figures.items
        for row in rows:
            assert sum(row.readings.model_dump().values()) == row.rate.denominator
        for rate in (figures.balanced, figures.detection.pooled, figures.acceptance.weighted):
            assert rate.value is None or 0 <= rate.low <= rate.high <= 1  # type: ignore[operator]
        right = sum(_right(item, planted[study.items.index(item)].readings[place]) for item in templates)
        assert sum(row.rate.numerator for row in rows) == right
    for comparison in summary.comparisons:
        a, b = (next(cell.template for cell in summary.cells if cell.name == name) for name in (comparison.a, comparison.b))
        acceptance, _, balanced = comparison.tests
        if balanced.difference is not None:
            assert abs(a.balanced.value - b.balanced.value - balanced.difference) < 1e-9  # type: ignore[operator]
        if acceptance.difference is not None and acceptance.sources == acceptance.items:
            assert abs(a.acceptance.micro.rate.value - b.acceptance.micro.rate.value - acceptance.difference) < 1e-9  # type: ignore[operator]


def _right(item: StudyItem, reading: Reading) -> bool:
    return reading is Reading.AGREED if item.kind is None else reading in (Reading.ANOTHER, Reading.ABSTAINED)


def test_a_verifier_that_detects_more_never_lets_more_through() -> None:
    shares = []
    for detected in range(5):
        planted = [Planted(f"s{number}", None, (Reading.AGREED,)) for number in range(4)]
        planted += [Planted(f"s{n}", KINDS[0], (Reading.ANOTHER if n < detected else Reading.AGREED,)) for n in range(4)]
        cell = summarise_verifier_study(planted_study(planted, names=("a",)), resamples=30).cells[0]
        shares.append([row.share or 0.0 for row in cell.template.contamination])
    assert all(more[place] < less[place] for less, more in pairwise(shares) for place in range(3))
