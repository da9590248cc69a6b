"""The file of `chronoqg graph import`: the same graph back, the same bytes again, and damage refused."""

from __future__ import annotations

import errno
import gzip
import io
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from graph_sampler.load import import_graph, load_graph, read_source
from graph_sampler.loaders import graph_file
from graph_sampler.loaders.graph_file import is_graph_file, read_graph
from graph_sampler.loaders.registry import FORMATS, guess_formats
from graph_sampler.temporal_graph import TemporalGraph
from runs.sampling import graph_note
from state.config import Config, GraphConfig, GraphFormat
from state.errors import ChronoQGError
from tests.command_line import here, refused

YEARS = GraphConfig(path="bundled:years")
LABELS = "Q901\tAna Roy\nQ902\tFC Arn\nQ903\tBo Lind\n"
ROWS = "Q901\tP54\tQ902\t1996\t2003\nQ903\tP54\tQ902\t19##\t2001\nQ903\tP54\tQ902\t2004\tNone\nQ901\tP54\tQ902\t2011\t2004\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A small folder with an alias and with dropped rows of every kind of bound."""
    folder = tmp_path / "source"
    folder.mkdir()
    aliases = "Q901\tA. Roy\nQ901\tAnnie Roy\n"
    for name, text in {
        "full": ROWS,
        "wd_id2entity_text": LABELS,
        "wd_id2relation_text": "P54\tmember of\n",
        "wd_id2entity_aliases": aliases,
    }.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


def imported(config: GraphConfig, path: Path) -> Path:
    with path.open("wb") as sink:
        import_graph(config, sink)
    return path


def columns(table: Any) -> dict[str, tuple[Any, ...]]:
    names = (field.name for field in fields(table) if isinstance(getattr(table, field.name), np.ndarray))
    return {name: (getattr(table, name).dtype, *getattr(table, name).tolist()) for name in names}


def refusal(config: GraphConfig) -> str:
    with pytest.raises(ChronoQGError) as caught:
        load_graph(config)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_graph_comes_back_whole_under_any_name_and_from_small_row_groups(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_file, "_GROUP", 2)
    config = GraphConfig(path=str(source), licence="CC0", source="invented")
    graph, report = load_graph(config)
    back, its_report = load_graph(GraphConfig(path=str(imported(config, tmp_path / "any.name"))))
    assert back.content_hash == graph.content_hash
    assert its_report == report
    assert columns(back) == columns(graph)
    assert columns(back.dropped) == columns(graph.dropped)
    assert len(graph.dropped) == 3
    for name in (
        "granularity",
        "name",
        "entity_ids",
        "entity_labels",
        "entity_aliases",
        "relation_ids",
        "relation_labels",
        "relation_types",
    ):
        assert getattr(back, name) == getattr(graph, name)
    assert back.entity_aliases == {0: ("A. Roy", "Annie Roy")}
    assert its_report.source is not None
    assert (its_report.source.licence, its_report.source.origin) == ("CC0", "invented")


def test_the_same_source_gives_the_same_bytes_and_anything_reads_them(source: Path, tmp_path: Path) -> None:
    one, other = (imported(GraphConfig(path=str(source)), tmp_path / name) for name in ("a", "b"))
    assert one.read_bytes() == other.read_bytes()
    table = pq.read_table(one).to_pylist()
    assert [row["part"] for row in table] == ["entity"] * 3 + ["alias"] * 2 + ["relation"] + ["fact"] + ["dropped"] * 3
    assert [(row["start_low"], row["end_high"]) for row in table[-3:]] == [(None, None), (1900, 2001), (2004, None)]
    assert str(source.parent) not in one.read_bytes().decode("latin-1")


