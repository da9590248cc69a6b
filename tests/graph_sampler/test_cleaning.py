"""The order of reading, every drop with its reason, relation types, and what is kept aside: traps A02 to A06."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from graph_sampler.cleaning_report import render_report
from graph_sampler.load import load_graph
from graph_sampler.temporal_graph import NEG_INF, POS_INF, TemporalGraph
from state.config import GraphConfig
from state.errors import GraphFormatError
from state.graph_report import CleaningReport, DropReason
from state.vocabulary import RelationType
from tests.strategies import Row, SmallGraph, small_graph_rows, write_cronkg

LABELS = {"Q1": "Ana Roy", "Q2": "FC Arn", "Q3": "Bo Lind"}
RELATIONS = {"P1": "member of sports team", "P2": "award received"}
GOOD: Row = ("Q1", "P1", "Q2", "1996", "2003")
ANY = (NEG_INF, POS_INF)


def load(folder: Path, rows: list[Row], **config: Any) -> tuple[TemporalGraph, CleaningReport]:
    write_cronkg(folder, rows, LABELS, RELATIONS, types={"P1": "I", "P2": "P"})
    return load_graph(GraphConfig.model_validate({"path": str(folder), **config}))


def aside(graph: TemporalGraph) -> list[tuple[Any, ...]]:
    """Ids and bounds of the rows kept aside."""
    dropped = graph.dropped
    columns = (dropped.start_low, dropped.start_high, dropped.end_low, dropped.end_high)
    return [
        (
            graph.entity_ids[dropped.subject[row]],
            graph.relation_ids[dropped.relation[row]],
            graph.entity_ids[dropped.object[row]],
            *(int(column[row]) for column in columns),
        )
        for row in range(len(dropped))
    ]


@pytest.mark.parametrize(
    ("start", "end", "reason", "bounds"),
    [
        ("####-##-##", "2004-##-##", DropReason.UNKNOWN_START, (*ANY, 2004, 2004)),
        ("19##-##-##", "1999", DropReason.COARSE, (1900, 1999, 1999, 1999)),
        ("2011", "2004", DropReason.REVERSED, (*ANY, *ANY)),
        ("2004-05-10", "2004-05-09", DropReason.REVERSED, (*ANY, *ANY)),
        ("2004-06", "2004-05-09", DropReason.REVERSED, (*ANY, *ANY)),
        ("2011", "200#", DropReason.COARSE, (*ANY, *ANY)),
        ("1996-02-30", "1999", DropReason.BAD_DATE, (*ANY, 1999, 1999)),
        ("1996", "", DropReason.UNKNOWN_END, (1996, 1996, *ANY)),
        ("1996", "..", DropReason.OPEN_END, (1996, 1996, *ANY)),
        ("1996", "9999-12-31", DropReason.OPEN_END, (1996, 1996, *ANY)),
        ("3000", "1999", DropReason.OPEN_START, (*ANY, 1999, 1999)),
        ("None", "soon", DropReason.BAD_DATE, (*ANY, *ANY)),
        ("None", "None", DropReason.UNKNOWN_START, (*ANY, *ANY)),
    ],
)
def test_a_row_without_two_known_bounds_is_dropped_and_kept_aside(
    tmp_path: Path, start: str, end: str, reason: DropReason, bounds: tuple[int, ...]
) -> None:
    graph, report = load(tmp_path, [GOOD, ("Q3", "P1", "Q2", start, end), ("Q3", "P1", "Q2", start, end)])
    assert report.dropped == {reason: 2}
    assert aside(graph) == [("Q3", "P1", "Q2", *bounds)]
    assert report.kept_aside == 1


@pytest.mark.parametrize(
    ("start", "end", "bounds"),
    [
        ("2001", "2004", (2001, 2004, 2001, 2004)),
        ("2001", "None", (2001, 2001, *ANY)),
        ("None", "2004", (*ANY, 2004, 2004)),
        ("199#", "None", (1990, 1999, *ANY)),
        ("1995", "199#", (1995, 1999, 1995, 1999)),
        ("199#", "200#", (1990, 2009, 1990, 2009)),
        ("2004", "2001", (*ANY, *ANY)),
    ],
)
def test_a_dropped_row_of_a_point_relation_stands_for_points(tmp_path: Path, start: str, end: str, bounds: tuple[int, ...]) -> None:
    graph, _ = load(tmp_path, [GOOD, ("Q3", "P2", "Q2", start, end)])
    assert aside(graph) == [("Q3", "P2", "Q2", *bounds)]
    assert graph.dropped.is_point.tolist() == [True]


def test_a_planned_end_and_a_one_granule_interval_and_a_self_loop_stay(tmp_path: Path) -> None:
    rows: list[Row] = [("Q1", "P1", "Q2", "2020", "2031-01-01"), ("Q1", "P1", "Q2", "2003", "2003"), ("Q3", "P1", "Q3", "2003", "2004")]
    graph, report = load(tmp_path, rows)
    assert (len(graph), report.dropped) == (3, {})
    assert (report.one_granule_intervals, report.self_loops, report.repeated_spells) == (1, 1, 1)


def test_two_spells_survive_and_exact_duplicates_collapse(tmp_path: Path) -> None:
    second: Row = ("Q1", "P1", "Q2", "2009", "2011")
    graph, report = load(tmp_path, [GOOD, second, GOOD, ("Q1", "P1", "Q2", "1996-##-##", "2003-05-01")])
    assert list(zip(graph.start.tolist(), graph.end.tolist(), strict=True)) == [(1996, 2003), (2009, 2011)]
    assert report.dropped == {DropReason.DUPLICATE: 2}
    assert len(graph.dropped) == 0


def test_entities_without_a_usable_label_are_counted_by_what_is_wrong(tmp_path: Path) -> None:
    odd = {"Q901": "", "Q902": "Q", "Q903": "Q903", "Q904": "   "}
    rows: list[Row] = [(entity, "P1", "Q2", "1990", "1991") for entity in (*odd, "Q905", "Q1", "Q3")]
    labels = {**LABELS, **odd}
    graph, report = load_graph(GraphConfig(path=str(write_cronkg(tmp_path, rows, labels, RELATIONS))))
    assert report.dropped == {DropReason.UNUSABLE_ENTITY: 5}
    assert report.unusable_labels == {"no label": 3, "fewer than two characters": 1, "label is the id": 1}
    assert len(graph) == 2
    usable = dict(zip(graph.entity_ids, graph.entity_usable.tolist(), strict=True))
    assert {entity for entity, is_usable in usable.items() if not is_usable} == {*odd, "Q905"}
    assert {row[0]: row[3:] for row in aside(graph)} == dict.fromkeys((*odd, "Q905"), (1990, 1990, 1991, 1991))


def test_a_missing_id_is_dropped_and_not_kept_aside(tmp_path: Path) -> None:
    graph, report = load(tmp_path, [GOOD, ("Q1", "P1", "", "1990", "1991"), (" ", "P1", "Q2", "1990", "")])
    assert report.dropped == {DropReason.MISSING_ID: 2}
    assert len(graph.dropped) == 0


def test_a_relation_is_typed_on_what_the_first_drops_leave(tmp_path: Path) -> None:
    points: list[Row] = [("Q1", "P1", "Q2", str(year), str(year)) for year in range(1990, 2010)]
    noise: list[Row] = [("Q1", "P1", "Q2", "1990", "None"), ("Q3", "P1", "Q2", "2001", "1999"), ("Q9", "P1", "Q2", "1990", "1995")]
    write_cronkg(tmp_path, [*points, *noise], LABELS, RELATIONS)
    graph, report = load_graph(GraphConfig(path=str(tmp_path)))
    assert graph.relation_types == [RelationType.POINT]
    assert report.relations[0].facts == report.relations[0].one_granule == 20


@pytest.mark.parametrize(
    ("long", "points", "kind"),
    [(1, 19, "point"), (1, 18, "deleted"), (5, 5, "interval"), (4, 5, "deleted"), (1, 0, "interval"), (0, 1, "point")],
)
def test_the_share_of_points_decides_and_its_bounds_are_included(tmp_path: Path, long: int, points: int, kind: str) -> None:
    rows: list[Row] = [("Q1", "P2", "Q2", str(year), str(year)) for year in range(1900, 1900 + points)]
    rows += [("Q3", "P2", "Q2", str(year), str(year + 1)) for year in range(1900, 1900 + long)]
    write_cronkg(tmp_path, [GOOD, *rows], LABELS, RELATIONS)
    graph, report = load_graph(GraphConfig(path=str(tmp_path)))
    assert report.relations[1].type.value == kind
    assert report.relations[1].kept == {"point": points, "interval": long + points, "deleted": 0}[kind]
    expected = {"point": {DropReason.LONG_POINT: long}, "interval": {}, "deleted": {DropReason.DELETED_RELATION: long + points}}[kind]
    assert report.dropped == {reason: count for reason, count in expected.items() if count}
    assert len(graph.dropped) == (long if kind == "point" else 0)


def test_the_bounds_of_the_typing_are_config(tmp_path: Path) -> None:
    rows: list[Row] = [("Q1", "P2", "Q2", str(year), str(year + (year > 1906))) for year in range(1900, 1910)]
    folder = str(write_cronkg(tmp_path, [GOOD, *rows], LABELS, RELATIONS))
    _, report = load_graph(GraphConfig.model_validate({"path": folder, "typing": {"point_share": 0.7}}))
    assert report.relations[1].type is RelationType.POINT
    _, report = load_graph(GraphConfig.model_validate({"path": folder, "typing": {"interval_share": 0.7}}))
    assert report.relations[1].type is RelationType.INTERVAL


def test_rows_of_a_deleted_relation_are_not_kept_aside(tmp_path: Path) -> None:
    rows: list[Row] = [GOOD, ("Q1", "P2", "Q2", "1990", "1990"), ("Q1", "P2", "Q2", "1990", "None")]
    write_cronkg(tmp_path, rows, LABELS, RELATIONS, types={"P2": "D"})
    graph, report = load_graph(GraphConfig(path=str(tmp_path)))
    assert report.dropped == {DropReason.UNKNOWN_END: 1, DropReason.DELETED_RELATION: 1}
    assert len(graph.dropped) == 0
    assert graph.relation_ids == ["P1"]
    assert [row.why for row in report.relations] == ["share of points at most 0.5", "set by hand"]


def test_historical_years_are_moved_and_year_0_is_bad(tmp_path: Path) -> None:
    rows: list[Row] = [("Q1", "P1", "Q2", "-0044", "-0001"), ("Q1", "P1", "Q2", "0000", "0009"), ("Q3", "P1", "Q2", "0009", "0014")]
    graph, report = load(tmp_path, rows, year_numbering="historical")
    assert graph.start.tolist() == [-43, 9]
    assert graph.end.tolist() == [0, 14]
    assert report.dropped == {DropReason.BAD_DATE: 1}
    assert (report.first, report.last) == ("-0043", "0014")


@settings(max_examples=30)
@given(small_graph_rows())
def test_every_row_is_accounted_for(small: SmallGraph) -> None:
    with tempfile.TemporaryDirectory() as folder:
        graph, report = load_graph(GraphConfig(path=str(small.write(Path(folder)))))
    assert report.rows == len(small.rows) == report.facts + sum(report.dropped.values())
    assert report.facts == len(graph) == sum(row.kept for row in report.relations) == report.point_facts + report.interval_facts
    is_point = graph.relation_is_point[graph.relation]
    assert (graph.start <= graph.end).all()
    assert (graph.start == graph.end)[is_point].all()
    assert graph.entity_usable[graph.subject].all()
    dropped = graph.dropped
    assert (dropped.start_low <= dropped.start_high).all()
    assert (dropped.end_low <= dropped.end_high).all()
    assert (dropped.start_low <= dropped.end_high).all(), "each row kept aside stands for something"
    assert np.array_equal(dropped.is_point, graph.relation_is_point[dropped.relation])
    assert CleaningReport.model_validate_json(report.model_dump_json()) == report


def test_the_report_shows_hostile_labels_on_one_line_without_escapes(tmp_path: Path) -> None:
    relations = {"P1": "\x1b[31mred\x07 \u202eright\u2028x", "P2": "[bold]award[/bold] " + "x" * 5000}
    folder = write_cronkg(tmp_path / "odd\x1bname", [GOOD, ("Q1", "P2", "Q2", "2000", "2000")], LABELS, relations)
    _, report = load_graph(GraphConfig(path=str(folder)))
    lines = render_report(report)
    text = "\n".join(lines)
    assert len(text.splitlines()) == len(lines)
    assert not [sign for sign in text if not sign.isprintable() and sign != "\n"]
    assert "\\x1b[31mred\\x07 \\u202eright\\u2028x" in text
    assert "[bold]award[/bold] xxx" in text
    assert max(map(len, lines)) < 200


def test_an_empty_graph_is_refused_without_a_traceback_of_ours(tmp_path: Path) -> None:
    with pytest.raises(GraphFormatError, match=r"no fact is left after cleaning: 1 unknown end"):
        load(tmp_path, [("Q1", "P1", "Q2", "1990", "None")])


def test_relations_without_a_usable_fact_are_one_line_of_the_report(tmp_path: Path) -> None:
    empty: list[Row] = [("Q1", f"P{number}", "Q2", "1999", "1998") for number in (7, 8, 9)]
    for rows, said in ((empty, "  and 3 without a usable fact, which `chronoqg graph inspect --json` lists"), (empty[:1], "  P7 ")):
        write_cronkg(tmp_path, [GOOD, *rows], LABELS, {"P1": "member of", "P7": "a", "P8": "b", "P9": "c"})
        (line,) = (line for line in render_report(load_graph(GraphConfig(path=str(tmp_path)))[1]) if "usable fact" in line)
        assert line.startswith(said)
