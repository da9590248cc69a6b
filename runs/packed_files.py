"""The files that a packed run may hold: one table, which `pack` and `unpack` share."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field

from runs.forks import FORK, FORKS
from runs.run_folder import BENCHMARK, CONFIG, COVERAGE, DATABASE, DISCARDED, FAILED, MANIFEST, PROMPTS, TRACES, USAGE
from state.model_base import Contract

CACHE_LINES = "cache.jsonl"
"""The run's part of the cache; only in the packed file."""

_NAME = r"[^/\\:\x00-\x1f\x7f.][^/\\:\x00-\x1f\x7f]{0,99}"
_FORK = rf"{FORKS}/{_NAME}"
_ROLE = "[a-z_]{1,40}"


def _worked_on(folder: str) -> tuple[str, ...]:
    """Patterns of what a run and each of its forks keep."""
    return (rf"{folder}{re.escape(CONFIG)}", rf"{folder}{PROMPTS}/{_ROLE}/{_NAME}\.md", rf"{folder}{re.escape(DATABASE)}")


KNOWN_FILES = (
    *map(re.escape, (MANIFEST, TRACES, COVERAGE, DISCARDED, FAILED, USAGE, "report.html")),
    rf"{BENCHMARK}/{_NAME}\.jsonl",
    *_worked_on(""),
    rf"{_FORK}/{re.escape(FORK)}",
    *_worked_on(f"{_FORK}/"),
)
"""Patterns of the files of a run, paths relative to its directory."""
KNOWN_FOLDERS = (BENCHMARK, FORKS, *(rf"{base}{PROMPTS}{role}" for base in ("", f"{_FORK}/") for role in ("", f"/{_ROLE}")), _FORK)
"""Patterns of the folders that these files lie in."""

_FILES, _FOLDERS = (re.compile("|".join(patterns)) for patterns in (KNOWN_FILES, KNOWN_FOLDERS))


class CacheLine(Contract):
    """One line of `cache.jsonl`."""

    format: Literal[1] = 1
    """Format version."""
    key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """The request's SHA-256."""
    entry: str
    """The stored reply, the cache's own text."""


def is_known_file(name: str) -> bool:
    """Whether a run may have a file of this name; `name` is relative, with slashes."""
    return _FILES.fullmatch(name) is not None


def is_known_folder(name: str) -> bool:
    """Whether files of a run may lie in a folder of this name."""
    return _FOLDERS.fullmatch(name) is not None


def is_database(name: str) -> bool:
    """Whether a known file is a database."""
    return name.rpartition("/")[2] == DATABASE