def test_settings_of_the_import_may_be_repeated_but_not_changed(source: Path, tmp_path: Path) -> None:
    path = str(imported(GraphConfig(path=str(source), unknown_dates={"end": ("x",)}), tmp_path / "g"))  # type: ignore[arg-type]
    for repeated in ({"unknown_dates": {"end": ("x",)}}, {"granularity": "year"}, {"year_numbering": "astronomical"}):
        assert len(load_graph(GraphConfig.model_validate({"path": path, "format": "chronoqg", **repeated}))[0]) == 1
    for changed in ({"granularity": "day"}, {"types": "some.txt"}, {"typing": {"point_share": 0.5}}, {"options": {"min_year": 3}}):
        said = refusal(GraphConfig.model_validate({"path": path, **changed}))
        assert said.startswith(f"graph.{next(iter(changed))}: was settled")
    days = str(imported(GraphConfig.model_validate({"path": "bundled:days", "granularity": "day", "licence": "MIT"}), tmp_path / "days"))
    assert "Set graph.granularity=day" in refusal(GraphConfig.model_validate({"path": days, "granularity": "year"}))
    assert "no graph file" in refusal(GraphConfig(path=str(source), format="chronoqg"))
    resolved = GraphConfig.model_validate(GraphConfig(path=days).model_dump())
    config = Config(dataset="days", graph=resolved)
    assert graph_note(config, load_graph(resolved)[1]).licence == "MIT"
    assert load_graph(GraphConfig(path=path, name="mine"))[0].name == "mine"


def test_a_graph_file_has_no_rows_from_before_cleaning_and_is_not_imported_again(source: Path, tmp_path: Path) -> None:
    config = GraphConfig(path=str(imported(GraphConfig(path=str(source)), tmp_path / "g")), format="chronoqg")
    with pytest.raises(ChronoQGError, match="Name the source itself"):
        read_source(config)
    with pytest.raises(ChronoQGError, match="a graph file already"):
        import_graph(config, io.BytesIO())


@pytest.mark.parametrize("damage", ["cut", "byte", "table", "version", "hash", "code", "null", "letter", "digest", "missing"])
def test_a_damaged_file_is_refused(source: Path, tmp_path: Path, damage: str) -> None:
    path = imported(GraphConfig(path=str(source)), tmp_path / "g")
    data = path.read_bytes()
    table, metadata = pq.read_table(path), dict(pq.read_metadata(path).metadata)
    header = json.loads(metadata[b"chronoqg.graph"])
    if damage == "cut":
        path.write_bytes(data[:-20])
    elif damage == "byte":
        path.write_bytes(data.replace(b"Ana Roy", b"Ana Rox"))
    elif damage == "missing":
        path.unlink()
    elif damage == "table":
        pq.write_table(pa.table({"a": [1]}), path)
    else:
        header |= {"version": {"format": 2}, "hash": {"content_hash": "0" * 64}}.get(damage, {})
        if damage == "null":
            table = table.set_column(table.schema.get_field_index("usable"), "usable", pa.nulls(table.num_rows, pa.bool_()))
        if damage == "code":
            table = table.set_column(table.schema.get_field_index("object"), "object", pa.array([9] * table.num_rows, pa.int32()))
        if damage == "letter":
            labels = [label and (label.encode() if row else b"\xff") for row, label in enumerate(table.column("label").to_pylist())]
            table = table.set_column(table.schema.get_field_index("label"), "label", pa.array(labels, pa.binary()).view(pa.string()))
        with pq.ParquetWriter(path, table.schema) as writer:
            for rows in (slice(0, 3), slice(3, 5), slice(5, 6), slice(6, 7), slice(7, 10)):
                writer.write_table(table.slice(rows.start, rows.stop - rows.start))
            digest = {b"chronoqg.graph.sha256": b"0" * 64} if damage == "digest" else {}
            writer.add_key_value_metadata({b"chronoqg.graph": json.dumps(header).encode(), **digest})
    said = {
        "table": "no graph file",
        "version": "of version 2",
        "digest": "its metadata have another hash",
        "null": "a value is missing in the part 'entity'",
        "hash": "another hash",
        "code": "does not name",
        "missing": "no such file",
    }
    assert said.get(damage, "damaged") in refusal(GraphConfig(path=str(path), format="chronoqg"))


