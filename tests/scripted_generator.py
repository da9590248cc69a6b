"""Question generators with a scripted model behind the real client and server."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from agents.generator import generator_backend
from agents.model_client import ModelClient
from agents.model_source import ModelSource
from agents.workflow import InstanceResult
from baselines.method import Method, Pool
from baselines.writing import write_question
from state.instance import BenchmarkRecord
from tests.fake_openai_server import FakeServer, Reply, in_turn
from tests.model_calls import settings


@dataclass(frozen=True)
class Written:
    """What came of one record."""

    result: InstanceResult
    bodies: list[dict[str, Any]]
    """The requests as they arrived, in order."""

    @property
    def stages(self) -> list[str | None]:
        return [visit.mode for visit in self.result.visits]

    @property
    def users(self) -> list[str]:
        return [str(body["messages"][1]["content"]) for body in self.bodies]

    @property
    def temperatures(self) -> list[float]:
        return [body["temperature"] for body in self.bodies]


def written(method: Method, record: BenchmarkRecord, pool: Pool, *replies: str, shows_path: bool | None = None) -> Written:
    """One record through a method whose model says these replies in turn, then stays with the last."""

    async def go(server: FakeServer) -> InstanceResult:
        config = settings(server)
        backend = generator_backend("main", config, ModelSource(ModelClient("main", config, {}, backoff_s=0.01), None), "0" * 64)
        try:
            path = method.sees_path if shows_path is None else shows_path
            return await write_question(record, method.prepare(pool), backend, shows_path=path, retries=0)
        finally:
            await backend.source.aclose()

    with FakeServer(in_turn(*(Reply(content=reply) for reply in replies))) as server:
        result = asyncio.run(go(server))
        return Written(result, [seen.body for seen in server.seen])
