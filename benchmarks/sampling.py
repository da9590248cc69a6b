"""Accepted, fully checked, serialised records per CPU second, caps lifted, one worker.

    python benchmarks/sampling.py [GRAPH] [--records N] [--profile]

GRAPH is a folder in CronKG layout; the default is the bundled year graph. Roots are asked in the order
that the sampler draws; every trace that they propose is proved by all rules, rendered with its full
evidence and written to disk, until N records are there or the roots are used up. Loading the graph is
left out; choosing among proposals by quotas is not part of it.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
from collections import Counter
from pathlib import Path

from graph_sampler.load import load_graph
from graph_sampler.sampler import Worker, drawn_order
from graph_sampler.skeleton import roots
from state.config import Config


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", nargs="?", default="bundled:years")
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    caps = {"proposals_per_operator": 16}
    config = Config.model_validate({"dataset": "bench", "graph": {"path": options.graph}, "sampler": {"caps": caps}})
    graph, _ = load_graph(config.graph)
    profiler = cProfile.Profile() if options.profile else None
    cells: Counter[tuple[str, str]] = Counter()
    seen: set[str] = set()
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "traces.jsonl").open("wb") as out:
        cpu, wall = time.process_time(), time.perf_counter()
        if profiler:
            profiler.enable()
        worker = Worker(graph, config)
        names, bounds = worker.proposer.names, config.sampler.caps
        found = roots(graph, bounds.seed_min, bounds.seed_max, names.meta_relations, names.meta_entities)
        asked = 0
        for root in drawn_order(graph, found, config.sampler.seed):
            asked += 1
            new = [each for each in worker.proposer.propose(root).proposals if each.id not in seen]
            seen.update(each.id for each in new)
            cells.update((each.template.value, each.part.value) for each in new)
            for _, line in worker.render((each.id, each.spec) for each in new):
                out.write(line + b"\n")
            if len(seen) >= options.records:
                break
        out.flush()
        if profiler:
            profiler.disable()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        size = out.tell()
    print(f"{len(seen)} records, {size / len(seen):.0f} bytes each, from {asked} of {len(found)} roots")
    print(f"{cpu:.2f} CPU s, {wall:.2f} s wall: {len(seen) / cpu:.0f} records per CPU second")
    for cell, count in sorted(cells.items()):
        print(f"  {cell[0]:18} {cell[1]}: {count}")
    if profiler:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
