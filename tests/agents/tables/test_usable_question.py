"""The gate of questions about tables: what is given and every year must be there, and nothing of the query."""

from __future__ import annotations

import pytest

from agents.kinds import TABLE
from agents.one_question import MOST_CHARACTERS
from agents.tables.usable_question import named_years
from tests.table_instances import SQL, TABLE_QUESTION, make_instance

PROBLEMS = {
    "one line": TABLE_QUESTION.replace(" from", "\nfrom"),
    "invisible": TABLE_QUESTION.replace("miller", "mil\u200bler"),
    "end with a question mark": TABLE_QUESTION[:-1],
    "exactly one question": "Who? " + TABLE_QUESTION,
    "one sentence": "The mills had heads. " + TABLE_QUESTION,
    "shorter": TABLE_QUESTION.replace("head", "head" + " of" * MOST_CHARACTERS, 1),
    "braces": TABLE_QUESTION.replace("some time", "{some time}"),
    "'_start'": TABLE_QUESTION.replace("from some", "with _start at some"),
    "'mill_heads'": TABLE_QUESTION.replace("from some", "in mill_heads from some"),
    "'NULL'": TABLE_QUESTION.replace("until before 2001", "with NULL or until before 2001"),
    "'WHERE'": TABLE_QUESTION.replace("from some", "WHERE some"),
    "'>'": TABLE_QUESTION.replace("from some time after", "from >"),
    "'*'": TABLE_QUESTION.replace("Who was", "*Who* was"),
    "in quotation marks": TABLE_QUESTION.replace("from some", 'with "Start" at some'),
    "must name 'Fenn Mill'": TABLE_QUESTION.replace("Fenn Mill", "the mill"),
    "must name 'head miller'": TABLE_QUESTION.replace("head miller", "head"),
    "the year 1988": TABLE_QUESTION.replace("1988", "the eighties"),
    "the year 1988, 2001": TABLE_QUESTION.replace("1988", "88").replace("2001", "01"),
}  # fmt: skip


@pytest.mark.parametrize("told", PROBLEMS)
def test_an_unusable_question_is_told_what_is_wrong(told: str) -> None:
    problem = TABLE.gate(PROBLEMS[told], make_instance(), True)
    assert problem is not None
    assert told in problem


@pytest.mark.parametrize(
    "question",
    [
        TABLE_QUESTION,
        TABLE_QUESTION.replace("Fenn Mill", "FENN MILL").replace("head miller", "Head Miller"),
        f"  {TABLE_QUESTION}  ",
        TABLE_QUESTION.replace("after 1988", "after '1988'"),
        TABLE_QUESTION.replace("Who was", "Which person (not Jr. St. Orr) was"),
    ],
)
def test_a_usable_question_passes(question: str) -> None:
    assert TABLE.gate(question, make_instance(), True) is None


def test_names_may_be_left_out_where_the_config_says_so_but_years_may_not() -> None:
    instance = make_instance()
    assert TABLE.gate(PROBLEMS["must name 'Fenn Mill'"], instance, False) is None
    assert TABLE.gate(PROBLEMS["the year 1988"], instance, False) is not None


@pytest.mark.parametrize("value", ["Who? {1}", "a_b", "NULL", "St. A. B", "x > y; z*", "Mr. Orr! And the Mill", "1984"])
def test_a_value_is_data_whatever_signs_it_holds(value: str) -> None:
    instance = make_instance(
        determinants={"Mill": value, "Role": "head miller"}, sql=SQL.replace("Fenn Mill", value.replace("'", "''"))
    )  # fmt: skip
    assert TABLE.gate(TABLE_QUESTION.replace("Fenn Mill", value), instance, True) is None


@pytest.mark.parametrize(
    ("date", "year"),
    [("2007-10-07", "2007"), ("2007-10", "2007"), ("2007", "2007"), ("0987-01-01", "987"), ("-0043", "44"), ("0000-05", "1")],
)
def test_the_year_of_a_date_is_named_as_people_write_it(date: str, year: str) -> None:
    assert named_years(make_instance(sql=SQL.replace("1988", date).replace("2001", date))) == [year]


def test_a_value_that_looks_like_a_date_is_no_date() -> None:
    instance = make_instance(determinants={"Mill": "1776", "Role": "head miller"}, sql=SQL.replace("Fenn Mill", "1776"))
    assert named_years(instance) == ["1988", "2001"]
