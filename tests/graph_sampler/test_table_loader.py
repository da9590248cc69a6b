"""Generic tables: every kind gives the same graph, and a wrong column is named."""

from __future__ import annotations

import csv
import datetime
import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_sampler.load import load_graph
from graph_sampler.loaders import text_lines
from graph_sampler.loaders.label_tables import read_name
from graph_sampler.loaders.records import CsvReader
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.errors import GraphFormatError
from state.graph_report import CleaningReport, DropReason

NAMES = ["who", "what", "whom", "since", "until"]
COLUMNS = dict(zip(("subject", "relation", "object", "start", "end"), NAMES, strict=True))
ROWS = [
    ["Ana Roy", "member of", 'FC "Arn"', "1996", "2003"],
    ["Bo, Lind", "member of", 'FC "Arn"', "1999", "2001"],
    ["Cy Moe", "won", "Cup\nof Arn", "2000", "2000"],
]
FLAT = [[cell.replace("\n", " ") for cell in row] for row in ROWS]


def load(path: Path | list[Path], **settings: Any) -> tuple[TemporalGraph, CleaningReport]:
    paths = str(path) if isinstance(path, Path) else [str(part) for part in path]
    return load_graph(GraphConfig.model_validate({"path": paths, "format": "table", "name": "t", **settings}))


