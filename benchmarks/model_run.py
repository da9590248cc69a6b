"""Instances a second with a model behind a server, side by side with the build that one would write first.

Run with `python -m benchmarks.model_run [--instances N] [--rounds N] [--latency-ms N] [--profile]`. A server
on loopback, in a process of its own, leads each instance through five model calls to acceptance
(`benchmarks.loopback_server`); `benchmarks.obvious_build` and `build_run` take the same instances from it
in turns, and the best of each counts. Timed is all of `build_run` on a run directory that has been sampled:
setting up, every call, trajectories, cache and ledger, and the final files. The obvious build gets its
instances as parsed JSON and writes nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import gc
import io
import json
import os
import pstats
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from benchmarks.loopback_server import CALLS_PER_INSTANCE, LoopbackServer, Stats, write_script
from benchmarks.obvious_build import CHECKPOINTS, Item, has_checkpoints, run_obvious
from runs.building import build_run
from runs.config_file import LoadedConfig, load_config
from runs.replaying_all import replay_run
from runs.run_folder import RunFolder, RunReader
from runs.sampling import sample_into
from runs.terminal import say

QUICKSTART = Path(__file__).parents[1] / "runs" / "quickstart.yaml"
ROLES = ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter")
CONCURRENCY = 32

Result = TypeVar("Result")


class Speed(NamedTuple):
    """Instances a second of wall-clock time, and a second of CPU time."""

    wall: float
    cpu: float


@dataclass
class Bench:
    """A sampled run, and the ways to take its instances."""

    folder: Path
    instances: int
    overrides: Sequence[str] = ()
    """More `key.path=value` of the config, for a test."""
    best: dict[str, Speed] = field(default_factory=dict)
    """Name of a way -> its best round."""
    _made: int = 0

    def __post_init__(self) -> None:
        with RunFolder(self.folder / "sample", self.config("http://127.0.0.1:9/v1")) as folder:
            sample_into(folder, say)
        reader = RunReader(self.folder / "sample")
        self.items: list[Item] = [json.loads(line) for line in islice(reader.trace_lines(), self.instances)]
        self.instances = len(self.items)
        self.script = write_script(islice(reader.traces(), self.instances), self.folder / "script.json")

    def config(self, url: str, *, is_priced: bool = True, cache: str = "cache") -> LoadedConfig:
        """The quickstart's config with every role played by the server's model."""
        model: dict[str, Any] = {"provider": "openai", "model": "loopback", "base_url": url, "concurrency": CONCURRENCY}
        if is_priced:
            model["price"] = {"input": 0.25, "cached_input": 0.025, "output": 2}
        overrides = {f"agents.{role}.model": "loopback" for role in ROLES} | {
            "models.loopback": json.dumps(model),
            "sampler.target": str(max(self.instances, 48)),
            "cache.path": str(self.folder / cache),
            "run.concurrency": str(CONCURRENCY),
            "run.limit": str(self.instances),
        }
        return load_config(QUICKSTART, [*(f"{key}={value}" for key, value in overrides.items()), *self.overrides])

    def sampled(self, loaded: LoadedConfig) -> Path:
        """A new run directory with the traces in it, and none of the work done."""
        sample = RunReader(self.folder / "sample")
        self._made += 1
        path = self.folder / f"run{self._made}"
        with RunFolder(path, loaded) as folder:
            folder.write_sample(list(sample.trace_lines()), sample.coverage(), sample.manifest.graph)
        return path

    def build(self, name: str, loaded: LoadedConfig, cached: int = 0) -> Path:
        """One round of ours; `cached` is how many of its calls must come from the cache."""
        path = self.sampled(loaded)
        with _quiet():
            report = self.time(name, lambda: build_run(path, loaded))
        calls = sum(row.calls for row in report.usage), sum(row.cached_calls for row in report.usage)
        if report.counts.accepted != self.instances or calls != (CALLS_PER_INSTANCE * self.instances, cached):
            raise SystemExit(f"{name}: {report.counts} in {calls} calls; the server's script does not fit")
        return path

    def obvious(self, name: str, url: str, checkpoints: Path | None = None) -> None:
        """One round of the obvious build."""
        accepted = self.time(name, lambda: run_obvious(self.items, url, CONCURRENCY, checkpoints))
        if accepted != self.instances:
            raise SystemExit(f"{name}: {accepted} accepted; the server's script does not fit")

    def replay(self, name: str, path: Path) -> None:
        """One round of replaying every instance of a run."""

        report = self.time(name, lambda: replay_run(str(path)))
        if report.differences or report.instances != self.instances:
            raise SystemExit(f"{name}: the replay differs from the record")

    def time(self, name: str, work: Callable[[], Result]) -> Result:
        """Runs a round and keeps its speed if it is the best so far."""
        gc.collect()
        wall, cpu = time.perf_counter(), _cpu_s()
        result = work()
        speed = Speed(self.instances / (time.perf_counter() - wall), self.instances / (_cpu_s() - cpu))
        self.best[name] = max(speed, self.best.get(name, speed))
        return result


def _cpu_s() -> float:
    """CPU seconds of this process and of the children that have ended, as replay's do; the server's has not."""
    return sum(os.times()[:4])


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps a build's progress lines from the table; to print them costs nothing to speak of."""
    with contextlib.redirect_stderr(io.StringIO()):
        yield


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--instances", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each, in turns; the best counts")
    parser.add_argument("--latency-ms", type=float, default=50, help="of the slow server")
    parser.add_argument("--profile", action="store_true", help="profile one uncached build instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chronoqg-") as folder:
        bench = Bench(Path(folder), options.instances)
        if options.profile:
            _profile(bench)
        else:
            _measure(bench, options.rounds, options.latency_ms)


