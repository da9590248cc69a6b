"""The cache of replies: what identifies a request, and a diskcache that holds nothing but text.

A cache folder may be shared or downloaded, so reading one must be safe. diskcache pickles what it does
not know and follows file names that its rows hold, on reading and on overwriting; the `Disk` class
here stores text inline, and refuses every other kind of row before it touches it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import DEFAULT_SETTINGS, METADATA, MODE_RAW

from state.errors import ConfigError
from state.trajectory import Request
from state.vocabulary import Role

logger = logging.getLogger(__name__)

_SETTINGS: dict[str, Any] = {
    "eviction_policy": "none",
    "cull_limit": 0,
    "size_limit": 2**50,
    "statistics": 0,
    "tag_index": 0,
    "disk_min_file_size": 2**40,
    "disk_pickle_protocol": 0,
}
"""Nothing is ever evicted, and no value is long enough for a file."""
_BUSY_S = 60


def canonical_json(value: Any) -> str:
    """One text for one value: keys sorted, ASCII, no blanks, no NaN."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def request_key(role: Role, provider: str, request: Request, sample: int) -> str:
    """SHA-256 over everything that can change a reply; the same in every process."""
    parts = {
        "role": role.value,
        "provider": provider,
        "base_url": request.base_url,
        "model": request.model,
        "params": request.params_sent,
        "messages": request.messages,
        "schema": request.schema_,
        "sample": sample,
    }
    return hashlib.sha256(canonical_json(parts).encode("ascii")).hexdigest()


class ForeignRow(Exception):
    """A row of the cache that this program did not write."""


class TextDisk(diskcache.Disk):  # type: ignore[misc]
    """Keys and values are text, inline in the database; no pickle, no file, read or written or removed."""

    def put(self, key: Any) -> tuple[Any, bool]:
        """A text key, as it is."""
        if type(key) is not str:
            raise ForeignRow("a key that is not text")
        return key, True

    def get(self, key: Any, raw: bool) -> Any:
        """A text key back."""
        if type(key) is not str or not raw:
            raise ForeignRow("a key that is not text")
        return key

    def store(self, value: Any, read: bool, key: Any = None) -> tuple[int, int, None, str]:
        """Text, inline."""
        if type(value) is not str or read:
            raise ForeignRow("a value that is not text")
        return len(value), MODE_RAW, None, value

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> str:
        """Text that stands inline; the row's kind is looked at before anything else."""
        if mode != MODE_RAW or filename is not None or read or type(value) is not str:
            raise ForeignRow("a row that is not inline text")
        return value

    def filename(self, key: Any = None, value: Any = None) -> tuple[str, str]:
        """Never: there are no files."""
        raise ForeignRow("a value in a file")

    def remove(self, file_path: str) -> None:
        """Nothing: a row that names a file names somebody else's."""


class ResponseCache:
    """Text by key in one folder, which only its owner may enter."""

    def __init__(self, folder: Path) -> None:
        """Opens or creates the cache.

        Raises:
            ConfigError: the folder cannot be used, or holds a cache with other settings.
        """
        self._folder = folder.absolute()
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (self._folder / "cache.db").exists() and any(self._folder.iterdir()):
                raise _unusable(self._folder, "holds other things", "Name an empty or a new folder under cache.path.")
            self._folder.chmod(0o700)
            _check(self._folder / "cache.db")
            self._cache = diskcache.Cache(str(self._folder), timeout=_BUSY_S, disk=TextDisk, **_SETTINGS)
        except OSError as error:
            raise _unusable(self._folder, f"cannot be used ({error.strerror})", "Name another folder under cache.path.") from None
        except (sqlite3.Error, diskcache.Timeout):
            raise _unusable(self._folder, "is not a readable cache") from None

    def get(self, key: str) -> str | None:
        """The text under a key; a row that cannot be trusted or read is a miss with a warning."""
        try:
            found = self._cache.get(key)
        except (ForeignRow, sqlite3.Error, diskcache.Timeout, UnicodeError) as error:
            self.warn(key, str(error) or type(error).__name__)
            return None
        return found if isinstance(found, str) else None

    def put(self, key: str, text: str) -> None:
        """Stores a text; a failure to do so is a warning, for the reply itself is at hand."""
        try:
            self._cache.set(key, text)
        except (sqlite3.Error, diskcache.Timeout, OSError) as error:
            logger.warning("cache %s: could not store a reply (%s)", self._folder, error)

    def warn(self, key: str, why: str) -> None:
        """Says that an entry was passed over."""
        logger.warning("cache %s: entry %s is passed over (%s)", self._folder, key[:12], why)

    def __len__(self) -> int:
        return len(self._cache)

    def close(self) -> None:
        """Closes the database."""
        self._cache.close()


def _check(database: Path) -> None:
    """Compares the settings stored in a cache with ours before diskcache obeys them."""
    if not database.exists():
        return
    if database.is_symlink():
        raise _unusable(database.parent, "holds a link in place of its database")
    with sqlite3.connect(database, timeout=_BUSY_S) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        stored = dict(connection.execute("SELECT key, value FROM Settings")) if "Settings" in tables else {}
    connection.close()
    for name, value in stored.items():
        if name not in METADATA and value != _SETTINGS.get(name, DEFAULT_SETTINGS.get(name, ...)):
            raise _unusable(database.parent, f"was written with another setting of {name!r}")


def _unusable(folder: Path, why: str, remedy: str = "Delete the folder, or name another one under cache.path.") -> ConfigError:
    return ConfigError(f"the cache folder {why}", where=str(folder), remedy=remedy)
