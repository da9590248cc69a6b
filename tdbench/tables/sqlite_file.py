"""A table or view of an SQLite file, by the standard library, read only and as it stands at one moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pyarrow as pa

from state.errors import TableError
from tdbench.table import quote
from tdbench.tables.source import SourceTable, as_text, check_names, in_order_of_content, only_table, text_table

_BATCH = 50_000


def read_sqlite(path: Path, wanted: Mapping[str, str | None]) -> dict[str, SourceTable]:
    """The tables of one file, all in one transaction: another program's writes in between are not seen.

    Args:
        path: the file.
        wanted: our name of each table -> its name in the file, `None` for the only one.

    Raises:
        TableError: the file is no database or is locked, or a table or a name is refused.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as connection:
            connection.execute("BEGIN")
            query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            known = [str(name) for (name,) in connection.execute(query)]
            return {name: _read(connection, path, _bare(table), known) for name, table in wanted.items()}
    except sqlite3.Error as error:
        raise TableError(f"cannot be read as SQLite: {error}", where=str(path)) from error


def _bare(table: str | None) -> str | None:
    """A table's name without the schema `main`, the only one that a file opened by itself has."""
    return None if table is None else table.removeprefix("main.")


def _read(connection: sqlite3.Connection, path: Path, table: str | None, known: list[str]) -> SourceTable:
    table = only_table(table, known, str(path))
    where = f"{path}, table {table!r}"
    names = [str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    check_names(names, where)
    cursor = connection.execute(f"SELECT {', '.join(map(quote, names))} FROM {quote(table)}")
    batches = list(_batches(cursor, names, where))
    columns = [pa.chunked_array([batch[place] for batch in batches], pa.string()) for place in range(len(names))]
    cells = in_order_of_content(text_table(names, columns))
    return SourceTable("sqlite", where, cells, range(cells.num_rows))


def _batches(cursor: sqlite3.Cursor, names: list[str], where: str) -> Iterator[list[pa.Array]]:
    while rows := cursor.fetchmany(_BATCH):
        columns = zip(names, zip(*rows, strict=True), strict=True)
        yield [pa.array([as_text(value, f"{where}, column {name!r}") for value in column], pa.string()) for name, column in columns]
