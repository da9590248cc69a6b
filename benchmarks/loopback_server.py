"""A small, quick server of OpenAI's protocol in a process of its own, so that a client can be measured.

Run with `python -m benchmarks.loopback_server SCRIPT [--latency-ms N]`; `LoopbackServer` does so. The
script takes every instance the longest way that ends well but for leaks: rewrite, verify (disagrees),
analyse, revise, verify (agrees). Whole replies are made before the first request; to find one costs a
JSON parse, a regular expression and a look-up, and the server says what CPU time it took.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from agents.leak_filter import find_leaks
from agents.usable_question import required_names, usable_problem
from agents.verifier import gold_of
from benchmarks.server_process import ServerProcess
from state.instance import BenchmarkRecord

CALLS_PER_INSTANCE = 5
_FIRST_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MARK = re.compile(r"\b(draft|version) (\d+)\b")
_LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)


class Stats(NamedTuple):
    """What the server has done since it started."""

    requests: int
    characters: int
    """Characters of the prompts in these requests."""
    cpu_s: float
    """Seconds of the server's CPU time."""

    def since(self, earlier: Stats) -> Stats:
        """What was added since an earlier reading."""
        return Stats(self.requests - earlier.requests, self.characters - earlier.characters, self.cpu_s - earlier.cpu_s)


class LoopbackServer(ServerProcess):
    """The server as a child process.

    `script` is the path that `write_script` wrote; `latency_ms` passes before each reply.
    """

    def __init__(self, script: Path, latency_ms: float = 0) -> None:
        super().__init__("benchmarks.loopback_server", str(script), "--latency-ms", str(latency_ms))

    def stats(self) -> Stats:
        """Requests answered and CPU seconds used so far."""
        return Stats(**self.get("/stats"))


def write_script(records: Iterable[BenchmarkRecord], path: Path) -> Path:
    """Writes what the server needs to know of these instances, and nothing else about them.

    Raises:
        SystemExit: a scripted question would not be usable, or gives its answer away.
    """
    rows = []
    for number, record in enumerate(records):
        about = " and ".join(required_names(record))
        row = {
            "template": record.raw_question,
            "draft": f"Which one of all, to begin with a draft {number} of the question, had to do with {about}?",
            "version": f"Which one of all, to settle on version {number} of the question, had to do with {about}?",
            "answer": record.answer,
            "rival": next((rival for rival in gold_of(record).rivals if record.answer not in rival and rival not in record.answer), ""),
        }
        for name in ("draft", "version"):
            problem = usable_problem(row[name], record)
            leaks = find_leaks(row[name], record.answer, record.answer_aliases, required_names(record))
            if problem or leaks:
                raise SystemExit(f"{record.id}: the scripted question cannot be used: {problem or leaks}")
        rows.append(row)
    path.write_bytes(orjson.dumps(rows))
    return path


class Script:
    """Request -> whole response, by look-up."""

    def __init__(self, rows: Iterable[Mapping[str, str]]) -> None:
        self.requests = self.characters = 0
        self._by_template: dict[str, bytes] = {}
        self._replies: dict[tuple[str, str, int], bytes] = {}
        """Kind of reply asked for, mark in the question that stands, its number -> response."""
        self._cause = _completion({"cause": "missing constraint", "reason": "The first condition on time is gone from the question."})
        self._lost = _response(
            400, {"error": {"message": "no such instance", "type": "invalid_request_error", "param": None, "code": None}}
        )
        for number, row in enumerate(rows):
            self._by_template[row["template"]] = _completion({"question": row["draft"]})
            self._replies["question", "draft", number] = _completion({"question": row["version"]})
            wrong = [row["rival"]] if row["rival"] else []
            self._replies["answers", "draft", number] = _completion({"answers": wrong, "cannot_tell": False})
            self._replies["answers", "version", number] = _completion({"answers": [row["answer"]], "cannot_tell": False})

    def __call__(self, body: bytes) -> bytes:
        """The response to the body of a chat completion's request."""
        request = orjson.loads(body)
        self.requests += 1
        self.characters += sum(len(message["content"]) for message in request["messages"])
        kind = request["response_format"]["json_schema"]["name"]
        if kind == "cause":
            return self._cause
        text = request["messages"][-1]["content"]
        if mark := _MARK.search(text):
            return self._replies.get((kind, mark[1], int(mark[2])), self._lost)
        template = _FIRST_STRING.search(text)
        return self._by_template.get(orjson.loads(template[0]), self._lost) if template else self._lost


def _completion(content: Mapping[str, Any]) -> bytes:
    text = json.dumps(content, ensure_ascii=False)
    read, written = 1500, len(text) // 4
    return _response(
        200,
        {
            "id": "chatcmpl-0123456789abcdefghijklmnopqrs",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "loopback",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text, "refusal": None, "annotations": []},
                    "logprobs": None,
                    "finish_reason": "stop",
                }
            ],
            "usage": {
                "prompt_tokens": read,
                "completion_tokens": written,
                "total_tokens": read + written,
                "prompt_tokens_details": {"cached_tokens": 1024, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0, "accepted_prediction_tokens": 0},
            },
            "service_tier": "default",
            "system_fingerprint": None,
        },
    )


def _response(status: int, body: Mapping[str, Any]) -> bytes:
    data = orjson.dumps(body)
    phrase = {200: "OK", 400: "Bad Request"}[status]
    head = f"HTTP/1.1 {status} {phrase}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


class _Connection(asyncio.Protocol):
    """One kept-alive connection; requests follow one another and have a length."""

    def __init__(self, script: Script, latency_s: float) -> None:
        self._script = script
        self._latency_s = latency_s
        self._buffer = bytearray()
        self._body_at = self._end = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._end:
            self._body_at = self._buffer.find(b"\r\n\r\n") + 4
            if self._body_at < 4:
                return
            length = _LENGTH.search(self._buffer, 0, self._body_at)
            self._end = self._body_at + (int(length[1]) if length else 0)
        if len(self._buffer) < self._end:
            return
        is_get, body = self._buffer.startswith(b"GET"), bytes(self._buffer[self._body_at : self._end])
        del self._buffer[: self._end]
        self._end = 0
        if is_get:
            stats = Stats(self._script.requests, self._script.characters, time.process_time())
            self._transport.write(_response(200, stats._asdict()))
            return
        reply = self._script(body)
        if self._latency_s:
            asyncio.get_running_loop().call_later(self._latency_s, self._transport.write, reply)
        else:
            self._transport.write(reply)


async def _serve(script: Script, latency_s: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(script, latency_s), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("script", type=Path)
    parser.add_argument("--latency-ms", type=float, default=0)
    options = parser.parse_args()
    asyncio.run(_serve(Script(orjson.loads(options.script.read_bytes())), options.latency_ms / 1000))


if __name__ == "__main__":
    main()
