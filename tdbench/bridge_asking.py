"""Whether the table that a graph was made into can be asked about as it is, and which dependency to declare if not."""

from __future__ import annotations

from pathlib import Path

from runs.config_file import load_config
from state.config import Config
from state.errors import ConfigError
from state.tdbench_config import Dependency
from tdbench.bridge_report import DependencyToDeclare, TableBridge
from tdbench.dependencies.check import check, written
from tdbench.sampling import dependencies_of
from tdbench.tables.store import TemporalDatabase, open_tables


def with_asking(report: TableBridge) -> TableBridge:
    """The report with what a build of its config will make questions of; the files must still be there.

    Raises:
        ChronoQGError: the config or the table cannot be read.
    """
    config = load_config(Path(report.folder) / report.files[-1]).config
    with open_tables(config.tdbench.tables, {}) as database:
        found = _found(database, report.table, config)
        declare = None if found else _nearest(database, report)
    return report.model_copy(update={"dependencies": found, "declare": declare})


def _found(database: TemporalDatabase, table: str, config: Config) -> tuple[str, ...]:
    try:
        return tuple(written(used.dependency) for used in dependencies_of(database, table, config.tdbench))
    except ConfigError:
        return ()


def _nearest(database: TemporalDatabase, report: TableBridge) -> DependencyToDeclare | None:
    """Of who has what and what has whom the one that fewest pairs of rows break, among those that time has a part in."""
    also = ("relation",) if len(report.relations) > 1 else ()
    sides = (("object", "subject"), ("subject", "object"))
    rules = [Dependency(determinants=(left, *also), dependent=right) for left, right in sides]
    checked = [check(database.connection, database.tables[report.table], rule) for rule in rules]
    supported = [one for one in checked if one.support]
    if not supported:
        return None
    best = min(supported, key=lambda one: one.violations / one.agreeing)
    return DependencyToDeclare(dependency=best.dependency, violations=best.violations, agreeing=best.agreeing)
