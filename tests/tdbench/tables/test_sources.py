"""CSV, Parquet and SQLite files as they occur, and the ways in which they are refused."""

from __future__ import annotations

import csv
import datetime
import gzip
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Literal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.errors import ConfigError, TableError
from state.tdbench_config import TableConfig
from tdbench.tables.csv_file import DELIMITERS, find_delimiter, read_csv
from tdbench.tables.report import RowDrop
from tdbench.tables.source import in_order_of_content
from tdbench.tables.sqlite_file import read_sqlite
from tdbench.tables.store import TemporalDatabase, open_tables

ROWS = [("Arn", "Ana Roy", "1990-05-03", "1994-01-02"), ("Arn", "Bo Lind", "1994-01-02", None)]


def opened(path: Path, **settings: object) -> TemporalDatabase:
    return open_tables({"towns": TableConfig.model_validate({"path": str(path), **settings})}, {})


def rows_of(database: TemporalDatabase) -> list[tuple[object, ...]]:
    return database.connection.execute("SELECT * FROM towns ORDER BY _row").fetchall()


def written(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def a_database(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE "the ""towns"" " (town TEXT, mayor TEXT, start DATE, "end" DATE)')
        connection.executemany('INSERT INTO "the ""towns"" " VALUES (?, ?, ?, ?)', ROWS)
        connection.commit()
    return path


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_csv_of_every_delimiter_line_end_and_mark_gives_the_same_rows(tmp_path: Path, delimiter: str, newline: str, mark: str) -> None:
    lines = ["town,mayor,start,end", '"Arn","Ana ""the, ; | \t Great"" Roy",1990-05-03,1994-01-02', "Arn,Bo Lind, 1994-01-02 ,"]
    text = newline.join(line.replace(",", delimiter).replace(f"the{delimiter}", "the,") for line in lines)
    with opened(written(tmp_path / "towns.csv", mark + text)) as database:
        assert rows_of(database) == [
            (0, "Arn", 'Ana "the, ; | \t Great" Roy', 7427, 8767),
            (1, "Arn", "Bo Lind", 8767, None),
        ]
        assert DELIMITERS[delimiter] in database.reports["towns"].guesses[0]


def test_packed_csv_and_line_breaks_within_quotes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "towns.csv.gz"
    path.write_bytes(gzip.compress(b'town,start,end\n"Arn\nUpper",1990,1991\n\nBel,1990,1992\n'))
    with opened(path) as database:
        assert rows_of(database) == [(0, "Arn\nUpper", 1990, 1991), (1, "Bel", 1990, 1992)]


def test_rows_of_another_width_are_counted_and_the_others_keep_their_places(tmp_path: Path) -> None:
    path = written(tmp_path / "towns.csv", "town,start,end\nArn,1990,1991\nBel,1990\nCor,1990,1991,1992\nDun,1990,1991\n")
    data = path.read_text() + "".join(f"T{place},1990,1991\n" for place in range(40))
    with opened(written(path, data)) as database:
        report = database.reports["towns"]
        assert (report.rows, report.kept, report.dropped[RowDrop.MALFORMED]) == (44, 42, 2)
        assert report.examples[RowDrop.MALFORMED] == ("row 1: Bel,1990", "row 2: Cor,1990,1991,1992")
        assert [row[:2] for row in rows_of(database)[:3]] == [(0, "Arn"), (3, "Dun"), (4, "T0")]


@pytest.mark.parametrize("text", ["a,b;c\n1,2;3\n", "no columns at all\nin this text\n", "a,b\n1\n2\n3,4\n"])
def test_an_unclear_delimiter_is_refused_by_name(text: str) -> None:
    with pytest.raises(TableError, match=r"unclear what parts the columns: .*comma"):
        find_delimiter(text, "x.csv")


@settings(max_examples=30)
@given(st.sampled_from(list(DELIMITERS)), st.lists(st.lists(st.text("ab ,;|\t\"'\n"), min_size=3, max_size=3), max_size=5))
def test_the_delimiter_of_a_quoted_file_is_found(delimiter: str, rows: list[list[str]]) -> None:
    quoted = [delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    assert find_delimiter("\n".join([delimiter.join("xyz"), *quoted]), "x.csv") == (delimiter, ["x", "y", "z"])


@settings(max_examples=20)
@given(
    rows=st.lists(st.tuples(*[st.text("aé ,;|\t\"'\n", min_size=1).filter(str.strip)] * 3), min_size=1, max_size=5),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_whatever_cells_a_csv_writer_quotes_come_back_trimmed(
    rows: list[tuple[str, str, str]], quoting: Literal[0, 1], newline: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=quoting, lineterminator=newline)
            writer.writerow(["x", "y", "z"])
            writer.writerows(rows)
        cells = read_csv(path).cells
    assert [tuple(row.values()) for row in cells.to_pylist()] == [tuple(cell.strip() for cell in row) for row in rows]


def test_a_header_that_fills_the_sample_is_still_a_header(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", f"{'x' * 100_000},{'y' * 100_000},{'z' * 100_000}\n1,2,3\n")
    assert read_csv(path).cells.num_columns == 3


def test_parquet_dates_timestamps_numbers_and_texts_are_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "towns.parquet"
    table = pa.table({
        "town": pa.array(["Arn", "Bel"]).dictionary_encode(),
        "size": pa.array([3.0, 2.5]),
        "wards": pa.array([7, None]),
        "start": pa.array([datetime.date(1990, 5, 3), datetime.date(1991, 1, 2)]),
        "end": pa.array([datetime.datetime(1994, 1, 2, 13), None], pa.timestamp("us")),
    })  # fmt: skip
    pq.write_table(table, path)
    with opened(path) as database:
        assert rows_of(database) == [(0, "Arn", "3", "7", 7427, 8767), (1, "Bel", "2.5", None, 7671, None)]
    pq.write_table(pa.table({"town": ["Arn", "Bel"], "start": [1990, 1991], "end": [1991.0, None]}), path)
    with opened(path) as database:
        assert rows_of(database) == [(0, "Arn", 1990, 1991), (1, "Bel", 1991, None)]


def test_nested_parquet_columns_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"town": [["Arn"]], "start": [1990], "end": [1991]}), tmp_path / "x.parquet")
    with pytest.raises(TableError, match="column 'town': values of type list"):
        opened(tmp_path / "x.parquet")


def test_an_sqlite_table_is_found_by_its_name_only_or_when_it_is_the_only_one(tmp_path: Path) -> None:
    path = a_database(tmp_path / "towns.db")
    with opened(path) as database:
        assert rows_of(database) == [(0, "Arn", "Ana Roy", 7427, 8767), (1, "Arn", "Bo Lind", 8767, None)]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE VIEW numbers AS SELECT mayor, 1990.0 AS "from", 1991 AS "to" FROM "the ""towns"" "')
    with pytest.raises(TableError, match=r"2 tables, and the config does not say which\. Set table to one of numbers, the"):
        opened(path)
    with opened(path, table="main.numbers") as database:
        assert rows_of(database) == [(0, "Ana Roy", 1990, 1991), (1, "Bo Lind", 1990, 1991)]
    with pytest.raises(TableError, match="no table 'numbers; DROP TABLE x'"):
        opened(path, table="numbers; DROP TABLE x")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute('SELECT count(*) FROM "the ""towns"" "').fetchone() == (2,)


def test_reading_sqlite_writes_nothing(tmp_path: Path) -> None:
    path = a_database(tmp_path / "towns.db")
    before = path.read_bytes()
    path.chmod(0o444)
    opened(path).connection.close()
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["towns.db"]


def test_two_sqlite_tables_are_read_as_they_stood_at_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "towns.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = wal")
        for name in ("one", "two"):
            writer.execute(f"CREATE TABLE {name} (town, start, end)")
            writer.execute(f"INSERT INTO {name} VALUES ('Arn', 1990, 1991)")

        class Wanted(dict[str, str | None]):
            """Writes to the second table when the first has been read."""

            def items(self):  # type: ignore[no-untyped-def]
                yield "one", "one"
                writer.execute("INSERT INTO two VALUES ('Bel', 1990, 1991)")
                yield "two", "two"

        first = read_sqlite(path, Wanted())
        assert first["two"].cells.num_rows == 1
        assert read_sqlite(path, {"two": "two"})["two"].cells.num_rows == 2


def test_rows_of_a_database_are_put_in_order_of_their_content(tmp_path: Path) -> None:
    path = a_database(tmp_path / "towns.db")
    cells = read_sqlite(path, {"towns": None})["towns"].cells
    assert in_order_of_content(cells.take([1, 0])) == cells


def no_text() -> bytes:
    """A Parquet file that calls bytes text which are none."""
    names = pa.array([b"Ana \xff"], pa.binary()).view(pa.string())
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"mayor": names, "start": ["1990"], "end": ["1991"]}), sink)
    return bytes(sink.getvalue())


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("none.csv", None, "no such file"),
        ("x.parquet", no_text(), "column 'mayor': values of type string cannot be read as text"),
        ("x.csv.gz", gzip.compress(b"town,start,end\n" + bytes(range(256)) * 9, mtime=0)[:-20], "cannot be read: .*Look whether it"),
        ("x.csv", b"", "is empty"),
        ("x.csv", b"town,start,end\n\xff\xfe,1990,1991\n", "cannot be read as CSV"),
        ("x.csv", b"Town,town,start,end\na,b,1990,1991\n", "'Town' and 'town' cannot be told apart"),
        ("x.csv", b"_row,start,end\na,1990,1991\n", "called '_row', which is a name of ours"),
        ("x.csv", b"start,end\n1990,1991\n", "no column beside those of time"),
        ("x.csv", b"town,start,end\n", "no (row is left|interval columns)"),
        ("x.parquet", b"no such thing", "cannot be read as Parquet"),
        ("x.db", b"no such thing, for sure, at any length", "cannot be read as SQLite"),
    ],
)
def test_a_file_that_is_refused_is_refused_in_one_line(tmp_path: Path, name: str, data: bytes | None, message: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(TableError, match=message) as caught:
        opened(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


def test_a_kind_is_taken_from_the_first_bytes_where_the_name_does_not_tell(tmp_path: Path) -> None:
    path = a_database(tmp_path / "towns.data")
    with opened(path) as database:
        assert database.reports["towns"].source == "sqlite"
    with pytest.raises(ConfigError, match="Set source"):
        opened(written(tmp_path / "x.data", "town,start,end\n"))


def test_configs_that_fit_no_source_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "towns.csv", "town,start,end\nArn,1990,1991\n")
    with pytest.raises(ConfigError, match="which is one table"):
        opened(path, table="x")
    with pytest.raises(ConfigError, match="cannot be told apart"):
        open_tables({"Towns": TableConfig(path=str(path)), "towns": TableConfig(path=str(path))}, {})
    with pytest.raises(ConfigError, match="NO_SUCH_ADDRESS: this environment variable is not set"):
        open_tables({"towns": TableConfig(url_env="NO_SUCH_ADDRESS")}, {})
    with pytest.raises(ConfigError, match="EMPTY: this environment variable is not set"):
        open_tables({"towns": TableConfig(url_env="EMPTY")}, {"EMPTY": ""})
    with pytest.raises(ConfigError, match="source csv with url_env"):
        open_tables({"towns": TableConfig(url_env="X", source="csv")}, {})
    with pytest.raises(ConfigError, match="source postgres with path"):
        opened(path, source="postgres")


def test_tables_may_be_called_as_what_cleaning_makes_on_its_way(tmp_path: Path) -> None:
    path = written(tmp_path / "towns.csv", '"town_\n hall",start,end\nArn,1990,1991\n')
    with open_tables({name: TableConfig(path=str(path)) for name in ("source", "dates", "judged")}, {}) as database:
        assert {name: table.rows for name, table in database.tables.items()} == {"source": 1, "dates": 1, "judged": 1}
        assert database.tables["dates"].glossary == {"town_\n hall": "town hall"}
    for word in (" ", "town\nhall", "\u202etown"):
        with pytest.raises(ValueError, match="say it in words"):
            TableConfig(path="x", glossary={"town": word})


def test_the_database_reaches_no_file_and_no_variable_once_it_is_loaded(tmp_path: Path) -> None:
    path = written(tmp_path / "towns.csv", "town,start,end\nArn,1990,1991\n")
    with opened(path) as database:
        for query in (f"SELECT * FROM read_csv('{path}')", f"COPY towns TO '{path}'", f"ATTACH '{tmp_path / 'y.db'}'", "INSTALL json"):
            with pytest.raises(duckdb.Error):
                database.connection.execute(query)
        with pytest.raises(duckdb.Error):
            database.connection.execute("SET enable_external_access = true")
        with pytest.raises(duckdb.CatalogException):
            database.connection.execute("SELECT * FROM ROWS")
    with pytest.raises(duckdb.ConnectionException):
        database.connection.execute("SELECT 1")
