"""Wikidata's JSON: statements, qualifiers, precisions and calendars, on small entities composed here."""

from __future__ import annotations

import bz2
import datetime
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.load import load_graph
from graph_sampler.loaders.registry import guess_formats
from graph_sampler.loaders.wikidata_times import julian_days
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.errors import GraphFormatError
from state.graph_report import CleaningReport, DropReason
from state.interval import days_from_civil, format_granule

GREGORIAN, JULIAN = "http://www.wikidata.org/entity/Q1985727", "http://www.wikidata.org/entity/Q1985786"
Snak = dict[str, Any]
DAY, MONTH, YEAR, DECADE, CENTURY, MILLENNIUM = 11, 10, 9, 8, 7, 6


def at(time: str, precision: int = DAY, calendar: str = GREGORIAN) -> Snak:
    value = {"time": f"{time}T00:00:00Z", "timezone": 0, "before": 0, "after": 0, "precision": precision, "calendarmodel": calendar}
    return {"snaktype": "value", "datavalue": {"value": value, "type": "time"}}


def item(identifier: str) -> Snak:
    return {"snaktype": "value", "datavalue": {"value": {"entity-type": "item", "id": identifier}, "type": "wikibase-entityid"}}


NONE: Snak = {"snaktype": "novalue"}
SOME: Snak = {"snaktype": "somevalue"}


def statement(value: Snak, rank: str = "normal", **qualifiers: Snak | list[Snak]) -> dict[str, Any]:
    """A statement; no qualifiers are written as the dump does, as an empty list."""
    listed = {name: snaks if isinstance(snaks, list) else [snaks] for name, snaks in qualifiers.items()}
    return {"mainsnak": value, "type": "statement", "rank": rank, "qualifiers": listed or []}


def entity(identifier: str, label: str | None, claims: dict[str, list[dict[str, Any]]] | None = None, **more: Any) -> dict[str, Any]:
    labels: Any = {"en": {"language": "en", "value": label}} if label else []
    kind = "item" if identifier.startswith("Q") else "property"
    return {"type": kind, "id": identifier, "labels": labels, "aliases": [], "claims": claims or [], **more}


NAMES = [entity("Q2", "FC Arn"), entity("Q3", "FC Bex"), entity("P54", "member of sports team"), entity("P39", "position held")]
KNOWN = statement(item("Q3"), P580=at("+1990-01-02"), P582=at("+1991-03-04"))
"""One good fact, so that a graph is left whatever becomes of the other."""


def dump(entities: list[dict[str, Any]]) -> bytes:
    return ("[\n" + ",\n".join(json.dumps(part, ensure_ascii=False) for part in entities) + "\n]\n").encode()


def write(path: Path, entities: list[dict[str, Any]]) -> Path:
    path.write_bytes(dump(entities))
    return path


def load(path: Path, granularity: str = "day", **options: Any) -> tuple[TemporalGraph, CleaningReport]:
    data = {"path": str(path), "format": "wikidata-json", "granularity": granularity, "options": options}
    return load_graph(GraphConfig.model_validate(data))


def facts(graph: TemporalGraph) -> list[tuple[str, ...]]:
    return [
        (
            graph.entity_ids[graph.subject[row]], graph.relation_ids[graph.relation[row]], graph.entity_ids[graph.object[row]],
            format_granule(int(graph.start[row]), graph.granularity), format_granule(int(graph.end[row]), graph.granularity),
        )
        for row in range(len(graph))
    ]  # fmt: skip


def one(path: Path, made: dict[str, Any], granularity: str = "day", **options: Any) -> tuple[list[tuple[str, ...]], CleaningReport]:
    """What becomes of a statement of Ana Roy about FC Arn, bounds only."""
    file = write(path / "dump.json", [entity("Q1", "Ana Roy", {"P54": [KNOWN, made]}), *NAMES])
    graph, report = load(file, granularity, **options)
    return [fact[3:] for fact in facts(graph) if fact[2] == "Q2"], report


