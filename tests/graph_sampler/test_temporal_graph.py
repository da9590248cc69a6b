"""The columnar store: order, indexes, immutability, and one hash for one graph: traps E02, F02."""

from __future__ import annotations

import dataclasses
import os
import pickle
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.load import load_graph
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.interval import ValidInterval
from tests.brute_force_graph import load_cronkg
from tests.strategies import SmallGraph, small_graph_rows, write_cronkg


def load(small: SmallGraph, *, compress: bool = False) -> TemporalGraph:
    with tempfile.TemporaryDirectory() as folder:
        return load_graph(GraphConfig(path=str(small.write(Path(folder) / "g", compress=compress))))[0]


def rows_of(graph: TemporalGraph) -> list[tuple[str, str, str, int, int]]:
    columns = (graph.subject, graph.relation, graph.object, graph.start, graph.end)
    return [
        (graph.entity_ids[subject], graph.relation_ids[relation], graph.entity_ids[object_], start, end)
        for subject, relation, object_, start, end in zip(*(column.tolist() for column in columns), strict=True)
    ]


@settings(max_examples=30)
@given(small_graph_rows())
def test_a_second_reader_finds_the_same_facts(small: SmallGraph) -> None:
    with tempfile.TemporaryDirectory() as folder:
        brute = load_cronkg(small.write(Path(folder)))
    assert rows_of(load(small)) == sorted(tuple(fact) for fact in brute.facts)


@settings(max_examples=30)
@given(small_graph_rows())
def test_ids_and_facts_stand_in_order_and_the_indexes_find_each_fact(small: SmallGraph) -> None:
    graph = load(small)
    assert graph.entity_ids == sorted(graph.entity_ids)
    assert graph.relation_ids == sorted(graph.relation_ids)
    facts = rows_of(graph)
    assert facts == sorted(set(facts))
    everything = range(len(graph))
    for entity, identifier in enumerate(graph.entity_ids):
        assert graph.facts_with_subject(entity).tolist() == [fact for fact in everything if facts[fact][0] == identifier]
        to_entity = [fact for fact in everything if facts[fact][2] == identifier]
        assert graph.facts_with_object(entity).tolist() == sorted(to_entity, key=lambda fact: (facts[fact][1], fact))
        for relation, name in enumerate(graph.relation_ids):
            assert graph.facts_from(relation, entity).tolist() == [fact for fact in everything if facts[fact][:2] == (identifier, name)]
            assert graph.facts_to(relation, entity).tolist() == [fact for fact in everything if facts[fact][1:3] == (name, identifier)]
            aside = list(
                zip(*(column.tolist() for column in (graph.dropped.subject, graph.dropped.relation, graph.dropped.object)), strict=True)
            )
            assert graph.dropped_from(relation, entity).tolist() == [row for row, ids in enumerate(aside) if ids[:2] == (entity, relation)]
            assert graph.dropped_to(relation, entity).tolist() == [row for row, ids in enumerate(aside) if ids[1:] == (relation, entity)]


@settings(max_examples=30)
@given(small_graph_rows(), st.randoms(use_true_random=False))
def test_neither_order_nor_compression_changes_the_graph(small: SmallGraph, rng: random.Random) -> None:
    def shuffled(items: list[Any]) -> list[Any]:
        return rng.sample(items, len(items))

    other = SmallGraph(
        shuffled(small.rows), dict(shuffled(list(small.labels.items()))), dict(shuffled(list(small.relation_labels.items()))),
        dict(shuffled(list(small.types.items()))), dict(shuffled(list(small.aliases.items()))),
    )  # fmt: skip
    one, two = load(small), load(other, compress=True)
    assert one.content_hash == two.content_hash
    assert rows_of(one) == rows_of(two)
    assert one.entity_aliases == two.entity_aliases
    for field in dataclasses.fields(one.dropped):
        assert np.array_equal(getattr(one.dropped, field.name), getattr(two.dropped, field.name))


@settings(max_examples=20)
@given(small_graph_rows(clean=True), st.data())
def test_any_change_of_what_a_reader_sees_changes_the_hash(small: SmallGraph, data: st.DataObject) -> None:
    graph = load(small)
    entity = data.draw(st.sampled_from(graph.entity_ids))
    relabelled = small._replace(labels={**small.labels, entity: small.labels[entity] + " II"})
    assert load(relabelled).content_hash != graph.content_hash
    aliased = small._replace(aliases={**small.aliases, entity: ["Another Name"]})
    assert load(aliased).content_hash != graph.content_hash
    later = small._replace(rows=[*small.rows, (entity, "P1", "Q1", "2030", "2031")])
    assert load(later).content_hash != graph.content_hash
    doubtful = small._replace(rows=[*small.rows, (entity, "P1", "Q1", "2030", "None")])
    assert load(doubtful).content_hash != graph.content_hash


def small_graph(tmp_path: Path) -> TemporalGraph:
    rows = [
        ("Q1", "P1", "Q2", "1996", "2003"),
        ("Q1", "P1", "Q2", "2009", "2011"),
        ("Q3", "P1", "Q2", "1999", "2001"),
        ("Q1", "P2", "Q1", "2000", "2000"),
        ("Q3", "P1", "Q1", "1999", "None"),
    ]
    labels = {"Q1": "Ana Roy", "Q2": "FC Arn", "Q3": "Bo Lind"}
    folder = write_cronkg(tmp_path / "g", rows, labels, {"P1": "member of sports team", "P2": "award received"})
    return load_graph(GraphConfig(path=str(folder)))[0]


def test_two_spells_are_two_edges_of_the_support_subgraph(tmp_path: Path) -> None:
    graph = small_graph(tmp_path)
    drawn = graph.to_networkx([1, 0, 1, 2])
    assert sorted(drawn.edges(data="start")) == [("Q1", "Q1", "2000"), ("Q1", "Q2", "1996"), ("Q1", "Q2", "2009")]
    assert drawn.nodes["Q2"] == {"label": "FC Arn"}
    edge = drawn.get_edge_data("Q1", "Q1")[0]
    assert edge == {"relation": "P2", "label": "award received", "type": "point", "start": "2000", "end": "2000"}
    assert graph.fact_interval(1) == ValidInterval(2009, 2011)


def test_the_graph_cannot_be_changed(tmp_path: Path) -> None:
    graph = small_graph(tmp_path)
    for column in (
        graph.subject,
        graph.start,
        graph.entity_usable,
        graph.relation_is_point,
        graph.dropped.start_low,
        graph.facts_with_object(1),
    ):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.start = graph.end  # type: ignore[misc]


def test_the_graph_travels_to_another_process(tmp_path: Path) -> None:
    graph = small_graph(tmp_path)
    copy = pickle.loads(pickle.dumps(graph))
    assert copy.content_hash == graph.content_hash
    assert rows_of(copy) == rows_of(graph)
    assert copy.facts_to(0, 1).tolist() == graph.facts_to(0, 1).tolist()


@pytest.mark.slow
def test_the_hash_does_not_depend_on_the_process(tmp_path: Path) -> None:
    graph = small_graph(tmp_path)
    program = (
        "import sys; from graph_sampler.load import load_graph; from state.config import GraphConfig; "
        "print(load_graph(GraphConfig(path=sys.argv[1]))[0].content_hash)"
    )
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "g")], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == graph.content_hash
