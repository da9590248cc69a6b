"""Synthetic graphs: as many facts as asked for, the same bytes again, and something to sample from."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_sampler.labels import normalise_label, shared_label_count
from graph_sampler.load import load_graph
from graph_sampler.loaders.graph_file import write_graph
from graph_sampler.synthetic import _first_day, _year_of, generate_graph
from graph_sampler.synthetic_world import KINDS, SHAPES, names, shapes
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.errors import ConfigError
from state.interval import Granularity, civil_from_days, days_from_civil
from tests.command_line import SMALL, here, refused


def written(facts: int, seed: int, granularity: Granularity = Granularity.YEAR) -> bytes:
    sink = io.BytesIO()
    graph, report = generate_graph(facts, seed, granularity)
    write_graph(graph, lambda: report, GraphConfig(path="synthetic", granularity=granularity), sink)
    return sink.getvalue()


@pytest.fixture(scope="module")
def graph() -> TemporalGraph:
    return generate_graph(20_000, 3)[0]


@pytest.mark.parametrize("granularity", [Granularity.YEAR, Granularity.DAY])
@pytest.mark.parametrize("facts", [100, 5_003])
def test_a_graph_has_the_facts_asked_for_each_once_and_in_order(facts: int, granularity: Granularity) -> None:
    graph, report = generate_graph(facts, 5, granularity)
    rows = list(zip(*(column.tolist() for column in (graph.subject, graph.relation, graph.object, graph.start, graph.end)), strict=True))
    assert rows == sorted(set(rows))
    assert len(rows) == len(graph) == report.facts == facts
    assert (graph.start <= graph.end).all()
    assert (graph.subject != graph.object).all()
    assert (graph.start == graph.end)[graph.relation_is_point[graph.relation]].all()
    assert report.rows == facts + len(graph.dropped)
    assert sum(report.dropped.values()) == report.kept_aside == len(graph.dropped)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_facts() -> None:
    assert written(2_000, 1) == written(2_000, 1) != written(2_000, 2)
    assert written(2_000, 1, Granularity.DAY) != written(2_000, 1)


def test_every_label_can_stand_in_a_question_and_only_some_people_share_one(graph: TemporalGraph) -> None:
    assert graph.entity_usable.all()
    assert graph.entity_ids == sorted(set(graph.entity_ids))
    assert 0 < shared_label_count(graph.entity_labels) < len(graph.entity_labels) / 20
    assert len(set(graph.relation_labels)) == len(graph.relation_labels) == len(SHAPES)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].ending])
def test_names_of_one_kind_differ(kind: str) -> None:
    found = names(kind, np.arange(20_000)).to_pylist()
    assert len({normalise_label(name) for name in found}) == len(found)


def test_more_relations_than_shapes_have_labels_of_their_own() -> None:
    many = shapes(2 * len(SHAPES) + 1)
    assert len({shape.label for shape in many}) == len(many)
    assert len(generate_graph(3_000, 1, relations=45)[0].relation_ids) == 45


def test_degrees_have_a_heavy_tail_and_spells_follow_each_other(graph: TemporalGraph) -> None:
    degrees = np.bincount(graph.object)
    assert degrees.max() > 20 * np.median(degrees[degrees > 0])
    same = (graph.subject[1:] == graph.subject[:-1]) & (graph.relation[1:] == graph.relation[:-1])
    same &= ~graph.relation_is_point[graph.relation[1:]]
    overlapping, meeting = (graph.start[1:] < graph.end[:-1])[same], (graph.start[1:] == graph.end[:-1])[same]
    assert same.sum() > 1_000
    assert overlapping.any()
    assert meeting.any()
    assert not (overlapping | meeting).all()


@given(st.integers(1, 9_999), st.integers(0, 365))
def test_the_calendar_is_that_of_the_graphs(year: int, more: int) -> None:
    first = int(_first_day(np.array([year]))[0])
    assert first - 719_528 == days_from_civil(year, 1, 1)
    assert int(_year_of(np.array([first + more]))[0]) == civil_from_days(first + more - 719_528)[0]


@pytest.mark.parametrize(("facts", "relations"), [(99, 20), (10**9, 20), (1_000, 0), (1_000, 10_001)])
def test_sizes_out_of_range_are_refused(facts: int, relations: int) -> None:
    with pytest.raises(ConfigError, match="cannot draw"):
        generate_graph(facts, 1, relations=relations)


def test_the_command_writes_a_graph_that_every_command_takes(tmp_path: Path) -> None:
    out = tmp_path / "synthetic.graph"
    done = here("graph", "generate", "--facts", "4000", "--seed", "2", "--out", str(out), "--granularity", "day")
    assert "4,000" in done.stdout
    assert done.returncode == 0
    loaded, report = load_graph(GraphConfig(path=str(out)))
    drawn, _ = generate_graph(4_000, 2, Granularity.DAY)
    assert loaded.content_hash == drawn.content_hash == report.content_hash
    assert "no unit 'hour'" in refused("graph", "generate", "--facts", "4000", "--out", str(out), "--granularity", "hour")
    (tmp_path / "notes.txt").write_text("mine")
    assert "something else" in refused("graph", "generate", "--facts", "4000", "--out", str(tmp_path / "notes.txt"))
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.slow
def test_a_sample_of_a_synthetic_graph_passes_the_check(tmp_path: Path) -> None:
    graph, run = str(tmp_path / "synthetic.graph"), str(tmp_path / "run")
    here("graph", "generate", "--facts", "3000", "--seed", "1", "--out", graph)
    assert here("sample", *SMALL, "--set", f"graph.path={graph}", "--out", run).returncode == 0
    assert here("check", run).returncode == 0
