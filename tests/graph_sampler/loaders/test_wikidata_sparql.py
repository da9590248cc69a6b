"""SPARQL results: the same rows in every form give the same facts; results that were cut off are refused."""

from __future__ import annotations

import csv
import datetime
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.load import load_graph
from graph_sampler.loaders.registry import guess_formats
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.errors import ConfigError, GraphFormatError
from state.graph_report import CleaningReport, DropReason
from state.interval import format_granule
from tests.row_account import is_complete

WD, WDT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
VARIABLES = ["item", "itemLabel", "prop", "propLabel", "value", "valueLabel", "start", "end"]
LABELS = {"Q1": "Ana Roy", "Q2": 'FC "Arn", first', "Q3": "Bo Lind", "P54": "member of sports team"}
ROWS = [
    ("Q1", "P54", "Q2", "1996-05-01T00:00:00Z", "2003-06-30T00:00:00Z"),
    ("Q3", "P54", "Q2", "1999-01-01T00:00:00Z", ""),
    ("Q3", "P54", "Q2", "2005-01-01T00:00:00Z", "2007-01-01T00:00:00Z"),
    ("Q3", "P54", "Q2", "-099-07-12T00:00:00Z", "-098-07-12T00:00:00Z"),
]
NEW_YEAR = datetime.date(1900, 1, 1)
Texts = dict[str, str]


def texts(rows: list[tuple[str, str, str, str, str]] = ROWS) -> list[Texts]:
    """The rows as a query with the label service returns them."""
    return [
        {
            "item": WD + subject, "itemLabel": LABELS.get(subject, subject), "prop": WDT + relation, "propLabel": LABELS[relation],
            "value": WD + object_, "valueLabel": LABELS.get(object_, object_), "start": start, "end": end,
        }
        for subject, relation, object_, start, end in rows
    ]  # fmt: skip


def as_json(rows: list[Texts], variables: list[str] = VARIABLES) -> str:
    def cell(name: str, text: str) -> dict[str, str]:
        if text.startswith("_:"):
            return {"type": "bnode", "value": text[2:]}
        return {"type": "uri" if text.startswith("http") else "literal", "value": text}

    bindings = [{name: cell(name, text) for name, text in row.items() if text} for row in rows]
    return json.dumps({"head": {"vars": variables}, "results": {"bindings": bindings}})


def as_short_json(rows: list[Texts]) -> str:
    return json.dumps([{name: text for name, text in row.items() if text} for row in rows])


def as_csv(rows: list[Texts]) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_tsv(rows: list[Texts]) -> str:
    def term(name: str, text: str) -> str:
        if text.startswith("http"):
            return f"<{text}>"
        quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return text and quoted + ("@en" if name.endswith("Label") else "^^<http://www.w3.org/2001/XMLSchema#dateTime>")

    lines = ["\t".join(f"?{name}" for name in rows[0]), *("\t".join(term(*cell) for cell in row.items()) for row in rows)]
    return "\n".join(lines) + "\n"


def as_simple_tsv(rows: list[Texts]) -> str:
    return "".join("\t".join(row) + "\n" for row in [list(rows[0]), *(row.values() for row in rows)])


def load(path: Path, granularity: str = "year", **options: Any) -> tuple[TemporalGraph, CleaningReport]:
    data = {"path": str(path), "format": "wikidata-sparql", "granularity": granularity, "options": options}
    return load_graph(GraphConfig.model_validate({**data, "typing": {"interval_share": 1.0, "point_share": 1.0}}))


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def bounds(graph: TemporalGraph) -> list[tuple[str, ...]]:
    return [
        (graph.entity_ids[graph.subject[row]], *(format_granule(int(time), graph.granularity) for time in graph.fact_interval(row)))
        for row in range(len(graph))
    ]


def counters(report: CleaningReport) -> dict[str, int]:
    assert report.source is not None
    return report.source.counters


