"""Declared dependencies: those that hold or are broken are told of, those that nothing can be asked of are refused."""

from __future__ import annotations

import duckdb
import pytest

from state.errors import ConfigError
from state.tdbench_config import Dependency
from tdbench.dependencies.check import check
from tdbench.dependencies.declared import check_declared
from tdbench.tables.example import example_tables
from tdbench.tables.store import open_tables
from tests.tdbench.dependencies.temporal_rows import Row, make_table

NAME = Dependency(determinants=("place",), dependent="name")
SUCCESSION: list[Row] = [(("P", "Ana"), 0, 5), (("P", "Bo"), 5, 9)]


def test_broken_dependencies_are_told_of_with_witnesses_and_are_no_error() -> None:
    connection = duckdb.connect()
    table = make_table(connection, ("place", "name"), [*SUCCESSION, (("P", "Cy"), 8, None)])
    (report,) = check_declared(connection, table, [NAME, NAME])
    assert report == check(connection, table, NAME)
    assert (report.violations, len(report.witnesses)) == (1, 1)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([(("P", "Ana"), 0, 5), (("Q", "Bo"), 5, 9)], "no two rows agree on X"),
        ([(("P", "Ana"), 0, 5), (("P", "Ana"), 5, 9)], "Y never changes"),
        ([(("P", "Ana"), 0, 5), (("P", "Bo"), 2, 9)], "Y differs at one time only"),
        ([(("P", "Ana"), 0, 5), (("P", None), 5, 9)], "a row says nothing of Y"),
    ],
)
def test_a_dependency_that_no_rows_support_is_refused_in_one_line(rows: list[Row], why: str) -> None:
    connection = duckdb.connect()
    with pytest.raises(ConfigError) as raised:
        check_declared(connection, make_table(connection, ("place", "name"), rows), [NAME])
    assert str(raised.value) == (
        "tdbench.tables.the table.dependencies: place ->T name has no support: no rows that agree on place change name over time. "
        "Declare one whose right side changes, or none to have them found; require_support: false asks all the same."
    ), why
    assert raised.value.exit_code == 2
    (report,) = check_declared(connection, make_table(connection, ("place", "name"), rows), [NAME], require_support=False)
    assert report.support == 0


def test_a_column_that_is_not_there_or_is_one_of_time_is_refused_in_one_line() -> None:
    connection = duckdb.connect()
    table = make_table(connection, ("place", "name"), SUCCESSION)
    for column in ("plase", "_end", "start"):
        with pytest.raises(ConfigError, match=rf"no dependency can name '{column}'.*Known: name, place\.$"):
            check_declared(connection, table, [NAME, Dependency(determinants=(column,), dependent="name")])


def test_all_that_the_example_declares_holds_and_has_support() -> None:
    config = example_tables()
    with open_tables(config, {}) as database:
        for name, table in database.tables.items():
            reports = check_declared(database.connection, table, config[name].dependencies)
            assert [report.dependency for report in reports] == list(config[name].dependencies)
            assert all(report.holds for report in reports)
