"""`chronoqg tdbench evaluate`: models asked time-sensitive questions, their answers and dates scored. Paper: TDBench, section 4."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from agents.response_cache import ResponseCache
from evaluation.pages.rate_text import usd_text
from evaluation.time_accuracy.asking import Replies, answer_items, ask_cell, judge_items, verdicts_of
from evaluation.time_accuracy.cells import Cell, answer_cells, judge_cell, judge_of
from evaluation.time_accuracy.folder import EvaluationFolder
from evaluation.time_accuracy.questions import Source, read_source
from evaluation.time_accuracy.report import summary_lines, write_time_accuracy_report
from evaluation.time_accuracy.scoring import Evaluation, Row, evaluate_rows
from runs.config_file import LoadedConfig, check_environment
from runs.database import UsageRow
from runs.json_lines import pretty_json
from runs.terminal import Advance, say
from state.errors import ConfigError
from state.tdbench_evaluation import AskedQuestion
from tdbench.scoring.outside import RepliesError, read_replies


@dataclass(frozen=True)
class TimeAccuracyReport:
    """What an evaluation on temporal tables came to."""

    path: Path
    evaluation: Evaluation
    usd_paid: float
    """US dollars paid in the directory, models that are not asked any more included."""
    cut_off: int
    """Calls whose end nobody learned, since the process died or was stopped."""
    written: tuple[Path, ...]
    """The files written."""

    @property
    def failed(self) -> int:
        """Questions without a usable reply, and replies without a usable verdict, over all rows."""
        return sum(row.failed + row.unjudged for row in self.evaluation.summary.rows)

    def lines(self) -> list[str]:
        """The summary for a person."""
        paid = f"paid in this directory: {usd_text(self.usd_paid)} USD"
        cut = f"; {self.cut_off} calls were cut off before their end was known, and count with the most that they can have cost"
        return [*summary_lines(self.evaluation.summary), *([paid + (cut if self.cut_off else "")] if self.usd_paid else [])]

    def as_json(self) -> bytes:
        """The summary for a machine, with what was paid."""
        return pretty_json({**self.evaluation.summary.model_dump(mode="json"), "path": str(self.path), "usd_paid": self.usd_paid})

    def talk(self) -> Iterator[str]:
        """What was written, and the command that most likely comes next."""
        yield f"wrote {', '.join(str(path) for path in self.written if path.suffix in ('.html', '.md', '.json'))}"
        if self.failed:
            yield "next: the same command with --retry-failed"


def evaluate_tables(
    path: Path, loaded: LoadedConfig, own_run: Path, *, retry_failed: bool = False, advance: Advance | None = None
) -> TimeAccuracyReport:
    """Asks, judges and scores, and writes the report; everything that the user may have got wrong is looked at first.

    Args:
        path: the evaluation's directory.
        loaded: the config; its `tdbench.evaluate` says what is asked and scored.
        own_run: the directory of the config's own build, asked where no run and no file is named.
        retry_failed: ask again for what got no usable reply.
        advance: is told how far the work has come.

    Raises:
        ChronoQGError: config, questions, replies, directory, cache or server is not as it must be, or the budget is reached.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    cells, judge, source, outside = plan(loaded, own_run)
    check_environment(loaded, models=[*(cell.model_key for cell in cells), *([judge.model_key] if judge else [])])
    chosen = loaded.config.tdbench.evaluate
    with ExitStack() as stack:
        folder = stack.enter_context(EvaluationFolder(path, loaded.config, source))
        cache = ResponseCache(Path(loaded.config.cache.path)) if cells or judge else None
        if cache is not None:
            stack.callback(cache.close)

        def asked(cell: Cell, questions: Sequence[AskedQuestion], replies: Mapping[str, str] | None) -> Replies:
            items = answer_items(questions) if replies is None else judge_items(questions, replies)
            return ask_cell(folder, cell, items, loaded.config, cache, tell=say, retry_failed=retry_failed, advance=advance)

        rows = []
        for cell in cells:
            given = asked(cell, folder.questions, None)
            asked_of = (cell.model.model, cell.prompt.version)
            row = Row(cell.name, "asked", *asked_of, given.texts, len(given.failed), given.usage, failure=given.failure)
            rows.append((row, cell.folder))
        rows += [(Row(name, "outside", None, None, texts), replies_key(texts)) for name, texts in outside.items()]
        if judge is not None:
            rows = [(_judged(row, asked(judge_of(judge, row.name, key), folder.questions, row.texts)), key) for row, key in rows]
        say(f"scoring {len(rows)} row{'' if len(rows) == 1 else 's'} of {len(folder.questions)} replies")
        evaluation = evaluate_rows(
            folder.questions,
            [row for row, _ in rows],
            source=source.name,
            available=len(source.idents),
            judge=chosen.judge,
            seed=chosen.seed,
        )
        written = write_time_accuracy_report(path, evaluation)
        spent, cut_off = folder.spent()
        return TimeAccuracyReport(path, evaluation, spent / 1e9, cut_off, tuple(written))


def plan(loaded: LoadedConfig, own_run: Path) -> tuple[list[Cell], Cell | None, Source, dict[str, dict[str, str]]]:
    """Who is asked, who judges, what is asked, and the replies of each file; nobody is asked yet.

    Raises:
        ChronoQGError: config, questions or replies are not as they must be.
    """
    chosen = loaded.config.tdbench.evaluate
    cells, judge = answer_cells(loaded), judge_cell(loaded)
    if not cells and not chosen.replies:
        remedy = "Name models of provider openai under tdbench.evaluate.models, or score replies that you have with --replies NAME=FILE."
        raise ConfigError("there is nobody to ask", where="tdbench.evaluate.models", remedy=remedy)
    source = read_source(loaded.config, own_run)
    return cells, judge, source, {name: outside_replies(Path(file), source) for name, file in chosen.replies.items()}


def outside_replies(path: Path, source: Source) -> dict[str, str]:
    """The replies of a file to the questions that are asked; where fewer are asked than there are, it may answer all.

    Raises:
        RepliesError: it is no such file, or does not line up with the questions.
    """
    asked = [question.id for question in source.asked]
    try:
        return read_replies(path, asked)
    except RepliesError:
        if len(asked) == len(source.idents):
            raise
        try:
            everything = read_replies(path, sorted(source.idents))
        except RepliesError:
            everything = None
        if everything is None:
            raise
        return {ident: everything[ident] for ident in asked}


def replies_key(texts: Mapping[str, str]) -> str:
    """What identifies the replies of a file: the hash of ids and texts."""
    return hashlib.sha256(pretty_json(dict(sorted(texts.items())))).hexdigest()


def _judged(row: Row, replies: Replies) -> Row:
    usage: tuple[UsageRow, ...] = (*row.usage, *replies.usage)
    return replace(row, verdicts=verdicts_of(replies), usage=usage, judge_failure=replies.failure)
