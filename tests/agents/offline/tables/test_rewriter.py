"""From SQL to English: what is read, and how each kind of condition is said."""

from __future__ import annotations

import pytest

from agents.offline.tables.frames import Fixed, meanwhile
from agents.offline.tables.rewriter import PHRASINGS, compose
from agents.offline.tables.sql_reader import Column, Comparison, Given, UnreadableSql, read_sql

LEADERS = """SELECT "Name", "Start", "End" FROM "leaders" WHERE "Country" = 'Poland' AND "Role" = 'Prime Minister'"""
GLOSSARY = {"Name": "name", "Country": "country", "Role": "role"}


def english(conditions: str, phrasing: int = 1, *, open_end: str = "ongoing", is_inclusive: bool = False) -> str:
    return compose(read_sql(LEADERS + conditions), GLOSSARY, phrasing, open_end=open_end, is_inclusive=is_inclusive)


def test_doubled_quotes_are_one_sign_of_a_name_or_a_value() -> None:
    read = read_sql("""SELECT "a""b", "s", "e" FROM "t" WHERE "it's" = 'O''Neill "Jr"' AND "e" <= '2004-05'""")
    assert read.asked == Column("", 'a"b')
    assert read.given == (Given(Column("", "it's"), 'O\'Neill "Jr"'),)
    assert read.comparisons == (Comparison("end", "<=", "2004-05"),)


def test_a_join_is_read_with_the_columns_that_its_tables_share() -> None:
    read = read_sql(
        """SELECT "l"."name", "l"."start", "l"."end" FROM "g" JOIN "l" ON "g"."country" = "l"."state" """
        """AND ("g"."start", "g"."end") OVERLAPS ("l"."start", "l"."end") WHERE "g"."event" = 'X' AND "l"."role" = 'Y'"""
    )
    assert read.shared == (Column("g", "country"),)
    assert [one.column for one in read.given] == [Column("g", "event"), Column("l", "role")]
    called = {"g.country": "host country", "g.event": "event", "l.role": "role", "l.name": "name"}
    assert compose(read, called, 1) == "Who was Y of the host country during X?"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SELECT",
        """SELECT "a", "s" FROM "t" WHERE "x" = 'y'""",
        """SELECT "a", "s", "e" FROM "t" WHERE "x" > 'y'""",
        """SELECT "a", "s", "e" FROM "t" WHERE "s" > 'soon'""",
        """SELECT "a", "s", "e" FROM "t" WHERE "s" > '2004' AND "s" < '2004-05'""",
        """SELECT "a", "s", "e" FROM "t" WHERE "x" = 'y' OR "x" = 'z'""",
        """SELECT "a", "s", "e" FROM "t" WHERE "x" = 'y'; DROP TABLE t""",
    ],
)
def test_what_is_no_question_is_refused(text: str) -> None:
    with pytest.raises(UnreadableSql):
        read_sql(text)


@pytest.mark.parametrize(
    ("conditions", "phrase"),
    [
        ("", "Who has been Prime Minister of Poland at any time?"),
        (""" AND "Start" > '1999'""", "a term that began after 1999?"),
        (""" AND "Start" = '2004-05'""", "a term that began in May 2004?"),
        (""" AND "Start" <= '2004-05-05'""", "a term that began no later than 5 May 2004?"),
        (""" AND "Start" >= '2004-05-01' AND "Start" <= '2004-05-31'""", "a term that began in May 2004?"),
        (""" AND "Start" >= '2004-01' AND "Start" <= '2004-12'""", "a term that began in 2004?"),
        (
            """ AND "Start" >= '2004-02-01' AND "Start" <= '2004-02-28'""",
            "1 February 2004 and no later than 28 February 2004?",
        ),
        (""" AND "End" < '1999'""", "a term that ended before 1999?"),
        (""" AND "End" > '1999'""", "a term that ended after 1999 or has not ended?"),
        (""" AND "End" > '1999' AND "End" < '2004'""", "a term that ended after 1999 and before 2004?"),
        (""" AND "Start" = '1999' AND "End" = '2004'""", "a term that ran from 1999 until 2004?"),
        (""" AND "Start" < '1999' AND "End" = '2004'""", "a term that began before 1999 and ended in 2004?"),
        (""" AND "Start" <= '2004-05-05' AND "End" > '2004-05-05'""", "As of 5 May 2004, who is Prime Minister of Poland?"),
        (""" AND "Start" > '-0043' AND "Start" < '0476'""", "a term that began after 44 BC and before 476 AD?"),
    ],
)
def test_a_condition_is_said_exactly(conditions: str, phrase: str) -> None:
    assert english(conditions).endswith(phrase)


