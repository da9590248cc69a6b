"""Runs killed again and again: are they the same in the end, and is nothing paid twice but what was in flight?

Run with `python -m benchmarks.kill_resume [--kills 50] [--instances 40] [--concurrency 8] [--seed N] [--budget]`.
One run is left alone. Others, each with a cache of its own, get SIGKILL at points drawn from the seed, from the
sampling to the writing of the final files, some in quick succession, and are resumed by the same command until
they are done. A server in a process of its own (`benchmarks.counting_server`) remembers what it billed for.

A call is in flight from its reservation until its reply is stored. So at a kill these are in flight: the calls
that the dead process's ledger holds open, and those that it holds ended while their reply is stored nowhere. A
body that the server sees again after a kill counts to the last kill before which it had been seen. Every
reservation precedes its request, so the server cannot have seen more requests than the ledger holds.

With `--budget` each killed run has about half of its cost as budget, is killed and resumed until that is
reached, and then finished without one. Exit code 1 if a promise is broken. The processes are forked from one
that has the libraries loaded, so that kills fall into the work and not into the imports.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import NamedTuple

from benchmarks.counting_server import PRICE, TOKEN_LIMIT, CountingServer, Paid
from benchmarks.loopback_server import write_script
from runs.config_file import load_config
from runs.run_folder import RunFolder, RunReader
from runs.sampling import sample_into

QUICKSTART = Path(__file__).parents[1] / "runs" / "quickstart.yaml"
ROLES = ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter")
PHASES = ("sampling", "agents", "final files")
RESULTS = ("discarded.jsonl", "failed.jsonl", "benchmark/years-M.jsonl", "benchmark/years-S.jsonl")
KILLS_A_RUN = 6
BUDGET_LINE = "run.budget_usd: the budget of"


@dataclass
class Kill:
    """One SIGKILL."""

    phase: str
    in_flight: int
    repeated: int = 0
    """Calls in flight that were paid again."""


@dataclass
class KilledRun:
    """A run that was killed, resumed and in the end left to finish."""

    kills: list[Kill] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    """The promises that it did not keep."""
    is_identical: bool = False
    calls: int = 0
    """Calls in the ledger when it was last looked at."""
    billed: int = 0
    """Billionths of a US dollar that the server billed for."""
    paid: int = 0
    """Billionths of a US dollar that the run's own accounts say."""


class Whole(NamedTuple):
    """The run that was left alone."""

    files: dict[str, bytes]
    spans: dict[str, float]
    """Phase -> seconds."""
    billed: int
    calls: int


class Died(NamedTuple):
    """What a process left in the ledger when it died, beside what earlier ones had left."""

    calls: int
    """Calls noted."""
    opened: int
    """Calls noted as sent whose end is not."""
    unstored: int
    """Calls noted as ended whose reply is stored nowhere."""


@dataclass
class Course:
    """One config, a server that knows its instances, and a folder for runs."""

    folder: Path
    instances: int
    concurrency: int

    def __post_init__(self) -> None:
        sampling = ["dataset=years", f"sampler.target={self.instances}", "sampler.caps={seed_min: 9, seed_max: 9, skeletons_per_root: 2}"]
        with RunFolder(self.folder / "sample", load_config(QUICKSTART, sampling)) as out:
            sample_into(out, lambda line: None)
        script = write_script(RunReader(self.folder / "sample").traces(), self.folder / "script.json")
        self.server = CountingServer(script)
        model = {
            "provider": "openai", "model": "counted", "base_url": self.server.url, "price": PRICE, "token_limit": TOKEN_LIMIT,
            "concurrency": self.concurrency,
        }  # fmt: skip
        overrides = [*sampling, f"models.counted={json.dumps(model)}", f"run.concurrency={self.concurrency}"]
        self._overrides = [*overrides, *(f"agents.{role}.model=counted" for role in ROLES)]
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["runs.cli", "runs.building", "agents.model_client", "agents.model_source"])
        self._made = 0

    def __enter__(self) -> Course:
        self.server.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.__exit__(None, None, None)

    def new_run(self) -> Path:
        """A place for a run, whose cache lies beside it."""
        self._made += 1
        self.server.start_anew()
        return self.folder / f"run{self._made}"

    def start(self, path: Path, budget: float | None = None) -> ForkServerProcess:
        """A process that builds; what it says goes to a log beside the run."""
        overrides = [*self._overrides, f"cache.path={path}.cache", f"run.budget_usd={'null' if budget is None else f'{budget:.9f}'}"]
        args = ["build", str(QUICKSTART), "--out", str(path), *(part for override in overrides for part in ("--set", override))]
        process = self._context.Process(target=command, args=(args, f"{path}.log"))
        process.start()
        return process


