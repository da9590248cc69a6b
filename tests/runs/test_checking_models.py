"""`models check` against scripted servers: what it finds, what it advises, and that it tells no secret."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.replies import RawReply
from agents.structured_output import mode_shown_by
from tests.command_line import chronoqg, here, refused
from tests.fake_openai_server import FakeServer, Reply, Script, failure, good, in_turn

KEY = "sk-test-DO-NOT-LEAK"
KEPT = good(state="ready")
TALK = Reply(content="Good morning! I am well.")
NOBODY = "http://127.0.0.1:9/v1"

Check = Callable[..., dict[str, Any]]


def config(folder: Path, models: dict[str, Any], **more: Any) -> str:
    """A config in which the models play one role each, and rules the rest."""
    roles = ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter")
    agents = {role: {"model": name} for role, name in zip(roles, models, strict=False)}
    entries = {name: {"provider": "openai", "model": "m", **fields} for name, fields in models.items()}
    entries["offline"] = {"provider": "offline-rules"}
    file = folder / "config.yaml"
    # JSON is YAML.
    data = {"dataset": "d", "graph": {"path": "bundled:years"}, "models": entries, "agents": agents, **more}
    file.write_text(json.dumps(data), encoding="utf-8")
    return str(file)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(in_turn(KEPT)) as made:
        yield made


@pytest.fixture
def check(server: FakeServer, tmp_path: Path) -> Check:
    """Checks one model on a server that follows a script; the model's part of the report, its text and the exit code."""

    def run(script: Script, more: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
        server.script = script
        file = config(tmp_path, {"gpt": {"base_url": server.url, **fields}}, **(more or {}))
        done = here("models", "check", file, "--json")
        (model,) = (model for model in json.loads(done.stdout)["models"] if model["name"] == "gpt")
        assert json.loads(done.stdout)["usable"] is (done.returncode == 0)
        return {**model, "code": done.returncode, "text": [f"{found['what']} | {found['remedy']}" for found in model["findings"]]}

    return run


def test_a_good_model_costs_one_call_and_its_numbers_are_shown(check: Check, server: FakeServer, tmp_path: Path) -> None:
    seen = check(
        in_turn(KEPT), params={"temperature": 0}, token_limit=500, price={"input": 2, "cached_input": 1, "output": 4}, omit_params=["seed"]
    )
    assert (seen["code"], seen["verdict"], seen["findings"]) == (0, "ok", [])
    assert seen["structured_output"] == {"configured": "json_schema", "found": "json_schema"}
    assert seen["reports_tokens"] is True
    assert seen["usd"] == pytest.approx((11 * 2 + 7 * 4) / 1e6)
    (request,) = server.seen
    assert request.body["temperature"] == 0
    assert request.body["max_completion_tokens"] == 500
    assert request.body["response_format"]["type"] == "json_schema"
    done = here("models", "check", str(tmp_path / "config.yaml"))
    head, offline, gpt, cost = (
        done.stdout.splitlines()[:1] + sorted(done.stdout.splitlines()[1:3], reverse=True) + [done.stdout.splitlines()[-1]]
    )
    assert head.startswith("model ")
    assert "needs no server" in offline
    assert gpt.split("  ")[0] == "gpt"
    for cell in ("m", server.url.removeprefix("http://").removesuffix("/v1"), "json_schema", "reported", "2/1/4", "500", "ok"):
        assert f" {cell}" in gpt
    assert cost == "this check cost 0.000050 USD"
    assert done.stderr.endswith(f"next: chronoqg estimate {tmp_path / 'config.yaml'}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.yaml"], "nothing is written"


@pytest.mark.parametrize(
    ("configured", "script", "found", "code"),
    [
        ("json_schema", in_turn(TALK), "prompt", 1),
        ("auto", in_turn(TALK), "prompt", 0),
        ("auto", in_turn(KEPT), "json_schema", 0),
        ("json_schema", lambda body: failure(400, "Unknown field: response_format") if "response_format" in body else TALK, "prompt", 1),
        ("auto", lambda body: failure(400, "Unknown field: response_format") if "response_format" in body else TALK, "prompt", 0),
    ],
)
def test_a_schema_that_is_not_kept_to_is_a_reason_to_change_the_config(
    check: Check, configured: str, script: Script, found: str, code: int
) -> None:
    seen = check(script, structured_output=configured)
    assert seen["structured_output"] == {"configured": configured, "found": found}
    assert seen["code"] == code
    assert seen["latency_ms"] is not None
    advice = [text.partition("| ")[2] for text in seen["text"]]
    assert advice == (["Set models.gpt.structured_output to prompt."] if code else [])
    if code:
        assert check(script, structured_output="prompt")["code"] == 0, "the remedy works"


def test_a_model_asked_by_prompt_is_not_sent_a_schema(check: Check, server: FakeServer) -> None:
    seen = check(in_turn(TALK), structured_output="prompt")
    assert (seen["code"], seen["structured_output"]["found"]) == (0, None)
    assert "response_format" not in server.seen[0].body


def refuses(*names: str) -> Script:
    """A server that names one parameter at a time."""

    def script(body: dict[str, Any]) -> Reply:
        first = next((name for name in names if name in body), None)
        return KEPT if first is None else failure(400, f"Unsupported parameter: {first}", param=first)

    return script


def test_refused_parameters_are_left_out_one_after_the_other_and_each_is_listed(check: Check, server: FakeServer) -> None:
    script = refuses("temperature", "top_k")
    fields = {"params": {"temperature": 0, "top_k": 3, "seed": 1}, "omit_params": ["stop"]}
    seen = check(script, **fields)
    assert (seen["code"], seen["verdict"]) == (1, "change the config")
    assert [text.partition(":")[0] for text in seen["text"]] == ["the server refuses temperature", "the server refuses top_k"]
    assert {text.partition("| ")[2] for text in seen["text"]} == {"Set models.gpt.omit_params: [stop, temperature, top_k]."}
    assert len(server.seen) == 3
    assert server.seen[-1].body["seed"] == 1
    assert check(script, **{**fields, "omit_params": ["stop", "temperature", "top_k"]})["code"] == 0, "the remedy works"


def test_a_server_that_refuses_all_there_is_is_asked_no_oftener_than_there_are_parameters(check: Check, server: FakeServer) -> None:
    names = ("temperature", "seed", "max_completion_tokens", "max_tokens", "response_format")
    seen = check(refuses(*names), params={"temperature": 0, "seed": 1}, token_limit=9)
    assert len(server.seen) == len(names) + 1
    assert seen["code"] == 1
    advice = [text.partition("| ")[2] for text in seen["text"]]
    assert "Set models.gpt.omit_params: [seed, temperature]." in advice
    assert "Set models.gpt.token_limit to null; no budget can then be kept." in advice


@pytest.mark.parametrize(("configured", "works"), [("max_completion_tokens", "max_tokens"), ("max_tokens", "max_completion_tokens")])
def test_a_refused_name_of_the_token_limit_is_tried_under_the_other(check: Check, server: FakeServer, configured: str, works: str) -> None:
    seen = check(refuses(configured), token_limit=77, token_limit_name=configured)
    assert seen["text"][0].endswith(f"| Set models.gpt.token_limit_name to {works}.")
    assert (len(seen["text"]), seen["code"], server.seen[-1].body[works]) == (1, 1, 77)
    assert check(refuses(configured), token_limit=77, token_limit_name=works)["code"] == 0, "the remedy works"


@pytest.mark.parametrize(
    ("script", "calls", "told", "remedy"),
    [
        (in_turn(failure(401, f"bad key {KEY}")), 1, "the server refuses the key", "api_key_env"),
        (in_turn(failure(404, "The model `m` does not exist", code="model_not_found")), 1, "does not exist", "models.gpt.model"),
        (in_turn(failure(429, "no money", code="insufficient_quota")), 1, "no money", "Top up the account"),
        (in_turn(failure(503, "loading")), 2, "status 503: loading", "server's own log"),
        (in_turn(failure(503, "loading"), KEPT), 2, "", ""),
        (in_turn(failure(429, "slow down", retry_after="90")), 1, "slow down", "Try again later"),
        (in_turn(failure(400, "no such thing")), 1, "status 400: no such thing", "models.gpt.params"),
        (in_turn(Reply(content=None)), 1, "an empty reply came back", "server's own log"),
        (in_turn(replace(KEPT, delay_s=3.0)), 1, "no whole reply within 0.2 s", "models.gpt.timeout_s"),
    ],
    ids=["key", "model", "quota", "failing", "starting", "busy", "bad request", "empty", "slow"],
)  # fmt: skip
def test_a_model_that_cannot_be_used_says_why_in_one_line(
    check: Check, server: FakeServer, script: Script, calls: int, told: str, remedy: str
) -> None:
    timeout = {"timeout_s": 0.2} if "within" in told else {}
    seen = check(script, **timeout)
    assert len(server.seen) == calls
    if not told:
        assert seen["code"] == 0
        return
    assert (seen["code"], seen["verdict"], len(seen["text"])) == (1, "cannot be used", 1)
    what, _, advice = seen["text"][0].partition(" | ")
    assert told in what
    assert remedy in advice
    assert "kept" not in advice, "a check keeps nothing"
    assert "\n" not in what + advice


def test_one_dead_model_hides_nothing_of_the_others(server: FakeServer, tmp_path: Path) -> None:
    models = {
        "dead": {"base_url": NOBODY},
        "keyless": {"base_url": server.url, "api_key_env": "CHRONOQG_NO_SUCH_KEY"},
        "gpt": {"base_url": server.url},
    }
    done = here("models", "check", config(tmp_path, models), "--json")
    assert done.returncode == 1
    verdicts = {model["name"]: model["verdict"] for model in json.loads(done.stdout)["models"]}
    assert verdicts == {"dead": "cannot be used", "keyless": "cannot be used", "gpt": "ok", "offline": "ok"}
    text = here("models", "check", config(tmp_path, models)).stdout
    assert "error   models.dead: nothing can be reached" in text
    assert "error   models.keyless: the environment variable CHRONOQG_NO_SUCH_KEY is not set." in text
    assert len(server.seen) == 2


def test_models_are_asked_at_the_same_time(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=20)

    def script(body: dict[str, Any]) -> Reply:
        both.wait()
        return KEPT

    with FakeServer(script) as one, FakeServer(script) as two:
        done = here("models", "check", config(tmp_path, {"one": {"base_url": one.url}, "two": {"base_url": two.url}}))
    assert done.returncode == 0, done.stdout


def test_tokens_that_nobody_counts_are_a_warning_and_cost_the_most_there_can_be(check: Check, tmp_path: Path) -> None:
    fields = {"token_limit": 1000, "price": {"input": 0, "output": 5}}
    seen = check(in_turn(replace(KEPT, usage=None)), **fields)
    assert (seen["code"], seen["reports_tokens"], seen["usage"]) == (0, False, None)
    assert "reports no tokens" in seen["text"][0]
    assert (seen["usd"], seen["usd_is_exact"]) == (pytest.approx(1000 * 5 / 1e6), False)
    assert "this check cost at most 0.005000 USD" in here("models", "check", str(tmp_path / "config.yaml")).stdout


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 11, "completion_tokens": 400, "total_tokens": 411},
        {"prompt_tokens": 11, "completion_tokens": 40, "total_tokens": 51, "completion_tokens_details": {"reasoning_tokens": 33}},
    ],
)
def test_a_model_that_reasons_is_given_room(check: Check, usage: dict[str, Any]) -> None:
    seen = check(in_turn(replace(KEPT, usage=usage)), token_limit=1000)
    assert seen["code"] == 0
    assert "the model reasons before it replies" in seen["text"][0]
    assert "token_limit of 4000 or more" in seen["text"][0]
    assert check(in_turn(replace(KEPT, usage=usage)), token_limit=4000)["findings"][0]["remedy"] == ""


