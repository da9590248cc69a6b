"""Damaged traces keep the grammar of steps and change the answer; DuckDB is the witness."""

from __future__ import annotations

from collections import Counter
from random import Random

import duckdb
import pytest

from benchmarks.trace_damage import FILTER, Damage, DamageKind, Scene, damages, opposite_of
from benchmarks.verifier_rates import Sampled, damage_all, sample
from graph_sampler.operators import BY_NAME, PAIRWISE
from graph_sampler.sql import compile_trace
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep, Trace
from tests.brute_force import grammar

Damaged = list[tuple[BenchmarkRecord, Damage]]


@pytest.fixture(scope="module")
def sampled() -> Sampled:
    return sample("bundled:years", 60, 3)


@pytest.fixture(scope="module")
def damaged(sampled: Sampled) -> Damaged:
    return damage_all(sampled)


def temporal(trace: Trace) -> list[PairwiseStep | OrdinalStep]:
    return [step for step in trace.steps if isinstance(step, PairwiseStep | OrdinalStep)]


def test_every_kind_of_damage_is_made_from_a_sample(damaged: Damaged) -> None:
    kinds = Counter(damage.kind for _, damage in damaged)
    assert all(kinds[kind] >= 20 for kind in DamageKind)
    assert any(damage.operator == FILTER for _, damage in damaged)


def test_a_damaged_trace_keeps_the_grammar_of_steps(sampled: Sampled, damaged: Damaged) -> None:
    for record, damage in damaged:
        assert grammar(damage.trace, Scene(record, sampled.points).graph) == [], (record.id, damage)
        assert Trace.model_validate(damage.trace.model_dump()) == damage.trace


def test_a_damaged_trace_names_another_set_on_the_evidence_as_sql_confirms(sampled: Sampled, damaged: Damaged) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.execute("CREATE TABLE facts (subject VARCHAR, relation VARCHAR, object VARCHAR, start_ INTEGER, end_ INTEGER)")
        shown = ""
        for record, damage in damaged:
            if record.id != shown:
                shown = record.id
                connection.execute("DELETE FROM facts")
                rows = [(fact.subject, fact.relation, fact.object, *fact.interval) for fact in record.evidence]
                connection.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?)", rows)
            found = {answer for (answer,) in connection.execute(compile_trace(damage.trace, sampled.granularity)).fetchall()}
            assert found == damage.answers, (record.id, damage)
            assert found != {record.answer_id}
            assert damage.trace.steps[-1].candidates == len(found)


def test_a_damage_does_to_the_constraints_what_its_name_says(damaged: Damaged) -> None:
    for record, damage in damaged:
        whole, broken = temporal(record.trace), temporal(damage.trace)
        if damage.kind is DamageKind.ADDED:
            assert len(broken) == len(whole) + 1
        elif damage.operator == FILTER:
            assert len(broken) <= len(whole)
            assert len(damage.trace.steps) - len(broken) == 1
        elif damage.kind is DamageKind.DROPPED:
            assert Counter(step.operator for step in whole) - Counter(step.operator for step in broken) == Counter([damage.operator])
        else:
            assert len(broken) == len(whole)
            changes = Counter(step.operator for step in broken) - Counter(step.operator for step in whole)
            if damage.kind is DamageKind.REBOUND:
                assert not changes
            elif damage.kind is DamageKind.REVERSED and damage.operator in BY_NAME:
                assert changes in (Counter([opposite_of(damage.operator)]), Counter())


def test_a_damaged_trace_does_not_name_the_answer_as_a_reference(damaged: Damaged) -> None:
    for record, damage in damaged:
        assert all(record.answer_id not in (fact.subject, fact.object) for fact in damage.trace.references.values())


def test_damages_come_from_the_record_and_its_random_stream_alone(sampled: Sampled) -> None:
    record = max(sampled.records, key=lambda one: one.temporal_constraint_count)
    first, second = (damages(record, sampled.points, Random(5)) for _ in range(2))
    assert first == second


def test_opposites_are_mutual_and_stay_in_the_family() -> None:
    lonely = set()
    for operator in PAIRWISE:
        opposite = opposite_of(operator.name)
        if opposite is None:
            lonely.add(operator.name)
            continue
        assert BY_NAME[opposite].family is operator.family
        assert opposite_of(opposite) == operator.name != opposite
    assert lonely == {"I-equals-I", "P-equals-P", "P-inside-I", "I-covers-P"}
