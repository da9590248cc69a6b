"""A scripted server on loopback that speaks the chat-completions protocol, for tests of the real client.

A script is a function from the request's JSON to a `Reply` or a fault; the server records every
request with its headers, so that a test can see what went over the wire.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What the server answers with."""

    content: str | None = None
    """The message's content; `None` sends null."""
    finish_reason: str = "stop"
    refusal: str | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18})
    status: int = 200
    body: str | None = None
    """The whole body, in place of a completion."""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drop: bool = False
    """Closes the connection without a word."""
    half: bool = False
    """Sends half of the body, then closes the connection."""


def good(**fields: Any) -> Reply:
    """A completion whose content is these fields as JSON."""
    return Reply(content=json.dumps(fields))


def failure(status: int, message: str, *, param: str | None = None, code: str | None = None, **headers: str) -> Reply:
    """An error in the protocol's own form."""
    body = json.dumps({"error": {"message": message, "type": "error", "param": param, "code": code}})
    return Reply(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up waiting is no error of the server's."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


Script = Callable[[dict[str, Any]], Reply]


class FakeServer:
    """Runs a script on a port of 127.0.0.1; use as a context manager. When it ends, its open connections end too."""

    def __init__(self, script: Script, port: int = 0) -> None:
        """A server that listens from now on, and answers once it is entered.

        Args:
            script: what to answer.
            port: where to listen; 0 is a free port.
        """
        self.script = script
        self.seen: list[Seen] = []
        self._is_gone = False
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # headers and body go out in two pieces, and the second waits 40 ms otherwise

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if outer._is_gone:
                    self.close_connection = True
                    return
                with outer._lock:
                    outer.seen.append(Seen(self.path, dict(self.headers), body))
                    reply = outer.script(body)
                time.sleep(reply.delay_s)
                if reply.drop:
                    self.close_connection = True
                    return
                data = (_completion(body, reply) if reply.body is None else reply.body).encode()
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data[: len(data) // 2] if reply.half else data)
                self.close_connection = reply.half

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = _Server(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.server_port

    @property
    def url(self) -> str:
        """The base address to give to a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> FakeServer:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._is_gone = True
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def in_turn(*replies: Reply) -> Script:
    """A script that gives these replies one after the other, then stays with the last."""
    left = list(replies)
    return lambda body: left.pop(0) if len(left) > 1 else left[0]


def _completion(body: Mapping[str, Any], reply: Reply) -> str:
    message: dict[str, Any] = {"role": "assistant", "content": reply.content}
    if reply.refusal is not None:
        message["refusal"] = reply.refusal
    completion: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
    }
    if reply.usage is not None:
        completion["usage"] = dict(reply.usage)
    return json.dumps(completion)
