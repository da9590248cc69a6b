"""Graphs as people publish them, in small files of our own: what each loader makes of them, and what it refuses."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from graph_sampler.load import load_graph, read_source
from graph_sampler.loaders.registry import guess_formats
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.errors import ChronoQGError
from state.graph_report import CleaningReport
from state.interval import Granularity, format_granule
from tests.command_line import here
from tests.row_account import is_complete

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "Zstandard": lambda data: bytes(pa.compress(data, codec="zstd", asbytes=True)),
}


def write(folder: Path, **files: str | bytes) -> Path:
    """A folder with some files; their names end in `.txt`."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.txt").write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def load(path: Path | list[Path], layout: str, **settings: Any) -> tuple[TemporalGraph, CleaningReport]:
    paths = str(path) if isinstance(path, Path) else [str(part) for part in path]
    return load_graph(GraphConfig.model_validate({"path": paths, "format": layout, **settings}))


def refusal(path: Path | list[Path], layout: str, **settings: Any) -> str:
    with pytest.raises(ChronoQGError) as caught:
        load(path, layout, **settings)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    return str(caught.value)


def facts(graph: TemporalGraph) -> set[tuple[str, ...]]:
    """Facts as labels and ISO times."""
    rows = zip(graph.subject, graph.relation, graph.object, graph.start, graph.end, strict=True)
    return {
        (
            graph.entity_labels[subject], graph.relation_labels[relation], graph.entity_labels[object_],
            *(format_granule(int(time), graph.granularity) for time in (start, end)),
        )
        for subject, relation, object_, start, end in rows
    }  # fmt: skip


def counters(report: CleaningReport) -> dict[str, int]:
    assert report.source is not None
    return report.source.counters


# HyTE: numbered facts beside two tables

ENTITIES = "<Ana_Roy>\t0\t1970-##-##\t####-##-##\n<FC_Arn_(1901)>\t1\t####-##-##\t####-##-##\n<Bo_Lind>\t2\t####-##-##\t####-##-##\n"
RELATIONS = "<playsFor>\t4\n<wasBornIn>\t0\n"
HYTE = (
    "0\t4\t1\t1996-##-##\t2003-##-##\n2\t4\t1\t1999-05-##\t2001-02-03\n0\t4\t1\t2005-##-##\t####-##-##\n"
    "2\t4\t1\t2011-##-##\t2004-##-##\n0\t4\t1\t195#-##-##\t1960-##-##\n2\t4\t1\t307-13047-09\t2004-##-##\n"
)


def hyte(folder: Path, **files: str | bytes) -> Path:
    return write(folder, **{"train": HYTE, "entity2id": ENTITIES, "relation2id": RELATIONS, **files})


def test_hyte_names_become_labels_and_masks_become_what_they_leave_open(tmp_path: Path) -> None:
    graph, report = load(hyte(tmp_path, valid="2\t4\t1\t-31-##-##\t-\n0\t4\t1\tNone\t1950\n"), "hyte")
    assert facts(graph) == {
        ("Ana Roy", "plays for", "FC Arn (1901)", "1996", "2003"), ("Bo Lind", "plays for", "FC Arn (1901)", "1999", "2001"),
    }  # fmt: skip
    assert graph.entity_ids == ["<Ana_Roy>", "<Bo_Lind>", "<FC_Arn_(1901)>"]
    assert counters(report) == {"unknown_start": 1, "unknown_end": 2, "coarse": 1, "start_after_end": 1, "bad_date": 1}
    assert report.source is not None
    assert "year_numbering" in report.source.notes[0]
    assert report.source.rows == 8
    assert report.kept_aside == 6


def test_hyte_with_wikidata_ids_takes_labels_from_a_file_and_relations_from_the_third_column(tmp_path: Path) -> None:
    folder = hyte(
        tmp_path,
        train="1\t0\t2\t1996\t2003\n3\t0\t2\t1999\t2001\n",
        entity2id="Q901\t1\nQ902\t2\nQ903\t3\n",
        relation2id="P54\t0\tmember of sports team\n",
        names="Q901\tAna Roy\nQ902\tFC Arn\n",
    )
    assert "label" in refusal(folder, "hyte")
    graph, report = load(folder, "hyte", entity_labels={"path": str(folder / "names.txt")})
    assert facts(graph) == {("Ana Roy", "member of sports team", "FC Arn", "1996", "2003")}
    assert counters(report) == {"unlabelled_entity": 1}


