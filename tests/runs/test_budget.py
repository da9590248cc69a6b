"""Whole runs that cost money, over a server that counts: the cap holds, nothing is paid twice, every number adds up."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from runs.run_folder import RunReader
from tests.command_line import SMALL, here
from tests.fake_openai_server import FakeServer, Reply, failure
from tests.known_model import ROLES, KnowsAll
from tests.run_directory import result_files

INSTANCES = 16
LIMIT = 60
Change = Callable[[Reply, int], Reply]
"""What becomes of a reply, and the how manieth it is, counted from 1."""


class Till:
    """A server that says how much it charges, most of what it may, and adds up."""

    def __init__(self, replies: Callable[[dict[str, Any]], Reply], folder: Path) -> None:
        self._replies = replies
        self.folder = folder
        self.server = FakeServer(self._answer)
        self.change: Change = lambda reply, number: reply
        self.bills: list[int] = []
        """Billionths of a US dollar for each request."""

    def _answer(self, body: dict[str, Any]) -> Reply:
        read = sum(len(message["content"]) for message in body["messages"]) * 9 // 10
        written = LIMIT - len(self.bills) % 20
        self.bills.append(1000 * read + 2000 * written)
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        return self.change(replace(self._replies(body), usage=usage), len(self.bills))

    @property
    def bodies(self) -> Counter[str]:
        """How often each request came."""
        return Counter(json.dumps(seen.body) for seen in self.server.seen)

    def forget(self) -> None:
        """Starts counting anew."""
        self.bills.clear()
        self.server.seen.clear()

    def build(self, name: str, *more: str, cache: str = "cache", model: dict[str, Any] | None = None) -> CompletedProcess[str]:
        """Builds into a run directory of the test's own; `more` are overrides."""
        entry = {
            "provider": "openai", "model": "gpt-test", "base_url": self.server.url, "token_limit": LIMIT,
            "price": {"input": 1, "output": 2}, **(model or {}),
        }  # fmt: skip
        overrides = [f"models.gpt={json.dumps(entry)}", f"cache.path={self.folder / cache}", f"run.limit={INSTANCES}", *more]
        overrides += [f"agents.{role}.model=gpt" for role in ROLES]
        return here("build", *SMALL, *(part for one in overrides for part in ("--set", one)), "--out", str(self.folder / name))

    def rows(self, name: str) -> list[dict[str, Any]]:
        """The rows of a run's `usage.json`."""
        rows: list[dict[str, Any]] = json.loads((self.folder / name / "usage.json").read_bytes())["rows"]
        return rows

    def paid(self, name: str) -> int:
        """Billionths of a US dollar that a run says it paid."""
        return round(sum(float(row["usd_paid"]) for row in self.rows(name)) * 1e9)

    def ledger(self, name: str) -> list[tuple[int, int]]:
        """Reserved and spent of each call of a run, in order."""
        with closing(sqlite3.connect(self.folder / name / "run.sqlite")) as connection:
            return connection.execute("SELECT reserved, spent FROM ledger WHERE state = 'ended' ORDER BY id").fetchall()


@pytest.fixture
def till(build_dir: Path, tmp_path: Path) -> Iterator[Till]:
    knows_all = KnowsAll(build_dir)
    del knows_all.known[INSTANCES:]
    till = Till(knows_all, tmp_path)
    with till.server:
        yield till


def error_line(done: CompletedProcess[str], code: int) -> str:
    """The one line with which a run stops."""
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return lines[0]


def test_a_run_stops_before_its_cap_and_goes_on_to_the_same_bytes_once_it_is_raised(till: Till) -> None:
    assert till.build("whole", cache="other").returncode == 0
    cost, calls = sum(till.bills), till.bodies
    assert max(calls.values()) == 1
    till.forget()
    budget = 0.7 * cost / 1e9
    run = till.folder / "run"
    for _ in range(2):  # the second has nothing left to spend and says so too
        done = till.build("run", f"run.budget_usd={budget:.9f}")
        assert error_line(done, 1).startswith("error: run.budget_usd: the budget of ")
        assert "raise the budget and run the same command" in error_line(done, 1)
        assert cost / 3 < sum(till.bills) <= budget * 1e9
    with RunReader(run).database() as database:
        assert database.spent() == sum(till.bills)
        assert f"{len(database.finished())} of {INSTANCES} instances are done" in done.stderr
        assert 0 < len(database.finished()) < INSTANCES
    assert not (run / "benchmark").exists()
    assert till.build("run", f"run.budget_usd={1.5 * cost / 1e9:.9f}").returncode == 0
    assert till.bodies == calls
    assert result_files(run) == result_files(till.folder / "whole")
    assert till.paid("run") == sum(till.bills) == cost


