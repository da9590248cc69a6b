"""Runs that are killed at any moment, and two processes on one run directory."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.counting_server import Paid
from benchmarks.kill_resume import Course, Kill, KilledRun, attribute_repeats, kill_and_resume, kills_of, run_unbroken
from tests.command_line import SMALL, here, refused
from tests.run_directory import result_files
from tests.runs.test_resume import run_until, start

KILLS = 6


@pytest.fixture
def course(tmp_path: Path) -> Iterator[Course]:
    with Course(tmp_path, instances=20, concurrency=8) as course:
        yield course


@pytest.mark.slow
@pytest.mark.parametrize("has_budget", [False, True])
def test_killed_runs_end_as_an_unbroken_one_and_pay_again_only_for_what_was_in_flight(course: Course, has_budget: bool) -> None:
    whole, rng, runs = run_unbroken(course), random.Random(2), list[KilledRun]()
    assert len(whole.files) == 5
    assert all(whole.files.values()), "every kind of end is there"
    while len(kills_of(runs)) < KILLS:
        runs.append(kill_and_resume(course, whole, rng, KILLS - len(kills_of(runs)), has_budget=has_budget))
    assert [line for run in runs for line in run.broken] == []
    assert all(run.is_identical for run in runs)


def test_a_call_that_is_paid_again_counts_to_the_kill_that_cut_it_off() -> None:
    def paid(session: int, body: str) -> Paid:
        return Paid(session, body, 1, True)

    run = KilledRun(kills=[Kill("agents", 2), Kill("agents", 0), Kill("agents", 1)])
    attribute_repeats("run", [paid(0, "a"), paid(0, "b"), paid(1, "b"), paid(2, "a"), paid(2, "c"), paid(3, "c")], run)
    assert [kill.repeated for kill in run.kills] == [2, 0, 1]
    assert run.broken == []
    attribute_repeats("run", [paid(1, "a"), paid(2, "a"), paid(3, "d"), paid(3, "d")], run)
    assert [line.partition(": ")[2] for line in run.broken] == [
        "the same was paid twice without a kill between",
        "kill 1 (agents): 1 calls paid again, 0 were in flight",
    ]


@pytest.mark.slow
def test_a_second_process_is_refused_in_one_line_and_the_first_goes_on_unharmed(sample_copy: Path, build_dir: Path) -> None:
    first = start(sample_copy)
    run_until(first, sample_copy, 5)
    before = {file: file.read_bytes() for file in sample_copy.rglob("*") if file.is_file()}
    command = ("build", *SMALL, "--out", str(sample_copy))
    assert refused(*command) == f"error: {sample_copy}: another process is working in this run directory. Wait for it to end."
    assert refused(*command, "--retry-failed").endswith("another process is working in this run directory. Wait for it to end.")
    assert {file: file.read_bytes() for file in sample_copy.rglob("*") if file.is_file()} == before
    first.send_signal(signal.SIGCONT)
    _, err = first.communicate(timeout=60)
    assert first.returncode == 0, err
    assert result_files(sample_copy) == result_files(build_dir)
    assert "was finished before; nothing to do" in here(*command).stderr