def counters(report: CleaningReport) -> dict[str, int]:
    assert report.source is not None
    return report.source.counters


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_the_dump_gives_statements_between_items_with_labels(pack: Any, tmp_path: Path) -> None:
    aliases = {"en": [{"language": "en", "value": "A. Roy"}], "de": [{"language": "de", "value": "Anna Roy"}]}
    ana = entity("Q1", "Ana Roy", {"P54": [KNOWN], "P39": [statement(item("Q2"), P585=at("+2001-05-06"))]}, aliases=aliases)
    path = tmp_path / "latest-all.json"
    path.write_bytes(pack(dump([ana, *NAMES])))
    graph, report = load(path)
    assert facts(graph) == [("Q1", "P39", "Q2", "2001-05-06", "2001-05-06"), ("Q1", "P54", "Q3", "1990-01-02", "1991-03-04")]
    assert dict(zip(graph.entity_ids, graph.entity_labels, strict=True)) == {"Q1": "Ana Roy", "Q2": "FC Arn", "Q3": "FC Bex"}
    assert graph.relation_labels == ["position held", "member of sports team"]
    assert graph.entity_aliases == {0: ("A. Roy",)}
    assert (report.rows, counters(report)) == (2, {})
    assert list(guess_formats(path)) == ["wikidata-json"]


