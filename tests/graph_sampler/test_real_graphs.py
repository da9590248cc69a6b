"""The sampler on real graphs, every record judged by brute force over a reading of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_sampler.load import load_graph
from graph_sampler.operators import OPERATOR_NAMES
from graph_sampler.sampler import Sample, sample_traces
from state.config import Config, GraphConfig, LabelTable, SamplerConfig, UnknownDates
from state.instance import BenchmarkRecord
from state.interval import Granularity
from state.vocabulary import ConstraintCount, Template
from tests.brute_force import BruteGraph, load_cronkg, violations
from tests.brute_force_graph import clean, read_lines

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def sample(graph: GraphConfig, target: int, brute: BruteGraph) -> tuple[Sample, list[BenchmarkRecord]]:
    """A sample whose every record brute force agrees with."""
    config = Config(dataset="real", graph=graph, sampler=SamplerConfig(target=target))
    found = sample_traces(load_graph(graph)[0], config)
    records = [BenchmarkRecord.model_validate_json(line) for line in found.lines]
    bad = {record.id: said for record in records if (said := violations(record, brute))}
    assert bad == {}
    assert len({record.id for record in records}) == len({record.raw_question for record in records}) == len(records)
    return found, records


def operators_of(records: list[BenchmarkRecord]) -> set[str]:
    return {name for record in records for name in record.operators}


def rows_of(paths: list[Path]) -> Iterator[list[str]]:
    for path in paths:
        yield from read_lines(path)


def test_cronkg_mini_gives_five_thousand_records_in_all_cells_with_all_operators(shared_data: Path) -> None:
    folder = shared_data / "cronkg_mini"
    _, records = sample(GraphConfig(path=str(folder)), 5000, load_cronkg(folder))
    assert len(records) >= 5000
    cells = {(record.graph_structure, record.constraint_part) for record in records}
    assert cells == {(template, part) for template in Template for part in ConstraintCount}
    assert operators_of(records) == set(OPERATOR_NAMES)


def test_timequestions_has_all_operators_though_its_labels_are_its_ids(shared_data: Path) -> None:
    path = shared_data / "timequestions_kg" / "facts_labelled.tsv.gz"
    graph = GraphConfig(path=str(path), format="table", unknown_dates=UnknownDates(start=("1",), end=("2916",)))
    rows = [[cell.strip(" \t") for cell in row] for row in read_lines(path)]
    entities = {end: end for row in rows if len(row) == 5 for end in (row[0], row[2])}
    relations = {row[1]: row[1] for row in rows if len(row) == 5}
    brute = clean(rows, entities, relations, labels_are_ids=True, unknown_starts=("1",), unknown_ends=("2916",))
    found, records = sample(graph, 3000, brute)
    assert operators_of(records) == set(OPERATOR_NAMES)
    assert {record.graph_structure for record in records} == set(Template)
    assert found.coverage.doubtful > 0


def test_yago_works_in_days_though_nearly_only_points_survive(shared_data: Path) -> None:
    folder = shared_data / "yago11k"
    files = [folder / f"{part}.txt.gz" for part in ("train", "valid", "test")]
    tables = [folder / "entity2id.txt.gz", folder / "relation2id.txt"]
    entity_table, relation_table = (LabelTable(path=str(path), id=1, label=0, style="name") for path in tables)
    graph = GraphConfig(
        path=tuple(map(str, files)), format="table", granularity=Granularity.DAY, entity_labels=entity_table, relation_labels=relation_table
    )
    store, _ = load_graph(graph)
    entities = dict(zip(store.entity_ids, store.entity_labels, strict=True))
    relations = {key.removeprefix("relation:"): label for key, label in zip(store.relation_ids, store.relation_labels, strict=True)}
    brute = clean(rows_of(files), entities, relations, granularity=Granularity.DAY)
    _, records = sample(graph, 1000, brute)
    assert len(records) >= 500
    assert {record.graph_structure for record in records} == set(Template)
    assert operators_of(records) >= {"P-before-P", "P-equals-P", "P-after-P", "start_rank"}
    assert all(len(fact.start) == len("1999-12-31") for record in records for fact in record.evidence)
