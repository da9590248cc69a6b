"""Model settings -> chat model, and one request over it; speaks to any server of OpenAI's protocol.

Everything that langchain-openai would otherwise take from the environment or decide by the model's
name is passed explicitly: key, address, organisation, no retries, no Responses API. Parameters and the
response format travel in `extra_body`, which it sends as it is; by its own arguments it would drop a
temperature or rename a token limit without a word.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

import certifi
import openai
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from agents.addresses import scrubbed, take_apart
from agents.replies import RawReply, without_surrogates
from agents.tracing import drop_raising_variables, untraced
from state.config import ModelConfig
from state.errors import ConfigError, ModelCallError
from state.trajectory import MOST_TOKENS, Request, Usage
from state.vocabulary import TryError

DUMMY_KEY = "no-key"
_FOREIGN = re.compile(r"(?:OPENAI|LANGSMITH|LANGCHAIN|LC)_")
_LONGEST_PAUSE_S = 120.0
_DETAIL_LIMIT = 500


class ModelClient:
    """One entry of `models`: its connection, its bounds, its pauses."""

    def __init__(self, name: str, config: ModelConfig, environ: Mapping[str, str], *, backoff_s: float = 0.5) -> None:
        """Reads the key and the headers from `environ`, once.

        Raises:
            ConfigError: a variable that the config names is not set.
        """
        drop_raising_variables()
        self.name = name
        self.config = config
        self._backoff_s = backoff_s
        key = _variable(environ, config.api_key_env, f"models.{name}.api_key_env") if config.api_key_env else DUMMY_KEY
        headers = {
            header: _variable(environ, variable, f"models.{name}.headers_env.{header}") for header, variable in config.headers_env.items()
        }
        address = take_apart(config.base_url)
        self._secrets = tuple(secret for secret in (key, *headers.values(), *address.secrets) if secret != DUMMY_KEY)
        self._room = asyncio.Semaphore(config.concurrency)
        self._next_slot = 0.0
        self._not_before = 0.0
        self._failures = 0
        with _without_foreign_variables():
            # No redirects: httpx would take our extra headers along to another host.
            self._http = openai.DefaultAsyncHttpxClient(timeout=config.timeout_s, verify=_tls(), follow_redirects=False)
            self._unused = openai.DefaultHttpxClient(verify=_tls())
            self._chat = ChatOpenAI(
                model=config.model or "",
                api_key=SecretStr(key),
                base_url=address.url,
                organization=None,
                openai_proxy=None,
                default_headers=headers or None,
                default_query=address.query or None,
                http_async_client=self._http,
                http_client=self._unused,
                http_socket_options=(),
                use_responses_api=False,
                max_retries=0,
                timeout=config.timeout_s,
                temperature=None,
                streaming=False,
                disable_streaming=True,
                cache=False,
                output_version="v0",
            )
        for library in ("openai", "httpx", "httpx2", "httpcore"):  # their debug lines hold requests and headers
            logging.getLogger(library).setLevel(logging.WARNING)

    async def send(self, request: Request) -> RawReply:
        """One request, within the model's bounds.

        Raises:
            ModelCallError: the server refuses the key, so that no request of the run can succeed.
        """
        async with self._room:
            await self._wait_for_turn()
            started = time.perf_counter()
            raw = await self._send(request)
            raw = raw._replace(latency_s=time.perf_counter() - started)
        self._learn(raw)
        if raw.error is TryError.AUTHENTICATION:
            remedy = "Check the variable named in api_key_env."
            raise ModelCallError(f"the server refuses the key: {raw.detail}", where=f"models.{self.name}", remedy=remedy)
        return raw

    async def aclose(self) -> None:
        """Closes the connections."""
        self._unused.close()
        await self._http.aclose()

    async def _send(self, request: Request) -> RawReply:
        body = dict(request.params_sent)
        if request.schema_ is not None:
            body["response_format"] = request.schema_
        try:
            with untraced():
                message = await self._chat.ainvoke([dict(item) for item in request.messages], extra_body=body)
        except openai.APIStatusError as error:
            return self._failed(_status_error(error.status_code), _status_detail(error), _retry_after(error.response.headers))
        except openai.APITimeoutError:
            return self._failed(TryError.TIMEOUT, f"no reply within {self.config.timeout_s:g} s")
        except openai.APIConnectionError as error:
            return self._failed(TryError.CONNECTION, f"{type(error).__name__}: {error.__cause__ or error}")
        except openai.OpenAIError as error:
            return self._failed(TryError.SERVER_ERROR, str(error))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            # langchain-openai raises these for a body that is no chat completion, such as an error object with status 200.
            return self._failed(TryError.SERVER_ERROR, f"the reply is no chat completion: {error}")
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("httpx", "httpx2", "httpcore", "httpcore2", "anyio", "ssl"):
                raise
            return self._failed(TryError.CONNECTION, f"{type(error).__name__}: {error}")
        return self._read(message)

    def _read(self, message: Any) -> RawReply:
        if not isinstance(message, AIMessage):
            return self._failed(TryError.SERVER_ERROR, "the reply is not an assistant's message")
        refusal = message.additional_kwargs.get("refusal")
        content = message.content if isinstance(message.content, str) else "".join(_texts(message.content))
        text = refusal if isinstance(refusal, str) and refusal else content
        finish = message.response_metadata.get("finish_reason")
        return RawReply(
            text=scrubbed(without_surrogates(text), self._secrets),
            finish_reason=scrubbed(without_surrogates(finish), self._secrets) if isinstance(finish, str) else None,
            refused=bool(refusal),
            usage=_usage(message),
        )

    def _failed(self, error: TryError, detail: str, retry_after_s: float | None = None) -> RawReply:
        detail = " ".join(scrubbed(without_surrogates(detail), self._secrets).split())[:_DETAIL_LIMIT]
        return RawReply(text=None, error=error, detail=detail, retry_after_s=retry_after_s)

    async def _wait_for_turn(self) -> None:
        """Keeps `rpm` and `tpm`, and the pause that a busy server asked for, for all requests of the model."""
        now = time.monotonic()
        slot = max(now, self._next_slot)
        if self.config.rpm is not None:
            self._next_slot = slot + 60.0 / self.config.rpm
        await asyncio.sleep(max(slot, self._not_before) - now)
        while (pause := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(pause)

    def _learn(self, raw: RawReply) -> None:
        now = time.monotonic()
        if raw.error in (TryError.RATE_LIMITED, TryError.SERVER_ERROR, TryError.CONNECTION):
            pause = raw.retry_after_s if raw.retry_after_s is not None else self._backoff_s * 2.0 ** min(self._failures, 8)
            self._failures += 1
            self._not_before = max(self._not_before, now + min(pause, _LONGEST_PAUSE_S))
        elif raw.error is None:
            self._failures = 0
            if self.config.tpm is not None:
                tokens = raw.usage.input + raw.usage.output
                self._next_slot = max(now, self._next_slot) + tokens * 60.0 / self.config.tpm


@cache
def _tls() -> ssl.SSLContext:
    """One for the process: reading the certificates takes longer than a short request."""
    own = os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")
    return ssl.create_default_context(cafile=None if own else certifi.where())


@contextmanager
def _without_foreign_variables() -> Iterator[None]:
    """Hides what the clients would read from the environment while they are built: keys, addresses, headers, proxies."""
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if _FOREIGN.match(name)}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _variable(environ: Mapping[str, str], name: str, where: str) -> str:
    value = environ.get(name, "").strip()
    if not value:
        raise ConfigError(f"the environment variable {name} is not set", where=where, remedy=f"Set it, e.g. export {name}=...")
    return value


def _texts(content: list[Any]) -> Iterator[str]:
    for part in content:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


def _usage(message: AIMessage) -> Usage:
    counts = message.usage_metadata
    if counts is None:
        return Usage()
    return Usage(
        input=_count(counts.get("input_tokens")),
        cached_input=_count(counts.get("input_token_details", {}).get("cache_read")),
        output=_count(counts.get("output_tokens")),
        reasoning=_count(counts.get("output_token_details", {}).get("reasoning")),
    )


def _count(value: Any) -> int:
    """A number of tokens; what cannot be one counts as not reported, since a server's word is not to end a run."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else 0


def _status_error(status: int) -> TryError:
    if status == 401:
        return TryError.AUTHENTICATION
    if status == 429:
        return TryError.RATE_LIMITED
    if status == 408:
        return TryError.TIMEOUT
    return TryError.SERVER_ERROR if status >= 500 or status == 409 else TryError.BAD_REQUEST


def _status_detail(error: openai.APIStatusError) -> str:
    """Status, the server's own words, and the parameter at fault with what to do about it."""
    body = error.body if isinstance(error.body, dict) else {}
    told = body.get("message") if isinstance(body.get("message"), str) else error.message
    parameter = error.param or body.get("param")
    hint = f" (parameter {parameter}; to leave it out, list it in omit_params)" if parameter and error.status_code < 500 else ""
    return f"status {error.status_code}: {told if isinstance(told, str) else json.dumps(told)}{hint}"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from a `Retry-After` header, given as a number or as a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(value).timestamp() - time.time()
            except (TypeError, ValueError):
                continue
        return max(0.0, seconds) if seconds == seconds else None
    return None