IMPOSSIBLE: dict[str, tuple[str, int, Any, str]] = {
    "part": ("part", 6, "dropped", "some of another"),
    "entity code": ("code", 1, 2, "codes of the part 'entity'"),
    "relation code": ("code", 5, 1, "codes of the part 'relation'"),
    "entity twice": ("id", 1, "Q901", "ids of the part 'entity' do not ascend"),
    "entity unsorted": ("id", 0, "Q999", "ids of the part 'entity' do not ascend"),
    "alias of nobody": ("code", 4, 3, "codes of the part 'alias'"),
    "alias below": ("code", 3, -1, "codes of the part 'alias'"),
    "alias unsorted": ("code", 3, 1, "codes of the part 'alias'"),
    "end first": ("end", 6, 1995, "ends before it starts"),
    "deleted": ("type", 5, "deleted", "of a deleted relation"),
    "point": ("type", 5, "point", "points with an interval"),
    "order": ("subject", 7, 2, "part 'fact' do not ascend"),
    "twice": ("start", 7, 1996, "part 'fact' do not ascend"),
    "dropped order": ("subject", 11, 0, "part 'dropped' do not ascend"),
    "dropped bounds": ("start_low", 10, 2000, "above the upper one"),
}
"""Name -> column, row, value, and what is said of it."""


@pytest.mark.parametrize("fault", IMPOSSIBLE)
def test_rows_that_no_import_writes_are_damage_although_their_hash_is_right(
    source: Path, tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (source / "full.txt").open("a") as rows:
        rows.write("Q901\tP54\tQ902\t1998\t2003\nQ903\tP54\tQ902\t1996\t2003\n")
    path = imported(GraphConfig(path=str(source)), tmp_path / "g")
    table, metadata = pq.read_table(path), dict(pq.read_metadata(path).metadata)
    name, row, value, said = IMPOSSIBLE[fault]
    values = table.column(name).to_pylist()
    values[row] = value
    table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), pa.array(values, table.schema.field(name).type))
    with pq.ParquetWriter(path, table.schema) as writer:
        for rows_of in (slice(0, 3), slice(3, 5), slice(5, 6), slice(6, 9), slice(9, 12)):
            writer.write_table(table.slice(rows_of.start, rows_of.stop - rows_of.start))
        writer.add_key_value_metadata({key: metadata[key] for key in (b"chronoqg.graph", b"chronoqg.graph.sha256")})
    monkeypatch.setattr(TemporalGraph, "content_hash", json.loads(metadata[b"chronoqg.graph"])["content_hash"])
    assert said in refusal(GraphConfig(path=str(path), format="chronoqg"))


@pytest.mark.parametrize("said", [pa.ArrowMemoryError("malloc of size 9"), OSError("ZSTD_DCtx create failed"), OSError(errno.ENOMEM, "no")])
def test_lack_of_memory_is_not_called_damage(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Exception) -> None:
    path = imported(GraphConfig(path=str(source)), tmp_path / "g")

    def short(*_: Any, **__: Any) -> Any:
        raise said

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", short)
    with pytest.raises(MemoryError):
        read_graph(path, GraphConfig(path=str(path)))


def test_every_layout_of_the_config_has_a_loader_and_a_title() -> None:
    names = GraphFormat.__args__  # type: ignore[attr-defined]
    assert set(FORMATS) == set(names)
    assert all(layout.name == name and layout.title and layout.notes for name, layout in FORMATS.items())


def test_a_layout_is_guessed_with_its_reason_and_all_that_fit_are_named(source: Path, tmp_path: Path) -> None:
    assert list(guess_formats(source)) == ["cronkg"]
    assert list(guess_formats(source / "full.txt")) == ["table"]
    assert "chronoqg" in guess_formats(imported(GraphConfig(path=str(source)), tmp_path / "g"))
    assert is_graph_file(tmp_path / "g")
    (tmp_path / "train.txt").write_text("0\t0\t1\t1999\t2004\n")
    for name in ("entity2id", "relation2id"):
        (tmp_path / f"{name}.txt").write_text("<a>\t0\n<b>\t1\n")
    assert list(guess_formats(tmp_path / "train.txt")) == ["hyte", "table"]


