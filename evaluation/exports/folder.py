"""The folder of an export: it appears whole or not at all, and replaces nothing but an earlier export of the same run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.exports.report import ExportReport
from runs.json_lines import parse_line, read_bytes
from runs.whole_target import made_beside, put_in_place
from state.errors import RunFolderError

NOTE = "export.json"
"""The file that says what a folder is."""
_MANY = 50
_ARROWS_REASON = re.compile(r"\[errno \d+\] ([^.\n]+)")
"""Where Arrow's errors name the system's."""


@contextmanager
def export_folder(target: Path, config_sha256: str, own: str) -> Iterator[Path]:
    """A folder beside the target, in which to make the export; at the end of the block it takes the target's name.

    If the block ends with an error, the target is as it was.

    Args:
        target: the folder to make: free, empty, or an earlier export of the same run in the same format.
        config_sha256: of the run.
        own: a regular expression that the paths of the format's files match.

    Raises:
        RunFolderError: something else is there, or nothing can be written there.
    """
    _refuse_others(target, config_sha256, own)
    with made_beside(target.with_name(f"{target.name}.part")) as folder, _refusal_told(target, folder):
        made, earlier = folder / "made", folder / "earlier"
        made.mkdir()
        yield made
        _sync(made)
        _refuse_others(target, config_sha256, own)
        if target.exists():
            target.rename(earlier)
        try:
            put_in_place(made, target)
        except BaseException:
            if earlier.exists():
                earlier.rename(target)
            raise


@contextmanager
def _refusal_told(target: Path, folder: Path) -> Iterator[None]:
    """Says of a disk that refuses what was being made; mostly the system names no file, or one that goes away."""
    try:
        yield
    except OSError as err:
        where = Path(err.filename) if isinstance(err.filename, str) else target
        if where != target and not where.is_relative_to(folder):
            raise
        within = _ARROWS_REASON.search(str(err))
        reason = within[1] if within else err.strerror or str(err)
        remedy = "Free the place or choose another --out."
        raise RunFolderError(f"cannot be written: {reason}", where=str(target), remedy=remedy) from err


def _refuse_others(target: Path, config_sha256: str, own: str) -> None:
    if not os.path.lexists(target):
        return
    remedy = "Choose another --out."
    if target.is_symlink() or not target.is_dir():
        raise RunFolderError("this is no folder", where=str(target), remedy=remedy)
    if not any(target.iterdir()):
        return
    if not (target / NOTE).is_file():
        raise RunFolderError("the folder is not empty, and not an export", where=str(target), remedy=remedy)
    earlier = parse_line(ExportReport, read_bytes(target / NOTE), target / NOTE, 1)
    if earlier.config_sha256 != config_sha256:
        raise RunFolderError("the folder holds the export of another run", where=str(target), remedy=remedy)
    for path in sorted(target.rglob("*")):
        name = path.relative_to(target).as_posix()
        if name != NOTE and not path.is_dir() and not re.fullmatch(own, name):
            raise RunFolderError(f"the folder also holds {name!r}, which is not this export's", where=str(target), remedy=remedy)


def _sync(folder: Path) -> None:
    """Brings all files to the disk: few one by one, many at once, which is a hundred times quicker than one by one."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    if len(files) > _MANY:
        os.sync()
        return
    for path in files:
        with path.open("rb") as file:
            os.fsync(file.fileno())
