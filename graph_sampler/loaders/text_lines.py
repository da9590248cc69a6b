"""Text in blocks of whole lines, unpacked where it is packed, and tab-separated columns out of them.

A line ends at `\\n` and nowhere else: U+2028, U+0085 and U+000B are data, as are `"` and `#`. One
`\\r` before the line end and one byte order mark at the start are dropped. gzip, bzip2 and Zstandard are
told by their first bytes. Paper: section 4.2.1.
"""

from __future__ import annotations

import gzip
import lzma
import stat
import zlib
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv

from graph_sampler.raw_facts import Texts
from state.errors import GraphFormatError

A = TypeVar("A")

_BLOCK = 1 << 23
_LONGEST_LINE = 1 << 26
_BOM = b"\xef\xbb\xbf"
_TAB, _NEWLINE = 9, 10
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, OSError, pa.ArrowException)
PACKED = (".gz", ".gzip", ".bz2", ".zst")
"""Endings that say how a file is packed and nothing about what it holds."""


def _by_arrow(codec: str) -> Callable[[Path], Any]:
    return lambda path: pa.CompressedInputStream(pa.OSFile(str(path)), codec)


_PACKINGS: tuple[tuple[bytes, str, Callable[[Path], Any]], ...] = (
    (b"\x1f\x8b", "gzip", gzip.open),
    (b"BZh", "bzip2", _by_arrow("bz2")),  # Python's own passes over what follows a part and is none
    (b"\x28\xb5\x2f\xfd", "Zstandard", _by_arrow("zstd")),
    (b"\x50\x2a\x4d\x18", "Zstandard", _by_arrow("zstd")),
)
"""First bytes, name and opener of each kind of packed file."""
_FIRST_SIGNS = 64
_FOREIGN = (
    (b"version https://git-lfs", "a Git LFS pointer, which stands for the file", "Fetch the file itself: git lfs pull."),
    *((first, f"{name} within a packed file", "Unpack it once.") for first, name, _ in _PACKINGS),
    (b"PK\x03\x04", "a zip archive", "Unpack it."),
    (b"\xfd7zXZ\0", "an xz file", "Unpack it."),
    (b"PAR1", "a Parquet file", "A packed one has to be unpacked; a plain one is read with graph.format: table."),
    (b"\xff\xfe", "UTF-16", "Save the file as UTF-8."),
    (b"\xfe\xff", "UTF-16", "Save the file as UTF-8."),
)
"""First bytes of what is no text, its name and what helps."""


def _packing(path: Path) -> tuple[str, Callable[[Path], Any]] | None:
    """Name and opener of a packed file's kind; `None` for a plain one.

    Raises:
        GraphFormatError: there is no such file, or it cannot be read.
    """
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            remedy = "Write it to a file first: a source is opened more than once."
            raise GraphFormatError("a pipe or a device, and no file", where=str(path), remedy=remedy)
        with path.open("rb") as probe:
            magic = probe.read(4)
    except FileNotFoundError:
        raise GraphFormatError("no such file", where=str(path)) from None
    except OSError as err:
        raise GraphFormatError(f"cannot be read: {err.strerror or err}", where=str(path)) from None
    return next(((name, opener) for first, name, opener in _PACKINGS if magic.startswith(first)), None)


def open_binary(path: Path) -> IO[bytes]:
    """The file's bytes, unpacked where its first bytes say that it is packed; the name does not matter.

    Raises:
        GraphFormatError: there is no such file, or it cannot be read.
    """
    packing = _packing(path)
    return cast(IO[bytes], packing[1](path) if packing else path.open("rb"))


def read_head(path: Path, size: int) -> bytes:
    """The first bytes of a file, unpacked; none where it is damaged or cut. A last line always ends.

    Raises:
        GraphFormatError: there is no such file, or it cannot be read.
    """
    with open_binary(path) as stream:
        try:
            head = stream.read(size)
        except _DAMAGED:
            return b""
    is_whole = len(head) < size and not head.endswith(b"\n")
    return head.removeprefix(_BOM) + (b"\n" if head and is_whole else b"")


def read_whole(path: Path, size: int = -1) -> bytes:
    """All bytes of a file, unpacked, or the first `size`.

    Raises:
        GraphFormatError: the file is missing, cannot be read, or its packed stream is damaged.
    """
    with open_binary(path) as stream:
        try:
            return stream.read() if size < 0 else stream.read(size)
        except _DAMAGED as err:
            raise _refusal(err, path, 1) from None


def _refusal(err: BaseException, path: Path, line: int) -> GraphFormatError:
    """The error for a stream that breaks at a line or after it."""
    packing = _packing(path)
    kind = packing[0] if packing else "file's"
    is_cut = isinstance(err, EOFError) or "runcated" in str(err)
    what = f"the {kind} stream is cut short" if is_cut else f"the {kind} stream is damaged"
    return GraphFormatError(what, where=f"{path}, line {line}", remedy="Fetch the file again.")


def refuse_foreign(head: bytes, path: Path) -> None:
    """Passes if the first bytes of an unpacked file may be those of a text in UTF-8.

    Raises:
        GraphFormatError: they are those of another kind of file.
    """
    for first, name, remedy in _FOREIGN:
        if head.startswith(first):
            raise GraphFormatError(f"no plain text but {name}", where=f"{path}, line 1", remedy=remedy)
    if b"\0" in head[:4]:
        raise GraphFormatError("no plain text but UTF-16 or no text at all", where=f"{path}, line 1", remedy="Save the file as UTF-8.")


def read_blocks(path: Path) -> Iterator[tuple[bytes, int]]:
    """Blocks of whole lines, each with the number of its first line, counted from 1; no byte order mark.

    While one is worked on, a thread reads and unpacks the next.

    Raises:
        GraphFormatError: the file is missing, cannot be read, is no text or has a line without end, or its packed
            stream is damaged.
    """
    return _ahead(_read_blocks(path))


