"""The CronKG layout: what is refused with file and line, and what is data although it looks odd."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from graph_sampler.load import load_graph
from graph_sampler.loaders import text_lines
from state.config import GraphConfig
from state.errors import ChronoQGError, ConfigError, GraphFormatError
from state.graph_report import DropReason
from tests.strategies import write_cronkg

ROWS = [("Q1", "P1", "Q2", "1996", "2003"), ("Q3", "P1", "Q2", "1999", "2001"), ("Q1", "P2", "Q3", "2000", "2000")]
LABELS = {"Q1": "Ana Roy", "Q2": "FC Arn", "Q3": "Bo Lind"}
RELATIONS = {"P1": "member of sports team", "P2": "award received"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_cronkg(tmp_path / "graph", ROWS, LABELS, RELATIONS)


def refusal(folder: Path, **settings: object) -> str:
    with pytest.raises(GraphFormatError) as caught:
        load_graph(GraphConfig.model_validate({"path": str(folder), **settings}))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_folder_gives_its_facts_and_labels(folder: Path) -> None:
    graph, report = load_graph(GraphConfig(path=str(folder)))
    assert graph.entity_ids == ["Q1", "Q2", "Q3"]
    assert graph.entity_labels == ["Ana Roy", "FC Arn", "Bo Lind"]
    assert graph.relation_labels == list(RELATIONS.values())
    assert (report.rows, report.facts, report.dropped) == (3, 3, {})
    assert report.name == graph.name == "graph"


def test_the_bundled_graphs_load() -> None:
    for name, unit in (("years", "year"), ("days", "day")):
        graph, report = load_graph(GraphConfig.model_validate({"path": f"bundled:{name}", "granularity": unit}))
        assert graph.name == name
        assert report.facts == len(graph) > 300


@pytest.mark.parametrize("name", ["bundled:yeers", "bundled:../data/years", "bundled:"])
def test_an_unknown_bundled_graph_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(GraphFormatError, match=r"bundled:days, bundled:days_eventkg, bundled:years"):
        load_graph(GraphConfig(path=name))


def test_names_with_gz_and_gzip_content_without_gz_are_read(folder: Path, tmp_path: Path) -> None:
    packed = write_cronkg(tmp_path / "packed", ROWS, LABELS, RELATIONS, compress=True)
    misnamed = write_cronkg(tmp_path / "misnamed", ROWS, LABELS, RELATIONS)
    (misnamed / "full.txt").write_bytes(gzip.compress((folder / "full.txt").read_bytes()))
    hashes = {load_graph(GraphConfig(path=str(path)))[0].content_hash for path in (folder, packed, misnamed)}
    assert len(hashes) == 1


def test_quotes_and_hashes_are_data_and_only_newline_ends_a_line(tmp_path: Path) -> None:
    labels = {"Q1": '"Weird Al" #1', "Q2": "line\u2028separator", "Q3": "next\u0085line", "Q4": "tab\u000bvertical", "Q5": "'single"}
    rows = [(subject, "P1", "Q1", "1996", "2003") for subject in labels]
    graph, _ = load_graph(GraphConfig(path=str(write_cronkg(tmp_path / "graph", rows, labels, RELATIONS))))
    assert graph.entity_labels == list(labels.values())


def test_carriage_returns_and_one_byte_order_mark_are_dropped(folder: Path) -> None:
    plain = load_graph(GraphConfig(path=str(folder)))[0].content_hash
    for path in folder.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n").removesuffix(b"\n"))
    assert load_graph(GraphConfig(path=str(folder)))[0].content_hash == plain


def test_rows_of_another_width_are_counted_and_reading_goes_on(folder: Path) -> None:
    with (folder / "full.txt").open("a", encoding="utf-8") as out:
        out.write("Q1\tP1\tQ3\t1990\n\nQ1\tP1\tQ3\t1990\t1991\textra\nQ3\tP1\tQ1\t1990\t1991\n")
    graph, report = load_graph(GraphConfig(path=str(folder)))
    assert report.dropped == {DropReason.MALFORMED_ROW: 3}
    assert len(graph) == 4


def test_a_ragged_file_longer_than_a_block_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lines, "_BLOCK", 64)
    rows = [("Q1", "P1", "Q2", str(1000 + step), str(1001 + step)) for step in range(200)]
    folder = write_cronkg(tmp_path / "graph", rows, LABELS, RELATIONS)
    text = (folder / "full.txt").read_text().splitlines()
    text[50:50] = ["ragged", "Q1\tP1\tQ2"]
    (folder / "full.txt").write_text("\n".join(text))
    graph, report = load_graph(GraphConfig(path=str(folder)))
    assert (len(graph), report.dropped) == (200, {DropReason.MALFORMED_ROW: 2})


def test_a_missing_folder_and_a_missing_file_are_refused(folder: Path, tmp_path: Path) -> None:
    assert "no such folder or file" in refusal(tmp_path / "nowhere")
    assert "not a folder" in refusal(folder / "full.txt")
    (folder / "wd_id2relation_text.txt").unlink()
    assert "wd_id2relation_text.txt: no such file" in refusal(folder)


def spoil(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


def test_a_wrong_number_of_columns_on_line_1_is_refused(folder: Path) -> None:
    spoil(folder / "full.txt", lambda content: b"Q1\tP1\tQ2\t1996\n" + content)
    assert "full.txt, line 1: 4 columns where 5 are due" in refusal(folder)
    spoil(folder / "full.txt", lambda content: b"")
    assert "no fact is left after cleaning: no rows" in refusal(folder)


def test_bytes_that_are_not_utf_8_are_refused_with_their_line(folder: Path) -> None:
    spoil(folder / "wd_id2entity_text.txt", lambda content: content + b"Q4\tCaf\xe9\n")
    assert "wd_id2entity_text.txt, line 4: not UTF-8" in refusal(folder)


def test_a_gzip_stream_cut_short_is_refused(folder: Path) -> None:
    spoil(folder / "full.txt", lambda content: gzip.compress(content * 1000)[:-20])
    assert "the gzip stream is cut short" in refusal(folder)
    spoil(folder / "full.txt", lambda content: b"\x1f\x8b\x08\x00" + b"\xff" * 60)
    assert "full.txt, line 1: the gzip stream is" in refusal(folder)


def test_a_label_file_of_another_graph_is_refused(folder: Path) -> None:
    spoil(folder / "wd_id2entity_text.txt", lambda content: b"Q1\tAna Roy\nQ77\tNobody\n")
    assert "wd_id2entity_text.txt: resolves 1 of 3 ids" in refusal(folder)


def test_a_graph_without_a_fact_left_is_refused_with_the_counts(tmp_path: Path) -> None:
    rows = [("Q1", "P1", "Q2", "2003", "1996"), ("Q1", "P1", "Q2", "None", "1996"), ("Q3", "P1", "Q2", "None", "1997")]
    message = refusal(write_cronkg(tmp_path / "graph", rows, LABELS, RELATIONS))
    assert "no fact is left after cleaning: 2 unknown start, 1 start after end" in message


def test_an_unknown_relation_in_the_types_file_is_refused_with_its_line(folder: Path) -> None:
    (folder / "relation_types.txt").write_text("P1\tI\nP22\tP\n")
    message = refusal(folder)
    assert "relation_types.txt, line 2: relation 'P22' is not in the graph. Did you mean 'P2'?" in message


@pytest.mark.parametrize("line", ["P1 I", "P1\tX", "P1\tI\tmore", "P1"])
def test_a_broken_line_in_the_types_file_is_refused(folder: Path, line: str) -> None:
    (folder / "relation_types.txt").write_text(f"P2\tP\n{line}\n")
    assert "relation_types.txt, line 2: not a line" in refusal(folder)


def test_two_types_for_one_relation_are_refused(folder: Path) -> None:
    (folder / "relation_types.txt").write_text("P1\tI\nP1\tP\n")
    assert "line 2: relation 'P1' has two types" in refusal(folder)


def test_a_types_file_of_the_config_replaces_that_of_the_folder(folder: Path, tmp_path: Path) -> None:
    (folder / "relation_types.txt").write_text("P1\tD\n")
    (tmp_path / "types.tsv").write_text("P2\tI\n")
    _, report = load_graph(GraphConfig(path=str(folder), types=str(tmp_path / "types.tsv")))
    assert [row.type.value for row in report.relations] == ["interval", "interval"]
    assert [row.why for row in report.relations] == ["share of points at most 0.5", "set by hand"]
    assert "types.tsv: no such file" in refusal(folder, types=str(tmp_path / "nowhere" / "types.tsv"))


def test_settings_for_tables_are_refused_for_a_folder(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"graph\.header"):
        load_graph(GraphConfig(path=str(folder), header=True))
    with pytest.raises(ChronoQGError, match="one folder"):
        load_graph(GraphConfig(path=(str(folder), "other")))


def test_an_id_with_two_labels_has_the_same_one_whatever_their_order(folder: Path) -> None:
    chosen = set()
    for extra in (b"Q1\tZoe\nQ1\t \n", b"Q1\t \nQ1\tZoe\n"):
        spoil(folder / "wd_id2entity_text.txt", lambda content, extra=extra: extra + content)
        chosen.add(load_graph(GraphConfig(path=str(folder)))[0].entity_labels[0])
    assert chosen == {"Ana Roy"}


def test_aliases_are_kept_without_the_label_blanks_and_strangers(tmp_path: Path) -> None:
    aliases = {"Q1": ["A. Roy", "Ana Roy", "", "X", "A. Roy", "Roy"], "Q99": ["Stranger"]}
    graph, _ = load_graph(GraphConfig(path=str(write_cronkg(tmp_path / "graph", ROWS, LABELS, RELATIONS, aliases=aliases))))
    assert graph.entity_aliases == {0: ("A. Roy", "Roy")}


def test_cronkg_mini_gives_what_its_readme_says(shared_data: Path) -> None:
    graph, report = load_graph(GraphConfig(path=str(shared_data / "cronkg_mini")))
    types = {row.id: row.type.value for row in report.relations}
    assert report.rows == 25_031
    assert len(types) == 22
    assert {types[relation] for relation in ("P54", "P39", "P69", "P108", "P26")} == {"interval"}
    assert {types[relation] for relation in ("P166", "P1411", "P1346", "P512")} == {"point"}
    assert types["P793"] == "deleted"
    assert 1_700 < sum(report.dropped[reason] for reason in (DropReason.UNKNOWN_START, DropReason.UNKNOWN_END)) <= 1_718
    assert 100 < report.dropped[DropReason.REVERSED] <= 122
    assert DropReason.DUPLICATE not in report.dropped
    assert report.self_loops == 1
    assert report.repeated_spells > 1_000
    assert len(graph) + sum(report.dropped.values()) == report.rows
