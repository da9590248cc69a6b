"""The verifier on English that the rewriter never wrote, on names that look like words or dates, and on what it must refuse."""

from __future__ import annotations

import pytest

from agents.offline.tables.verifier import answer_from_rows
from state.interval import Granularity
from state.roles import AnswersReply
from state.table_instance import ShownRow, ShownTable
from state.table_roles import TableVerifyRequest
from tests.agents.offline.tables.free_questions import FREE, Free, request_for

LEAST_READ = 46
"""Of 54 that have an answer; 42 were read when the verifier first saw them, and none was misread."""


def named(table: ShownTable, question: str, unit: Granularity = Granularity.YEAR, as_of: str | None = "2010-06-30") -> set[str] | None:
    reply = answer_from_rows(TableVerifyRequest(question=question, tables=(table,), unit=unit, as_of=as_of))
    return None if reply.cannot_tell else set(reply.answers)


def table_of(columns: str, *lines: str, ends: str = "exclusive", open_end: str = "ongoing") -> ShownTable:
    rows = [line.split("|") for line in lines]
    return ShownTable.model_validate(
        {
            "name": "t",
            "columns": columns.split("|"),
            "ends": ends,
            "open_end": open_end,
            "rows": [ShownRow(values=tuple(row[:-2]), start=row[-2], end=row[-1] or None) for row in rows],
        }
    )


FILMS = table_of("title|director", "1984|Ana Roy|1983|1985", "Up|Bo Lind|2009|2011", "May|Cy Moe|2002|2004", "Who?|Di Falk|2000|")
POSTS = table_of(
    "country|role|name", "Oman|Sultan|Ana Roy|1970|1999", "Romania|Sultan|Bo Lind|1990|1999", "Niger|Head|Cy Moe|1980|1990",
    "Nigeria|Head|Di Falk|1980|1990", "Nigeria|Head|Eli Horn|1990|",
)  # fmt: skip


def test_free_questions_are_read_right_or_not_at_all() -> None:
    replies: list[tuple[Free, AnswersReply]] = [(free, answer_from_rows(request_for(free))) for free in FREE]
    told = [(free, reply) for free, reply in replies if not reply.cannot_tell]
    assert [(free.question, reply.answers) for free, reply in told if set(reply.answers) != free.answers] == []
    assert len(told) >= LEAST_READ


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which director is recorded for title 1984 in an entry that ended in 1985?", {"Ana Roy"}),
        ('Which director made "1984"?', None),
        ("Which director is recorded for title Up in 2010?", {"Bo Lind"}),
        ("Which director is recorded for title May in 2003?", {"Cy Moe"}),
        ("Which director is recorded for title Who? in an entry that began in 2000?", {"Di Falk"}),
        ("Which director is recorded for title 1984 in 2010?", set()),
        ("Which director has been recorded for title May at any time?", {"Cy Moe"}),
        ("Of all entries for title Up, which director is recorded in one that started after 2008?", {"Bo Lind"}),
        ("Of all entries for title Up, which director is recorded in one that came to an end before 2011?", set()),
    ],
)
def test_titles_that_are_words_or_years_are_known_by_their_column(question: str, names: set[str] | None) -> None:
    assert named(FILMS, question) == names


def test_a_name_within_another_is_not_found_in_it() -> None:
    assert named(POSTS, "Who was Sultan of Oman in 1995?") == {"Ana Roy"}
    assert named(POSTS, "Who was Head of Nigeria in 1985?") == {"Di Falk"}
    assert named(POSTS, "Who was Head of Niger in 1985?") == {"Cy Moe"}


def test_a_name_that_reads_like_a_condition_is_known_by_its_column_and_stands_there_once() -> None:
    table = table_of("status|name", "after 1999|Ana Roy|1990|1995", "after 1999|Bo Lind|2001|2004", "open|Cy Moe|2001|2004")
    assert named(table, "Who is recorded for status after 1999 in 2002?") == {"Bo Lind"}
    assert named(table, "Who is recorded for status after 1999 in an entry that began after 1999?") == {"Bo Lind"}
    assert named(table, "Who is recorded for status open in an entry that began after 1999?") == {"Cy Moe"}
    twice = table_of("end|name", "before|Ana Roy|1990|1995", "later|Bo Lind|2001|2004")
    assert named(twice, "Who is recorded for end before in an entry that ended in 1995?") == {"Ana Roy"}
    assert named(twice, "Who is recorded for end before in an entry that came to an end before 2004?") is None


