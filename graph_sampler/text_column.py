"""Texts that never change, as one block of bytes: no Python object for a text that nobody asks for. Paper: none; a tool of the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from graph_sampler.columns import settled

_TOGETHER = 1 << 16
"""Texts that are decoded at once by who wants all."""


class TextColumn(Sequence[str]):
    """Texts by position, equal to any other sequence of the same texts; each is decoded when it is asked for.

    Where they are many their bytes are memory-mapped and shared by forked processes. Of a list of strings each process
    comes to own a copy, since whoever looks at a string writes its reference count beside it. Pickled without a copy.
    """

    def __init__(self, ends: npt.NDArray[np.int64], block: npt.NDArray[np.uint8]) -> None:
        """Takes the texts in UTF-8, one behind the other.

        Args:
            ends: where each begins and the last one ends, shape (texts + 1,), in bytes.
            block: the bytes. Neither is copied, so that what lies in a cluster's object store is read there.
        """
        self._ends, self._block = ends, block
        self._end_of, self._bytes = self._ends.data, self._block.data

    @classmethod
    def of(cls, texts: Any) -> TextColumn:
        """The texts of an Arrow array, plain or chunked, without nulls."""
        whole = texts.cast(pa.large_string())
        if isinstance(whole, pa.ChunkedArray):
            whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], pa.large_string())
        _, ends, block = whole.buffers()
        if not len(whole):
            return cls(np.zeros(1, np.int64), np.zeros(0, np.uint8))
        return cls(
            settled(np.frombuffer(ends, np.int64)[whole.offset : whole.offset + len(whole) + 1]),
            settled(np.frombuffer(block, np.uint8) if block is not None else np.zeros(0, np.uint8)),
        )

    def __len__(self) -> int:
        return len(self._end_of) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            places = range(len(self))[index]
            if places.step != 1:
                return [self[place] for place in places]
            found: list[str] = self.__arrow_array__().slice(places.start, len(places)).to_pylist()
            return found
        if index < 0:
            index += len(self)
            if index < 0:
                raise IndexError("no such text")
        return str(self._bytes[self._end_of[index] : self._end_of[index + 1]], "utf-8")

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), _TOGETHER):
            yield from self[first : first + _TOGETHER]

    def __arrow_array__(self, type: Any = None) -> Any:
        """The same texts as an Arrow array, which is how `pyarrow.array` reads them; of the type `large_string` nothing is copied."""
        texts = pa.LargeStringArray.from_buffers(len(self), pa.py_buffer(self._ends), pa.py_buffer(self._block))
        return texts if type is None or type == texts.type else texts.cast(type)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, (str, bytes)):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[TextColumn], tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]]:
        return TextColumn, (self._ends, self._block)
