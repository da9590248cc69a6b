from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings

from state.errors import ConfigError
from state.tdbench_config import Dependency
from tdbench.dependencies import repair
from tdbench.dependencies.check import check
from tdbench.dependencies.repair import Suggestion, suggest_repairs
from tests.tdbench.dependencies.temporal_rows import Row, make_table, small_tables

COLUMNS = ("land", "role", "name", "party")
RULE = Dependency(determinants=("land",), dependent="name")


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def _after(rows: list[Row], rule: Dependency, suggestion: Suggestion) -> tuple[list[Row], Dependency]:
    """Rows and dependency once the suggestion has been followed."""
    if suggestion.column is not None:
        rule = Dependency(determinants=(*rule.determinants, suggestion.column), dependent=rule.dependent)
    ends = {cut.row: cut.end for cut in suggestion.cuts}
    changed = [(cells, start, ends.get(place, end)) for place, (cells, start, end) in enumerate(rows)]
    return [row for place, row in enumerate(changed) if place not in suggestion.rows], rule


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=small_tables(4))
def test_a_suggestion_that_is_followed_leaves_what_it_says(connection: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    table = make_table(connection, COLUMNS, rows)
    before = check(connection, table, RULE)
    suggested = suggest_repairs(connection, table, RULE)
    assert suggested.violations == before.violations
    for suggestion in suggested.suggestions:
        changed, rule = _after(rows, RULE, suggestion)
        after = check(connection, make_table(connection, COLUMNS, changed), rule)
        assert (after.violations, after.support) == (suggestion.violations_left, suggestion.support_left)
        assert after.violations < before.violations
        assert after.support
        if suggestion.kind == "drop rows":
            assert after.violations == 0
        for cut in suggestion.cuts:
            _, start, end = rows[cut.row]
            assert start < cut.end
            assert cut.lost == (None if end is None else end - cut.end)
            assert cut.lost is None or cut.lost > 0
            assert suggestion.kind == "shorten rows" or cut.lost == 1


def test_days_of_a_hand_over_are_told_from_longer_overlaps_and_columns_come_first(connection: duckdb.DuckDBPyConnection) -> None:
    rows: list[Row] = [
        (("Arn", "mayor", "Ida Holt", "red"), 0, 11),
        (("Arn", "mayor", "Bo Lind", "red"), 10, 25),
        (("Arn", "mayor", "Cy Moe", "red"), 20, 40),
        (("Arn", "clerk", "Dag Ek", "blue"), 30, 35),
    ]
    suggested = suggest_repairs(connection, make_table(connection, COLUMNS, rows), RULE)
    assert suggested.as_lines() == [
        "the table: land ->T name is broken; violations 3",
        "  add role to the left side; violations left 2, groups that change over time 1",
        "  add party to the left side; violations left 2, groups that change over time 1",
        "  end rows where the next begins: 1, granules lost at most 1; violations left 2, groups that change over time 1",
        "  end rows where the next begins: 2, granules lost at most 5; violations left 1, groups that change over time 1",
        "  drop rows: 2; violations left 0, groups that change over time 1",
    ]
    assert suggested.suggestions[-1].rows == (1, 2)


def test_a_row_that_was_never_ended_ends_where_its_successor_begins(connection: duckdb.DuckDBPyConnection) -> None:
    rows: list[Row] = [(("Arn", None, "Ida Holt", None), 0, None), (("Arn", None, "Bo Lind", None), 10, None)]
    suggested = suggest_repairs(connection, make_table(connection, COLUMNS, rows), RULE)
    assert suggested.as_lines()[1:] == [
        "  end rows where the next begins: 1, without an end so far 1; violations left 0, groups that change over time 1",
    ]


def test_nothing_is_suggested_where_nothing_is_broken_or_nothing_would_change_over_time(connection: duckdb.DuckDBPyConnection) -> None:
    valid: list[Row] = [(("Arn", None, "Ida Holt", None), 0, 10), (("Arn", None, "Bo Lind", None), 10, None)]
    assert suggest_repairs(connection, make_table(connection, COLUMNS, valid), RULE).as_lines() == [
        "the table: land ->T name needs no repair"
    ]
    hopeless: list[Row] = [(("Arn", None, "Ida Holt", None), 0, None), (("Arn", None, "Bo Lind", None), 0, None)]
    assert suggest_repairs(connection, make_table(connection, COLUMNS, hopeless), RULE).as_lines() == [
        "the table: land ->T name is broken; violations 1",
        "  nothing would help and leave something that changes over time",
    ]


def test_rows_of_a_dependency_that_is_broken_everywhere_are_not_listed(connection: duckdb.DuckDBPyConnection) -> None:
    size = 2_100
    assert size * (size - 1) // 2 > repair.MOST_PAIRS
    rows: list[Row] = [(("Arn", str(place), str(place), None), place, 2 * size) for place in range(size)]
    suggested = suggest_repairs(connection, make_table(connection, COLUMNS, rows), RULE)
    assert (suggested.rows_examined, suggested.suggestions) == (False, ())
    assert suggested.as_lines()[-1] == "  too many rows contradict one another to say which should be shortened or dropped"


def test_a_column_that_is_not_there_is_refused(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(ConfigError, match="'nome'"):
        suggest_repairs(connection, make_table(connection, COLUMNS, []), Dependency(determinants=("land",), dependent="nome"))
