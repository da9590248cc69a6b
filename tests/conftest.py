"""Fixtures of the whole suite: no network but loopback, no tracing, the shared data if it is there."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection to another host fails the test that made it."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> Any:
        host = address[0] if isinstance(address, tuple) else ""
        if self.family in (socket.AF_INET, socket.AF_INET6) and host not in ("127.0.0.1", "localhost", "::1"):
            raise AssertionError(f"a test tried to reach {host}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def shared_data() -> Path:
    """The folder of real graphs that lies beside some checkouts; the test is skipped without it."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real graphs are not beside this checkout; the suite proves the product without them")
    return SHARED_DATA
