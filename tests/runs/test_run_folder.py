"""A run directory: whole files, one owner, nobody else's directory, and one line for every damage."""

from __future__ import annotations

import json
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.json_lines import (
    WholeFile,
    escape_line_ends,
    model_line,
    parse_lines,
    refuse_unwritable,
    write_lines,
    write_together,
    write_whole,
)
from runs.run_folder import RunFolder, RunReader
from state.errors import RunFolderError
from state.instance import BenchmarkRecord
from tests.run_directory import HOSTILE, config, records, sampled


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A sampled run directory of four records."""
    path = tmp_path / "run"
    with RunFolder(path, config(tmp_path)) as folder:
        sampled(folder, records(4))
    return path


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_label_survives_writing_and_reading(tmp_path: Path, name: str) -> None:
    traces = records(2, {"Q12": HOSTILE[name], "Q1": HOSTILE[name]})
    with RunFolder(tmp_path / "run", config(tmp_path)) as folder:
        sampled(folder, traces)
    file = tmp_path / "run" / "traces.jsonl"
    data = file.read_bytes()
    assert list(RunReader(tmp_path / "run").traces()) == traces
    assert len(data.decode().splitlines()) == len(data.split(b"\n")) - 1 == 2
    write_lines(file, map(model_line, parse_lines(BenchmarkRecord, file)))
    assert file.read_bytes() == data


def test_escaping_line_ends_does_not_change_the_value() -> None:
    text = 'a\u2028b\u2029c\x85d\\u2028"é'
    raw = json.dumps(text, ensure_ascii=False).encode()
    assert json.loads(escape_line_ends(raw)) == text
    assert len(escape_line_ends(raw).decode().splitlines()) == 1


def test_a_file_in_the_making_that_ends_with_an_error_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"

    def half() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, half())
    assert not path.parent.exists()
    write_whole(path, [b"wh", b"ole"])
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, half())
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == {"file": b"whole"}


def test_a_file_in_the_making_is_one_makers_and_follows_no_link_of_its_parts_name(tmp_path: Path) -> None:
    path, part, precious = tmp_path / "file", tmp_path / ".file.part", tmp_path / "precious"
    precious.write_bytes(b"mine")
    part.symlink_to(precious)
    with WholeFile(path) as first:
        first.write(b"first")
        with pytest.raises(RunFolderError, match="another process is writing this file"):
            WholeFile(path)
    part.write_bytes(b"left by a killed one")
    write_whole(path, [path.read_bytes(), b" and second"])
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"file": b"first and second", "precious": b"mine"}
    part.mkdir()
    with pytest.raises(RunFolderError, match="cannot be written"):
        write_whole(path, [b"third"])
    with pytest.raises(RunFolderError, match="cannot be written"):
        write_whole(tmp_path / "new" / ("n" * 255), [b""])
    assert not (tmp_path / "new").exists()


def test_files_that_belong_together_appear_together_and_a_try_leaves_nothing(tmp_path: Path) -> None:
    one, two = tmp_path / "new" / "one", tmp_path / "new" / "two"
    refuse_unwritable(one)
    assert list(tmp_path.iterdir()) == []
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        for refused in (lambda: write_together({one: b"1", two: bytes(2000)}), lambda: refuse_unwritable(one)):
            with pytest.raises(RunFolderError, match="cannot be written: File too large"):
                refused()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []
    write_together({one: b"1", two: b"2"})
    assert {file.name: file.read_bytes() for file in one.parent.iterdir()} == {"one": b"1", "two": b"2"}
    with pytest.raises(RunFolderError, match="it is a folder"):
        refuse_unwritable(one.parent)


def test_a_directory_has_one_owner_at_a_time(tmp_path: Path, run: Path) -> None:
    with RunFolder(run, config(tmp_path)), pytest.raises(RunFolderError, match="another process is working"):
        RunFolder(run, config(tmp_path))
    RunFolder(run, config(tmp_path)).close()


def test_the_owners_death_releases_the_directory(tmp_path: Path, run: Path) -> None:
    code = (
        "import sys, time\nfrom runs.run_folder import RunFolder\nfrom runs.config_file import load_config\n"
        f"folder = RunFolder({str(run)!r}, load_config({str(tmp_path / 'sample.yaml')!r}))\nprint('mine', flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "mine\n"
        with pytest.raises(RunFolderError, match="another process is working"):
            RunFolder(run, config(tmp_path))
        owner.send_signal(signal.SIGKILL)
        owner.wait()
    RunFolder(run, config(tmp_path)).close()


def test_another_configs_directory_is_refused_and_the_key_named(tmp_path: Path, run: Path) -> None:
    before = {path: path.read_bytes() for path in run.iterdir()}
    with pytest.raises(RunFolderError, match=r"belongs to another config \(sampler\.seed differs\)"):
        RunFolder(run, config(tmp_path, "sampler.seed=9"))
    assert {path: path.read_bytes() for path in run.iterdir()} == before
    RunFolder(run, config(tmp_path, "run.concurrency=1", "sampler.workers=2")).close()


def test_a_directory_with_other_things_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    with pytest.raises(RunFolderError, match="not empty and not a run directory"):
        RunFolder(tmp_path / "mine", config(tmp_path))
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_an_output_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere/run")):
        with pytest.raises(RunFolderError, match="cannot be written"):
            RunFolder(path, config(tmp_path))


def test_a_run_that_ends_before_its_traces_are_written_leaves_nothing(tmp_path: Path) -> None:
    RunFolder(tmp_path / "new" / "run", config(tmp_path)).close()
    assert not (tmp_path / "new").exists()


def test_what_a_killed_sampling_left_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.mkdir()
    for name in (".lock", "config.yaml", "traces.jsonl", ".coverage.json.part"):
        (path / name).write_text("half")
    with RunFolder(path, config(tmp_path)) as folder:
        assert folder.reader is None
        sampled(folder, records(2))
    assert len(list(RunReader(path).traces())) == 2


def test_a_broken_line_is_named_by_its_number(run: Path) -> None:
    file = run / "traces.jsonl"
    lines = file.read_bytes().split(b"\n")
    lines[2] = lines[2][:-20]
    file.write_bytes(b"\n".join(lines))
    with pytest.raises(RunFolderError, match=r"traces\.jsonl:3: broken line"):
        list(RunReader(run).traces())


def test_a_changed_but_readable_trace_is_noticed(run: Path) -> None:
    file = run / "traces.jsonl"
    file.write_bytes(file.read_bytes().replace(b"Which entity is number 2?", b"Which entity is number 7?"))
    with pytest.raises(RunFolderError, match="not the one that was sampled"):
        RunReader(run).trace_lines()


def test_a_cut_off_file_is_noticed(run: Path) -> None:
    file = run / "traces.jsonl"
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(RunFolderError, match=r"traces\.jsonl:4: the last line is cut off"):
        RunReader(run).trace_lines()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": 2}', b"\xff\xfe"])
def test_a_damaged_manifest_is_one_clear_line(run: Path, damage: bytes) -> None:
    (run / "manifest.json").write_bytes(damage)
    with pytest.raises(RunFolderError, match=r"manifest\.json") as caught:
        RunReader(run)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("damage", [b"this is no database" * 100, b"SQLite format 3\x00" + b"\x01" * 4000])
def test_a_corrupt_database_is_one_clear_line(tmp_path: Path, run: Path, damage: bytes) -> None:
    (run / "run.sqlite").write_bytes(damage)
    with pytest.raises(RunFolderError, match=r"run\.sqlite: the run's database cannot be used"), RunReader(run).database():
        pass
    with RunFolder(run, config(tmp_path)) as folder, pytest.raises(RunFolderError, match=r"run\.sqlite"):
        _ = folder.database
    assert (run / "run.sqlite").read_bytes() == damage


def test_a_database_of_another_format_is_refused(tmp_path: Path, run: Path) -> None:
    with RunFolder(run, config(tmp_path)) as folder:
        _ = folder.database
    connection = sqlite3.connect(run / "run.sqlite")
    connection.execute("UPDATE meta SET value = '2'")
    connection.commit()
    connection.close()
    with pytest.raises(RunFolderError, match="not of format 1"), RunReader(run).database():
        pass


def test_every_file_carries_its_format(run: Path) -> None:
    for name in ("manifest.json", "coverage.json"):
        assert json.loads((run / name).read_bytes())["format"] == 1
    assert (run / "config.yaml").read_text().startswith("format: 1\n")
    assert all(json.loads(line)["format"] == 1 for line in (run / "traces.jsonl").read_bytes().splitlines())


def test_an_instance_is_found_by_its_id_or_the_first_digits_that_only_it_has(run: Path) -> None:
    reader = RunReader(run)
    assert reader.record("sample-000000000003").id == "sample-000000000003"
    with pytest.raises(RunFolderError, match="4 instances begin with '0000'"):
        reader.record("0000")
    with pytest.raises(RunFolderError, match="no instance 'sample-9'"):
        reader.record("sample-9")
    with pytest.raises(RunFolderError, match="no instance ''"):
        reader.record("")


def test_what_is_no_run_directory_is_refused(tmp_path: Path) -> None:
    for path, what in ((tmp_path / "none", "no such run directory"), (tmp_path, "not a run directory")):
        with pytest.raises(RunFolderError, match=what):
            RunReader(path)
