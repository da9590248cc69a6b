"""One config over many instances: resume, limits, retries, duplicates, and bytes that do not depend on the way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.workflow import InstanceResult
from runs.engine import is_finished, run_pending
from runs.run_folder import RunFolder, RunReader
from state.errors import ModelCallError, RunFolderError
from state.instance import BenchmarkRecord, DiscardedRecord, FailedRecord
from state.vocabulary import Status
from tests.run_directory import ScriptedAgents, accepted, config, failed, mixed, records, result_files, sampled

COUNT = 30


class SlowAt(ScriptedAgents):
    """Agents that take long over one instance."""

    def __init__(self, number: int, script: Callable[[BenchmarkRecord, int], InstanceResult]) -> None:
        super().__init__(script)
        self.slow = number

    async def __call__(self, record: BenchmarkRecord) -> InstanceResult:
        if int(record.id.rpartition("-")[2], 16) == self.slow:
            while len(self.asked) < 2 * self.slow + 2:
                await asyncio.sleep(0)
        return await super().__call__(record)


def build(tmp_path: Path, name: str, agents: ScriptedAgents, *overrides: str, retry_failed: bool = False, count: int = COUNT) -> Path:
    """One call of the engine in a directory that may be old or new."""
    with RunFolder(tmp_path / name, config(tmp_path, *overrides)) as folder:
        if folder.reader is None:
            sampled(folder, records(count))
        if not is_finished(folder, retry_failed=retry_failed):
            run_pending(folder, agents.agents, retry_failed=retry_failed)
    return tmp_path / name


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_every_instance_ends_in_exactly_one_file_sorted_by_id(tmp_path: Path) -> None:
    path = build(tmp_path, "run", ScriptedAgents(mixed))
    files = (*sorted(path.glob("benchmark/*")), path / "discarded.jsonl", path / "failed.jsonl")
    ids = [[line["id"] for line in lines(file)] for file in files]
    assert all(group == sorted(group) for group in ids)
    assert sorted(ident for group in ids for ident in group) == [record.id for record in records(COUNT)]
    counts = RunReader(path).manifest.counts
    assert counts is not None
    assert (counts.accepted, counts.discarded, counts.failed) == (15, {"duplicate question": 5, "failed verification": 5}, 5)


def test_the_lines_are_the_records_with_what_became_of_them(tmp_path: Path) -> None:
    path = build(tmp_path, "run", ScriptedAgents(mixed))
    benchmark = BenchmarkRecord.model_validate_json((path / "benchmark/sample-M.jsonl").read_bytes().split(b"\n")[0])
    assert benchmark.final_question == "Who is number 1?"
    assert benchmark.backend is not None
    assert (benchmark.backend.rewriter, benchmark.backend.verifier) == ("offline-rules", "offline-rules")
    thrown = [DiscardedRecord.model_validate_json(line) for line in (path / "discarded.jsonl").read_bytes().split(b"\n")[:-1]]
    details = {record.id[-2:]: record.detail for record in thrown}
    assert details["02"] == "question 2 | the verifier named nobody"
    assert details["05"] == "Who is number 4? | the question of sample-000000000004"
    assert {record.final_question for record in thrown} == {None}
    lost = FailedRecord.model_validate_json((path / "failed.jsonl").read_bytes().split(b"\n")[0])
    assert (lost.detail, lost.reason) == ("rewriter: empty reply", "agent error")
    assert (path / "benchmark/sample-S.jsonl").read_bytes() == b""


@pytest.mark.parametrize("concurrency", [2, 8, 64, 1_000_000_000])
def test_the_files_are_the_same_bytes_whatever_the_concurrency(tmp_path: Path, concurrency: int) -> None:
    one = build(tmp_path, "one", ScriptedAgents(mixed), "run.concurrency=1")
    many = build(tmp_path, "many", ScriptedAgents(mixed), f"run.concurrency={concurrency}")
    assert result_files(one) == result_files(many)


@pytest.mark.parametrize("stop_at", [1, 7, 29])
def test_a_stopped_run_is_continued_and_finished_instances_are_not_redone(tmp_path: Path, stop_at: int) -> None:
    def stopping(record: BenchmarkRecord, number: int) -> InstanceResult:
        if len(first.asked) > stop_at:
            raise KeyboardInterrupt
        return mixed(record, number)

    first, second = ScriptedAgents(stopping), ScriptedAgents(mixed)
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path, "run", first, "run.concurrency=3")
    assert not (tmp_path / "run" / "benchmark").exists()
    assert first.closed == 1
    with RunReader(tmp_path / "run").database() as database:
        done = set(database.finished())
    build(tmp_path, "run", second)
    assert sorted(second.asked) == sorted({record.id for record in records(COUNT)} - done)
    assert result_files(tmp_path / "run") == result_files(build(tmp_path, "whole", ScriptedAgents(mixed)))


def test_a_limit_takes_the_first_ids_and_a_larger_one_continues(tmp_path: Path) -> None:
    few, more, rest = (ScriptedAgents(mixed) for _ in range(3))
    path = build(tmp_path, "run", few, "run.limit=10")
    assert sorted(few.asked) == [record.id for record in records(10)]
    assert RunReader(path).manifest.taken == 10
    build(tmp_path, "run", more, "run.limit=14")
    assert sorted(more.asked) == [record.id for record in records(14)[10:]]
    build(tmp_path, "run", rest)
    assert len(rest.asked) == COUNT - 14
    assert result_files(path) == result_files(build(tmp_path, "whole", ScriptedAgents(mixed)))


def test_a_smaller_limit_takes_nothing_away(tmp_path: Path) -> None:
    path = build(tmp_path, "run", ScriptedAgents(mixed), "run.limit=10")
    before, again = result_files(path), ScriptedAgents(mixed)
    build(tmp_path, "run", again, "run.limit=4")
    assert (again.asked, result_files(path)) == ([], before)


def test_a_smaller_limit_after_a_stopped_run_finishes_what_it_takes(tmp_path: Path) -> None:
    def stopping(record: BenchmarkRecord, number: int) -> InstanceResult:
        if number == 3:
            raise ModelCallError("the server refuses the key")
        return mixed(record, number)

    # One worker is slow at the third instance while the others go on behind it.
    with pytest.raises(ModelCallError):
        build(tmp_path, "run", SlowAt(3, stopping), "run.concurrency=4")
    rest = ScriptedAgents(mixed)
    path = build(tmp_path, "run", rest, "run.limit=5")
    assert rest.asked == ["sample-000000000003"]
    assert result_files(path) == result_files(build(tmp_path, "whole", ScriptedAgents(mixed), "run.limit=5"))


def test_traces_changed_while_the_agents_work_stop_the_run_and_leave_no_final_file(tmp_path: Path) -> None:
    file = tmp_path / "run" / "traces.jsonl"

    def meddling(record: BenchmarkRecord, number: int) -> InstanceResult:
        if number == COUNT:
            file.write_bytes(file.read_bytes().replace(b"Which entity is number 2?", b"Which entity was number 2?"))
        return mixed(record, number)

    with pytest.raises(RunFolderError, match="not the one that was sampled"):
        build(tmp_path, "run", ScriptedAgents(meddling), "run.concurrency=1")
    left = {str(path.relative_to(tmp_path / "run")) for path in (tmp_path / "run").rglob("*") if path.is_file()}
    assert left <= {".lock", "config.yaml", "coverage.json", "manifest.json", "traces.jsonl", "run.sqlite"}
    file.write_bytes(file.read_bytes().replace(b"Which entity was number 2?", b"Which entity is number 2?"))
    again = ScriptedAgents(mixed)
    build(tmp_path, "run", again)
    assert again.asked == []
    assert result_files(tmp_path / "run") == result_files(build(tmp_path, "whole", ScriptedAgents(mixed)))


def test_failed_instances_are_redone_only_when_asked_for(tmp_path: Path) -> None:
    def better(record: BenchmarkRecord, number: int) -> InstanceResult:
        return accepted(record, f"Who is number {number}?") if number % 6 == 3 else mixed(record, number)

    path = build(tmp_path, "run", ScriptedAgents(mixed))
    same, again = ScriptedAgents(better), ScriptedAgents(better)
    build(tmp_path, "run", same)
    assert same.asked == []
    build(tmp_path, "run", again, retry_failed=True)
    assert sorted(again.asked) == [record.id for record in records(COUNT) if int(record.id[-12:], 16) % 6 == 3]
    assert result_files(path) == result_files(build(tmp_path, "whole", ScriptedAgents(better)))


def test_usage_counts_what_was_paid_and_saved_and_keeps_what_failures_cost(tmp_path: Path) -> None:
    path = build(tmp_path, "run", ScriptedAgents(lambda record, number: failed(record, "no")), count=2)
    build(tmp_path, "run", ScriptedAgents(lambda record, number: accepted(record, f"Who is {number}?")), count=2, retry_failed=True)
    rows = {row["role"]: row for row in json.loads((path / "usage.json").read_bytes())["rows"]}
    assert rows["rewriter"] == {
        "role": "rewriter", "model": "m", "calls": 4, "cached_calls": 0, "open_calls": 0, "input": 40, "cached_input": 0,
        "output": 8, "reasoning": 0,
        "usd_paid": 2.0, "usd_saved": 0.0,
    }  # fmt: skip
    assert (rows["verifier"]["cached_calls"], rows["verifier"]["usd_paid"], rows["verifier"]["usd_saved"]) == (2, 0.0, 1.0)


def test_an_error_in_the_program_fails_its_instance_and_stops_nothing(tmp_path: Path) -> None:
    def broken(record: BenchmarkRecord, number: int) -> InstanceResult:
        if number == 4:
            raise RuntimeError("sk-test-DO-NOT-LEAK")
        return accepted(record, f"Who is number {number}?")

    path = build(tmp_path, "run", ScriptedAgents(broken))
    lost = [FailedRecord.model_validate_json(line) for line in (path / "failed.jsonl").read_bytes().split(b"\n")[:-1]]
    assert [record.id for record in lost] == ["sample-000000000004"]
    assert lost[0].detail.startswith("unexpected RuntimeError in test_engine.py:")
    assert not any(b"DO-NOT-LEAK" in file.read_bytes() for file in path.rglob("*") if file.is_file())


def test_an_error_that_the_user_must_mend_stops_the_run_and_keeps_what_is_done(tmp_path: Path) -> None:
    def offline(record: BenchmarkRecord, number: int) -> InstanceResult:
        if number == 20:
            raise ModelCallError("the server refuses the key")
        return mixed(record, number)

    with pytest.raises(ModelCallError):
        build(tmp_path, "run", ScriptedAgents(offline), "run.concurrency=1")
    with RunReader(tmp_path / "run").database() as database:
        assert len(database.finished()) == 19
    build(tmp_path, "run", ScriptedAgents(mixed))
    assert result_files(tmp_path / "run") == result_files(build(tmp_path, "whole", ScriptedAgents(mixed)))


def test_one_text_is_never_exported_under_two_ids(tmp_path: Path) -> None:
    texts = {1: "Who came first?", 3: "who  came\u00a0FIRST?"}

    def repeating(record: BenchmarkRecord, number: int) -> InstanceResult:
        return failed(record, "no reply") if number == 2 else accepted(record, texts[number])

    path = build(tmp_path, "run", ScriptedAgents(repeating), count=3)
    assert [line["id"] for line in lines(path / "benchmark/sample-M.jsonl")] == ["sample-000000000001"]
    assert [(line["id"], line["reason"]) for line in lines(path / "discarded.jsonl")] == [("sample-000000000003", "duplicate question")]
    with RunReader(path).database() as database:
        assert database.duplicate_of("sample-000000000003") == "sample-000000000001"
        assert database.outcome("sample-000000000003").status is Status.ACCEPTED


def test_a_missing_final_file_is_written_again(tmp_path: Path) -> None:
    path = build(tmp_path, "run", ScriptedAgents(mixed))
    before, again = result_files(path), ScriptedAgents(mixed)
    (path / "discarded.jsonl").unlink()
    build(tmp_path, "run", again)
    assert (again.asked, result_files(path)) == ([], before)


def test_the_trajectory_reads_back_as_it_was(tmp_path: Path) -> None:
    path = build(tmp_path, "run", ScriptedAgents(mixed), count=1)
    with RunReader(path).database() as database:
        stored = database.trajectory("sample-000000000001")
    assert stored.visits == accepted(records(1)[0], "Who is number 1?").visits
