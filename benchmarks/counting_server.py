"""A server of OpenAI's protocol, in a process of its own, that remembers every request for which it bills.

Run with `python -m benchmarks.counting_server SCRIPT`; `CountingServer` does so. Replies and their usage
follow from the request's body alone. It answers as `benchmarks.loopback_server` does, but for every
fifth instance it can only say what no role can use, and for another fifth it verifies nothing; another
fifth begins with a reply that has to be asked for again. A request is billed when it has arrived: whether
its sender lives to read the reply is the sender's own affair.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from aiohttp import web

from benchmarks.server_process import ServerProcess

LATENCY_MS = (10, 30)
PRICE = {"input": 0.25, "cached_input": 0.025, "output": 2}
"""US dollars for a million tokens."""
TOKEN_LIMIT = 60
"""Completion tokens to allow a reply; it reports fewer."""
_FIRST_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MARK = re.compile(r"\b(?:draft|version) (\d+)\b")


class Paid(NamedTuple):
    """One request that arrived."""

    session: int
    """How many processes had been killed before."""
    body: str
    """SHA-256 of its body."""
    nano_usd: int
    """Its price in billionths of a US dollar."""
    is_answered: bool
    """Whether the whole reply went out before the client was gone."""


class CountingServer(ServerProcess):
    """The server as a child process. `script` is the path that `write_script` wrote."""

    def __init__(self, script: Path) -> None:
        super().__init__("benchmarks.counting_server", str(script))

    def start_anew(self) -> None:
        """Forgets everything: a new run begins."""
        self.get("/start")

    def note_death(self) -> None:
        """Says that the client is dead; what arrived from it before counts to its session."""
        self.get("/death")

    def paid(self) -> list[Paid]:
        """Every request of the run so far, in the order of arrival."""
        return [Paid(*row) for row in self.get("/paid")]


class Replies:
    """Request -> content of the reply."""

    def __init__(self, rows: Sequence[Mapping[str, str]]) -> None:
        self._rows = rows
        self._by_template = {row["template"]: number for number, row in enumerate(rows)}

    def __call__(self, request: Mapping[str, Any]) -> str:
        """The content of the reply; the same for the same request."""
        text = request["messages"][1]["content"]
        kind = request["response_format"]["json_schema"]["name"]
        mark, template = _MARK.search(text), _FIRST_STRING.search(text)
        assert template is not None, "every prompt names a question first"
        number = int(mark[1]) if mark else self._by_template[json.loads(template[0])]
        row, is_draft, has_mark = self._rows[number], f"draft {number} " in text, mark is not None
        lot = number % 5
        if lot == 1 and kind == "question":
            return "I would rather not say."
        if lot == 2 and len(request["messages"]) <= 2 and kind != "cause":
            return '{"question": '
        if kind == "cause":
            return json.dumps({"cause": "missing constraint", "reason": "The first condition on time is gone from the question."})
        if kind == "question":
            return json.dumps({"question": row["version" if has_mark else "draft"]}, ensure_ascii=False)
        is_right = not is_draft and lot != 3
        answers = [row["answer"]] if is_right else [row["rival"]] if row["rival"] else []
        return json.dumps({"answers": answers, "cannot_tell": False}, ensure_ascii=False)


class _Counts:
    """What has arrived, and the handlers."""

    def __init__(self, replies: Replies) -> None:
        self._replies = replies
        self._session = 0
        self._paid: list[list[Any]] = []

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        digest, asked = hashlib.sha256(body), orjson.loads(body)
        first, second, third, *_ = digest.digest()
        # A token for every one to two characters: near the bound by which a call is reserved.
        read = sum(len(message["content"]) for message in asked["messages"]) * (256 + first) // 512
        written, cached = second % TOKEN_LIMIT, read // 8
        row = [self._session, digest.hexdigest(), 250 * (read - cached) + 25 * cached + 2000 * written, False]
        self._paid.append(row)
        low, high = LATENCY_MS
        await asyncio.sleep((low + third % (high - low + 1)) / 1000)
        usage = {
            "prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": cached},
        }  # fmt: skip
        message = {"role": "assistant", "content": self._replies(asked)}
        completion = {
            "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "counted", "usage": usage,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }  # fmt: skip
        row[3] = request.transport is not None and not request.transport.is_closing()
        return web.json_response(completion)

    async def start(self, request: web.Request) -> web.Response:
        self._session, self._paid = 0, []
        return web.json_response(None)

    async def death(self, request: web.Request) -> web.Response:
        await asyncio.sleep(0.05)  # what the dead have sent is read, and what they shall not read is written
        self._session += 1
        return web.json_response(None)

    async def paid(self, request: web.Request) -> web.Response:
        return web.json_response(self._paid)


async def _serve(script: Path) -> None:
    counts = _Counts(Replies(orjson.loads(script.read_bytes())))
    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/chat/completions", counts.complete)
    for handler in (counts.start, counts.death, counts.paid):
        app.router.add_get(f"/v1/{handler.__name__}", handler)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("script", type=Path)
    asyncio.run(_serve(parser.parse_args().script))


if __name__ == "__main__":
    main()
