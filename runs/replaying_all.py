"""`replay --all`: every finished history of a run, in several processes, told in the order of the ids."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from graph_sampler.pool_worker import end_with
from runs.forks import open_run
from runs.rare_collections import rare_collections
from runs.replaying import RunReplayer, prompt_notes
from runs.terminal import Advance
from state.errors import ReplayMismatch, RunFolderError
from state.model_base import FORMAT_VERSION

MOST_PROCESSES = 8
_MOST_IN_CHUNK = 32
_WORTH_A_POOL = 64
"""Instances; fewer are done before other processes would have started."""


class Difference(NamedTuple):
    """The first place at which one instance's replay differs from its record."""

    instance_id: str
    where: str
    what: str
    diff: tuple[str, ...]
    """Between the request rendered and the nearest one recorded, if that is what differs."""

    def line(self) -> str:
        """All but the diff, as one line."""
        return f"{self.where}: {self.what}"


class _Count(NamedTuple):
    visits: int
    replies: int


@dataclass(frozen=True)
class RunReplayReport:
    """What the replay of a whole run found."""

    run: str
    instances: int
    visits: int
    """Node visits of the instances that came out the same."""
    replies: int
    """Recorded tries of the instances that came out the same."""
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]

    def lines(self) -> list[str]:
        """The summary for a person: each difference, then the counts."""
        verdict = f"replayed {self.instances} instances, {self.visits} visits, {self.replies} replies"
        if not self.differences:
            return [f"{verdict}: all the same as recorded"]
        return [*(found.line() for found in self.differences), f"{verdict}: {len(self.differences)} instances differ from the record"]

    def as_json(self) -> bytes:
        """The summary for a machine."""
        data = {
            "format": FORMAT_VERSION,
            "run": self.run,
            "same": not self.differences,
            "instances": self.instances,
            "visits": self.visits,
            "replies": self.replies,
            "differences": [
                {"id": found.instance_id, "where": found.where, "what": found.what, "diff": found.diff} for found in self.differences
            ],
        }
        return orjson.dumps(data, option=orjson.OPT_INDENT_2) + b"\n"


def replay_run(
    address: str, *, current_prompts: bool = False, processes: int | None = None, advance: Advance | None = None
) -> RunReplayReport:
    """The replay of every finished instance; a difference ends its instance, not the run.

    Args:
        address: the run directory, or `RUN@FORK`.
        current_prompts: render with the prompts that the config names instead of the run's own copies.
        processes: how many to use; by default one a core, eight at most.
        advance: is told how far the work has come.

    Raises:
        RunFolderError: the run is damaged as a whole, or nothing in it is finished.
        ConfigError: a prompt is missing or broken.
    """
    reader = open_run(address)
    with reader.database() as database:
        ids = sorted(database.finished())
    if not ids:
        raise RunFolderError("no instance is finished", where=address, remedy="Continue the run with `chronoqg build`.")
    visits = replies = done = 0
    differences: list[Difference] = []
    for results in _in_order(address, current_prompts, ids, processes):
        for result in results:
            if isinstance(result, Difference):
                differences.append(result)
            else:
                visits += result.visits
                replies += result.replies
        done += len(results)
        if advance is not None:
            advance("instances", done, len(ids))
    notes = tuple(prompt_notes(reader, current_prompts=current_prompts))
    return RunReplayReport(address, len(ids), visits, replies, tuple(differences), notes)


def _in_order(address: str, current_prompts: bool, ids: Sequence[str], processes: int | None) -> Iterator[list[_Count | Difference]]:
    """The results in chunks, in the order of the ids."""
    count = min(processes or os.cpu_count() or 1, MOST_PROCESSES)
    if count == 1 or (processes is None and len(ids) < _WORTH_A_POOL):
        with _worker(address, current_prompts) as replayer:
            yield from (_replay_chunk(replayer, chunk) for chunk in _chunks(ids, 1))
        return
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    pool = ProcessPoolExecutor(count, context, _start, (os.getpid(), address, current_prompts))
    try:
        size = max(1, min(_MOST_IN_CHUNK, len(ids) // (4 * count)))
        yield from pool.map(_call, _chunks(ids, size))
    finally:
        pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _worker(address: str, current_prompts: bool) -> Iterator[RunReplayer]:
    reader = open_run(address)
    with reader.database() as database, rare_collections():
        yield RunReplayer(reader, database, current_prompts=current_prompts)


_replayer: RunReplayer | None = None
_open = contextlib.ExitStack()


def _start(parent: int, address: str, current_prompts: bool) -> None:
    """Makes a process of the pool ready; Ctrl-C is the first process's to answer."""
    global _replayer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)
    _replayer = _open.enter_context(_worker(address, current_prompts))


def _call(chunk: Sequence[str]) -> list[_Count | Difference]:
    assert _replayer is not None, "the pool's initializer ran"
    return _replay_chunk(_replayer, chunk)


def _replay_chunk(replayer: RunReplayer, chunk: Iterable[str]) -> list[_Count | Difference]:
    return [_replay(replayer, ident) for ident in chunk]


def _replay(replayer: RunReplayer, instance_id: str) -> _Count | Difference:
    try:
        visits = replayer.replay(instance_id).trajectory.visits
    except ReplayMismatch as err:
        return Difference(instance_id, err.where, err.what, err.diff)
    except RunFolderError as err:
        return Difference(instance_id, err.where, err.what, ())
    return _Count(len(visits), sum(len(visit.tries) for visit in visits))


def _chunks(ids: Sequence[str], size: int) -> list[Sequence[str]]:
    return [ids[at : at + size] for at in range(0, len(ids), size)]
