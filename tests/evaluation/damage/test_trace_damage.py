"""Damaged traces keep the grammar of steps and do to the answer what their kind says; DuckDB and the brute force are the witnesses."""

from __future__ import annotations

from collections import Counter
from random import Random

import duckdb
import pytest

from benchmarks.verifier_rates import Sampled, damage_all
from evaluation.damage.trace_damage import FILTER, Damage, damages, random_stream
from graph_sampler.operators import BY_NAME, opposite_of
from graph_sampler.sql import compile_trace
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.study import DamageKind
from state.trace import OrdinalStep, PairwiseStep, Trace
from state.vocabulary import Family
from tests.brute_force import grammar
from tests.brute_force_execution import execute
from tests.evidence_graph import evidence_graph, references_of
from tests.shipped_sample import first

Damaged = list[tuple[BenchmarkRecord, Damage]]


@pytest.fixture(scope="module")
def sampled(years_records: list[BenchmarkRecord], years_points: frozenset[str]) -> Sampled:
    return first(60, years_records, years_points)


@pytest.fixture(scope="module")
def damaged(sampled: Sampled) -> Damaged:
    return damage_all(sampled)


def temporal(trace: Trace) -> list[PairwiseStep | OrdinalStep]:
    return [step for step in trace.steps if isinstance(step, PairwiseStep | OrdinalStep)]


def is_as_promised(record: BenchmarkRecord, damage: Damage) -> bool:
    """Whether the answer set says what the kind promises of it."""
    return (damage.answers == {record.answer_id}) is (damage.kind is DamageKind.UNNECESSARY)


def operands(trace: Trace) -> Counter[tuple[object, ...]]:
    """What each pairwise constraint compares, references as facts."""
    steps = [step for step in trace.steps if isinstance(step, PairwiseStep)]
    return Counter((step.operator, step.left, trace.references.get(step.right, step.right)) for step in steps)


def test_every_kind_of_damage_is_made_from_a_sample(damaged: Damaged) -> None:
    kinds = Counter(damage.kind for _, damage in damaged)
    assert all(kinds[kind] >= 20 for kind in DamageKind)
    assert any(damage.operator == FILTER for _, damage in damaged)


def test_a_damaged_trace_keeps_the_grammar_of_steps(sampled: Sampled, damaged: Damaged) -> None:
    for record, damage in damaged:
        assert grammar(damage.trace, evidence_graph(record, sampled.points)) == [], (record.id, damage)
        assert Trace.model_validate(damage.trace.model_dump()) == damage.trace


def test_the_brute_force_comes_to_the_same_candidate_sets(sampled: Sampled, damaged: Damaged) -> None:
    for record, damage in damaged:
        run = execute(evidence_graph(record, sampled.points), damage.trace, references_of(damage.trace))
        assert run.answers == damage.answers, (record.id, damage)
        assert [len(left) for left in run.candidates_after] == [step.candidates for step in damage.trace.steps]


@pytest.mark.slow
def test_a_damaged_trace_names_what_its_kind_promises_as_sql_confirms(sampled: Sampled, damaged: Damaged) -> None:
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
            assert is_as_promised(record, damage)
            assert damage.trace.steps[-1].candidates == len(found)


def test_a_damage_does_to_the_constraints_what_its_name_says(damaged: Damaged) -> None:
    for record, damage in damaged:
        whole, broken = temporal(record.trace), temporal(damage.trace)
        lost = operands(record.trace) - operands(damage.trace)
        new = operands(damage.trace) - operands(record.trace)
        if damage.kind in (DamageKind.ADDED, DamageKind.UNNECESSARY):
            assert len(broken) == len(whole) + 1
            assert not lost
            assert [operator for operator, _, _ in new] == [damage.operator]
        elif damage.operator == FILTER:
            assert len(broken) <= len(whole)
            assert len(damage.trace.steps) - len(broken) == 1
        elif damage.kind is DamageKind.DROPPED:
            assert Counter(step.operator for step in whole) - Counter(step.operator for step in broken) == Counter([damage.operator])
            assert not new
        else:
            assert len(broken) == len(whole)
            changes = Counter(step.operator for step in broken) - Counter(step.operator for step in whole)
            if damage.kind in (DamageKind.REBOUND, DamageKind.SWAPPED):
                assert not changes
            elif damage.kind is DamageKind.REVERSED and damage.operator in BY_NAME:
                assert changes in (Counter([opposite_of(damage.operator)]), Counter())


def test_a_wrong_binding_reads_facts_of_the_row_and_a_swapped_reference_another_reference(damaged: Damaged) -> None:
    for record, damage in damaged:
        known = set(record.trace.references.values())
        if damage.kind is DamageKind.REBOUND:
            assert set(damage.trace.references.values()) <= known
        if damage.kind is DamageKind.SWAPPED:
            [(_, left, gone)] = operands(record.trace) - operands(damage.trace)
            [(_, same, fresh)] = operands(damage.trace) - operands(record.trace)
            assert left == same
            assert isinstance(gone, TemporalFact)
            assert isinstance(fresh, TemporalFact)
            assert fresh in record.evidence


def test_an_unnecessary_constraint_compares_two_facts_that_no_other_constraint_compares(damaged: Damaged) -> None:
    for record, damage in damaged:
        if damage.kind is DamageKind.UNNECESSARY:
            [(_, left, right)] = operands(damage.trace) - operands(record.trace)
            assert all({left, right} != {one, other} for _, one, other in operands(record.trace))


def test_the_constraint_named_is_of_the_family_named(damaged: Damaged) -> None:
    for record, damage in damaged:
        if damage.operator == FILTER:
            assert damage.family is record.families[0]
        else:
            assert damage.family is (BY_NAME[damage.operator].family if damage.operator in BY_NAME else Family.ORDINAL)
        if damage.kind not in (DamageKind.ADDED, DamageKind.UNNECESSARY) and damage.operator != FILTER:
            assert damage.operator in record.operators
        assert damage.note


def test_a_damaged_trace_names_neither_the_answer_nor_a_bridge_to_it_in_a_new_reference(sampled: Sampled, damaged: Damaged) -> None:
    for record, damage in damaged:
        run = execute(evidence_graph(record, sampled.points), record.trace, references_of(record.trace))
        bound = {entity for row in run.rows for end, entity in row.items() if end.startswith("?")}
        for fact in set(damage.trace.references.values()) - set(record.trace.references.values()):
            assert bound.isdisjoint((fact.subject, fact.object))


def test_at_most_one_damage_of_a_kind_is_done_to_a_constraint(sampled: Sampled) -> None:
    for record in sampled.records:
        found = damages(record, sampled.points, random_stream(3, record.id))
        counts = Counter((damage.kind, damage.operator) for damage in found if damage.operator != FILTER)
        for (kind, operator), count in counts.items():
            is_new = kind in (DamageKind.ADDED, DamageKind.UNNECESSARY)
            assert count <= (1 if is_new else record.operators.count(operator))


def test_damages_come_from_the_record_and_its_random_stream_alone(sampled: Sampled) -> None:
    record = max(sampled.records, key=lambda one: one.temporal_constraint_count)
    first, second = (damages(record, sampled.points, random_stream(5, record.id)) for _ in range(2))
    assert first == second
    streams = [random_stream(seed, name).random() for seed in (5, 6) for name in (record.id, "another")]
    assert len(set(streams)) == 4
    assert any(damages(record, sampled.points, Random(seed)) != first for seed in range(5))
