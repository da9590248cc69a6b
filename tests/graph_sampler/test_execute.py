"""The row-by-row executor against the brute-force evaluator of the tests, over small random graphs."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.execute import execute, structure_of
from state.trace import StructuralStep
from tests.brute_force_execution import execute as execute_by_force
from tests.brute_force_execution import execute_structure
from tests.brute_force_graph import Fact
from tests.random_traces import random_graph, random_trace, write


def read(fact: object) -> Fact:
    return Fact(fact.subject, fact.relation, fact.object, *fact.interval)  # type: ignore[attr-defined]


@settings(max_examples=100)
@given(st.randoms(use_true_random=False))
def test_it_keeps_the_rows_that_the_brute_force_keeps(rng: Random) -> None:
    graph = random_graph(rng)
    trace = random_trace(rng, graph)
    found = execute(trace, [write(fact) for fact in graph.facts])
    expected = execute_by_force(graph, trace, {name: read(fact) for name, fact in trace.references.items()})
    assert found.answers == expected.answers
    assert list(found.candidates) == [len(entities) for entities in expected.candidates_after]
    rows = [{**row.entities, **{name: read(fact) for name, fact in row.facts.items()}} for row in found.rows]
    assert sorted(map(repr, map(sorted_items, rows))) == sorted(map(repr, map(sorted_items, expected.rows)))


def sorted_items(row: dict[str, object]) -> list[tuple[str, object]]:
    return sorted(row.items(), key=lambda item: item[0])


@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_the_structure_of_a_trace_is_its_structural_steps(rng: Random) -> None:
    graph = random_graph(rng)
    trace = random_trace(rng, graph)
    structure = structure_of(trace)
    assert all(isinstance(step, StructuralStep) for step in structure.steps)
    assert execute(structure, [write(fact) for fact in graph.facts]).answers == execute_structure(graph, trace).answers


@settings(max_examples=30)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_facts_does_not_matter(rng: Random) -> None:
    graph = random_graph(rng)
    trace = random_trace(rng, graph)
    facts = [write(fact) for fact in graph.facts]
    shuffled = rng.sample(facts, len(facts))
    assert execute(trace, facts).answers == execute(trace, shuffled).answers
    assert execute(trace, facts).candidates == execute(trace, shuffled).candidates
