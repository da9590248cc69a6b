"""What the real client makes of faults: what it asks again, what only one request meets, what stops the run."""

from __future__ import annotations

import asyncio
import json
import ssl
from pathlib import Path
from typing import Any

import pytest

from agents.backends import MOST_FAULTS
from agents.model_client import ModelClient
from agents.response_cache import ResponseCache
from state.config import ModelConfig
from state.errors import ModelCallError
from state.roles import QuestionReply
from state.trajectory import Request
from state.vocabulary import TryError
from tests.fake_openai_server import FakeServer, Reply, failure, in_turn
from tests.model_calls import QUESTION, ask, errors, send, settings


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (failure(429, "slow down", retry_after="0"), TryError.RATE_LIMITED),
        (failure(500, "oops"), TryError.SERVER_ERROR),
        (failure(503, "oops", retry_after="0"), TryError.SERVER_ERROR),
        (Reply(drop=True), TryError.CONNECTION),
        (Reply(content='{"question": "Who?"}', half=True), TryError.CONNECTION),
        (Reply(content='{"question": "Who?"}', delay_s=4.0), TryError.TIMEOUT),
        (Reply(body='{"error": {"message": "overloaded"}}'), TryError.SERVER_ERROR),
        (Reply(body='{"choices": null}'), TryError.SERVER_ERROR),
        (Reply(body='{"choices": []}'), TryError.SERVER_ERROR),
        (Reply(body="<html>proxy</html>"), TryError.SERVER_ERROR),
        (Reply(body="[]"), TryError.SERVER_ERROR),
        (Reply(body="{}", headers={"Content-Encoding": "gzip"}), TryError.CONNECTION),
        (Reply(body="{}", headers={"Content-Length": "9" * 30}), TryError.CONNECTION),
        (Reply(content=None), TryError.EMPTY),
        (Reply(content=""), TryError.EMPTY),
        (Reply(content="", finish_reason="length"), TryError.TRUNCATED),
        (Reply(content='{"question": "Who', finish_reason="content_filter"), TryError.FILTERED),
        (Reply(content=None, refusal="I will not"), TryError.REFUSED),
        (Reply(content="no JSON"), TryError.UNPARSABLE),
    ],
)
def test_a_fault_is_recorded_not_cached_and_asked_again(fault: Reply, error: TryError, tmp_path: Any) -> None:
    cache = ResponseCache(tmp_path / "cache")
    with FakeServer(in_turn(fault, QUESTION)) as server:
        (call,) = ask(settings(server, timeout_s=1.5 if fault.delay_s else 60), cache)
        assert errors(call) == [error, None]
        assert isinstance(call.reply, QuestionReply)
        assert len(server.seen) == 2
        assert len(cache) == 1


def test_unusable_replies_are_bounded_by_the_retries_and_nobody_else_retries() -> None:
    with FakeServer(in_turn(Reply(content="no JSON"))) as server:
        (call,) = ask(settings(server), retries=2)
    assert call.reply is None
    assert errors(call) == [TryError.UNPARSABLE] * 3
    assert len(server.seen) == 3


def test_a_request_that_always_fails_alone_is_given_up_and_typed() -> None:
    with FakeServer(in_turn(failure(500, "oops"))) as server:
        (call,) = ask(settings(server), retries=0)
    assert call.reply is None
    assert errors(call) == [TryError.SERVER_ERROR] * MOST_FAULTS
    assert len(server.seen) == MOST_FAULTS


def test_a_busy_server_costs_a_role_none_of_its_tries() -> None:
    busy = [failure(429, "slow down", retry_after_ms="1")] * 20
    with FakeServer(in_turn(*busy, QUESTION)) as server:
        (call,) = ask(settings(server), retries=0)
    assert errors(call) == [TryError.RATE_LIMITED] * 20 + [None]
    assert {a_try.counted for a_try in call.tries[:-1]} == {False}
    assert len({json.dumps(seen.body) for seen in server.seen}) == 1


def test_a_cut_off_reply_is_asked_again_with_a_larger_limit() -> None:
    with FakeServer(in_turn(Reply(content='{"quest', finish_reason="length"), QUESTION)) as server:
        ask(settings(server, token_limit=100))
    assert [seen.body["max_completion_tokens"] for seen in server.seen] == [100, 200]