def test_a_reply_that_is_cut_off_says_nothing_of_schemas_but_that_the_limit_is_too_small(check: Check) -> None:
    seen = check(in_turn(Reply(content="", finish_reason="length")), token_limit=5)
    assert (seen["code"], seen["structured_output"]["found"]) == (1, None)
    assert "cut off at 5 tokens | Set models.gpt.token_limit" in seen["text"][0]
    mode, why = mode_shown_by(RawReply(text='{"state": "rea', finish_reason="length"))
    assert (mode, "cut off by the token limit" in why) == ("prompt", True)


def test_what_a_budget_asks_of_a_model_is_said_though_the_model_answers(check: Check) -> None:
    budget = {"run": {"budget_usd": 1}}
    assert "has no price" in check(in_turn(KEPT), budget)["text"][0]
    unlimited = check(in_turn(KEPT), budget, price={"input": 1, "output": 1})
    assert (unlimited["code"], unlimited["latency_ms"] is not None) == (1, True)
    assert "sends no token limit" in unlimited["text"][0]
    assert check(in_turn(KEPT), budget, price={"input": 1, "output": 1}, token_limit=10)["code"] == 0
    counts = {"prompt_tokens": 10**6, "completion_tokens": 11, "total_tokens": 10**6 + 11}
    liar = check(in_turn(replace(KEPT, usage=counts)), budget, price={"input": 1, "output": 1}, token_limit=10)
    assert any("completion tokens where 10 were allowed" in text for text in liar["text"])


