"""Fixtures of the whole suite: no network but loopback, no tracing, the shared data if it is there."""

from __future__ import annotations

import gc
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.shipped_sample import years_brute, years_config, years_graph, years_points, years_records, years_sample

__all__ = ["years_brute", "years_config", "years_graph", "years_points", "years_records", "years_sample"]

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


_LOOPBACK = (None, "", "localhost", "127.0.0.1", "::1")
"""What a test may reach, and what may be resolved: no name at all stands for this machine."""


# No test asserts a time by the clock, whatever the machine.
settings.register_profile("unhurried", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_collection_finish() -> None:
    """What the tests were made of stays to the end: the collector of garbage need not look at it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection to another host fails the test that made it, and so does asking where another host is.

    The failure is no `Exception`: a client that takes whatever it catches for a lost connection cannot hide it.
    """
    connect, getaddrinfo = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> Any:
        host = address[0] if isinstance(address, tuple) else ""
        if self.family in (socket.AF_INET, socket.AF_INET6) and host not in _LOOPBACK:
            pytest.fail(f"a test tried to reach {host}")
        return connect(self, address)

    def guarded_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        if name not in _LOOPBACK:
            pytest.fail(f"a test tried to resolve {name}")
        return getaddrinfo(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_getaddrinfo)


@pytest.fixture
def shared_data() -> Path:
    """The folder of real graphs that lies beside some checkouts; the test is skipped without it."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real graphs are not beside this checkout; the suite proves the product without them")
    return SHARED_DATA
