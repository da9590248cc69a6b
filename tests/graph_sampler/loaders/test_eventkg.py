"""EventKG dumps: every quirk of the layout, on small files composed here from its description (no published line)."""

from __future__ import annotations

import datetime
import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.load import load_graph
from graph_sampler.loaders.eventkg_statements import whole_nodes
from graph_sampler.loaders.registry import guess_formats
from state.config import GraphConfig
from state.errors import GraphFormatError
from state.interval import Granularity
from tests.eventkg_dumps import (
    LABELS,
    SMALL,
    SYNTAXES,
    counters,
    dated,
    facts,
    folder,
    labels,
    load,
    node,
)
from tests.eventkg_layout import DAYS, Graph, Layout, days, files, quoted, time_lines, write


def test_the_shipped_graph_of_days_is_the_same_in_this_layout() -> None:
    plain, _ = load_graph(GraphConfig(path="bundled:days", granularity=Granularity.DAY))
    dump, report = load_graph(GraphConfig(path="bundled:days_eventkg", format="eventkg", granularity=Granularity.DAY))
    assert dump.content_hash == plain.content_hash
    assert (report.dropped, counters(report)) == ({}, {})


def test_the_shipped_files_are_what_the_writer_writes_and_small() -> None:
    shipped = {path.name: gzip.decompress(path.read_bytes()).decode() for path in (DAYS.parent / "days_eventkg").iterdir()}
    assert shipped == {f"{name}.gz": text for name, text in files(days(), Layout()).items()}
    assert sum(path.stat().st_size for path in (DAYS.parent / "days_eventkg").iterdir()) < 300_000


@pytest.mark.parametrize("layout", SYNTAXES, ids=lambda layout: f"{layout.syntax}-{layout.host[7:14]}")
def test_every_syntax_and_spelling_of_the_host_gives_the_same_graph(layout: Layout, tmp_path: Path) -> None:
    graph, report = load(write(tmp_path, SMALL, layout))
    assert facts(graph) == set(SMALL.facts)
    assert labels(graph) == LABELS
    assert graph.relation_labels == ["participant in", "member of sports team"]
    assert counters(report) == {}


DATES = st.dates(datetime.date(1000, 1, 1), datetime.date(2100, 1, 1)).map(lambda date: str(date.replace(day=min(date.day, 28))))
TIMES = st.tuples(DATES, st.sampled_from((4, 7, 10))).map(lambda pair: pair[0][: pair[1]])
IDS = st.sampled_from([f"entity_{number}" for number in range(6)] + [f"event_{number}" for number in range(3)])


@settings(max_examples=25)
@given(
    rows=st.lists(st.tuples(IDS, st.sampled_from(("P1", "P2", "yago:playsFor")), IDS, TIMES, st.integers(0, 140)), min_size=1, max_size=12),
    layout=st.sampled_from(SYNTAXES),
    granularity=st.sampled_from((Granularity.DAY, Granularity.MONTH, Granularity.YEAR)),
)
def test_a_graph_written_in_the_layout_is_read_back(
    rows: list[tuple[str, str, str, str, int]], layout: Layout, granularity: Granularity, tmp_path_factory: pytest.TempPathFactory
) -> None:
    written = [(*row[:4], f"{int(row[3][:4]) + row[4]:04d}{row[3][4:]}") for row in rows]
    names = {f"{kind}_{number}": f"{kind} number {number}" for kind in ("entity", "event") for number in range(6)}
    graph = Graph(written, names, {"P1": "first", "P2": "second"}, events=frozenset(name for name in names if name.startswith("event")))
    width = {Granularity.DAY: 10, Granularity.MONTH: 7, Granularity.YEAR: 4}[granularity]
    told = {(*row[:3], row[3][:width], row[4][:width]) for row in written if len(row[3]) >= width}
    path = write(tmp_path_factory.mktemp("dump"), graph, layout)
    typing = {"interval_share": 1.0, "point_share": 1.0}
    config = GraphConfig.model_validate({"path": str(path), "format": "eventkg", "granularity": granularity, "typing": typing})
    if not told:
        with pytest.raises(GraphFormatError, match="no fact is left"):
            load_graph(config)
    else:
        assert facts(load_graph(config)[0]) == told


