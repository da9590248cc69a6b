"""A join's question asked of its tables anew: for a refresh, and to check a build by another way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from state.interval import format_granule
from state.tdbench_question import AnswerRow, Question
from tdbench.joins.natural import Join
from tdbench.table import END, START, quote, shown_end


def join_answered(connection: Any, join: Join, question: Question) -> tuple[tuple[AnswerRow, ...], tuple[AnswerRow, ...]]:
    """The rows that answer a question with hops now, and the others, as `gold` and `distractors` hold them.

    One query with the question's own text and values, and one for the rows of the last table that agree with a row of
    the joined table on what the tables share and the question gives. The join has to be made of the tables as they are now.
    """
    gold = dict.fromkeys(connection.execute(question.sql, question.parameters).fetchall())
    every = dict.fromkeys(connection.execute(_every_sql(join, question), question.parameters).fetchall())
    column = question.dependency.dependent
    return shown_rows(join, column, gold), shown_rows(join, column, (row for row in every if row not in gold))


def _every_sql(join: Join, question: Question) -> str:
    last, dependent = join.parts[-1], question.dependency.dependent
    given = set(question.dependency.determinants) | set(join.shared)
    same = [f"l.{quote(own)} = j.{quote(joined)}" for own, joined in last.columns.items() if joined in given]
    wanted = [f"j.{quote(column)} = ?" for column in question.determinants]
    asked = f"l.{quote(last.own(dependent))}"
    return (
        f"SELECT DISTINCT {asked} AS asked, l.{START}, l.{END} FROM {quote(join.table.name)} AS j, {quote(last.table.name)} AS l"
        f" WHERE {' AND '.join([*same, *wanted, f'{asked} IS NOT NULL'])} ORDER BY l.{START}, l.{END} NULLS LAST, asked"
    )


def shown_rows(join: Join, column: str, rows: Iterable[tuple[str, int, int | None]]) -> tuple[AnswerRow, ...]:
    """Rows of the last table as a reader sees them: what they say in a column, and their own bounds as the source has them."""
    table = join.parts[-1].table
    return tuple(
        AnswerRow(values={column: text}, start=format_granule(start, table.granularity), end=shown_end(table, end))
        for text, start, end in rows
    )
