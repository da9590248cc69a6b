"""Records audited per second, in both formats, one process.

    python benchmarks/audit_speed.py [GRAPH] [--records N] [--profile]

GRAPH is a folder in CronKG layout; the default is the bundled year graph. N records are sampled, written in each
format and audited, the file's parsing and every check included; sampling, loading the graph and writing the files
are left out. Nothing is known to the auditor when it begins.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
from pathlib import Path

from evaluation.audit.auditor import audit_file
from evaluation.audit.cases import FileFormat
from evaluation.exports.release import release_lines
from graph_sampler.load import load_graph
from graph_sampler.sampler import sample_traces
from runs.json_lines import write_lines
from state.config import Config
from state.instance import BenchmarkRecord


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", nargs="?", default="bundled:years")
    parser.add_argument("--records", type=int, default=5_000)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    config = Config.model_validate({"dataset": "bench", "graph": {"path": options.graph}, "sampler": {"target": options.records}})
    graph, _ = load_graph(config.graph)
    lines = sample_traces(graph, config).lines
    print(f"{len(lines)} records, {sum(map(len, lines)) / len(lines):.0f} bytes each, from a graph of {len(graph)} facts")
    with tempfile.TemporaryDirectory() as folder:
        for form in FileFormat:
            path = Path(folder) / f"{form}.jsonl"
            records = map(BenchmarkRecord.model_validate_json, lines)
            write_lines(path, lines if form is FileFormat.OURS else release_lines(records))
            profiler = cProfile.Profile() if options.profile else None
            cpu, wall = time.process_time(), time.perf_counter()
            if profiler:
                profiler.enable()
            report = audit_file(path, graph, form)
            if profiler:
                profiler.disable()
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            found = f"{report.any_defect.all.hits} with a defect"
            print(f"{form:16} {cpu:.2f} CPU s, {wall:.2f} s wall: {len(lines) / cpu:.0f} records per CPU second; {found}")
            if profiler:
                pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