@pytest.mark.slow
def test_no_secret_is_printed_and_the_environment_sends_nothing_elsewhere(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    echo = failure(500, f"no {KEY} header-DO-NOT-LEAK DO-NOT-LEAK-pw DO-NOT-LEAK-query")
    server.script = lambda body: echo if body["model"] == "echo" else KEPT
    address = server.url.replace("http://", "http://user:DO-NOT-LEAK-pw@") + "?api-key=DO-NOT-LEAK-query"
    pasted = {"base_url": NOBODY, "api_key_env": "sk_live_DO_NOT_LEAK"}
    gpt = {"model": "echo", "base_url": address, "api_key_env": "CHRONOQG_TEST_KEY", "headers_env": {"X-Extra": "CHRONOQG_TEST_HEADER"}}
    file = config(tmp_path, {"gpt": gpt, "pasted": pasted, "bare": {"base_url": server.url}})
    with FakeServer(in_turn(KEPT)) as foreign:
        poison = {
            "OPENAI_API_KEY": "sk-foreign", "OPENAI_BASE_URL": foreign.url, "OPENAI_API_BASE": foreign.url, "OPENAI_PROXY": foreign.url,
            "OPENAI_ORG_ID": "org", "LANGSMITH_TRACING": "true", "LANGSMITH_API_KEY": "sk-foreign", "LANGSMITH_ENDPOINT": foreign.url,
            "LANGCHAIN_TRACING_V2": "true", "LANGCHAIN_API_KEY": "sk-foreign", "LANGCHAIN_ENDPOINT": foreign.url,
        }  # fmt: skip
        keys = {"CHRONOQG_TEST_KEY": KEY, "CHRONOQG_TEST_HEADER": "header-DO-NOT-LEAK"}
        apart = chronoqg("models", "check", file, **poison, **keys)
        for name, value in (poison | keys).items():
            monkeypatch.setenv(name, value)
        for done in (apart, here("models", "check", file, "--json"), here("models", "check", file, "--debug")):
            assert done.returncode == 1
            told = (done.stdout + done.stderr).replace("_", "-")
            assert "DO-NOT-LEAK" not in told
            assert "CHRONOQG-TEST-KEY" in told
            assert "[secret]" in told
        assert foreign.seen == []
    assert len(server.seen) == 3 * (2 + 1), "the failing model is asked twice"
    assert all("sk-foreign" not in str(seen.headers) for seen in server.seen)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.yaml"]


def test_a_bad_config_is_refused_before_anything_is_asked(server: FakeServer, tmp_path: Path) -> None:
    file = config(tmp_path, {"gpt": {"base_url": server.url}})
    assert "Did you mean 'gpt'?" in refused("models", "check", file, "--set", "agents.verifier.model=gpd")
    assert "unknown key" in refused("models", "check", file, "--set", "models.gpt.modle=x")
    assert "there is no such config file" in refused("models", "check", str(tmp_path / "no.yaml"))
    assert server.seen == []


def test_a_config_by_rules_needs_no_server() -> None:
    done = here("models", "check", "runs/quickstart.yaml")
    assert done.returncode == 0
    assert "needs no server" in done.stdout
    assert "asking" not in done.stderr


def test_a_server_cannot_steer_the_terminal(check: Check, tmp_path: Path) -> None:
    check(in_turn(failure(400, "\x1b[2J\x1b]0;owned\x07 [bold]no[/]")))
    text = here("models", "check", str(tmp_path / "config.yaml")).stdout
    assert "\x1b" not in text
    assert "[bold]no[/]" in text
