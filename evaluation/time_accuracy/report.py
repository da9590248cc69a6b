"""What `chronoqg tdbench evaluate` writes and prints: data, tables, a figure and two reports of the same content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.pages.rate_text import points_text, rate_percent
from evaluation.pages.report_files import Report, filled, grids, write_report
from evaluation.pages.tables import Table, as_text
from evaluation.time_accuracy.figures import JudgedFigures, RowFigures, TimeAccuracySummary
from evaluation.time_accuracy.items import EvaluationData
from evaluation.time_accuracy.scoring import Evaluation
from evaluation.time_accuracy.tables import (
    HEADS,
    gold_text,
    has_verdicts,
    paper_notes,
    paper_tables,
    reference_note,
    replies_table,
    scores_table,
    summary_tables,
)
from state.tdbench_evaluate_config import RULES
from state.tdbench_scoring import ScoredReply

if TYPE_CHECKING:  # the drawing and the templates are loaded when a report is written, so that commands start quickly
    from evaluation.pages.charts import Picture
    from evaluation.pages.page_parts import Block, Explorer, Section

STEM = "evaluation"
"""Stem of `evaluation.json`, `evaluation.md` and `evaluation.html`."""
PICTURES = ("rates",)
PAPER_NOTE = (
    "Printed in the paper, for its own questions, models and judge: reference figures, not measured here, and not to be set "
    "beside the figures above."
)


def write_time_accuracy_report(folder: Path, evaluation: Evaluation) -> list[Path]:
    """Writes data and reports, each file whole or not at all; the same evaluation gives the same bytes.

    Args:
        folder: where to: `evaluation.json`, `summary.json`, `evaluation.md`, `evaluation.html`, `tables/` and `figures/`.
        evaluation: what was scored.

    Returns:
        What was written.

    Raises:
        RunFolderError: the disk refuses.
    """
    data, summary = evaluation.data, evaluation.summary
    pictures = _pictures(summary)
    made = summary_tables(summary)
    report = Report("Answers and their dates", _lead(summary), "", _sections(data, summary, made, pictures))
    tables = (*(table for table in made.values() if table.rows), *paper_tables(), replies_table(data))
    _forget_empty(folder, made)
    return write_report(folder, data, summary, report, tables=tables, pictures=pictures, all_pictures=PICTURES, stem=STEM)


def summary_lines(summary: TimeAccuracySummary) -> list[str]:
    """What a person reads in the terminal: the scores of all rows, how far the judges agree, and the notes."""
    made = summary_tables(summary)
    lines = as_text(scores_table(summary))
    if made["reference"].rows:
        lines += ["", *as_text(made["reference"])]
    if made["agreement"].rows:
        lines += ["", *as_text(made["agreement"])]
    return [*lines, *(f"note: {note}" for note in (reference_note(summary), *summary.notes) if note)]


def _lead(summary: TimeAccuracySummary) -> list[str]:
    def count(number: int, what: str) -> str:
        return f"{number} {what}{'' if number == 1 else 's'}"

    asked = f"{count(summary.questions, 'question')}, {count(len(summary.rows), 'row')}"
    how = "with rows shown (open book)" if summary.with_rows else "without rows shown (closed book)"
    judges = "the rules" if summary.judge == RULES else f"the rules, and beside them {summary.judge}"
    return [
        " ".join(filter(None, (_best(summary), reference_note(summary)))),
        f"{asked}, {how}, from {summary.source}; judged by {judges}; seed {summary.seed}, chronoqg {summary.chronoqg}.",
        "A: the answer is right. T: the demanded dates are given, each in its role. AT: both. "
        "The gap is A - AT: right answers with wrong dates.",
    ]


def _best(summary: TimeAccuracySummary) -> str:
    """The highest AT by the rules, with its gap."""
    by_rules: list[tuple[RowFigures, JudgedFigures]] = [(row, row.judged[0]) for row in summary.rows]
    best = max(by_rules, key=lambda pair: pair[1].whole.tally.both)
    alike = [row.name for row, judged in by_rules if judged.whole.tally.both == best[1].whole.tally.both]
    whole = best[1].whole
    who = best[0].name if len(alike) == 1 else f"{len(alike)} rows alike"
    gap = "" if len(alike) > 1 else f", where A is {rate_percent(whole.a)} and the gap {points_text(whole.gap.value)} points"
    return f"Highest AT: {who}, {rate_percent(whole.at)} %{gap}."


def _pictures(summary: TimeAccuracySummary) -> tuple[Picture, ...]:
    from evaluation.study.rates_picture import TwoRates, rates_picture

    cells = [
        TwoRates(row.name if judged.judge == RULES else f"{row.name}, by {judged.judge}", judged.whole.a, judged.whole.at)
        for row in summary.rows
        for judged in row.judged
        if has_verdicts(row, judged)
    ]
    caption = f"Answer accuracy A and accuracy of answer and dates AT with 95 % intervals, {summary.questions} questions."
    made = rates_picture(cells, ("A", "AT"), caption)
    return () if made is None else (made,)


def _sections(data: EvaluationData, summary: TimeAccuracySummary, made: dict[str, Table], pictures: tuple[Picture, ...]) -> list[Section]:
    """The parts of both reports; those without content are left out."""
    from evaluation.pages.page_parts import Drawing, Listed

    return filled(
        (
            ("scores", "Scores", [*(Drawing(picture) for picture in pictures), *grids(made, "scores", "reference")]),
            ("notes", "Notes", [Listed(summary.notes)] if summary.notes else []),
            ("comparisons", "Rows beside each other", grids(made, "comparisons")),
            ("agreement", "The judge and the rules", grids(made, "agreement", "verdicts", folded=("verdicts",))),
            ("now", "Questions about now", grids(made, "alignment")),
            ("answers", "What was answered", grids(made, "answers")),
            ("parts", "Parts of the questions", grids(made, *(f"by_{by}" for by in HEADS))),
            ("cost", "Cost", grids(made, "costs")),
            ("paper", "The paper's own figures", list(_paper())),
            ("replies", "Replies", [_explorer(data)]),
            ("making", "How it was made", grids(made, "questions", "signatures", folded=("signatures",))),
        )
    )


def _paper() -> Iterator[Block]:
    from evaluation.pages.page_parts import Grid, Listed, Text

    yield Text((PAPER_NOTE,))
    for table in paper_tables():
        yield Grid(table, is_folded=True)
    yield Listed(paper_notes())


def _explorer(data: EvaluationData) -> Explorer:
    from evaluation.pages.page_parts import MOST_EXPLORED, Explorer, Setting

    shown = data.questions[:MOST_EXPLORED]
    items = tuple(
        (one.id, one.scored.question, gold_text(one.scored.gold), one.scored.relation, one.scored.cardinality, one.scored.domain)
        for one in shown
    )
    settings = tuple(
        Setting(row.name, "", tuple((item.reply, *_said(item.rules), *_said(item.judge)) for item in row.replies[: len(shown)]))
        for row in data.rows
    )
    left_out = f"The first {len(shown)} of {len(data.questions)} questions; tables/replies.csv has all."
    return Explorer(
        item_columns=("id", "question", "gold", "relation", "answers", "domain"),
        answer_columns=("reply", "answer", "dates", "answer by the judge", "dates by the judge"),
        filters=("relation", "answers", "domain", "answer", "dates", "answer by the judge", "dates by the judge"),
        items=items,
        settings=settings,
        note=left_out if len(shown) < len(data.questions) else "",
        setting="row",
    )


def _said(scored: ScoredReply | None) -> tuple[str, str]:
    return ("-", "-") if scored is None else (scored.answer.value, scored.time.value)


def _forget_empty(folder: Path, made: dict[str, Table]) -> None:
    """Tables of an earlier call that are empty now, as those of a judge that is not asked any more."""
    for table in made.values():
        if not table.rows:
            (folder / "tables" / f"{table.name}.csv").unlink(missing_ok=True)
