"""`replay` of a generator's row: every stage is rendered again and must ask what the record asked; no model is called."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agents.generator import generator_backend
from agents.replay import Comparison, RecordedSource
from agents.workflow import InstanceResult
from baselines.method import Method, Write
from baselines.writing import write_question, write_reference
from evaluation.generators.asking import prepared
from evaluation.generators.cells import GeneratorCell, generator_cells
from evaluation.generators.datasets import read_benchmarks
from runs.database import InstanceOutcome, RunDatabase
from runs.forks import ForkReader
from runs.replaying import ReplayReport
from runs.replaying_all import Difference, RunReplayReport
from runs.terminal import Advance
from state.errors import ReplayMismatch, RunFolderError
from state.instance import BenchmarkRecord
from state.trajectory import Trajectory, Visit


class GeneratorReplayer:
    """Replays the questions of one row; its benchmark and method are read once."""

    def __init__(self, reader: ForkReader) -> None:
        """Reads what the row was written from.

        Raises:
            ConfigError: method or benchmark is no longer there.
            RunFolderError: the directory is damaged, or the benchmark is another one by now.
        """
        self._reader = reader
        loaded = reader.config()
        benchmarks = read_benchmarks(loaded.config, Path("."))
        (self._cell,) = generator_cells(loaded, benchmarks)
        scored = {record.id for benchmark in benchmarks for record in benchmark.records}
        if lost := sorted(set(reader.trace_file().ids()) - scored):
            raise RunFolderError(f"the benchmark has no {lost[0]} any more", where=benchmarks[0].path, remedy="Restore the run.")
        self._writes: dict[str, Write] = prepared(self._cell, benchmarks) if isinstance(self._cell.method, Method) else {}

    @property
    def cell(self) -> GeneratorCell:
        """The row."""
        return self._cell

    def replay(self, record: BenchmarkRecord, outcome: InstanceOutcome, visits: tuple[Visit, ...]) -> None:
        """Passes if the recorded replies lead to the recorded question.

        Raises:
            ReplayMismatch: at the first difference from the record.
        """
        comparison = Comparison(record.id, visits)
        result = self._again(record, visits)
        for visit in result.visits:
            comparison.compare(visit)
        comparison.end()
        if (result.status, result.final_question or "", result.detail) != (outcome.status, outcome.question, outcome.detail):
            raise ReplayMismatch("the trajectory does not lead to the recorded question", where=f"{self._reader.folder}, {record.id}")

    def notes(self, visits: tuple[Visit, ...]) -> tuple[str, ...]:
        """A note if the method's file was changed since."""
        recorded = {visit.prompt.sha256 for visit in visits if visit.prompt is not None}
        changed = recorded - {self._cell.method_sha256}
        return (f"note: the file of {self._cell.method.key} was changed since; it still asks the same",) if changed else ()

    def _again(self, record: BenchmarkRecord, visits: tuple[Visit, ...]) -> InstanceResult:
        method, model = self._cell.method, self._cell.model_key
        if not isinstance(method, Method):
            return write_reference(record, method)
        assert model is not None
        config = self._cell.config
        sha256 = next((visit.prompt.sha256 for visit in visits if visit.prompt is not None), self._cell.method_sha256)
        backend = generator_backend(model, config.models[model], RecordedSource(record.id, visits), sha256)
        write = self._writes[record.dataset]
        writing = write_question(
            record,
            write,
            backend,
            shows_path=self._cell.shows_path,
            retries=config.agents.retries,
            most_calls=self._cell.most_calls,
        )
        return asyncio.run(writing)


def replay_row_instance(reader: ForkReader, instance_id: str) -> ReplayReport:
    """The replay of one question.

    Raises:
        ReplayMismatch: at the first difference from the record.
        ChronoQGError: the instance, method or benchmark is not there, or the directory is damaged.
    """
    record, replayer = reader.record(instance_id), GeneratorReplayer(reader)
    with reader.database() as database:
        outcome, trajectory = _stored(database, record.id)
    replayer.replay(record, outcome, trajectory.visits)
    return ReplayReport(trajectory, outcome.status, replayer.notes(trajectory.visits))


def replay_row(address: str, reader: ForkReader, advance: Advance | None = None) -> RunReplayReport:
    """The replay of every finished question of a row; a difference ends its instance only.

    Raises:
        ChronoQGError: method or benchmark is not there, or the directory is damaged as a whole.
    """
    replayer, differences, notes = GeneratorReplayer(reader), list[Difference](), dict[str, None]()
    count = visits = replies = 0
    with reader.database() as database:
        finished = database.finished()
        for record in reader.traces():
            if record.id not in finished:
                continue
            count += 1
            outcome, trajectory = _stored(database, record.id)
            try:
                replayer.replay(record, outcome, trajectory.visits)
            except ReplayMismatch as err:
                differences.append(Difference(record.id, err.where, err.what, tuple(err.diff)))
            else:
                visits += len(trajectory.visits)
                replies += sum(len(visit.tries) for visit in trajectory.visits)
                notes |= dict.fromkeys(replayer.notes(trajectory.visits))
            if advance is not None:
                advance("instances", count, len(finished))
    return RunReplayReport(address, count, visits, replies, tuple(differences), tuple(notes))


def _stored(database: RunDatabase, ident: str) -> tuple[InstanceOutcome, Trajectory]:
    outcome = database.outcome(ident)
    if outcome is None:
        raise RunFolderError(
            "the question is not written yet", where=f"{database.path}, {ident}", remedy="Continue with `chronoqg evaluate`."
        )
    return outcome, database.trajectory(ident)
