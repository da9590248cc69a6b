"""Two readers of one folder agree: the product's loader and the brute-force evaluator's own."""

from __future__ import annotations

from pathlib import Path
from random import Random

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_sampler.load import load_graph
from graph_sampler.sql import load_facts
from graph_sampler.temporal_graph import NEG_INF, POS_INF, TemporalGraph
from state.config import GraphConfig
from state.interval import Granularity
from tests.brute_force_graph import Aside, BruteGraph, Fact, load_cronkg

TIMES = (
    *("1990", "1991", "1991", "1992", "1995", "0476", "-0043", "12", "None", "", "9999", "2262-04-11", ".."),
    *("1991-##-##", "19##-##-##", "####-##-##", "1991-05-01", "1991-05-02", "1991-02-30", "1992-07", "soon"),
)
LABELS = ("Ana Roy", "Bo Lind", "Q77", " ", "Q", "Łódź", "Jose\u0301 «Pepe»", "Straße 9")


def write_folder(rng: Random, folder: Path) -> None:
    """A folder full of every kind of bad row, and enough good ones to type its relations."""
    entities = [f"Q{number}" for number in range(1, 9)]
    rows = []
    for relation in ("P1", "P2", "P3", "P4"):
        for _ in range(rng.randint(3, 40)):
            start = rng.choice(TIMES)
            end = start if rng.random() < {"P1": 0.97, "P2": 0.6}.get(relation, 0.3) else rng.choice(TIMES)
            rows.append([rng.choice(entities), relation, rng.choice(entities), start, end])
    rows += [["Q1", "P1"], ["Q1", "P1", "Q2", "1990", "1991", "extra"], *rng.sample(rows, 3)]
    labels = [(entity, rng.choice(LABELS) if rng.random() < 0.3 else f"name of {entity[1:]}") for entity in entities[:7]]
    (folder / "full.txt").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "wd_id2entity_text.txt").write_text("".join(f"{key}\t{label}\n" for key, label in labels), encoding="utf-8")
    (folder / "wd_id2relation_text.txt").write_text("P1\tprize\nP2\tmixed\nP3\tmember of\nP4\tpost\n", encoding="utf-8")


def facts_of(graph: TemporalGraph) -> list[Fact]:
    columns = zip(graph.subject, graph.relation, graph.object, graph.start, graph.end, strict=True)
    return [Fact(graph.entity_ids[s], graph.relation_ids[r], graph.entity_ids[o], int(a), int(b)) for s, r, o, a, b in columns]


def asides_of(graph: TemporalGraph) -> set[tuple[object, ...]]:
    """Dropped rows with the values that their bounds may stand for; equal rows count once."""
    dropped = graph.dropped
    ids = zip(dropped.subject, dropped.relation, dropped.object, strict=True)
    bounds = zip(dropped.start_low, dropped.start_high, dropped.end_low, dropped.end_high, strict=True)
    return {
        (graph.entity_ids[s], graph.relation_ids[r], graph.entity_ids[o], *map(int, four))
        for (s, r, o), four in zip(ids, bounds, strict=True)
    }


def closed(row: Aside) -> tuple[object, ...]:
    low = (NEG_INF if row.start_low is None else row.start_low, POS_INF if row.start_high is None else row.start_high)
    high = (NEG_INF if row.end_low is None else row.end_low, POS_INF if row.end_high is None else row.end_high)
    return (*row[:3], *low, *high)


@pytest.mark.parametrize("granularity", list(Granularity))
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**6))
def test_both_readers_keep_drop_and_type_alike(tmp_path_factory: pytest.TempPathFactory, granularity: Granularity, seed: int) -> None:
    folder = tmp_path_factory.mktemp("bad")
    write_folder(Random(seed), folder)
    brute = load_cronkg(folder, granularity)
    if not brute.facts:
        return
    graph, _ = load_graph(GraphConfig(path=str(folder), granularity=granularity))
    assert facts_of(graph) == sorted(brute.facts)
    assert points_of(graph) & {fact.relation for fact in brute.facts} == brute.points & {fact.relation for fact in brute.facts}
    assert asides_of(graph) == set(map(closed, brute.aside))


def points_of(graph: TemporalGraph) -> set[str]:
    return {relation for relation, is_point in zip(graph.relation_ids, graph.relation_is_point, strict=True) if is_point}


def check_real(folder: Path, granularity: Granularity = Granularity.YEAR) -> BruteGraph:
    brute = load_cronkg(folder, granularity)
    graph, _ = load_graph(GraphConfig(path=str(folder), granularity=granularity))
    assert facts_of(graph) == sorted(brute.facts)
    assert asides_of(graph) == set(map(closed, brute.aside))
    assert points_of(graph) >= brute.points
    return brute


def test_both_readers_agree_on_the_shipped_graphs() -> None:
    data = Path(__file__).resolve().parents[2] / "graph_sampler" / "data"
    assert len(check_real(data / "years").facts) > 1500
    assert len(check_real(data / "days", Granularity.DAY).facts) > 300


def test_both_readers_agree_on_a_real_graph(shared_data: Path) -> None:
    assert len(check_real(shared_data / "cronkg_mini").aside) > 1000


def test_the_sql_table_holds_the_cleaned_facts(tmp_path: Path) -> None:
    write_folder(Random(3), tmp_path)
    graph, _ = load_graph(GraphConfig(path=str(tmp_path)))
    with duckdb.connect() as connection:
        load_facts(connection, graph)
        rows = connection.execute("SELECT subject, relation, object, start_, end_ FROM facts").fetchall()
    assert sorted(Fact(*row) for row in rows) == sorted(load_cronkg(tmp_path).facts)
