"""A process of a pool ends with the process that made it, also when that one is killed."""

from __future__ import annotations

import os
import threading
import time

_LOOK_EVERY_S = 1.0


def end_with(parent: int) -> None:
    """To be called at the start of a worker: a thread ends the process once its parent is not the one of this number any more."""
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY_S)
    os._exit(1)
