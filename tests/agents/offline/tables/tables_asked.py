"""Questions about tables on their way to English and back: the requests of both sides, made from a table and its questions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal, NamedTuple

from agents.offline.tables.rewriter import translate
from agents.offline.tables.verifier import answer_from_rows
from state.interval import format_granule
from state.roles import AnswersReply
from state.table_instance import ShownRow, ShownTable
from state.table_roles import TableVerifyRequest, TranslateRequest
from state.tdbench_question import Kind, Question
from tdbench.questions.query import readable_sql
from tdbench.table import TemporalTable
from tests.tdbench.questions.temporal_tables import Row

Ends = Literal["exclusive", "inclusive"]


class Asked(NamedTuple):
    """A question with the rows that its reader is shown."""

    question: Question
    table: TemporalTable
    shown: ShownTable
    ends: Ends
    as_of: str | None

    @property
    def name(self) -> str:
        """What the asked column is called."""
        return self.table.glossary[self.question.dependency.dependent]


def asked_of(question: Question, table: TemporalTable, rows: Sequence[Row], *, ends: Ends, as_of: str | None, foils: int = 12) -> Asked:
    """All rows of the question's thing and some of others, shuffled by the question's id."""
    dependency = question.dependency
    columns = (*dependency.determinants, dependency.dependent)
    places = [table.columns.index(column) for column in columns]
    given = list(question.determinants.values())
    chosen = random.Random(question.id)
    usable = [row for row in rows if row.values[places[-1]] is not None]
    own = [row for row in usable if [row.values[place] for place in places[:-1]] == given]
    others = [row for row in usable if row not in own]
    kept = own + chosen.sample(others, min(foils, len(others)))
    chosen.shuffle(kept)
    unit, inclusive = table.granularity, int(ends == "inclusive")
    shown = ShownTable(
        name=table.name,
        columns=tuple(table.glossary[column] for column in columns),
        ends=ends,
        open_end=table.open_end,
        rows=tuple(
            ShownRow(
                values=tuple(row.values[place] or "" for place in places),
                start=format_granule(row.start, unit),
                end=None if row.end is None else format_granule(row.end - inclusive, unit),
            )
            for row in kept
        ),
    )
    return Asked(question, table, shown, ends, as_of)


def request_of(asked: Asked, phrasing: int, sql: str | None = None) -> TranslateRequest:
    """What the rewriter is shown."""
    return TranslateRequest(
        sql=readable_sql(asked.question, asked.table) if sql is None else sql,
        glossary=asked.table.glossary,
        unit=asked.table.granularity,
        ends=asked.ends,
        open_end=asked.table.open_end,
        as_of=asked.as_of,
        is_about_now=asked.question.kind is Kind.NOW,
        phrasing=phrasing,
        phrasings=3,
        avoid=(),
    )


def read_back(asked: Asked, question: str) -> AnswersReply:
    """What the verifier makes of a question."""
    return answer_from_rows(TableVerifyRequest(question=question, tables=(asked.shown,), unit=asked.table.granularity, as_of=asked.as_of))


def written(asked: Asked, phrasing: int, sql: str | None = None) -> str:
    """What the rewriter makes of a query."""
    return translate(request_of(asked, phrasing, sql)).question
