"""A folder that one process of a test run makes, and of which every process gets a copy of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(name: str, make: Callable[[Path], None], factory: pytest.TempPathFactory) -> Path:
    """The folder that `make` writes, made by the first process to ask for its name."""
    own = factory.mktemp(name) / "run"
    if "PYTEST_XDIST_WORKER" not in os.environ:
        make(own)
        return own
    made = factory.getbasetemp().parent / f"{name}.made"
    with FileLock(f"{made}.lock"):
        if not made.exists():
            make(own)
            shutil.copytree(own, f"{made}.part")
            Path(f"{made}.part").rename(made)
        else:
            shutil.copytree(made, own)
    return own
