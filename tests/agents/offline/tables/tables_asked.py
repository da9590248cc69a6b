"""Questions about tables on their way to English and back: the requests of both sides, made from a table and its questions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agents.offline.tables.rewriter import PHRASINGS, translate
from agents.offline.tables.verifier import answer_from_rows
from state.interval import format_granule, parse_granule
from state.roles import AnswersReply
from state.table_instance import ShownRow, ShownTable
from state.table_roles import TableVerifyRequest, TranslateRequest
from state.tdbench_question import DateComparison, Kind, Question
from tdbench.questions.query import readable_sql
from tdbench.table import TemporalTable, shown_end
from tests.tdbench.questions.temporal_tables import Row

FOILS = 12


class Asked(NamedTuple):
    """A question with the rows that its reader is shown."""

    question: Question
    table: TemporalTable
    rows: tuple[Row, ...]
    """Of the thing that is asked about, as the table holds them."""
    shown: ShownTable
    as_of: str | None

    def written(self, phrasing: int) -> str:
        """What the rewriter makes of the query."""
        return translate(self.request(phrasing)).question

    def request(self, phrasing: int) -> TranslateRequest:
        """What the rewriter is shown."""
        return TranslateRequest(
            sql=readable_sql(self.question, self.table),
            glossary=self.table.glossary,
            unit=self.table.granularity,
            ends=self.table.ends,
            open_end=self.table.open_end,
            as_of=self.as_of,
            is_about_now=self.question.kind is Kind.NOW,
            phrasing=phrasing,
            phrasings=PHRASINGS,
            avoid=(),
        )

    def read(self, text: str) -> AnswersReply:
        """What the verifier makes of a text."""
        return answer_from_rows(TableVerifyRequest(question=text, tables=(self.shown,), unit=self.table.granularity, as_of=self.as_of))

    def damaged(self, comparisons: Sequence[DateComparison]) -> Asked:
        """The question with another condition; its answer is no longer told."""
        return self._replace(question=self.question.model_copy(update={"comparisons": tuple(comparisons)}))

    def right(self) -> set[str]:
        """What answers the condition as it stands, from the rows, one by one."""
        place = self.table.columns.index(self.question.dependency.dependent)
        return {
            str(row.values[place]) for row in self.rows if all(_holds(row, one, self.table.open_end) for one in self.question.comparisons)
        }


def asked_of(question: Question, table: TemporalTable, rows: Sequence[Row], as_of: str | None) -> Asked:
    """All rows of the question's thing and some of others, shuffled by the question's id."""
    dependency = question.dependency
    columns = (*dependency.determinants, dependency.dependent)
    places = [table.columns.index(column) for column in columns]
    given = [question.determinants[column] for column in dependency.determinants]
    chosen = random.Random(question.id)
    usable = [row for row in rows if row.values[places[-1]] is not None]
    own = [row for row in usable if [row.values[place] for place in places[:-1]] == given]
    others = [row for row in usable if row not in own]
    kept = own + chosen.sample(others, min(FOILS, len(others)))
    chosen.shuffle(kept)
    shown = ShownTable(
        name=table.name,
        columns=tuple(table.glossary[column] for column in columns),
        ends=table.ends,
        open_end=table.open_end,
        rows=tuple(
            ShownRow(
                values=tuple(row.values[place] or "" for place in places),
                start=format_granule(row.start, table.granularity),
                end=shown_end(table, row.end),
            )
            for row in kept
        ),
    )
    return Asked(question, table, tuple(own), shown, as_of)


def damages(question: Question) -> Iterator[tuple[DateComparison, ...]]:
    """The condition with each of its comparisons dropped, moved, turned round, or said of the other bound."""
    turned = {"<": ">", "<=": ">=", "=": "<", ">=": "<=", ">": "<"}
    for place, one in enumerate(question.comparisons):
        before, after = question.comparisons[:place], question.comparisons[place + 1 :]
        yield before + after
        for step in (-400, -7, 7, 400):
            unit = question.granularity
            moved = format_granule(parse_granule(one.date) + (step if unit == "day" else step // 7 if abs(step) > 7 else step // 3), unit)
            yield (*before, one.model_copy(update={"date": moved}), *after)
        yield (*before, one.model_copy(update={"operator": turned[one.operator]}), *after)
        yield (*before, one.model_copy(update={"bound": "end" if one.bound == "start" else "start"}), *after)


def _holds(row: Row, one: DateComparison, open_end: str) -> bool:
    own, date = row.start if one.bound == "start" else row.end, parse_granule(one.date)
    if own is None:
        return open_end == "ongoing" and one.operator in (">", ">=")
    order = (own > date) - (own < date)
    return order in {"<": (-1,), "<=": (-1, 0), "=": (0,), ">=": (0, 1), ">": (1,)}[one.operator]
