"""Model settings -> chat model, and one request over it; speaks to any server of OpenAI's protocol.

Everything that langchain-openai would otherwise take from the environment or decide by the model's
name is passed explicitly: key, address, organisation, no retries, no Responses API. It sets up address,
headers and connection; requests then go out over that connection as they are and are read by us, since
its own conversion drops a temperature or renames a token limit without a word, turns a refusal into an
empty text, and takes eight times the processor time.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import ssl
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from urllib.parse import quote, quote_plus

import aiohttp
import certifi
import openai
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from agents.addresses import public_address, scrubbed, take_apart
from agents.completions import read_completion
from agents.ledger import Call, Ledger
from agents.model_faults import fault_of_status
from agents.pace import Pace, Tell
from agents.replies import RawReply, without_surrogates
from agents.tracing import drop_raising_variables
from state.config import ModelConfig
from state.errors import ConfigError, ModelCallError
from state.trajectory import Request
from state.vocabulary import TryError

DUMMY_KEY = "no-key"
_FOREIGN = re.compile(r"(?:OPENAI|LANGSMITH|LANGCHAIN|LC)_")
_DETAIL_LIMIT = 500
_NEVER_ARRIVED = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientHttpProxyError)
"""Errors after which no server has seen the request."""
_MOST_BYTES = 8_000_000
"""Bytes of a response's body; one that is longer is no reply to keep, let alone to send back with an error."""
_ESCAPED_ASCII = re.compile(r"\\u00([2-7][0-9a-fA-F])")
_TRANSPORT = ("httpx", "httpx2", "httpcore", "httpcore2", "anyio", "ssl", "aiohttp")


