"""Reading traces by where they stand in the file: the same records, the same refusals, any size of line."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs import trace_file
from runs.json_lines import model_line, write_lines
from runs.run_folder import RunFolder, RunReader
from runs.trace_file import TraceFile
from state.errors import RunFolderError
from state.instance import BenchmarkRecord
from tests.run_directory import HOSTILE, config, records, sampled
from tests.sample_record import make_record


def stored(path: Path, lines: Sequence[bytes]) -> TraceFile:
    """The lines as a file, opened under the hash that it has."""
    write_lines(path, lines)
    return TraceFile(path, hashlib.sha256(path.read_bytes()).hexdigest(), BenchmarkRecord)


def reordered(record: BenchmarkRecord) -> bytes:
    """The record's line as another writer may write it: spaces, and the id not in front."""
    data = record.model_dump(mode="json")
    return json.dumps({**{key: value for key, value in data.items() if key != "id"}, "id": data["id"]}).encode()


LABELS = st.text(st.characters(exclude_categories=["Cs"]), max_size=600) | st.sampled_from(sorted(HOSTILE.values()))
IDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@settings(max_examples=80)
@given(st.lists(st.tuples(IDS, LABELS, st.booleans()), max_size=6), st.integers(1, 5000))
def test_any_records_written_and_read_by_place_are_the_same(parts: list[tuple[str, str, bool]], piece: int) -> None:
    traces = [make_record(labels={"Q12": label}).model_copy(update={"id": ident}) for ident, label, _ in parts]
    lines = [(model_line if ours else reordered)(record) for record, (_, _, ours) in zip(traces, parts, strict=True)]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace_file, "_PIECE", piece)
        file = stored(Path(folder) / "traces.jsonl", lines)
        assert len(file) == len(traces)
        assert list(file.ids()) == [record.id for record in traces]
        assert list(file.lines()) == lines
        assert list(file.records()) == traces
        for number in reversed(range(len(traces))):
            assert (file.line(number), file.record(number)) == (lines[number], traces[number])
        assert list(file.records(range(1, len(traces)))) == traces[1:]


def test_some_of_the_lines_are_read_in_the_order_asked_for(tmp_path: Path) -> None:
    traces = records(50)
    file = stored(tmp_path / "traces.jsonl", [model_line(record) for record in traces])
    assert list(file.lines(range(10, 40, 7))) == [model_line(record) for record in traces[10:40:7]]
    assert list(file.records(range(3, 0, -1))) == traces[3:0:-1]


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    file = stored(tmp_path / "traces.jsonl", [])
    assert (len(file), list(file.ids()), list(file.lines()), list(file.records())) == (0, [], [], [])


@pytest.mark.parametrize("piece", [1, 17, 1 << 22])
def test_a_line_that_does_not_begin_with_its_id_is_parsed_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(trace_file, "_PIECE", piece)
    traces = records(4)
    lines = [model_line(traces[0]), reordered(traces[1]), b" " + model_line(traces[2]), reordered(traces[3])]
    file = stored(tmp_path / "traces.jsonl", lines)
    assert list(file.ids()) == [record.id for record in traces]
    assert list(file.records()) == traces


def test_an_id_written_with_escapes_is_read_as_it_is_meant(tmp_path: Path) -> None:
    line = model_line(make_record())
    escaped = line.replace(b'"id":"sample-', b'"id":"\\u0073ample-', 1)
    assert escaped != line
    assert list(stored(tmp_path / "traces.jsonl", [escaped]).ids()) == [make_record().id]


@pytest.mark.parametrize("line", [b"", b"{", b'{"id":"a",', b'{"id":"\xff","x":1}', b'{"id":7}', b"[]", b"null"])
def test_a_line_that_is_no_record_is_named_even_if_the_hash_is_right(tmp_path: Path, line: bytes) -> None:
    write_lines(tmp_path / "traces.jsonl", [model_line(make_record()), line])
    sha256 = hashlib.sha256((tmp_path / "traces.jsonl").read_bytes()).hexdigest()
    with pytest.raises(RunFolderError, match=r"traces\.jsonl:2: broken line"):
        list(TraceFile(tmp_path / "traces.jsonl", sha256, BenchmarkRecord).records())


