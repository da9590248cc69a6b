"""A server of the benchmarks as a child process: it prints its port, answers GET requests about itself, and ends with the block."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class ServerProcess:
    """Runs `python -m MODULE ARGUMENTS`; a context manager."""

    def __init__(self, module: str, *arguments: str) -> None:
        """Starts the process and waits for its port.

        Raises:
            SystemExit: it ended without naming one.
        """
        command = [sys.executable, "-m", module, *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[1])
        assert self._process.stdout is not None
        port = self._process.stdout.readline().decode().strip()
        if not port:
            self._process.wait()
            raise SystemExit(f"{module} did not start")
        self.url = f"http://127.0.0.1:{port}/v1"
        """The base address to give to a client."""

    def get(self, path: str) -> Any:
        """The JSON under a path."""
        with urllib.request.urlopen(f"{self.url}{path}", timeout=30) as reply:
            return json.load(reply)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
