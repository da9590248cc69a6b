"""The directory of an evaluation on temporal tables: what is asked never changes, and each cell has a database of its own.

questions.jsonl  manifest.json  config.yaml
cells/NAME/{cell.json, prompt.md, run.sqlite}
evaluation.json  summary.json  evaluation.md  evaluation.html  tables/  figures/
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.time_accuracy.cells import Cell, kept_cell
from evaluation.time_accuracy.questions import Source
from runs.claimed_folder import ClaimedFolder
from runs.config_identity import dump_config
from runs.database import RunDatabase
from runs.json_lines import RESTORE, model_line, parse_line, parse_lines, pretty_json, read_bytes, write_whole
from runs.manifest import git_commit, package_versions
from runs.run_folder import CONFIG, DATABASE, MANIFEST
from state.config import Config
from state.errors import RunFolderError
from state.tdbench_evaluation import AskedQuestion, CellNote, EvaluationManifest, QuestionsNote

QUESTIONS, CELLS, CELL, PROMPT = "questions.jsonl", "cells", "cell.json", "prompt.md"
_MADE_AT_FIRST = frozenset((QUESTIONS, CONFIG))


class EvaluationFolder:
    """The directory, owned by this process while it is open."""

    def __init__(self, path: Path, config: Config, source: Source) -> None:
        """Claims the directory; a new one is given the questions.

        Raises:
            RunFolderError: it cannot be written, another process owns it, it is something else, or asks other questions.
        """
        self.path = path
        self._claim = ClaimedFolder(path, _MADE_AT_FIRST, "an evaluation's")
        try:
            lines = [model_line(question) for question in source.asked]
            sha256 = hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
            if not (path / MANIFEST).exists():
                self._begin(config, source, lines, sha256)
            self.manifest = read_manifest(path)
            if self.manifest.questions.sha256 != sha256:
                what = f"the directory belongs to an evaluation of other questions{self._difference(source)}"
                remedy = "Choose another --out; replies to questions that stay the same come from the cache."
                raise RunFolderError(what, where=str(path), remedy=remedy)
            self.questions = stored_questions(path, self.manifest)
        except BaseException:
            self._claim.give_up()
            raise

    def __enter__(self) -> EvaluationFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self._claim.release()

    @contextlib.contextmanager
    def database(self, cell: Cell) -> Iterator[RunDatabase]:
        """The database of a cell, which is begun if it is new.

        Raises:
            RunFolderError: it cannot be written or is damaged, or the cell's note is another one's.
        """
        folder = self.path / CELLS / cell.folder
        note = cell.note
        if not (folder / CELL).exists():
            write_whole(folder / PROMPT, [cell.prompt_content])
            write_whole(folder / CELL, [pretty_json(note.model_dump(mode="json"))])
        elif parse_line(CellNote, read_bytes(folder / CELL), folder / CELL, 1) != note:
            raise RunFolderError("the cell is another one's", where=str(folder / CELL), remedy=RESTORE)
        database = RunDatabase(folder / DATABASE, writable=True)
        try:
            yield database
        finally:
            database.close()

    def spent(self, but: str | None = None) -> tuple[int, int]:
        """Billionths of a US dollar spent in all cells that were ever begun but one, and the calls whose end nobody learned."""
        spent = cut_off = 0
        for path in sorted((self.path / CELLS).glob(f"*/{DATABASE}")):
            if path.parent.name == but:
                continue
            database = RunDatabase(path, writable=False)
            try:
                spent += database.spent()
                cut_off += sum(row.open_calls for row in database.usage())
            finally:
                database.close()
        return spent, cut_off

    def _begin(self, config: Config, source: Source, lines: Sequence[bytes], sha256: str) -> None:
        """The manifest comes last, so that a directory without one is no evaluation yet."""
        write_whole(self.path / QUESTIONS, [line + b"\n" for line in lines])
        write_whole(self.path / CONFIG, [dump_config(config).encode()])
        note = QuestionsNote(source=source.name, count=len(lines), available=len(source.idents), sha256=sha256)
        manifest = EvaluationManifest(questions=note, versions=package_versions(), git_commit=git_commit())
        write_whole(self.path / MANIFEST, [pretty_json(manifest.model_dump(mode="json"))])

    def _difference(self, source: Source) -> str:
        """In what the questions that are there differ, in a few words; empty if that is not plain."""
        kept, books = self.manifest.questions, ("without rows (closed book)", "with rows shown (open book)")
        there = any(question.tables is not None for question in stored_questions(self.path, self.manifest))
        here = any(question.tables is not None for question in source.asked)
        if there != here:
            return f": it asks {books[there]}, this one {books[here]}"
        if (kept.source, kept.count) != (source.name, len(source.asked)):
            return f": it asks {kept.count} of {kept.source}, this one {len(source.asked)} of {source.name}"
        return ""


def read_manifest(path: Path) -> EvaluationManifest:
    """The manifest of a directory.

    Raises:
        RunFolderError: it is damaged, or that of something else.
    """
    content = read_bytes(path / MANIFEST)
    if b'"tdbench evaluate"' not in content:
        what = "the directory is not that of an evaluation on temporal tables"
        raise RunFolderError(what, where=str(path), remedy="Choose another --out.")
    return parse_line(EvaluationManifest, content, path / MANIFEST, 1)


def stored_questions(path: Path, manifest: EvaluationManifest) -> tuple[AskedQuestion, ...]:
    """The questions of a directory, in its order.

    Raises:
        RunFolderError: the file is not the one that was written.
    """
    if hashlib.sha256(read_bytes(path / QUESTIONS)).hexdigest() != manifest.questions.sha256:
        raise RunFolderError("the file is not the one that was written", where=str(path / QUESTIONS), remedy=RESTORE)
    return tuple(parse_lines(AskedQuestion, path / QUESTIONS))


def kept_cells(path: Path) -> list[Cell]:
    """Every cell that was ever begun in a directory, by folder, as it is kept there.

    Raises:
        RunFolderError: a note or a prompt is damaged.
    """
    found = []
    for file in sorted((path / CELLS).glob(f"*/{CELL}")):
        note = parse_line(CellNote, read_bytes(file), file, 1)
        content = read_bytes(file.parent / PROMPT)
        if hashlib.sha256(content).hexdigest() != note.prompt.sha256:
            raise RunFolderError("the prompt is not the one that was used", where=str(file.parent / PROMPT), remedy=RESTORE)
        found.append(kept_cell(file.parent.name, note, content))
    return found


def finished_in(path: Path, folder: str) -> set[str]:
    """Ids of the questions that a cell of a directory has finished; none if it was never begun."""
    file = path / CELLS / folder / DATABASE
    if not file.exists():
        return set()
    database = RunDatabase(file, writable=False)
    try:
        return set(database.finished())
    finally:
        database.close()
