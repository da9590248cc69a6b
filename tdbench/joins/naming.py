"""What names one row of a table without its time, as an edition's number and season name one Games."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

import duckdb

from tdbench.table import TemporalTable, quote


def naming_columns(connection: duckdb.DuckDBPyConnection, table: TemporalTable, shared: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """The columns, then the pairs of columns, that tell every row of a table from all others.

    Left out are the columns that a join shares, since they are what a question leaves to be found, and those that say
    all of these though they name no row, as a city says the country: they are a step on the way. A pair holds no
    column that names a row alone.
    """
    own = [column for column in table.columns if column not in shared]
    single = [column for column in own if _names_rows(connection, table, [column])]
    rest = [column for column in own if column not in single and not _says(connection, table, column, shared)]
    pairs = [pair for pair in combinations(rest, 2) if _names_rows(connection, table, pair)]
    return (*((column,) for column in single), *pairs)


def rows_named_once(table: TemporalTable, columns: Sequence[str]) -> str:
    """SQL for the `_row` of the rows that have values in some columns which no other row has."""
    listed = ", ".join(map(quote, columns))
    given = " AND ".join(f"{quote(column)} IS NOT NULL" for column in columns)
    return f"SELECT min(_row) FROM {quote(table.name)} WHERE {given} GROUP BY {listed} HAVING count(*) = 1"


def _names_rows(connection: duckdb.DuckDBPyConnection, table: TemporalTable, columns: Sequence[str]) -> bool:
    found = connection.execute(f"SELECT count(*) FROM ({rows_named_once(table, columns)})").fetchone()
    return found == (table.rows,)


def _says(connection: duckdb.DuckDBPyConnection, table: TemporalTable, column: str, shared: Collection[str]) -> bool:
    """Whether rows that agree on a column agree on the shared ones."""
    several = " OR ".join(f"count(DISTINCT {quote(one)}) > 1" for one in table.columns if one in shared)
    if not several:
        return False
    sql = f"SELECT 1 FROM {quote(table.name)} GROUP BY {quote(column)} HAVING {several} LIMIT 1"
    return connection.execute(sql).fetchone() is None
