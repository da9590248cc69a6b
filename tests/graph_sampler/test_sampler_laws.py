"""Every record of the sampler stands before three witnesses: brute force, SQL and a parser of its question."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import duckdb
import pytest
from hypothesis import HealthCheck, event, given, settings

from graph_sampler.load import load_graph
from graph_sampler.operators import OPERATOR_NAMES
from graph_sampler.sql import check_record, load_facts
from graph_sampler.temporal_graph import TemporalGraph
from state.config import Config
from state.instance import BenchmarkRecord
from state.vocabulary import ConstraintCount, Template
from tests import template_parser
from tests.brute_force import BruteGraph, load_cronkg, normalise, violations
from tests.small_samples import configure, sample_records, write_careers
from tests.strategies import SmallGraph, small_graph_rows

GRAPHS = 8


class Case(NamedTuple):
    """A graph, as both readers see it, and what the sampler makes of it."""

    config: Config
    graph: TemporalGraph
    brute: BruteGraph
    records: list[BenchmarkRecord]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("SET threads = 1")
        yield opened


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    """Seeded graphs of careers."""
    return [case(configure(write_careers(tmp_path_factory.mktemp("careers"), Random(seed)), target=56)) for seed in range(GRAPHS)]


def case(config: Config) -> Case:
    return Case(config, load_graph(config.graph)[0], load_cronkg(Path(str(config.graph.path))), sample_records(config))


def reads_back(record: BenchmarkRecord) -> bool:
    """Whether the template question, read by labels alone, can mean the record's trace."""
    used = {end for fact in record.evidence for end in (fact.subject, fact.object)}
    entities: dict[str, list[str]] = defaultdict(list)
    relations: dict[str, list[str]] = defaultdict(list)
    for key, label in record.labels.items():
        (entities if key in used else relations)[label].append(key)
    trace = record.trace
    steps = tuple(step.model_copy(update={"candidates": 0}) for step in trace.steps)
    references = {name: (fact.subject, fact.relation, fact.object) for name, fact in trace.references.items()}
    said = template_parser.ParsedTrace(trace.template, trace.answer_variable, steps, references)
    return said in template_parser.parse(record.raw_question, entities, relations)


def check(found: Case, connection: duckdb.DuckDBPyConnection, every: int = 1) -> None:
    """All three witnesses on each record; SQL, the slowest, on every so many."""
    load_facts(connection, found.graph)
    for number, record in enumerate(found.records):
        assert violations(record, found.brute, caps=found.config.sampler.caps) == []
        assert reads_back(record), record.raw_question
        if number % every == 0:
            assert check_record(connection, record) == []


def test_the_corpus_is_rich_in_awkward_cases(corpus: list[Case]) -> None:
    """Without this the law could hold of nothing."""
    records = [record for found in corpus for record in found.records]
    assert min(len(found.records) for found in corpus) >= 20
    cells = Counter((record.graph_structure, record.constraint_part) for record in records)
    assert all(cells[template, part] >= 8 for template in Template for part in ConstraintCount), cells
    assert {name for record in records for name in record.operators} == set(OPERATOR_NAMES)
    assert {record.temporal_constraint_count for record in records} >= {1, 2, 3}
    assert Counter(record.provenance.root.startswith('["?a"') for record in records)[False] >= 10
    for found in corpus:
        graph = found.brute
        assert len(graph.aside) >= 2
        assert any(fact.start == fact.end for fact in graph.facts if fact.relation not in graph.points)
    repeated = [max(Counter(fact[:3] for fact in found.brute.facts).values()) > 1 for found in corpus]
    shared = [max(Counter(map(normalise, found.brute.entity_labels.values())).values()) > 1 for found in corpus]
    assert sum(repeated) >= GRAPHS / 2
    assert sum(shared) >= 2
    assert {row.relation for found in corpus for row in found.brute.aside} >= {"P1", "P2", "P3", "P5"}


@pytest.mark.slow
def test_every_record_of_the_corpus_stands_before_all_three(corpus: list[Case], connection: duckdb.DuckDBPyConnection) -> None:
    for found in corpus:
        check(found, connection)


def test_every_record_of_the_shipped_graph_stands_before_all_three(
    years_config: Config,
    years_graph: TemporalGraph,
    years_brute: BruteGraph,
    years_records: list[BenchmarkRecord],
    connection: duckdb.DuckDBPyConnection,
) -> None:
    check(Case(years_config, years_graph, years_brute, years_records), connection, every=25)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(small_graph_rows(min_rows=25, max_rows=60, max_entities=6))
def test_every_record_of_any_small_graph_stands_before_all_three(connection: duckdb.DuckDBPyConnection, small: SmallGraph) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = small.write(Path(folder) / "small")
        found = case(configure(path, target=40, caps={"seed_min": 2, "skeletons_per_root": 3, "proposals_per_operator": 1}))
    event("has records" if found.records else "has none")
    check(found, connection)
