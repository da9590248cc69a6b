"""Questions a second from a temporal table, in both semantics, one process.

    python benchmarks/tdbench_questions.py TABLE --given COLUMN [--given COLUMN] --asked COLUMN [--as-of DAY] [--repeat N] [--profile]

Each question comes with its answer found twice, in arrays and in DuckDB, with its SQL, parameters and the rows that do not
answer. First all questions there are, then a default config's share of them, for which the same candidates are looked at.
Reading the table is left out and printed beside. The best of N runs counts: other work on the machine only adds.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections import Counter
from typing import Any

from state.tdbench_config import Dependency, TableConfig, TdbenchConfig
from tdbench.questions.build import build_questions
from tdbench.tables.store import open_tables

EVERYTHING = {"per_relation": 10**9, "per_cardinality": 10**9, "most_lookups": 10**9}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("--given", action="append", required=True)
    parser.add_argument("--asked", required=True)
    parser.add_argument("--as-of", default="2025-05-04")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    began = time.perf_counter()
    dependency = Dependency(determinants=tuple(options.given), dependent=options.asked)
    with open_tables({"table": TableConfig(path=options.table, dependencies=(dependency,))}, {}) as database:
        table = database.tables["table"]
        print(f"{table.rows} rows in units of a {table.granularity}, read in {time.perf_counter() - began:.2f} s")
        for semantics in ("strict", "tdbench"):
            for limits in (EVERYTHING, {}):
                settings: dict[str, Any] = {"semantics": semantics, "as_of": options.as_of, **limits}
                config = TdbenchConfig.model_validate(settings)
                best_cpu = best_wall = float("inf")
                for _ in range(options.repeat):
                    cpu, wall = time.process_time(), time.perf_counter()
                    questions = list(build_questions(database.connection, table, [dependency], config))
                    best_cpu, best_wall = min(best_cpu, time.process_time() - cpu), min(best_wall, time.perf_counter() - wall)
                counts = Counter(str(question.cardinality) for question in questions)
                shares = ", ".join(f"{counts[name]} {name}" for name in ("none", "unique", "multiple"))
                rate = f"{len(questions) / best_cpu:.0f} a CPU second, {len(questions) / best_wall:.0f} a second"
                print(f"{semantics:7} {'all' if limits else 'default':7} {len(questions)} questions ({shares}): {rate}")
        if options.profile:
            profiler = cProfile.Profile()
            everything = TdbenchConfig.model_validate({"as_of": options.as_of, **EVERYTHING})
            profiler.runcall(lambda: list(build_questions(database.connection, table, [dependency], everything)))
            pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
