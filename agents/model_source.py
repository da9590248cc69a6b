"""The source of the language-model backend: the cache in front of the server."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable

from pydantic import ValidationError

from agents.backends import Exchange
from agents.model_client import ModelClient
from agents.replies import RawReply, without_surrogates
from agents.response_cache import ResponseCache, canonical_json
from state.trajectory import Usage

_FORMAT = 1


class ModelSource:
    """Asks the cache, then the server; one request in flight per key within the process."""

    immediate = False

    def __init__(self, client: ModelClient, cache: ResponseCache | None) -> None:
        self.client = client
        self._cache = cache
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._waiting: defaultdict[str, int] = defaultdict(int)

    async def fetch(self, exchange: Exchange, well_formed: Callable[[RawReply], bool]) -> RawReply:
        """A reply from the cache or the server; stored only if it is well formed.

        Raises:
            ModelCallError: no request to this model can succeed.
            BudgetReached: the call does not fit into the budget.
        """
        if self._cache is None:
            return await self._send(exchange)
        key = exchange.key
        self._waiting[key] += 1
        try:
            async with self._locks[key]:
                stored = self._read(self._cache, key)
                if stored is not None and well_formed(stored):
                    return stored
                raw = await self._send(exchange)
                if well_formed(raw):
                    self._cache.put(key, _encode(raw))
                return raw
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key], self._locks[key]

    async def aclose(self) -> None:
        """Closes the client's connections."""
        await self.client.aclose()

    async def _send(self, exchange: Exchange) -> RawReply:
        return await self.client.send(exchange.request, instance_id=exchange.instance_id, role=exchange.role.value, key=exchange.key)

    def _read(self, cache: ResponseCache, key: str) -> RawReply | None:
        text = cache.get(key)
        if text is None:
            return None
        try:
            return _decode(text)
        except (ValueError, KeyError, TypeError, RecursionError, ValidationError) as error:
            cache.warn(key, f"not a stored reply: {type(error).__name__}")
            return None


def _encode(raw: RawReply) -> str:
    entry = {"format": _FORMAT, "text": raw.text, "finish_reason": raw.finish_reason, "usage": raw.usage.model_dump()}
    return canonical_json(entry)


def _decode(text: str) -> RawReply:
    entry = json.loads(text)
    reply, finish = entry["text"], entry["finish_reason"]
    if entry["format"] != _FORMAT or not isinstance(reply, str) or not isinstance(finish, str | None):
        raise ValueError("another kind of entry")
    finish = None if finish is None else without_surrogates(finish)
    return RawReply(text=without_surrogates(reply), finish_reason=finish, usage=Usage(**entry["usage"]), cached=True)
