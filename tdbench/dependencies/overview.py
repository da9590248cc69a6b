"""`chronoqg tdbench dependencies`: what may be asked of a config's tables, what breaks it, and what would mend it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from runs.json_lines import pretty_json
from state.errors import ConfigError, did_you_mean
from state.tdbench_config import TdbenchConfig
from tdbench.dependencies.check import DependencyReport, check
from tdbench.dependencies.discover import Discovered, discover
from tdbench.dependencies.repair import Repairs, suggest_repairs
from tdbench.sound import SPELT_APART
from tdbench.spellings import Spellings, spelt_apart, table_spellings
from tdbench.tables.report import TableReport
from tdbench.tables.store import open_tables


@dataclass(frozen=True)
class TableDependencies:
    """What there is to say of one table."""

    read: TableReport
    declared: tuple[DependencyReport, ...]
    repairs: tuple[Repairs, ...]
    """Of those that rows break."""
    found: Discovered
    spellings: dict[str, tuple[Spellings, ...]]
    """Column -> its values that read the same but are spelt differently; columns without any are left out."""


@dataclass(frozen=True)
class DependencyOverview:
    """What there is to say of the tables of a config."""

    tables: tuple[TableDependencies, ...]

    def lines(self) -> list[str]:
        """For a person."""
        return [line for table in self.tables for line in (*_lines(table), "")][:-1]

    def as_json(self) -> bytes:
        """For a machine."""
        return pretty_json({
            "format": 1,
            "tables": [
                {
                    "read": one.read.model_dump(mode="json"),
                    "declared": [report.model_dump(mode="json") for report in one.declared],
                    "repairs": [repairs.model_dump(mode="json") for repairs in one.repairs],
                    "found": one.found.model_dump(mode="json"),
                    "spellings": one.spellings,
                }
                for one in self.tables
            ],
        })  # fmt: skip

    def talk(self) -> Iterator[str]:
        """The command that most likely comes next."""
        yield "next: chronoqg tdbench build with the dependencies that you want under tdbench.tables.NAME.dependencies"


def dependency_overview(config: TdbenchConfig, only: str | None = None) -> DependencyOverview:
    """Reads the tables, checks what is declared, and looks for what holds.

    Raises:
        ConfigError: no table is named, or the one asked for is none.
        TableError: a table is refused.
    """
    if not config.tables:
        raise ConfigError("no table is named", where="tdbench.tables", remedy="Name one, as in runs/tdbench-quickstart.yaml.")
    if only is not None and only not in config.tables:
        raise ConfigError(f"no table {only!r} in the config", where="--table", remedy=did_you_mean(only, config.tables))
    wanted = config.tables if only is None else {only: config.tables[only]}
    made = []
    with open_tables(wanted, os.environ) as database:
        for name, table in database.tables.items():
            declared = tuple(check(database.connection, table, one) for one in dict.fromkeys(wanted[name].dependencies))
            broken = [one.dependency for one in declared if not one.holds]
            repairs = tuple(suggest_repairs(database.connection, table, one) for one in broken)
            found = discover(database.connection, table, config.tolerance)
            every = {column: table_spellings(database.connection, table, column) for column in table.columns}
            spellings = {column: sets for column, sets in every.items() if sets}
            made.append(TableDependencies(database.reports[name], declared, repairs, found, spellings))
    return DependencyOverview(tuple(made))


def _lines(table: TableDependencies) -> Iterator[str]:
    yield from table.read.lines()
    if told := spelt_apart(table.spellings):
        yield f"  {SPELT_APART}: {told}; make them one in the table: until then they count as different things"
    for report in table.declared:
        yield from (f"  declared: {line}" if place == 0 else f"  {line}" for place, line in enumerate(report.as_lines()))
    for repairs in table.repairs:
        yield from (f"  {line}" for line in repairs.as_lines())
    yield from (f"  {line}" for line in table.found.as_lines())
