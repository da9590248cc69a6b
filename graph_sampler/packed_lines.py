"""The lines of a sample, each packed: a quarter of their size in memory, unpacked one at a time when read. Paper: none."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import overload

_LEVEL = 1
"""The quickest: records repeat ids and keys so much that more effort gains little."""


def pack(line: bytes) -> bytes:
    """A line as `PackedLines` holds it."""
    return zlib.compress(line, _LEVEL)


class PackedLines(Sequence[bytes]):
    """Lines that are held packed; equal to any other sequence of the same lines."""

    def __init__(self, packed: Sequence[bytes]) -> None:
        """Takes lines that `pack` has packed."""
        self._packed = packed

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> PackedLines: ...
    def __getitem__(self, index: int | slice) -> bytes | PackedLines:
        if isinstance(index, slice):
            return PackedLines(self._packed[index])
        return zlib.decompress(self._packed[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, (str, bytes)):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]
