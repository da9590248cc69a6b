"""A question's answer, asked of its table anew: for a refresh, and to check a build by another way."""

from __future__ import annotations

from typing import Any

from state.interval import format_granule
from state.tdbench_question import AnswerRow, Question
from tdbench.questions.query import question_sql
from tdbench.table import TemporalTable, shown_end


def answered(connection: Any, table: TemporalTable, question: Question) -> tuple[tuple[AnswerRow, ...], tuple[AnswerRow, ...]]:
    """The rows that answer a question now, and the others with its X, as `gold` and `distractors` hold them.

    One query with the question's own text and values, and one without its temporal condition.
    """
    without = question_sql(table, question.dependency, ())
    gold = _rows(connection, table, question, question.sql, question.parameters)
    every = _rows(connection, table, question, without, tuple(question.determinants.values()))
    return tuple(gold.values()), tuple(row for key, row in every.items() if key not in gold)


def _rows(
    connection: Any, table: TemporalTable, question: Question, sql: str, parameters: tuple[str | int, ...]
) -> dict[tuple[str, int, int | None], AnswerRow]:
    unit, column = table.granularity, question.dependency.dependent
    found = dict.fromkeys(connection.execute(sql, parameters).fetchall())
    return {
        (text, start, end): AnswerRow(values={column: text}, start=format_granule(start, unit), end=shown_end(table, end))
        for text, start, end in found
    }
