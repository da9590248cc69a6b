"""The `chronoqg` command as a user runs it: another process, its two streams and its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUICKSTART = str(ROOT / "runs" / "quickstart.yaml")
SMALL = (QUICKSTART, "--set", "sampler.target=48", "--set", "sampler.caps.skeletons_per_root=3", "--set", "run.concurrency=3")
"""A config that is done in seconds."""
COMMAND = (sys.executable, "-m", "runs.cli")


def environment(**extra: str) -> dict[str, str]:
    """The environment of a command, without keys and colours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "LANGSMITH_", "LANGCHAIN_", "FORCE_"))}
    return {**kept, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", **extra}


def chronoqg(*args: str, cwd: Path | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end."""
    return subprocess.run(
        [*COMMAND, *args], cwd=cwd or ROOT, env=environment(**extra), capture_output=True, text=True, timeout=120, check=False
    )


def refused(*args: str, cwd: Path | None = None, code: int = 2, **extra: str) -> str:
    """The one line with which a command refuses."""
    done = chronoqg(*args, cwd=cwd, **extra)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    lines = [line for line in done.stderr.split("\n")[:-1] if line.startswith("error: ")]
    assert len(lines) == 1, done.stderr
    assert done.stderr.endswith(lines[0] + "\n")
    return lines[0]
