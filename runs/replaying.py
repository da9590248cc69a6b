"""`replay`: recorded histories, one or all of a run's, run again by the same state machine without network."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from agents.replay import RecordedStart, Replayer
from runs.building import prompt_files, with_prompts_of
from runs.database import InstanceOutcome, RunDatabase
from runs.forks import ForkReader
from runs.kinds import kind_of
from runs.run_folder import RunReader
from runs.run_models import with_noted_modes
from runs.show import describe_history
from state.config import Config
from state.errors import ReplayMismatch, RunFolderError
from state.model_base import FORMAT_VERSION
from state.trajectory import Trajectory
from state.vocabulary import Node, Status


@dataclass(frozen=True)
class ReplayReport:
    """A replay that found no difference."""

    trajectory: Trajectory
    status: Status
    notes: tuple[str, ...]

    def lines(self) -> list[str]:
        """The history for a person."""
        tries = sum(len(visit.tries) for visit in self.trajectory.visits)
        verdict = f"replayed {len(self.trajectory.visits)} visits and {tries} replies: {self.status.value}, the same as recorded"
        return [self.trajectory.instance_id, *describe_history(self.trajectory), "", verdict]

    def as_json(self) -> bytes:
        """The history for a machine."""
        data = {
            "format": FORMAT_VERSION,
            "same": True,
            "status": self.status.value,
            "trajectory": self.trajectory.model_dump(mode="json", by_alias=True),
        }
        return orjson.dumps(data, option=orjson.OPT_INDENT_2) + b"\n"


def replay_instance(reader: RunReader, instance_id: str, *, current_prompts: bool = False) -> ReplayReport:
    """The replay of one instance.

    Args:
        reader: the run directory, or a fork of one.
        instance_id: the instance.
        current_prompts: render with the prompts that the config names instead of the run's own copies.

    Raises:
        ReplayMismatch: at the first difference from the record.
        RunFolderError: the instance is not there or not finished, or the directory is damaged.
    """
    ident = reader.instance(instance_id).id
    with reader.database() as database:
        replayed = RunReplayer(reader, database, current_prompts=current_prompts).replay(ident)
    return ReplayReport(replayed.trajectory, replayed.outcome.status, tuple(prompt_notes(reader, current_prompts=current_prompts)))


class Replayed(NamedTuple):
    """An instance whose history came out as recorded."""

    outcome: InstanceOutcome
    trajectory: Trajectory


class RunReplayer:
    """Replays instances of one run or fork by their ids, prompts and graph loaded once."""

    def __init__(self, reader: RunReader, database: RunDatabase, *, current_prompts: bool = False) -> None:
        """Loads config and prompts.

        Args:
            reader: the run directory, or a fork of one.
            database: its database.
            current_prompts: render with the prompts that the config names instead of the run's own copies.

        Raises:
            ConfigError: a prompt is missing or broken.
            RunFolderError: the directory is damaged.
        """
        self._reader = reader
        self._database = database
        self._traces = reader.instances()
        self._numbers = {ident: number for number, ident in enumerate(self._traces.ids())}
        config = with_noted_modes(_config(reader, current_prompts), database)
        start, verifies_only = None, isinstance(reader, ForkReader) and reader.note.verifies_only
        if isinstance(reader, ForkReader) and reader.note.node is not Node.REWRITE and not verifies_only:
            with reader.parent.database() as earlier:
                start = RecordedStart(reader.node, with_noted_modes(_config(reader.parent, current_prompts), earlier))
        self._replayer = Replayer(config, kind=kind_of(reader.manifest.origin), start=start, verifies_only=verifies_only)

    def replay(self, instance_id: str) -> Replayed:
        """The replay of one instance, by its full id.

        Raises:
            ReplayMismatch: at the first difference from the record.
            RunFolderError: the instance is not there or not finished, or the directory is damaged.
        """
        where = f"{self._reader.path}, {instance_id}"
        number, outcome = self._numbers.get(instance_id), self._database.outcome(instance_id)
        if outcome is None:
            raise RunFolderError("the instance is not finished", where=where, remedy="Continue the run with `chronoqg build`.")
        if number is None:
            raise RunFolderError("the instance has an outcome, but no trace", where=where)
        record, trajectory = self._traces.record(number), self._database.trajectory(instance_id)
        result = self._replayer.replay(record, trajectory.visits)
        stored = (outcome.status, outcome.question or None, outcome.reason, outcome.detail, outcome.last_node)
        if stored != (result.status, result.final_question, result.reason, result.detail, result.last_node):
            raise ReplayMismatch("the trajectory does not lead to the recorded outcome", where=where)
        return Replayed(outcome, trajectory)


def prompt_notes(reader: RunReader, *, current_prompts: bool) -> Iterator[str]:
    """A note for each prompt that was changed since the run and is not what a replay rendered with."""
    if current_prompts:
        return
    with contextlib.suppress(OSError):
        for name, content in prompt_files(reader.config().config, kind_of(reader.manifest.origin)).items():
            if (reader.prompts_path / f"{name}.md").read_bytes() != content:
                yield f"note: prompt {name} was changed since the run; --current-prompts replays with it"


def _config(reader: RunReader, current_prompts: bool) -> Config:
    config = reader.config().config
    return config if current_prompts else with_prompts_of(reader, config)