def test_one_node_of_several_sources_is_one_fact_of_the_best_source(tmp_path: Path) -> None:
    merged = node(
        90,
        "resource:entity_3",
        {"dbo:team": "dbpedia_en", "yago:playsFor": "yago", "wdt:P54": "wikidata"},
        "resource:entity_2",
        "2002-01-01",
        "2002-12-31",
    ) + node(91, "resource:entity_3", {"dbo:team": "dbpedia_de", "yago:playsFor": "yago"}, "resource:entity_2", "2005-02-01", "2005-02-03")
    graph, _ = load(folder(tmp_path, {"relations_entities_temporal": merged}))
    assert facts(graph) - set(SMALL.facts) == {
        ("entity_3", "P54", "entity_2", "2002-01-01", "2002-12-31"),
        ("entity_3", "yago:playsFor", "entity_2", "2005-02-01", "2005-02-03"),
    }
    assert graph.relation_labels[graph.relation_ids.index("yago:playsFor")] == "plays for"


def test_of_two_sources_the_more_precise_is_kept_and_of_one_source_both(tmp_path: Path) -> None:
    ends = "resource:entity_3", "resource:entity_2"

    def stay(number: int, source: str, start: str, end: str) -> str:
        return node(number, ends[0], {"wdt:P54": source}, ends[1], start, end, source)

    vague = stay(90, "yago", "1999", "2001") + stay(91, "yago", "1999", "")
    path = folder(tmp_path / "two", {"relations_entities_temporal": vague})
    graph, report = load(path)
    assert (facts(graph), len(graph.dropped), counters(report)) == (set(SMALL.facts), 0, {"duplicate_other_source": 2})
    path = folder(tmp_path / "one", {"relations_entities_temporal": vague.replace("graph/yago", "graph/wikidata")})
    graph, report = load(path)
    assert (facts(graph), len(graph.dropped), counters(report)) == (set(SMALL.facts), 2, {})
    path = folder(
        tmp_path / "light", {"relations_entities_temporal": re.sub(r" <[^ ]*graph/yago> \.", " .", vague)}, layout=Layout("light")
    )
    graph, report = load(path)
    assert (facts(graph), len(graph.dropped), counters(report)) == (set(SMALL.facts), 0, {"duplicate_other_source": 2})


def test_the_same_node_id_in_two_files_is_two_nodes(tmp_path: Path) -> None:
    parts = [("entity_1", "2010-01-01"), ("entity_3", "2011-01-01")]
    first, second = (node(7, f"resource:{who}", {"wdt:P54": "wikidata"}, "resource:entity_2", day, day) for who, day in parts)
    path = folder(tmp_path, {"relations_events_other": first, "relations_entities_temporal": second})
    added = {(who, "P54", "entity_2", day, day) for who, day in parts}
    assert facts(load(path)[0]) == {*SMALL.facts, *added}


def test_links_literals_and_relations_without_any_time_are_no_facts(tmp_path: Path) -> None:
    layout = Layout()
    link = (
        layout.line("resource:relation_90", "rdf:type", "schema:LinkRelation", "event_kg")
        + node(90, "resource:entity_1", {"schema:links": "event_kg"}, "resource:entity_2", "2001-01-01").split("\n", 1)[1]
    )
    literal = node(91, "resource:entity_1", {"wdt:P1087": "wikidata"}, quoted("2500"), "2001-01-01", "2001-01-01")
    untimed = node(92, "resource:entity_1", {"dbo:team": "dbpedia_en"}, "resource:entity_2")
    # Of a relation that others have times of, a fact without time may hold at any time, and is kept aside.
    doubtful = node(93, "resource:event_1", {"wdt:P54": "wikidata"}, "resource:entity_2")
    graph, report = load(folder(tmp_path, {"relations_events_other": link + literal + untimed + doubtful}))
    assert facts(graph) == set(SMALL.facts)
    assert counters(report) == {"literal_object": 1, "untimed": 2}
    assert graph.dropped.subject.tolist() == [graph.entity_ids.index("event_1")]