def test_graph_import_writes_a_file_that_graph_inspect_knows(source: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "my.graph")
    done = here("graph", "import", str(source), "--out", out)
    assert done.returncode == 0, done.stderr
    assert "looks like  cronkg" in done.stdout
    assert f"wrote {out}" in done.stderr
    report = json.loads(here("graph", "inspect", out, "--json").stdout)
    assert report == json.loads(here("graph", "inspect", str(source), "--json").stdout)
    assert report["source"]["counters"] == {"unknown_end": 1, "coarse": 1, "start_after_end": 1}


def test_graph_import_takes_several_files_and_refuses_what_it_cannot_tell(source: Path, tmp_path: Path) -> None:
    out, rows, more = str(tmp_path / "g"), str(tmp_path / "rows.tsv"), str(tmp_path / "more.tsv")
    for path in (rows, more):
        Path(path).write_text("Ana Roy\tmember of\tFC Arn\t1996\t2003\nBo Lind\tmember of\tFC Arn\t1999\t2001\n")
    done = here("graph", "import", rows, more, "--format", "table", "--out", out, "--json")
    assert json.loads(done.stdout)["rows"] == 4
    assert "did you mean 'hyte'" in refused("graph", "import", rows, "--format", "hyt", "--out", out).casefold()
    assert "is named twice" in refused("graph", "import", rows, rows, "--out", out)
    empty, packed = tmp_path / "empty", tmp_path / "packed"
    empty.mkdir()
    packed.write_bytes(gzip.compress(gzip.compress(b"a\tb\n")))
    (tmp_path / "odd").write_text("nothing")
    for path, said in ((tmp_path / "odd", "its layout cannot be told"), (empty, "folder is empty"), (packed, "gzip within a packed file")):
        assert said in refused("graph", "inspect", str(path))
    assert "Then set graph.format: table" in refused("graph", "inspect", rows, "--set", "graph.format=icews")
    assert "something else is there" in refused("graph", "import", rows, "--out", str(tmp_path / "odd"))
    (source / "full.txt").write_text("one\ttwo\n")
    assert "full.txt, line 1: 2 columns where 5 are due" in refused("graph", "import", str(source), "--out", str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_graph_import_never_writes_over_another_graph(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "my.graph"
    first = here("graph", "import", str(source), "--out", str(out))
    assert "next: chronoqg build runs/quickstart.yaml --set graph.path=" in first.stderr
    held = out.read_bytes()
    assert "the same graph is there already" in here("graph", "import", str(source), "--out", str(out)).stderr
    for command in (("import", str(source), "--set", "graph.name=other"), ("generate", "--facts", "100", "--granularity", "day")):
        said = refused("graph", *command, "--out", str(out))
        assert said.endswith("another graph is there already. Choose another --out, or delete it first.")
    assert out.read_bytes() == held
    for name, target in (("nowhere", tmp_path / "none"), ("loop", tmp_path / "loop")):
        link = tmp_path / name
        link.symlink_to(target)
        assert "something else is there, and no graph file" in refused("graph", "generate", "--facts", "100", "--out", str(link))
        assert link.readlink() == target


def test_graph_counts_has_a_row_for_each_graph(source: Path) -> None:
    lines = here("graph", "counts", "bundled:days", str(source)).stdout.splitlines()
    assert lines[2].startswith("| graph | layout | unit | rows |")
    assert lines[4].startswith("| days | cronkg | day |")
    assert lines[5] == "| source | cronkg | year | 4 | 1 | 0 | 1 | 2 | 1 | 3 | unknown_end 1, coarse 1, start_after_end 1 |"