def _ahead(pieces: Generator[A, None, None]) -> Iterator[A]:
    """The same pieces, each made in a thread before it is asked for."""
    try:
        with ThreadPoolExecutor(max_workers=1) as thread:
            coming = thread.submit(next, pieces, None)
            while (piece := coming.result()) is not None:
                coming = thread.submit(next, pieces, None)
                yield piece
    finally:
        pieces.close()


def _read_blocks(path: Path) -> Generator[tuple[bytes, int], None, None]:
    line, rest, is_first = 1, b"", True
    with open_binary(path) as stream:
        while True:
            try:
                read = stream.read(_BLOCK)
            except _DAMAGED as err:
                raise _refusal(err, path, line) from None
            if is_first and not rest:
                refuse_foreign(read[:_FIRST_SIGNS], path)
            cut = read.rfind(b"\n") + 1
            if read and not cut:
                block, rest = b"", rest + read
            else:
                block, rest = b"".join((rest, memoryview(read)[:cut])), read[cut:]
            if len(rest) > _LONGEST_LINE:
                what = f"a line of more than {_LONGEST_LINE >> 20} MiB"
                raise GraphFormatError(what, where=f"{path}, line {line + block.count(10)}", remedy="Lines end with a line feed.")
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


def plain_columns(block: bytes, width: int, delimiter: str) -> list[Texts] | None:
    """All columns of a block of whole lines by Arrow's quick parser, quotes being data.

    `None` where a row has another width, or where Arrow would read a sign in a way of its own.
    """
    if b"\r" in block or block.startswith(_BOM) or width < 2:
        return None
    names = [str(position) for position in range(width)]
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            read_options=csv.ReadOptions(column_names=names, use_threads=False, block_size=len(block) + 1),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False, double_quote=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, check_utf8=False),
        )
    except pa.ArrowInvalid:
        return None
    return [column.combine_chunks() for column in table.columns]


class TsvReader:
    """Columns of a tab-separated file, without quoting and without comments."""

    def __init__(self, path: Path, width: int | None = None, *, header: bool = False, others: Collection[int] = ()) -> None:
        """Read the first line.

        Args:
            path: the file.
            width: the declared number of columns; `None` takes that of line 1.
            header: whether line 1 names the columns.
            others: widths that rows may have beside the declared one, read by `ragged_batches`.

        Raises:
            GraphFormatError: the file is unreadable, line 1 has another number of columns, or there is no line
                to take the number from.
        """
        self.path, self.header = path, header
        self.malformed = 0
        """Rows with another number of columns, so far."""
        self.rows = 0
        """Rows read so far, malformed ones included."""
        first = next(read_lines(path), None)
        if first is None and width is None:
            raise GraphFormatError("the file is empty", where=str(path))
        self.first = first[0].split("\t") if first else []
        """Cells of line 1."""
        self.names: list[str] | None = self.first if header else None
        self.width = width if width is not None else len(self.first)
        self.widths = sorted({self.width, *others})
        if self.first and len(self.first) not in self.widths:
            due = " or ".join(map(str, self.widths))
            what = f"{len(self.first)} columns where {due} are due"
            raise GraphFormatError(what, where=f"{path}, line 1", remedy="Columns are separated by tabs.")

    def batches(self, positions: Sequence[int]) -> Iterator[list[Texts]]:
        """Batches of the columns at the positions; rows of another width are counted and left out."""
        for columns in self.ragged_batches():
            yield [columns[position] for position in positions]

    def ragged_batches(self) -> Iterator[list[Texts]]:
        """Batches of all columns of the rows of one accepted width; the length of a batch tells the width."""
        for block, first in read_blocks(self.path):
            if not block.isascii():
                decode(block, self.path, first)
            if self.header and first == 1:
                block = block[block.find(b"\n") + 1 or len(block) :]
            if block:
                block = block if block.endswith(b"\n") else block + b"\n"
                block = block.replace(b"\r\n", b"\n") if b"\r" in block else block
                columns = plain_columns(block, self.width, "\t")
                if columns is None:
                    yield from self._columns(np.frombuffer(block, np.uint8))
                else:
                    self.rows += len(columns[0])
                    yield columns

    def _columns(self, signs: npt.NDArray[np.uint8]) -> Iterator[list[Texts]]:
        ends = np.flatnonzero((signs == _TAB) | (signs == _NEWLINE))
        line_ends = np.flatnonzero(signs[ends] == _NEWLINE)
        widths = np.diff(line_ends, prepend=-1)
        self.rows += len(widths)
        if (widths == self.width).all():
            yield _cells(signs, ends, self.width)
            return
        self.malformed += int(np.isin(widths, self.widths, invert=True).sum())
        lengths = np.diff(ends[line_ends], prepend=-1)
        for width in self.widths:
            fitting = signs[np.repeat(widths == width, lengths)]
            if len(fitting):
                yield _cells(fitting, np.flatnonzero((fitting == _TAB) | (fitting == _NEWLINE)), width)


def _cells(signs: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64], width: int) -> list[Texts]:
    """All columns of rows of one width; `ends` are the places of the signs that end a cell."""
    # One text array over all cells: their bytes without the separators, and where each one starts.
    starts = np.concatenate(([0], ends - np.arange(len(ends)))).astype(np.int32)
    is_text = np.ones(len(signs), np.bool_)
    is_text[ends] = False
    cells = pa.StringArray.from_buffers(len(ends), pa.py_buffer(starts), pa.py_buffer(signs[is_text]))
    grid = np.arange(len(ends)).reshape(-1, width)
    return [cells.take(pa.array(column)) for column in grid.T]
