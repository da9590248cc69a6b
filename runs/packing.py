"""`pack`: a run as one file to give away; the same run gives the same bytes."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from agents.response_cache import ResponseCache
from agents.rules_backend import LABEL
from runs.database import RunDatabase
from runs.forks import FORK, FORKS
from runs.json_lines import model_line, write_lines
from runs.packed_files import CACHE_LINES, CacheLine, is_database, is_known_file, is_known_folder
from runs.portable_database import check_strangers_database, compact_copy
from runs.run_folder import DATABASE, LOCK, RunReader
from runs.sound_run import check_sound
from runs.study_items import item_file
from runs.whole_target import made_beside, put_in_place
from state.errors import RunFolderError

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every packed file: the zip format has no earlier one."""
_STAYS = re.compile(rf"{re.escape(LOCK)}|{re.escape(DATABASE)}-(wal|shm)|\..*\.part")
"""Files of a run that are nobody else's business; the database's log travels in the database."""


@dataclass(frozen=True)
class CachePart:
    """What of the cache was packed."""

    asked: int
    """Different requests that the run and its forks sent."""
    found: int
    """Of these, the ones whose reply the cache holds."""

    @property
    def missing(self) -> int:
        """Requests without a stored reply."""
        return self.asked - self.found


@dataclass(frozen=True)
class PackReport:
    """What was packed."""

    path: Path
    """The packed file."""
    size: int
    """Its bytes."""
    files: tuple[str, ...]
    """The names in it, sorted."""
    left: tuple[str, ...]
    """What lies in the run directory and is no file of a run, sorted; it was not packed."""
    cache: CachePart | None
    """`None` unless asked for."""

    def lines(self) -> list[str]:
        """The report for a person."""
        lines = [f"packed     {len(self.files)} files, {self.size} bytes"]
        if self.left:
            lines.append(f"left out   {', '.join(self.left[:5])}{f' and {len(self.left) - 5} more' if len(self.left) > 5 else ''}")
        if self.cache is not None:
            lines.append(f"cache      {self.cache.found} of {self.cache.asked} requests, {self.cache.missing} are not in the cache")
        return lines


def pack_run(run: Path, out: Path | None = None, *, with_cache: bool = False, cache: Path | None = None) -> PackReport:
    """Packs a run, its forks included, into one zip file.

    Args:
        run: the run directory.
        out: the file to make; `None` for the run's name with `.zip`, beside it.
        with_cache: pack the replies to the run's requests as well.
        cache: the cache to take them from; `None` for the one that the run's config names.

    Raises:
        RunFolderError: the directory is no run, is damaged or being worked in, or the file exists.
        ConfigError: there is no such cache.
    """
    RunReader(run)
    if item_file(run).exists():
        remedy = "Give away its own page (study.html or evaluation.html), its JSON files and tables/; who has the config can make it again."
        raise RunFolderError("this is a study's directory, and runs are packed", where=str(run), remedy=remedy)
    target = out if out is not None else run.parent / f"{run.resolve().name}.zip"
    with made_beside(target) as folder, contextlib.ExitStack() as locks:
        locks.enter_context(_nobody_works_in(run))
        for fork in sorted(path.parent for path in (run / FORKS).glob(f"*/{FORK}")):
            locks.enter_context(_nobody_works_in(fork))
        files, left = _files_of(run)
        reader = RunReader(run)
        check_sound(reader, files)
        sources = {name: run / name for name in files}
        for number, name in enumerate(filter(is_database, files)):
            sources[name] = folder / f"{number}.sqlite"
            compact_copy(run / name, sources[name])
            check_strangers_database(sources[name])
        part = None
        if with_cache:
            databases = [sources[name] for name in files if is_database(name)]
            part = _copy_cache(databases, cache or Path(reader.config().config.cache.path), folder / CACHE_LINES)
            if part.found:
                sources[CACHE_LINES] = folder / CACHE_LINES
        try:
            _write_zip(folder / "packed.zip", sources)
        except OSError as err:
            if err.filename is not None:
                raise
            remedy = "Free the place or choose another --out."
            raise RunFolderError(f"cannot be written: {err.strerror}", where=str(target), remedy=remedy) from err
        size = (folder / "packed.zip").stat().st_size
        put_in_place(folder / "packed.zip", target)
    return PackReport(path=target, size=size, files=tuple(sorted(sources)), left=tuple(left), cache=part)


