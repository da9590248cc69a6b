"""Whether two processes run the same code: a cluster whose nodes differ could not give the same bytes."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path

from state.errors import ClusterError

_PACKAGES = ("agents", "graph_sampler", "prompts", "runs", "state")
"""Whose code decides what a worker finds."""


@cache
def code_digest() -> str:
    """SHA-256 of the packages that workers run, names and contents."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in {".py", ".md", ".json"}:
                digest.update(f"{path.relative_to(root).as_posix()}\n".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def refuse_other_code(of_driver: str) -> None:
    """Passes if this process runs the same code as the driver.

    Raises:
        ClusterError: it does not.
    """
    if code_digest() != of_driver:
        remedy = "Install the same version of chronoqg on every node of the cluster."
        raise ClusterError("a worker runs other code than this command", where=f"node {platform.node()}", remedy=remedy)
