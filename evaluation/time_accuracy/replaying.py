"""`chronoqg tdbench evaluate --replay`: every request is rendered again and compared with the record; no model is called.

Prompts and settings are those that the directory keeps. The recorded replies are read again, and must lead to the
answers and verdicts that are stored; it works with the cache deleted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path

from agents.replay import Comparison, RecordedSource
from evaluation.time_accuracy.asking import Item, answer_items, ask_item, cell_backend, judge_items
from evaluation.time_accuracy.cells import Cell
from evaluation.time_accuracy.folder import CELLS, kept_cells, read_manifest, stored_questions
from evaluation.time_accuracy.items import EvaluationData
from evaluation.time_accuracy.report import STEM
from evaluation.time_accuracy.study import replies_key
from runs.database import RunDatabase
from runs.json_lines import parse_line, read_bytes
from runs.replaying_all import Difference, RunReplayReport
from runs.run_folder import DATABASE, MANIFEST
from runs.terminal import Advance
from state.errors import ReplayMismatch, RunFolderError
from state.vocabulary import Role, Status


def replay_evaluation(path: Path, advance: Advance | None = None) -> RunReplayReport:
    """The replay of every finished answer and verdict of a directory; a difference ends its question in its cell only.

    Raises:
        RunFolderError: there is no such directory, or it is damaged.
    """
    if not (path / MANIFEST).exists():
        raise RunFolderError("there is no evaluation", where=str(path), remedy="Make one with `chronoqg tdbench evaluate CONFIG`.")
    questions = stored_questions(path, read_manifest(path))
    cells, replies = kept_cells(path), dict(_replies(path))
    differences: list[Difference] = []
    count = visits = tries = 0
    for number, cell in enumerate(cells, start=1):
        items = answer_items(questions) if cell.role is Role.ANSWERER else judge_items(questions, replies.get(cell.replies or "", {}))
        with _Reader(path / CELLS / cell.folder / DATABASE) as database:
            by_id = {item.id: item for item in items}
            for ident in sorted(database.finished()):
                count += 1
                try:
                    seen = _replay(cell, by_id.get(ident), ident, database)
                except ReplayMismatch as err:
                    differences.append(Difference(f"{cell.folder}, {ident}", err.where, err.what, tuple(err.diff)))
                else:
                    visits, tries = visits + 1, tries + seen
        if advance is not None:
            advance("cells", number, len(cells))
    return RunReplayReport(str(path), count, visits, tries, tuple(differences), ())


class _Reader:
    """A database for a while."""

    def __init__(self, path: Path) -> None:
        self._database = RunDatabase(path, writable=False)

    def __enter__(self) -> RunDatabase:
        return self._database

    def __exit__(self, *_: object) -> None:
        self._database.close()


def _replay(cell: Cell, item: Item | None, ident: str, database: RunDatabase) -> int:
    """Tries of one item, if the record leads to what is stored.

    Raises:
        ReplayMismatch: it does not.
    """
    outcome, visits = database.outcome(ident), database.trajectory(ident).visits
    where = f"{cell.folder}, {ident}"
    if item is None or outcome is None:
        raise ReplayMismatch("the record is of a reply that is not there", where=where)
    comparison = Comparison(ident, visits)
    result = asyncio.run(ask_item(item, cell, cell_backend(cell, RecordedSource(ident, visits))))
    for visit in result.visits:
        comparison.compare(visit)
    comparison.end()
    if (result.status, result.final_question or "", result.detail) != (outcome.status, outcome.question, outcome.detail):
        raise ReplayMismatch("the record does not lead to the stored reply", where=where)
    return sum(len(visit.tries) for visit in visits)


def _replies(path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """What judges were shown: the replies of each cell by its folder, and those of files by their hash."""
    for cell in kept_cells(path):
        if cell.role is Role.ANSWERER:
            with _Reader(path / CELLS / cell.folder / DATABASE) as database:
                yield cell.folder, {one.instance_id: one.question for one in database.outcomes() if one.status is Status.ACCEPTED}
    file = path / f"{STEM}.json"
    if file.exists():
        for row in parse_line(EvaluationData, read_bytes(file), file, 1).rows:
            texts = {item.id: item.reply for item in row.replies}
            yield replies_key(texts), texts