@pytest.mark.parametrize("write", [as_json, as_short_json, as_csv, as_tsv, as_simple_tsv])
def test_every_form_of_results_gives_the_same_facts(write: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "results", write([*texts(), *texts()[:1]]))
    graph, report = load(path)
    assert bounds(graph) == [("Q1", "1996", "2003"), ("Q3", "-0099", "-0098"), ("Q3", "2005", "2007")]
    assert dict(zip(graph.entity_ids, graph.entity_labels, strict=True)) == {name: LABELS[name] for name in ("Q1", "Q2", "Q3")}
    assert graph.relation_labels == ["member of sports team"]
    assert report.dropped == {DropReason.UNKNOWN_END: 1, DropReason.DUPLICATE: 1}
    if write is not as_short_json:
        assert "wikidata-sparql" in guess_formats(path)


@settings(max_examples=15)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(("Q1", "Q3")), st.just("P54"), st.sampled_from(("Q2", "Q3")),
            st.dates(datetime.date(1, 1, 1), NEW_YEAR).map(str), st.dates(NEW_YEAR, datetime.date(2100, 1, 1)).map(str),
        ),
        min_size=1,
        max_size=8,
    ),
    write=st.sampled_from((as_json, as_short_json, as_csv, as_tsv, as_simple_tsv)),
)  # fmt: skip
def test_a_graph_written_as_results_is_read_back(
    rows: list[tuple[str, str, str, str, str]], write: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    timed = [(*row[:3], f"{row[3]}T00:00:00Z", f"{row[4]}T00:00:00Z") for row in rows]
    path = written(tmp_path_factory.mktemp("results") / "results", write(texts(timed)))
    graph, _ = load(path, "day", precision="day")
    assert sorted(set(bounds(graph))) == sorted({(row[0], row[3][:10], row[4][:10]) for row in timed})


def test_one_property_for_all_rows_and_other_names_are_set_in_the_config(tmp_path: Path) -> None:
    names = {"item": "who", "itemLabel": "whoLabel", "value": "club", "valueLabel": "named", "start": "since", "end": "until"}
    rows = [{names[name]: text for name, text in row.items() if name in names} for row in texts()]
    columns = {
        "subject": "who", "object": "?club", "object_label": "named", "start": "since", "end": "until",
        "relation": "P54", "relation_label": "member of sports team",
    }  # fmt: skip
    graph, _ = load(written(tmp_path / "results.csv", as_csv(rows)), columns=columns)
    assert (len(graph), graph.relation_ids, graph.relation_labels) == (3, ["P54"], ["member of sports team"])


@pytest.mark.parametrize(
    ("precision", "granularity", "told"),
    [
        ("11", "day", ("1996-05-01", "2003-06-30")), ("10", "month", ("1996-05", "2003-06")), ("9", "year", ("1996", "2003")),
        ("9", "month", DropReason.COARSE), ("8", "year", DropReason.COARSE), ("7", "year", DropReason.COARSE),
        ("6", "year", DropReason.UNKNOWN_START), ("day", "day", ("1996-05-01", "2003-06-30")), ("13", "day", ("1996-05-01", "2003-06-30")),
    ],
)  # fmt: skip
def test_a_precision_that_the_query_asked_for_is_kept(
    precision: str, granularity: str, told: tuple[str, str] | DropReason, tmp_path: Path
) -> None:
    rows = [{**row, "startPrecision": precision, "endPrecision": precision} for row in texts(ROWS[:1])]
    known = [{**row, "startPrecision": "11", "endPrecision": "11"} for row in texts(ROWS[2:3])]
    graph, report = load(
        written(tmp_path / "results.json", as_json([*rows, *known], [*VARIABLES, "startPrecision", "endPrecision"])), granularity
    )
    assert [row[1:] for row in bounds(graph) if row[0] == "Q1"] == ([told] if isinstance(told, tuple) else [])
    assert report.dropped == ({told: 1} if isinstance(told, DropReason) else {})


def test_dates_without_a_precision_are_years_unless_the_config_says_more(tmp_path: Path) -> None:
    path = written(tmp_path / "results.csv", as_csv(texts()))
    with pytest.raises(ConfigError, match="do not state their precision"):
        load(path, "day")
    assert bounds(load(path, "day", precision="day")[0])[0] == ("Q1", "1996-05-01", "2003-06-30")


def test_unknown_values_literals_and_points_beside_bounds_are_no_plain_facts(tmp_path: Path) -> None:
    genid = "http://www.wikidata.org/.well-known/genid/0a1b"
    rows = texts(ROWS[:1] * 5)
    rows[1] |= {"value": genid}
    rows[2] |= {"value": "2500"}
    rows[3] |= {"item": WD + "Q3", "end": "_:t12"}
    rows[4] |= {"item": WD + "Q3", "date": "1999-01-01T00:00:00Z"}
    graph, report = load(written(tmp_path / "results.json", as_json(rows, [*VARIABLES, "date"])))
    assert bounds(graph) == [("Q1", "1996", "2003")]
    assert report.dropped == {DropReason.UNKNOWN_START: 1, DropReason.UNKNOWN_END: 1}
    assert {name: counters(report)[name] for name in ("object_not_known", "literal_object", "ambiguous_pairing")} == {
        "object_not_known": 1, "literal_object": 1, "ambiguous_pairing": 1,
    }  # fmt: skip
    assert is_complete(report)


@pytest.mark.parametrize("write", [as_short_json, as_csv, as_simple_tsv])
def test_a_blank_node_without_its_mark_is_an_unknown_value(write: Any, tmp_path: Path) -> None:
    rows = texts(ROWS[:1] * 3)
    rows[1] |= {"item": WD + "Q3", "end": "t1234"}
    rows[2] |= {"value": "t1235"}
    _, report = load(written(tmp_path / "results", write(rows)))
    assert (report.dropped, counters(report)["object_not_known"]) == ({DropReason.UNKNOWN_END: 1}, 1)


def test_a_point_in_time_is_both_bounds_and_an_id_is_no_label(tmp_path: Path) -> None:
    rows = [{**row, "date": row["start"]} for row in texts([*ROWS[:1], ("Q8", "P54", "Q2", "1999-01-01T00:00:00Z", "")])]
    for row in rows:
        del row["start"], row["end"]
    graph, report = load(written(tmp_path / "results.tsv", as_tsv(rows)))
    assert bounds(graph) == [("Q1", "1996", "1996")]
    assert report.dropped == {DropReason.UNUSABLE_ENTITY: 1}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (as_json(texts())[:-300], "the JSON is cut off or damaged.*timeout"),
        (as_csv(texts()) + "java.util.concurrent.TimeoutException\r\n\tat com.bigdata.Journal\r\n", "line 7: the results end in a line"),
        (as_csv(texts()).rpartition('first"')[0], "the CSV is cut off or damaged"),
        (as_tsv(texts())[:-130], "line 5: the results end in a line that is no row"),
        ("", "the file is empty"),
        ("<?xml version='1.0'?><sparql/>", "XML or RDF where a table of results is due"),
        ('{"error": "too many requests"}', "not the JSON of SPARQL results"),
        ("a,b,c\r\n1,2,3\r\n", r"no variable for the subject: there are a, b, c.*graph.options.columns.subject"),
        ("item,prop,value\r\n1,2,3\r\n", "no variable for the start"),
        ("item,prop,value,start,item\r\n1,2,3,4,5\r\n", "line 1: two columns are called 'item'"),
    ],
)
def test_results_that_are_cut_off_or_something_else_are_refused(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(GraphFormatError, match=says):
        load(written(tmp_path / "results", text))


def test_a_variable_or_field_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "results.csv", as_csv(texts()))
    with pytest.raises(GraphFormatError, match=r"no variable 'ittem' \(graph.options.columns.subject\)"):
        load(path, columns={"subject": "ittem"})
    with pytest.raises(ConfigError, match="no field 'subjekt'"):
        load(path, columns={"subjekt": "item"})


def test_a_broken_row_in_the_middle_is_counted(tmp_path: Path) -> None:
    broken = as_json(texts()).replace('"bindings": [', '"bindings": [3, null, ')
    _, report = load(written(tmp_path / "results.json", broken))
    assert (counters(report)["malformed"], is_complete(report)) == (2, True)
    lines = as_csv(texts()).split("\r\n")
    _, report = load(written(tmp_path / "results.csv", "\r\n".join([*lines[:2], "a,b", *lines[2:]])))
    assert (counters(report)["malformed"], is_complete(report)) == (1, True)
