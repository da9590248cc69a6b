from __future__ import annotations

import pyarrow as pa
import pytest

from state.errors import TableError
from state.interval import Granularity
from state.tdbench_config import TableConfig
from tdbench.tables.dates import read_date
from tdbench.tables.guesses import PAIRS, time_columns, unit_of
from tdbench.tables.source import SourceTable, text_table


def source(**columns: list[str]) -> SourceTable:
    cells = text_table(list(columns), [pa.chunked_array([pa.array(column, pa.string())]) for column in columns.values()])
    return SourceTable("csv", "x.csv", cells, range(cells.num_rows))


NAMES = [("Start", "End"), ("valid_from", "Valid To"), ("FROM", "to"), ("since", "until"), ("begin_date", "end-date")]


@pytest.mark.parametrize(("start", "end"), [*PAIRS, *NAMES])
def test_columns_are_known_by_their_names_in_any_spelling(start: str, end: str) -> None:
    found = time_columns(source(**{"who": ["Ana"], end: ["1991"], start: ["1990"]}), TableConfig(path="x.csv"))
    assert (found.start, found.end) == (start, end)
    assert "by their names" in found.guesses[0]


def test_a_column_named_like_a_time_that_holds_none_is_not_taken() -> None:
    table = source(**{"from": ["Arn", "Bel"], "to": ["Bel", "Arn"], "left": ["1990", "1991"], "arrived": ["1992", "1993"]})
    found = time_columns(table, TableConfig(path="x.csv"))
    assert (found.start, found.end) == ("left", "arrived")
    assert "never later" in found.guesses[0]


def test_an_end_column_without_any_value_is_known_by_its_name() -> None:
    assert time_columns(source(law=["x"], start=["1990"], end=[""]), TableConfig(path="x.csv")).end == "end"


def test_one_column_declared_leaves_only_the_other_to_guess() -> None:
    table = source(**{"who": ["Ana"], "crowned": ["1990"], "start": ["1990"], "end": ["1991"], "died": ["1995"]})
    assert time_columns(table, TableConfig(path="x.csv", start="crowned")).end == "end"
    assert time_columns(table, TableConfig(path="x.csv", end="died")).start == "start"
    assert time_columns(table, TableConfig(path="x.csv", start="crowned", end="died")).guesses == ()


@pytest.mark.parametrize(
    "table",
    [
        source(who=["Ana"], born=["1990"]),
        source(who=["Ana"], start=["1990"]),
        source(who=["Ana", "Bo"], one=["1990", "1995"], other=["1991", "1992"]),
        source(who=["Ana"], one=["1990"], other=["1991"], third=["1992"]),
        source(start=["early", "late"], end=["soon", "never"]),
    ],
)
def test_columns_that_cannot_be_guessed_are_asked_for_in_one_line(table: SourceTable) -> None:
    with pytest.raises(TableError, match=r"^x\.csv: no interval columns.*under start and end\.$") as caught:
        time_columns(table, TableConfig(path="x.csv"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "unit"),
    [
        (["1990-05-03", "1991-06-01"], Granularity.DAY),
        (["1990-05-03", "1991-06"], Granularity.MONTH),
        (["1990-05-03", "1991-06", "1992", "soon", ""], Granularity.YEAR),
        (["1990-01-01", "1991-01-01 00:00:00"], Granularity.YEAR),
        (["1990-01-01"] * 9 + ["1991-06-27"], Granularity.YEAR),
        (["1990-01-01"] * 8 + ["1991-06-27"] * 2, Granularity.DAY),
        (["1990-01-01", "1991-06-01", "1991-07-01"], Granularity.MONTH),
        (["1990-01", "1991-01"], Granularity.YEAR),
        ([], Granularity.DAY),
    ],
)
def test_the_unit_is_the_finest_that_all_dates_have_or_show(texts: list[str], unit: Granularity) -> None:
    counts = {text: texts.count(text) for text in texts}
    found, why = unit_of(counts, {text: read_date(text) for text in counts})
    assert found is unit
    assert why
