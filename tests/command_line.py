"""The `chronoqg` command with its two streams and its exit code, in another process or, faster, in this one."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import typer.main

from runs.cli import app

ROOT = Path(__file__).parents[1]
QUICKSTART = str(ROOT / "runs" / "quickstart.yaml")
SMALL = (QUICKSTART, "--set", "sampler.target=48", "--set", "sampler.caps={seed_min: 9, seed_max: 9, skeletons_per_root: 2}")
"""A config that is done in seconds: few roots are in range."""
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


@cache
def commands() -> Callable[..., object]:
    """What `app` makes of its functions each time that it is called."""
    return typer.main.get_command(app)


def here(*args: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in this process: the libraries are loaded once for all tests."""
    raw = io.BytesIO()
    out, err = io.TextIOWrapper(raw, encoding="utf-8", write_through=True, newline="\n"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            commands()(list(args), prog_name="chronoqg")
            code = 0
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else 1
    return subprocess.CompletedProcess(args, code, raw.getvalue().decode(), err.getvalue())


def refused(*args: str, code: int = 2) -> str:
    """The one line with which a command refuses; the diff of two requests may follow it."""
    done = here(*args)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    lines = [line for line in done.stderr.split("\n")[:-1] if line.startswith("error: ")]
    assert len(lines) == 1, done.stderr
    _, _, diff = done.stderr.partition(lines[0] + "\n")
    assert diff == "" or diff.startswith("--- recorded\n+++ now\n")
    return lines[0]