class ModelClient:
    """One entry of `models`: its connection, its bounds, its pauses."""

    def __init__(
        self,
        name: str,
        config: ModelConfig,
        environ: Mapping[str, str],
        *,
        ledger: Ledger | None = None,
        tell: Tell | None = None,
        backoff_s: float = 0.5,
    ) -> None:
        """Reads the key and the headers from `environ`, once.

        Args:
            name: the entry's name.
            config: the entry.
            environ: where the variables that it names are looked up.
            ledger: keeps the calls within a budget; `None` for calls that nobody counts.
            tell: is shown pauses and their end.
            backoff_s: first pause after a failure for which the server names none.

        Raises:
            ConfigError: a variable that the config names is not set.
        """
        drop_raising_variables()
        self.name = name
        self.config = config
        key = _variable(environ, config.api_key_env, f"models.{name}.api_key_env") if config.api_key_env else DUMMY_KEY
        headers = {
            header: _variable(environ, variable, f"models.{name}.headers_env.{header}") for header, variable in config.headers_env.items()
        }
        address = take_apart(config.base_url)
        if address.authorization is not None:
            headers = {"Authorization": address.authorization, **headers}
        secrets = (secret for secret in (key, *headers.values(), *address.secrets) if secret != DUMMY_KEY)
        self._secrets = tuple({spelling for secret in secrets for spelling in _spellings(secret)})
        self._ledger = ledger
        self._where = f"models.{name} at {public_address(config.base_url)}"
        self._pace = Pace(self._where, config, backoff_s=backoff_s, tell=tell)
        with _without_foreign_variables():
            # No redirects: the transport would take our extra headers along to another host.
            try:
                self._http = openai.DefaultAioHttpClient(timeout=None, verify=_tls(), follow_redirects=False)
            except (ImportError, ValueError) as error:
                what = f"the proxy that the environment names cannot be used: {str(error).split('. ')[0]}"
                raise ConfigError(what, where=f"models.{name}", remedy="Name an http proxy, or unset ALL_PROXY and the like.") from None
            self._unused = openai.DefaultHttpxClient(verify=_tls(), trust_env=False)
            chat = ChatOpenAI(
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
        client = chat.root_async_client
        self._base_url = f"{str(client.base_url).rstrip('/')}/"
        self._query = {name: str(value) for name, value in client.default_query.items()}
        self._headers = _merged(client.auth_headers, client.default_headers)
        for library in ("openai", "httpx", "httpx2", "httpcore", "aiohttp"):  # their debug lines hold requests and headers
            logging.getLogger(library).setLevel(logging.WARNING)

    async def send(
        self, request: Request, *, instance_id: str = "", role: str = "", key: str = "", may_refuse: Collection[str] = ()
    ) -> RawReply:
        """One request, within the model's bounds and the budget.

        Args:
            request: what to send.
            instance_id: the instance that asks, for the ledger.
            role: who asks, for the ledger.
            key: the request's hash, for the ledger.
            may_refuse: parameters whose refusal is an answer, not a reason to stop.

        Raises:
            ModelCallError: no request to this model can succeed, or the server does not keep to what it was told.
            BudgetReached: the call does not fit into the budget.
        """
        began = await self._pace.enter()
        try:
            raw = await self._send_within_budget(Call(instance_id, role, self.name, request, key))
            counted = self._pace.learn(began, raw, key)
        finally:
            self._pace.leave()
        if raw.stops_run and raw.refuses not in may_refuse:
            error = ModelCallError(raw.detail, where=self._where, remedy=raw.stops_run)
            self._pace.stop(error)
            raise error
        return raw._replace(counted=counted)

    async def aclose(self) -> None:
        """Closes the connections."""
        self._unused.close()
        await self._http.aclose()

    async def is_up(self) -> str:
        """Empty if the server answers at all; else why not. Asks for its list of models, which costs nothing."""
        try:
            async with asyncio.timeout(self.config.timeout_s):
                response = await self._http.get(f"{self._base_url}models", params=self._query, headers=self._headers)
        except TimeoutError:
            return self._timed_out().detail
        except Exception as error:
            return self._transport_failed(error).detail
        return "" if response.status_code < 500 else f"status {response.status_code}"

    async def _send_within_budget(self, call: Call) -> RawReply:
        """The reply with its latency and its cost; the call is reserved before it goes out and settled however it ends."""
        ledger = self._ledger
        ticket = None if ledger is None else await ledger.reserve(call)
        started = time.perf_counter()
        try:
            raw = await self._send(call.request)
        except Exception:
            if ledger is not None and ticket is not None:
                ledger.settle(ticket, None, charged=True)
            raise
        raw = raw._replace(latency_s=time.perf_counter() - started)
        if ledger is None or ticket is None:
            return raw
        reported = raw.usage if raw.error is None and raw.reports_usage else None
        return raw._replace(usd=ledger.settle(ticket, reported, charged=raw.error is None or not raw.answered))

    async def _send(self, request: Request) -> RawReply:
        body = {"model": request.model, "messages": request.messages, **request.params_sent}
        if request.schema_ is not None:
            body["response_format"] = request.schema_
        content = json.dumps(body, separators=(",", ":")).encode("ascii")
        try:
            async with asyncio.timeout(self.config.timeout_s):
                response = await self._http.post(
                    f"{self._base_url}chat/completions", params=self._query, headers=self._headers, content=content
                )
        except TimeoutError:
            return self._timed_out()
        except Exception as error:
            return self._transport_failed(error)
        if len(response.content) > _MOST_BYTES:
            return self._failed(TryError.SERVER_ERROR, f"a reply of {len(response.content)} bytes", answered=False)
        try:
            reply: object = json.loads(response.content)
        except (ValueError, RecursionError):
            reply = response.content.decode("utf-8", "replace")
        if not 200 <= response.status_code < 300:
            where = f"models.{self.name}"
            raw = fault_of_status(
                response.status_code, response.headers, reply, request, self.config, where, proven=self._pace.has_succeeded
            )
        else:
            raw = read_completion(reply)
        if raw.error is not None:
            return raw._replace(detail=self._detail(raw.detail))
        return raw._replace(text=self._clean(raw.text), finish_reason=self._clean(raw.finish_reason))

    def _transport_failed(self, error: Exception) -> RawReply:
        """What a failure of the connection comes to; raises on an error that is none."""
        root = _root(error)
        detail = f"{type(root).__name__}: {root}" if str(root) else type(root).__name__
        if isinstance(root, aiohttp.ClientConnectorCertificateError):
            remedy = "Check base_url, or name the authority's certificates in SSL_CERT_FILE."
            return self._failed(TryError.CONNECTION, detail, reached=False)._replace(stops_run=remedy)
        if isinstance(root, aiohttp.ClientConnectorDNSError | aiohttp.ClientConnectorSSLError) and not self._pace.has_succeeded:
            remedy = "Check the host and the scheme, http or https, of base_url."
            return self._failed(TryError.CONNECTION, detail, reached=False)._replace(stops_run=remedy)
        if isinstance(root, ValueError):  # an address that no request can be made for
            return self._failed(TryError.BAD_REQUEST, detail, reached=False)._replace(stops_run="Check base_url.")
        if isinstance(root, _NEVER_ARRIVED):
            return self._failed(TryError.CONNECTION, detail, reached=False)
        if isinstance(root, TimeoutError):
            return self._timed_out()
        if not isinstance(root, OSError) and not any(type(one).__module__.partition(".")[0] in _TRANSPORT for one in (root, error)):
            raise error
        return self._failed(TryError.CONNECTION, detail, answered=False)

    def _timed_out(self) -> RawReply:
        return self._failed(TryError.TIMEOUT, f"no whole reply within {self.config.timeout_s:g} s", answered=False)

    def _failed(self, error: TryError, detail: str, *, reached: bool = True, answered: bool = True) -> RawReply:
        return RawReply(text=None, error=error, detail=self._detail(detail), reached=reached, answered=answered)

    def _detail(self, text: str) -> str:
        return " ".join(scrubbed(without_surrogates(text), self._secrets).split())[:_DETAIL_LIMIT]

    def _clean(self, text: str | None) -> str | None:
        if text is None:
            return None
        plain = _ESCAPED_ASCII.sub(lambda found: chr(int(found[1], 16)), text)  # a key may be spelt in JSON's escapes
        if scrubbed(plain, self._secrets) != plain:
            text = plain
        return scrubbed(without_surrogates(text), self._secrets)


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


def _merged(*headers: Mapping[str, object]) -> dict[str, str]:
    """Headers in lower case, later ones in place of earlier ones; what is to be left out is no text."""
    return {name.lower(): value for group in headers for name, value in group.items() if isinstance(value, str)}


def _variable(environ: Mapping[str, str], name: str, where: str) -> str:
    value = environ.get(name, "").strip()
    if not value:
        raise ConfigError(f"the environment variable {name} is not set", where=where, remedy=f"Set it, e.g. export {name}=...")
    return value


def _spellings(secret: str) -> tuple[str, ...]:
    """A secret as it is, as it stands in an address, which errors of the transport quote, and as it stands in JSON."""
    return (secret, quote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1])


def _root(error: BaseException) -> BaseException:
    """The transport's own error: the layers above it call a dropped connection a time-out."""
    chain: list[BaseException] = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(cause)
    return next((one for one in chain if type(one).__module__.partition(".")[0] == "aiohttp"), chain[-1])
