"""`replay`: one instance's recorded history, run again by the same state machine without network."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

import orjson

from agents.replay import replay_instance as replay_record
from runs.building import prompt_files, with_prompts_of
from runs.run_folder import RunReader
from runs.show import describe_history
from state.errors import ReplayMismatch, RunFolderError
from state.model_base import FORMAT_VERSION
from state.trajectory import Trajectory
from state.vocabulary import Status


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
        reader: the run directory.
        instance_id: the instance.
        current_prompts: render with the prompts that the config names instead of the run's own copies.

    Raises:
        ReplayMismatch: at the first difference from the record.
        RunFolderError: the instance is not there or not finished, or the directory is damaged.
    """
    record = reader.record(instance_id)
    with reader.database() as database:
        outcome, trajectory = database.outcome(record.id), database.trajectory(record.id)
    where = f"{reader.path}, {record.id}"
    if outcome is None:
        raise RunFolderError("the instance is not finished", where=where, remedy="Continue the run with `chronoqg build`.")
    config = reader.config().config
    result = asyncio.run(replay_record(record, trajectory.visits, config if current_prompts else with_prompts_of(reader, config)))
    stored = (outcome.status, outcome.question or None, outcome.reason, outcome.detail, outcome.last_node)
    if stored != (result.status, result.final_question, result.reason, result.detail, result.last_node):
        raise ReplayMismatch("the trajectory does not lead to the recorded outcome", where=where)
    notes = []
    with contextlib.suppress(OSError):
        for name, content in prompt_files(config).items():
            if not current_prompts and (reader.prompts_path / f"{name}.md").read_bytes() != content:
                notes.append(f"note: prompt {name} was changed since the run; --current-prompts replays with it")
    return ReplayReport(trajectory, outcome.status, tuple(notes))
