"""Time and peak memory of finding the temporal functional dependencies of a large table.

    python -m benchmarks.dependency_discovery [--rows N] [--holes SHARE]

The table is invented and seeded, with six columns: posts of organisations (`organisation`, `role`), who holds them
and for which party (`holder`, `party`), where the organisation sits (`city`), and a rating that follows from nothing.
Only one person holds a post at a time but for one row in two thousand, which overlaps its successor. `--holes` empties
that share of the cells; `--values` makes all six of so many random values instead, so that no dependency holds and
nothing can be left out. What is measured is `discover` without tolerance and with a thousandth, one `check` and one
`suggest_repairs`; another process writes the table to a DuckDB file before.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from state.interval import Granularity
from state.tdbench_config import Dependency
from tdbench.dependencies.check import check
from tdbench.dependencies.discover import discover
from tdbench.dependencies.repair import suggest_repairs
from tdbench.table import TemporalTable

COLUMNS = ("organisation", "role", "holder", "party", "city", "rating")
POST_ROWS = 12
"""Rows of one post."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--holes", type=float, default=0.0)
    parser.add_argument("--values", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "posts.duckdb")
        writer = get_context("spawn").Process(target=_write_posts, args=(path, options.rows, options.holes, options.values))
        writer.start()
        writer.join()
        with duckdb.connect(path, read_only=True) as connection:
            _measure(connection, options.rows)


def _measure(connection: duckdb.DuckDBPyConnection, rows: int) -> None:
    connection.execute("SET memory_limit = '2GB'; SET threads = 2")
    glossary = {name: name for name in COLUMNS}
    table = TemporalTable("posts", COLUMNS, "start", "end", Granularity.DAY, "ongoing", rows, glossary, "posts")
    print(f"{table.rows:,} rows x {len(table.columns)} columns; {_peak()} before")
    for tolerance in (0.0, 0.001):
        begun = _now()
        found = discover(connection, table, tolerance)
        print(f"discover, tolerance {tolerance}: {_since(begun)}; {_peak()} at most")
        print("\n".join(found.as_lines()))
    begun = _now()
    dependency = Dependency(determinants=("organisation", "role"), dependent="holder")
    checked = check(connection, table, dependency, witnesses=2)
    print(f"check: {_since(begun)}; {_peak()} at most")
    print("\n".join(checked.as_lines()))
    begun = _now()
    repairs = suggest_repairs(connection, table, dependency)
    print(f"suggest_repairs: {_since(begun)}; {_peak()} at most")
    print("\n".join(repairs.as_lines()))


def _write_posts(path: str, rows: int, holes: float, values: int) -> None:
    rng = np.random.default_rng(0)
    post, turn = np.arange(rows) // POST_ROWS, np.arange(rows) % POST_ROWS
    organisation = post // 4
    start = 1000 * turn + rng.integers(0, 500, rows)
    end = np.append(start[1:], 0)
    is_last = np.append(turn[1:] == 0, True)
    end = np.where(rng.random(rows) < 1 / 2000, end + 30, end)
    cells = {
        "organisation": np.char.add("organisation ", organisation.astype(str)),
        "role": np.char.add("role ", (post % 4).astype(str)),
        "holder": np.char.add("person ", rng.integers(0, rows // 3 + 1, rows).astype(str)),
        "party": np.char.add("party ", rng.integers(0, 30, rows).astype(str)),
        "city": np.char.add("city ", (organisation % 3000).astype(str)),
        "rating": rng.integers(0, 1000, rows).astype(str),
    }
    if values:
        cells = {name: rng.integers(0, values, rows).astype(str) for name in COLUMNS}
    columns = {name: pa.array(cells.pop(name), mask=rng.random(rows) < holes) for name in COLUMNS}
    columns |= {"_row": pa.array(np.arange(rows)), "_start": pa.array(start), "_end": pa.array(end, mask=is_last)}
    given = pa.table(columns)
    with duckdb.connect(path) as connection:
        connection.register("given", given)
        connection.execute("CREATE TABLE posts AS FROM given")


def _now() -> tuple[float, float]:
    return time.process_time(), time.perf_counter()


def _since(begun: tuple[float, float]) -> str:
    cpu, wall = (after - before for after, before in zip(_now(), begun, strict=True))
    return f"{cpu:.1f} CPU s, {wall:.1f} s wall"


def _peak() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB resident"


if __name__ == "__main__":
    main()
