"""Columns of numbers that never change, the large ones memory-mapped. Paper: none; a tool of the store."""

from __future__ import annotations

import mmap
import tempfile
from typing import Any

import numpy as np
import numpy.typing as npt

_LEAST_MAPPED = 1 << 20
"""Bytes below which a column stays where it is: a mapping has its price in pages and open files."""


def settled(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same numbers, closed to writing; from a megabyte on they lie in a mapped temporary file without a name.

    All processes forked afterwards read the same pages, none can come to own a copy, and the system may put
    them back on disk when memory is short. Where the folder of `TMPDIR` or the address space has no room, the column stays in memory.
    """
    if column.nbytes >= _LEAST_MAPPED:
        try:
            with tempfile.TemporaryFile() as file:
                file.write(np.ascontiguousarray(column).data)
                file.flush()
                pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return np.frombuffer(pages, column.dtype)
        except (OSError, MemoryError):
            pass  # the sample is the same without
    column.setflags(write=False)
    return column
