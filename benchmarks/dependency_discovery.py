"""Time and peak memory of finding the temporal functional dependencies of a large table.

    python -m benchmarks.dependency_discovery [--rows N] [--holes SHARE]

The table is invented and seeded, with six columns: posts of organisations (`organisation`, `role`), who holds them
and for which party (`holder`, `party`), where the organisation sits (`city`), and a rating that follows from nothing.
Only one person holds a post at a time but for one row in two thousand, which overlaps its successor. `--holes` empties
that share of the cells. What is measured is `discover` without tolerance and with a thousandth, and one `check`; the
table is written to DuckDB before.
"""

from __future__ import annotations

import argparse
import resource
import time

import duckdb
import numpy as np
import pyarrow as pa

from state.interval import Granularity
from state.tdbench_config import Dependency
from tdbench.dependencies.check import check
from tdbench.dependencies.discover import discover
from tdbench.table import TemporalTable

COLUMNS = ("organisation", "role", "holder", "party", "city", "rating")
POST_ROWS = 12
"""Rows of one post."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--holes", type=float, default=0.0)
    options = parser.parse_args()
    connection = duckdb.connect()
    connection.execute("SET memory_limit = '2GB'; SET threads = 2")
    table = _posts(connection, options.rows, options.holes)
    print(f"{table.rows:,} rows x {len(table.columns)} columns; {_peak()} before")
    for tolerance in (0.0, 0.001):
        begun = time.perf_counter()
        found = discover(connection, table, tolerance)
        print(f"discover, tolerance {tolerance}: {time.perf_counter() - begun:.1f} s; {_peak()} at most")
        print("\n".join(found.as_lines()))
    begun = time.perf_counter()
    checked = check(connection, table, Dependency(determinants=("organisation", "role"), dependent="holder"), witnesses=2)
    print(f"check: {time.perf_counter() - begun:.1f} s; {_peak()} at most")
    print("\n".join(checked.as_lines()))


def _posts(connection: duckdb.DuckDBPyConnection, rows: int, holes: float) -> TemporalTable:
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
    columns = {name: pa.array(cells.pop(name), mask=rng.random(rows) < holes) for name in COLUMNS}
    columns |= {"_row": pa.array(np.arange(rows)), "_start": pa.array(start), "_end": pa.array(end, mask=is_last)}
    given = pa.table(columns)
    connection.register("given", given)
    connection.execute("CREATE TABLE posts AS FROM given")
    connection.unregister("given")
    return TemporalTable("posts", COLUMNS, "start", "end", Granularity.DAY, "ongoing", rows, {name: name for name in COLUMNS}, "posts")


def _peak() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB resident"


if __name__ == "__main__":
    main()
