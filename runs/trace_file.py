"""`traces.jsonl`, read from the disk when asked: only where each line begins, and its id, are kept in memory.

One pass in large pieces finds both and the SHA-256 of the file. Parsing a record costs a hundred times as
much as passing over it, so a run of many finished instances parses only those that it still works on.
"""

from __future__ import annotations

import hashlib
import os
import re
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Generic, NamedTuple, TypeVar

from runs.json_lines import RESTORE, cut_off, parse_line
from state.any_instance import Instance
from state.errors import RunFolderError

_PIECE = 1 << 22
_BUFFER = 1 << 16
_HEAD = 256
"""Bytes of a line among which its id is looked for."""
_ID_COMES_FIRST = re.compile(rb'\{"id":"([^"\\\x00-\x1f]*)",')


Line = TypeVar("Line", bound=Instance)


class TraceFile(Generic[Line]):
    """The sampled records of a run; lines are counted from 0, in errors from 1.

    The file is looked through when this is made, and again whenever it was touched since then. Whatever
    reads raises `RunFolderError` if the file is damaged or no longer the one that was sampled.
    """

    def __init__(self, path: Path, sha256: str, of: type[Line]) -> None:
        """Looks through the file.

        Args:
            path: the file.
            of: what its lines are.
            sha256: what its SHA-256 must be.

        Raises:
            RunFolderError: it is missing, damaged or another file; the message names a broken line.
        """
        self.path = path
        self._sha256 = sha256
        self._of = of
        self._stamp: tuple[int, ...] | None = None
        self._begins: Sequence[int] = (0,)
        self._ids: Sequence[str] = ()
        with self._opened():
            pass

    def __len__(self) -> int:
        return len(self._ids)

    def ids(self) -> Sequence[str]:
        """The id of every record, in the order of the file."""
        return self._ids

    def line(self, number: int) -> bytes:
        """One line, without its newline."""
        with self._opened() as file:
            return _read(file, self._begins, number)

    def lines(self, numbers: range | None = None) -> Iterator[bytes]:
        """The lines of these numbers, in the order given, without their newlines; by default all."""
        with self._opened() as file:
            for number in range(len(self)) if numbers is None else numbers:
                yield _read(file, self._begins, number)

    def record(self, number: int) -> Line:
        """The record of one line."""
        return parse_line(self._of, self.line(number), self.path, number + 1)

    def records(self, numbers: range | None = None) -> Iterator[Line]:
        """The records of these lines, in the order given; by default all."""
        wanted = range(len(self)) if numbers is None else numbers
        for number, line in zip(wanted, self.lines(wanted), strict=True):
            yield parse_line(self._of, line, self.path, number + 1)

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        try:
            with self.path.open("rb", buffering=_BUFFER) as file:
                if (stamp := _stamp(file)) != self._stamp:
                    self._begins, self._ids = self._look_through(file)
                    self._stamp = stamp
                yield file
        except OSError as err:
            raise RunFolderError(f"cannot be read: {err.strerror}", where=str(self.path)) from err

    def _look_through(self, file: BinaryIO) -> tuple[Sequence[int], Sequence[str]]:
        """Where the lines begin, with the end of the last one, and their ids."""
        begins, heads, size, sha256 = _scan(file)
        if begins[-1] != size:
            raise cut_off(self.path, len(begins))
        if sha256 != self._sha256:
            for number in range(len(heads)):
                parse_line(self._of, _read(file, begins, number), self.path, number + 1)
            raise RunFolderError("the file is not the one that was sampled", where=str(self.path), remedy=RESTORE)
        ids = [
            parse_line(self._of, _read(file, begins, number), self.path, number + 1).id if ident is None else ident
            for number, ident in enumerate(heads)
        ]
        return begins, ids


class _Scan(NamedTuple):
    begins: array[int]
    """Where each line begins, and at last where a next one would."""
    ids: list[str | None]
    """The id of each line; `None` if the line does not begin with one."""
    size: int
    sha256: str


def _scan(file: BinaryIO) -> _Scan:
    digest, begins, ids = hashlib.sha256(), array("Q", (0,)), list[str | None]()
    size, head = 0, b""
    while piece := file.read(_PIECE):
        digest.update(piece)
        begin = 0
        while (end := piece.find(b"\n", begin)) >= 0:
            ids.append(_id_in(head + piece[begin : min(end, begin + _HEAD)]))
            begin, head = end + 1, b""
            begins.append(size + begin)
        if len(head) < _HEAD:
            head += piece[begin : begin + _HEAD]
        size += len(piece)
    return _Scan(begins, ids, size, digest.hexdigest())


def _id_in(head: bytes) -> str | None:
    """The id with which a line begins, if it is written there without any escape."""
    match = _ID_COMES_FIRST.match(head)
    try:
        return match[1].decode() if match else None
    except UnicodeDecodeError:
        return None


def _read(file: BinaryIO, begins: Sequence[int], number: int) -> bytes:
    begin, end = begins[number], begins[number + 1]
    file.seek(begin)
    return file.read(end - begin)[:-1]


def _stamp(file: BinaryIO) -> tuple[int, ...]:
    """What changes when a file is replaced or written to."""
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
