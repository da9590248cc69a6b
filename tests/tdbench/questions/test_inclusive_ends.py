"""Sources whose ends are inclusive: the same questions, and each end as the source gives it."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings

from state.interval import format_granule, parse_granule
from state.tdbench_config import Dependency, TableConfig, TdbenchConfig
from state.tdbench_question import Kind
from state.tdbench_scoring import AnswerRow, ScoredQuestion, TimeVerdict
from tdbench.questions.answering import answered
from tdbench.questions.build import build_questions
from tdbench.questions.query import readable_sql
from tdbench.scoring.score import score_reply
from tdbench.table import shown_end
from tdbench.tables.example import example_tables
from tdbench.tables.store import open_tables
from tests.tdbench.questions.temporal_tables import Row, hold, small_rows

NAME = Dependency(determinants=("place", "office"), dependent="name")
SOURCE = """
    CREATE OR REPLACE TABLE "source" AS
    SELECT place, office, name, _start::VARCHAR AS "from", (_end - 1)::VARCHAR AS until FROM offices
"""
"""The table before it was read: years as text, the last one of each row included."""


@settings(max_examples=2)
@given(small_rows())
def test_a_readable_query_run_on_the_source_itself_gives_the_answers_as_they_are_shown(rows: list[Row]) -> None:
    held = hold([row._replace(end=row.end or row.start + 1) for row in rows])
    table = dataclasses.replace(held.table, ends="inclusive")
    held.connection.execute(SOURCE)
    as_source = dataclasses.replace(table, name="source")
    for question in build_questions(held.connection, table, [NAME], TdbenchConfig(as_of="2004-06-30", per_relation=3)):
        found = held.connection.execute(readable_sql(question, as_source)).fetchall()
        assert {row for row in found if row[0] is not None} == {(*row.values.values(), row.start, row.end) for row in question.gold}
        assert answered(held.connection, table, question) == (question.gold, question.distractors)


@settings(max_examples=2)
@given(small_rows())
def test_inclusive_ends_change_what_is_shown_and_nothing_else(rows: list[Row]) -> None:
    held = hold(rows)
    config = TdbenchConfig(as_of="2004-06-30", per_relation=2)
    plain = list(build_questions(held.connection, held.table, [NAME], config))
    shifted = list(build_questions(held.connection, dataclasses.replace(held.table, ends="inclusive"), [NAME], config))
    for one, other in zip(plain, shifted, strict=True):
        assert one.model_dump(exclude={"gold", "distractors"}) == other.model_dump(exclude={"gold", "distractors"})
        for row, inclusive in zip(one.gold + one.distractors, other.gold + other.distractors, strict=True):
            assert (row.values, row.start) == (inclusive.values, inclusive.start)
            assert inclusive.end == (row.end and format_granule(parse_granule(row.end) - 1, held.table.granularity))


@pytest.mark.parametrize(("granule", "shown"), [(None, None), (15_565, "2012-08-12")])
def test_the_games_end_on_the_day_that_their_file_names(granule: int | None, shown: str | None) -> None:
    config: dict[str, TableConfig] = {"games": example_tables()["games"]}
    with open_tables(config, {}) as database:
        assert shown_end(database.tables["games"], granule) == shown


def test_a_reply_with_the_end_that_the_source_gives_is_right_in_time() -> None:
    config = example_tables()["games"]
    with open_tables({"games": config}, {}) as database:
        made = build_questions(database.connection, database.tables["games"], config.dependencies, TdbenchConfig(relations=("contain",)))
        question = next(one for one in made if one.kind is Kind.RELATION and one.answers == ("Melbourne",))
    (gold,) = question.gold
    scored = ScoredQuestion(
        id=question.id,
        question="Which city hosted the Summer Games that began before that day and ended after it?",
        gold=(AnswerRow(name=gold.values["city"], start=gold.start, end=gold.end),),
        relation="contain",
        cardinality="unique",
        time_checked="both",
    )
    assert score_reply(scored, "Melbourne, from 22 November 1956 until 8 December 1956.").time is TimeVerdict.YES
    assert score_reply(scored, "Melbourne, from 22 November 1956 until 9 December 1956.").time is TimeVerdict.HALF
