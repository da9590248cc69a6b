"""The items of a published question file: JSON Lines, one JSON array, or the table of which the array is a twin."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from evaluation.audit.reading import DAMAGED, AuditError, Item, damaged_stream, read_items
from evaluation.audit.timelinekgqa.records import is_timeline_record

_GZIP = b"\x1f\x8b"
_HEAD = 1 << 20
_COLUMNS = ("question", "answer", "events", "question_level", "question_type", "answer_type")
_LONGEST_CELL = 1 << 20


def timeline_items(path: Path, advance: Callable[[int, int], None] | None = None) -> Iterator[Item]:
    """The items of a file in order; a table's are numbered from 1 by row, an empty cell being none.

    Raises:
        AuditError: the file cannot be read, or is a damaged array or table.
    """
    return _rows(path) if _is_table(_head(path)) else read_items(path, advance)


def is_timeline_file(path: Path) -> bool:
    """Whether the first record of a file is of this layout; only the beginning of the file is read.

    Raises:
        AuditError: the file cannot be read.
    """
    head = _head(path)
    return _is_table(head) or is_timeline_record(_first(head))


def _head(path: Path) -> str:
    try:
        with path.open("rb") as raw:
            is_packed = raw.read(2) == _GZIP
        with gzip.open(path) if is_packed else path.open("rb") as file:
            return file.read(_HEAD).decode("utf-8-sig", "replace").lstrip()
    except DAMAGED:
        return ""
    except OSError as err:
        raise AuditError(f"cannot be read: {err.strerror or err}", where=str(path)) from err


def _is_table(head: str) -> bool:
    if not head or head[0] in "[{":
        return False
    try:
        return set(_COLUMNS) <= set(next(csv.reader([head.partition("\n")[0].rstrip("\r")]), []))
    except csv.Error:  # a cell of unheard-of length: no header
        return False


def _first(head: str) -> Any:
    """The first element of an array or the first line that is JSON; `None` where there is none."""
    if head.startswith("["):
        try:
            return json.JSONDecoder().raw_decode(head[1:].lstrip())[0]
        except (ValueError, RecursionError):
            return None
    for line in head.split("\n"):  # other line ends may stand within a text
        try:
            return orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
    return None


def _rows(path: Path) -> Iterator[Item]:
    csv.field_size_limit(_LONGEST_CELL)
    number = 0
    try:
        with path.open("rb") as raw:
            is_packed = raw.read(2) == _GZIP
        with gzip.open(path) if is_packed else path.open("rb") as file:
            reader = csv.DictReader(io.TextIOWrapper(file, "utf-8-sig", "strict", newline=""))
            for number, row in enumerate(reader, start=1):
                if None in row or None in row.values():
                    yield Item(number, None, "a row with more or fewer cells than the header")
                else:
                    yield Item(number, {key: cell or None for key, cell in row.items()})
    except DAMAGED as err:
        raise damaged_stream(err, path, number + 2) from None
    except (OSError, csv.Error, UnicodeDecodeError) as err:
        raise AuditError(f"cannot be read as a table: {err}", where=str(path)) from err
