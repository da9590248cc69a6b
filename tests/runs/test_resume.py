"""A run that is killed, stopped, limited or overlapped ends in the same bytes as one that never was."""

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from agents.workflow import InstanceResult
from runs.engine import is_finished, run_pending
from runs.run_folder import RunFolder, RunReader
from state.instance import BenchmarkRecord
from state.vocabulary import Status
from tests.command_line import COMMAND, ROOT, SMALL, chronoqg, environment, here
from tests.run_directory import ScriptedAgents, accepted, config, failed, records, result_files, sampled


def start(path: Path, *args: str) -> subprocess.Popen[str]:
    command = [*COMMAND, "build", *SMALL, "--out", str(path), *args]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_with_ctrl_c,
    )


def _with_ctrl_c() -> None:
    """A suite that a shell runs in the background is deaf to Ctrl-C, and so would its children be."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def finished(path: Path) -> int:
    """Instances with an outcome, read while another process may write."""
    if not (path / "run.sqlite").exists():
        return 0
    connection = sqlite3.connect(f"{(path / 'run.sqlite').as_uri()}?mode=ro", uri=True)
    try:
        return int(connection.execute("SELECT COUNT(*) FROM outcomes").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def run_until(process: subprocess.Popen[str], path: Path, count: int) -> None:
    """Lets a process run in short slices until that many instances are finished, and leaves it stopped."""
    while finished(path) < count and process.poll() is None:
        if (path / "run.sqlite").exists():
            process.send_signal(signal.SIGCONT)
            time.sleep(0.004)
            process.send_signal(signal.SIGSTOP)
        else:
            time.sleep(0.01)


@pytest.mark.slow
def test_a_run_killed_at_three_points_ends_in_the_bytes_of_an_unbroken_one(sample_copy: Path, build_dir: Path) -> None:
    total = RunReader(sample_copy).manifest.traces.count
    points = sorted(random.Random(20).sample(range(1, total - 8), 3))
    before = 0
    for point in points:
        process = start(sample_copy)
        run_until(process, sample_copy, point)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "the run ended before it could be killed"
        assert before <= finished(sample_copy) < total
        assert not (sample_copy / "benchmark").exists()
        before = finished(sample_copy)
    assert here("build", *SMALL, "--out", str(sample_copy)).returncode == 0
    assert result_files(sample_copy) == result_files(build_dir)


def test_ctrl_c_stops_cleanly_and_the_same_command_continues(sample_copy: Path, build_dir: Path) -> None:
    total = RunReader(sample_copy).manifest.traces.count
    process = start(sample_copy)
    run_until(process, sample_copy, 5)
    assert finished(sample_copy) < total, "the run ended before it could be stopped"
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    assert "the same command continues" in err
    assert not (sample_copy / "run.sqlite-wal").exists()
    assert 5 <= finished(sample_copy) < total
    assert here("build", *SMALL, "--out", str(sample_copy)).returncode == 0
    assert result_files(sample_copy) == result_files(build_dir)


@pytest.mark.slow
def test_concurrency_does_not_show_in_the_files(sample_copy: Path, build_dir: Path) -> None:
    done = here("build", *SMALL, "--out", str(sample_copy), "--set", "run.concurrency=1")
    assert done.returncode == 0, done.stderr
    assert result_files(sample_copy) == result_files(build_dir)


@pytest.mark.slow
def test_a_limit_and_then_a_larger_one_give_the_same_files(sample_copy: Path, build_dir: Path) -> None:
    for limit, taken in (("7", 7), ("20", 20), ("1000", 48)):
        done = here("build", *SMALL, "--out", str(sample_copy), "--limit", limit)
        assert done.returncode == 0, done.stderr
        assert RunReader(sample_copy).manifest.taken == taken
    assert result_files(sample_copy) == result_files(build_dir)


@pytest.mark.slow
def test_a_run_repeated_from_its_folder_alone_with_another_hash_seed_gives_the_same_bytes(build_dir: Path, tmp_path: Path) -> None:
    shutil.copy(build_dir / "config.yaml", tmp_path / "again.yaml")
    done = chronoqg("build", str(tmp_path / "again.yaml"), "--out", str(tmp_path / "run"), PYTHONHASHSEED="1")
    assert done.returncode == 0, done.stderr
    assert result_files(tmp_path / "run") == result_files(build_dir)


def test_a_finished_run_says_so_and_changes_nothing(build_copy: Path) -> None:
    before = {path: path.read_bytes() for path in build_copy.rglob("*") if path.is_file()}
    done = here("build", *SMALL, "--out", str(build_copy))
    assert done.returncode == 0
    assert "was finished before; nothing to do" in done.stderr
    assert {path: path.read_bytes() for path in build_copy.rglob("*") if path.is_file()} == before


def test_a_finished_run_killed_while_it_retries_its_failures_is_not_taken_for_finished(tmp_path: Path) -> None:
    def bad(record: BenchmarkRecord, number: int) -> InstanceResult:
        return failed(record, "no reply") if number % 2 else accepted(record, f"Who is number {number}?")

    def mended(record: BenchmarkRecord, number: int) -> InstanceResult:
        if number == 7 and not (tmp_path / "killed").exists():  # what a kill at this moment would leave on the disk
            shutil.copytree(tmp_path / "run", tmp_path / "killed")
        return accepted(record, f"Who is number {number}?")

    def build(name: str, agents: ScriptedAgents, *, retry_failed: bool = False) -> None:
        with RunFolder(tmp_path / name, config(tmp_path, "run.concurrency=1")) as folder:
            if folder.reader is None:
                sampled(folder, records(10))
            if not is_finished(folder, retry_failed=retry_failed):
                run_pending(folder, agents.agents, retry_failed=retry_failed)

    build("run", ScriptedAgents(bad))
    build("run", ScriptedAgents(mended), retry_failed=True)
    killed, again = RunReader(tmp_path / "killed"), ScriptedAgents(mended)
    with killed.database() as database:
        statuses = database.finished()
    assert [ident[-1] for ident, status in statuses.items() if status is Status.FAILED] == ["7", "9"]
    assert (killed.manifest.taken, killed.manifest.counts) == (10, None)
    build("killed", again)
    assert again.asked == []
    lost = (tmp_path / "killed" / "failed.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["id"][-1] for line in lost] == ["7", "9"]
    build("killed", again, retry_failed=True)
    assert [ident[-1] for ident in again.asked] == ["7", "9"]
    assert result_files(tmp_path / "killed") == result_files(tmp_path / "run")