def test_a_plural_is_read_only_where_several_are_asked_for_and_no_other_name_is_spelt_so() -> None:
    table = table_of("band|role|name", "Owls|Drummer|Ana Roy|1990|1999", "Owl|Drummer|Bo Lind|1990|1999", "Owl|Singer|Cy Moe|1990|1999")
    assert named(table, "Who were the Drummers of Owl in 1995?") == {"Bo Lind"}
    assert named(table, "Who were the Drummers of Owls in 1995?") == {"Ana Roy"}
    assert named(table, "Who was the Drummers of Owl in 1995?") is None


def test_an_open_end_counts_as_later_only_where_both_meanings_agree_or_the_words_say_so() -> None:
    assert named(POSTS, "Who was Head of Nigeria with a term that ended after 1995?") is None
    assert named(POSTS, "Who was Head of Nigeria with a term that ended after 1995 or has not ended?") == {"Eli Horn"}
    assert named(POSTS, "Who was Head of Nigeria and had not left office by 1995?") == {"Eli Horn"}
    assert named(POSTS, "Who was Head of Nigeria with a term that ended before 1995?") == {"Di Falk"}


def test_an_unknown_end_is_past_no_date() -> None:
    table = table_of("role|name", "Chair|Ana Roy|1990|", "Chair|Bo Lind|1985|1995", open_end="unknown")
    assert named(table, "Who was Chair in 1993?") == {"Bo Lind"}
    assert named(table, "Who had not left office as Chair by 1994?") == {"Bo Lind"}
    assert named(table, "Who started as Chair after 1985?") == {"Ana Roy"}


def test_an_inclusive_end_holds_in_its_own_granule_and_is_compared_as_written() -> None:
    spoken = "Who was Chair in 1995?", "Who was Chair in a term that ended in 1995?"
    lines = ("Chair|Ana Roy|1990|1995", "Chair|Bo Lind|1995|1999")
    assert [named(table_of("role|name", *lines), text) for text in spoken] == [{"Bo Lind"}, {"Ana Roy"}]
    assert [named(table_of("role|name", *lines, ends="inclusive"), text) for text in spoken] == [{"Ana Roy", "Bo Lind"}, {"Ana Roy"}]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "Who?",
        "Who was in office in 1995?",
        "Who was Sultan of Oman before Bo Lind?",
        "Who was the last Sultan of Oman?",
        "Who was Sultan of Oman for ten years?",
        "Who was Sultan of Oman at the end of 1995?",
        "Who was Sultan of Oman in the late 1990s?",
        "Who was Sultan of Oman in May?",
        "Who was never Sultan of Oman?",
        "Who was Sultan of Oman or Romania in 1995?",
        "Who was Sultan of Omen in 1995?",
        "Who left office as Sultan of Oman?",
        "Who was Sultan of Oman after leaving office in 1995?",
        "Who was Sultan of Oman on 30 February 1995?",
        "Who was Sultan of Oman and Romania in 1995?",
        "Which country did Ana Roy and Bo Lind rule in 1995?",
    ],
)
def test_what_is_not_followed_is_not_guessed(question: str) -> None:
    assert named(POSTS, question) is None


def test_without_a_day_for_now_nothing_is_said_of_today() -> None:
    assert named(POSTS, "Who is Head of Nigeria now?", as_of=None) is None
    assert named(POSTS, "Who is Head of Nigeria now?") == {"Eli Horn"}


def test_where_a_value_may_belong_to_two_columns_both_readings_have_to_agree() -> None:
    table = table_of("city|country|name", "Monaco|France|Ana Roy|1990|1999", "Nice|Monaco|Bo Lind|1990|1999")
    assert named(table, "Who is recorded for Monaco in 1995?") is None
    assert named(table, "Who is recorded for city Monaco in 1995?") == {"Ana Roy"}
    assert named(table, "Who is recorded for country Monaco in 1995?") == {"Bo Lind"}


def test_one_name_can_be_given_for_each_of_two_columns() -> None:
    table = table_of("city|country|name", "Monaco|Monaco|Ana Roy|1990|1999", "Monaco|France|Bo Lind|1990|1999")
    assert named(table, "Who is recorded for city Monaco and country Monaco in 1995?") == {"Ana Roy"}
