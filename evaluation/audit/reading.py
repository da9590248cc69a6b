"""A benchmark file -> its items: JSON Lines or one JSON array, plain or gzip. A bad line is an item, too."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import orjson

from state.errors import ChronoQGError

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)
"""What Python raises where a gzip stream is no more one."""
_READ = "Give JSON Lines or one JSON array in UTF-8, plain or gzip; of TimelineKGQA the CSV file is read, too."
_FIRST_BYTES = 16
"""As many as tell what kind of file it is."""
_FOREIGN = (
    (b"PK\x03\x04", "a zip archive"),
    (_GZIP, "gzip within a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file"),
    (b"\xfd7zXZ\0", "an xz file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"version https:", "a Git LFS pointer, which stands for the file"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
"""First bytes of what is no JSON in UTF-8, and its name."""


class AuditError(ChronoQGError):
    """A file cannot be audited at all; `where` is the file."""


class Item(NamedTuple):
    """One line of a file, or one element of an array."""

    number: int
    """From 1; blank lines count as lines."""
    value: Any
    """The parsed JSON; `None` for a bad line."""
    problem: str | None = None
    """Why it could not be parsed."""


def read_items(path: Path, advance: Callable[[int, int], None] | None = None) -> Iterator[Item]:
    """The items of a file in order, read as they are asked for; an array is read whole.

    A byte order mark, carriage returns before line ends, blank lines and a missing last line end do no harm.

    Args:
        path: the file.
        advance: told how many of how many bytes of the file are read.

    Raises:
        AuditError: the file cannot be read, is of another kind, or is a damaged array; or its gzip stream is damaged or
            cut short, which is told when it is met.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as raw:
            unpacked = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if raw.peek(2)[:2] == _GZIP else raw
            yield from _items(unpacked, path, lambda: advance(min(raw.tell(), size), size) if advance else None)
    except OSError as err:
        raise AuditError(f"cannot be read: {err.strerror or err}", where=str(path)) from err


def damaged_stream(err: Exception, path: Path, line: int) -> AuditError:
    """The error for a gzip stream that breaks at a line: half a file is not audited as if it were whole."""
    what = "the gzip stream is cut short" if isinstance(err, EOFError) else "the gzip stream is damaged"
    return AuditError(what, where=f"{path}, line {line}", remedy="Fetch the file again.")


def _refuse_foreign(head: bytes, path: Path) -> None:
    """Passes if the first bytes of an unpacked file may be those of text in UTF-8.

    Raises:
        AuditError: they are those of another kind of file.
    """
    name = next((name for first, name in _FOREIGN if head.startswith(first)), None)
    if name is None and b"\0" in head[:4]:
        name = "UTF-16 or no text at all"
    if name is not None:
        raise AuditError(f"no plain text but {name}", where=str(path), remedy=_READ)


def _items(file: BinaryIO | BufferedReader, path: Path, told: Callable[[], None]) -> Iterator[Item]:
    number, has_begun = 0, False
    lines = _lines(file, path)
    for number, line in lines:
        text = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
        if text.startswith(b"[") and not has_begun:
            yield from _elements(b"".join([text, *(rest for _, rest in lines)]), path)
            return
        has_begun = has_begun or bool(text)
        if number % 64 == 0:
            told()
        if text:
            yield _parsed(number, text, is_cut=not line.endswith(b"\n"))
    told()


def _lines(file: BinaryIO | BufferedReader, path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers."""
    number = 0
    try:
        for number, line in enumerate(file, start=1):
            if number == 1:
                _refuse_foreign(line[:_FIRST_BYTES], path)
            yield number, line
    except DAMAGED as err:
        raise damaged_stream(err, path, number + 1) from None


def _parsed(number: int, text: bytes, *, is_cut: bool) -> Item:
    try:
        return Item(number, orjson.loads(text))
    except orjson.JSONDecodeError as err:
        cut = "; the file ends within it" if is_cut else ""
        return Item(number, None, f"not JSON ({str(err).split(': line')[0]}){cut}")


def _elements(text: bytes, path: Path) -> Iterator[Item]:
    try:
        values = orjson.loads(text)
    except orjson.JSONDecodeError as err:
        raise AuditError(
            f"begins like a JSON array and is none: {err}", where=str(path), remedy="Give one JSON object a line, or a whole array."
        ) from err
    for number, value in enumerate(values, start=1):
        yield Item(number, value)
