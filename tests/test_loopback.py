"""The guard of the whole suite: no test reaches another host, nor asks where one is."""

from __future__ import annotations

import asyncio
import re
import socket
from contextlib import AbstractContextManager

import openai
import pytest

FOREIGN = "models.example"


def fails_to(deed: str, host: str) -> AbstractContextManager[object]:
    return pytest.raises(pytest.fail.Exception, match=re.escape(f"a test tried to {deed} {host}") + "$")


@pytest.mark.parametrize("name", [FOREIGN, FOREIGN.encode(), "192.0.2.1", "2001:db8::1", "localhost.example"])
def test_a_foreign_name_is_not_resolved(name: str | bytes) -> None:
    with fails_to("resolve", name if isinstance(name, str) else name.decode()):
        socket.getaddrinfo(name, 80)


def test_an_event_loop_resolves_no_foreign_name_either() -> None:
    async def look_up() -> None:
        await asyncio.get_running_loop().getaddrinfo(FOREIGN, 80)

    with fails_to("resolve", FOREIGN):
        asyncio.run(look_up())


def test_a_client_that_takes_any_error_for_a_lost_connection_cannot_hide_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with openai.OpenAI(base_url=f"http://{FOREIGN}/v1", api_key="x", max_retries=0) as client, fails_to("resolve", FOREIGN):
        client.models.list()


@pytest.mark.parametrize("host", ["192.0.2.1", FOREIGN])
def test_a_foreign_address_is_not_reached(host: str) -> None:
    with socket.socket() as one, fails_to("reach", host):
        one.connect((host, 80))


@pytest.mark.parametrize("name", [None, "localhost", "127.0.0.1", b"localhost"])
def test_this_machine_is_resolved_and_reached(name: str | bytes | None) -> None:
    assert socket.getaddrinfo(name, 80)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), timeout=5) as one:
        assert one.getpeername() == server.getsockname()