def test_hyte_rows_of_another_width_and_numbers_without_a_name_are_counted(tmp_path: Path) -> None:
    graph, report = load(hyte(tmp_path, train=HYTE + "0\t4\t1\n7\t4\t1\t1990\t1991\n0\t4\t1\t1990\t1991\t1\n"), "hyte")
    assert len(graph) == 2
    assert counters(report)["malformed"] == 2
    assert counters(report)["id_out_of_range"] == counters(report)["unlabelled_entity"] == 1


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"train": "0\t4\t1\t1996\n"}, "train.txt, line 1: 4 columns where 5 are due"),
        ({"train": HYTE.encode() + b"0\t4\t1\t19\xff\t1960\n"}, "train.txt, line 7: not UTF-8"),
        ({"entity2id": "<Ana_Roy>\t0\n"}, "entity2id.txt: resolves 1 of 3 numbers of the facts"),
        ({"entity2id": "<Ana_Roy>\t<Bo>\n"}, "entity2id.txt, line 1: 2 columns, and no number"),
        ({"relation2id": "<a>\t4\n<b>\t4\n"}, "relation2id.txt: number '4' stands for '<a>' and for '<b>'"),
    ],
)
def test_a_hyte_folder_that_is_not_one_is_refused_with_file_and_line(tmp_path: Path, files: dict[str, Any], said: str) -> None:
    assert said in refusal(hyte(tmp_path, **files), "hyte")


def test_a_folder_without_facts_or_tables_is_refused(tmp_path: Path) -> None:
    assert "no file train.txt" in refusal(write(tmp_path / "a", entity2id=ENTITIES), "hyte")
    assert "no file relation2id.txt beside the facts" in refusal(write(tmp_path / "b", train=HYTE, entity2id=ENTITIES), "hyte")


@pytest.mark.parametrize("kind", PACKERS)
def test_packed_files_are_read_by_their_first_bytes_and_refused_where_they_are_cut(tmp_path: Path, kind: str) -> None:
    plain = load(hyte(tmp_path / "plain"), "hyte")[0].content_hash
    packed = PACKERS[kind](HYTE.encode())
    folder = hyte(tmp_path / "packed", train=packed)
    assert load(folder, "hyte")[0].content_hash == plain
    (folder / "train.txt").write_bytes(packed[:-9])
    assert f"train.txt, line 1: the {kind} stream is cut short" in refusal(folder, "hyte")


# MMKB: since and until are rows of their own

SINCE, UNTIL = "<occursSince>", "<occursUntil>"


def row(subject: str, role: str = "", time: str = "", object_: str = "<FC_Arn>") -> str:
    timed = f'\t{role}\t"{time}-##-##"' if role else ""
    return f"<{subject}>\t<playsFor>\t{object_}{timed}\n"


def test_since_and_until_are_joined_over_all_files(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        g_train=row("Ana_Roy", SINCE, "1996") + row("Bo_Lind", SINCE, "1999") + row("Cy_Moe"),
        g_valid=row("Bo_Lind", UNTIL, "2001") + row("Ana_Roy"),
        g_test=row("Ana_Roy", UNTIL, "2003") + row("Ana_Roy", UNTIL, "2003"),
    )
    graph, report = load(folder, "mmkb")
    assert facts(graph) == {
        ("Ana Roy", "plays for", "FC Arn", "1996", "2003"), ("Bo Lind", "plays for", "FC Arn", "1999", "2001"),
    }  # fmt: skip
    assert counters(report) == {
        "untimed": 1, "unknown_start": 1, "unknown_end": 1, "duplicate_exact": 1, "untimed_beside_timed": 1,
        "joined_halves": 2,
    }  # fmt: skip
    assert is_complete(report)
    assert report.kept_aside == 1


def test_several_spells_are_paired_in_order_only_where_they_do_not_overlap(tmp_path: Path) -> None:
    apart = [(SINCE, "1996"), (UNTIL, "2005"), (UNTIL, "1999"), (SINCE, "2001")]
    overlapping = [(SINCE, "1996"), (UNTIL, "2005"), (UNTIL, "2007"), (SINCE, "2001")]
    uneven = [(SINCE, "1996"), (SINCE, "2001"), (UNTIL, "2005")]
    lone = [(UNTIL, "2001"), (SINCE, "2004")]
    spells = {"Ana_Roy": apart, "Bo_Lind": overlapping, "Cy_Moe": uneven, "Di_Fay": lone, "Ed_Gow": [(SINCE, "1990")]}
    text = "".join(row(who, role, year) for who, parts in spells.items() for role, year in parts)
    graph, report = load(write(tmp_path, test=text), "mmkb")
    assert facts(graph) == {
        ("Ana Roy", "plays for", "FC Arn", "1996", "1999"), ("Ana Roy", "plays for", "FC Arn", "2001", "2005"),
    }  # fmt: skip
    assert counters(report)["ambiguous_pairing"] == 7
    assert counters(report)["start_after_end"] == 1
    assert report.kept_aside == 7 + 1 + 1
    assert is_complete(report)


