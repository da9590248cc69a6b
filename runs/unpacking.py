"""`unpack`: a packed run, which may be anybody's, becomes a run directory, or nothing at all.

No name, size, kind or content in the file is believed: only files of a run are taken, bytes are counted
as they come out, and the directory gets its name when all of it has been read as a run.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.response_cache import ResponseCache
from agents.rules_backend import LABEL
from runs.config_file import LoadedConfig, role_models
from runs.json_lines import parse_line
from runs.packed_files import CACHE_LINES, CacheLine, is_database, is_known_file, is_known_folder
from runs.portable_database import check_strangers_database
from runs.run_folder import RunReader
from runs.sound_run import check_sound
from runs.whole_target import made_beside, put_in_place
from state.errors import ChronoQGError, RunFolderError

MAX_SIZE = 4_000_000_000
"""Bytes that a packed run may hold, unless the user says otherwise."""
MAX_FILES = 10_000
"""More files than any run has."""
CACHE = "cache"
"""Folder of the unpacked replies, in the run directory."""

_PIECE = 1 << 16
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_NOT_OURS = "It was not made by `chronoqg pack`, or was changed since."
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
"""What zipfile raises for a file that is cut short or damaged, packed in a way it does not know, or has a header that makes no sense."""


@dataclass(frozen=True)
class UnpackReport:
    """What was unpacked."""

    path: Path
    """The run directory."""
    files: int
    """Number of files taken."""
    size: int
    """Their bytes."""
    an_id: str | None
    """An accepted instance, to try the next command on."""
    servers: tuple[str, ...]
    """What the run's configs would send where, should somebody run them with a server."""
    cached: int | None
    """Replies put into the cache; `None` if none were packed."""

    def lines(self) -> list[str]:
        """The report for a person."""
        lines = [f"unpacked   {self.files} files, {self.size} bytes"]
        return lines if self.cached is None else [*lines, f"cache      {self.cached} replies"]

    def talk(self) -> Iterator[str]:
        """What was written, and the command that most likely comes next."""
        yield f"wrote {self.path}"
        for server in self.servers:
            yield f"note: {server}; look at {self.path / 'config.yaml'} before you run this config with a server"
        if self.cached is not None:
            yield f"its replies: --set cache.path={self.path / CACHE}"
        yield f"next: chronoqg {'check' if self.an_id is None else 'replay'} {self.path}{'' if self.an_id is None else f' {self.an_id}'}"


def parse_size(text: str) -> int:
    """The bytes that a size such as `500MB` or `4GB` stands for; units are powers of ten.

    Raises:
        RunFolderError: it is no such size.
    """
    found = re.fullmatch(r"([0-9]{1,15}) ?([KMGT]?B?)", text.strip().upper(), re.ASCII)
    if found is None or found[2] not in _UNITS or not int(found[1]):
        raise RunFolderError(f"{text!r} is no size", where="--max-size", remedy="Write it like 500MB or 4GB.")
    return int(found[1]) * _UNITS[found[2]]


def unpack_run(file: Path, out: Path, *, max_size: int = MAX_SIZE) -> UnpackReport:
    """Makes a run directory of a packed run.

    Args:
        file: the packed run.
        out: the directory to make.
        max_size: most bytes to take out of the file.

    Raises:
        RunFolderError: the file is not a packed run, or not a sound one, or the directory exists.
        ConfigError: the run's own config is wrong.
    """
    with made_beside(out) as folder:
        made, lines = folder / "run", folder / CACHE_LINES
        try:
            files, size = _extract(file, made, lines, max_size)
            names = [name for name in files if name != CACHE_LINES]
            reader = RunReader(made)
            configs = check_sound(reader, names)
            for name in filter(is_database, names):
                check_strangers_database(made / name)
            cached = _fill_cache(lines, made / CACHE) if lines.exists() else None
            an_id = reader.first_accepted() if reader.manifest.taken else None
        except ChronoQGError as err:
            where = err.where.replace(str(made), str(file)).replace(str(lines), f"{file}/{CACHE_LINES}")
            raise type(err)(err.what, where=where, remedy=_NOT_OURS if where != err.where else err.remedy) from err
        except RecursionError as err:
            raise RunFolderError("something in it is nested too deeply", where=str(file), remedy=_NOT_OURS) from err
        put_in_place(made, out)
    servers = sorted({server for loaded in configs for server in _servers(loaded)})
    return UnpackReport(path=out, files=len(files), size=size, an_id=an_id, servers=tuple(servers), cached=cached)


