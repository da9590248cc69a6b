from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.tdbench_config import Dependency
from tdbench.dependencies.check import check
from tdbench.dependencies.discover import discover
from tests.tdbench.dependencies.temporal_rows import Judged, Row, judge, make_table, read_csv, small_tables

COLUMNS = ("land", "role", "name", "party", "seat")


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def _by_looking_at_all(rows: list[Row], tolerance: float) -> tuple[list[tuple[Dependency, Judged]], list[Dependency]]:
    """Minimal dependencies, temporal and constant, by the definition."""
    judged: dict[tuple[tuple[str, ...], str], Judged] = {}
    for size in (1, 2, 3):
        for left in combinations(COLUMNS, size):
            for right in COLUMNS:
                if right not in left:
                    judged[left, right] = judge(COLUMNS, rows, Dependency(determinants=left, dependent=right))

    def is_constant(truth: Judged) -> bool:
        return not truth.support and not truth.broken

    def holds(truth: Judged) -> bool:
        return is_constant(truth) or len(truth.broken) <= tolerance * len(truth.agreeing)

    temporal, constant = [], []
    for (left, right), truth in judged.items():
        parts = [judged[part, right] for size in range(1, len(left)) for part in combinations(left, size)]
        if any(map(holds, parts)):
            continue
        rule = Dependency(determinants=left, dependent=right)
        if is_constant(truth):
            if truth.agreeing:
                constant.append(rule)
        elif holds(truth) and truth.support:
            temporal.append((rule, truth))
    return temporal, constant


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=small_tables(5), tolerance=st.sampled_from([0.0, 0.0, 0.1, 0.4]))
def test_what_is_found_is_what_a_search_of_every_left_side_finds(
    connection: duckdb.DuckDBPyConnection, rows: list[Row], tolerance: float
) -> None:
    found = discover(connection, make_table(connection, COLUMNS, rows), tolerance)
    temporal, constant = _by_looking_at_all(rows, tolerance)
    assert [(seen.dependency, seen.support) for seen in found.temporal] == [(rule, truth.support) for rule, truth in temporal]
    assert [(seen.agreeing, seen.overlapping, seen.violations) for seen in found.temporal] == [
        tuple(map(len, truth[1:4])) for _, truth in temporal
    ]
    assert list(found.constant) == constant


def test_a_longer_left_side_of_one_that_holds_and_a_constant_one_are_no_findings(connection: duckdb.DuckDBPyConnection) -> None:
    rows: list[Row] = [
        (("Arn", "mayor", "Ida Holt", "red", "hall"), 0, 10),
        (("Arn", "mayor", "Bo Lind", "blue", "hall"), 10, 20),
        (("Bex", "mayor", "Cy Moe", "red", "tower"), 0, 20),
        (("Bex", "clerk", "Dag Ek", "blue", "tower"), 0, 20),
    ]
    found = discover(connection, make_table(connection, COLUMNS, rows))
    assert [
        (seen.dependency.determinants, seen.dependency.dependent) for seen in found.temporal if seen.dependency.dependent == "name"
    ] == [
        (("land", "role"), "name"),
        (("role", "seat"), "name"),
    ]
    assert Dependency(determinants=("land",), dependent="seat") in found.constant
    assert found.as_lines()[0] == f"the table: temporal dependencies: {len(found.temporal)}; those that never change: {len(found.constant)}"
    assert "  land + role ->T name: groups that change over time: 1" in found.as_lines()
    assert "  land ->T seat: never changes" in found.as_lines()


def test_a_table_without_rows_or_with_one_column_has_no_dependencies(connection: duckdb.DuckDBPyConnection) -> None:
    for columns, rows in ((COLUMNS, []), (("land",), [(("Arn",), 0, 1), (("Bex",), 0, 1)])):
        found = discover(connection, make_table(connection, columns, rows))
        assert (found.temporal, found.constant) == ((), ())


def test_published_leaders_depend_on_country_and_role_once_a_few_violations_are_tolerated(
    connection: duckdb.DuckDBPyConnection, shared_data: Path
) -> None:
    columns, rows, _ = read_csv(shared_data / "tdbench/dataset/crafted/dyknow/dyknow_leaders.csv")
    table = make_table(connection, columns, rows)
    declared = Dependency(determinants=("Country", "Role"), dependent="Name")
    assert declared not in [found.dependency for found in discover(connection, table).temporal]
    tolerant = {found.dependency: found.violations for found in discover(connection, table, tolerance=0.02).temporal}
    assert tolerant[declared] == check(connection, table, declared).violations == 19


@pytest.mark.slow
def test_counts_over_many_rows_are_those_of_a_join(connection: duckdb.DuckDBPyConnection) -> None:
    size = 200_000
    connection.execute(
        f"""CREATE OR REPLACE TABLE posts AS SELECT *,
        CASE WHEN hash(i, 'length') % 20 > 0 THEN _start + 1 + hash(i, 'end') % 400 END::BIGINT _end
        FROM (SELECT (hash(i, 'land') % 20000)::VARCHAR land, (hash(i, 'role') % 4)::VARCHAR "role", (hash(i, 'name') % 6)::VARCHAR "name",
        i _row, (hash(i, 'start') % 9000)::BIGINT _start, i FROM range({size}) t(i))"""
    )
    table = make_table(connection, ("land", "role", "name"), [])
    connection.execute('CREATE OR REPLACE TABLE "the table" AS FROM posts')
    joined = connection.execute(
        """SELECT count(*), count(*) FILTER (shares), count(*) FILTER (shares AND a."name" <> b."name") FROM (
        SELECT *, coalesce(_end, 99999) e FROM posts) a JOIN (SELECT *, coalesce(_end, 99999) e FROM posts) b
        ON a.land = b.land AND a."role" = b."role" AND a._row < b._row, LATERAL (SELECT a._start < b.e AND b._start < a.e AS shares)"""
    ).fetchone()
    found = check(connection, table, Dependency(determinants=("land", "role"), dependent="name"))
    assert (found.agreeing, found.overlapping, found.violations) == joined
    tolerant = discover(connection, table, tolerance=0.5).temporal
    assert {seen.dependency.determinants for seen in tolerant if seen.dependency.dependent == "name"} == {("land",), ("role",)}
