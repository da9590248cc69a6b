"""How soon a run with many finished instances goes on, and in how much memory: `python benchmarks/resume.py [N]`.

A run directory of N finished instances and ten unfinished ones is composed, with records and trajectories
as large as real ones. Then `chronoqg build`, with the offline rules in every role, continues it in a fresh
process: measured are the seconds from the start of that process to the first instance that its agents are
asked for, and from the end of the last one to the end of the command, which is the time that the final
files take. Composing is not timed. The files lie in the memory of the operating system, as they do after
a run that was stopped a moment ago.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
UNFINISHED = 10
FILLERS = 66
"""Further facts of each record, which bring it to about 10 kB."""
PROMPT = 2500
"""Characters of each request beside the question, which bring a trajectory to the 11 kB that the offline rules leave."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("finished", nargs="?", type=int, default=100_000, metavar="N")
    parser.add_argument("--folder", type=Path, help="where to put the run directory (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        run = Path(folder) / "run"
        _fresh_process("compose", folder, str(options.finished))
        traces, database = ((run / name).stat().st_size for name in ("traces.jsonl", "run.sqlite"))
        figures = _fresh_process("go_on", folder, str(time.perf_counter()))
    count = options.finished + UNFINISHED
    print("| finished | record | traces | database | to the first instance | CPU | memory then | final files | CPU | memory at most |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    print(
        f"| {options.finished:,} | {traces / count:,.0f} B | {traces / 1e6:,.0f} MB | {database / 1e6:,.0f} MB "
        f"| {figures['first']:.1f} s | {figures['first_cpu']:.1f} s | {figures['memory_then']:,.0f} MB "
        f"| {figures['final']:.1f} s | {figures['final_cpu']:.1f} s | {figures['memory']:,.0f} MB |"
    )


def compose(folder: str, finished: str) -> None:
    """Writes the run directory."""
    from runs.config_file import load_config
    from runs.database import InstanceOutcome
    from runs.json_lines import model_line
    from runs.manifest import GraphNote
    from runs.run_folder import RunFolder
    from state.interval import Granularity
    from tests.run_directory import accepted, coverage

    config, total = Path(folder) / "resume.yaml", int(finished) + UNFINISHED
    config.write_text("dataset: sample\ngraph: {path: nowhere}\n", encoding="utf-8")
    unfinished = {number * total // UNFINISHED for number in range(1, UNFINISHED + 1)}
    note = GraphNote(name="sample", content_hash="0" * 64, granularity=Granularity.YEAR, licence=None, source=None)
    with RunFolder(Path(folder) / "run", load_config(config)) as out:
        out.write_sample([model_line(record) for record in _records(total)], coverage(total), note)
        for number, record in enumerate(_records(total), start=1):
            if number in unfinished:
                continue
            asked = record.model_copy(update={"raw_question": record.raw_question + " " + "x" * PROMPT})
            result = accepted(asked, f"Who became Mayor of Arn {number} after Ana Roy and before Cy Moe had held that office?")
            outcome = InstanceOutcome(
                instance_id=record.id, status=result.status, reason=None, question=result.final_question or "", detail="",
                last_node=result.last_node,
            )  # fmt: skip
            out.database.commit(outcome, result.visits)


def _records(count: int) -> Iterator[Any]:
    from state.fact import TemporalFact
    from tests.sample_record import make_record

    names = {f"Q{100 + number}": f"Holder of another office, number {number}" for number in range(FILLERS)} | {"Q2": "Mayor of Bel"}
    fillers = tuple(
        TemporalFact(subject=f"Q{100 + number}", relation="P39", object="Q2", start=str(1800 + number), end=str(1801 + number))
        for number in range(FILLERS)
    )
    for number in range(1, count + 1):
        record = make_record(number=number, labels={**names, "Q1": f"Mayor of Arn {number}"})
        yield record.model_copy(update={"evidence": record.evidence + fillers})


def go_on(folder: str, started: str) -> None:
    """Continues the run by the command line, and prints when its agents were first asked and when it ended, as JSON."""
    from agents.workflow import InstanceResult, Workflow
    from runs import building
    from runs.cli import app
    from state.instance import BenchmarkRecord

    real, asked, answered = vars(building)["run_instance"], list[_Moment](), list[_Moment]()

    async def noted(record: BenchmarkRecord, workflow: Workflow) -> InstanceResult:
        asked.append(_now())
        result: InstanceResult = await real(record, workflow)
        answered.append(_now())
        return result

    vars(building)["run_instance"] = noted
    try:
        app(["build", f"{folder}/resume.yaml", "--out", f"{folder}/run"], prog_name="chronoqg")
    except SystemExit as end:
        if end.code:
            raise
    ended, first, last = _now(), asked[0], answered[-1]
    assert len(asked) == UNFINISHED, "only what was not finished is asked for"
    figures = {
        "first": first.wall - float(started), "first_cpu": first.cpu, "memory_then": first.memory,
        "final": ended.wall - last.wall, "final_cpu": ended.cpu - last.cpu, "memory": ended.memory,
    }  # fmt: skip
    print(json.dumps(figures))


class _Moment(NamedTuple):
    wall: float
    cpu: float
    memory: float
    """The most that this process has held so far, in MB."""


def _now() -> _Moment:
    return _Moment(time.perf_counter(), time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _fresh_process(task: str, *args: str) -> dict[str, float]:
    """Runs a function of this file in a process of its own; what it prints last is JSON, if anything.

    The clock that they share counts from the start of the machine.
    """
    code = f"import sys; from benchmarks import resume; resume.{task}(*sys.argv[1:])"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code, *args], env=environ, stdout=subprocess.PIPE, text=True, check=True)
    lines = done.stdout.splitlines()
    figures: dict[str, float] = json.loads(lines[-1]) if lines else {}
    return figures


if __name__ == "__main__":
    main()
