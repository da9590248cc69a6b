"""A `run.sqlite` on its way to somebody else: a copy with nothing left over in it, and a check of a stranger's."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from runs.database import _SCHEMA, RunDatabase
from state.errors import RunFolderError


def compact_copy(source: Path, target: Path) -> None:
    """Writes a database anew, its log folded in and no free page with old data; the same content gives the same bytes.

    Raises:
        RunFolderError: the database is damaged or cannot be copied.
    """
    writable = os.access(source, os.W_OK) and os.access(source.parent, os.W_OK)
    with _errors(source), contextlib.closing(_connect(source, "mode=rw" if writable else "mode=ro&immutable=1")) as connection:
        try:
            connection.execute("VACUUM INTO ?", (str(target),))
        except sqlite3.OperationalError as err:
            if err.sqlite_errorcode != sqlite3.SQLITE_FULL:
                raise
            remedy = "Free the place or choose another --out."
            raise RunFolderError("no room for a copy of it: the disk is full", where=str(source), remedy=remedy) from err
    with _errors(target), contextlib.closing(_connect(target, "mode=rw")) as connection:
        # Else it would count how often a database has been copied, and the copy of a copy would differ.
        connection.execute("PRAGMA schema_version = 1")


def check_strangers_database(path: Path) -> None:
    """Passes if a database holds a run's tables and nothing else, and every node visit and outcome in it reads.

    The schema is looked at before anything in it may run: no trigger, view, virtual table, expression
    or table of another kind gets past the comparison with a run's own.

    Raises:
        RunFolderError: it does not.
    """
    with _errors(path), contextlib.closing(_connect(path, "mode=ro&immutable=1")) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA cell_size_check = ON")
        if other := _schema(connection) ^ _own_schema():
            name = min(f"{kind} {name!r}" for kind, name, _, _ in other)
            raise RunFolderError(f"the database does not hold exactly the tables of a run: {name}", where=str(path))
        found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise RunFolderError("the database is damaged", where=str(path))
    _read_all(path)


def _read_all(path: Path) -> None:
    database = RunDatabase(path, writable=False)
    try:
        for ident in database.finished():
            database.outcome(ident)
            database.trajectory(ident)
            database.duplicate_of(ident)
        database.usage()
    except (ValueError, TypeError) as err:
        raise RunFolderError("the database holds what no run writes", where=str(path)) from err
    finally:
        database.close()


def _schema(connection: sqlite3.Connection) -> set[tuple[str, str, str, str]]:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return {(str(kind), str(name), str(table), " ".join(str(sql).split())) for kind, name, table, sql in rows}


def _own_schema() -> set[tuple[str, str, str, str]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_SCHEMA)
        return _schema(connection)


def _connect(path: Path, options: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?{options}", uri=True, isolation_level=None)


@contextlib.contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, UnicodeError) as err:
        raise RunFolderError(f"the run's database cannot be used: {err}", where=str(path)) from err