def _measure(bench: Bench, rounds: int, latency_ms: float) -> None:
    if not has_checkpoints():
        print(f"left out: the obvious build with a checkpoint after each step; it needs `pip install {CHECKPOINTS}`", flush=True)
    waiting = f" at {latency_ms:g} ms"
    with LoopbackServer(bench.script) as quick, LoopbackServer(bench.script, latency_ms) as slow:
        served: dict[str, Stats] = {}
        for number in range(-1, rounds):
            before = quick.stats()
            bench.obvious("obvious", quick.url)
            between = quick.stats()
            path = bench.build("ours", bench.config(quick.url, is_priced=False, cache=f"cache{number}"))
            served = {"obvious": between.since(before), "ours": quick.stats().since(between)}
            if has_checkpoints():
                bench.obvious("obvious, checkpoints", quick.url, bench.folder / f"checkpoints{number}.sqlite")
            bench.build("ours, priced", bench.config(quick.url, cache=f"priced{number}"))
            bench.build("ours, cached", bench.config(quick.url, cache=f"priced{number}"), CALLS_PER_INSTANCE * bench.instances)
            bench.replay("ours, replayed", path)
            bench.obvious(f"obvious{waiting}", slow.url)
            bench.build(f"ours{waiting}", bench.config(slow.url, cache=f"slow{number}"))
            if number < 0:  # a warm-up: imports, and the caches of the file system
                bench.best.clear()
    ceiling = CONCURRENCY / (CALLS_PER_INSTANCE * latency_ms / 1000)
    _print(bench, served, waiting, ceiling)


def _print(bench: Bench, served: dict[str, Stats], waiting: str, ceiling: float) -> None:
    print(f"{bench.instances} instances, {CALLS_PER_INSTANCE} calls each, {CONCURRENCY} at a time; best round of each\n")
    print(f"{'':24}{'a second':>10}{'a CPU second':>15}{'against obvious':>18}")
    for name, speed in bench.best.items():
        against = bench.best[f"obvious{waiting}" if waiting in name else "obvious"]
        print(f"{name:24}{speed.wall:>10.1f}{speed.cpu:>15.1f}{speed.wall / against.wall:>13.2f} wall{speed.cpu / against.cpu:>8.2f} CPU")
    print(f"\nceiling{waiting}: {ceiling:.1f} a second;", end=" ")
    print(", ".join(f"{name} {100 * bench.best[name + waiting].wall / ceiling:.0f} %" for name in ("obvious", "ours")))
    for name, stats in served.items():
        size, cpu = stats.characters / stats.requests, 1e6 * stats.cpu_s / stats.requests
        print(f"{name}: {stats.requests} requests with prompts of {size:.0f} characters, {cpu:.0f} us of the server's CPU time each")


def _profile(bench: Bench) -> None:
    profiler = cProfile.Profile()
    with LoopbackServer(bench.script) as server:
        bench.build("warm-up", bench.config(server.url, cache="warm-up"))
        profiler.enable()
        bench.build("ours", bench.config(server.url))
        profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
