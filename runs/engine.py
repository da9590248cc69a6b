"""One config over many instances: what is finished is not redone, and one failure stops nothing.

Each instance is committed in one transaction when it ends, so the run can be cut off anywhere. Which
instances overlap in time never shows in the final files.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agents.workflow import InstanceResult
from runs.database import InstanceOutcome, RunDatabase
from runs.results import Results, backend_of
from runs.run_folder import RunFolder
from runs.terminal import Advance
from state.any_instance import Instance
from state.errors import ChronoQGError
from state.trajectory import Visit
from state.vocabulary import Node, Status

RunInstance = Callable[[Any], Awaitable[InstanceResult]]
"""Takes one record through the agents; never raises for what a model may do."""


class Agents(NamedTuple):
    """What the engine needs of the agents."""

    run_instance: RunInstance
    aclose: Callable[[], Awaitable[None]]
    """Closes their connections, in the event loop that used them."""


def number_to_take(folder: RunFolder) -> int:
    """How many traces, in id order, the run takes: the limit, and never fewer than an earlier build finished."""
    limit, count = folder.config.run.limit, folder.manifest.traces.count
    return count if limit is None else max(min(limit, count), folder.manifest.taken)


def is_finished(folder: RunFolder, *, retry_failed: bool) -> bool:
    """Whether the final files stand and nothing is left to do."""
    if not folder.has_results(number_to_take(folder)):
        return False
    return not (retry_failed and Status.FAILED in folder.database.finished().values())


def run_pending(folder: RunFolder, agents: Agents, *, retry_failed: bool = False, advance: Advance | None = None) -> list[Path]:
    """Takes the instances that are not finished through the agents; writes the final files and returns their paths.

    Raises:
        ChronoQGError: the run cannot go on; what is finished is kept.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    assert folder.reader is not None, "the traces come first"
    traces, database = folder.reader.instances(), folder.database
    done = {ident for ident, status in database.finished().items() if not (retry_failed and status is Status.FAILED)}
    taken = traces.ids()[: number_to_take(folder)]
    pending = [number for number, ident in enumerate(taken) if ident not in done]
    if pending:
        folder.reopen()
    asyncio.run(
        work_through(map(traces.record, pending), agents, folder.config.run.concurrency, database, (len(pending), len(taken)), advance)
    )
    return folder.write_results(Results(traces.records(range(len(taken))), database.outcome, backend_of(folder.config)))


async def work_through(
    pending: Iterator[Instance],
    agents: Agents,
    concurrency: int,
    database: RunDatabase,
    pending_and_total: tuple[int, int],
    advance: Advance | None,
) -> None:
    """Runs at most `concurrency` instances at a time, each committed as it ends; a cancelled one leaves nothing.

    When one of them shows that the run cannot go on (a budget that is reached, a refused key), no further
    one is begun, but calls that are on their way are waited for: they are paid for.
    """
    left, total = pending_and_total
    done = total - left
    stopped: list[ChronoQGError] = []

    async def work() -> None:
        nonlocal done
        for record in pending:
            try:
                outcome, visits = await _run_one(record, agents.run_instance)
            except ChronoQGError as error:
                stopped.append(error)
                return
            database.commit(outcome, visits)
            done += 1
            if advance is not None:
                advance("instances", done, total)
            if stopped:
                return

    workers = [asyncio.create_task(work()) for _ in range(min(concurrency, left))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        await agents.aclose()
    if stopped:
        raise stopped[0]


async def _run_one(record: Instance, run_instance: RunInstance) -> tuple[InstanceOutcome, Sequence[Visit]]:
    try:
        result = await run_instance(record)
    except ChronoQGError:
        raise
    except Exception as err:
        result = crashed(err)
    outcome = InstanceOutcome(
        instance_id=record.id,
        status=result.status,
        reason=result.reason,
        question=result.final_question or "",
        detail=result.detail,
        last_node=result.last_node,
    )
    return outcome, result.visits


def crashed(err: Exception) -> InstanceResult:
    """What an error in the program makes of its instance."""
    # The message may quote a request, and a request its key: only the kind of error and its place are kept.
    place = traceback.extract_tb(err.__traceback__)[-1]
    detail = f"unexpected {type(err).__name__} in {Path(place.filename).name}:{place.lineno}"
    return InstanceResult(Status.FAILED, None, None, detail, Node.REWRITE, ())
