"""The embedded backend `offline-rules`: every role is a function, no key and no network."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.backends import Backend, Exchange, Feedback
from agents.replies import RawReply
from state.errors import ModelReplyError
from state.roles import RoleReply, RoleRequest
from state.trajectory import PromptRef, Request, Usage
from state.vocabulary import Role, TryError

LABEL = "offline-rules"
NO_USAGE = Usage()

Rule = Callable[[Any, str | None], RoleReply]
"""`(typed request, verifier mode or None) -> typed reply`."""


def render_typed(role: Role, typed: RoleRequest, mode: str | None, feedback: Sequence[Feedback]) -> tuple[Request, PromptRef | None]:
    """The typed request as one JSON message; rules read no prompt and no feedback."""
    request = Request.model_construct(
        messages=({"role": "user", "content": typed.model_dump_json()},),
        schema_=None,
        model=LABEL,
        base_url=None,
        params_sent={} if mode is None else {"mode": mode},
    )
    return request, None


class RulesSource:
    """Computes replies by the rules of `agents.offline`."""

    immediate = True

    def __init__(self, rules: Mapping[Role, Rule]) -> None:
        self._rules = rules

    async def fetch(self, exchange: Exchange, well_formed: Callable[[RawReply], bool]) -> RawReply:
        """The rule's reply as JSON text, so that it is recorded and parsed like any other."""
        started = time.perf_counter()
        try:
            text = self._rules[exchange.role](exchange.typed, exchange.mode).model_dump_json()
        except ModelReplyError as error:
            return RawReply(text=None, error=TryError.BAD_REQUEST, detail=str(error))
        return RawReply(text=text, finish_reason="stop", usage=NO_USAGE, latency_s=time.perf_counter() - started)

    async def aclose(self) -> None:
        """Nothing: there is no connection."""


def rules_backend(rules: Mapping[Role, Rule]) -> Backend:
    """The backend over a set of rules."""
    return Backend(provider=LABEL, label=LABEL, render=render_typed, source=RulesSource(rules), repeatable=False)
