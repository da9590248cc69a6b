"""Row-wise tables: CSV with RFC 4180 quoting, JSON Lines, and a JSON array of objects. Paper: section 4.2.1."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from graph_sampler.loaders.text_lines import decode, plain_columns, read_blocks, read_lines, read_whole, refuse_foreign
from graph_sampler.raw_facts import Texts
from state.errors import GraphFormatError

_BATCH = 1 << 15


class CsvReader:
    """Columns of a comma-separated file; quoted cells may hold commas, quotes and line ends."""

    def __init__(self, path: Path, *, header: bool) -> None:
        """Read the first row.

        Raises:
            GraphFormatError: the file is unreadable or empty.
        """
        self.path, self.header = path, header
        self.malformed = 0
        first = next(self._rows(read_blocks(path)), None)
        if first is None:
            if self.malformed:  # the module takes a carriage return alone for a fault
                remedy = "Save it with line feeds as line ends: carriage returns alone are none."
                raise GraphFormatError("no line is a row of CSV", where=str(path), remedy=remedy)
            raise GraphFormatError("the file is empty", where=str(path))
        self.names: list[str] | None = first if header else None
        self.width = len(first)

    def batches(self, positions: Sequence[int]) -> Iterator[list[Texts]]:
        """Batches of the columns at the positions; rows that are not as wide as the first are counted and left out."""
        self.malformed = 0
        blocks = read_blocks(self.path)
        # Up to the first quote a line is a row, and a block of them is read at once.
        for block, first in blocks:
            decode(block, self.path, first)
            has_header = self.header and first == 1
            body = block[block.find(b"\n") + 1 or len(block) :] if has_header else block
            columns = None if b'"' in block else plain_columns(body.replace(b"\r\n", b"\n"), self.width, ",")
            if columns is not None:
                yield [columns[position] for position in positions]
                continue
            rest = blocks if b'"' in block else ()
            rows = self._rows(chain(((block, first),), rest), before=first - 1)
            yield from self._from_rows(rows, positions, has_header=has_header)

    def _from_rows(self, rows: Iterator[list[str]], positions: Sequence[int], *, has_header: bool) -> Iterator[list[Texts]]:
        if has_header:
            next(rows)
        for batch in _batched(rows):
            fitting = [row for row in batch if len(row) == self.width]
            self.malformed += len(batch) - len(fitting)
            yield [pa.array([row[position] for row in fitting], pa.string()) for position in positions]

    def _rows(self, blocks: Iterable[tuple[bytes, int]], before: int = 0) -> Iterator[list[str]]:
        """Rows of some blocks; `before` is the number of lines before them."""
        reader = csv.reader(self._lines(blocks), strict=True)
        while True:
            first = before + reader.line_num + 1
            try:
                yield next(reader)
            except StopIteration:
                return
            except csv.Error as err:
                if "end of data" in str(err) or "field larger" in str(err):
                    raise GraphFormatError("a quote is never closed", where=f"{self.path}, line {first}") from None
                self.malformed += 1

    def _lines(self, blocks: Iterable[tuple[bytes, int]]) -> Iterator[str]:
        for block, first in blocks:
            text = decode(block, self.path, first)
            yield from (line + "\n" for line in text.removesuffix("\n").split("\n"))


class JsonLinesReader:
    """Columns of a file with one JSON object, or one array, a line."""

    def __init__(self, path: Path) -> None:
        """Read the first line.

        Raises:
            GraphFormatError: the file is unreadable or empty, or line 1 is no JSON object or array.
        """
        self.path = path
        self.malformed = 0
        first = next(read_lines(path), None)
        if first is None:
            raise GraphFormatError("the file is empty", where=str(path))
        row = _first_row(first[0], path)
        self.names: list[str] | None = list(row) if isinstance(row, dict) else None
        self.width = len(row)

    def batches(self, positions: Sequence[int]) -> Iterator[list[Texts]]:
        """Batches of the columns at the positions; rows of another shape than the first are counted and left out."""
        keys: list[Any] = [self.names[position] for position in positions] if self.names is not None else list(positions)
        for batch in _batched(self._values()):
            rows = []
            for value in batch:
                cells = self._cells(value, keys)
                if cells is None:
                    self.malformed += 1
                else:
                    rows.append(cells)
            yield [pa.array([row[column] for row in rows], pa.string()) for column in range(len(keys))]

    def _values(self) -> Iterable[Any]:
        """The rows as they are, `None` for a line that is no JSON."""
        return (_parse(line) for line, _ in read_lines(self.path))

    def _cells(self, row: Any, keys: Sequence[Any]) -> list[str] | None:
        """The texts under the keys; `None` where the row has another shape or a cell is no text, number or null."""
        is_array = self.names is None
        if not isinstance(row, list if is_array else dict) or (is_array and len(row) != self.width):
            return None
        if not is_array and any(key not in row for key in keys):
            return None
        cells = [_text(row[key]) for key in keys]
        return None if None in cells else [cell for cell in cells if cell is not None]


class JsonArrayReader(JsonLinesReader):
    """Columns of a file that is one JSON array of objects; it is held in memory."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            GraphFormatError: the file is unreadable or empty, or no JSON array of objects.
        """
        self.path = path
        self.malformed = 0
        content = read_whole(path).removeprefix(b"\xef\xbb\xbf")
        refuse_foreign(content, path)
        try:
            rows = orjson.loads(content)
        except orjson.JSONDecodeError as err:
            raise GraphFormatError(f"the JSON is cut off or damaged: {err.msg}", where=f"{path}, line {err.lineno}") from None
        if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
            raise GraphFormatError("not a JSON array of objects", where=f"{path}, line 1")
        self._rows = rows
        self.names = list(rows[0])
        self.width = len(rows[0])

    def _values(self) -> Iterable[Any]:
        return self._rows


def _first_row(line: str, path: Path) -> dict[str, Any] | list[Any]:
    where, remedy = f"{path}, line 1", "JSON Lines hold one object, or one array of cells, a line."
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as err:
        if "surrogate" in err.msg:
            remedy = "An escape from \\ud800 to \\udfff is half of a sign: write the sign itself, or both halves."
        raise GraphFormatError(f"no JSON: {err.msg}, at column {err.colno}", where=where, remedy=remedy) from None
    if not isinstance(row, dict | list):
        raise GraphFormatError("not a JSON object or array", where=where, remedy=remedy)
    if isinstance(row, list) and row and isinstance(row[0], dict | list):
        raise GraphFormatError("one JSON array of all rows", where=where, remedy=f"Write each of them on a line of its own: {remedy}")
    return row


def _parse(line: str) -> Any:
    """The line's value; `None` where it is no JSON."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return str(int(value)) if isinstance(value, int) or value.is_integer() else str(value)


def _batched(rows: Iterable[Any]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
