"""JSON Lines that every reader splits alike, and files that appear whole or not at all.

Only a newline ends a line here. Other characters that some reader takes for a line end (U+2028,
U+2029, U+0085; JSON itself escapes U+000B and its like) are written escaped.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from state.errors import RunFolderError

Model = TypeVar("Model", bound=BaseModel)

RESTORE = "Restore the file or make the run anew."
"""What to do about a damaged file."""

_PROBE = 1 << 12
"""Bytes of a small file."""
_LINE_ENDS = ((b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029"), (b"\xc2\x85", b"\\u0085"))


def escape_line_ends(json: bytes) -> bytes:
    """JSON bytes in which no reader sees a line end; the value they stand for is the same."""
    for raw, escaped in _LINE_ENDS:
        if raw in json:
            json = json.replace(raw, escaped)
    return json


def model_line(model: BaseModel) -> bytes:
    """A model as one line of JSON, without the newline, keys in the model's order."""
    return escape_line_ends(model.model_dump_json(by_alias=True).encode())


def pretty_json(data: Any) -> bytes:
    """Data as indented JSON that ends in a newline, keys in the order given."""
    return escape_line_ends(orjson.dumps(data, option=orjson.OPT_INDENT_2)) + b"\n"


class WholeFile:
    """A file in the making, whose name never stands for half of it: a rename after fsync at the end of a `with` block.

    If the block ends with an error, what was written is gone, with the folders that were made for it, and the file is
    as it was. What is written lies in `.NAME.part`, which is one process's own: a lock of the operating system tells a
    part whose maker works on it from one whose maker was killed, which is deleted, and no link of that name is followed.

    Raises `RunFolderError` if the disk refuses, or if another process is writing the same file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._part = path.with_name(f".{path.name}.part")
        self._made = [folder for folder in path.absolute().parents if not os.path.exists(folder)]
        try:
            with self._errors():
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = os.fdopen(self._own_part(), "wb")
        except BaseException:
            self._unmake_folders()
            raise

    def write(self, data: bytes) -> None:
        """Adds bytes."""
        with self._errors():
            self._file.write(data)

    def __enter__(self) -> WholeFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._appear()
        finally:
            self.give_up()

    def settle(self) -> None:
        """Brings what was written so far to the disk."""
        with self._errors():
            self._file.flush()
            os.fsync(self._file.fileno())

    def give_up(self) -> None:
        """Deletes what was written, unless it has its name already; nothing can be written any more."""
        with contextlib.suppress(OSError):
            if _is_at(self._file.fileno(), self._part):
                self._part.unlink()
        with contextlib.suppress(OSError):
            self._file.close()
        self._unmake_folders()  # none of them, if there is a file in them

    def _appear(self) -> None:
        self.settle()
        with self._errors():
            if not _is_at(self._file.fileno(), self._part):
                raise self._is_others()
            self._part.replace(self.path)
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _own_part(self) -> int:
        """A new part file that only this process writes to, open and locked."""
        while True:
            try:
                part = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
            except FileExistsError:
                self._delete_left_over()
                continue
            if _has_locked(part) and _is_at(part, self._part):
                return part
            os.close(part)  # another process took it for a left-over before it was locked

    def _delete_left_over(self) -> None:
        """Deletes a part whose maker is dead, and a link of its name."""
        if self._part.is_symlink():
            self._part.unlink(missing_ok=True)
            return
        try:
            part = os.open(self._part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return
        try:
            if not _has_locked(part):
                raise self._is_others()
            if _is_at(part, self._part):
                self._part.unlink()
        finally:
            os.close(part)

    def _is_others(self) -> RunFolderError:
        return RunFolderError(
            "another process is writing this file", where=str(self.path), remedy="Wait for it to end, or choose another --out."
        )

    def _unmake_folders(self) -> None:
        for folder in self._made:
            with contextlib.suppress(OSError):
                folder.rmdir()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as err:
            raise RunFolderError(
                f"cannot be written: {err.strerror}", where=str(self.path), remedy="Free the place or choose another --out."
            ) from err


def _has_locked(descriptor: int) -> bool:
    """Whether an open file is this process's own until it is closed; so it is where the file system knows no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as err:
        if err.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL):
            raise
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file is the one of this name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Writes a file as `WholeFile` does.

    Raises:
        RunFolderError: the disk refuses.
    """
    with WholeFile(path) as file:
        for part in parts:
            file.write(part)


def write_together(files: Mapping[Path, bytes]) -> None:
    """Writes files as `WholeFile` does, none of which appears before all are on the disk.

    Raises:
        RunFolderError: the disk refuses.
    """
    with contextlib.ExitStack() as stack:
        for path, content in files.items():
            file = stack.enter_context(WholeFile(path))
            file.write(content)
            file.settle()


def refuse_unwritable(path: Path) -> None:
    """Passes if a small file of this name could be written now; asked before a long work, and nothing of it stays.

    Raises:
        RunFolderError: the disk refuses, or a folder has the name.
    """
    if path.is_dir():
        raise RunFolderError("cannot be written: it is a folder", where=str(path), remedy="Choose another --out.")
    file = WholeFile(path)
    try:
        file.write(bytes(_PROBE))
        file.settle()
    finally:
        file.give_up()


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Writes lines, each with its newline, as `write_whole` does."""
    write_whole(path, (line + b"\n" for line in lines))


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, split at newlines only, without them; read as they are asked for.

    Raises:
        RunFolderError: the file is missing, cannot be read, or ends within a line.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    raise cut_off(path, number)
                yield line[:-1]
    except OSError as err:
        raise RunFolderError(f"cannot be read: {err.strerror}", where=str(path)) from err


def cut_off(path: Path, number: int) -> RunFolderError:
    """The error for a file that ends within a line; `number` counts from 1."""
    return RunFolderError("the last line is cut off", where=f"{path}:{number}", remedy=RESTORE)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file of a run directory.

    Raises:
        RunFolderError: the file is missing or cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as err:
        raise RunFolderError(f"cannot be read: {err.strerror}", where=str(path)) from err


def parse_line(model: type[Model], line: bytes, path: Path, number: int) -> Model:
    """The model that a line holds; `number` counts from 1.

    Raises:
        RunFolderError: the line is not JSON or not such a model; the message names file and line.
    """
    try:
        return model.model_validate_json(line)
    except ValidationError as err:
        first = err.errors(include_url=False, include_input=False)[0]
        key = ".".join(map(str, first["loc"]))
        what = first["msg"].removeprefix("Value error, ")
        raise RunFolderError(f"broken line: {f'{key}: ' if key else ''}{what}", where=f"{path}:{number}", remedy=RESTORE) from err


def parse_lines(model: type[Model], path: Path) -> Iterator[Model]:
    """The models of a file, in order.

    Raises:
        RunFolderError: as `read_lines` and `parse_line`.
    """
    for number, line in enumerate(read_lines(path), start=1):
        yield parse_line(model, line, path, number)
