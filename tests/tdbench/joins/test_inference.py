"""Dependencies inferred on a join hold there, whatever the rows of its parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.errors import ConfigError
from state.tdbench_config import Dependency
from tdbench.dependencies.check import check, contradictions
from tdbench.dependencies.encoding import encode
from tdbench.joins.inference import inferred_dependencies
from tdbench.joins.natural import build_joins
from tdbench.table import TemporalTable
from tests.tdbench.joins.joined_tables import Database, Row, Source, config_of, hold, sources


def possible(columns: tuple[str, ...]) -> Iterator[Dependency]:
    for size in (1, 2):
        for left in combinations(columns, size):
            yield from (Dependency(determinants=left, dependent=right) for right in columns if right not in left)


def broken(database: Database, table: TemporalTable, dependencies: Iterable[Dependency]) -> set[Dependency]:
    """Those that some rows contradict, by what checks a declared one; columns are read once for all."""
    encoded = encode(database.connection, table, table.columns)
    return {one for one in dependencies if contradictions(encoded, one).pairs}


def check_inferred(tables: list[Source]) -> None:
    database = hold(*tables)
    join = build_joins(database.connection, database.tables, config_of(database.tables))["joined"]
    wrong = {name: broken(database, table, possible(table.columns)) for name, table in database.tables.items()}
    of_parts = [[one for one in possible(table.columns) if one not in wrong[name]] for name, table in database.tables.items()]
    found = inferred_dependencies(database.connection, join, of_parts)
    assert broken(database, join.table, found) == set()
    assert len(set(found)) == len(found)


@settings(max_examples=2)
@given(sources("games", ("event", "country")), sources("leaders", ("country", "role", "name")))
def test_what_is_inferred_holds(games: Source, leaders: Source) -> None:
    check_inferred([games, leaders])


@pytest.mark.slow
@settings(max_examples=15)
@given(st.data())
def test_what_is_inferred_holds_on_many_joins_of_two_and_three(data: st.DataObject) -> None:
    columns = [("event", "country"), ("country", "role", "name"), ("role", "dress")][: data.draw(st.integers(2, 3))]
    check_inferred([data.draw(sources(f"t{place}", names)) for place, names in enumerate(columns)])


EDITIONS = Source("games", ("edition", "season", "country"), [Row(("1", "Summer", "P"), 0, 2), Row(("1", "Winter", "P"), 5, 6)])
HOLDERS = Source("leaders", ("country", "role", "name"), [Row(("P", "chair", "Ana"), 0, 3), Row(("P", "chair", "Bo"), 3, 9)])
COUNTRY = Dependency(determinants=("edition", "season"), dependent="country")
NAME = Dependency(determinants=("country", "role"), dependent="name")


def inferred(tables: list[Source], of_parts: list[list[Dependency]]) -> tuple[Dependency, ...]:
    database = hold(*tables)
    join = build_joins(database.connection, database.tables, config_of(database.tables))["joined"]
    return inferred_dependencies(database.connection, join, of_parts)


def test_an_edition_with_its_season_and_a_role_determine_a_name() -> None:
    composed = Dependency(determinants=("edition", "season", "role"), dependent="name")
    assert inferred([EDITIONS, HOLDERS], [[COUNTRY], [NAME]]) == (COUNTRY, NAME, composed)


def test_what_follows_from_a_shorter_one_is_left_out() -> None:
    role = Dependency(determinants=("role",), dependent="name")
    assert inferred([EDITIONS, HOLDERS], [[COUNTRY], [NAME, role]]) == (role, COUNTRY)


def test_nothing_is_inferred_through_a_column_that_is_empty_in_a_row() -> None:
    rows = [Row(("1", None, "P", "x"), 0, 9), Row(("1", "A", "P", "y"), 0, 9)]
    games = Source("games", ("edition", "city", "country", "flag"), rows)
    city, flag = Dependency(determinants=("edition",), dependent="city"), Dependency(determinants=("city",), dependent="flag")
    database = hold(games)
    assert all(check(database.connection, database.tables["games"], one).holds for one in (city, flag))
    composed = Dependency(determinants=("edition",), dependent="flag")
    assert not check(database.connection, database.tables["games"], composed).holds
    assert composed not in inferred([games, HOLDERS], [[city, flag], []])
    whole = games._replace(rows=[Row(("1", "A", "P", "x"), 0, 9), Row(("1", "A", "P", "x"), 0, 9)])
    assert composed in inferred([whole, HOLDERS], [[city, flag], []])


def test_a_column_that_a_part_lacks_is_refused() -> None:
    with pytest.raises(ConfigError, match="no dependency can name 'nam'"):
        inferred([EDITIONS, HOLDERS], [[], [Dependency(determinants=("role",), dependent="nam")]])
