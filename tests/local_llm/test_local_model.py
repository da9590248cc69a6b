"""The wiring with a real model on a real server. Its replies are poor, so nothing here asks for a good one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agents.model_client import ModelClient
from agents.prompt_renderer import response_schema
from agents.replies import RawReply, parse_reply
from graph_sampler.labels import normalise_label
from runs.run_folder import RunReader
from state.config import ModelConfig
from state.instance import BenchmarkRecord
from state.trajectory import Request, Trajectory
from state.vocabulary import Node, Outcome, Role, TryError
from tests.command_line import SMALL, here
from tests.local_llm.local_server import CONTEXT, WEIGHTS, LocalServer

pytestmark = [pytest.mark.local_llm, pytest.mark.timeout(900)]

MODEL_ROLES = [role for role in Role if role not in (Role.LEAK_FILTER, Role.GENERATOR, Role.ANSWERER, Role.JUDGE)]
ASKED = {
    "question": "Write a question about the town of Arn.",
    "answers": "Who was mayor of Arn in 1956? Ana Roy was mayor of Arn in 1956. Cy Moe was mayor of Arn in 1980.",
    "cause": "A question was written badly. Name a cause and a reason.",
    "constraints": "Who left the mill before Ana Roy joined it? List the one condition on time.",
}
"""What to ask for, by the name of the reply's schema."""
LIMIT = 2


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with LocalServer() as started:
        yield started


def settings(server: LocalServer) -> dict[str, Any]:
    """The entry of `models`."""
    return {
        "provider": "openai",
        "model": WEIGHTS,
        "base_url": server.url,
        "params": {"temperature": 0, "seed": 7, "frequency_penalty": 0.5},  # the penalty breaks most of its loops
        "token_limit": 80,
        "token_limit_name": "max_tokens",
        "concurrency": 1,
        "timeout_s": 300,
    }


def send(server: LocalServer, text: str, role: Role | None = None, **params: Any) -> RawReply:
    """One request by the client that a run uses."""

    async def go() -> RawReply:
        client = ModelClient("local", ModelConfig(**settings(server)), {})
        sent = {"temperature": 0, "seed": 7, "max_tokens": 60, **params}
        messages = ({"role": "system", "content": "Reply in JSON."}, {"role": "user", "content": text})
        schema = None if role is None else response_schema(role)
        try:
            return await client.send(Request(messages=messages, schema=schema, model=WEIGHTS, base_url=server.url, params_sent=sent))
        finally:
            await client.aclose()

    return asyncio.run(go())


@pytest.mark.parametrize("name", ASKED)
def test_a_reply_by_schema_is_read_as_the_reply_of_each_role_that_has_it(server: LocalServer, name: str) -> None:
    roles = [role for role in MODEL_ROLES if response_schema(role)["json_schema"]["name"] == name]
    raw = send(server, ASKED[name], roles[0], max_tokens=400, frequency_penalty=1.0)
    assert raw.error is None, raw.detail
    assert raw.finish_reason == "stop", raw.text
    assert raw.text is not None
    told = json.loads(raw.text)
    assert told.keys() == response_schema(roles[0])["json_schema"]["schema"]["properties"].keys()
    if name == "constraints":
        # What a schema cannot say of these (a rank goes with an order and without a right side) has no short test.
        assert parse_reply(raw, roles[0]).error in (None, TryError.UNPARSABLE, TryError.EMPTY)
        return
    # A schema cannot forbid these two.
    unusable = told.get("question") == "" or bool(told.get("cannot_tell") and told["answers"])
    for role in roles:
        parsed = parse_reply(raw, role)
        assert (parsed.reply is None) == unusable, f"{parsed.detail}: {raw.text}"


def test_what_was_used_is_reported_and_grows_with_the_prompt(server: LocalServer) -> None:
    short, long = send(server, "Name a town."), send(server, "Name a town. " * 20)
    assert 0 < short.usage.input < long.usage.input < 20 * short.usage.input
    assert 0 < short.usage.output <= 60
    assert short.latency_s > 0


def test_the_same_request_gets_the_same_reply(server: LocalServer) -> None:
    first, between, second = (send(server, text, Role.REWRITER) for text in (ASKED["question"], "Ask about a river.", ASKED["question"]))
    assert first.text
    assert (first.text, first.usage) == (second.text, second.usage)
    assert between.text != first.text


