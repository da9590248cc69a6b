"""The manifest: from what and with what a run directory was made, and how far it has come."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from runs.config_identity import identity
from state.any_instance import Origin
from state.config import Config
from state.interval import Granularity
from state.model_base import Contract

_LIBRARIES = ("chronoqg", "langchain-openai", "langgraph", "numpy", "pydantic", "rapidfuzz")


class GraphNote(Contract):
    """The source graph of a run."""

    name: str
    """Name of the source."""
    content_hash: str
    """SHA-256 of the sorted cleaned facts and labels."""
    granularity: Granularity
    """Unit of time."""
    licence: str | None
    """Licence of the source; `None` if the config does not say."""
    source: str | None
    """Where it comes from; `None` if the config does not say."""


class TracesNote(Contract):
    """The file of traces."""

    count: int
    """Number of lines."""
    sha256: str
    """SHA-256 of the file."""


class Counts(Contract):
    """What became of the instances of a finished run."""

    accepted: int
    """Instances in the benchmark files."""
    discarded: dict[str, int]
    """Reason -> instances in `discarded.jsonl`."""
    failed: int
    """Instances in `failed.jsonl`."""


class Manifest(Contract):
    """`manifest.json`: written when the traces are on disk, and again when the agents are through."""

    format: Literal[1] = 1
    """Format version."""
    dataset: str
    """Name of the benchmark."""
    versions: dict[str, str]
    """Package -> version, and `python`."""
    git_commit: str | None
    """Commit of the source tree; `None` outside a checkout."""
    config_sha256: str
    """SHA-256 of what of the config must stay the same for the run to be continued."""
    seed: int
    """The sampler's seed."""
    origin: Origin = "graph"
    """What the traces are made of."""
    graph: GraphNote
    """The source graph; of tables, all of them taken as one."""
    traces: TracesNote
    """The traces."""
    study: dict[str, str] | None = None
    """Of a study's directory: file -> SHA-256, of what says how its records were made and drawn; `None` of a run."""
    prompts: dict[str, str] | None = None
    """`<role>/<version>` -> SHA-256 of the run's own copy; `None` before agents have worked."""
    taken: int = 0
    """Number of traces, in id order, that the benchmark files cover; 0 before a build has finished."""
    counts: Counts | None = None
    """What became of them; `None` before a build has finished, and again from when more instances are taken up until they are through."""


def config_sha256(config: Config, origin: Origin = "graph") -> str:
    """SHA-256 of the parts of a config that decide the outcome."""
    return hashlib.sha256(json.dumps(identity(config, origin), sort_keys=True).encode()).hexdigest()


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that can change an outcome."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def git_commit() -> str | None:
    """The commit of the checkout that this code runs from; `None` if it runs from no checkout."""
    root, git = Path(__file__).resolve().parents[1], shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None
    found = subprocess.run([git, "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return found.stdout.strip() or None