def test_an_unusable_reply_is_shown_with_the_error() -> None:
    with FakeServer(in_turn(Reply(content="Let me think"), QUESTION)) as server:
        ask(settings(server))
    messages = server.seen[1].body["messages"]
    assert messages[:2] == server.seen[0].body["messages"]
    assert messages[2] == {"role": "assistant", "content": "Let me think"}
    assert "cannot be used (unparsable)" in messages[3]["content"]


@pytest.mark.parametrize(
    ("refusal", "fields", "told"),
    [
        (failure(400, "Unsupported value", param="temperature"), {"params": {"temperature": 0}}, "omit_params: [temperature]"),
        (failure(400, "'temperature' is not supported with this model"), {"params": {"temperature": 0}}, "omit_params: [temperature]"),
        (failure(422, "extra fields not permitted: seed"), {"params": {"seed": 1}}, "omit_params: [seed]"),
        (
            failure(400, "Use 'max_completion_tokens' instead", param="max_tokens"),
            {"token_limit_name": "max_tokens"},
            "max_completion_tokens",
        ),
        (failure(400, "Unknown field: response_format"), {}, "structured_output to prompt"),
        (failure(401, "Incorrect API key"), {}, "api_key_env"),
        (failure(402, "Insufficient credits"), {}, "Top up"),
        (failure(403, "You may not use this model"), {}, "models.main.model"),
        (failure(404, "model 'm' not found"), {}, "models.main.model and models.main.base_url"),
        (failure(429, "You exceeded your current quota", code="insufficient_quota"), {}, "Top up"),
    ],
)
def test_what_every_request_would_meet_stops_the_run_with_a_remedy(refusal: Reply, fields: dict[str, Any], told: str) -> None:
    with FakeServer(in_turn(refusal, QUESTION)) as server, pytest.raises(ModelCallError) as caught:
        ask(settings(server, token_limit=50, **fields))
    assert told in str(caught.value)
    assert str(caught.value).startswith("models.main at http://127.0.0.1")
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        failure(400, "This model's maximum context length is 4096 tokens; reduce max_completion_tokens", param="messages"),
        failure(400, "'max_completion_tokens' is too large: 50. The context holds 40", param="max_completion_tokens"),
        failure(400, "Prompt flagged"),
        failure(429, "Request too large for m on tokens per min (TPM): Limit 30000, Requested 40000"),
    ],
)
def test_what_only_this_request_meets_is_typed_and_stops_nothing(refusal: Reply) -> None:
    with FakeServer(in_turn(refusal, QUESTION)) as server:
        (call,) = ask(settings(server, token_limit=50))
    assert errors(call) == [TryError.BAD_REQUEST]
    assert len(server.seen) == 1


def test_a_doubled_limit_that_is_refused_is_this_requests_own() -> None:
    cut = Reply(content='{"quest', finish_reason="length")
    with FakeServer(in_turn(cut, failure(400, "above the maximum", param="max_completion_tokens"))) as server:
        (call,) = ask(settings(server, token_limit=100))
    assert errors(call) == [TryError.TRUNCATED, TryError.BAD_REQUEST]


def test_a_certificate_that_nobody_vouches_for_stops_the_run_at_once() -> None:
    async def go() -> None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(Path(__file__).parents[1] / "data" / "self_signed.pem")
        server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0, ssl=context)
        address = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        client = ModelClient("main", ModelConfig(provider="openai", model="m", base_url=address), {})
        request = Request(messages=({"role": "user", "content": "Who?"},), schema=None, model="m", base_url=None, params_sent={})
        try:
            with pytest.raises(ModelCallError, match=r"CERTIFICATE_VERIFY_FAILED.*SSL_CERT_FILE"):
                await client.send(request)
        finally:
            await client.aclose()
            server.close()

    asyncio.run(go())


def test_https_on_a_server_that_speaks_http_stops_the_run_at_once() -> None:
    with FakeServer(in_turn(QUESTION)) as server, pytest.raises(ModelCallError, match="http or https, of base_url"):
        ask(settings(server, base_url=server.url.replace("http://", "https://")))
    assert server.seen == []


@pytest.mark.parametrize(("status", "is_known"), [(429, True), (500, True), (503, True), (502, False), (504, False), (408, False)])
def test_a_gateway_does_not_tell_what_the_server_will_charge(status: int, is_known: bool) -> None:
    with FakeServer(in_turn(failure(status, "no"))) as server:
        assert send(settings(server)).answered is is_known