def test_of_an_unknown_end_nothing_is_said_that_only_an_ongoing_row_has() -> None:
    assert english(""" AND "End" > '1999'""", open_end="unknown").endswith("that ended after 1999?")
    assert english(""" AND "End" > '1999'""", 3, open_end="unknown").endswith("who left office after 1999?")


def test_as_of_a_day_needs_an_end_past_it_which_an_inclusive_one_has_a_day_before() -> None:
    assert english(""" AND "Start" <= '1999' AND "End" > '1998'""", is_inclusive=True).startswith("As of 1999, who is")
    assert english(""" AND "Start" <= '1999' AND "End" > '1999'""", is_inclusive=True).startswith("Who was")
    assert english(""" AND "Start" <= '1999' AND "End" > '1998'""").startswith("Who was")


@pytest.mark.parametrize("conditions", ["", """ AND "Start" > '1999'""", """ AND "Start" <= '1999' AND "End" > '1999'"""])
def test_three_phrasings_differ_and_then_they_come_again(conditions: str) -> None:
    texts = [english(conditions, phrasing) for phrasing in range(1, 10)]
    assert len(set(texts)) == PHRASINGS
    assert texts[:3] == texts[3:6] == texts[6:]


def test_columns_that_nobody_has_words_for_are_named_with_their_values() -> None:
    read = read_sql("""SELECT "Kiln_no", "s", "e" FROM "t" WHERE "Glaze Type" = 'tin' AND "Site" = 'St. Ives' AND "s" > '1999'""")
    assert compose(read, {}, 1) == "Which kiln no is recorded for glaze type tin and site St. Ives in an entry that began after 1999?"


@pytest.mark.parametrize(
    ("asked", "given"), [("name", {"role": "Dean", "country": "Peru"}), ("status", {"law": "Voting age"}), ("party", {"city": "Oslo"})]
)
def test_what_is_asked_regardless_of_time_is_asked_in_the_perfect(asked: str, given: dict[str, str]) -> None:
    wanted = " AND ".join(f"\"{column}\" = '{value}'" for column, value in given.items())
    for phrasing in range(1, PHRASINGS + 1):
        text = compose(read_sql(f'SELECT "{asked}", "s", "e" FROM "t" WHERE {wanted}'), {}, phrasing)
        assert {"has", "is", "are"} & set(text.split()) == {"has"}, text


def test_a_question_through_a_join_has_capitals_in_its_names_and_at_its_start_alone() -> None:
    games = [Fixed("edition", "18"), Fixed("season", "Summer")]
    for text in meanwhile("name", [Fixed("role", "Prime Minister")], ["country"], games):
        assert text[0].isupper()
        assert {word for word in text.split()[1:] if word[0].isupper()} <= {"Prime", "Minister", "Summer", "Summer,"}


def test_a_row_of_no_known_kind_is_asked_for_whenever_it_was_and_nothing_but_its_entry_begins() -> None:
    text = """SELECT "party", "s", "e" FROM "t" WHERE "city" = 'Oslo'"""
    always = [compose(read_sql(text), {}, phrasing) for phrasing in range(1, PHRASINGS + 1)]
    assert always[0] == "Which party has been recorded for city Oslo at any time?"
    assert all(any(word in one for word in ("at any time", "ever", "Regardless of dates")) for one in always)
    timed = compose(read_sql(f"""{text} AND "s" > '1999' AND "e" < '2004'"""), {}, 3)
    assert timed == "Of all entries for city Oslo, which party is recorded in one that started after 1999 and came to an end before 2004?"