@contextlib.contextmanager
def _nobody_works_in(run: Path) -> Iterator[None]:
    """Owns the directory meanwhile, so that its files belong together."""
    lock = FileLock(run / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout as err:
        raise RunFolderError("another process is working in this run directory", where=str(run), remedy="Wait for it to end.") from err
    except OSError as err:
        if err.errno != errno.EROFS:
            raise RunFolderError(f"the run cannot be locked: {err.strerror}", where=str(run), remedy="Pack a copy of it.") from err
    try:
        yield
    finally:
        lock.release()


def _files_of(run: Path) -> tuple[list[str], list[str]]:
    """The files of a run and what else lies there, both sorted; a folder of something else is named once.

    A fork's folder without its note is what a process left that was killed as it began the fork.
    """
    files, left = [], []
    for base, folders, names in os.walk(run):
        at = Path(base).relative_to(run)
        for name in names:
            relative = (at / name).as_posix()
            if is_known_file(relative):
                _refuse_link(run / relative)
                files.append(relative)
            elif not _STAYS.fullmatch(name):
                left.append(relative)
        for name in list(folders):
            relative = (at / name).as_posix()
            if is_known_folder(relative):
                _refuse_link(run / relative)
            else:
                folders.remove(name)
                if not name.startswith("."):
                    left.append(f"{relative}/")
    begun = {name.rpartition("/")[0] for name in files if name.startswith(f"{FORKS}/") and name.endswith(f"/{FORK}")}
    halves = {"/".join(name.split("/")[:2]) for name in files if name.startswith(f"{FORKS}/")} - begun
    files = [name for name in files if "/".join(name.split("/")[:2]) not in halves]
    return sorted(files), sorted([*left, *(f"{half}/" for half in halves)])


def _refuse_link(path: Path) -> None:
    if path.is_symlink() or not (path.is_file() or path.is_dir()):
        raise RunFolderError("this is a link, not a file or folder of the run's own", where=str(path), remedy="Put a copy in its place.")


def _copy_cache(databases: Sequence[Path], folder: Path, target: Path) -> CachePart:
    """Writes the replies to all requests of these databases, sorted by key."""
    keys = sorted({key for database in databases for key in _keys(database)})
    if not keys:
        return CachePart(0, 0)
    if not folder.is_dir():
        raise RunFolderError("there is no such cache", where=str(folder), remedy="Name it by --cache, or leave --with-cache out.")
    cache, found = ResponseCache(folder), 0

    def lines() -> Iterator[bytes]:
        nonlocal found
        for key in keys:
            entry = cache.get(key)
            if entry is not None:
                found += 1
                yield model_line(CacheLine(key=key, entry=entry))

    try:
        write_lines(target, lines())
    finally:
        cache.close()
    return CachePart(len(keys), found)


def _keys(path: Path) -> Iterator[str]:
    """The keys of all requests to servers; the rules' requests are in no cache."""
    database = RunDatabase(path, writable=False)
    try:
        for ident in database.finished():
            for visit in database.trajectory(ident).visits:
                yield from (one.request_sha256 for one in visit.tries if one.request.model != LABEL)
    finally:
        database.close()


def _write_zip(path: Path, sources: dict[str, Path]) -> None:
    """Writes the files in the order of their names, each with the same time and mode."""
    with path.open("xb") as file:
        with zipfile.ZipFile(file, "w") as packed:
            for name, source in sorted(sources.items()):
                member = zipfile.ZipInfo(name, _EARLIEST)
                member.compress_type, member.create_system = zipfile.ZIP_DEFLATED, 3
                member.external_attr = (stat.S_IFREG | 0o644) << 16
                member.file_size = source.stat().st_size
                with source.open("rb") as reading, packed.open(member, "w") as writing:
                    shutil.copyfileobj(reading, writing)
        file.flush()
        os.fsync(file.fileno())
