"""Accepted, fully checked, serialised records per CPU second, caps lifted, one worker.

    python benchmarks/sampling.py [GRAPH] [--target N] [--profile]

GRAPH is a folder in CronKG layout; the default is the bundled year graph. Loading is left out;
proving, rendering with full evidence and writing the bytes to disk are in.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
from pathlib import Path

from graph_sampler.load import load_graph
from graph_sampler.sampler import sample_traces
from state.config import Config

LIFTED = {
    "per_root": 10**9, "per_anchor": 10**9, "per_answer": 10**9, "relation_share": 1.0, "proposals_per_operator": 16,
    "same_relation_chain_share": 1.0, "one_granule_boundary_share": 1.0, "first_hop_only_share": 1.0,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", nargs="?", default="bundled:years")
    parser.add_argument("--target", type=int, default=20_000)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    config = Config.model_validate(
        {
            "dataset": "bench",
            "graph": {"path": options.graph},
            "sampler": {
                "target": options.target,
                "caps": LIFTED,
                "quotas": {"ordinal_share_of_single": 1.0},
            },
        }
    )
    graph, _ = load_graph(config.graph)
    profiler = cProfile.Profile() if options.profile else None
    cpu, wall = time.process_time(), time.perf_counter()
    if profiler:
        profiler.enable()
    sample = sample_traces(graph, config)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "traces.jsonl"
        with path.open("wb") as out:
            for line in sample.lines:
                out.write(line + b"\n")
        size = path.stat().st_size
    if profiler:
        profiler.disable()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    records, coverage = len(sample.lines), sample.coverage
    print(
        f"{records} records, {size / records:.0f} bytes each, {cpu:.2f} CPU s, {wall:.2f} s wall: "
        f"{records / cpu:.0f} records per CPU second"
    )
    print(f"roots {coverage.roots_seen} of {coverage.roots_total}, doubtful refused {coverage.doubtful}")
    for cell in coverage.cells:
        print(f"  {cell.template.value:18} {cell.part.value}: {cell.found} of {cell.proposed} proposed")
    if profiler:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
