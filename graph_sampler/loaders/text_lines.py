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
import pyarrow as pa

from graph_sampler.raw_facts import Texts
from state.errors import GraphFormatError

_BLOCK = 1 << 22
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


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


def read_blocks(path: Path) -> Iterator[tuple[bytes, int]]:
    """Blocks of whole lines, each with the number of its first line, counted from 1; no byte order mark.

    Raises:
        GraphFormatError: the file is missing, cannot be read, or its gzip stream is damaged.
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
                yield (block.removeprefix(_BOM) if is_first else block), line
                line, is_first = line + block.count(b"\n"), False
            if not read:
                return


def decode(block: bytes, path: Path, line: int) -> str:
    """The block's text.

    Raises:
        GraphFormatError: it is not UTF-8.
    """
    try:
        return block.decode("utf-8")
    except UnicodeDecodeError as err:
        where = f"{path}, line {line + block.count(10, 0, err.start)}"
        raise GraphFormatError("not UTF-8", where=where, remedy="Save the file as UTF-8.") from None


def read_lines(path: Path) -> Iterator[tuple[str, int]]:
    """Lines without their ends, each with its number; an empty piece after the last `\\n` is no line."""
    for block, first in read_blocks(path):
        for number, line in enumerate(decode(block, path, first).removesuffix("\n").split("\n"), first):
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
            GraphFormatError: the file is unreadable, line 1 has another number of columns, or there is no line
                to take the number from.
        """
        self.path, self.header = path, header
        self.malformed = 0
        """Rows with another number of columns, so far."""
        first = next(read_lines(path), None)
        if first is None and width is None:
            raise GraphFormatError("the file is empty", where=str(path))
        cells = first[0].split("\t") if first else []
        self.names: list[str] | None = cells if header else None
        self.width = width if width is not None else len(cells)
        if cells and len(cells) != self.width:
            what = f"{len(cells)} columns where {self.width} are due"
            raise GraphFormatError(what, where=f"{path}, line 1", remedy="Columns are separated by tabs.")

    def batches(self, positions: Sequence[int]) -> Iterator[list[Texts]]:
        """Batches of the columns at the positions; rows of another width are counted and left out."""
        for block, first in read_blocks(self.path):
            decode(block, self.path, first)
            if self.header and first == 1:
                block = block[block.find(b"\n") + 1 or len(block) :]
            if block:
                block = block if block.endswith(b"\n") else block + b"\n"
                cells = self._cells(block.replace(b"\r\n", b"\n"))
                yield [cells[position] for position in positions]

    def _cells(self, block: bytes) -> list[Texts]:
        """All columns of the rows of the right width."""
        signs = np.frombuffer(block, np.uint8)
        is_end = (signs == 9) | (signs == 10)
        ends = np.flatnonzero(is_end)
        is_line_end = signs[ends] == 10
        if len(ends) % self.width or (is_line_end.nonzero()[0] % self.width != self.width - 1).any():
            lines = block[:-1].split(b"\n")
            fitting = [line for line in lines if line.count(b"\t") == self.width - 1]
            self.malformed += len(lines) - len(fitting)
            return self._cells(b"\n".join(fitting) + b"\n") if fitting else [pa.array([], pa.string())] * self.width
        # One text array over all cells: their bytes without the separators, and where each one starts.
        starts = np.concatenate(([0], ends - np.arange(len(ends)))).astype(np.int32)
        cells = pa.StringArray.from_buffers(len(ends), pa.py_buffer(starts), pa.py_buffer(signs[~is_end]))
        grid = np.arange(len(ends)).reshape(-1, self.width)
        return [cells.take(pa.array(column)) for column in grid.T]
