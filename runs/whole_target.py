"""A file or directory that appears whole or not at all, under a name that was free."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from state.errors import RunFolderError


@contextlib.contextmanager
def made_beside(target: Path) -> Iterator[Path]:
    """A temporary folder beside the target, in which to make it; what is left there in the end is deleted.

    Raises:
        RunFolderError: the target exists, or nothing can be written there.
    """
    if os.path.lexists(target):
        raise RunFolderError("it exists already", where=str(target), remedy="Choose another --out.")
    made = [folder for folder in target.absolute().parents if not folder.exists()][::-1]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.TemporaryDirectory(prefix=f".{target.name[:40]}.", dir=target.parent)
    except OSError as err:
        raise RunFolderError(f"cannot be written: {err.strerror}", where=str(target), remedy="Choose another --out.") from err
    try:
        with temporary as folder:
            yield Path(folder)
    finally:
        if not target.exists():
            for parent in reversed(made):
                with contextlib.suppress(OSError):
                    parent.rmdir()


def put_in_place(made: Path, target: Path) -> None:
    """Gives what was made its final name, after it is safe on the disk.

    Raises:
        RunFolderError: somebody else has taken the name meanwhile.
    """
    for folder in (path for path in (made, *made.rglob("*")) if path.is_dir()):
        _sync(folder)
    if os.path.lexists(target):
        raise RunFolderError("it exists already", where=str(target), remedy="Choose another --out.")
    made.rename(target)
    _sync(target.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
