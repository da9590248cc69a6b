from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.errors import ConfigError
from state.tdbench_config import Dependency
from tdbench.dependencies.check import check
from tests.tdbench.dependencies.temporal_rows import Row, judge, make_table, read_csv, small_tables

COLUMNS = ('land "of"; DROP TABLE x', "role's", "name")
RULES = (
    Dependency(determinants=COLUMNS[:1], dependent=COLUMNS[2]),
    Dependency(determinants=COLUMNS[:2], dependent=COLUMNS[2]),
    Dependency(determinants=(COLUMNS[2], COLUMNS[0]), dependent=COLUMNS[1]),
)
POSTS: list[Row] = [
    (("Arn", "mayor", "Ida Holt"), 0, 10),
    (("Arn", "mayor", "Bo Lind"), 9, 20),
    (("Arn", "mayor", "Cy Moe"), 20, None),
    (("Arn", "clerk", "Dag Ek"), 0, None),
    (("Arn", "clerk", None), 0, None),
    (("Bex", "mayor", "Eva Ros"), 5, 6),
    (("Bex", "mayor", "Finn Dal"), 5, 8),
]

SHARED = {
    "leaders": ("dyknow/dyknow_leaders.csv", ("Country", "Role"), "Name"),
    "athletes": ("dyknow/dyknow_sports.csv", ("Name", "Sport"), "Team"),
    "organisations": ("dyknow/dyknow_organizations.csv", ("Organization_name", "Organization_type", "Role"), "Name"),
    "law": ("legal/legal.csv", ("Country", "Law_type"), "Legality"),
    "heritage": ("culture/culture.csv", ("Heritage_element",), "Status_Inscribed_or_Proclaimed"),
    "films": ("movie/movie.csv", ("Title",), "Director"),
}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=small_tables(3), rule=st.sampled_from(RULES), most=st.integers(0, 4), gap=st.integers(1, 3))
def test_every_count_is_that_of_all_pairs_looked_at(
    connection: duckdb.DuckDBPyConnection, rows: list[Row], rule: Dependency, most: int, gap: int
) -> None:
    places = [gap * place for place in range(len(rows))]
    found = check(connection, make_table(connection, COLUMNS, rows, places), rule, witnesses=most)
    truth = judge(COLUMNS, rows, rule)
    assert (found.rows, found.incomplete) == (len(truth.complete), len(rows) - len(truth.complete))
    assert (found.agreeing, found.overlapping, found.violations) == tuple(map(len, truth[1:4]))
    assert found.rows_involved == len({place for pair in truth.broken for place in pair})
    assert (found.started_together, found.support) == (truth.together, truth.support)
    assert found.holds == (not truth.broken)
    assert [(seen.first.row, seen.second.row) for seen in found.witnesses] == [(gap * one, gap * two) for one, two in truth.broken[:most]]
    for seen in found.witnesses:
        for side in (seen.first, seen.second):
            cells, start, end = rows[side.row // gap]
            values = dict(zip(COLUMNS, cells, strict=True))
            assert (side.value, side.start, side.end) == (values[rule.dependent], start, end)
            assert seen.determinants == tuple(values[name] for name in rule.determinants)


def test_a_person_reads_which_rows_contradict_each_other(connection: duckdb.DuckDBPyConnection) -> None:
    table = make_table(connection, ("land", "role", "name"), POSTS)
    found = check(connection, table, Dependency(determinants=("land", "role"), dependent="name"))
    assert found.as_lines() == [
        "the table: land + role ->T name is broken by 2 of the 4 pairs of rows that agree on land + role (share time: 2);"
        " groups whose name changes over time: 1",
        "  rows that lack a value and say nothing: 1",
        "  rows involved: 4; for example",
        "  Arn, mayor: row 0 has 'Ida Holt' from 1970-01-01 before 1970-01-11, but row 1 has 'Bo Lind' from 1970-01-10 before 1970-01-21",
        "  Bex, mayor: row 5 has 'Eva Ros' from 1970-01-06 before 1970-01-07, but row 6 has 'Finn Dal' from 1970-01-06 before 1970-01-09",
    ]
    assert found.started_together == 1


def test_a_dependency_that_no_two_rows_bear_on_is_not_said_to_hold(connection: duckdb.DuckDBPyConnection) -> None:
    table = make_table(connection, ("land", "name"), [(("Arn", "Ida Holt"), 0, 5), (("Bex", "Bo Lind"), 0, 5)])
    found = check(connection, table, Dependency(determinants=("land",), dependent="name"))
    assert (found.support, found.as_lines()) == (
        0,
        ["the table: land ->T name is not put to the test: no two rows agree on its left side"],
    )


def test_a_group_of_many_rows_is_counted_without_listing_its_pairs(connection: duckdb.DuckDBPyConnection) -> None:
    size = 100_000
    connection.execute(
        f"CREATE OR REPLACE TABLE many AS SELECT 'a' x, (i % 2)::VARCHAR y, i _row, i _start, i + {size} _end FROM range({size}) t(i)"
    )
    table = make_table(connection, ("x", "y"), [])
    connection.execute('CREATE OR REPLACE TABLE "the table" AS FROM many')
    found = check(connection, table, Dependency(determinants=("x",), dependent="y"), witnesses=3)
    assert (found.overlapping, found.violations) == (size * (size - 1) // 2, (size // 2) ** 2)
    assert [(seen.first.row, seen.second.row) for seen in found.witnesses] == [(0, 1), (0, 3), (0, 5)]


def test_a_column_that_is_not_there_is_refused_with_the_nearest_one(connection: duckdb.DuckDBPyConnection) -> None:
    table = make_table(connection, ("land", "name"), [])
    for wrong in (Dependency(determinants=("lend",), dependent="name"), Dependency(determinants=("name",), dependent="lend")):
        with pytest.raises(ConfigError, match=r"tdbench.tables.the table.dependencies: .*'lend'.*Did you mean 'land'"):
            check(connection, table, wrong)


@pytest.mark.parametrize(
    ("name", "agreeing", "half_open", "of_which_together", "closed"),
    [
        ("leaders", 1723, 19, 1, 303),
        ("athletes", 371, 51, 16, 120),
        ("organisations", 446, 2, 0, 70),
        ("law", 0, 0, 0, 0),
        ("heritage", 69, 1, 1, 68),
        ("films", 239, 236, 0, 236),
    ],
)
def test_published_tables_break_their_declared_dependencies_so_often(
    connection: duckdb.DuckDBPyConnection,
    shared_data: Path,
    name: str,
    agreeing: int,
    half_open: int,
    of_which_together: int,
    closed: int,
) -> None:
    """Half-open, one granule for a row without length; and as if the granule of the end belonged to a row.

    Leaders 18 of 1,723 and athletes 35 of 371 are what is left without the violations that begin together: there,
    a row without length meets nobody who begins when it does.
    """
    path, left, right = SHARED[name]
    rule = Dependency(determinants=left, dependent=right)
    for inclusive, expected in ((False, half_open), (True, closed)):
        columns, rows, granularity = read_csv(shared_data / "tdbench/dataset/crafted" / path, inclusive=inclusive)
        found = check(connection, make_table(connection, columns, rows, granularity=granularity), rule)
        assert (found.agreeing, found.violations) == (agreeing, expected)
        if not inclusive:
            assert found.started_together == of_which_together
