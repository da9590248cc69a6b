"""What the real client takes from the environment, and that it keeps the secrets it was given to itself."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from agents.model_client import ModelClient
from agents.response_cache import ResponseCache
from state.config import ModelConfig
from state.errors import ConfigError, ModelCallError
from state.roles import QuestionReply
from state.vocabulary import TryError
from tests.fake_openai_server import FakeServer, Reply, failure, good, in_turn
from tests.model_calls import QUESTION, ask, errors, send, settings

SECRET = "sk-test-DO-NOT-LEAK"


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


def test_a_redirect_is_not_followed() -> None:
    with (
        FakeServer(in_turn(QUESTION)) as elsewhere,
        FakeServer(in_turn(Reply(status=307, body="", headers={"Location": elsewhere.url}))) as server,
    ):
        (call,) = ask(settings(server, headers_env={"X-Own": "MY_HEADER"}), environ={"MY_HEADER": SECRET})
    assert errors(call) == [TryError.BAD_REQUEST]
    assert elsewhere.seen == []


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
