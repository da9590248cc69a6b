"""Plain or gzip text in blocks of whole lines, and tab-separated columns out of them.

A line ends at `\\n` and nowhere else: U+2028, U+0085 and U+000B are data, as are `"` and `#`. One
`\\r` before the line end and one byte order mark at the start are dropped. Paper: section 4.2.1.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, cast

import numpy as np

from state.errors import GraphFormatError

_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_BOM = "\ufeff"


def open_binary(path: Path) -> IO[bytes]:
    """The file's bytes, unpacked where its first bytes say gzip; the name does not matter.

    Raises:
        GraphFormatError: there is no such file, or it cannot be read.
    """
    try:
        with path.open("rb") as probe:
            is_gzip = probe.read(2) == _GZIP
        return cast(IO[bytes], gzip.open(path, "rb")) if is_gzip else path.open("rb")
    except FileNotFoundError:
        raise GraphFormatError("no such file", where=str(path)) from None
    except OSError as err:
        raise GraphFormatError(f"cannot be read: {err.strerror or err}", where=str(path)) from None


def read_blocks(path: Path) -> Iterator[tuple[str, int]]:
    """Blocks of whole lines, each with the number of its first line, counted from 1.

    Raises:
        GraphFormatError: the file is missing, not UTF-8, or its gzip stream is damaged.
    """
    line, rest, is_first = 1, b"", True
    with open_binary(path) as stream:
        while True:
            try:
                read = stream.read(_BLOCK)
            except (EOFError, zlib.error, gzip.BadGzipFile) as err:
                line += rest.count(b"\n")
                what = "the gzip stream is cut short" if isinstance(err, EOFError) else "the gzip stream is damaged"
                raise GraphFormatError(what, where=f"{path}, line {line}", remedy="Fetch the file again.") from None
            block, rest = rest + read, b""
            if read:
                cut = block.rfind(b"\n") + 1
                block, rest = block[:cut], block[cut:]
            if block:
                text = _decode(block, path, line)
                yield (text.removeprefix(_BOM) if is_first else text), line
                line, is_first = line + block.count(b"\n"), False
            if not read:
                return


def _decode(block: bytes, path: Path, line: int) -> str:
    try:
        return block.decode("utf-8")
    except UnicodeDecodeError as err:
        raise GraphFormatError(
            "not UTF-8", where=f"{path}, line {line + block.count(10, 0, err.start)}", remedy="Save the file as UTF-8."
        ) from None


def read_lines(path: Path) -> Iterator[tuple[str, int]]:
    """Lines without their ends, each with its number; an empty piece after the last `\\n` is no line."""
    for block, first in read_blocks(path):
        for number, line in enumerate(block.removesuffix("\n").split("\n"), first):
            yield line.removesuffix("\r"), number


class TsvReader:
    """Columns of a tab-separated file, without quoting and without comments."""

    def __init__(self, path: Path, width: int | None = None, *, header: bool = False) -> None:
        """Read the first line.

        Args:
            path: the file.
            width: the declared number of columns; `None` takes that of line 1.
            header: whether line 1 names the columns.

        Raises:
            GraphFormatError: the file is unreadable or empty, or line 1 has another number of columns.
        """
        self.path, self.header = path, header
        self.malformed = 0
        """Rows with another number of columns, so far."""
        first = next(read_lines(path), None)
        if first is None:
            raise GraphFormatError("the file is empty", where=str(path))
        self.names: list[str] = first[0].split("\t")
        """The cells of line 1."""
        self.width = width if width is not None else len(self.names)
        if len(self.names) != self.width:
            raise GraphFormatError(
                f"{len(self.names)} columns where {self.width} are due",
                where=f"{path}, line 1",
                remedy="Columns are separated by tabs.",
            )

    def batches(self, positions: Sequence[int]) -> Iterator[list[list[str]]]:
        """Batches of the columns at the positions; rows of another width are counted and left out."""
        for block, first in read_blocks(self.path):
            block = block.replace("\r\n", "\n").removesuffix("\r") if "\r" in block else block
            if self.header and first == 1:
                block = block.partition("\n")[2]
            if block:
                cells = self._cells(block if block.endswith("\n") else block + "\n")
                yield [cells[position :: self.width] for position in positions]

    def _cells(self, block: str) -> list[str]:
        """The cells of all rows of the right width, row after row."""
        raw = np.frombuffer(block.encode("utf-8"), np.uint8)
        ends = raw[(raw == 9) | (raw == 10)]
        if len(ends) % self.width == 0:
            grid = ends.reshape(-1, self.width)
            if (grid[:, -1] == 10).all() and (grid[:, :-1] == 9).all():
                return block.replace("\n", "\t").split("\t")[:-1]
        cells: list[str] = []
        for line in block[:-1].split("\n"):
            row = line.split("\t")
            if len(row) == self.width:
                cells += row
            else:
                self.malformed += 1
        return cells
