"""How long a synthetic graph takes to load and index, and how much memory: `python benchmarks/load_graph.py`.

Prints seconds and peak resident memory of a fresh process that does nothing but load. The graph is
made of numbers by a seeded generator, in CronKG layout, in a temporary folder.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def write_graph(folder: Path, facts: int, entities: int, relations: int, seed: int, suffix: str) -> None:
    """A graph with a few busy entities and many quiet ones, points and intervals, 2 % of ends unknown."""
    rng = random.Random(seed)
    writer = gzip.open if suffix == ".gz" else open
    with writer(folder / f"full.txt{suffix}", "wt", encoding="utf-8") as out:  # type: ignore[operator]
        for _ in range(facts):
            subject, object_ = int(entities * rng.random() ** 2), int(entities * rng.random() ** 3)
            relation = int(relations * rng.random() ** 1.5)
            start = rng.randrange(1800, 2020)
            end = "None" if rng.random() < 0.02 else str(start + (0 if relation % 2 else rng.randrange(30)))
            out.write(f"Q{1000 + subject}\tP{10 + relation}\tQ{1000 + object_}\t{start}\t{end}\n")
    with (folder / "wd_id2entity_text.txt").open("w", encoding="utf-8") as out:
        out.writelines(f"Q{1000 + entity}\tEntity number {entity}\n" for entity in range(entities))
    with (folder / "wd_id2relation_text.txt").open("w", encoding="utf-8") as out:
        out.writelines(f"P{10 + relation}\trelation {relation}\n" for relation in range(relations))


def measure(folder: str) -> None:
    """Load the graph and print the measures as JSON."""
    from graph_sampler.load import load_graph
    from state.config import GraphConfig

    started, cpu = time.perf_counter(), time.process_time()
    graph, report = load_graph(GraphConfig(path=folder))
    figures = {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - cpu,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "facts": len(graph),
        "entities": report.entities,
        "rows": report.rows,
    }
    print(json.dumps(figures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--entities", type=int, default=200_000)
    parser.add_argument("--relations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--gzip", action="store_true", help="compress the facts")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        measure(args.measure)
        return
    with tempfile.TemporaryDirectory() as folder:
        write_graph(Path(folder), args.facts, args.entities, args.relations, args.seed, ".gz" if args.gzip else "")
        done = subprocess.run([sys.executable, __file__, "--measure", folder], capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    print(
        f"{figures['rows']:,} rows -> {figures['facts']:,} facts, {figures['entities']:,} entities: {figures['seconds']:.2f} s "
        f"({figures['cpu_seconds']:.2f} s CPU), peak {figures['peak_rss_mb']:.0f} MB"
    )


if __name__ == "__main__":
    main()
