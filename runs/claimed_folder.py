"""A directory of results that one process owns while it works in it. Paper: none."""

from __future__ import annotations

import contextlib
from collections.abc import Set as AbstractSet
from pathlib import Path

from filelock import FileLock, Timeout

from runs.run_folder import LOCK, MANIFEST
from state.errors import RunFolderError


class ClaimedFolder:
    """The claim on a directory that has a manifest once it is begun; whoever made a new one in vain gives it up as found."""

    def __init__(self, path: Path, written_before_manifest: AbstractSet[str], owner: str) -> None:
        """Claims the directory, and creates it if need be.

        Args:
            path: the directory.
            written_before_manifest: files that stand in one whose maker was killed as it began.
            owner: whose directory it has to be, as "a study's".

        Raises:
            RunFolderError: it cannot be written, another process owns it, or it holds something else.
        """
        self.path = path
        self._made = [folder for folder in (path, *path.parents) if not folder.exists()]
        parts = {f".{name}.part" for name in (*written_before_manifest, MANIFEST)}
        try:
            names = {entry.name for entry in path.iterdir()} if path.exists() else set()
            left_over = LOCK in names and names <= {LOCK, *written_before_manifest, *parts}
            if names and MANIFEST not in names and not left_over:
                raise RunFolderError(f"the directory is not empty and not {owner}", where=str(path), remedy="Choose another --out.")
            path.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(path / LOCK)
            self._lock.acquire(timeout=0)
        except Timeout as err:
            raise RunFolderError("another process is working in this directory", where=str(path), remedy="Wait for it to end.") from err
        except OSError as err:
            raise RunFolderError(
                f"the directory cannot be written: {err.strerror}", where=str(path), remedy="Choose another --out."
            ) from err

    def release(self) -> None:
        """Lets other processes in."""
        self._lock.release()

    def give_up(self) -> None:
        """Lets others in; a directory in which nothing was made goes away with the folders that were made for it."""
        with contextlib.suppress(OSError):
            if {entry.name for entry in self.path.iterdir()} == {LOCK}:
                (self.path / LOCK).unlink()
        for folder in self._made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        self._lock.release()