def refusal(path: Path, **settings: Any) -> str:
    with pytest.raises(GraphFormatError) as caught:
        load(path, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def write_tsv(path: Path, rows: list[list[str]]) -> Path:
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_csv(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(rows)
    return path


def test_every_kind_of_table_gives_the_same_graph(tmp_path: Path) -> None:
    tsv = write_tsv(tmp_path / "facts.tsv", FLAT)
    with_header = write_tsv(tmp_path / "header.tsv", [NAMES, *FLAT])
    packed = tmp_path / "facts.tsv.gz"
    packed.write_bytes(gzip.compress(tsv.read_bytes()))
    lines = tmp_path / "facts.jsonl"
    lines.write_text("".join(json.dumps(dict(zip(NAMES, [*row[:3], int(row[3]), row[4]], strict=True))) + "\n" for row in FLAT))
    arrays = tmp_path / "arrays.jsonl"
    arrays.write_text("".join(json.dumps(row) + "\n" for row in FLAT))
    parquet = tmp_path / "facts.parquet"
    columns = list(zip(*FLAT, strict=True))
    pq.write_table(pa.table({name: list(column) for name, column in zip(NAMES, columns, strict=True)}), parquet)
    csv_header = write_csv(tmp_path / "header.csv", [NAMES, *FLAT])
    graphs = [
        load(tsv), load(with_header, header=True), load(with_header, header=True, columns=COLUMNS), load(packed), load(arrays),
        load(lines, columns=COLUMNS), load(parquet, columns=COLUMNS), load(parquet), load([tsv]),
        load(write_csv(tmp_path / "facts.csv", FLAT)), load(csv_header, header=True, columns=COLUMNS),
    ]  # fmt: skip
    assert {graph.content_hash for graph, _ in graphs} == {graphs[0][0].content_hash}
    assert graphs[0][0].entity_ids == graphs[0][0].entity_labels == ["Ana Roy", "Bo, Lind", "Cup of Arn", "Cy Moe", 'FC "Arn"']


def test_columns_may_stand_in_any_order_and_points_have_one_time(tmp_path: Path) -> None:
    path = write_tsv(tmp_path / "points.txt", [["2014-05-01", "x", "Arn", "visits", "Bex"], ["2014-05-03", "x", "Cy", "visits", "Bex"]])
    graph, _ = load(path, granularity="day", columns={"subject": 2, "relation": 3, "object": 4, "start": 0, "end": 0})
    assert graph.start.tolist() == graph.end.tolist() == [16191, 16193]
    assert graph.relation_is_point.tolist() == [True]


def test_several_files_are_one_graph_and_ids_take_labels_from_tables(tmp_path: Path) -> None:
    first = write_tsv(tmp_path / "train.txt", [["1", "0", "2", "1996-##-##", "2003-##-##"]])
    second = write_tsv(tmp_path / "test.txt", [["3", "0", "2", "1999-05-##", "####-##-##"], ["3", "0", "1", "1999", "2001"]])
    write_tsv(tmp_path / "names.txt", [["<Ana_Roy>", "1", "x"], ["<FC_Arn_(1899)>", "2", "x"], ["<Bo_Lind>", "3", "x"]])
    write_tsv(tmp_path / "relations.txt", [["<playsFor>", "0"]])
    write_csv(tmp_path / "aliases.csv", [["id", "alias"], ["1", "Roy, Ana"]])
    graph, report = load(
        [first, second],
        entity_labels={"path": str(tmp_path / "names.txt"), "id": 1, "label": 0, "style": "name"},
        relation_labels={"path": str(tmp_path / "relations.txt"), "id": 1, "label": 0, "style": "name"},
        entity_aliases={"path": str(tmp_path / "aliases.csv"), "id": "id", "label": "alias", "header": True},
    )
    assert graph.entity_labels == ["Ana Roy", "FC Arn (1899)", "Bo Lind"]
    assert graph.relation_labels == ["plays for"]
    assert graph.entity_aliases == {0: ("Roy, Ana",)}
    assert report.dropped == {DropReason.UNKNOWN_END: 1}


def test_csv_cells_may_hold_commas_quotes_and_line_ends(tmp_path: Path) -> None:
    graph, _ = load(write_csv(tmp_path / "facts.csv", ROWS))
    assert "Cup\nof Arn" in graph.entity_labels


def test_a_broken_csv_row_is_counted_and_an_open_quote_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "facts.csv", ROWS)
    with path.open("a") as out:
        out.write('"Dan"x,won,Cup,2001,2001\nshort,row\nEd,won,Cup,2001,2001\n')
    graph, report = load(path)
    assert (len(graph), report.dropped) == (4, {DropReason.MALFORMED_ROW: 2})
    with path.open("a") as out:
        out.write('Flo,won,"Cup,2001,2001\n')
    assert "facts.csv, line 8: a quote is never closed" in refusal(path)


def test_carriage_returns_alone_and_a_blank_first_line_are_told(tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    path.write_bytes(b"Ana,won,Cup,2000,2000\rBo,won,Cup,2001,2001\r")
    assert "no line is a row of CSV. Save it with line feeds" in refusal(path)
    for name, sign in (("facts.csv", ","), ("facts.tsv", "\t")):
        (tmp_path / name).write_text("\n" + sign.join(("Ana", "won", "Cup", "2000", "2000")) + "\n")
        assert "Line 1 is blank: delete it." in refusal(tmp_path / name)


def test_json_lines_of_another_shape_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "facts.ndjson"
    row = dict(zip(NAMES, ["Ana", "won", "Cup", 2000, 2000], strict=True))
    wrong: list[Any] = [{**row, "until": True}, {**row, "who": ["Ana"]}, {key: row[key] for key in NAMES[:4]}, [1], "x"]
    good: list[Any] = [row, {**row, "who": "Bo", "extra": 1}, {**row, "until": None}, {**row, "who": "Cy", "since": 2000.0}]
    path.write_text("\n".join([*map(json.dumps, [*good, *wrong]), '{"who": "\\ud800"}', "", "{"]) + "\n")
    graph, report = load(path, columns=COLUMNS)
    assert len(graph) == 3
    assert report.dropped == {DropReason.MALFORMED_ROW: 8, DropReason.UNKNOWN_END: 1}
    path.write_text("nonsense\n")
    assert "facts.ndjson, line 1: no JSON: " in refusal(path)
    for line, said in (
        ('{"subject": "Ana \\ud800"}', "half of a sign"),
        ("7", "not a JSON object or array"),
        ('[{"subject": "Ana"}]', "one JSON array of all rows"),
    ):
        path.write_text(line + "\n", encoding="utf-8")
        assert said in refusal(path)


def test_parquet_numbers_and_dates_are_times(tmp_path: Path) -> None:
    days = [datetime.date(1999, 5, 1), datetime.date(1, 1, 1), None]
    names = pa.array(["Ana", "Bo", "Cy"])
    base = {"who": names, "what": pa.array(["won"] * 3).dictionary_encode(), "whom": pa.array(["Cup"] * 3, pa.large_string())}
    kinds = {
        "date": pa.array(days),
        "stamp": pa.array([day and datetime.datetime(day.year, day.month, day.day) for day in days], pa.timestamp("us")),
        "int": pa.array([1999, 1, None]),
        "float": pa.array([1999.0, 1.0, float("nan")]),
    }
    hashes = set()
    for kind, column in kinds.items():
        path = tmp_path / f"{kind}.parquet"
        pq.write_table(pa.table({**base, "since": column, "until": column}), path)
        graph, report = load(path)
        hashes.add(graph.content_hash)
        assert graph.start.tolist() == [1999, 1]
        assert report.dropped == {DropReason.UNKNOWN_START: 1}
    assert len(hashes) == 1


def test_a_parquet_column_of_lists_and_a_file_that_is_no_parquet_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "facts.parquet"
    pq.write_table(pa.table({name: [["a"]] for name in NAMES}), path)
    assert "column 'who' holds list" in refusal(path)
    path.write_bytes(path.read_bytes()[:-8])
    assert "no Parquet file" in refusal(path)
    path.unlink()
    assert "no such file" in refusal(path)


@pytest.mark.parametrize("kind", ["tsv", "csv"])
def test_a_wrong_column_is_refused_with_the_known_ones(tmp_path: Path, kind: str) -> None:
    write = write_tsv if kind == "tsv" else write_csv
    path = write(tmp_path / f"facts.{kind}", [NAMES, *FLAT])
    message = refusal(path, header=True, columns={**COLUMNS, "end": "untill"})
    assert f"facts.{kind}, line 1: no column 'untill' (graph.columns.end). Did you mean 'until'?" in message
    assert "Set header: true" in refusal(path, columns=COLUMNS)
    assert "5 columns, and graph.columns.end is at position 7" in refusal(path, columns={"end": 7})
    assert "position -1" in refusal(path, columns={"end": -1})


def test_a_wrong_column_of_a_label_table_is_refused(tmp_path: Path) -> None:
    path = write_tsv(tmp_path / "facts.tsv", FLAT)
    labels = write_tsv(tmp_path / "labels", [["Q1", "Ana"]])
    assert "labels, line 1: 2 columns, and graph.entity_labels.label is at position 2" in refusal(
        path, entity_labels={"path": str(labels), "label": 2}
    )


def test_a_file_that_is_missing_or_of_no_known_kind_is_refused(tmp_path: Path) -> None:
    assert "nowhere.tsv: no such file" in refusal(tmp_path / "nowhere.tsv")
    assert "a folder where a table file is due" in refusal(tmp_path)
    path = write_tsv(tmp_path / "facts.dat", FLAT)
    assert "Set graph.table" in refusal(path)
    assert len(load(path, table="tsv")[0]) == 3


def test_a_table_of_numbers_without_label_tables_has_no_usable_label(tmp_path: Path) -> None:
    assert "1 unusable entity label" in refusal(write_tsv(tmp_path / "facts.tsv", [["5542", "plays for", "5411", "1998", "1998"]]))


@pytest.mark.parametrize(
    ("name", "split", "words"),
    [("<Athletic_Park_(Vancouver)>", False, "Athletic Park (Vancouver)"), ("<wasBornIn>", True, "was born in"), ("plain", False, "plain")],
)
def test_a_name_is_read_as_words(name: str, split: bool, words: str) -> None:
    assert read_name(name, split_case=split) == words


def test_timequestions_reads_its_sentinels_and_no_real_early_year(shared_data: Path) -> None:
    path = shared_data / "timequestions_kg" / "facts_labelled.tsv.gz"
    graph, report = load(path, unknown_dates={"start": ["1"], "end": ["2916"]})
    assert report.rows == 24_491
    assert report.dropped[DropReason.MISSING_ID] == 2_382
    assert report.dropped[DropReason.REVERSED] == 13
    assert 6_000 < report.dropped[DropReason.UNKNOWN_START] < 7_500
    assert 2 <= graph.start.min() < 100
    assert '"Weird Al" Yankovic' in graph.entity_labels


def test_yago11k_keeps_points_at_day_level_and_intervals_at_year_level(shared_data: Path) -> None:
    folder = shared_data / "yago11k"
    settings = {
        "entity_labels": {"path": str(folder / "entity2id.txt.gz"), "id": 1, "label": 0, "style": "name"},
        "relation_labels": {"path": str(folder / "relation2id.txt"), "id": 1, "label": 0, "style": "name"},
    }
    files = [folder / f"{part}.txt.gz" for part in ("train", "valid", "test")]
    graph, report = load(files, granularity="day", **settings)
    types = {row.label: row.type.value for row in report.relations}
    assert report.rows == 20_509
    assert types["was born in"] == types["died in"] == "point"
    assert types["plays for"] == "deleted"
    assert report.dropped[DropReason.BAD_DATE] == 2
    assert report.dropped[DropReason.COARSE] > 5_000
    assert not any(label.startswith("<") or "_" in label for label in graph.entity_labels)
    _, report = load(files, granularity="year", **settings)
    types = {row.label: row.type.value for row in report.relations}
    assert types["plays for"] == types["is married to"] == "interval"
    assert 60 < report.dropped[DropReason.REVERSED] <= 70


def test_wikidata12k_counts_the_entities_without_a_label(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "wikidata12k"
    with gzip.open(shared_data / "cronkg" / "wd_id2entity_text.txt.gz", "rt", encoding="utf-8", newline="\n") as labels:
        known = dict(line.rstrip("\n").split("\t") for line in labels)
    with gzip.open(folder / "entity2id.txt.gz", "rt", encoding="utf-8") as ids:
        pairs = [line.split() for line in ids]
    joined = write_tsv(tmp_path / "labels.tsv", [[number, known[item]] for item, number in pairs if item in known])
    settings: dict[str, Any] = {"relation_labels": {"path": str(folder / "relation2id.txt"), "id": 1, "label": 2}}
    files = [folder / f"{part}.txt.gz" for part in ("train", "valid", "test")]
    _, report = load(files, entity_labels={"path": str(joined)}, **settings)
    assert report.rows == 40_621
    assert report.unusable_labels["no label"] > 5_000
    assert report.dropped[DropReason.UNUSABLE_ENTITY] > 10_000
    with pytest.raises(GraphFormatError, match="unusable entity label"):
        load(files, entity_labels={"path": str(folder / "entity2id.txt.gz"), "id": 1, "label": 0}, **settings)


CELLS = st.text(alphabet=st.sampled_from('a, "\n\r\u2028\u00e9'), max_size=4)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=8), st.booleans(), st.sampled_from((8, 1 << 20)))
def test_a_csv_is_read_as_the_library_reads_it_wherever_its_blocks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[list[str]], header: bool, block: int
) -> None:
    monkeypatch.setattr(text_lines, "_BLOCK", block)
    path = write_csv(tmp_path / "rows.csv", [["a", "b", "c"], *rows])
    with path.open(encoding="utf-8", newline="") as lines:
        known = list(csv.reader(lines))[header:]
    reader = CsvReader(path, header=header)
    columns = [[], [], []]
    for batch in reader.batches((0, 1, 2)):
        for column, texts in zip(columns, batch, strict=True):
            column += texts.to_pylist()
    assert list(zip(*columns, strict=True)) == [tuple(row) for row in known if len(row) == 3]
    assert reader.malformed == sum(len(row) != 3 for row in known)