def command(args: Sequence[str], log: str) -> None:
    """The command line, in this process, its two streams in a file."""
    from runs.cli import app

    with open(log, "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    app(list(args), prog_name="chronoqg")


def run_unbroken(course: Course) -> Whole:
    """The run that nothing befalls.

    Raises:
        SystemExit: it did not end as it should, so that nothing can be said of others.
    """
    path = course.new_run()
    process = course.start(path)
    moments = [time.perf_counter()]
    for has_come in (lambda: (path / "manifest.json").exists(), lambda: _are_results_coming(path, 0), lambda: not process.is_alive()):
        _wait(process, has_come)
        moments.append(time.perf_counter())
    process.join()
    bodies = Counter(paid.body for paid in course.server.paid())
    if max(bodies.values(), default=2) > 1:
        raise SystemExit(f"the unbroken run asked for something twice: {Path(f'{path}.log').read_text()}")
    spans = {phase: late - early for phase, early, late in zip(PHASES, moments, moments[1:], strict=False)}
    return Whole(_files(path), spans, sum(paid.nano_usd for paid in course.server.paid()), len(bodies))


def kill_and_resume(course: Course, whole: Whole, rng: random.Random, kills: int, *, has_budget: bool = False) -> KilledRun:
    """A run that is killed at most so many times, and then finished."""
    path, run, budget = course.new_run(), KilledRun(), whole.billed // 2 if has_budget else None
    while True:
        began, aim = time.time_ns(), _aim(rng, path, run, kills)
        left = max(0.1, (1 if budget is None else 0.5) - len({paid.body for paid in course.server.paid()}) / whole.calls)
        process = course.start(path, None if budget is None else budget / 1e9)
        was_killed = aim is not None and _kill(course, process, path, whole, aim, rng.random(), began, left)
        process.join()
        if budget is not None and (billed := sum(paid.nano_usd for paid in course.server.paid())) > budget:
            run.broken.append(f"{path}: the server billed {billed} of a budget of {budget}")
        if was_killed:
            course.server.note_death()
            _look_at_death(course, path, run, began)
        elif budget is not None:
            if process.exitcode != 1 or BUDGET_LINE not in Path(f"{path}.log").read_text():
                run.broken.append(f"{path}: exit code {process.exitcode} where the budget should have stopped it")
            budget = None
            course.server.note_death()
            run.kills.append(Kill("stop", 0))
        else:
            break
    _look_at_end(course, path, whole, run)
    return run


def _aim(rng: random.Random, path: Path, run: KilledRun, kills: int) -> str | None:
    """The phase in which the next kill shall fall; `None`: enough of them."""
    if sum(kill.phase in PHASES for kill in run.kills) >= kills:
        return None
    if run.kills and rng.random() < 0.25:
        return "at once"
    if (path / "manifest.json").exists():
        return rng.choice(("agents", "agents", "final files"))
    return "agents" if run.kills else rng.choice(("sampling", "agents"))


def _kill(course: Course, process: ForkServerProcess, path: Path, whole: Whole, aim: str, share: float, began: int, left: float) -> bool:
    """Kills a process in the phase at which it is aimed, after that share of what is left of it; whether it lived so long."""
    if aim == "at once":
        pause = share * 0.15
    elif aim == "sampling":
        pause = share * whole.spans["sampling"]
    elif aim == "agents":
        before = len(course.server.paid())
        _wait(process, lambda: len(course.server.paid()) > before)
        pause = share * whole.spans["agents"] * left
    else:
        _wait(process, lambda: _are_results_coming(path, began))
        pause = share * whole.spans["final files"] * 0.8  # the rest of it is the end of the process
    until = time.perf_counter() + pause
    while process.is_alive() and (rest := until - time.perf_counter()) > 0:
        time.sleep(min(rest, 0.01))
    process.kill()
    process.join()
    return process.exitcode == -9


def _wait(process: ForkServerProcess, has_come: Callable[[], bool]) -> None:
    while process.is_alive() and not has_come():
        time.sleep(0.0005)


def _are_results_coming(path: Path, since: int) -> bool:
    """Whether a final file, or one in the making, was touched after that moment (ns)."""
    for name in RESULTS:
        file = path / name
        if _is_touched(file.with_name(f".{file.name}.part"), since) or _is_touched(file, since):
            return True
    return False


def _is_touched(file: Path, since: int) -> bool:
    with contextlib.suppress(OSError):
        return file.stat().st_mtime_ns >= since
    return False


def _look_at_death(course: Course, path: Path, run: KilledRun, began: int) -> None:
    phase = PHASES[0 if not (path / "manifest.json").exists() else 2 if _are_results_coming(path, began) else 1]
    died = _read_ledger(path, run.calls)
    seen = [paid for paid in course.server.paid() if paid.session == len(run.kills)]
    run.kills.append(Kill(phase, died.opened + died.unstored))
    run.calls += died.calls
    if len(seen) > died.calls:
        run.broken.append(f"{path}: {len(seen)} requests arrived, and {died.calls} are in the ledger")
    if run.kills[-1].in_flight > course.concurrency:
        run.broken.append(f"{path}: {died} at a kill with a concurrency of {course.concurrency}")
    if (unanswered := sum(not paid.is_answered for paid in seen)) > died.opened:
        run.broken.append(f"{path}: {unanswered} requests were unanswered at a kill, {died.opened} calls open in the ledger")


def _read_ledger(path: Path, known: int) -> Died:
    """What stands in the ledger behind as many calls as are known already.

    Reads copies of the databases: to open them would repair what the resumed process must be able to repair."""
    if not (path / "run.sqlite").exists():
        return Died(0, 0, 0)
    with _copied(path / "run.sqlite") as run, _copied(Path(f"{path}.cache") / "cache.db") as cache:
        if not run.execute("SELECT 1 FROM sqlite_master WHERE name = 'ledger'").fetchone():
            return Died(0, 0, 0)
        rows = run.execute("SELECT state, request_sha256, instance_id FROM ledger WHERE state <> 'cached' ORDER BY id").fetchall()[known:]
        has_entries = cache.execute("SELECT 1 FROM sqlite_master WHERE name = 'Cache'").fetchone()
        stored = {key for (key,) in cache.execute("SELECT key FROM Cache")} if has_entries else set()
        kept = {key for (key,) in run.execute("SELECT request_sha256 FROM unusable")}
        finished = {ident for (ident,) in run.execute("SELECT instance_id FROM outcomes")}
    unstored = sum(state == "ended" and key not in stored | kept and ident not in finished for state, key, ident in rows)
    return Died(len(rows), sum(state == "open" for state, _, _ in rows), unstored)


@contextlib.contextmanager
def _copied(database: Path) -> Iterator[sqlite3.Connection]:
    with tempfile.TemporaryDirectory() as folder:
        for file in database.parent.glob(f"{database.name}*"):
            shutil.copy(file, folder)
        with contextlib.closing(sqlite3.connect(Path(folder) / database.name)) as connection:
            yield connection


def _look_at_end(course: Course, path: Path, whole: Whole, run: KilledRun) -> None:
    files = _files(path)
    run.is_identical = files == whole.files
    if not run.is_identical:
        differing = [name for name in whole.files if files.get(name) != whole.files[name]]
        run.broken.append(f"{path}: {', '.join(differing)} differ; {Path(f'{path}.log').read_text()[-500:]}")
    paid = course.server.paid()
    attribute_repeats(path, paid, run)
    run.billed = sum(one.nano_usd for one in paid)
    usage = path / "usage.json"
    run.paid = round(sum(row["usd_paid"] for row in json.loads(usage.read_bytes())["rows"]) * 1e9) if usage.exists() else 0
    with _copied(path / "run.sqlite") as connection:
        cut_off = connection.execute("SELECT TOTAL(reserved) FROM ledger WHERE state = 'open'").fetchone()[0]
    if not run.billed <= run.paid <= run.billed + cut_off:
        run.broken.append(f"{path}: billed {run.billed}, paid {run.paid}, {cut_off} of it reserved for calls cut off")


def attribute_repeats(path: Path | str, paid: Sequence[Paid], run: KilledRun) -> None:
    last: dict[str, int] = {}
    for one in paid:
        if one.body in last:
            if last[one.body] == one.session:
                run.broken.append(f"{path}: the same was paid twice without a kill between")
            else:
                run.kills[last[one.body]].repeated += 1
        last[one.body] = one.session
    for number, kill in enumerate(run.kills):
        if kill.repeated > kill.in_flight:
            run.broken.append(f"{path}: kill {number} ({kill.phase}): {kill.repeated} calls paid again, {kill.in_flight} were in flight")


def _files(path: Path) -> dict[str, bytes]:
    return {name: (path / name).read_bytes() for name in ("traces.jsonl", *RESULTS) if (path / name).exists()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", action="store_true", help="with a hard budget of half of the cost")
    options = parser.parse_args()
    rng, runs = random.Random(options.seed), list[KilledRun]()
    with tempfile.TemporaryDirectory(prefix="chronoqg-") as folder, Course(Path(folder), options.instances, options.concurrency) as course:
        whole = run_unbroken(course)
        while (left := options.kills - len(kills_of(runs))) > 0:
            runs.append(kill_and_resume(course, whole, rng, min(left, KILLS_A_RUN), has_budget=options.budget))
            print(f"{len(kills_of(runs))} of {options.kills} kills", file=sys.stderr, flush=True)
    _print(whole, runs, options.concurrency, has_budget=options.budget)
    sys.exit(1 if any(run.broken for run in runs) else 0)


def kills_of(runs: Sequence[KilledRun]) -> list[Kill]:
    """The kills of several runs; a stop by the budget is none."""
    return [kill for run in runs for kill in run.kills if kill.phase in PHASES]


def _print(whole: Whole, runs: Sequence[KilledRun], concurrency: int, *, has_budget: bool) -> None:
    lines = {name: len(content.splitlines()) for name, content in whole.files.items()}
    print(", ".join(f"{count} in {name}" for name, count in lines.items()))
    print(f"\n| {'killed in':12} | kills | in flight | most | paid again | most |\n| --- | --- | --- | --- | --- | --- |")
    for phase in (*PHASES, "all"):
        kills = [kill for kill in kills_of(runs) if phase in (kill.phase, "all")]
        flown, again = [kill.in_flight for kill in kills], [kill.repeated for kill in kills]
        print(f"| {phase:12} | {len(kills)} | {sum(flown)} | {max(flown, default=0)} | {sum(again)} | {max(again, default=0)} |")
    same = sum(run.is_identical for run in runs)
    print(f"\nin flight at most, by the concurrency: {concurrency}")
    print(f"runs killed, resumed and finished: {len(runs)}; final files identical to the unbroken run's: {same} of {len(runs)}")
    print(f"billed by the server for the unbroken run: {whole.billed / 1e9:.6f} USD{'; budget half of it' if has_budget else ''}")
    billed, paid = (sum(getattr(run, name) for run in runs) / 1e9 for name in ("billed", "paid"))
    print(f"billed for the killed runs: {billed:.6f} USD; by their own accounts: {paid:.6f} USD")
    for run in runs:
        for line in run.broken:
            print(f"BROKEN: {line}")


if __name__ == "__main__":
    main()
