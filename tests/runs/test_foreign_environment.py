"""Variables that clients and tracers read change nothing in a run, and nobody they point to is called."""

from __future__ import annotations

import json
import re
import socketserver
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import chronoqg
from tests.fake_openai_server import FakeServer, Seen
from tests.known_model import KnowsAll, ModelRun
from tests.run_directory import result_files

LIBRARIES = ("openai", "langchain_openai", "langchain_core", "langsmith", "langgraph")
VARIABLE = re.compile(r"\b(?:OPENAI|LANGSMITH|LANGCHAIN|LC)_[A-Z0-9_]*[A-Z0-9]\b")
ADDRESS = re.compile(r"URL|BASE|ENDPOINT|PROXY|HOST")


class Elsewhere:
    """An address that notes every connection, of whatever protocol."""

    def __init__(self) -> None:
        self.came: list[Any] = []
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                outer.came.append(self.client_address)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def names() -> list[str]:
    """Every variable of these families that the installed libraries speak of, and a few of their plausible kin."""
    found = {"OPENAI_PROXY", "LANGSMITH_TRACING", "LC_POISON"}
    for library in LIBRARIES:
        spec = find_spec(library)
        assert spec is not None
        for folder in spec.submodule_search_locations or ():
            for file in Path(folder).rglob("*.py"):
                found |= set(VARIABLE.findall(file.read_text(encoding="utf-8")))
    return sorted(found)


def comparable(seen: list[Seen]) -> list[str]:
    """What went over the wire, in an order of its own, without the server's own port."""
    return sorted(
        json.dumps(
            [one.path, one.body, {name.lower(): value for name, value in one.headers.items() if name.lower() != "host"}], sort_keys=True
        )
        for one in seen
    )


@pytest.fixture(scope="module")
def plain(build_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[KnowsAll, ModelRun, int, list[str]]:
    """A build in a clean environment, and what it sent."""
    known = KnowsAll(build_dir)
    with FakeServer(known) as server:
        run = ModelRun(tmp_path_factory.mktemp("plain"), {"provider": "openai", "model": "gpt-5-mini", "base_url": server.url})
        done = chronoqg(*run.command("run"))
    assert done.returncode == 0, done.stderr
    return known, run, server.port, comparable(server.seen)


@pytest.mark.parametrize("poison", ["addresses and switches", pytest.param("words", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_poisoned_environment_changes_neither_what_is_sent_nor_what_is_written(
    poison: str, plain: tuple[KnowsAll, ModelRun, int, list[str]], tmp_path: Path
) -> None:
    known, clean, port, sent = plain
    elsewhere = Elsewhere()
    variables = names()
    assert len(variables) > 40
    values = {name: elsewhere.url if ADDRESS.search(name) else "true" for name in variables}
    if poison == "words":
        values = dict.fromkeys(variables, '{"poison": "DO-NOT-USE"}')
    values |= {"OPENAI_LOG": "debug", "OPENAI_API_KEY": "sk-DO-NOT-USE", "OPENAI_CUSTOM_HEADERS": "X-Poison: DO-NOT-USE"}
    with FakeServer(known, port) as server:
        done = chronoqg(*ModelRun(tmp_path, clean.model).command("run"), **values)
    elsewhere.close()
    assert done.returncode == 0, done.stderr
    assert elsewhere.came == []
    assert comparable(server.seen) == sent
    assert result_files(tmp_path / "run") == result_files(clean.folder / "run")
    assert (tmp_path / "run" / "usage.json").read_bytes() == (clean.folder / "run" / "usage.json").read_bytes()
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and b"DO-NOT-USE" in file.read_bytes()]
    assert "DO-NOT-USE" not in done.stdout + done.stderr
    assert all(re.match("graph |roots|records|instances|wrote|next", line) for line in done.stderr.splitlines()), done.stderr