def test_mmkb_of_wikidata_drops_literals_and_needs_labels(tmp_path: Path) -> None:
    rows = "Q901\tP54\tQ902\toccurSince\t0996\nQ901\tP54\tQ902\toccurUntil\t1003\nQ901\tP1087\t2200\toccurSince\t2011\n" * 2
    folder = write(tmp_path, w_test=rows, names="Q901\tAna Roy\nQ902\tFC Arn\n", props="P54\tmember of\n")
    assert "graph.entity_labels" in refusal(folder / "w_test.txt", "mmkb")
    tables = {f"{key}_labels": {"path": str(folder / f"{name}.txt")} for key, name in (("entity", "names"), ("relation", "props"))}
    graph, report = load(folder, "mmkb", **tables)
    assert facts(graph) == {("Ana Roy", "member of", "FC Arn", "0996", "1003")}
    assert counters(report) == {"literal_object": 2, "duplicate_exact": 2, "joined_halves": 1}
    assert is_complete(report)
    (folder / "names.txt").write_text("Q7\tAna Roy\n")
    assert "names.txt: resolves 0 of 2 ids" in refusal(folder, "mmkb", **tables)


def test_mmkb_rows_of_four_columns_and_of_unknown_roles_are_malformed(tmp_path: Path) -> None:
    text = row("Ana_Roy", SINCE, "1996") + row("Ana_Roy", UNTIL, "2003") + "<a>\t<b>\t<c>\t<d>\n" + row("Ana_Roy", "<occursIn>", "1999")
    _, report = load(write(tmp_path, test=text), "mmkb")
    assert counters(report) == {"malformed": 2, "joined_halves": 1}
    assert report.rows == 3
    assert is_complete(report)
    assert "4 columns where 3 or 5 are due" in refusal(write(tmp_path, test="a\tb\tc\td\n"), "mmkb")


# Event sets: labels and days, or numbers and indexes

EVENTS = "Ana Roy (Arn)\tThreaten\tBo Lind\t2014-02-12\nBo Lind\tThreaten\tAna Roy (Arn)\t2014-02-30\nBo Lind\tThreaten\tAna Roy (Arn)\n"


def test_labelled_events_are_points_in_days(tmp_path: Path) -> None:
    graph, report = load(write(tmp_path, test=EVENTS), "icews", granularity="day")
    assert facts(graph) == {("Ana Roy (Arn)", "Threaten", "Bo Lind", "2014-02-12", "2014-02-12")}
    assert counters(report) == {"malformed": 1, "bad_date": 1}
    assert "origin" in refusal(tmp_path, "icews", granularity="day", options={"origin": "2018-01-01"})


def test_event_codes_keep_their_leading_zero_and_take_labels_from_a_file(tmp_path: Path) -> None:
    write(tmp_path, test="Ana Roy\t020\tBo Lind\t2015-02-12\n", codes="020\tAppeal\n20\tAssault\n")
    assert "no fact is left" in refusal(tmp_path, "icews", granularity="day")
    graph, _ = load(tmp_path, "icews", granularity="day", relation_labels={"path": str(tmp_path / "codes.txt")})
    assert facts(graph) == {("Ana Roy", "Appeal", "Bo Lind", "2015-02-12", "2015-02-12")}


INDEXED = {"train": "0\t0\t1 \t0\t0\n1\t0\t0\t48\t0\n", "entity2id": "Ana Roy\t0\nBo Lind\t1  \n", "relation2id": "Threaten\t0\n"}


def test_a_time_index_is_a_day_by_origin_and_step_and_its_fifth_column_is_no_end(tmp_path: Path) -> None:
    folder = write(tmp_path, **INDEXED)
    options = {"origin": "2018-01-01", "step": 24}
    graph, _ = load(folder, "icews", granularity="day", options=options)
    assert facts(graph) == {
        ("Ana Roy", "Threaten", "Bo Lind", "2018-01-01", "2018-01-01"), ("Bo Lind", "Threaten", "Ana Roy", "2018-01-03", "2018-01-03"),
    }  # fmt: skip
    assert "graph.options.origin: is needed" in refusal(folder, "icews")
    assert "grows by 48" in refusal(folder, "icews", options=options | {"step": 36})
    for day in ("2018-13-01", "2018-02-30", "2018-00-01", "2018-01-00"):
        assert f"graph.options.origin: the calendar has no day {day}" in refusal(folder, "icews", options=options | {"origin": day})
    write(tmp_path, train="0\t0\t1\t1999\t2004\n")
    assert "line 1: a fifth column '2004'" in refusal(folder, "icews", options=options)
    write(tmp_path, train="0 0 1 24\n")
    assert "line 1: 1 columns where 4 are due" in refusal(folder, "icews", options=options)


