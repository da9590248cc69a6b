"""The offline verifier against the offline rewriter: whole questions pass, damaged ones are noticed.

The whole measurement, by operator and kind of damage, is `benchmarks/verifier_rates.py`; its figures
stand in `docs/verifier_rates.md`.
"""

from __future__ import annotations

import pytest

from benchmarks.verifier_rates import Reading, Register, Sampled, can_show, damage_all, free_coverage, harmed, unharmed
from state.instance import BenchmarkRecord
from tests.shipped_sample import first

LEAST_ACCEPTED = 0.78
MOST_MISSED = 0.01
EACH = 2
"""Every second damage is worded and verified."""


@pytest.fixture(scope="module")
def sampled(years_records: list[BenchmarkRecord], years_points: frozenset[str]) -> Sampled:
    return first(150, years_records, years_points)


def test_the_verifier_names_exactly_the_answer_of_whole_questions(sampled: Sampled) -> None:
    for register, least in ((Register.REWRITTEN, LEAST_ACCEPTED), (Register.TEMPLATE, 1.0)):
        asked = unharmed(sampled, register)
        refused = [one.question for one in asked if one.reading is not Reading.GOLD]
        assert len(asked) - len(refused) >= least * len(asked), "\n".join(refused)


@pytest.mark.slow
def test_damage_is_hardly_ever_missed(sampled: Sampled) -> None:
    asked = can_show(harmed(sampled, damage_all(sampled)[::EACH], Register.REWRITTEN))
    missed = [(one.kind, one.operators, one.question) for one in asked if one.reading is Reading.GOLD]
    assert len(asked) >= 400
    assert len(missed) <= MOST_MISSED * len(asked), missed


@pytest.mark.slow
def test_a_damaged_template_question_is_never_missed_and_mostly_read_as_it_is_meant(sampled: Sampled) -> None:
    every = harmed(sampled, damage_all(sampled), Register.TEMPLATE)
    asked = can_show(every)
    assert not [one.question for one in asked if one.reading is Reading.GOLD]
    assert sum(one.answers == one.expected for one in asked if one.reading is Reading.ANOTHER) >= 0.95 * len(asked)
    unnecessary = [one for one in every if one not in asked]
    assert sum(one.reading is Reading.GOLD for one in unnecessary) >= 0.95 * len(unnecessary) > 0


def test_free_english_that_the_rewriter_never_wrote_is_rather_refused_than_misread() -> None:
    readings = [reading for _, reading in free_coverage()["free_questions.jsonl"]]
    assert readings.count(Reading.GOLD) >= 10
    assert readings.count(Reading.ANOTHER) <= readings.count(Reading.GOLD)
