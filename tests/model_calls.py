"""Calls of the real client to a scripted server: one bare request, or all that a role asks for one instance."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from agents.backends import Backend, RoleCall
from agents.model_client import ModelClient
from agents.model_source import ModelSource
from agents.prompt_renderer import prompt_renderer
from agents.replies import RawReply
from agents.response_cache import ResponseCache
from state.config import ModelConfig
from state.roles import RewriteRequest
from state.trajectory import Request
from state.vocabulary import Role, TryError
from tests.fake_openai_server import FakeServer, good

REQUEST = RewriteRequest(template_question="Which?", support_facts=(), answer="Bo Lind")
QUESTION = good(question="Who was it?")


def settings(server: FakeServer, **fields: Any) -> ModelConfig:
    """A model at a server of the test."""
    return ModelConfig(**{"provider": "openai", "model": "m", "base_url": server.url, **fields})


def send(config: ModelConfig, environ: Mapping[str, str] | None = None, params: Mapping[str, Any] | None = None) -> RawReply:
    """Sends one request with a client of its own."""

    async def go() -> RawReply:
        client = ModelClient("main", config, environ or {}, backoff_s=0.01)
        try:
            request = Request(
                messages=({"role": "user", "content": "Who?"},), schema=None, model="m", base_url=None, params_sent=dict(params or {})
            )
            return await client.send(request)
        finally:
            await client.aclose()

    return asyncio.run(go())


def ask(
    config: ModelConfig, cache: ResponseCache | None = None, retries: int = 2, times: int = 1, environ: Mapping[str, str] | None = None
) -> list[RoleCall]:
    """Asks the rewriter for the same instance, as often as said, all at once."""

    async def go() -> list[RoleCall]:
        source = ModelSource(ModelClient("main", config, environ or {}, backoff_s=0.01), cache)
        backend = Backend("openai", "m", prompt_renderer(config, {Role.REWRITER: "v1"}, None), source, config.price)
        try:
            return list(await asyncio.gather(*(backend.ask(Role.REWRITER, REQUEST, retries=retries) for _ in range(times))))
        finally:
            await backend.source.aclose()

    return asyncio.run(go())


def errors(call: RoleCall) -> list[TryError | None]:
    """What went wrong in each try."""
    return [a_try.error for a_try in call.tries]
