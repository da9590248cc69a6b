"""The real client against a scripted server on loopback."""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agents.backends import MOST_FAULTS, Backend, RoleCall
from agents.model_client import ModelClient
from agents.model_source import ModelSource
from agents.prompt_renderer import prompt_renderer
from agents.replies import RawReply
from agents.response_cache import ResponseCache
from state.config import ModelConfig
from state.errors import ConfigError, ModelCallError
from state.roles import QuestionReply, RewriteRequest
from state.trajectory import Request, Usage
from state.vocabulary import Role, TryError
from tests.fake_openai_server import FakeServer, Reply, failure, good, in_turn

SECRET = "sk-test-DO-NOT-LEAK"
REQUEST = RewriteRequest(template_question="Which?", support_facts=(), answer="Bo Lind")
QUESTION = good(question="Who was it?")


def settings(server: FakeServer, **fields: Any) -> ModelConfig:
    return ModelConfig(**{"provider": "openai", "model": "m", "base_url": server.url, **fields})


def send(config: ModelConfig, environ: Mapping[str, str] | None = None, params: Mapping[str, Any] | None = None) -> RawReply:
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
    async def go() -> list[RoleCall]:
        source = ModelSource(ModelClient("main", config, environ or {}, backoff_s=0.01), cache)
        backend = Backend("openai", "m", prompt_renderer(config, {Role.REWRITER: "v1"}, None), source, config.price)
        try:
            return list(await asyncio.gather(*(backend.ask(Role.REWRITER, REQUEST, retries=retries) for _ in range(times))))
        finally:
            await backend.source.aclose()

    return asyncio.run(go())


def errors(call: RoleCall) -> list[TryError | None]:
    return [a_try.error for a_try in call.tries]


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


def test_the_environment_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def seen() -> tuple[str, dict[str, Any], dict[str, str]]:
        with FakeServer(in_turn(QUESTION)) as server:
            ask(settings(server))
        (request,) = server.seen
        return request.path, request.body, {name: value for name, value in request.headers.items() if name not in ("Host", "host")}

    plain = seen()
    with FakeServer(in_turn(failure(500, "nobody may come here"))) as foreign:
        for name, value in {
            "OPENAI_API_KEY": SECRET,
            "OPENAI_BASE_URL": foreign.url,
            "OPENAI_API_BASE": foreign.url,
            "OPENAI_ORG_ID": "org",
            "OPENAI_ORGANIZATION": "org",
            "OPENAI_PROJECT_ID": "project",
            "OPENAI_CUSTOM_HEADERS": "X-Own: 1",
            "OPENAI_PROXY": foreign.url,
            "OPENAI_ADMIN_KEY": SECRET,
            "LANGSMITH_TRACING": "true",
            "LANGSMITH_API_KEY": SECRET,
            "LANGSMITH_ENDPOINT": foreign.url,
            "LANGCHAIN_TRACING_V2": "true",
            "LANGCHAIN_ENDPOINT": foreign.url,
            "LANGSMITH_GATEWAY": "true",
            "LANGSMITH_GATEWAY_URL": foreign.url,
            "LANGCHAIN_VERBOSE": "true",
        }.items():
            monkeypatch.setenv(name, value)
        assert seen() == plain
    assert foreign.seen == []
    assert SECRET not in str(plain)


def test_without_a_key_variable_a_dummy_is_sent_and_with_one_its_value() -> None:
    with FakeServer(in_turn(QUESTION)) as server:
        send(settings(server))
        send(settings(server, api_key_env="MY_KEY", headers_env={"X-Team": "MY_TEAM"}), {"MY_KEY": SECRET, "MY_TEAM": "blue"})
    first, second = ({name.lower(): value for name, value in seen.headers.items()} for seen in server.seen)
    assert first["authorization"] == "Bearer no-key"
    assert (second["authorization"], second["x-team"]) == (f"Bearer {SECRET}", "blue")


@pytest.mark.parametrize("fields", [{"api_key_env": "MISSING"}, {"headers_env": {"X-A": "MISSING"}}])
def test_a_missing_variable_is_one_clear_error(fields: dict[str, Any]) -> None:
    with FakeServer(in_turn(QUESTION)) as server, pytest.raises(ConfigError, match="MISSING is not set"):
        send(settings(server, **fields), {"MISSING": " "})


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


def test_a_finish_reason_can_be_written_and_holds_no_secret(tmp_path: Any) -> None:
    odd = f"\ud800 {SECRET}"
    with FakeServer(in_turn(Reply(content='{"question": "Who?"}', finish_reason=odd))) as server:
        cache = ResponseCache(tmp_path / "cache")
        (call,) = ask(settings(server, api_key_env="MY_KEY"), cache, environ={"MY_KEY": SECRET})
        assert call.tries[0].finish_reason == "\ufffd [secret]"
        stored = cache.get(call.tries[0].request_sha256)
        assert stored is not None
        cache.put(call.tries[0].request_sha256, stored.replace("[secret]", "\\ud800"))
        (again,) = ask(settings(server, api_key_env="MY_KEY"), cache, environ={"MY_KEY": SECRET})
        assert (again.tries[0].cached, again.tries[0].finish_reason) == (True, "\ufffd \ufffd")


