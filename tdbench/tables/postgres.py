"""Tables or views of a PostgreSQL database, through ADBC, in one read-only transaction. Needs the extra `postgres`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from state.errors import ConfigError, TableError
from tdbench.table import quote
from tdbench.tables.source import SourceTable, check_names, in_order_of_content, only_table, text_table

_SESSION = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
)
_TABLES = """
    SELECT table_schema, table_name FROM information_schema.tables
    WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY table_schema, table_name
"""
_COLUMNS = """
    SELECT column_name, data_type FROM information_schema.columns
    WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position
"""


def read_postgres(url: str, variable: str, wanted: Mapping[str, str | None]) -> dict[str, SourceTable]:
    """The tables of one database, all as they stood at one moment.

    Args:
        url: the database's address; it is in no message, for it may hold a password.
        variable: the environment variable that held it.
        wanted: our name of each table -> its name in the database, `None` for the only one.

    Raises:
        ConfigError: the extra `postgres` is not installed.
        TableError: the server refuses, or a table or a name is refused.
    """
    try:
        driver: Any = importlib.import_module("adbc_driver_postgresql.dbapi")
    except ImportError:
        raise ConfigError("reading PostgreSQL needs a driver", where=variable, remedy="Install the extra: chronoqg[postgres].") from None
    try:
        connection = driver.connect(url)
    except driver.Error:  # its message may repeat the address
        remedy = "Look whether the server runs, and whether the address, user and password are right."
        raise TableError("cannot connect to PostgreSQL at the address in this variable", where=variable, remedy=remedy) from None
    try:
        with closing(connection), connection.cursor() as cursor:
            for statement in _SESSION:
                cursor.execute(statement)
            cursor.execute(_TABLES)
            known = [(str(schema), str(table)) for schema, table in cursor.fetchall()]
            return {name: _read(cursor, variable, table, known) for name, table in wanted.items()}
    except driver.Error as error:
        state = getattr(error, "sqlstate", None)
        what = f"PostgreSQL gave up on a query{f' (SQLSTATE {state})' if state else ''}"
        raise TableError(what, where=variable, remedy="Look whether the user may read the table.") from None


def _read(cursor: Any, variable: str, wanted: str | None, known: list[tuple[str, str]]) -> SourceTable:
    places = {f"{schema}.{table}": (schema, table) for schema, table in known}
    name = only_table(wanted, list(places), variable)
    where = f"{variable}, table {name!r}"
    cursor.execute(_COLUMNS, places[name])
    columns = {str(column): str(kind) for column, kind in cursor.fetchall()}
    check_names(list(columns), where)
    texts = ", ".join(_text(column, kind) for column, kind in columns.items())
    schema, table = map(quote, places[name])
    cursor.execute(f"SELECT {texts} FROM {schema}.{table}")
    cells = in_order_of_content(text_table(list(columns), cursor.fetch_arrow_table().columns))
    return SourceTable("postgres", where, cells, range(cells.num_rows))


def _text(column: str, kind: str) -> str:
    """A column as text; `infinity`, which only times have, means that there is no end."""
    text = f"{quote(column)}::text"
    return f"nullif({text}, 'infinity')" if kind.startswith(("date", "timestamp")) else text
