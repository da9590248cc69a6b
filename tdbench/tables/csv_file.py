"""A CSV file with a header: quoted as RFC 4180 says, its delimiter found from its first rows."""

from __future__ import annotations

import csv
import io
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from state.errors import TableError
from tdbench.tables.source import SourceTable, check_names, text_table

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE_BYTES, _SAMPLE_ROWS = 1 << 18, 500
_WHOLE = "Look whether it is whole, and what its name says it is: .gz is unpacked."
_CLEAR = 0.9
"""Share of the sampled rows that must be as wide as the header where no delimiter fits them all."""


def read_csv(path: Path) -> SourceTable:
    """The file's table; rows that are not as wide as the header are set apart.

    Raises:
        TableError: the file cannot be read or is no UTF-8, its delimiter is unclear, or a name is refused.
    """
    where = str(path)
    head = _head(path)
    delimiter, header = find_delimiter(head, where)
    names = [name.strip() or f"column_{place}" for place, name in enumerate(header, start=1)]
    check_names(names, where)
    malformed: list[tuple[int, str]] = []

    def set_apart(row: Any) -> str:
        malformed.append((row.number - 1, row.text))
        return "skip"

    try:
        with pa.input_stream(path, compression="detect") as stream:
            table = pa_csv.read_csv(
                stream,
                # the header is read as a row and cut off: so a repeated or empty name cannot upset the types
                read_options=pa_csv.ReadOptions(use_threads=False, column_names=[str(place) for place in range(len(names))]),
                parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=set_apart),
                convert_options=pa_csv.ConvertOptions(column_types={str(place): pa.string() for place in range(len(names))}),
            )
    except pa.ArrowInvalid as error:
        remedy = "Write it as UTF-8 CSV, with no row of more than a megabyte."
        raise TableError(f"cannot be read as CSV: {_first_line(error)}", where=where, remedy=remedy) from error
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"cannot be read: {_first_line(error)}", where=where, remedy=_WHOLE) from error
    table = table.slice(1)
    rows = _places(table.num_rows, [place - 1 for place, _ in malformed])
    note = f"columns parted by {DELIMITERS[delimiter]}, as the first rows are"
    cells = text_table(names, table.columns)
    return SourceTable("csv", where, cells, rows, tuple((place - 1, text) for place, text in malformed), (note,))


def _places(kept: int, malformed: list[int]) -> list[int]:
    """Places of the rows kept among all."""
    if not malformed:
        return list(range(kept))
    gone = set(malformed)
    return [place for place in range(kept + len(gone)) if place not in gone]


def _head(path: Path) -> str:
    """The file's beginning, whole lines of it."""
    try:
        with pa.input_stream(path, compression="detect") as stream:
            data = stream.read(_SAMPLE_BYTES)
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"cannot be read: {_first_line(error)}", where=str(path), remedy=_WHOLE) from error
    is_whole = len(data) < _SAMPLE_BYTES or b"\n" not in data
    text: str = data.decode("utf-8-sig", errors="replace")  # a wrong byte is the reader's to refuse
    return text if is_whole else text[: text.rfind("\n") + 1]


def find_delimiter(head: str, where: str) -> tuple[str, list[str]]:
    r"""The delimiter, and the header's names.

    >>> find_delimiter("a;b\n1,5;2\n", "x.csv")
    (';', ['a', 'b'])

    Raises:
        TableError: no delimiter parts the first rows alike, or several do.
    """
    shares: dict[str, float] = {}
    headers: dict[str, list[str]] = {}
    for delimiter in DELIMITERS:
        try:
            rows = [row for row in islice(csv.reader(io.StringIO(head, newline=""), delimiter=delimiter), _SAMPLE_ROWS) if row]
        except csv.Error:
            continue
        if rows and len(rows[0]) > 1:
            body = rows[1:]
            headers[delimiter] = rows[0]
            shares[delimiter] = sum(len(row) == len(rows[0]) for row in body) / len(body) if body else 1.0
    if not head.strip():
        raise TableError("is empty", where=where, remedy="A table has a header and rows.")
    for least in (1.0, _CLEAR):
        fitting = [delimiter for delimiter, share in shares.items() if share >= least]
        if len(fitting) == 1:
            return fitting[0], headers[fitting[0]]
    named = ", ".join(DELIMITERS[delimiter] for delimiter in fitting) or "none of comma, semicolon, tab and bar"
    what = (
        f"unclear what parts the columns: {named} would do" if fitting else f"unclear what parts the columns: {named} parts the rows alike"
    )
    raise TableError(what, where=where, remedy="Part the columns by one of them, and quote the values that hold another.")


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