def test_indexes_in_days_refuse_a_step_of_hours_and_unrolled_spells_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, **INDEXED | {"train": "0\t0\t1\t0\n1\t0\t0\t1\n0\t0\t1\t2\n"})
    assert "grows by 1" in refusal(folder, "icews", options={"origin": "2014-01-01", "step": 24})
    assert len(load(folder, "icews", granularity="day", options={"origin": "2014-01-01", "step": 1})[0]) == 3
    tables = {"entity2id": 12554, "relation2id": 24}
    write(folder, **{name: "".join(f"x{number}\t{number}\n" for number in range(size)) for name, size in tables.items()})
    assert "Wikidata12k" in refusal(folder, "icews", options={"origin": "2014-01-01", "step": 1})


def test_unrolled_spells_are_told_from_events_by_their_rows(tmp_path: Path) -> None:
    spells = [f"{row % 2}\t0\t{row % 3}\t{24 * year}\n" for row in range(6) for year in range(10 * row, 10 * row + 20)]
    events = [f"{row % 2}\t0\t{row % 3}\t{24 * (5 * year + row % 3)}\n" for row in range(6) for year in range(20)]
    folder = write(tmp_path, **INDEXED | {"train": "".join(spells), "entity2id": "Ana Roy\t0\nBo Lind\t1\nCy Moe\t2\n"})
    options = {"origin": "2014-01-01", "step": 24}
    assert "spells unrolled to one row" in refusal(folder, "icews", options=options)
    write(tmp_path, train="".join(events))
    assert len(load(folder, "icews", granularity="day", options=options)[0]) == 120


# MultiTQ and TimelineKGQA


def test_multitq_reads_underscores_as_blanks(tmp_path: Path) -> None:
    write(tmp_path / "kg", full="Ana_Roy\tMake_a_visit\tBo_Lind\t2005-01-03\n")
    graph, _ = load(tmp_path, "multitq", granularity="day")
    assert facts(graph) == {("Ana Roy", "Make a visit", "Bo Lind", "2005-01-03", "2005-01-03")}
    assert graph.entity_ids == ["Ana Roy", "Bo Lind"]


def test_stamped_times_are_read_and_said_to_have_no_role(tmp_path: Path) -> None:
    stamps = [f'Ana_Roy\tfather\tBo_Lind\t"{year}-01-01T00:00:00Z"^^xsd:dateTime\n' for year in ("-0366", "1926")]
    graph, report = load(write(tmp_path, tkg="".join(stamps)), "multitq")
    assert {fact[3] for fact in facts(graph)} == {"-0366", "1926"}
    assert report.source is not None
    assert len(report.source.notes) == 2


TIMELINE = (
    "id,subject,subject_json,predicate,predicate_json,object,object_json,start_time,end_time\n"
    '1,"Roy, Ana","{""a"": 1}",Affiliation To,{},FC Arn,{},1996-01-01,2003-01-01\n'
    "2,Bo Lind,{},Affiliation To,{},FC Arn,{},beginning of time,2001-01-01\n"
    "3,Bo Lind,{},Affiliation To,{},FC Arn,{},1999-01-01,end of time\n4,Bo Lind\n"
)


def test_timelinekgqa_reads_words_for_unbounded_times_as_open(tmp_path: Path) -> None:
    (tmp_path / "unified_kg_cron.csv").write_text(TIMELINE)
    graph, report = load(tmp_path / "unified_kg_cron.csv", "timelinekgqa")
    assert facts(graph) == {("Roy, Ana", "Affiliation To", "FC Arn", "1996", "2003")}
    assert counters(report) == {"malformed": 1, "open_end": 1}
    assert {reason.value: count for reason, count in report.dropped.items()} == {"malformed row": 1, "open start": 1, "open end": 1}
    days = {"granularity": Granularity.DAY}
    assert facts(load(tmp_path / "unified_kg_cron.csv", "timelinekgqa", **days)[0]) == {
        ("Roy, Ana", "Affiliation To", "FC Arn", "1996-01-01", "2003-01-01")
    }
    assert "coarser" in refusal(tmp_path / "unified_kg_cron.csv", "timelinekgqa", **days, options={"precision": "year"})