def _extract(file: Path, made: Path, cache_lines: Path, max_size: int) -> tuple[list[str], int]:
    """Takes the files out; returns their names and the sum of their sizes."""
    try:
        with zipfile.ZipFile(file) as packed:
            members = _files_among(packed.infolist(), file)
            made.mkdir()
            size = 0
            for member in members:
                target = cache_lines if member.filename == CACHE_LINES else made / member.filename
                size += _extract_one(packed, member, target, max_size - size, file)
    except _BROKEN as err:
        raise RunFolderError("this is not a zip file, or it is damaged or cut short", where=str(file), remedy=_NOT_OURS) from err
    except OSError as err:
        remedy = "" if err.filename else "Free the place of --out, or choose another."  # writing is what names no file
        raise RunFolderError(f"cannot be unpacked: {err.strerror}", where=str(err.filename or file), remedy=remedy) from err
    return [member.filename for member in members], size


def _extract_one(packed: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, room: int, file: Path) -> int:
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with packed.open(member) as reading, target.open("xb") as writing:
        while piece := reading.read(_PIECE):
            size += len(piece)
            if size > room:
                raise RunFolderError("it holds more than --max-size", where=str(file), remedy="If you trust it, give a larger one.")
            writing.write(piece)
        writing.flush()
        os.fsync(writing.fileno())
    if size != member.file_size:
        raise _refused(member, "is cut short", file)
    return size


def _files_among(members: Sequence[zipfile.ZipInfo], file: Path) -> list[zipfile.ZipInfo]:
    """The files to take, if all that is packed is a run's; its folders may be listed too."""
    if len(members) > MAX_FILES:
        raise RunFolderError(f"it holds {len(members)} files, more than any run has", where=str(file), remedy=_NOT_OURS)
    spelt: dict[str, str] = {}
    taken: dict[str, zipfile.ZipInfo] = {}
    for member in members:
        name = member.filename
        if name in taken:
            raise _refused(member, "is there twice", file)
        if problem := _problem(member):
            raise _refused(member, problem, file)
        parts = name.rstrip("/").split("/")
        for count in range(1, len(parts) + 1):
            part = "/".join(parts[:count])
            if spelt.setdefault(_folded(part), part) != part:
                raise _refused(member, "is there twice, in another spelling", file)
        taken[name] = member
    return [member for name, member in taken.items() if not name.endswith("/")]


def _problem(member: zipfile.ZipInfo) -> str | None:
    """What is wrong with a packed file, judged by what the zip's directory says of it."""
    name = member.filename
    if name.startswith("/") or "\\" in name or re.match("[A-Za-z]:", name) or ".." in name.split("/"):
        return "leads out of the directory"
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFDIR if name.endswith("/") else stat.S_IFREG):
        return "is a link or another special file"
    known = is_known_folder(name[:-1]) if name.endswith("/") else is_known_file(name) or name == CACHE_LINES
    if not known or name != member.orig_filename:
        return "is no file of a run"
    if member.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is compressed in a way that packed runs are not"
    return None


def _folded(name: str) -> str:
    """The same for names that some file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _refused(member: zipfile.ZipInfo, problem: str, file: Path) -> RunFolderError:
    return RunFolderError(f"{member.filename[:200]!r} {problem}", where=str(file), remedy=_NOT_OURS)


def _fill_cache(lines: Path, folder: Path) -> int:
    """Puts the packed replies into a cache of their own; returns their number."""
    cache, number = ResponseCache(folder), 0
    try:
        with lines.open("rb") as file:
            for number, line in enumerate(file, start=1):
                found = parse_line(CacheLine, line, lines, number)
                cache.put(found.key, found.entry)
        if len(cache) != number:
            raise RunFolderError("a key is there twice, or a reply could not be stored", where=str(lines))
    finally:
        cache.close()
    return number


def _servers(loaded: LoadedConfig) -> Iterator[str]:
    for name in role_models(loaded.config):
        model = loaded.config.models[name]
        if model.provider != LABEL:
            variables = sorted({*filter(None, (model.api_key_env,)), *model.headers_env.values()})
            keys = f", with the values of {', '.join(variables)}" if variables else ""
            yield f"its model {name!r} is asked at {model.base_url or 'the default server'}{keys}"