def test_other_arrangements_of_the_same_entities_give_the_same_graph(tmp_path: Path) -> None:
    entities = [entity("Q1", "Ana Roy", {"P54": [KNOWN]}), *NAMES]
    entities[2] |= {"claims": {"P31": [statement(item("Q476028"))]}}
    early = {
        "type": "item",
        "labels": {"en": {"language": "en", "value": "Ana Roy"}},
        "descriptions": [],
        "id": "Q1",
        "claims": {"P54": [KNOWN]},
    }
    texts = {
        "sorted.jsonl": "\n".join(json.dumps(part, sort_keys=True) for part in entities),
        "of-early-dumps.json": "[\n" + ",\n".join(json.dumps(part) for part in [early, *entities[1:]]) + "\n]\n",
        "lines.jsonl": "\n".join(json.dumps(part) for part in entities),
        "one-line.json": json.dumps(entities),
        "pretty.json": json.dumps(entities, indent=1),
        "answer.json": json.dumps({"entities": {part["id"]: part for part in entities}}),
        "pretty-answer.json": json.dumps({"entities": {part["id"]: part for part in entities}}, indent=2),
        "brackets.json": "[" + ",\r\n".join(json.dumps(part) for part in entities) + "]",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert facts(load(tmp_path / name)[0]) == [("Q1", "P54", "Q3", "1990-01-02", "1991-03-04")], name
        assert next(iter(guess_formats(tmp_path / name))) == "wikidata-json", name


@pytest.mark.parametrize(
    ("start", "end", "granularity", "told"),
    [
        (at("+1996-00-00", YEAR), at("+2003-00-00", YEAR), "year", ("1996", "2003")),
        (at("+1996-01-01", YEAR), at("+2003-01-01", YEAR), "year", ("1996", "2003")),
        (at("+1996-01-01", YEAR), at("+2003-01-01", YEAR), "day", DropReason.COARSE),
        (at("+1996-05-00", MONTH), at("+2003-06-00", MONTH), "month", ("1996-05", "2003-06")),
        (at("+1996-05-00", MONTH), at("+2003-06-00", MONTH), "day", DropReason.COARSE),
        (at("+00000001996-05-01"), at("+00000002003-06-30"), "day", ("1996-05-01", "2003-06-30")),
        (at("+1996-05-01", 14), at("+2003-06-30", 12), "day", ("1996-05-01", "2003-06-30")),
        (at("+1990-00-00", DECADE), at("+2003-00-00", YEAR), "year", DropReason.COARSE),
        (at("+2000-00-00", CENTURY), at("+2003-00-00", YEAR), "year", DropReason.COARSE),
        (at("+2000-00-00", MILLENNIUM), at("+2003-00-00", YEAR), "year", DropReason.UNKNOWN_START),
        (at("+1996-02-30"), at("+2003-06-30"), "year", DropReason.BAD_DATE),
        (at("+0000-00-00", YEAR), at("+0003-00-00", YEAR), "year", DropReason.BAD_DATE),
        (at("1996"), at("+2003-06-30"), "year", DropReason.BAD_DATE),
        (at("+2003-06-30"), at("+1996-05-01"), "day", DropReason.REVERSED),
        (at("-0044-03-15"), at("-0044-03-17"), "year", ("-0043", "-0043")),
        (at("-0001-00-00", YEAR), at("+0001-00-00", YEAR), "year", ("0000", "0001")),
        (at("-0044-03-15", DAY, JULIAN), at("-0044-03-17", DAY, JULIAN), "day", ("-0043-03-13", "-0043-03-15")),
        (at("+1582-10-04", DAY, JULIAN), at("+1582-10-15"), "day", ("1582-10-14", "1582-10-15")),
        (at("+1700-02-29", DAY, JULIAN), at("+1701-00-00", YEAR, JULIAN), "year", ("1700", "1701")),
        (at("+1700-05-00", MONTH, JULIAN), at("+1701-05-00", MONTH, JULIAN), "month", DropReason.COARSE),
        (at("+1700-02-29"), at("+1701-01-01"), "year", DropReason.BAD_DATE),
        (SOME, at("+2003-06-30"), "day", DropReason.UNKNOWN_START),
        (at("+1996-05-01"), SOME, "day", DropReason.UNKNOWN_END),
        (at("+1996-05-01"), NONE, "day", DropReason.OPEN_END),
        (at("+1996-05-01"), None, "day", DropReason.UNKNOWN_END),
        ([at("+1996-05-01"), at("+1996-05-01")], at("+2003-06-30"), "day", ("1996-05-01", "2003-06-30")),
        ([at("+1996-05-01"), at("+1997-05-01")], at("+2003-06-30"), "day", DropReason.UNKNOWN_START),
    ],
)
def test_bounds_are_read_by_precision_calendar_and_kind_of_value(
    start: Any, end: Any, granularity: str, told: tuple[str, str] | DropReason, tmp_path: Path
) -> None:
    bounds, report = one(tmp_path, statement(item("Q2"), **{"P580": start} | ({"P582": end} if end else {})), granularity)
    assert bounds == ([told] if isinstance(told, tuple) else [])
    # The known fact is a day's, and stays at every granularity.
    assert report.dropped == ({told: 1} if isinstance(told, DropReason) else {})


@pytest.mark.parametrize(
    ("qualifiers", "counter"),
    [
        ({"P580": [at("+1996-05-01"), at("+1997-05-01")]}, "ambiguous_pairing"),
        ({"P585": [at("+1996-05-01"), at("+1997-05-01")]}, "ambiguous_pairing"),
        ({"P585": at("+1996-05-01"), "P582": at("+1997-05-01")}, "ambiguous_pairing"),
        ({"P585": at("+1996-05-01"), "P1480": item("Q5727902")}, "not_exact"),
        ({"P580": SOME, "P582": at("+1997-05-01"), "P1319": at("+1990-01-01")}, "not_exact"),
        ({}, "untimed"),
    ],
)
def test_a_time_that_cannot_be_used_leaves_the_statement_doubtful(qualifiers: dict[str, Any], counter: str, tmp_path: Path) -> None:
    bounds, report = one(tmp_path, statement(item("Q2"), **qualifiers))
    assert (bounds, report.kept_aside, counters(report)[counter]) == ([], 1, 1)


def test_the_julian_calendar_is_counted(tmp_path: Path) -> None:
    _, report = one(tmp_path, statement(item("Q2"), P580=at("+1500-05-01", DAY, JULIAN), P582=at("+1501-00-00", YEAR, JULIAN)), "year")
    assert counters(report)["julian_calendar"] == 2


def test_a_deprecated_statement_is_no_fact_and_a_preferred_one_does_not_hide_the_others(tmp_path: Path) -> None:
    bounds, report = one(tmp_path, statement(item("Q2"), "deprecated", P580=at("+1996-05-01"), P582=at("+1997-05-01")))
    assert (bounds, counters(report)) == ([], {"deprecated": 1})
    holders = [statement(item("Q2"), "preferred", P580=at("+2000-01-01"), P582=at("+2001-01-01")), KNOWN]
    graph, _ = load(write(tmp_path / "two.json", [entity("Q1", "Ana Roy", {"P39": holders}), *NAMES]))
    assert len(graph) == 2


def test_values_that_are_no_items_are_no_facts(tmp_path: Path) -> None:
    old_item = {"snaktype": "value", "datavalue": {"value": {"entity-type": "item", "numeric-id": 2}, "type": "wikibase-entityid"}}
    text = {"snaktype": "value", "datavalue": {"value": "2500", "type": "string"}}
    when = {"P585": at("+1996-05-01")}
    claims = {"P39": [statement(value, "normal", **when) for value in (old_item, text, SOME)]}
    graph, report = load(write(tmp_path / "dump.json", [entity("Q1", "Ana Roy", claims), *NAMES]))
    assert facts(graph) == [("Q1", "P39", "Q2", "1996-05-01", "1996-05-01")]
    assert counters(report) == {"literal_object": 1, "object_not_known": 1}


def test_the_time_of_an_event_is_a_fact_unless_it_is_not_wanted(tmp_path: Path) -> None:
    games = entity("Q7", "Arn Games", {"P580": [statement(at("+1999-06-01"))], "P582": [statement(at("+1999-06-12"))]})
    path = write(tmp_path / "dump.json", [games, entity("Q1", "Ana Roy", {"P54": [KNOWN]}), *NAMES])
    graph, _ = load(path)
    assert ("Q7", "P793", "Q1190554", "1999-06-01", "1999-06-12") in facts(graph)
    assert {"occurrence"} < set(graph.entity_labels)
    assert "significant event" in graph.relation_labels
    assert len(load(path, event_times=False)[0]) == 1


def test_statements_whose_value_is_a_time_are_facts_if_asked_for(tmp_path: Path) -> None:
    born = [statement(at("+1970-02-03"), "preferred"), statement(at("+1971-00-00", YEAR))]
    path = write(tmp_path / "dump.json", [entity("Q1", "Ana Roy", {"P569": born, "P54": [KNOWN]}), entity("P569", "date of birth"), *NAMES])
    assert len(load(path)[0]) == 1
    graph, _ = load(path, literal_times=True)
    assert ("Q1", "P569", "Q1190554", "1970-02-03", "1970-02-03") in facts(graph)


def test_named_relations_bring_their_statements_without_time_and_no_other(tmp_path: Path) -> None:
    claims = {"P54": [KNOWN], "P39": [statement(item("Q2"), P585=at("+1996-05-01"))]}
    bo = entity("Q9", "Bo Lind", {"P54": [statement(item("Q2"))]})
    path = write(tmp_path / "dump.json", [entity("Q1", "Ana Roy", claims), bo, *NAMES])
    graph, report = load(path, relations=["P54"])
    assert {fact[1] for fact in facts(graph)} == {"P54"}
    assert report.kept_aside == 1
    assert load(path)[1].kept_aside == 0


def test_a_label_for_all_languages_stands_in_and_a_missing_one_is_counted(tmp_path: Path) -> None:
    shared = entity("Q2", None, labels={"mul": {"language": "mul", "value": "FC Arn"}, "de": {"language": "de", "value": "Arn (Verein)"}})
    claims = {"P54": [KNOWN, statement(item("Q2"), P585=at("+1996-05-01")), statement(item("Q8"), P585=at("+1996-05-01"))]}
    path = write(tmp_path / "dump.json", [entity("Q1", "Ana Roy", claims), shared, *NAMES[1:]])
    graph, report = load(path)
    assert dict(zip(graph.entity_ids, graph.entity_labels, strict=True)) == {"Q1": "Ana Roy", "Q2": "FC Arn", "Q3": "FC Bex", "Q8": ""}
    assert (report.dropped, counters(report)["unlabelled_entity"]) == ({DropReason.UNUSABLE_ENTITY: 1}, 1)


def test_parts_of_another_kind_are_passed_over_and_a_dump_that_is_cut_off_is_told(tmp_path: Path) -> None:
    odd: Any = {"P39": 7, "P580": None, "P54": [KNOWN, {"mainsnak": item("Q2"), "qualifiers": {"P580": 5, "P582": [3]}}, 3]}
    path = write(tmp_path / "dump.json", [entity("Q1", "Ana Roy", odd) | {"aliases": {"en": 3}}, *NAMES])
    graph, report = load(path)
    assert facts(graph) == [("Q1", "P54", "Q3", "1990-01-02", "1991-03-04")]
    assert report.source is not None
    assert report.source.notes == ()
    path.write_bytes(path.read_bytes().removesuffix(b"\n]\n"))
    _, report = load(path)
    assert report.source is not None
    assert report.source.notes == ("dump.json is cut off: its array is never closed.",)


def test_a_broken_line_is_counted_and_the_next_one_read(tmp_path: Path) -> None:
    lines = dump([entity("Q1", "Ana Roy", {"P54": [KNOWN]}), *NAMES]).split(b"\n")
    (tmp_path / "dump.json").write_bytes(b"\n".join([*lines[:2], b'{"id":"Q99","claims":{"P54":[{"qualifiers":{"P580"', *lines[2:]]))
    graph, report = load(tmp_path / "dump.json")
    assert (len(graph), counters(report)) == (1, {"malformed": 1})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("<http://www.wikidata.org/entity/Q1> <http://www.wikidata.org/prop/direct/P54> <x:y> .\n", "no qualifiers.*Use the JSON dump"),
        ("Q1\tP54\tQ2\t1996\t2003\n", "line 1: not JSON"),
        ('{"id": "Q1",\n', "not JSON"),
        ("[\n", "no entity in this file"),
        ("", "no entity in this file"),
    ],
)
def test_a_file_of_another_kind_is_refused(content: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(content, encoding="utf-8")
    with pytest.raises(GraphFormatError, match=says):
        load(tmp_path / "dump.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(GraphFormatError, match="no JSON file in this folder"):
        load(tmp_path / "empty")


@given(st.dates(datetime.date(1583, 1, 1), datetime.date(2200, 1, 1)))
def test_a_julian_day_lies_as_many_days_later_as_the_calendars_differ(date: datetime.date) -> None:
    century = (date.year - (date.month <= 2)) // 100
    shift = century - century // 4 - 2
    assert julian_days(date.year, date.month, date.day) == days_from_civil(date.year, date.month, date.day) + shift


PRECISIONS = {4: YEAR, 7: MONTH, 10: DAY}
STARTS = st.dates(datetime.date(1, 1, 1), datetime.date(2100, 1, 1)).map(lambda date: str(date.replace(day=min(date.day, 28))))


def written_time(text: str) -> Snak:
    """A time as the dump writes it: zeros below the precision."""
    return at("+" + (text + "-00-00")[:10], PRECISIONS[len(text)])


@settings(max_examples=20)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(1, 4), st.sampled_from(("P54", "P39")), st.integers(5, 7), STARTS, st.integers(0, 99), st.sampled_from((4, 7, 10))
        ),
        min_size=1,
        max_size=10,
    ),
    granularity=st.sampled_from(("year", "month", "day")),
)
def test_a_graph_written_as_a_dump_is_read_back(
    rows: list[tuple[int, str, int, str, int, int]], granularity: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    width = {"year": 4, "month": 7, "day": 10}[granularity]
    claims: dict[str, dict[str, list[dict[str, Any]]]] = {f"Q{number}": {} for number in range(1, 8)}
    due = set()
    for subject, relation, object_, start, years, digits in rows:
        bounds = start[:digits], f"{int(start[:4]) + years:04d}{start[4:digits]}"
        times = {name: written_time(bound) for name, bound in zip(("P580", "P582"), bounds, strict=True)}
        claims[f"Q{subject}"].setdefault(relation, []).append(statement(item(f"Q{object_}"), "normal", **times))
        if digits >= width:
            due.add((f"Q{subject}", relation, f"Q{object_}", *(bound[:width] for bound in bounds)))
    entities = [entity(identifier, f"name of {identifier}", stated) for identifier, stated in claims.items()]
    path = write(tmp_path_factory.mktemp("dump") / "dump.json", [*NAMES[2:], *entities])
    typing = {"interval_share": 1.0, "point_share": 1.0}
    config = GraphConfig.model_validate({"path": str(path), "format": "wikidata-json", "granularity": granularity, "typing": typing})
    if due:
        assert set(facts(load_graph(config)[0])) == due
    else:
        with pytest.raises(GraphFormatError, match="no fact is left"):
            load_graph(config)
