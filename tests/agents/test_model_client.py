"""The real client against a scripted server on loopback: what goes over the wire, and what is recorded of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.model_client import ModelClient
from agents.replies import RawReply
from state.config import ModelConfig
from state.roles import QuestionReply
from state.trajectory import Request, Usage
from tests.fake_openai_server import FakeServer, Reply, in_turn
from tests.model_calls import QUESTION, ask, send, settings


@pytest.mark.parametrize("model", ["m", "gpt-5-mini", "o1-mini", "o3", "gpt-4o"])
def test_what_is_recorded_as_sent_is_what_went_over_the_wire(model: str) -> None:
    with FakeServer(in_turn(QUESTION)) as server:
        config = settings(
            server,
            model=model,
            params={"temperature": 0, "seed": 7, "top_p": 0.5, "stop": ["x"]},
            omit_params=["top_p"],
            token_limit=50,
            token_limit_name="max_tokens",
        )
        (call,) = ask(config)
    body = dict(server.seen[0].body)
    sent = call.tries[0].request
    assert body.pop("stream", False) is False
    assert tuple(body.pop("messages")) == sent.messages
    assert body.pop("model") == sent.model == model
    assert body.pop("response_format") == sent.schema_
    assert body == sent.params_sent == {"temperature": 0, "seed": 7, "stop": ["x"], "max_tokens": 50}


def test_a_token_count_that_cannot_be_one_is_none() -> None:
    usage = {
        "prompt_tokens": 10**30,
        "completion_tokens": -5,
        "total_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 10**30},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    with FakeServer(in_turn(Reply(content='{"question": "Who?"}', usage=usage))) as server:
        (call,) = ask(settings(server))
    assert call.tries[0].usage == Usage(output=3, reasoning=3)


def test_usage_and_price_are_read_from_the_message() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 40,
        "total_tokens": 140,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens_details": {"reasoning_tokens": 30},
    }
    with FakeServer(in_turn(Reply(content='{"question": "Who?"}', usage=usage))) as server:
        (call,) = ask(settings(server, price={"input": 10, "cached_input": 1, "output": 100}))
    (a_try,) = call.tries
    assert a_try.usage == Usage(input=100, cached_input=60, output=40, reasoning=30)
    assert a_try.usd == pytest.approx((40 * 10 + 60 * 1 + 40 * 100) / 1e6)


@pytest.mark.parametrize(("mode", "is_sent"), [("json_schema", True), ("prompt", False)])
def test_the_schema_is_sent_as_the_config_says(mode: str, is_sent: bool) -> None:
    with FakeServer(in_turn(QUESTION)) as server:
        (call,) = ask(settings(server, structured_output=mode))
    assert ["response_format" in seen.body for seen in server.seen] == [is_sent]
    assert call.reply is not None


def test_a_lone_surrogate_is_replaced() -> None:
    message = '{"role": "assistant", "content": "{\\"question\\": \\"Who \\ud800?\\"}"}'
    body = f'{{"choices": [{{"index": 0, "finish_reason": "stop", "message": {message}}}]}}'
    with FakeServer(in_turn(Reply(body=body))) as server:
        (call,) = ask(settings(server))
    assert call.reply == QuestionReply(question="Who \ufffd?")


def test_the_connections_in_flight_are_bounded() -> None:
    at_once = most = 0

    def script(body: dict[str, Any]) -> Reply:
        return Reply(content='{"question": "Who?"}', delay_s=0.05)

    class Counting(ModelClient):
        async def _send(self, request: Request) -> RawReply:
            nonlocal at_once, most
            at_once += 1
            most = max(most, at_once)
            try:
                return await super()._send(request)
            finally:
                at_once -= 1

    async def go(config: ModelConfig) -> None:
        client = Counting("main", config, {})
        request = Request(messages=({"role": "user", "content": "Who?"},), schema=None, model="m", base_url=None, params_sent={})
        await asyncio.gather(*(client.send(request) for _ in range(6)))
        await client.aclose()

    with FakeServer(script) as server:
        asyncio.run(go(settings(server, concurrency=2)))
    assert most == 2
    assert len(server.seen) == 6


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
def test_the_path_of_an_address_may_be_missing_or_end_in_a_slash(ending: str) -> None:
    with FakeServer(in_turn(QUESTION)) as server:
        (call,) = ask(settings(server, base_url=server.url.removesuffix("/v1") + ending))
    assert call.reply is not None
    assert [seen.path for seen in server.seen] == [f"{ending.rstrip('/')}/chat/completions"]


@pytest.mark.parametrize(
    ("usage", "is_told"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 7}, True),
        ({"prompt_tokens": 100, "completion_tokens": 7.0}, True),
        ({"prompt_tokens": 100, "completion_tokens": "7"}, False),
        ({"prompt_tokens": 100, "completion_tokens": 7.5}, False),
        ({"prompt_tokens": 100, "completion_tokens": 10**12}, False),
        ({"prompt_tokens": 100, "completion_tokens": True}, False),
        ({"prompt_tokens": 100}, False),
        ({"completion_tokens": 7}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_bill_needs_both_counts_and_both_must_be_counts(usage: dict[str, Any] | None, is_told: bool) -> None:
    with FakeServer(in_turn(Reply(content='{"question": "Who?"}', usage=usage))) as server:
        raw = send(settings(server))
    assert raw.reports_usage is is_told
    if is_told:
        assert raw.usage.output == 7
