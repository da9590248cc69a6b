"""Pieces of bytes put aside on disk, so that memory does not grow with a sample. Paper: none."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Sequence
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

_LEVEL = 1
"""The quickest: records repeat ids and keys so much that more effort gains little."""


def pack(piece: bytes) -> bytes:
    """A piece as it is put aside: about a quarter of its size."""
    return zlib.compress(piece, _LEVEL)


def unpack(piece: bytes) -> bytes:
    """What `pack` has packed."""
    return zlib.decompress(piece)


class Place(NamedTuple):
    """Where a piece lies in its spool, in bytes."""

    start: int
    size: int


class Spool:
    """An unnamed temporary file, in the folder that `TMPDIR` names; it goes with the process, however that ends.

    Used by one process and one thread at a time.
    """

    def __init__(self) -> None:
        """An empty one."""
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the spool
        self._end = 0
        self._is_at_end = True

    def put(self, piece: bytes) -> Place:
        """Puts a piece behind the others.

        Raises:
            OSError: the disk is full.
        """
        if not self._is_at_end:
            self._file.seek(0, os.SEEK_END)
            self._is_at_end = True
        place = Place(self._end, len(piece))
        try:
            self._file.write(piece)
        except OSError as err:
            raise OSError(err.errno, f"{err.strerror}; TMPDIR names the folder for temporary files", tempfile.gettempdir()) from None
        self._end += len(piece)
        return place

    def get(self, place: Place) -> bytes:
        """The piece at a place."""
        self._file.seek(place.start)
        self._is_at_end = False
        return self._file.read(place.size)


class SpooledLines(Sequence[bytes]):
    """Lines that lie packed in a spool, read one at a time; equal to any other sequence of the same lines."""

    def __init__(self, spool: Spool, places: NDArray[np.int64]) -> None:
        """Takes where each line lies, `pack`ed: starts and sizes, shape (lines, 2)."""
        self._spool = spool
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> SpooledLines: ...
    def __getitem__(self, index: int | slice) -> bytes | SpooledLines:
        if isinstance(index, slice):
            return SpooledLines(self._spool, self._places[index])
        return unpack(self._spool.get(Place(*self._places[index].tolist())))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, (str, bytes)):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]
