"""What any question is answered by now, be it of one table or of a join."""

from __future__ import annotations

from collections.abc import Iterable

from state.tdbench_config import TdbenchConfig
from state.tdbench_question import AnswerRow, Question
from tdbench.joins.answering import join_answered
from tdbench.joins.natural import build_joins
from tdbench.questions.answering import answered
from tdbench.sampling import content_of
from tdbench.tables.store import TemporalDatabase


class Answers:
    """The answers that tables give now; joins are made once."""

    def __init__(self, database: TemporalDatabase, config: TdbenchConfig) -> None:
        """Makes the config's joins in the database.

        Raises:
            ConfigError: one cannot be made.
        """
        self.database = database
        self.joins = build_joins(database.connection, database.tables, config)

    def knows(self, question: Question) -> bool:
        """Whether there is a table or join of the question's name."""
        return question.table in self.database.tables or question.table in self.joins

    def of(self, question: Question) -> tuple[tuple[AnswerRow, ...], tuple[AnswerRow, ...]]:
        """The rows that answer a question, and the others of what it asks about, as `gold` and `distractors` hold them."""
        if question.table in self.joins:
            return join_answered(self.database.connection, self.joins[question.table], question)
        return answered(self.database.connection, self.database.tables[question.table], question)

    def content(self, question: Question) -> str:
        """Hash of the rows that a question is about."""
        if question.table in self.joins:
            return content_of(self.database, self.joins[question.table])
        return self.database.reports[question.table].content


def same_rows(one: Iterable[AnswerRow], other: Iterable[AnswerRow]) -> bool:
    """Whether two lists hold the same rows, in whatever order."""
    return sorted(map(_content, one)) == sorted(map(_content, other))


def _content(row: AnswerRow) -> tuple[list[tuple[str, str]], str, str]:
    return sorted(row.values.items()), row.start, row.end or ""
