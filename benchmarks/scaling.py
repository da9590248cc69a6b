"""How time and memory grow with the graph, the sample and the build; run by hand, prints tables.

    python benchmarks/scaling.py graphs [--facts N ...] [--workers W ...] [--target R]
    python benchmarks/scaling.py records [--facts N] [--records N ...] [--workers W ...] [--settings JSON]
    python benchmarks/scaling.py builds [--facts N] [--instances N ...]

Graphs are drawn by `chronoqg graph generate`. Each stage is a process of its own, watched with all its
children: CPU seconds are those of the whole tree; memory is the largest sum of proportional set sizes
(a page that several processes share counts once) seen in looks half a second apart.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]


class Cost(NamedTuple):
    """What one process and its children took."""

    wall: float
    cpu: float
    peak_mb: float
    out: str


def watch(command: Sequence[str]) -> Cost:
    """Runs a command and looks at its memory until it ends."""
    started = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True)
    peak = 0.0
    done = threading.Event()

    def look() -> None:
        nonlocal peak
        while not done.wait(0.5):
            peak = max(peak, _tree_mb(process.pid))

    watcher = threading.Thread(target=look)
    watcher.start()
    out, err = process.communicate()
    done.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}\n{err[-2000:]}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return Cost(time.perf_counter() - started, cpu, peak, out)


def _tree_mb(root: int) -> float:
    """The sum of the proportional set sizes of a process and all that descend from it."""
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        try:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
            for task in os.listdir(f"/proc/{pid}/task"):
                waiting += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
        except (OSError, ValueError):
            continue
    return total / 1024


def sample_child(graph: str, settings: str) -> None:
    """Loads and samples, and prints what each took."""
    from graph_sampler.load import load_graph
    from graph_sampler.sampler import sample_traces
    from state.config import Config

    config = Config.model_validate({"dataset": "scaling", "graph": {"path": graph}, "sampler": json.loads(settings)})
    marks = [_now()]
    store, _ = load_graph(config.graph)
    loaded_mb = _peak_mb()
    marks.append(_now())
    sample = sample_traces(store, config)
    size = sum(len(line) + 1 for line in sample.lines)
    marks.append(_now())
    figures = {
        "load": [b - a for a, b in zip(marks[0], marks[1], strict=True)],
        "load_mb": loaded_mb,
        "sample": [b - a for a, b in zip(marks[1], marks[2], strict=True)],
        "records": len(sample.lines),
        "bytes": size,
        "roots": sample.coverage.roots_seen,
        "roots_total": sample.coverage.roots_total,
    }
    print(json.dumps(figures))


def _now() -> tuple[float, float]:
    """Wall clock, and CPU seconds of this process and its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return time.perf_counter(), sum(each.ru_utime + each.ru_stime for each in used)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def sampled(graph: Path, settings: dict[str, Any]) -> tuple[dict[str, Any], Cost]:
    """The figures of one `sample_child` and what its processes took."""
    cost = watch([sys.executable, __file__, "--child", str(graph), json.dumps(settings)])
    return json.loads(cost.out), cost


def generated(folder: Path, facts: int) -> tuple[Path, Cost]:
    """A synthetic graph of a size; one that is there already is taken."""
    path = folder / f"{facts}.graph"
    return path, watch([sys.executable, "-m", "runs.cli", "graph", "generate", "--facts", str(facts), "--seed", "1", "--out", str(path)])


def row(*cells: object) -> None:
    print(
        "| "
        + " | ".join(f"{cell:,.1f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells)
        + " |",
        flush=True,
    )


def graphs(folder: Path, options: argparse.Namespace) -> None:
    """One row for each size and number of workers."""
    row(
        "facts",
        "file MB",
        "generate CPU s",
        "peak MB",
        "load CPU s",
        "peak MB",
        "workers",
        "sample CPU s",
        "wall s",
        "peak MB",
        "records",
        "roots asked",
        "of",
    )
    row(*["---"] * 13)
    for facts in options.facts:
        path, made = generated(folder, facts)
        for workers in options.workers:
            found, cost = sampled(path, {"target": options.target, "workers": workers})
            row(
                facts, path.stat().st_size / 1e6, made.cpu, int(made.peak_mb), found["load"][1], int(found["load_mb"]), workers,
                found["sample"][1], found["sample"][0], int(cost.peak_mb), found["records"], found["roots"], found["roots_total"],
            )  # fmt: skip


def records(folder: Path, options: argparse.Namespace) -> None:
    """One row for each number of records."""
    path, _ = generated(folder, options.facts[0])
    row("records wanted", "found", "workers", "sample CPU s", "wall s", "records per CPU s", "peak MB", "traces MB", "roots asked", "of")
    row(*["---"] * 10)
    for target in options.records:
        for workers in options.workers:
            found, cost = sampled(path, options.settings | {"target": target, "workers": workers})
            row(
                target, found["records"], workers, found["sample"][1], found["sample"][0], found["records"] / found["sample"][1],
                int(cost.peak_mb), found["bytes"] / 1e6, found["roots"], found["roots_total"],
            )  # fmt: skip


def builds(folder: Path, options: argparse.Namespace) -> None:
    """One row for each number of instances: sampled, then built in a fresh process with the rules that need no model."""
    path, _ = generated(folder, options.facts[0])
    row("instances", "sample: CPU s", "peak MB", "agents: CPU s", "wall s", "peak MB", "run directory MB")
    row(*["---"] * 7)
    for target in options.instances:
        out = folder / f"build-{target}"
        settings = ["--out", str(out), "--set", f"graph.path={path}", "--set", f"sampler.target={target}"]
        settings += ["--set", f"cache.path={folder / 'cache'}"]
        made, built = (watch([sys.executable, "-m", "runs.cli", verb, "runs/quickstart.yaml", *settings]) for verb in ("sample", "build"))
        size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
        row(target, made.cpu, int(made.peak_mb), built.cpu, built.wall, int(built.peak_mb), size / 1e6)


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        sample_child(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("graphs", "records", "builds"))
    parser.add_argument("--facts", type=int, nargs="+", default=None)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--target", type=int, default=2_000)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--settings", type=json.loads, default={}, help="what else the config says under sampler, as JSON")
    parser.add_argument("--instances", type=int, nargs="+", default=[5_000, 20_000])
    parser.add_argument("--folder", help="where graphs and runs are put; by default a temporary folder")
    options = parser.parse_args()
    if options.facts is None:
        options.facts = [10_000, 100_000, 1_000_000, 10_000_000] if options.what == "graphs" else [1_000_000]
    machine = f"{os.cpu_count()} cores, {platform.processor() or platform.machine()}, Python {platform.python_version()}"
    print(f"{machine}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.folder or scratch)
        {"graphs": graphs, "records": records, "builds": builds}[options.what](folder, options)


if __name__ == "__main__":
    main()
