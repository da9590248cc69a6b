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
_DAMAGED = b"(the gzip stream is damaged here)"


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
        AuditError: the file cannot be read, or is a damaged array.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as raw:
            unpacked = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if raw.peek(2)[:2] == _GZIP else raw
            yield from _items(unpacked, path, lambda: advance(min(raw.tell(), size), size) if advance else None)
    except OSError as err:
        raise AuditError(f"cannot be read: {err.strerror or err}", where=str(path)) from err


def _items(file: BinaryIO | BufferedReader, path: Path, told: Callable[[], None]) -> Iterator[Item]:
    number, has_begun = 0, False
    lines = _lines(file)
    for number, line in lines:
        text = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
        if text.startswith(b"[") and not has_begun:
            yield from _elements(b"".join([text, *(rest for _, rest in lines)]), path)
            return
        has_begun = has_begun or bool(text)
        if number % 64 == 0:
            told()
        if line is _DAMAGED:
            yield Item(number, None, "not to be read on: the gzip stream is damaged here")
        elif text:
            yield _parsed(number, text, is_cut=not line.endswith(b"\n"))
    told()


def _lines(file: BinaryIO | BufferedReader) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers; a gzip stream that breaks off ends the file with `_DAMAGED` for a line."""
    number = 0
    try:
        for number, line in enumerate(file, start=1):
            yield number, line
    except (EOFError, zlib.error, gzip.BadGzipFile):
        yield number + 1, _DAMAGED


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
