"""A small finished run in a zip, zips made by hand, and the line with which unpacking refuses one."""

from __future__ import annotations

import zipfile
from pathlib import Path

from runs.engine import run_pending
from runs.run_folder import RunFolder
from tests.command_line import refused
from tests.run_directory import ScriptedAgents, config, mixed, records, sampled

Members = dict[str, bytes]


def make_run(path: Path, *overrides: str, count: int = 6) -> Path:
    """A finished run of composed records."""
    with RunFolder(path, config(path.parent, *overrides)) as folder:
        sampled(folder, records(count))
        run_pending(folder, ScriptedAgents(mixed).agents)
    return path


def members_of(file: Path) -> Members:
    """The files in a zip."""
    with zipfile.ZipFile(file) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def zip_of(file: Path, members: Members, *more: tuple[zipfile.ZipInfo | str, bytes]) -> Path:
    """A zip of these members."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in (*members.items(), *more):
            opened.writestr(name, data)
    return file


def rejected(file: Path, *options: str) -> str:
    """The one line with which unpacking refuses; nothing is left beside the file."""
    before = sorted(file.parent.iterdir())
    message = refused("unpack", str(file), "--out", str(file.parent / "deep" / "new"), *options)
    assert sorted(file.parent.iterdir()) == before
    return message
