"""The source of the language-model backend: the cache in front of the server.

A reply that no role can use is not cached, so that another run may fare better, but the run that paid for it
keeps it until the instance ends: what is asked after it depends on it, and a resumed run must come to the same.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable

from pydantic import ValidationError

from agents.backends import Exchange
from agents.ledger import UnusableReplies
from agents.model_client import ModelClient
from agents.replies import RawReply, without_surrogates
from agents.response_cache import ResponseCache, canonical_json
from state.trajectory import Usage

_FORMAT = 1


class ModelSource:
    """Asks the cache, then the server; one request in flight per key within the process."""

    immediate = False

    def __init__(self, client: ModelClient, cache: ResponseCache | None, unusable: UnusableReplies | None = None) -> None:
        """A source in front of a client.

        Args:
            client: sends what nobody has kept.
            cache: replies that were paid for; `None` for no cache.
            unusable: the run's own replies that cannot be cached; `None` to forget them.
        """
        self.client = client
        self._cache = cache
        self._unusable = unusable
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
                stored = self._read(self._cache, key, self._cache.get(key))
                if stored is not None and well_formed(stored):
                    return stored
                if self._unusable is not None:
                    kept = self._read(self._cache, key, self._unusable.unusable(exchange.instance_id, key))
                    if kept is not None:
                        well_formed(kept)
                        return kept
                raw = await self._send(exchange)
                if well_formed(raw):
                    self._cache.put(key, _encode(raw))
                elif self._unusable is not None and raw.error is None:
                    self._unusable.keep_unusable(exchange.instance_id, key, _encode(raw))
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

    def _read(self, cache: ResponseCache, key: str, text: str | None) -> RawReply | None:
        if text is None:
            return None
        try:
            return _decode(text)
        except (ValueError, KeyError, TypeError, RecursionError, ValidationError) as error:
            cache.warn(key, f"not a stored reply: {type(error).__name__}")
            return None


def _encode(raw: RawReply) -> str:
    entry = {"format": _FORMAT, "text": raw.text, "finish_reason": raw.finish_reason, "usage": raw.usage.model_dump()}
    if raw.refused:
        entry["refused"] = True
    return canonical_json(entry)


def _decode(text: str) -> RawReply:
    entry = json.loads(text)
    reply, finish, refused = entry["text"], entry["finish_reason"], entry.get("refused", False)
    if entry["format"] != _FORMAT or not isinstance(refused, bool) or not isinstance(reply, str) or not isinstance(finish, str | None):
        raise ValueError("another kind of entry")
    finish = None if finish is None else without_surrogates(finish)
    return RawReply(text=without_surrogates(reply), finish_reason=finish, refused=refused, usage=Usage(**entry["usage"]), cached=True)
