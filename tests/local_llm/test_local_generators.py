"""Question generators with a real model on a real server: the wiring only, since its questions are poor."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from agents.generator import generator_backend
from agents.model_client import ModelClient
from agents.model_source import ModelSource
from agents.workflow import InstanceResult
from baselines.writing import write_question
from state.config import ModelConfig
from state.instance import BenchmarkRecord
from state.vocabulary import Node, Status
from tests.bare_generator import method_named, pool_of
from tests.local_llm.local_server import CONTEXT, WEIGHTS, LocalServer

pytestmark = [pytest.mark.local_llm, pytest.mark.timeout(900)]

OPTIONS: dict[str, dict[str, Any]] = {
    "few_shot": {"k": 1},
    "sgsh": {"exemplars": 2},
    "role_agent_qg": {"rounds": 1},
}
"""Fewer demonstrations than by default: prompts must fit the model's context and two processor cores."""
SOME = ("zero_shot", "few_shot", "sgsh", "role_agent_qg")
"""One call and several, with and without demonstrations; the others differ in their prompts only, and take minutes here."""
MOST_REPLY_TOKENS = 64
"""A loop of the model's own is cut here and asked for again, with more room."""


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with LocalServer() as started:
        yield started


def settings(server: LocalServer) -> ModelConfig:
    return ModelConfig(
        provider="openai",
        model=WEIGHTS,
        base_url=server.url,
        params={"seed": 7, "frequency_penalty": 0.5},
        token_limit=MOST_REPLY_TOKENS,
        token_limit_name="max_tokens",
        concurrency=1,
        timeout_s=300,
    )


@pytest.mark.parametrize("name", SOME)
def test_each_method_writes_a_question_or_names_the_stage_that_failed(
    name: str, server: LocalServer, years_records: list[BenchmarkRecord]
) -> None:
    method = method_named(name, **OPTIONS.get(name, {}))
    config = settings(server)

    async def go() -> InstanceResult:
        source = ModelSource(ModelClient("local", config, {}), None)
        backend = generator_backend("local", config, source, "0" * 64)
        try:
            return await write_question(
                years_records[50], method.prepare(pool_of(years_records[:30])), backend, shows_path=method.sees_path, retries=1
            )
        finally:
            await source.aclose()

    result = asyncio.run(go())
    assert {visit.node for visit in result.visits} == {Node.GENERATE}
    tries = [a_try for visit in result.visits for a_try in visit.tries]
    for a_try in tries:
        assert a_try.reply_raw
        assert 0 < a_try.usage.input < CONTEXT
        assert 0 < a_try.usage.output <= a_try.request.params_sent["max_tokens"]
    if result.status is Status.ACCEPTED:
        assert method.calls[0] <= len(result.visits) <= method.calls[1]
        assert result.final_question is not None
        assert result.final_question == "" or result.final_question.endswith("?")
    else:
        assert result.status is Status.FAILED
        assert result.detail.startswith(f"{result.visits[-1].mode}: ")