def test_the_first_broken_line_of_a_changed_file_is_named(tmp_path: Path) -> None:
    file = stored(tmp_path / "traces.jsonl", [model_line(record) for record in records(5)])
    lines = list(file.lines())
    lines[2], lines[4] = lines[2].replace(b'"hop_count":1', b'"hop_count":9'), lines[4][:-7]
    write_lines(file.path, lines)
    with pytest.raises(RunFolderError, match=r"traces\.jsonl:3: broken line: hop_count"):
        TraceFile(file.path, hashlib.sha256(b"what it was").hexdigest(), BenchmarkRecord)


@pytest.mark.parametrize("end", [b"x", b"{", b"\r", b'{"id":"sample-000000000009","dataset":"sample"}'])
def test_a_file_that_ends_within_a_line_is_refused_before_all_else(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"".join(model_line(record) + b"\n" for record in records(2)) + end)
    for sha256 in (hashlib.sha256(path.read_bytes()).hexdigest(), "0" * 64):
        with pytest.raises(RunFolderError, match=r"traces\.jsonl:3: the last line is cut off"):
            TraceFile(path, sha256, BenchmarkRecord)


def test_a_missing_file_and_a_folder_are_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").mkdir()
    for path in (tmp_path / "none.jsonl", tmp_path / "traces.jsonl"):
        with pytest.raises(RunFolderError, match=r"\.jsonl: cannot be read: "):
            TraceFile(path, "0" * 64, BenchmarkRecord)


def test_a_file_changed_while_a_run_goes_on_is_noticed_and_a_touched_one_is_not_refused(tmp_path: Path) -> None:
    file = stored(tmp_path / "traces.jsonl", [model_line(record) for record in records(3)])
    os.utime(file.path, ns=(1, 1))
    assert list(file.records()) == records(3)
    data = file.path.read_bytes()
    file.path.write_bytes(data.replace(b"Which entity is number 2?", b"Which entity is number 7?"))
    os.utime(file.path, ns=(2, 2))
    for read in (lambda: file.line(0), lambda: file.record(1), lambda: list(file.lines()), lambda: list(file.records())):
        with pytest.raises(RunFolderError, match="not the one that was sampled"):
            read()
    file.path.write_bytes(data)
    assert file.record(1) == records(3)[1]


def test_an_instance_is_looked_up_by_what_only_its_id_begins_with(tmp_path: Path) -> None:
    names = ["sample-00a1", "sample-00b1", "sample-0b", "sample-sample-1", "other-00c", "sample-00a1"]
    traces = [record.model_copy(update={"id": ident}) for record, ident in zip(records(len(names)), names, strict=True)]
    with RunFolder(tmp_path / "run", config(tmp_path)) as folder:
        sampled(folder, traces)
    reader = RunReader(tmp_path / "run")
    found = {key: reader.record(key) for key in ("sample-00a1", "00b", "0b", "sample-1", "other-00c", "other-")}
    assert [traces.index(record) for record in found.values()] == [0, 1, 2, 3, 4, 4]
    for key, what in {"00": "3 instances begin with '00'", "b1": "no instance 'b1'", "": "no instance ''", "\udc80": "no instance"}.items():
        with pytest.raises(RunFolderError, match=what):
            reader.record(key)


def test_a_run_without_traces_has_no_instance(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", config(tmp_path)) as folder:
        sampled(folder, [])
    reader = RunReader(tmp_path / "run")
    assert (list(reader.traces()), list(reader.trace_lines())) == ([], [])
    with pytest.raises(RunFolderError, match="no instance 'sample-1'"):
        reader.record("sample-1")
