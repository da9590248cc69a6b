"""YAGO 4 and 4.5: annotations joined into facts, on small files composed here from the layouts' description."""

from __future__ import annotations

import bz2
import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.load import load_graph
from graph_sampler.loaders.registry import guess_formats
from graph_sampler.loaders.yago import read_entity_name
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.errors import ConfigError, GraphFormatError
from state.graph_report import CleaningReport, DropReason
from state.interval import format_granule
from tests.row_account import is_complete

XSD = "http://www.w3.org/2001/XMLSchema#"
SPACES = {"yago": "http://yago-knowledge.org/resource/", "schema": "http://schema.org/", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
PREFIXES = "".join(f"@prefix {name}: <{space}> .\n" for name, space in {**SPACES, "xsd": XSD}.items())
KINDS = {1: "gYear", 2: "gYearMonth", 3: "date"}
Fact = tuple[str, str, str, str, str]
FACTS: list[Fact] = [
    ("yago:Ana_Roy", "schema:memberOf", "yago:FC_Arn", "1996-05-01", "2003-06-30"),
    ("yago:Bo_Lind", "schema:memberOf", "yago:FC_Arn", "1999-01-02", "2001-03-04"),
    ("yago:Ana_Roy", "schema:award", "yago:Cup_of_Arn", "2000-07-08", "2000-07-08"),
]


def full(name: str) -> str:
    prefix, _, local = name.partition(":")
    return f"<{SPACES[prefix]}{local}>"


def annotation_4(subject: str, relation: str, object_: str, side: str, time: str) -> str:
    """A line of YAGO 4: full IRIs, tabs, and the precision in the datatype."""
    object_ = object_ if object_.startswith('"') else full(object_)
    kind = KINDS[len(time.removeprefix("-").split("-"))] if "T" not in time else "dateTime"
    return "\t".join(("<<", full(subject), full(relation), object_, ">>", full(side), f'"{time}"^^<{XSD}{kind}>', ".\n"))


def annotation_45(subject: str, relation: str, object_: str, side: str, time: str, end: str = "\n") -> str:
    """A line of YAGO 4.5: prefixes and tabs, and a date whatever the precision."""
    sign = "-" if time.startswith("-") else ""
    date = sign + "-".join([*time.removeprefix("-").split("-"), "01", "01"][:3])
    return f'<<\t{subject}\t{relation}\t{object_}\t>>\t{side}\t"{date}"^^xsd:date\t.{end}'


def annotated(facts: list[Fact], version: str) -> str:
    """Start and end of each fact on lines that lie apart, the ends first and backwards."""
    line = annotation_4 if version == "yago4" else annotation_45
    ends = [line(*fact[:3], "schema:endDate", fact[4]) for fact in reversed(facts) if fact[4]]
    starts = [line(*fact[:3], "schema:startDate", fact[3]) for fact in facts if fact[3]]
    return ("" if version == "yago4" else PREFIXES) + "".join([*ends, *starts])


def load(path: Path, version: str, granularity: str = "year", **options: Any) -> tuple[TemporalGraph, CleaningReport]:
    data = {"path": str(path), "format": version, "granularity": granularity, "options": options}
    return load_graph(GraphConfig.model_validate({**data, "typing": {"interval_share": 1.0, "point_share": 1.0}}))


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def told(graph: TemporalGraph) -> set[tuple[str, ...]]:
    return {
        (
            graph.entity_ids[graph.subject[row]], graph.relation_ids[graph.relation[row]], graph.entity_ids[graph.object[row]],
            format_granule(int(graph.start[row]), graph.granularity), format_granule(int(graph.end[row]), graph.granularity),
        )
        for row in range(len(graph))
    }  # fmt: skip


def counters(report: CleaningReport) -> dict[str, int]:
    assert report.source is not None
    return report.source.counters


def labels(graph: TemporalGraph) -> dict[str, str]:
    return dict(zip(graph.entity_ids, graph.entity_labels, strict=True))


def test_starts_and_ends_of_either_version_are_joined(tmp_path: Path) -> None:
    path = written(tmp_path / "yago-wd-annotated-facts.ntx", annotated(FACTS, "yago4"))
    assert told(load(path, "yago4", "day")[0]) == set(FACTS)
    assert list(guess_formats(path)) == ["yago4"]
    path = written(tmp_path / "yago-meta.ttl", annotated(FACTS, "yago45").replace("\n", "\r\n"))
    years = {(*fact[:3], fact[3][:4], fact[4][:4]) for fact in FACTS}
    graph, report = load(path, "yago45")
    assert told(graph) == years
    assert graph.relation_labels == ["award", "member of"]
    assert counters(report) == {"label_from_name": 4, "joined_halves": 3}
    assert list(guess_formats(path)) == ["yago45"]


def test_yago_4_with_blanks_for_tabs_is_told_apart_and_read_alike(tmp_path: Path) -> None:
    path = written(tmp_path / "yago-wd-annotated-facts.ntx", annotated(FACTS, "yago4").replace("\t", " "))
    assert list(guess_formats(path)) == ["yago4"]
    assert told(load(path, "yago4", "day")[0]) == set(FACTS)


def test_early_files_of_yago_45_have_another_schema_address_and_no_full_stop(tmp_path: Path) -> None:
    text = (
        annotated(FACTS, "yago45")
        .replace("http://schema.org/", "https://schema.org/")
        .replace('"^^xsd:date\t.', 'T00:00:00Z"^^xsd:dateTime')
    )
    unknown = "<<\tyago:Ana_Roy\tschema:spouse\tyago:Bo_Lind\t>>\tschema:startDate\t_:0f2a\n"
    path = written(tmp_path / "yago-meta-facts.ntx", text + unknown)
    graph, report = load(path, "yago45")
    assert told(graph) == {(*fact[:3], fact[3][:4], fact[4][:4]) for fact in FACTS}
    assert counters(report) == {"label_from_name": 4, "untimed": 1, "unknown_start": 1, "unknown_end": 1, "joined_halves": 3}
    assert list(guess_formats(path)) == ["yago45"]


def test_later_files_of_yago_45_state_years_and_the_setting_does_not_make_them_finer(tmp_path: Path) -> None:
    text = annotated(FACTS, "yago45").replace('"2000-07-08"^^xsd:date', '"2000"^^xsd:gYear')
    path = written(tmp_path / "yago-meta.ttl", text.replace('"2003-06-30"^^xsd:date', '"2003-01-01"^^xsd:gYear'))
    assert told(load(path, "yago45")[0]) == {(*fact[:3], fact[3][:4], fact[4][:4]) for fact in FACTS}
    assert told(load(path, "yago45", "day", precision="day")[0]) == {FACTS[1]}


def test_labels_for_all_languages_come_after_those_of_the_language(tmp_path: Path) -> None:
    written(tmp_path / "yago-meta.ttl", annotated(FACTS, "yago45"))
    lines = [
        'yago:Ana_Roy\trdfs:label\t"Anna"@mul\t.',
        'yago:Ana_Roy\trdfs:label\t"Ana Roy"@en\t.',
        'yago:FC_Arn\trdfs:label\t"Arn"@mul\t.',
    ]
    written(tmp_path / "yago-facts.ttl", PREFIXES + "\n".join(lines) + "\n")
    found = labels(load(tmp_path, "yago45")[0])
    assert (found["yago:Ana_Roy"], found["yago:FC_Arn"], found["yago:Bo_Lind"]) == ("Ana Roy", "Arn", "Bo Lind")


def test_a_piece_of_a_file_without_its_prefixes_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "meta.ttl", annotated(FACTS, "yago45").replace(PREFIXES, PREFIXES.partition("@prefix schema")[0]))
    with pytest.raises(GraphFormatError, match=r"meta.ttl, line 2: the prefix schema: is not declared"):
        load(path, "yago45")