def test_a_broken_line_is_counted_and_the_next_one_read(tmp_path: Path) -> None:
    layout = Layout()
    label = layout.line("resource:entity_1", "rdfs:label", quoted("Ana\nRoy"), "wikipedia_en")
    odd = layout.line("resource:entity_1", "owl:sameAs", "wd:x").replace(
        "http://www.wikidata.org/entity/x", 'http://dbpedia.org/resource/A "b" c|^`'
    )
    relation = node(90, "resource:entity_3", {"wdt:P54": "wikidata"}, "resource:entity_2", "2005-02-01", "2005-02-03")
    cut = relation[: relation.index("subject>")] + "\n"
    path = folder(tmp_path, {"entities": label + odd, "relations_entities_temporal": cut + relation})
    graph, report = load(path)
    assert ("entity_3", "P54", "entity_2", "2005-02-01", "2005-02-03") in facts(graph)
    assert labels(graph) == LABELS
    assert counters(report) == {"malformed": 3}


def test_two_begins_of_one_node_make_its_time_unknown(tmp_path: Path) -> None:
    relation = dated(90, "1999-05-01", "2000-05-07", "time:unitDay")
    second = Layout().line("resource:relation_90", "sem:hasBeginTimeStamp", quoted("1998-01-01", "^^xsd:date"), "wikidata")
    graph, report = load(folder(tmp_path, {"relations_entities_temporal": relation + second}))
    assert (facts(graph), counters(report)) == (set(SMALL.facts), {"ambiguous_pairing": 1, "untimed": 1})


def test_the_label_of_wikidata_comes_before_wikipedia_and_the_others_are_aliases(tmp_path: Path) -> None:
    layout = Layout()
    lines = [
        layout.line("resource:entity_9", "rdfs:label", quoted("Cy Moe (player)", "@en"), "wikipedia_en"),
        layout.line("resource:entity_9", "rdfs:label", quoted('Cy "The Cat" Moe', "@en"), "wikidata"),
        layout.line("resource:entity_9", "rdfs:label", quoted("Cy Moe (Spieler)", "@de"), "wikipedia_de"),
        layout.line("resource:entity_9", "dcterms:alternative", quoted("C. Moe", "@en"), "wikidata"),
        layout.line("resource:entity_9", "dcterms:description", quoted("player", "@en"), "wikidata"),
    ]
    stay = node(90, "resource:entity_9", {"wdt:P54": "wikidata"}, "resource:entity_2", "2005-02-01", "2005-02-03")
    graph, _ = load(folder(tmp_path / "full", {"entities": "".join(lines), "relations_entities_temporal": stay}))
    code = graph.entity_ids.index("entity_9")
    assert (graph.entity_labels[code], graph.entity_aliases[code]) == ('Cy "The Cat" Moe', ("C. Moe", "Cy Moe (player)"))
    german = [
        layout.line("wdt:P54", "rdfs:label", quoted("Mitglied von", "@de")),
        layout.line("resource:entity_2", "rdfs:label", '"FC Arn"@de'),
    ]
    path = folder(
        tmp_path / "german", {"entities": "".join([*lines, german[1]]), "property_labels": german[0], "relations_entities_temporal": stay}
    )
    graph, _ = load(path, language="de", partial_labels=True)
    assert {"Cy Moe (Spieler)", "FC Arn"} == set(graph.entity_labels) - {""}
    light = Layout("light")
    both = "".join(light.line("resource:entity_9", "rdfs:label", quoted(text, "@en")) for text in ("Cy Moe (player)", "Cy Moe"))
    graph, _ = load(folder(tmp_path / "light", {"entities": both, "relations_entities_temporal": stay}))
    assert labels(graph)["entity_9"] == "Cy Moe"


