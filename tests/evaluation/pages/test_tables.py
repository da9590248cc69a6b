"""Tables whose cells come from strangers."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.pages.tables import Table, as_csv, as_markdown, as_text, rounded

HOSTILE = ("a|b", "<img src=x>", "[x](javascript:y)", "`code`", "two\nlines", "\x1b[31mred", "back\\slash|", "&lt;", "‮turned", "")
FORMULAS = ("=1+1", "+SUM(A1)", "-2+3", "@cmd", "\t=1", "\r=1", "＝1", "--1")
NUMBERS = ("-3.2", "+4", "0.5", "-", "12 of 13", "1e-07", "-1e-07")


def one_column(*cells: str) -> Table:
    return Table("t", "Cells", ("cell", "n"), tuple((cell, str(number)) for number, cell in enumerate(cells)))


def cells_of(line: str) -> list[str]:
    """The cells of a Markdown row, as a reader of Markdown splits them: at bars without a backslash that counts."""
    cells, at, cell = [], 0, ""
    while at < len(line):
        if line[at] == "\\" and at + 1 < len(line) and not line[at + 1].isalnum():
            cell, at = cell + line[at + 1], at + 2
            continue
        if line[at] == "|":
            cells.append(cell)
            cell = ""
        else:
            cell += line[at]
        at += 1
    return [part.strip() for part in cells[1:]]


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_no_cell_breaks_a_row_of_markdown(cells: list[str]) -> None:
    lines = as_markdown(one_column(*cells)).split("\n")
    assert len(lines) == 2 + 2 + len(cells) + 1
    assert all(len(cells_of(line)) == 2 for line in lines[2:-1])


def test_markdown_shows_hostile_cells_as_they_are_written() -> None:
    lines = as_markdown(one_column(*HOSTILE)).split("\n")[4:-1]
    shown = [cells_of(line)[0] for line in lines]
    assert shown == [
        "a|b",
        "<img src=x>",
        "[x](javascript:y)",
        "`code`",
        "two\nlines".encode("unicode_escape").decode(),
        "\\x1b[31mred",
        "back\\slash|",
        "&lt;",
        "\\u202eturned",
        "",
    ]
    assert not any(sign in line.replace("\\" + sign, "") for line in lines for sign in "<[`&")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=5))
def test_a_reader_of_csv_gets_every_cell_back_but_for_the_apostrophe(cells: list[str]) -> None:
    rows = list(csv.reader(io.StringIO(as_csv(one_column(*cells)), newline="")))
    assert rows[0] == ["cell", "n"]
    assert [row[0].removeprefix("'") for row in rows[1:]] == [cell.removeprefix("'") for cell in cells]


@pytest.mark.parametrize("cell", FORMULAS)
def test_no_cell_of_csv_begins_a_formula(cell: str) -> None:
    rows = list(csv.reader(io.StringIO(as_csv(one_column(cell)), newline="")))
    assert rows[1:] == [[f"'{cell}", "0"]]


@pytest.mark.parametrize("cell", NUMBERS)
def test_numbers_stay_numbers_in_csv(cell: str) -> None:
    assert as_csv(one_column(cell)).split("\n")[1] == f"{cell},0"


def test_text_is_aligned_and_cannot_steer_a_terminal() -> None:
    table = Table("t", "Cap\x1btion", ("name", "share"), (("long name", "5.0"), ("x", "10.25"), ("e\x07", "-")))
    assert as_text(table) == [
        "Cap\\x1btion",
        "  name       share",
        "  long name    5.0",
        "  x          10.25",
        "  e\\x07          -",
    ]


def test_wide_letters_count_twice() -> None:
    assert as_text(Table("t", "", ("a", "b"), (("東京", "x"), ("ab", "y"))))[1:] == ["  a     b", "  東京  x", "  ab    y"]


def test_a_table_without_rows_keeps_its_header() -> None:
    table = Table("t", "None", ("a", "b"), ())
    assert as_text(table) == ["None", "  a  b"]
    assert as_csv(table) == "a,b\n"


@given(st.fractions(-1000, 1000), st.integers(0, 6))
def test_a_rounded_number_is_the_nearest_and_halves_go_away_from_zero(value: Fraction, digits: int) -> None:
    text = rounded(value, digits)
    distance = abs(Fraction(text)) - abs(value)
    half = Fraction(1, 2 * 10**digits)
    assert -half < distance <= half
    assert text.partition(".")[2] == "" if digits == 0 else len(text.partition(".")[2]) == digits
    assert text.strip("-0.") or not text.startswith("-")


@given(st.decimals(-1000, 1000, places=3), st.integers(0, 3))
def test_a_float_is_rounded_like_the_decimal_it_stands_for(value: Decimal, digits: int) -> None:
    assert rounded(float(value), digits) == rounded(Fraction(value), digits)
