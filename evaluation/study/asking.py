"""The cells of a study, one after the other: what is finished is not asked again, and one budget holds for all.

A cell is asked by the engine, the role code, the cache and the ledger of a run. Cells of prompts that
were edited since stay on the disk and in the bill, and nowhere else.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import NamedTuple

from agents.response_cache import ResponseCache
from agents.rules_backend import LABEL
from agents.setup import build_workflow
from evaluation.study.cells import Cell
from evaluation.study.folder import StudyFolder
from runs.building import agents_of, open_cache, with_prompts_of
from runs.config_file import LoadedConfig, check_environment
from runs.database import UsageRow
from runs.engine import work_through
from runs.fork_folder import ForkFolder
from runs.forks import ForkReader
from runs.json_lines import RESTORE
from runs.ledger import RunLedger
from runs.rare_collections import rare_collections
from runs.run_models import copy_modes, find_modes
from runs.terminal import Advance
from state.errors import ChronoQGError, RunFolderError
from state.study import CellUsage
from state.trajectory import Visit
from state.vocabulary import Node, Status, Terminal

Tell = Callable[[str], None]


class Answered(NamedTuple):
    """A cell and where its answers are."""

    cell: Cell
    reader: ForkReader


def cell_usage(rows: Iterable[UsageRow]) -> CellUsage:
    """What a cell used, from the usage of its roles."""
    rows = list(rows)
    return CellUsage(
        calls=sum(row.calls for row in rows),
        cached_calls=sum(row.cached_calls for row in rows),
        usd_paid=sum(row.usd_paid for row in rows),
        usd_saved=sum(row.usd_saved for row in rows),
    )


def check_history(status: Status, visits: Sequence[Visit], where: str) -> None:
    """Passes if the stored visits of a finished instance are whole and end as its outcome says.

    Raises:
        RunFolderError: they do not, so the database was damaged.
    """
    accepts = bool(visits) and visits[-1].to in (Terminal.ACCEPTED, Terminal.VERIFIED)
    fits = status is Status.FAILED or accepts == (status is Status.ACCEPTED)
    if not visits or [visit.seq for visit in visits] != list(range(len(visits))) or not fits:
        raise RunFolderError("the stored history does not lead to the stored outcome", where=where, remedy=RESTORE)


def open_cache_for(cells: Sequence[Cell]) -> AbstractContextManager[ResponseCache | None]:
    """The cache of a study, if any cell needs a server."""
    needs = [cell for cell in cells if any(model.provider != LABEL for model in cell.config.models.values())]
    return open_cache(needs[0].config) if needs else nullcontext()


def check_cells(loaded: LoadedConfig, cells: Sequence[Cell]) -> None:
    """Passes if every cell's keys are set and its models can be held to the budget.

    Raises:
        ConfigError: they are not.
    """
    for cell in cells:
        check_environment(replace(loaded, config=cell.config))


def ask_cells(
    study: StudyFolder,
    cells: Sequence[Cell],
    cache: ResponseCache | None,
    *,
    tell: Tell,
    retry_failed: bool = False,
    advance: Advance | None = None,
) -> list[Answered]:
    """Asks every cell every record of the study that it has not finished.

    Raises:
        ChronoQGError: a server, a key or the budget stops the study; what is finished is kept.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    answered = []
    for number, cell in enumerate(cells, start=1):
        with ForkFolder(study.reader, cell.folder, cell.node, cell.config, verifies_only=cell.node is Node.VERIFY) as folder:
            finished = folder.database.finished()
            taken = [
                place
                for place, ident in enumerate(study.reader.trace_file().ids())
                if ident not in finished or (retry_failed and finished[ident] is Status.FAILED)
            ]
            if taken:
                tell(f"cell {number} of {len(cells)}: {cell.name}, {len(taken)} of {len(study.reader.trace_file())} questions to ask")
                try:
                    _ask(study, cell, folder, taken, cache, tell, advance)
                except (KeyboardInterrupt, ChronoQGError):
                    tell(f"{len(folder.database.finished())} questions of cell {cell.name} are done; the same command goes on")
                    raise
            answered.append(Answered(cell, folder.reader))
    return answered


def _ask(
    study: StudyFolder,
    cell: Cell,
    folder: ForkFolder,
    taken: Sequence[int],
    cache: ResponseCache | None,
    tell: Tell,
    advance: Advance | None,
) -> None:
    config = with_prompts_of(folder.reader, cell.config)
    elsewhere = 0
    for other in study.cells():
        if other.note.name != cell.folder and other.has_agents:
            with other.database() as database:
                elsewhere += database.spent()
                copy_modes(config, other.config().config, database, folder.database)
    ledger = RunLedger(folder.database, config.models, config.run.budget_usd, tell=tell, spent_elsewhere=elsewhere)
    config = asyncio.run(find_modes(config, folder.database, ledger, tell))
    workflow = build_workflow(
        config,
        environ=os.environ,
        cache=cache,
        ledger=ledger,
        tell=tell,
        unusable=folder.database,
        verifies_only=cell.node is Node.VERIFY,
    )

    def advance_cell(what: str, done: int, total: int) -> None:
        if advance is not None:
            advance(cell.name, done, total)

    traces = study.reader.trace_file()
    counts = len(taken), len(traces)
    agents = agents_of(workflow)
    with rare_collections():
        asyncio.run(work_through(map(traces.record, taken), agents, config.run.concurrency, folder.database, counts, advance_cell))