NAMES = st.sampled_from([f"yago:Name_{letter}{letter}" for letter in "abcdef"])
DATES = st.dates(datetime.date(1000, 1, 1), datetime.date(2100, 1, 1)).map(lambda date: str(date.replace(day=min(date.day, 28))))


@settings(max_examples=25)
@given(
    rows=st.dictionaries(
        st.tuples(NAMES, st.sampled_from(("schema:memberOf", "yago:playsFor")), NAMES),
        st.tuples(DATES, st.integers(0, 140), st.sampled_from((4, 7, 10))),
        min_size=1,
        max_size=10,
    ),
    version=st.sampled_from(("yago4", "yago45")),
    granularity=st.sampled_from(("day", "month", "year")),
)
def test_a_graph_written_in_the_layout_is_read_back(
    rows: dict[tuple[str, str, str], tuple[str, int, int]], version: str, granularity: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    facts = [(*triple, start[:digits], f"{int(start[:4]) + years:04d}{start[4:digits]}") for triple, (start, years, digits) in rows.items()]
    granularity = "year" if version == "yago45" else granularity
    width = {"day": 10, "month": 7, "year": 4}[granularity]
    due = {(*fact[:3], fact[3][:width], fact[4][:width]) for fact in facts if len(fact[3]) >= width}
    path = written(tmp_path_factory.mktemp("yago") / "meta.ttl", annotated(facts, version))
    if due:
        assert told(load(path, version, granularity)[0]) == due
    else:
        with pytest.raises(GraphFormatError, match="no fact is left"):
            load(path, version, granularity)


@pytest.mark.parametrize(
    ("digits", "granularities"), [("1996", ["year"]), ("1996-05", ["year", "month"]), ("1996-05-07", ["year", "month", "day"])]
)
def test_the_datatype_of_yago_4_is_the_precision(digits: str, granularities: list[str], tmp_path: Path) -> None:
    vague = ("yago:Cy_Moe", "schema:memberOf", "yago:FC_Arn", digits, digits)
    path = written(tmp_path / "annotated.ntx", annotated([*FACTS, vague], "yago4"))
    for granularity, width in (("year", 4), ("month", 7), ("day", 10)):
        found = {fact[3:] for fact in told(load(path, "yago4", granularity)[0]) if fact[0] == "yago:Cy_Moe"}
        assert found == ({(digits[:width], digits[:width])} if granularity in granularities else set())


def test_the_dates_of_yago_45_are_years_unless_the_config_says_more(tmp_path: Path) -> None:
    path = written(tmp_path / "yago-meta.ttl", annotated(FACTS, "yago45"))
    with pytest.raises(ConfigError, match="those that are years read as 1 January"):
        load(path, "yago45", "day")
    assert told(load(path, "yago45", "day", precision="day")[0]) == set(FACTS)


def test_a_point_an_open_bound_and_years_before_1_are_read(tmp_path: Path) -> None:
    lines = [
        annotation_45("yago:Cy_Moe", "schema:award", "yago:Cup_of_Arn", "yago:onDate", "2005-01-01"),
        annotation_45("yago:Di_Fox", "schema:alumniOf", "yago:Arn_School", "schema:startDate", "2006-01-01"),
        annotation_45("yago:Old_One", "schema:memberOf", "yago:FC_Arn", "schema:startDate", "-0043-01-01"),
        annotation_45("yago:Old_One", "schema:memberOf", "yago:FC_Arn", "schema:endDate", "-0040-01-01"),
    ]
    graph, report = load(written(tmp_path / "yago-meta.ttl", annotated(FACTS, "yago45") + "".join(lines)), "yago45")
    assert {fact[3:] for fact in told(graph) if fact[0] in ("yago:Cy_Moe", "yago:Old_One")} == {("2005", "2005"), ("-0043", "-0040")}
    assert report.dropped == {DropReason.UNKNOWN_END: 1}


def test_two_starts_of_one_fact_make_its_time_unknown(tmp_path: Path) -> None:
    line = annotation_45(*FACTS[0][:3], "schema:startDate", "1990-01-01")
    graph, report = load(written(tmp_path / "yago-meta.ttl", annotated(FACTS, "yago45") + line + line), "yago45")
    assert (len(graph), report.kept_aside, counters(report)["ambiguous_pairing"]) == (2, 1, 1)


def test_literals_other_annotations_and_broken_lines_are_no_facts(tmp_path: Path) -> None:
    lines = [
        annotation_4("yago:FC_Arn", "schema:dissolutionDate", f'"1990"^^<{XSD}gYear>', "schema:startDate", "1990"),
        annotation_4("yago:Ana_Roy", "schema:memberOf", "yago:FC_Arn", "schema:about", "1990"),
        "<< <broken line\n",
        annotation_4("yago:Cy_Moe", "schema:memberOf", "yago:FC_Arn", "schema:startDate", "1999").replace("1999", "soon"),
    ]
    graph, report = load(written(tmp_path / "annotated.ntx", annotated(FACTS, "yago4") + "".join(lines)), "yago4", "day")
    assert told(graph) == set(FACTS)
    assert {name: counters(report)[name] for name in ("literal_object", "malformed", "bad_date", "no_time_stated")} == dict.fromkeys(
        ("literal_object", "malformed", "bad_date", "no_time_stated"), 1
    )
    assert is_complete(report)


def test_labels_come_from_the_files_and_else_from_the_names(tmp_path: Path) -> None:
    folder = tmp_path / "yago"
    folder.mkdir()
    (folder / "yago-meta.ttl.bz2").write_bytes(bz2.compress(annotated(FACTS, "yago45").encode()))
    text = PREFIXES + 'yago:Ana_Roy\trdfs:label\t"Ana \\"Annie\\" Roy"@en\t.\nyago:Ana_Roy\tschema:alternateName\t"A. Roy"@en\t.\n'
    written(folder / "yago-facts.ttl", text + "yago:Ana_Roy\tschema:memberOf\tyago:FC_Arn\t.\n")
    written(folder / "yago-labels.ttl", PREFIXES + 'yago:FC_Arn\trdfs:label\t"Verein Arn"@de\t.\n')
    graph, report = load(folder, "yago45")
    known = {"yago:Bo_Lind": "Bo Lind", "yago:Cup_of_Arn": "Cup of Arn", "yago:FC_Arn": "FC Arn"}
    assert labels(graph) == {"yago:Ana_Roy": 'Ana "Annie" Roy', **known}
    assert graph.entity_aliases == {0: ("A. Roy",)}
    assert counters(report) == {"label_from_name": 3, "joined_halves": 3}
    assert labels(load(folder, "yago45", language="de")[0])["yago:FC_Arn"] == "Verein Arn"
    assert "yago45" in guess_formats(folder)


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("yago:Ana_Roy", "Ana Roy"),
        ("yago:Ana_Roy_Q17", "Ana Roy"),
        ("yago:Caf_u00e9_", "Café"),
        ("yago:Ana%2FBo%27s", "Ana/Bo's"),
        ("schema:Thing", ""),
        ("http://x.y/z", ""),
    ],
)
def test_an_id_is_read_as_a_name(identifier: str, name: str) -> None:
    assert read_entity_name(identifier) == name


def test_files_without_annotations_and_of_the_other_version_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "yago-facts.ttl", PREFIXES + "yago:Ana_Roy\tschema:memberOf\tyago:FC_Arn\t.\n")
    with pytest.raises(GraphFormatError, match="no statement about a statement"):
        load(path, "yago45")
    path = written(tmp_path / "yago-meta.ttl", annotated(FACTS, "yago45"))
    with pytest.raises(GraphFormatError, match=r"yago-meta.ttl, line 5: names with prefixes.*yago45"):
        load(path, "yago4")
    (tmp_path / "yago-labels.ttl").write_bytes(b'yago:Ana_Roy\trdfs:label\t"Ana R\xf6y"@en\t.\n')
    with pytest.raises(GraphFormatError, match=r"yago-labels.ttl, line 1: not UTF-8"):
        load(tmp_path, "yago45")
    (tmp_path / "empty").mkdir()
    with pytest.raises(GraphFormatError, match="no file of YAGO in this folder"):
        load(tmp_path / "empty", "yago4")
