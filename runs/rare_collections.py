"""Fewer passes of the garbage collector while instances are worked through.

Trajectories are many small objects that live as long as their instance and hold no cycles; the
collector's default pace spends a quarter of the processor time on looking at them again and again.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (50_000, 20, 50)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Leaves what is there now alone and looks at new objects rarely; the collector's own pace returns at the end."""
    before = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def collect_rarely() -> None:
    """The same for good, in a process that does nothing else."""
    gc.collect(1)  # the younger ones alone: a look at all takes longer than a small run
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
