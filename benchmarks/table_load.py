"""Time and memory of loading a large temporal table.

Run with `python -m benchmarks.table_load [ROWS] [csv|parquet]`. The table is invented: six columns beside the two of time, a
tenth of its rows open, a hundredth copies.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from state.tdbench_config import TableConfig
from tdbench.tables.store import open_tables


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    kind = sys.argv[2] if len(sys.argv) > 2 else "csv"
    rng = np.random.default_rng(0)
    start = rng.integers(0, 20_000, count)
    columns = {f"column{place}": pa.array([f"value {number}" for number in rng.integers(0, 10**place, count)]) for place in range(1, 7)}
    days = {"start": start, "end": start + rng.integers(0, 3_000, count)}
    columns |= {name: pa.array(values.astype("int32"), pa.date32()).cast(pa.string()) for name, values in days.items()}
    columns["end"] = pa.array([None if place % 10 == 0 else text for place, text in enumerate(columns["end"].to_pylist())], pa.string())
    table = pa.table(columns)
    table = pa.concat_tables([table.slice(0, count - count // 100), table.slice(0, count // 100)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"large.{kind}"
        (pq.write_table if kind == "parquet" else pa_csv.write_csv)(table, path)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started, cpu = time.perf_counter(), time.process_time()
        with open_tables({"large": TableConfig(path=str(path))}, {}, threads=2) as database:
            wall, cpu = time.perf_counter() - started, time.process_time() - cpu
            report = database.reports["large"]
        size = path.stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print("\n".join(report.lines()))
    print(f"{count} rows, {size / 1e6:.0f} MB of {kind}: {wall:.1f} s, {cpu:.1f} CPU s")
    print(f"peak {peak / 1e6:.2f} GB, {before / 1e6:.2f} GB before")


if __name__ == "__main__":
    main()