@pytest.mark.slow
@pytest.mark.parametrize("over", ["completion_tokens", "prompt_tokens"])
def test_a_server_that_charges_more_than_it_may_stops_a_run_with_a_budget_and_no_other(till: Till, over: str) -> None:
    def greedy(reply: Reply, number: int) -> Reply:
        assert reply.usage is not None
        return replace(reply, usage={**reply.usage, over: 100_000, "total_tokens": 0}) if number == 3 else reply

    till.change = greedy
    line = error_line(till.build("run", "run.budget_usd=100"), 2)
    assert line.startswith("error: models.gpt: ")
    assert "100000" in line
    assert "No budget can be kept with such a server: set run.budget_usd to null, or name another model." in line
    if over == "completion_tokens":
        till.forget()
        done = till.build("free", "run.limit=4", cache="other")
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_what_was_paid_and_what_was_saved_stand_apart_in_file_and_table(till: Till) -> None:
    done = till.build("one")
    bill, calls = sum(till.bills), len(till.bills)
    assert till.paid("one") == bill
    assert sum(row["calls"] for row in till.rows("one")) == calls
    assert all((row["model"], row["cached_calls"], row["usd_saved"]) == ("gpt-test", 0, 0) for row in till.rows("one"))
    again = till.build("two", "run.budget_usd=0.000000001")
    assert again.returncode == 0, "a run whose replies are all there needs no money"
    assert len(till.bills) == calls
    assert sum(row["cached_calls"] for row in till.rows("two")) == calls
    assert [row["input"] for row in till.rows("two")] == [0] * len(till.rows("two"))
    assert till.paid("two") == 0
    assert sum(row["usd_saved"] for row in till.rows("two")) == pytest.approx(bill / 1e9)
    for name, said in (("one", done), ("two", again)):
        table = {line.split()[0]: line.split()[1:] for line in said.stdout.splitlines() if "gpt-test" in line}
        assert table == {
            row["role"]: [
                "gpt-test", *(str(row[key]) for key in ("calls", "cached_calls", "input", "output")),
                f"{row['usd_paid']:.4f}", f"{row['usd_saved']:.4f}",
            ]
            for row in till.rows(name)
        }  # fmt: skip
        assert {"rewriter", "verifier"} <= table.keys()
    assert f"spent      {bill / 1e9:.4f} USD in {calls} calls, 0 of them from the cache" in done.stdout
    assert f"spent      0.0000 USD in {calls} calls, {calls} of them from the cache" in again.stdout


@pytest.mark.slow
def test_a_call_that_timed_out_counts_with_the_most_it_can_have_cost(till: Till) -> None:
    till.change = lambda reply, number: replace(reply, delay_s=6) if number == 1 else reply
    done = till.build("run", "run.concurrency=1", "run.limit=2", model={"timeout_s": 3})
    assert done.returncode == 0, done.stderr
    lost, *others = till.ledger("run")
    assert lost[0] == lost[1] > till.bills[0]
    assert [spent for _, spent in others] == till.bills[1:]
    assert till.paid("run") == lost[0] + sum(till.bills[1:])


@pytest.mark.slow
def test_calls_whose_usage_the_server_does_not_report_count_as_reserved(till: Till) -> None:
    till.change = lambda reply, number: replace(reply, usage=None)
    assert till.build("run").returncode == 0
    ledger = till.ledger("run")
    assert all(reserved == spent > bill for (reserved, spent), bill in zip(sorted(ledger), sorted(till.bills), strict=True))
    assert till.paid("run") == sum(reserved for reserved, _ in ledger)
    till.forget()
    budget = sum(reserved for reserved, _ in ledger) // 2
    assert "run.budget_usd" in error_line(till.build("less", f"run.budget_usd={budget / 1e9:.9f}", cache="other"), 1)
    assert sum(reserved for reserved, _ in till.ledger("less")) <= budget


def test_a_reply_that_no_role_can_use_is_not_paid_for_again_when_the_run_was_cut_off(till: Till) -> None:
    def once(reply: Reply, number: int) -> Reply:
        return replace(reply, content="I would rather not say.") if number == 1 else failure(401, "no") if number == 2 else reply

    till.change = once
    assert "the server refuses the key" in error_line(till.build("run", "run.concurrency=1", "run.limit=1"), 2)
    assert till.build("run", "run.concurrency=1", "run.limit=1").returncode == 0
    counts = [count for _, count in sorted(till.bodies.items(), key=lambda item: len(item[0]))]
    first, second = (json.dumps(seen.body) for seen in till.server.seen[:2])
    assert (till.bodies[first], till.bodies[second]) == (1, 2)
    assert sum(counts) == len(till.bills) == 4, "an unusable reply, a refused key, a question, its verification"
    with RunReader(till.folder / "run").database() as database:
        (ident,) = database.finished()
        tries = database.trajectory(ident).visits[0].tries
    assert [(a_try.reply_raw is None, a_try.error is None) for a_try in tries] == [(False, False), (False, True)]
    rows = till.rows("run")
    assert sum(row["calls"] for row in rows) == 4
    assert sum(row["cached_calls"] for row in rows) == 0


@pytest.mark.slow
def test_a_refused_request_costs_nothing_and_a_reply_that_nobody_can_read_all_that_was_reserved(till: Till) -> None:
    faults = {1: failure(400, "no such thing"), 3: Reply(body="[" * 200_000)}
    till.change = lambda reply, number: faults.get(number, reply)
    assert till.build("run", "run.concurrency=1", "run.limit=3").returncode == 1
    (_, refused), _, (reserved, unread), *others = till.ledger("run")
    assert (refused, unread) == (0, reserved)
    assert [spent for _, spent in others] == till.bills[3:]
    assert all(row["open_calls"] == 0 for row in till.rows("run"))
