"""Every row of a source is kept or counted once, and what is kept is what a plain reading of the rules says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from state.errors import ConfigError, TableError
from state.interval import Granularity
from state.tdbench_config import Dependency, TableConfig
from tdbench.tables.cleaning import load
from tdbench.tables.dates import DateKind, read_date
from tdbench.tables.report import RowDrop
from tdbench.tables.source import SourceTable, text_table

DATES = ["", "1990", "1991-05", "1991-05-03", "1991-05-20", "1992-01-01 00:00:00", "now", "9999", "nan", "soon", "1991-02-30"]
ROWS = st.lists(
    st.tuples(st.sampled_from(["Arn", " Arn ", "Bel", ""]), st.sampled_from(["x", "y", "NULL"]), *[st.sampled_from(DATES)] * 2), max_size=12
)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as database:
        yield database


def a_source(rows: list[tuple[str, ...]], names: tuple[str, ...] = ("town", "mayor", "start", "end")) -> SourceTable:
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    cells = text_table(names, [pa.chunked_array([pa.array(column, pa.string())]) for column in columns])
    return SourceTable("csv", "towns.csv", cells, range(len(rows)))


def expected(rows: list[tuple[str, ...]], unit: Granularity, *, inclusive: bool) -> tuple[list[tuple[object, ...]], Counter[RowDrop]]:
    """The rules, row by row, in plain Python."""
    kept: list[tuple[object, ...]] = []
    dropped: Counter[RowDrop] = Counter()
    for place, (town, mayor, start, end) in enumerate(rows):
        one, other = (read_date(text, {"now", "9999"}) for text in (start, end))
        first, past = one.granule(unit), other.granule(unit) if other.kind is DateKind.DATE else None
        if one.kind in (DateKind.NONE, DateKind.OPEN):
            dropped[RowDrop.NO_START] += 1
        elif DateKind.BAD in (one.kind, other.kind):
            dropped[RowDrop.BAD_DATE] += 1
        elif first is None or (other.kind is DateKind.DATE and past is None):
            dropped[RowDrop.COARSE] += 1
        elif past is not None and one.first_day > other.last_day:
            dropped[RowDrop.REVERSED] += 1
        elif not town.strip():
            dropped[RowDrop.NO_KEY] += 1
        else:
            last = None if past is None else max(past + inclusive, first + 1)
            row = (town.strip(), None if mayor == "NULL" else mayor, first, last)
            if row in [other[1:] for other in kept]:
                dropped[RowDrop.DUPLICATE] += 1
            else:
                kept.append((place, *row))
    return kept, dropped


@example(rows=[("Arn", "x", "1990", ""), ("Arn", "x", "1990", "1990")], unit=Granularity.YEAR, inclusive=False)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, unit=st.sampled_from(list(Granularity)), inclusive=st.booleans())
def test_every_row_is_kept_or_counted_once(
    connection: duckdb.DuckDBPyConnection, rows: list[tuple[str, ...]], unit: Granularity, inclusive: bool
) -> None:
    config = TableConfig(
        path="towns.csv", start="start", end="end", granularity=unit, ends="inclusive" if inclusive else "exclusive", keys=("town",)
    )
    kept, dropped = expected(rows, unit, inclusive=inclusive)
    connection.execute("DROP TABLE IF EXISTS towns")
    if not kept:
        with pytest.raises(TableError, match="no row is left"):
            load(connection, "towns", a_source(rows), config)
        return
    table, report = load(connection, "towns", a_source(rows), config)
    assert connection.execute("SELECT _row, town, mayor, _start, _end FROM towns").fetchall() == kept
    assert {reason: count for reason, count in report.dropped.items() if count} == dropped
    assert (report.rows, report.kept, table.rows) == (len(rows), len(kept), len(kept))
    assert set(report.examples) == set(dropped)
    assert report.open_ends == sum(row[-1] is None for row in kept)


def test_a_failed_load_leaves_the_next_one_alone(connection: duckdb.DuckDBPyConnection) -> None:
    config = TableConfig(path="towns.csv")
    with pytest.raises(TableError):
        load(connection, "empty", a_source([("Arn", "Ana Roy", "", "")]), config.model_copy(update={"start": "start", "end": "end"}))
    assert load(connection, "full", a_source([("Arn", "Ana Roy", "1990", "1991")]), config)[0].rows == 1


def test_half_open_rows_of_no_length_last_one_granule_and_inclusive_ends_are_moved(connection: duckdb.DuckDBPyConnection) -> None:
    rows: list[tuple[str, ...]] = [("Arn", "Ana Roy", "1990", "1990"), ("Arn", "Bo Lind", "1990", "1994")]
    for name, ends, lengths, short in (("exclusive", "exclusive", [1, 4], 1), ("inclusive", "inclusive", [1, 5], 0)):
        _, report = load(connection, name, a_source(rows), TableConfig(path="towns.csv", ends=ends))
        assert connection.execute(f"SELECT _end - _start FROM {name} ORDER BY _row").fetchall() == [(length,) for length in lengths]
        assert report.zero_length == short


HOSTILE = ("Robert'); DROP TABLE towns; --", 'a"b', "''", "{own}", "x; ATTACH 'y'", "c0", "reason", "%s ? $1", "ünï 😀", "select")


def test_names_and_cells_that_look_like_sql_stay_names_and_cells(connection: duckdb.DuckDBPyConnection) -> None:
    names = (*HOSTILE, "start", "end")
    config = TableConfig(path="x.csv", keys=HOSTILE, dependencies=(Dependency(determinants=HOSTILE[:2], dependent=HOSTILE[2]),))
    table, report = load(connection, "hostile", a_source([(*HOSTILE, "1990", "1991"), (*HOSTILE, "soon", "")] * 2, names), config)
    assert table.columns == HOSTILE
    assert connection.execute("SELECT * FROM hostile").fetchall() == [(0, *HOSTILE, 1990, 1991)]
    assert report.dropped[RowDrop.BAD_DATE] == 2
    assert report.dropped[RowDrop.DUPLICATE] == 1
    assert [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() WHERE table_name = 'judged'").fetchall()] == []


def test_the_content_hash_is_that_of_the_rows_whatever_their_order(connection: duckdb.DuckDBPyConnection) -> None:
    rows: list[tuple[str, ...]] = [("Arn", "x", "1990", "1991"), ("Bel", "y", "1990", ""), ("Bel", "", "1990", "")]
    config = TableConfig(path="x.csv")
    hashes = [
        load(connection, f"hashed{place}", a_source(data), config)[1].content
        for place, data in enumerate([rows, rows[::-1], [*rows, rows[0]], rows[:2], [("Ar", "nx", "1990", "1991"), *rows[1:]]])
    ]
    assert hashes[0] == hashes[1] == hashes[2]
    assert len(set(hashes)) == 3


@pytest.mark.parametrize(
    ("settings_of", "message"),
    [
        ({"start": "begin"}, "no column 'begin' \\(start\\)"),
        ({"start": "end", "end": "end"}, "both the column 'end'"),
        ({"keys": ("twon",)}, "no column 'twon' \\(keys\\). Did you mean 'town'"),
        ({"glossary": {"Town": "city"}}, "no column 'Town' \\(glossary\\)"),
        ({"dependencies": (Dependency(determinants=("town",), dependent="start"),)}, "no column 'start' \\(dependencies\\)"),
    ],
)
def test_a_column_that_is_not_there_is_named_with_a_remedy(
    connection: duckdb.DuckDBPyConnection, settings_of: dict[str, object], message: str
) -> None:
    config = TableConfig.model_validate({"path": "x.csv", **settings_of})
    with pytest.raises(ConfigError, match=message):
        load(connection, "refused", a_source([("Arn", "x", "1990", "1991")]), config)


def test_what_questions_call_the_columns_is_the_glossary_and_else_their_names_as_words(connection: duckdb.DuckDBPyConnection) -> None:
    source = a_source([("1", "Arn", "1990", "1991")], ("Game_edition", "town", "start", "end"))
    table, _ = load(connection, "glossed", source, TableConfig(path="x.csv", glossary={"town": "host town"}, domain="sport"))
    assert table.glossary == {"Game_edition": "Game edition", "town": "host town"}
    assert table.domain == "sport"