def test_the_preferred_label_stands_in_where_there_is_no_other_in_any_language(tmp_path: Path) -> None:
    layout = Layout()
    preferred = [
        layout.line("resource:entity_9", "skos:prefLabel", quoted("Mara Höll", "@de")),
        layout.line("resource:entity_1", "skos:prefLabel", quoted("Anna Roy", "@en")),
    ]
    stay = node(90, "resource:entity_9", {"wdt:P54": "wikidata"}, "resource:entity_2", "2005-02-01", "2005-02-03")
    graph, report = load(folder(tmp_path, {"preferred_labels": "".join(preferred), "relations_entities_temporal": stay}))
    assert labels(graph) == {**LABELS, "entity_9": "Mara Höll"}
    assert counters(report) == {"label_in_other_language": 1}


def test_the_item_of_wikidata_is_the_id_where_there_is_one(tmp_path: Path) -> None:
    graph = Graph(SMALL.facts, SMALL.labels, SMALL.relations, events=SMALL.events, items={"entity_1": "Q900001", "event_1": "Q900017"})
    loaded, _ = load(write(tmp_path, graph, Layout("early")))
    assert labels(loaded) == {"Q900001": "Ana Roy", "Q900017": "Arn Games", "entity_2": "FC Arn", "entity_3": "Bo Lind"}


def event_times(layout: Layout) -> str:
    """An event's own time as three sources and the writer's choice have it, and a person's birth."""
    lines = [
        *time_lines(layout, "resource:event_1", "1998", "1999", "yago"),
        *time_lines(layout, "resource:event_1", "1999", "", "wikidata"),
    ]
    chosen = list(time_lines(layout, "resource:event_1", "1999-06-01", "1999-06-12", "event_kg"))
    return "".join([*chosen[:2], *lines, *chosen[2:], *time_lines(layout, "resource:entity_1", "1970-02-03", "2020-02-03", "event_kg")])


def test_the_chosen_time_of_an_event_is_a_fact_unless_it_is_not_wanted(tmp_path: Path) -> None:
    path = folder(tmp_path, {"relations_base": event_times(Layout())})
    graph, _ = load(path)
    assert facts(graph) - set(SMALL.facts) == {("event_1", "P793", "Q1190554", "1999-06-01", "1999-06-12")}
    assert labels(graph)["Q1190554"] == "occurrence"
    assert graph.relation_labels[graph.relation_ids.index("P793")] == "significant event"
    assert facts(load(path, event_times=False)[0]) == set(SMALL.facts)


@pytest.mark.parametrize("name", ["relations_event_base", "relations_events_base"])
def test_later_releases_keep_the_times_of_events_in_a_file_of_their_own(name: str, tmp_path: Path) -> None:
    light = Layout("light")
    folder(tmp_path, {name: "".join(time_lines(light, "resource:event_1", "1999-06-01", "1999-06-12", "event_kg"))}, layout=light)
    for file in tmp_path.iterdir():
        file.rename(file.with_suffix(".nt"))
    assert facts(load(tmp_path)[0]) - set(SMALL.facts) == {("event_1", "P793", "Q1190554", "1999-06-01", "1999-06-12")}


def test_events_that_are_sentences_are_read_only_if_asked_for(tmp_path: Path) -> None:
    layout = Layout()
    sentence = "The Arn Games are opened by Ana Roy."
    text = layout.line("resource:event_5", "dcterms:description", quoted(sentence, "@en"), "wikipedia_en")
    text += "".join(time_lines(layout, "resource:event_5", "1999-06-01", "1999-06-01", "event_kg"))
    path = folder(tmp_path, {"text_events": text})
    assert facts(load(path)[0]) == set(SMALL.facts)
    assert labels(load(path, text_events=True)[0])["event_5"] == sentence


def test_only_the_wanted_relations_are_read(tmp_path: Path) -> None:
    path = folder(tmp_path, {"relations_base": event_times(Layout())})
    assert {fact[1] for fact in facts(load(path, relations=["P54"])[0])} == {"P54"}


def test_previews_and_the_bulk_of_a_dump_are_not_opened(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL)
    for name in ("relations_entities_temporal_preview.nq", "relations_entities_other.nq", "event_links.nq", "types.nq"):
        (path / name).write_bytes(b"\xff\xfe no statement at all")
    assert facts(load(path)[0]) == set(SMALL.facts)