def test_a_refused_key_stops_the_run_and_shows_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    echo = failure(401, f"Incorrect API key provided: {SECRET}")
    with (
        FakeServer(in_turn(echo)) as server,
        caplog.at_level(logging.DEBUG),
        pytest.raises(ModelCallError, match="refuses the key: status 401") as caught,
    ):
        ask(settings(server, api_key_env="MY_KEY"), environ={"MY_KEY": SECRET})
    chained = [caught.value, caught.value.__cause__, caught.value.__context__]
    assert SECRET not in " ".join(map(repr, chained)) + str(caught.value) + caplog.text


def test_no_secret_of_header_address_or_echo_is_recorded(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    hidden = {"key": SECRET, "header": "header-secret-1", "password": "pass-secret-2", "query": "query-secret-3"}
    echo = " ".join(hidden.values())
    with (
        FakeServer(in_turn(failure(500, echo), Reply(content=f"no JSON, but {echo}"), good(question=f"Who {echo}?"))) as server,
        caplog.at_level(logging.DEBUG),
    ):
        address = server.url.replace("http://", f"http://user:{hidden['password']}@") + f"?api-key={hidden['query']}"
        config = settings(server, base_url=address, api_key_env="MY_KEY", headers_env={"X-Own": "MY_HEADER"})
        cache = ResponseCache(tmp_path / "cache")
        (call,) = ask(config, cache, environ={"MY_KEY": SECRET, "MY_HEADER": hidden["header"]})
        cache.close()
        assert f"api-key={hidden['query']}" in server.seen[0].path
        assert {name.lower(): value for name, value in server.seen[0].headers.items()}["authorization"].startswith("Basic ")
    assert errors(call) == [TryError.SERVER_ERROR, TryError.UNPARSABLE, None]
    written = repr(call) + caplog.text + "".join(path.read_bytes().decode("latin-1") for path in (tmp_path / "cache").iterdir())
    for secret in hidden.values():
        assert secret not in written
    assert call.tries[0].request.base_url == server.url


def test_one_request_is_in_flight_per_key_and_the_others_get_its_reply(tmp_path: Any) -> None:
    with FakeServer(in_turn(Reply(content='{"question": "Who?"}', delay_s=0.1))) as server:
        calls = ask(settings(server), ResponseCache(tmp_path / "cache"), times=5)
    assert len(server.seen) == 1
    assert sorted(call.tries[0].cached for call in calls) == [False, True, True, True, True]


def test_a_cached_reply_needs_no_server_and_a_broken_one_is_a_miss(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    cache = ResponseCache(tmp_path / "cache")
    with FakeServer(in_turn(QUESTION)) as server:
        (first,) = ask(settings(server), cache)
        (second,) = ask(settings(server), cache)
        assert (first.tries[0].cached, second.tries[0].cached, len(server.seen)) == (False, True, 1)
        assert second.tries[0].usage == first.tries[0].usage
        text, usage = json.dumps(first.tries[0].reply_raw), '{"input": 1' + "0" * 30 + "}"
        too_many = f'{{"format": 1, "text": {text}, "finish_reason": "stop", "usage": {usage}}}'
        for broken in ("", "{", "[]", '{"format": 1, "text": 5}', '{"format": 9}', first.tries[0].reply_raw or "", too_many):
            caplog.clear()
            cache.put(first.tries[0].request_sha256, broken)
            (again,) = ask(settings(server), cache)
            assert not again.tries[0].cached
            assert "is passed over" in caplog.text


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


def test_a_redirect_is_not_followed() -> None:
    with (
        FakeServer(in_turn(QUESTION)) as elsewhere,
        FakeServer(in_turn(Reply(status=307, body="", headers={"Location": elsewhere.url}))) as server,
    ):
        (call,) = ask(settings(server, headers_env={"X-Own": "MY_HEADER"}), environ={"MY_HEADER": SECRET})
    assert errors(call) == [TryError.BAD_REQUEST]
    assert elsewhere.seen == []


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


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
def test_the_path_of_an_address_may_be_missing_or_end_in_a_slash(ending: str) -> None:
    with FakeServer(in_turn(QUESTION)) as server:
        (call,) = ask(settings(server, base_url=server.url.removesuffix("/v1") + ending))
    assert call.reply is not None
    assert [seen.path for seen in server.seen] == [f"{ending.rstrip('/')}/chat/completions"]


def test_https_on_a_server_that_speaks_http_stops_the_run_at_once() -> None:
    with FakeServer(in_turn(QUESTION)) as server, pytest.raises(ModelCallError, match="http or https, of base_url"):
        ask(settings(server, base_url=server.url.replace("http://", "https://")))
    assert server.seen == []


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


@pytest.mark.parametrize(("status", "is_known"), [(429, True), (500, True), (503, True), (502, False), (504, False), (408, False)])
def test_a_gateway_does_not_tell_what_the_server_will_charge(status: int, is_known: bool) -> None:
    with FakeServer(in_turn(failure(status, "no"))) as server:
        assert send(settings(server)).answered is is_known


def test_a_key_spelt_in_the_escapes_of_json_is_not_kept() -> None:
    spelt = "".join(f"\\u{ord(sign):04x}" for sign in SECRET)
    with FakeServer(in_turn(Reply(content=f'{{"question": "Who is {spelt}?"}}'))) as server:
        (call,) = ask(settings(server, api_key_env="MY_KEY"), environ={"MY_KEY": SECRET})
    assert call.reply == QuestionReply(question="Who is [secret]?")
    assert spelt not in repr(call)


def test_a_proxy_that_cannot_be_used_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "ftp://127.0.0.1:9")
    with pytest.raises(ConfigError, match="proxy that the environment names cannot be used"):
        ModelClient("main", ModelConfig(provider="openai", model="m"), {})
