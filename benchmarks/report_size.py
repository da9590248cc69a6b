"""How long the report of a large run takes, in how much memory, and how large it gets: `python -m benchmarks.report_size [N]`.

The quickstart's run is built with the offline rules, and its instances, with what their agents did, are copied
under new ids and questions until there are N. Then `chronoqg report` reads that run in a fresh process. Making the
run is not timed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from runs.config_file import load_config
from runs.json_lines import model_line
from runs.manifest import GraphNote
from runs.results import Results, backend_of
from runs.run_folder import RunFolder, RunReader, outcomes_by_id
from state.instance import BenchmarkRecord
from tests.run_directory import coverage

ROOT = Path(__file__).resolve().parents[1]
QUICKSTART = ROOT / "runs" / "quickstart.yaml"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", nargs="?", type=int, default=16_000, metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, run = Path(folder) / "source", Path(folder) / "run"
        subprocess.run(_command("build", str(QUICKSTART), "--out", str(source)), env=_environment(), check=True, capture_output=True)
        multiply(source, run, options.instances)
        traces, database = ((run / name).stat().st_size / 1e6 for name in ("traces.jsonl", "run.sqlite"))
        wall, cpu, memory = _measured(_command("report", str(run)))
        page = (run / "report.html").stat().st_size / 1e6
        parts = sum(file.stat().st_size for file in (run / "report-data").iterdir()) / 1e6
    print("| instances | traces | database | report | CPU | memory at most | page | beside it |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    print(
        f"| {options.instances:,} | {traces:,.0f} MB | {database:,.0f} MB | {wall:.1f} s | {cpu:.1f} s "
        f"| {memory:,.0f} MB | {page:.1f} MB | {parts:,.0f} MB |"
    )


def multiply(source: Path, run: Path, count: int) -> None:
    """Writes a finished run of so many instances, copies of those of another one."""
    reader = RunReader(source)
    records = list(reader.traces())
    ids = {f"{reader.manifest.dataset}-{number:012x}": (records[number % len(records)], number) for number in range(count)}

    def copies() -> list[BenchmarkRecord]:
        return [
            record.model_copy(update={"id": ident, "raw_question": f"{number}: {record.raw_question}"})
            for ident, (record, number) in ids.items()
        ]

    note = GraphNote(**reader.manifest.graph.model_dump())
    with reader.database() as database, RunFolder(run, load_config(QUICKSTART)) as out:
        out.write_sample([model_line(record) for record in copies()], coverage(count), note)
        outcomes = outcomes_by_id(database)
        for ident, (record, number) in ids.items():
            outcome, visits = outcomes[record.id], database.trajectory(record.id).visits
            question = f"{number}: {outcome.question}" if outcome.question else ""
            out.database.commit(
                outcome.model_copy(update={"instance_id": ident, "question": question}),
                [visit.model_copy(update={"instance_id": ident}) for visit in visits],
            )
        out.write_results(Results(out.reader.traces(), out.database.outcome, backend_of(out.config)))  # type: ignore[union-attr]


def _measured(command: list[str]) -> tuple[float, float, float]:
    """Seconds, CPU seconds and MB at most of a command."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, "the report was written"
    return time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def _command(*args: str) -> list[str]:
    return [sys.executable, "-m", "runs.cli", *args]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


if __name__ == "__main__":
    main()