def test_a_reply_cut_by_the_token_limit_is_truncated(server: LocalServer) -> None:
    raw = send(server, ASKED["question"], Role.REWRITER, max_tokens=3)
    assert raw.usage.output == 3
    assert parse_reply(raw, Role.REWRITER).error is TryError.TRUNCATED


def test_a_prompt_longer_than_the_context_is_a_bad_request(server: LocalServer) -> None:
    raw = send(server, "town " * (2 * CONTEXT))
    assert raw.error is TryError.BAD_REQUEST, raw
    assert "context" in raw.detail
    assert raw.text is None


def test_a_wrong_parameter_is_a_bad_request_that_names_it(server: LocalServer) -> None:
    raw = send(server, "Name a town.", temperature="hot")
    assert raw.error is TryError.BAD_REQUEST, raw
    assert "temperature" in raw.detail


@dataclass
class Built:
    """A run whose roles the local model played."""

    path: Path
    said: dict[str, Any]
    records: list[BenchmarkRecord]
    trajectories: list[Trajectory]


@pytest.fixture(scope="module")
def built(server: LocalServer, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The first instances of a small sample; names are not required, so that a bad rewrite comes as far as the verifier."""
    folder = tmp_path_factory.mktemp("local")
    agents = {role.value: {"model": "local"} for role in MODEL_ROLES}
    overrides = [
        f"models.local={json.dumps(settings(server))}",
        f"agents={json.dumps({**agents, 'retries': 1, 'require_names': False})}",
        f"cache.path={folder / 'cache'}",
        "evidence.max_facts=12",
    ]
    arguments = [part for override in overrides for part in ("--set", override)]
    done = here("build", *SMALL, *arguments, "--limit", str(LIMIT), "--out", str(folder / "run"), "--json")
    assert done.returncode in (0, 1), done.stderr
    said = json.loads(done.stdout)
    reader = RunReader(folder / "run")
    records = list(reader.traces())[:LIMIT]
    with reader.database() as database:
        return Built(reader.path, said, records, [database.trajectory(record.id) for record in records])


def test_a_build_accounts_for_each_instance(built: Built) -> None:
    counts = built.said
    assert counts["accepted"] + sum(counts["discarded"].values()) + counts["failed"] == LIMIT
    files = [*built.path.glob("benchmark/*.jsonl"), built.path / "discarded.jsonl", built.path / "failed.jsonl"]
    lines = [json.loads(line) for file in files for line in file.read_bytes().splitlines()]
    assert sorted(line["id"] for line in lines) == [record.id for record in built.records]


def test_an_instance_is_accepted_only_where_the_verifier_named_the_answer(built: Built) -> None:
    for record, trajectory in zip(built.records, built.trajectories, strict=True):
        assert trajectory.visits[0].node is Node.REWRITE
        verified = [visit for visit in trajectory.visits if visit.role in (Role.VERIFIER, Role.APPEAL)]
        named = [normalise_label(answer) for visit in verified[-1:] for answer in visit.result.get("answers", ())]
        if trajectory.visits[-1].to == "accepted":
            assert verified[-1].outcome is Outcome.AGREES
            assert named == [normalise_label(record.answer)]


def test_every_try_holds_the_schema_the_reply_and_its_tokens_or_a_typed_error(built: Built) -> None:
    visits = [visit for trajectory in built.trajectories for visit in trajectory.visits]
    tries = [(visit.role, a_try) for visit in visits for a_try in visit.tries]
    assert len(tries) >= LIMIT
    for role, a_try in tries:
        assert a_try.request.schema_ == response_schema(role)
        assert a_try.error in (None, TryError.TRUNCATED, TryError.UNPARSABLE, TryError.EMPTY, TryError.UNUSABLE_QUESTION), (
            a_try.error_detail
        )
        assert a_try.reply_raw
        assert 0 < a_try.usage.input < CONTEXT
        assert 0 < a_try.usage.output <= a_try.request.params_sent["max_tokens"]
    usage = json.loads((built.path / "usage.json").read_bytes())["rows"]
    assert sum(row["calls"] for row in usage) == len(tries)
    assert sum(row["input"] for row in usage) == sum(a_try.usage.input for _, a_try in tries)
    assert sum(row["output"] for row in usage) == sum(a_try.usage.output for _, a_try in tries)


def test_every_instance_replays(built: Built) -> None:
    for record in built.records:
        done = here("replay", str(built.path), record.id)
        assert done.returncode == 0, done.stderr
