"""Questions with hops: their answers by looking at every combination, which are asked, and what the example gives."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.errors import ConfigError
from state.interval import Granularity
from state.tdbench_config import Dependency, TdbenchConfig
from state.tdbench_question import AnswerRow, Cardinality, Checked, Kind, Question
from tdbench.joins.answering import join_answered
from tdbench.joins.natural import build_joins
from tdbench.joins.questions import join_questions
from tdbench.questions.query import readable_sql
from tdbench.tables.example import AS_OF, example_joins, example_tables
from tdbench.tables.store import TemporalDatabase, open_tables
from tests.tdbench.joins.joined_tables import Combination, Database, Row, Source, brute_join, certain, hold, iso, sources

EVENT, NAME = ("event", "country"), ("country", "role", "name")
BY_ROLE = Dependency(determinants=("country", "role"), dependent="name")
Shown = tuple[str, str, "str | None"]

GAMES = Source("games", ("edition", "season", "country"), [Row(("1", "Summer", "P"), 3, 5), Row(("1", "Winter", "P"), 10, 12)])
LEADERS = Source("leaders", NAME, [Row(("P", "chair", "Ana"), 0, 5), Row(("P", "chair", "Bo"), 5, None)])


def ask(database: Database, *dependencies: Dependency, join: dict[str, Any] | None = None, **settings: Any) -> list[Question]:
    """The questions of the join of the tables in the database, in their order, with dependencies of those that have their columns."""
    declared = {}
    for name, table in list(database.tables.items())[1:]:
        rules = [one for one in dependencies if {*one.determinants, one.dependent} <= set(table.columns)]
        declared[name] = {"path": "-", "dependencies": rules}
    joins = {"joined": {"tables": tuple(database.tables), **(join or {})}}
    config = TdbenchConfig.model_validate({"tables": declared, "joins": joins, **settings})
    return list(join_questions(database.connection, database.tables, config))


def expected(games: Source, leaders: Source, most_answers: int) -> dict[tuple[str, str], tuple[set[Shown], set[Shown]]]:
    """Event and role -> answers and others, from the rows, for days: what is joined for certain, if nothing else may be."""
    counts = Counter(row.values[0] for row in games.rows)
    found = {}
    for event in games.rows:
        for role in {row.values[1] for row in leaders.rows} - {None}:
            same = [row for row in leaders.rows if row.values[:2] == (event.values[1], role) and None not in row.values]
            gold = [row for row in same if certain(games, event) & certain(leaders, row)]
            may = [row for row in same if set(lasting(event)) & set(lasting(row))]
            texts = {row.values[2] for row in gold}
            if event.values[0] is not None and counts[event.values[0]] == 1 and gold and gold == may and len(texts) <= most_answers:
                every = {as_shown(leaders, row) for row in same}
                if texts != {row.values[2] for row in same}:
                    answers = {as_shown(leaders, row) for row in gold}
                    found[event.values[0], str(role)] = answers, every - answers
    return found


def lasting(row: Row) -> range:
    return range(row.start, 120 if row.end is None else row.end)


def as_shown(source: Source, row: Row) -> Shown:
    end = None if row.end is None else iso(row.end - (source.ends == "inclusive"), source.unit)
    return str(row.values[-1]), iso(row.start, source.unit), end


def as_set(rows: tuple[AnswerRow, ...]) -> set[Shown]:
    return {(row.values["name"], row.start, row.end) for row in rows}


def check_against_every_combination(games: Source, leaders: Source, most: int) -> None:
    database = hold(games, leaders)
    join = {"given": [["event"]]}
    questions = ask(database, BY_ROLE, join=join, most_answers=most)
    found = {tuple(one.determinants.values()): (as_set(one.gold), as_set(one.distractors)) for one in questions}
    assert found == expected(games, leaders, most)
    assert len(found) == len(questions)
    config = TdbenchConfig.model_validate({"joins": {"joined": {"tables": ("games", "leaders")}}})
    made = build_joins(database.connection, database.tables, config)["joined"]
    for question in questions:
        assert join_answered(database.connection, made, question) == (question.gold, question.distractors)
        assert question.parameters == tuple(question.determinants.values())


of_days = given(sources("games", EVENT, least=2, most=6), sources("leaders", NAME, least=4, most=10), st.integers(1, 3))


@settings(max_examples=3)
@of_days
def test_those_that_can_be_told_for_certain_are_asked_with_the_answers_of_every_combination(
    games: Source, leaders: Source, most: int
) -> None:
    check_against_every_combination(games, leaders, most)


@pytest.mark.slow
@settings(max_examples=40)
@of_days
def test_many_tables_are_asked_about_with_the_answers_of_every_combination(games: Source, leaders: Source, most: int) -> None:
    check_against_every_combination(games, leaders, most)


FINER = 4
"""Parts of a year, of which a row of years begins and ends in one that is not known."""


def refined(source: Source, choose: random.Random) -> Source:
    """A table of years as one whose rows begin and end somewhere in theirs, and an unknown end is anywhere."""
    rows = []
    for row in source.rows:
        start = row.start * FINER + choose.randrange(FINER)
        if row.end is None:
            rows.append(row._replace(start=start, end=None if source.open_end == "ongoing" else start + 1 + choose.randrange(40)))
            continue
        last = row.end - (source.ends == "inclusive")
        end = last * FINER + choose.randrange(FINER) + (source.ends == "inclusive")
        rows.append(row._replace(start=start, end=max(end, start + 1)))
    return source._replace(rows=rows, unit=Granularity.DAY, open_end="ongoing", ends="exclusive")


def answers_by_values(joined: Iterator[Combination]) -> dict[tuple[str | None, str | None], set[str]]:
    found: dict[tuple[str | None, str | None], set[str]] = {}
    for _, values, _, _ in joined:
        if values["name"] is not None:
            found.setdefault((values["event"], values["role"]), set()).add(values["name"])
    return found


@settings(max_examples=3)
@given(
    sources("games", EVENT, Granularity.YEAR, least=2, most=6),
    sources("leaders", NAME, Granularity.YEAR, least=4, most=10),
    st.randoms(use_true_random=False),
)
def test_a_question_about_years_has_the_same_answer_on_whatever_day_terms_begin_and_end(
    games: Source, leaders: Source, choose: random.Random
) -> None:
    questions = ask(hold(games, leaders), BY_ROLE, join={"given": [["event"]]})
    for _ in range(6 if questions else 0):
        answers = answers_by_values(brute_join([refined(table, choose) for table in (games, leaders)]))
        for question in questions:
            assert answers.get((question.determinants["event"], question.determinants["role"])) == set(question.answers)


def test_a_hand_over_in_the_year_of_an_event_is_not_asked_and_on_a_day_of_it_has_two_answers() -> None:
    games = Source("games", EVENT, [Row(("first", "P"), 5, 6), Row(("second", "P"), 8, 9)], Granularity.YEAR, ends="inclusive")
    leaders = Source("leaders", NAME, [Row(("P", "chair", "Ana"), 0, 5), Row(("P", "chair", "Bo"), 5, None)], Granularity.YEAR)
    assert [one.determinants["event"] for one in ask(hold(games, leaders), BY_ROLE)] == ["second"]
    days = [table._replace(unit=Granularity.DAY) for table in (games, leaders)]
    days[0] = days[0]._replace(rows=[Row(("first", "P"), 4, 6), Row(("second", "P"), 8, 9)])
    questions = {
        one.determinants["event"]: one
        for one in ask(
            hold(
                *days,
            ),
            BY_ROLE,
        )
    }
    assert {event: one.answers for event, one in questions.items()} == {"second": ("Bo",)}, "all who ever held it answer the first"
    days[1] = days[1]._replace(rows=[*days[1].rows, Row(("P", "chair", "Cy"), -9, 0)])
    questions = {one.determinants["event"]: one for one in ask(hold(*days), BY_ROLE)}
    assert questions["first"].answers == ("Ana", "Bo")
    assert questions["first"].cardinality is Cardinality.MULTIPLE


def test_the_last_year_of_a_term_is_not_asked_where_ends_are_inclusive_since_nobody_knows_its_day() -> None:
    years = [Row((f"in {year}", "P"), year, year + 1) for year in range(3, 8)]
    games = Source("games", EVENT, years, Granularity.YEAR, ends="inclusive")
    leaders = Source(
        "leaders", NAME, [Row(("P", "chair", "Ana"), 0, 6), Row(("P", "chair", "Bo"), 6, None)], Granularity.YEAR, ends="inclusive"
    )
    asked = {one.determinants["event"]: one.answers for one in ask(hold(games, leaders), BY_ROLE)}
    assert asked == {"in 3": ("Ana",), "in 4": ("Ana",), "in 7": ("Bo",)}
    half_open = {one.determinants["event"]: one.answers for one in ask(hold(games, leaders._replace(ends="exclusive")), BY_ROLE)}
    assert half_open == {**asked, "in 5": ("Ana",)}


def test_who_may_have_held_it_too_for_all_that_is_known_keeps_a_question_from_being_asked() -> None:
    games = Source("games", EVENT, [Row(("first", "P"), 0, 1), Row(("second", "P"), 4, 5)])
    leaders = Source("leaders", NAME, [Row(("P", "chair", "Ana"), 0, None), Row(("P", "chair", "Bo"), 3, 9)], open_end="unknown")
    assert [one.determinants["event"] for one in ask(hold(games, leaders), BY_ROLE)] == ["first"]
    known = leaders._replace(rows=[leaders.rows[0]._replace(end=3), leaders.rows[1]])
    assert [one.answers for one in sorted(ask(hold(games, known), BY_ROLE), key=lambda one: one.answers)] == [("Ana",), ("Bo",)]


def test_a_name_alone_makes_two_hops_and_a_number_with_a_season_three() -> None:
    rows = [
        Row(("Summer I", "1", "Summer", "Town", "P"), 3, 5),
        Row(("Winter I", "1", "Winter", "Hill", "Q"), 10, 12),
        Row(("Summer II", "2", "Summer", "Hill", "Q"), 20, 22),
    ]
    games = Source("games", ("event", "edition", "season", "city", "country"), rows)
    questions = ask(hold(games, LEADERS), BY_ROLE)
    assert {(one.hops, one.dependency.determinants) for one in questions} == {(2, ("event", "role")), (3, ("edition", "season", "role"))}
    for question in questions:
        assert (question.kind, question.relation, question.reference, question.comparisons) == (Kind.JOIN, None, None, ())
        assert (question.through, question.time_checked, question.table) == (("country",), Checked.BOTH, "joined")
        assert Question.model_validate_json(question.model_dump_json()) == question


def test_a_third_table_is_one_hop_more() -> None:
    parties = Source("parties", ("name", "party"), [Row(("Ana", "Red"), 0, 4), Row(("Ana", "Blue"), 4, 9), Row(("Bo", "Red"), 0, 20)])
    games = GAMES._replace(rows=[Row(("1", "Summer", "P"), 1, 2), Row(("1", "Winter", "P"), 4, 5), Row(("2", "Winter", "P"), 10, 12)])
    member = Dependency(determinants=("name",), dependent="party")
    database = hold(games, LEADERS, parties)
    (question, other) = ask(database, BY_ROLE, member, join={"given": [["edition", "season"]]})
    assert {(one.determinants["season"], one.answers) for one in (question, other)} == {("Summer", ("Red",)), ("Winter", ("Blue",))}
    assert question.hops == 4
    assert question.dependency == Dependency(determinants=("edition", "season", "role"), dependent="party")
    assert set(question.through) == {"country", "name"}


def test_the_order_of_rows_changes_nothing_and_another_seed_draws_others() -> None:
    rows = [Row((str(place), "Summer", "P"), place, place + 1) for place in range(9)]
    whole = [GAMES._replace(rows=rows), LEADERS]
    backwards = [table._replace(rows=list(reversed(table.rows))) for table in whole]
    one, two, other = (ask(hold(*tables), BY_ROLE, most_lookups=3, seed=seed) for tables, seed in ((whole, 0), (backwards, 0), (whole, 2)))
    assert [question.model_dump_json() for question in one] == [question.model_dump_json() for question in two]
    assert len(one) == len(other) == 3
    assert {question.id for question in one} != {question.id for question in other}


def test_dependencies_that_nobody_declared_are_found() -> None:
    rows = [*LEADERS.rows, Row(("Q", "chair", "Cy"), 0, 9), Row(("P", "judge", "Di"), 0, 9)]
    leaders = LEADERS._replace(rows=rows)
    assert {one.dependency.dependent for one in ask(hold(GAMES, leaders))} == {"name"}


@pytest.mark.parametrize(
    ("tables", "join", "said"),
    [
        ((GAMES, LEADERS), {"given": [["editon"]]}, r"joins\.joined\.given: 'editon' is no column of games\. Did you mean 'edition'"),
        ((GAMES, LEADERS), {"given": [["country"]]}, r"joins\.joined\.given: 'country' is shared"),
        ((GAMES._replace(rows=GAMES.rows * 2), LEADERS), {}, r"no one or two columns name a row of games\. Say under given"),
        ((LEADERS._replace(name="first", columns=("country", "a", "b")), LEADERS), {"given": [["a", "b"]]}, r""),
        ((GAMES, LEADERS), {"given": [["edition", "season"]], "on": {"leaders": {"name": "country"}}}, r"no dependency of leaders leads"),
    ],
)
def test_what_gives_nothing_to_ask_is_said_in_one_line(tables: tuple[Source, ...], join: dict[str, Any], said: str) -> None:
    database = hold(*tables)
    if not said:
        assert ask(database, BY_ROLE, join=join) is not None
        return
    with pytest.raises(ConfigError, match=said) as raised:
        ask(database, BY_ROLE, join=join)
    assert "\n" not in str(raised.value)


@pytest.fixture(scope="module")
def example() -> Iterator[tuple[TemporalDatabase, list[Question]]]:
    config = TdbenchConfig(tables=example_tables(), joins=example_joins(), as_of=AS_OF)
    with open_tables({name: example_tables()[name] for name in ("games", "leaders")}, {}) as database:
        yield database, list(join_questions(database.connection, database.tables, config))


def test_the_example_gives_more_than_twenty_of_each_and_each_needs_the_time_of_the_games(
    example: tuple[TemporalDatabase, list[Question]],
) -> None:
    database, questions = example
    assert Counter(one.hops for one in questions) == {2: 75, 3: 75}
    read = database.connection.execute
    games = [
        (dict(zip(("event", "edition", "season"), row[:3], strict=True)), *row[3:])
        for row in read("SELECT event, edition, season, country, _start, _end FROM games").fetchall()
    ]
    leaders = read("SELECT country, role, name, _start, coalesce(_end, 99999) FROM leaders").fetchall()
    for question in questions:
        given = dict(question.determinants)
        role = given.pop("role")
        ((_, country, start, end),) = (game for game in games if given.items() <= game[0].items())
        same = [row for row in leaders if row[:2] == (country, role)]
        assert set(question.answers) == {row[2] for row in same if row[3] < end and start < row[4]} != {row[2] for row in same}


def test_the_host_leader_of_the_games_of_2020_is_that_of_2021_with_his_own_term(example: tuple[TemporalDatabase, list[Question]]) -> None:
    database, questions = example
    wanted = {"event": "2020 Summer Olympics", "role": "Prime Minister"}
    (question,) = (one for one in questions if one.determinants == wanted)
    assert question.gold == (AnswerRow(values={"name": "Yoshihide Suga"}, start="2020-09-16", end="2021-10-04"),)
    table = build_joins(database.connection, database.tables, TdbenchConfig(joins=example_joins()))["host_leaders"].table
    assert table.glossary["country"] == "host country"
    assert readable_sql(question, table) == (
        """SELECT "name", "start", "end" FROM "host_leaders" WHERE "event" = '2020 Summer Olympics' AND "role" = 'Prime Minister'"""
    )
