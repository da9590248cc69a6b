"""A ledger that holds what no run writes is one line, not a traceback."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from runs.database import RunDatabase
from state.errors import RunFolderError


def test_a_number_that_is_none_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    database = RunDatabase(path, writable=True)
    database.begin_call("years-1", "rewriter", "gpt", "0" * 64, 5)
    assert [row.calls for row in database.usage()] == [1]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE ledger SET role = x'ff00'")
    with pytest.raises(RunFolderError, match="the ledger cannot be read"):
        database.usage()
    database.close()
