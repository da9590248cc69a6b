"""The temporal natural join against one that looks at every combination of rows, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from state.errors import ConfigError
from state.interval import Granularity
from state.tdbench_config import Dependency, JoinConfig, TdbenchConfig
from tdbench.dependencies.check import check
from tdbench.joins.natural import Join, build_joins
from tdbench.questions.build import build_questions
from tests.tdbench.joins.joined_tables import Database, Row, Source, brute_join, config_of, hold, sources

GAMES = Source("games", ("event", "country"), [Row(("first", "P"), 3, 5), Row(("second", "Q"), 10, 12)])
LEADERS = Source("leaders", ("country", "name"), [Row(("P", "Ana"), 0, 4), Row(("P", "Bo"), 4, None), Row(("Q", "Cy"), 1, 10)])
RULERS = LEADERS._replace(name="rulers", columns=("state", "event"))


def joined(database: Database, **join: Any) -> Join:
    return build_joins(database.connection, database.tables, config_of(database.tables, **join))["joined"]


def rows_of(database: Database, join: Join) -> list[tuple[Any, ...]]:
    places = ", ".join(part.row_column for part in join.parts)
    columns = ", ".join(f'"{column}"' for column in join.table.columns)
    return database.connection.execute(f"SELECT {places}, {columns}, _start, _end FROM joined ORDER BY _row").fetchall()


units = st.sampled_from(list(Granularity))


@settings(max_examples=4)
@given(st.data(), units, st.booleans())
def test_each_combination_that_agrees_and_overlaps_is_there_once_for_the_time_that_all_hold(
    data: st.DataObject, unit: Granularity, three: bool
) -> None:
    columns = [("event", "country"), ("country", "role", "name"), ("role", "dress", "country")]
    tables = [data.draw(sources(f"t{place}", names, unit, most=6)) for place, names in enumerate(columns[: 2 + three])]
    database = hold(*tables)
    join = joined(database)
    expected = [(*places, *values.values(), start, end) for places, values, start, end in brute_join(tables)]
    assert rows_of(database, join) == expected
    assert join.table.rows == len(expected)
    assert join.table.open_end == ("unknown" if any(table.open_end == "unknown" for table in tables) else "ongoing")


def test_the_result_is_a_table_that_dependencies_and_questions_work_on() -> None:
    database = hold(GAMES, LEADERS)
    join = joined(database, glossary={"country": "host country"})
    assert rows_of(database, join) == [(0, 0, "first", "P", "Ana", 3, 4), (0, 1, "first", "P", "Bo", 4, 5)]
    assert (join.shared, join.table.columns) == (("country",), ("event", "country", "name"))
    assert join.table.glossary == {"event": "event", "country": "host country", "name": "name"}
    name = Dependency(determinants=("event",), dependent="name")
    assert check(database.connection, join.table, name).holds
    assert list(build_questions(database.connection, join.table, [name], TdbenchConfig()))


def test_an_end_is_missing_only_where_all_are() -> None:
    for open_end, end in (("ongoing", 8), ("unknown", 6)):
        known = Source("known", ("x",), [Row(("a",), 2, 8), Row(("a",), 3, None)])
        other = Source("other", ("x",), [Row(("a",), 5, None)], open_end=open_end)
        database = hold(known, other)
        assert rows_of(database, joined(database)) == [(0, 0, "a", 5, end), (1, 0, "a", 5, None)]


def test_a_row_whose_end_is_unknown_is_joined_only_with_what_holds_in_its_first_granule() -> None:
    known = Source("known", ("x",), [Row(("a",), 0, 5), Row(("a",), 5, 6), Row(("a",), 6, 9)])
    other = Source("other", ("x",), [Row(("a",), 5, None)], open_end="unknown")
    database = hold(known, other)
    assert rows_of(database, joined(database)) == [(1, 0, "a", 5, 6)]


def test_columns_of_other_names_are_joined_by_config_and_names_that_clash_are_told_apart() -> None:
    database = hold(GAMES, RULERS)
    join = joined(database, on={"rulers": {"state": "country"}})
    assert join.table.columns == ("event", "country", "rulers_event")
    assert rows_of(database, join) == [(0, 0, "first", "P", "Ana", 3, 4), (0, 1, "first", "P", "Bo", 4, 5)]


def test_names_are_equal_whatever_their_case_since_sql_takes_them_so() -> None:
    database = hold(GAMES, LEADERS._replace(columns=("Country", "name")))
    assert joined(database).table.columns == ("event", "country", "name")


def test_names_of_columns_are_quoted() -> None:
    nasty = '"; DROP TABLE games; --'
    database = hold(GAMES._replace(columns=("event", nasty)), LEADERS._replace(columns=(nasty, "name")))
    assert joined(database).table.rows == 2


def test_a_join_is_made_anew_each_time() -> None:
    database = hold(GAMES, LEADERS)
    assert joined(database).table.rows == 2
    database.connection.execute("DELETE FROM leaders WHERE name = 'Bo'")
    assert joined(database).table.rows == 1


@pytest.mark.parametrize(
    ("tables", "join", "said"),
    [
        ((GAMES, LEADERS._replace(unit=Granularity.YEAR)), {}, r"different units \(games days, leaders years\) are not joined\. Give all"),
        ((GAMES, RULERS._replace(columns=("state", "name"))), {}, r"rulers shares no column .*\{rulers: \{state: \.\.\.\}\}"),
        ((GAMES, LEADERS), {"on": {"leaders": {"land": "country"}}}, r"joined\.on: leaders has no column 'land'.*Known: country, name"),
        ((GAMES, LEADERS), {"on": {"leaders": {"country": "land"}}}, r"joined\.on: no column 'land' before leaders.*Known: country, event"),
        ((GAMES, LEADERS), {"tables": ("games", "leader")}, r"no table 'leader'\. Did you mean 'leaders'\?"),
        ((GAMES, LEADERS), {"glossary": {"land": "x"}}, r"no column 'land' \(glossary\)"),
        ((GAMES, LEADERS._replace(columns=("country", "_row_1"))), {}, r"'_row_1' of leaders can have no name of its own"),
        ((GAMES, LEADERS._replace(name="Joined")), {}, r"'joined' and 'Joined' cannot be told apart"),
    ],
)
def test_what_cannot_be_joined_is_said_in_one_line(tables: tuple[Source, ...], join: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as raised:
        joined(hold(*tables), **join)
    assert str(raised.value).startswith("tdbench.joins.joined")
    assert "\n" not in str(raised.value)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize(
    ("join", "said"),
    [
        ({"tables": ("a", "a")}, "name each table once"),
        ({"tables": ("a", "b"), "on": {"a": {"x": "y"}}}, "'a' is not the second or third"),
        ({"tables": ("a", "b"), "on": {"b": {}}}, "at least one column"),
        ({"tables": ("a",)}, "at least 2"),
    ],
)
def test_a_join_that_makes_no_sense_is_refused_in_a_config(join: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        JoinConfig.model_validate(join)
