"""Refuses declared dependencies that nothing can be asked of, before questions are made. Paper: TDBench, section 3."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from state.errors import ConfigError
from state.tdbench_config import Dependency
from tdbench.dependencies.check import DependencyReport, check, written
from tdbench.table import TemporalTable


def check_declared(
    connection: duckdb.DuckDBPyConnection, table: TemporalTable, dependencies: Sequence[Dependency], *, require_support: bool = True
) -> list[DependencyReport]:
    """What the table's rows say of each dependency that its config declares, in order, each once.

    Rows that break one are told of in its report, with witnesses, and are no error.

    Raises:
        ConfigError: the table lacks a column of one, or support is required and no rows give it: no group that agrees on the left side
            takes two values of the right side at times apart, so that nothing about time is to be asked.
    """
    reports = [check(connection, table, dependency) for dependency in dict.fromkeys(dependencies)]
    for report in reports:
        if require_support and not report.support:
            left = " + ".join(report.dependency.determinants)
            raise ConfigError(
                f"{written(report.dependency)} has no support: no rows that agree on {left} change {report.dependency.dependent} over time",
                where=f"tdbench.tables.{table.name}.dependencies",
                remedy="Declare one whose right side changes, or none to have them found; require_support: false asks all the same.",
            )
    return reports
