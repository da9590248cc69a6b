"""The temporal natural join: rows that agree on the columns that tables share, and hold at one time. Paper: TDBench, section 3.

The result is a temporal table: a row for each combination, with the columns of all, valid while all are. An end is
missing where all ends are; if that of one row is unknown and others end, the row is certain of one granule only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import duckdb

from state.errors import ConfigError, did_you_mean
from state.tdbench_config import JoinConfig, TdbenchConfig
from tdbench.joins.overlap import share_time, touched
from tdbench.table import END, ROW, START, TemporalTable, quote


@dataclass(frozen=True)
class Part:
    """One of the tables that are joined."""

    table: TemporalTable
    columns: dict[str, str]
    """Its columns -> what they are called in the joined table."""
    alias: str
    """What it is called in SQL over all parts."""
    row_column: str
    """The column of the joined table that has its `_row`."""

    def own(self, column: str) -> str:
        """Its name for a column of the joined table; of several, the first."""
        return next(own for own, joined in self.columns.items() if joined == column)


@dataclass(frozen=True)
class Join:
    """A joined table and what it is made of."""

    table: TemporalTable
    """The result, in the database under the join's name."""
    parts: tuple[Part, ...]
    """The tables, in the config's order."""
    shared: tuple[str, ...]
    """Columns of the result that two parts or more have; they have a value in every row."""


def build_joins(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, TemporalTable], config: TdbenchConfig) -> dict[str, Join]:
    """All joins of a config, made anew in the database, by name.

    Raises:
        ConfigError: a join cannot be made: names clash, a table or column is not there, nothing is shared, or units differ.
    """
    taken = {name.lower(): name for name in tables}
    joins = {}
    for name, settings in config.joins.items():
        where = f"tdbench.joins.{name}"
        if name.lower() in taken:
            remedy = "SQL takes no notice of case: rename one."
            raise ConfigError(f"{name!r} and {taken[name.lower()]!r} cannot be told apart", where=where, remedy=remedy)
        taken[name.lower()] = name
        for wanted in settings.tables:
            if wanted not in tables:
                raise ConfigError(f"no table {wanted!r}", where=where, remedy=did_you_mean(wanted, tables))
        joins[name] = join_tables(connection, name, [tables[wanted] for wanted in settings.tables], settings)
    return joins


def join_tables(connection: duckdb.DuckDBPyConnection, name: str, tables: Sequence[TemporalTable], settings: JoinConfig) -> Join:
    """The temporal natural join of tables, as the table `name`, which is replaced if it is there.

    Raises:
        ConfigError: a column is not there, nothing is shared, two names clash, or units differ.
    """
    where = f"tdbench.joins.{name}"
    _check_units(tables, where)
    parts = _as_parts(tables, settings, where)
    columns = tuple(dict.fromkeys(joined for part in parts for joined in part.columns.values()))
    shared = tuple(column for column in columns if sum(column in part.columns.values() for part in parts) > 1)
    for column in settings.glossary:
        if column not in columns:
            raise ConfigError(f"no column {column!r} (glossary)", where=where, remedy=did_you_mean(column, columns))
    connection.execute(f"CREATE OR REPLACE TABLE {quote(name)} AS {_join_sql(parts, columns)}")
    (rows,) = connection.execute(f"SELECT count(*) FROM {quote(name)}").fetchone() or (0,)
    glossary = {joined: part.table.glossary[own] for part in reversed(parts) for own, joined in part.columns.items()}
    table = TemporalTable(
        name=name,
        columns=columns,
        start_column=tables[-1].start_column,
        end_column=tables[-1].end_column,
        granularity=tables[0].granularity,
        open_end="unknown" if any(table.open_end == "unknown" for table in tables) else "ongoing",
        rows=rows,
        glossary={column: settings.glossary.get(column, glossary[column]) for column in columns},
        domain=name,
        ends="inclusive" if all(table.ends == "inclusive" for table in tables) else "exclusive",
    )
    return Join(table, parts, shared)