def test_plain_blanks_around_cells_are_dropped_and_no_break_spaces_stay(tmp_path: Path) -> None:
    rows = [[(f" {cell}", cell, f"{cell} \t")[(row + column) % 3] for column, cell in enumerate(cells)] for row, cells in enumerate(ROWS)]
    assert load(write_csv(tmp_path / "padded.csv", rows))[0].content_hash == load(write_csv(tmp_path / "plain.csv", ROWS))[0].content_hash
    rows[0][0] = "\xa0Ana Roy"
    assert "\xa0Ana Roy" in load(write_csv(tmp_path / "kept.csv", rows))[0].entity_ids


def test_label_tables_are_read_without_blanks_around_their_cells(tmp_path: Path) -> None:
    rows = [[cell.replace(" ", "") for cell in row] for row in FLAT]
    names = {cell for row in rows for cell in (row[0], row[2])}
    labels = write_tsv(tmp_path / "names.tsv", [[f"{name} ", f" the {name}"] for name in sorted(names)])
    graph, _ = load(write_tsv(tmp_path / "facts.tsv", rows), entity_labels={"path": str(labels)})
    assert graph.entity_labels == [f"the {name}" for name in sorted(names)]


@pytest.mark.parametrize(
    ("sign", "remedy"),
    [(";", "line 1 has ';' instead, so save the file with commas or tabs."), ("\t", "set the one that fits.")],
)
def test_a_csv_that_is_parted_by_another_sign_is_told_what_graph_table_may_be(tmp_path: Path, sign: str, remedy: str) -> None:
    path = tmp_path / "facts.csv"
    path.write_text(sign.join(("Ana Roy", "member of", "FC Arn", "1996", "2003")) + "\n")
    said = refusal(path)
    assert "graph.table=csv are parted by commas, those of graph.table=tsv by tabs (jsonl and parquet" in said
    assert said.endswith(remedy)
