"""What Ray costs on one machine: the same sample and the same build, by this machine's own processes and by Ray's.

Run with `python -m benchmarks.ray_overhead [--target 700] [--rounds 3]`; needs the extra `ray`. All ways take turns, and
the best round counts. CPU seconds are those of this process and of everything that it has started, Ray's own services
included. The first line is what it takes to start Ray here and to have a worker's first answer.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from graph_sampler.load import load_graph
from graph_sampler.sampler import Sample, sample_traces
from runs.building import build_run
from runs.config_file import LoadedConfig, load_config
from runs.executors import Executor, executor_of
from runs.run_folder import RunFolder
from runs.sampling import sample_into

QUICKSTART = Path(__file__).parents[1] / "runs" / "quickstart.yaml"
_TICK = os.sysconf("SC_CLK_TCK")
_LOOK_EVERY_S = 0.2
_FILES = ("traces.jsonl", "discarded.jsonl", "failed.jsonl", "benchmark/years-S.jsonl", "benchmark/years-M.jsonl")


class CpuSeconds:
    """CPU seconds of this process and of all that it has started, looked at often: of a killed child nobody tells the end."""

    def __init__(self) -> None:
        self._most: dict[int, int] = {}
        threading.Thread(target=self._watch, daemon=True).start()

    def __call__(self) -> float:
        """The sum up to now."""
        rows = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    rows[int(entry.name)] = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
        inside = {os.getpid()}
        while more := {pid for pid, row in rows.items() if int(row[1]) in inside} - inside:
            inside |= more
        for pid in inside:
            self._most[pid] = max(self._most.get(pid, 0), int(rows[pid][11]) + int(rows[pid][12]))
        return sum(self._most.values()) / _TICK

    def _watch(self) -> None:
        while True:
            time.sleep(_LOOK_EVERY_S)
            self()


class Stopwatch:
    """The best of several rounds, by name."""

    def __init__(self) -> None:
        self.best: dict[str, tuple[float, float]] = {}
        self._cpu = CpuSeconds()

    def __call__(self, name: str, work: Callable[[], object]) -> None:
        """Does the work once; keeps wall and CPU seconds if no round was quicker."""
        cpu, wall = self._cpu(), time.perf_counter()
        work()
        spent = time.perf_counter() - wall, self._cpu() - cpu
        self.best[name] = min(self.best.get(name, spent), spent)


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--target", type=int, default=700)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as scratch, executor_of("ray") as ray:
        assert ray is not None
        loaded = {n: load_config(QUICKSTART, [f"sampler.target={args.target}", f"sampler.workers={n}"]) for n in (1, 2)}
        graph, _ = load_graph(loaded[1].config.graph)
        few = load_config(QUICKSTART, ["sampler.target=1"]).config
        watch("Ray: start, and the first answer", lambda: sample_traces(graph, few, workers=ray.workers))
        sampled = Path(scratch, "sample")
        with RunFolder(sampled, loaded[1]) as folder:
            sample_into(folder, lambda line: None)
        samples: list[Sample] = []
        for number in range(args.rounds):
            for n in (1, 2):
                watch(f"sample, local, {n} processes", lambda n=n: samples.append(sample_traces(graph, loaded[n].config)))  # type: ignore[misc]
            watch("sample, Ray, 2 workers", lambda: samples.append(sample_traces(graph, loaded[1].config, workers=ray.workers)))
            runs = [Path(scratch, f"{number}-{name}") for name in ("local", "ray")]
            for run, where in zip(runs, (None, ray), strict=True):
                shutil.copytree(sampled, run)
                watch(f"build by rules, {'local' if where is None else 'Ray, 2 workers'}", lambda r=run, w=where: _build(r, loaded[1], w))  # type: ignore[misc]
            assert len({tuple((run / name).read_bytes() for name in _FILES) for run in runs}) == 1, "the files differ"
        assert len({tuple(sample.lines) for sample in samples}) == 1, "the samples differ"
    print(f"| {args.target} instances | wall s | CPU s |\n| --- | --- | --- |")
    for name, (wall, cpu) in watch.best.items():
        print(f"| {name} | {wall:.1f} | {cpu:.1f} |")


def _build(path: Path, loaded: LoadedConfig, executor: Executor | None) -> None:
    build_run(path, loaded, executor=executor)


if __name__ == "__main__":
    main()
