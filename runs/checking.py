"""`check`: every record of a run against its graph, by SQL, and the run's files against one another.

The SQL is a second opinion: it reads steps and operator names and shares no predicate with the sampler.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import orjson

from graph_sampler.labels import normalise_label
from graph_sampler.load import load_graph
from graph_sampler.sql import check_record, load_facts
from runs.database import RunDatabase
from runs.json_lines import parse_lines, read_lines
from runs.results import Group, Results, backend_of, part_of
from runs.run_folder import DISCARDED, FAILED, MANIFEST, RunReader
from runs.terminal import Advance
from state.any_instance import INSTANCE_TYPES, Instance, Origin
from state.instance import BenchmarkRecord, DiscardedRecord, FailedRecord
from state.model_base import FORMAT_VERSION, Contract
from state.table_instance import DiscardedTableInstance, FailedTableInstance, TableInstance
from state.vocabulary import Node, Outcome, Status, Terminal

Execute = Callable[[Any], Iterable[str]]
"""What is wrong with an instance, seen beside the graph or the tables that it comes from."""
_THROWN: dict[Origin, tuple[type[DiscardedRecord | DiscardedTableInstance], type[FailedRecord | FailedTableInstance]]] = {
    "graph": (DiscardedRecord, FailedRecord),
    "tables": (DiscardedTableInstance, FailedTableInstance),
}


class Finding(Contract):
    """One thing that is wrong."""

    where: str
    """Instance id or file."""
    what: str
    """What is wrong."""


@dataclass(frozen=True)
class CheckReport:
    """What a check looked at and found."""

    traces: int
    """Records of `traces.jsonl`, each executed."""
    accepted: int
    """Records of the benchmark files."""
    findings: tuple[Finding, ...]

    def lines(self) -> list[str]:
        """The report for a person."""
        lines = [f"{finding.where}: {finding.what}" for finding in self.findings]
        verdict = "no finding" if not self.findings else f"{len(self.findings)} findings"
        return [*lines, f"checked {self.traces} traces and {self.accepted} benchmark records: {verdict}"]

    def as_json(self) -> bytes:
        """The report for a machine."""
        data = {
            "format": FORMAT_VERSION,
            "traces": self.traces,
            "accepted": self.accepted,
            "findings": [finding.model_dump() for finding in self.findings],
        }
        return orjson.dumps(data, option=orjson.OPT_INDENT_2) + b"\n"


def check_run(reader: RunReader, advance: Advance | None = None) -> CheckReport:
    """The findings of a check of a sample or a build.

    Raises:
        RunFolderError: a file is damaged so that it cannot be read.
        GraphFormatError: the graph of the run's config is not there any more.
    """
    findings: list[Finding] = []
    graph, report = load_graph(reader.config().config.graph)
    if report.content_hash != reader.manifest.graph.content_hash:
        findings.append(_finding(reader.manifest.graph.name, "the graph is not the one that was sampled: its content hash differs"))
    with duckdb.connect(":memory:") as connection:
        load_facts(connection, graph)

        def execute(record: BenchmarkRecord) -> Iterator[str]:
            yield from check_record(connection, record)
            if record.provenance.content_hash != reader.manifest.graph.content_hash:
                yield "its graph is not the run's"

        return check_files(reader, execute, findings, advance)


def check_files(reader: RunReader, execute: Execute, findings: list[Finding], advance: Advance | None = None) -> CheckReport:
    """The findings of a check of any run, to which those are added that are known already.

    Args:
        reader: the run directory.
        execute: what is wrong with one instance, seen beside its source.
        findings: what was found before.
        advance: is told how far the work has come.

    Raises:
        RunFolderError: a file is damaged so that it cannot be read.
    """
    places = _check_traces(reader, execute, findings, advance)
    accepted = _check_results(reader, places, findings) if reader.manifest.taken else 0
    if reader.manifest.counts is not None and not findings:
        findings += _other_than_the_agents_left_them(reader)
    return CheckReport(traces=reader.manifest.traces.count, accepted=accepted, findings=tuple(findings))


def _check_traces(reader: RunReader, execute: Execute, findings: list[Finding], advance: Advance | None) -> dict[str, int]:
    """Adds what is wrong in the traces; returns instance id -> place in their file."""
    ids: dict[str, str] = {}
    questions: dict[str, str] = {}
    places: dict[str, int] = {}
    total, last = reader.manifest.traces.count, ""
    for place, record in enumerate(reader.instances().records()):
        findings += (_finding(record.id, what) for what in execute(record))
        if _earlier(ids, record.id, record.id) is not None:
            findings.append(_finding(record.id, "its id is there twice"))
        elif record.id < last:
            findings.append(_finding(record.id, "the traces are not sorted by id"))
        if earlier := _earlier(questions, _asked(record), record.id):
            findings.append(_finding(record.id, f"what it asks repeats that of {earlier}"))
        if record.dataset != reader.manifest.dataset:
            findings.append(_finding(record.id, "its dataset is not the run's"))
        if record.final_question is not None:
            findings.append(_finding(record.id, "a trace has a final question before any agent has worked"))
        places[record.id], last = place, record.id
        if advance is not None:
            advance("traces", place + 1, total)
    return places


def _check_results(reader: RunReader, places: Mapping[str, int], findings: list[Finding]) -> int:
    """Adds what is wrong in the final files; returns the number of benchmark records."""
    ids: dict[str, str] = {}
    questions: dict[str, str] = {}
    modes = reader.config().config.agents.verifier.modes
    accepted = 0
    with reader.database() as database:
        for part, file in reader.benchmark_files().items():
            for record in parse_lines(INSTANCE_TYPES[reader.manifest.origin], file):
                accepted += 1
                if _earlier(ids, record.id, record.id) is not None:
                    findings.append(_finding(record.id, "its id is in the final files twice"))
                if part_of(record) != part:
                    findings.append(_finding(record.id, f"it stands in the {part} file"))
                as_trace = record.model_copy(update={"final_question": None, "backend": None})
                if record.id in places and as_trace != reader.instances().record(places[record.id]):
                    findings.append(_finding(record.id, "it differs from its trace"))
                if earlier := _earlier(questions, normalise_label(record.final_question or ""), record.id):
                    findings.append(_finding(record.id, f"its question repeats that of {earlier}"))
                findings += (_finding(record.id, what) for what in _missing_proof(record, database, modes))
    for model, name in zip(_THROWN[reader.manifest.origin], (DISCARDED, FAILED), strict=True):
        for other in parse_lines(model, reader.path / name):
            if _earlier(ids, other.id, other.id) is not None:
                findings.append(_finding(other.id, "its id is in the final files twice"))
    findings += (_finding(ident, "it is in the final files but was not sampled") for ident in sorted(ids.keys() - places.keys()))
    if len(ids) != reader.manifest.taken:
        findings.append(_finding(str(reader.path), f"{reader.manifest.taken} traces were taken, but the files hold {len(ids)}"))
    return accepted


def _other_than_the_agents_left_them(reader: RunReader) -> Iterator[Finding]:
    """Final files, line by line, that are not what the outcomes in the database make of the traces."""
    files: dict[Group, Path] = dict(reader.benchmark_files().items())
    files |= {Status.DISCARDED: reader.path / DISCARDED, Status.FAILED: reader.path / FAILED}
    with reader.database() as database:
        taken = range(reader.manifest.taken)
        results = Results(reader.instances().records(taken), database.outcome, backend_of(reader.config().config))
        stored = {group: read_lines(file) for group, file in files.items()}
        for group, line in results.lines():
            if next(stored[group], None) != line:
                yield _finding(str(files[group]), "it is not what the agents' outcomes come to: a line was changed, moved or taken out")
                return
    for group, lines in stored.items():
        if next(lines, None) is not None:
            yield _finding(str(files[group]), "it has lines that no outcome of the agents comes to")
    if results.counts != reader.manifest.counts:
        yield _finding(str(reader.path / MANIFEST), "its counts are not those of the final files")


def _missing_proof(record: Instance, database: RunDatabase, modes: Collection[str]) -> Iterator[str]:
    """What the trajectory lacks to prove that the record's very question was verified in every mode, and cleared."""
    outcome, visits = database.outcome(record.id), database.trajectory(record.id).visits
    if outcome is None or outcome.question != record.final_question:
        yield "its question is not the one that the agents accepted"
    if not visits or visits[-1].to != Terminal.ACCEPTED:
        yield "its trajectory does not end in accepted"
        return
    written = [visit for visit in visits if visit.outcome is Outcome.WRITTEN]
    if not written or written[-1].result.get("question") != record.final_question:
        yield "its question is not the one that was written last"
        return
    after = visits[written[-1].seq + 1 :]
    judging = [visit for visit in after if visit.mode is not None]
    last = [visit for visit in judging if visit.node is judging[-1].node]
    verified = {visit.mode for visit in last} == set(modes) and all(visit.outcome is Outcome.AGREES for visit in last)
    cleared = bool(after) and after[-1].node in (Node.LEAK_CHECK, Node.SECOND_LEAK_CHECK) and after[-1].outcome is Outcome.CLEAN
    if not (verified and cleared):
        yield "not every mode of the verifier and the leak check passed the question that was written last"


def _asked(record: Instance) -> str:
    """What an instance asks, to be compared; each phrasing of a query is asked apart."""
    return f"{record.phrasing} {record.sql}" if isinstance(record, TableInstance) else normalise_label(record.raw_question)


def _earlier(seen: dict[str, str], key: str, ident: str) -> str | None:
    """The instance that had this key before, if any; else this one is remembered."""
    if key in seen:
        return seen[key]
    seen[key] = ident
    return None


def _finding(where: str, what: str) -> Finding:
    return Finding(where=where, what=what)