def test_single_files_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL)
    named = tuple(path / f"{name}.nq" for name in ("relations_entities_temporal", "entities", "property_labels"))
    assert facts(load(named)[0]) == set(SMALL.facts[:2])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("subject\trelation\tobject\n", "relations_entities_temporal.nq, line 1: not a statement"),
        ("<?xml version='1.0'?>\n", "relations_entities_temporal.nq, line 1: not a statement"),
        (b"<http://eventKG.l3s.uni-hannover.de/resource/entity_1> <p:p> <o:\xff> .\n", "line 1: not UTF-8"),
    ],
)
def test_a_file_of_another_kind_is_refused(content: str | bytes, says: str, tmp_path: Path) -> None:
    path = write(tmp_path, SMALL)
    (path / "relations_entities_temporal.nq").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(GraphFormatError, match=says):
        load(path)


def test_a_folder_without_facts_or_names_is_refused_and_one_with_both_is_recognised(tmp_path: Path) -> None:
    path = write(tmp_path / "dump", SMALL, is_packed=True)
    assert guess_formats(path).keys() >= {"eventkg"}
    assert guess_formats(path / "entities.nq.gz").keys() >= {"eventkg"}
    (path / "entities.nq.gz").unlink()
    (path / "events.nq.gz").unlink()
    with pytest.raises(GraphFormatError, match="the files with labels are missing"):
        load(path)
    with pytest.raises(GraphFormatError, match=r"no file of an EventKG dump that holds facts.*Name .*/dump"):
        load(tmp_path)
    with pytest.raises(GraphFormatError, match="no such file or folder"):
        load(tmp_path / "none")
    (tmp_path / "light.tar.gz").write_bytes(b"")
    with pytest.raises(GraphFormatError, match=r"Unpack light\.tar\.gz and name its folder"):
        load(tmp_path / "light.tar.gz")


def test_a_dump_without_the_wanted_relations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GraphFormatError, match=r"no timed relation in \d+ lines. Is it a dump of EventKG"):
        load(write(tmp_path, SMALL), relations=["P1"])


@settings(max_examples=20)
@given(data=st.data(), layout=st.sampled_from(SYNTAXES))
def test_the_order_of_a_nodes_lines_does_not_matter(data: st.DataObject, layout: Layout, tmp_path_factory: pytest.TempPathFactory) -> None:
    rows = [*SMALL.facts, ("entity_3", "P54", "entity_2", "2005", ""), ("entity_1", "P54", "event_1", "2005-02", "2006-02")]
    path = write(tmp_path_factory.mktemp("dump"), Graph(rows, SMALL.labels, SMALL.relations, events=SMALL.events), layout)
    usual, usual_report = load(path, "month")
    for name in ("relations_other", "relations_events_other", "relations_entities_temporal"):
        file = path / f"{name}.nq"
        if not file.exists():
            continue
        head, _, text = file.read_text(encoding="utf-8").rpartition("\n\n")
        nodes: dict[str, list[str]] = {}
        for line in text.splitlines(keepends=True):
            nodes.setdefault(line.split(" ")[0], []).append(line)
        mixed = (line for lines in nodes.values() for line in data.draw(st.permutations(lines)))
        file.write_text((head + "\n\n" if head else "") + "".join(mixed), encoding="utf-8")
    graph, report = load(path, "month")
    assert (graph.content_hash, counters(report)) == (usual.content_hash, counters(usual_report))


@given(st.lists(st.integers(0, 6), max_size=30).map(sorted), st.lists(st.integers(1, 5), min_size=30, max_size=30))
def test_blocks_are_cut_between_nodes(names: list[int], sizes: list[int]) -> None:
    lines = [f"<n{name}> <p> <o{number}> .\n".encode() for number, name in enumerate(names)]
    blocks: list[bytes] = []
    rest = lines
    for size in sizes:
        blocks, rest = ([*blocks, b"".join(rest[:size])] if rest else blocks), rest[size:]
    cut = list(whole_nodes(blocks))
    assert b"".join(cut) == b"".join(lines)
    subjects = [{line.split(b" ")[0] for line in block.splitlines()} for block in cut]
    assert sum(map(len, subjects)) == len(set(names))