@pytest.mark.parametrize("indent", [None, 2])
def test_timelinekgqa_is_read_alike_from_its_json(indent: int | None, tmp_path: Path) -> None:
    (tmp_path / "kg.csv").write_text(TIMELINE.rpartition("4,Bo Lind")[0])
    rows: list[Any] = list(csv.DictReader(io.StringIO((tmp_path / "kg.csv").read_text())))
    (tmp_path / "kg.json").write_text(json.dumps([{**row, "subject_json": {}} for row in rows], indent=indent))
    assert list(guess_formats(tmp_path / "kg.json")) == ["timelinekgqa"]
    graphs = [load(tmp_path / name, "timelinekgqa", granularity="day") for name in ("kg.csv", "kg.json")]
    assert graphs[0][0].content_hash == graphs[1][0].content_hash
    assert [len(report.source.notes) for _, report in graphs if report.source] == [1, 1]
    (tmp_path / "kg.json").write_text(json.dumps([*rows, {"subject": "Bo Lind"}, 3]))
    assert counters(load(tmp_path / "kg.json", "timelinekgqa")[1])["malformed"] == 2
    for content, says in (("[{", "cut off or damaged"), ("[]", "not a JSON array of objects"), ("[3]", "not a JSON array of objects")):
        (tmp_path / "kg.json").write_text(content)
        assert f"line 1: {says}" in refusal(tmp_path / "kg.json", "timelinekgqa").replace("the JSON is ", "")


def test_a_timeline_table_without_its_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kg.csv").write_text("subject,predicate\na,b\n")
    assert "line 1: no column 'object'" in refusal(tmp_path / "kg.csv", "timelinekgqa")
    assert "unified_kg" in refusal(tmp_path, "timelinekgqa")
    (tmp_path / "kg.csv").write_text(TIMELINE.replace("subject_json", "subject"))
    assert "line 1: two columns are called 'subject'" in refusal(tmp_path / "kg.csv", "timelinekgqa")


# What all share

STAMPED = 'Ana_Roy\tfather\tBo_Lind\t"1926-01-01T00:00:00Z"^^xsd:dateTime\n'


@pytest.mark.parametrize(
    ("files", "layouts"),
    [
        ({"train": HYTE, "entity2id": ENTITIES, "relation2id": RELATIONS}, ["hyte"]),
        ({"g_valid": row("Ana_Roy") + row("Ana_Roy", SINCE, "1996")}, ["mmkb"]),
        ({"icews_2014_test": EVENTS}, ["icews"]),
        ({"icews_2005-2015_valid": EVENTS}, ["icews"]),
        (INDEXED, ["icews"]),
        ({"full": "Ana_Roy\tMake_a_visit\tBo_Lind\t2005-01-03\n"}, ["multitq"]),
        ({"full": "China\tConsult\tIran\t2005-01-03\nAna_Roy\tMake_a_visit\tIran\t2005-01-03\n"}, ["multitq"]),
        ({"train": "China\tConsult\tIran\t2005-01-03\nAna Roy\tMake a visit\tIran\t2005-01-03\n"}, ["icews"]),
        ({"tkg": STAMPED}, ["multitq"]),
        ({"readme": "Ana Roy\n"}, []),
    ],
)
def test_a_folder_is_known_by_its_files_alone(tmp_path: Path, files: dict[str, str], layouts: list[str]) -> None:
    assert list(guess_formats(write(tmp_path, **files))) == layouts


def test_a_file_may_look_like_several_layouts(tmp_path: Path) -> None:
    (tmp_path / "unified.csv").write_text(TIMELINE)
    assert list(guess_formats(tmp_path / "unified.csv")) == ["timelinekgqa", "table"]
    done = here("graph", "inspect", str(hyte(tmp_path) / "train.txt"))
    assert [line.split()[2] for line in done.stdout.splitlines() if line.startswith("looks like")] == ["hyte", "table"]


def test_a_setting_that_a_layout_does_not_read_is_refused(tmp_path: Path) -> None:
    folder = hyte(tmp_path)
    assert "graph.header: is read with format: table only" in refusal(folder, "hyte", header=True)
    assert "graph.options.origin: is not read with format: hyte" in refusal(folder, "hyte", options={"origin": "2018-01-01"})


def test_ids_that_no_row_has_after_dropping_are_gone(tmp_path: Path) -> None:
    text = row("Ana_Roy", SINCE, "1996") + row("Ana_Roy", UNTIL, "2003") + row("Ana_Roy", SINCE, "1996", object_='"12"')
    raw = read_source(GraphConfig(path=str(write(tmp_path, test=text)), format="mmkb")).raw
    assert sorted(raw.entities) == ["<Ana_Roy>", "<FC_Arn>"]
