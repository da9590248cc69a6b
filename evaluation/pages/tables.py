"""A table of text, made once and shown as Markdown, as CSV and as aligned lines.

Cells are text already, rounded by whoever made them. Labels, questions and names of models come from
strangers: no cell can break its row, bring in markup, steer a terminal or begin a formula.
"""

from __future__ import annotations

import csv
import io
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from rich.cells import cell_len

from runs.terminal import shown

_MARKUP = re.compile(r"[\\`*<>\[\]|~&]")
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_PLAIN = re.compile(r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|-", re.ASCII)
_WIDE = Context(prec=400)
_NUMBER_LIKE = re.compile(r"[+-]?\d|-?\Z")


class Table(NamedTuple):
    """A table whose cells are text."""

    name: str
    """Stem of its file, e.g. `cells` for `tables/cells.csv`."""
    caption: str
    """One line that says what is counted."""
    header: tuple[str, ...]
    """Names of the columns."""
    rows: tuple[tuple[str, ...], ...]
    """As many cells in each as in the header."""


def as_markdown(table: Table) -> str:
    """The caption as a heading and the table below, ending in a newline.

    >>> print(as_markdown(Table("t", "Two", ("a", "b"), (("x|y", "1"),))))
    ## Two
    <BLANKLINE>
    | a | b |
    | --- | --- |
    | x\\|y | 1 |
    <BLANKLINE>
    """
    rows = [table.header, ("---",) * len(table.header), *table.rows]
    lines = ["| " + " | ".join(map(_markdown_cell, row)) + " |" for row in rows]
    return "\n".join([f"## {markdown_text(table.caption)}", "", *lines]) + "\n"


def markdown_text(text: str) -> str:
    """Text on one line of Markdown that reads as it is written."""
    return _MARKUP.sub(lambda sign: "\\" + sign.group(), shown(text))


def as_csv(table: Table) -> str:
    """Header and rows, a line each, ending in a newline.

    A spreadsheet would compute a cell that begins with `=`, `+`, `-`, `@`, a tab or a line end (or a wide form of
    such a sign): it gets an apostrophe in front. Plain numbers and a lone `-` are left as they are.
    """
    file = io.StringIO()
    plain = csv.writer(file, lineterminator="\n")
    quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in (table.header, *table.rows):
        # The module leaves a lone carriage return unquoted, which readers take for the end of a row.
        (quoted if any("\r" in cell for cell in row) else plain).writerow(map(_csv_cell, row))
    return file.getvalue()


def as_text(table: Table) -> list[str]:
    """The caption and the table as lines, columns of numbers to the right, all others to the left."""
    rows = [tuple(map(shown, row)) for row in (table.header, *table.rows)]
    columns = list(zip(*rows, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    to_the_right = [len(column) > 1 and all(map(_NUMBER_LIKE.match, column[1:])) for column in columns]
    lines = []
    for row in rows:
        cells = (_padded(cell, width, right=right) for cell, width, right in zip(row, widths, to_the_right, strict=True))
        lines.append(("  " + "  ".join(cells)).rstrip())
    return [shown(table.caption), *lines]


def rounded(value: Fraction | float | None, digits: int = 1) -> str:
    """A number with so many decimals, halves up, away from zero; `-` if there is none.

    A fraction is rounded from its exact value, a float from the shortest decimal that stands for it: binary
    digits never decide a half.

    >>> rounded(Fraction(1893, 20)), rounded(94.65), rounded(0.0825, 2), rounded(None)
    ('94.7', '94.7', '0.08', '-')
    """
    if value is None:
        return "-"
    step = Decimal(1).scaleb(-digits)
    if isinstance(value, Fraction):
        scaled = abs(value) * 10**digits
        whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
        exact = Decimal(whole if value >= 0 else -whole).scaleb(-digits, _WIDE)
    else:
        exact = Decimal(repr(value))
    return f"{exact.quantize(step, ROUND_HALF_UP, _WIDE) + 0:f}"


def _markdown_cell(cell: str) -> str:
    return markdown_text(cell) or " "


def _csv_cell(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) and not _PLAIN.fullmatch(cell) else cell


def _padded(cell: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - cell_len(cell))
    return blanks + cell if right else cell + blanks
