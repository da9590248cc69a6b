"""The SQL of a trace against the brute-force evaluator, over small random graphs."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_sampler.operators import OPERATOR_NAMES
from graph_sampler.sql import PREDICATES, RANK_KEYS, check_record, compile_trace, losses
from state.interval import Granularity
from state.trace import OrdinalStep, PairwiseStep, RootStep, Trace
from state.vocabulary import RankOrder, Template
from tests.brute_force import grammar
from tests.brute_force_execution import FAMILIES, execute, execute_without, holds
from tests.brute_force_graph import BruteGraph, Fact
from tests.random_traces import graph_of, random_graph, random_trace, record_of, write


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("SET threads = 1")
        yield opened


def fill(connection: duckdb.DuckDBPyConnection, facts: list[Fact], table: str = "facts") -> None:
    connection.execute(f"CREATE OR REPLACE TABLE {table} (subject VARCHAR, relation VARCHAR, object VARCHAR, start_ INTEGER, end_ INTEGER)")
    rows = ", ".join(f"('{fact.subject}', '{fact.relation}', '{fact.object}', {fact.start}, {fact.end})" for fact in facts)
    connection.execute(f"INSERT INTO {table} VALUES {rows}")


def answers(connection: duckdb.DuckDBPyConnection, trace: Trace, left_out: str | None = None) -> set[str]:
    return {answer for (answer,) in connection.execute(compile_trace(trace, Granularity.YEAR, left_out=left_out)).fetchall()}


def test_every_operator_of_the_table_has_its_sql() -> None:
    assert set(OPERATOR_NAMES) == {*PREDICATES, *RANK_KEYS}


def test_each_predicate_says_what_the_brute_force_says_for_all_bounds_from_0_to_4(connection: duckdb.DuckDBPyConnection) -> None:
    spans = [(start, end) for start in range(5) for end in range(start, 5)]
    connection.execute("CREATE OR REPLACE TABLE spans (a INTEGER, b INTEGER)")
    connection.executemany("INSERT INTO spans VALUES (?, ?)", spans)
    for family in ("I-I", "P-I", "I-P", "P-P"):
        firsts, seconds = ([span for span in spans if kind == "I" or span[0] == span[1]] for kind in family.split("-"))
        for operator in FAMILIES[family]:
            test = PREDICATES[operator].format(a="x.a", b="x.b", c="y.a", d="y.b")
            found = set(connection.execute(f"SELECT x.a, x.b, y.a, y.b FROM spans x, spans y WHERE {test}").fetchall())
            for x in firsts:
                for y in seconds:
                    assert ((*x, *y) in found) == holds(operator, Fact("", "", "", *x), Fact("", "", "", *y)), (operator, x, y)


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_sql_and_brute_force_agree_on_random_traces(connection: duckdb.DuckDBPyConnection, rng: Random) -> None:
    graph = random_graph(rng)
    trace = random_trace(rng, graph)
    assert grammar(trace, graph) == []
    references = {name: graph.read(fact) for name, fact in trace.references.items()}
    fill(connection, graph.facts)
    run = execute(graph, trace, references)
    assert answers(connection, trace) == run.answers
    for name in losses(trace):
        assert answers(connection, trace, name) == execute_without(graph, trace, references, name).answers, name


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_the_check_of_a_record_names_just_the_losses_that_brute_force_names(connection: duckdb.DuckDBPyConnection, rng: Random) -> None:
    graph = random_graph(rng)
    trace = random_trace(rng, graph)
    references = {name: graph.read(fact) for name, fact in trace.references.items()}
    run = execute(graph, trace, references)
    if not run.bound:
        return
    answer = min(run.answers, default=min(graph.entity_labels))
    record = record_of(graph, trace, answer)
    fill(connection, graph.facts)
    expected = []
    for where, facts in (("the graph", graph), ("the evidence", graph_of([graph.read(fact) for fact in record.evidence], graph.points))):
        found = execute(facts, trace, references).answers
        if found != {answer}:
            expected.append(f"{where} answers {sorted(found)} instead of {answer}")
        for name in losses(trace):
            if execute_without(facts, trace, references, name).answers == {answer}:
                expected.append(f"{where} gives the same answer without {name}")
    assert sorted(check_record(connection, record)) == sorted(expected)


def careers() -> tuple[BruteGraph, Trace]:
    """Three careers at one club; only Q3's overlaps Q1's in the sense of the operator."""
    facts = [Fact("Q1", "P3", "Q9", 1996, 2003), Fact("Q2", "P3", "Q9", 1996, 2000), Fact("Q3", "P3", "Q9", 1990, 1999)]
    steps = (
        RootStep(fact="f1", pattern=("?a", "P3", "Q9"), candidates=3),
        PairwiseStep(constraint="c1", operator="I-overlaps-I", left="f1", right="g1", candidates=1),
    )
    trace = Trace(template=Template.ONE_HOP, answer_variable="?a", steps=steps, references={"g1": write(facts[0])})
    return graph_of(facts, set()), trace


def test_a_good_record_passes_and_a_wrong_answer_is_named(connection: duckdb.DuckDBPyConnection) -> None:
    graph, trace = careers()
    fill(connection, graph.facts)
    assert check_record(connection, record_of(graph, trace, "Q3")) == []
    assert check_record(connection, record_of(graph, trace, "Q2")) == [
        "the graph answers ['Q3'] instead of Q2",
        "the evidence answers ['Q3'] instead of Q2",
    ]


def test_evidence_that_cannot_show_a_loss_is_named(connection: duckdb.DuckDBPyConnection) -> None:
    graph, trace = careers()
    fill(connection, graph.facts)
    thin = tuple(write(fact) for fact in (graph.facts[0], graph.facts[2]))
    assert check_record(connection, record_of(graph, trace, "Q3", evidence=thin)) == ["the evidence gives the same answer without c1"]


def test_ids_are_data(connection: duckdb.DuckDBPyConnection) -> None:
    hostile = "'; DROP TABLE facts; --"
    fill(connection, [Fact("Q1", "P1", "Q9", 1996, 1996)])
    connection.execute("INSERT INTO facts VALUES ('Q2', 'P1', ?, 1999, 1999)", [hostile])
    steps = (
        RootStep(fact="f1", pattern=("?a", "P1", hostile), candidates=1),
        OrdinalStep(constraint="c1", operator="start_rank", fact="f1", rank=1, order=RankOrder.ASCENDING, candidates=1),
    )
    trace = Trace(template=Template.ONE_HOP, answer_variable="?a", steps=steps, references={})
    assert answers(connection, trace) == {"Q2"}
    assert connection.execute("SELECT count(*) FROM facts").fetchone() == (2,)


def test_a_reference_in_another_granularity_is_refused() -> None:
    _, trace = careers()
    with pytest.raises(ValueError, match="units of a day"):
        compile_trace(trace, Granularity.DAY)