def joined_source(parts: Sequence[Part], overlap: str) -> str:
    """FROM and WHERE of what goes over all parts: rows that agree on what they share, under a condition on their times."""
    first: dict[str, str] = {}
    tests = []
    for part in parts:
        for own, joined in part.columns.items():
            expression = f"{part.alias}.{quote(own)}"
            if joined in first:
                tests.append(f"{first[joined]} = {expression}")
            first.setdefault(joined, expression)
    listed = ", ".join(f"{quote(part.table.name)} AS {part.alias}" for part in parts)
    return f"FROM {listed} WHERE {' AND '.join([*tests, overlap])}"


def _join_sql(parts: Sequence[Part], columns: Iterable[str]) -> str:
    first = {joined: f"{part.alias}.{quote(own)}" for part in reversed(parts) for own, joined in reversed(part.columns.items())}
    spans = [touched(part.table, part.alias) for part in parts]
    starts, ends = ", ".join(span.start for span in spans), ", ".join(span.end for span in spans)
    no_end = " AND ".join(f"{part.alias}.{END} IS NULL" for part in parts)
    rows = ", ".join(f"{part.alias}.{ROW}" for part in parts)
    chosen = [f"row_number() OVER (ORDER BY {rows}) - 1 AS {ROW}"]
    chosen += [f"{first[column]} AS {quote(column)}" for column in columns]
    chosen += [f"greatest({starts}) AS {START}", f"CASE WHEN NOT ({no_end}) THEN least({ends}) END AS {END}"]
    chosen += [f"{part.alias}.{ROW} AS {part.row_column}" for part in parts]
    return f"SELECT {', '.join(chosen)} {joined_source(parts, share_time(spans))} ORDER BY {rows}"


def _as_parts(tables: Sequence[TemporalTable], settings: JoinConfig, where: str) -> tuple[Part, ...]:
    """The tables with their columns' names in the result.

    A shared column has its first table's name. Another whose name is taken by then is called after its table.
    """
    known: dict[str, str] = {}
    parts: list[Part] = []
    for place, table in enumerate(tables, start=1):
        pairs = _shared_columns(table, settings.on.get(table.name), known, where) if parts else {}
        columns = {}
        for own in table.columns:
            joined = pairs.get(own) or (own if own.lower() not in known else f"{table.name}_{own}")
            if own not in pairs and (joined.lower() in known or joined.lower() in _row_columns(len(tables))):
                raise ConfigError(f"the column {own!r} of {table.name} can have no name of its own", where=where, remedy="Rename it.")
            columns[own] = known.setdefault(joined.lower(), joined)
        parts.append(Part(table, columns, f"t{place}", f"_row_{place}"))
    return tuple(parts)


def _row_columns(parts: int) -> list[str]:
    return [f"_row_{place}" for place in range(1, parts + 1)]


def _shared_columns(table: TemporalTable, on: dict[str, str] | None, known: Mapping[str, str], where: str) -> dict[str, str]:
    """A table's columns -> the columns before it that say the same."""
    if on is None:
        shared = {own: known[own.lower()] for own in table.columns if own.lower() in known}
        if not shared:
            remedy = f"Name pairs under on, as in on: {{{table.name}: {{{table.columns[0]}: ...}}}}."
            raise ConfigError(f"{table.name} shares no column with the tables before it", where=where, remedy=remedy)
        return shared
    for own, other in on.items():
        if own not in table.columns:
            raise ConfigError(f"{table.name} has no column {own!r}", where=f"{where}.on", remedy=did_you_mean(own, table.columns))
        if other.lower() not in known:
            raise ConfigError(f"no column {other!r} before {table.name}", where=f"{where}.on", remedy=did_you_mean(other, known.values()))
    return {own: known[other.lower()] for own, other in on.items()}


def _check_units(tables: Sequence[TemporalTable], where: str) -> None:
    if len({table.granularity for table in tables}) > 1:
        units = ", ".join(f"{table.name} {table.granularity}s" for table in tables)
        remedy = "Give all of them the granularity of the coarsest; what a year or month leaves open is then not asked."
        raise ConfigError(f"tables of different units ({units}) are not joined", where=where, remedy=remedy)
