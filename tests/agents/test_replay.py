"""A replay is the same graph with nothing but the record to ask, and fails at the first difference."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import prompts
from agents.replay import first_difference, replay_instance
from agents.setup import build_workflow
from agents.transitions import transition_table
from agents.workflow import InstanceResult, run_instance
from state.config import Config
from state.errors import ReplayMismatch
from state.roles import AnswersReply, CauseReply, QuestionReply
from state.trajectory import Trajectory, Visit
from state.vocabulary import Cause, DiscardReason, Node, Outcome, Role, Status, Terminal
from tests.fake_openai_server import FakeServer, Reply, failure, good
from tests.sample_record import GOOD_QUESTION, make_record

RECORD = make_record()
OTHER_QUESTION = GOOD_QUESTION.replace("Who became", "Which person became")


def config_with(prompts_path: Path, url: str) -> Config:
    models = {"main": {"provider": "openai", "model": "m", "base_url": url, "token_limit": 50, "price": {"input": 1, "output": 2}}}
    roles = ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter")
    agents = {role: {"model": "main"} for role in roles} | {"retries": 3}
    return Config.model_validate(
        {"dataset": "sample", "graph": {"path": "x"}, "models": models, "agents": agents, "prompts": {"path": str(prompts_path)}}
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Config, InstanceResult]:
    """A rich history: faults of every kind that can be survived, a repair, then accepted."""
    folder = tmp_path_factory.mktemp("prompts") / "used"
    shutil.copytree(prompts.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    replies = [
        failure(429, "busy", retry_after="0"),
        Reply(content="no JSON\nat all"),
        Reply(content='{"question": "Who', finish_reason="length"),
        good(question=GOOD_QUESTION),
        Reply(content=None, refusal="I will not"),
        good(answers=["Bo Lind", "Cy Moe"], cannot_tell=False),
        Reply(content='<think>hm</think>```json\n{"cause": "missing constraint", "reason": "é"}\n```'),
        good(question="Who was it?"),
        good(question=OTHER_QUESTION),
        Reply(content=None),
        good(answers=["Bo Lind"], cannot_tell=False),
    ]

    async def go(config: Config) -> InstanceResult:
        workflow = build_workflow(config, environ={})
        try:
            return await run_instance(RECORD, workflow)
        finally:
            await workflow.aclose()

    with FakeServer(lambda body: replies.pop(0)) as server:
        config = config_with(folder, server.url)
        result = asyncio.run(go(config))
    assert (result.status, replies) == (Status.ACCEPTED, [])
    return config, result


def stored(result: InstanceResult) -> tuple[Visit, ...]:
    """The visits after a way through the disk."""
    text = Trajectory(instance_id=RECORD.id, visits=result.visits).model_dump_json(by_alias=True)
    return Trajectory.model_validate_json(text).visits


def replay(config: Config, visits: tuple[Visit, ...], **options: Any) -> InstanceResult:
    return asyncio.run(replay_instance(RECORD, visits, config, **options))


def edited(visits: tuple[Visit, ...], change: Callable[[list[dict[str, Any]]], Any]) -> tuple[Visit, ...]:
    """The visits after a change to their JSON."""
    plain = Trajectory(instance_id=RECORD.id, visits=visits).model_dump(mode="json", by_alias=True)
    change(plain["visits"])
    return Trajectory.model_validate(plain).visits


def test_an_untouched_record_replays_to_the_same_result_without_server_or_cache(recorded: tuple[Config, InstanceResult]) -> None:
    config, result = recorded
    again = replay(config, stored(result))
    assert again[:5] == result[:5]
    assert [visit.model_dump() for visit in again.visits] == [visit.model_dump() for visit in result.visits]


@pytest.mark.parametrize("index", range(6))
def test_a_deleted_visit_is_found(recorded: tuple[Config, InstanceResult], index: int) -> None:
    config, result = recorded
    with pytest.raises(ReplayMismatch, match=RECORD.id):
        replay(config, edited(stored(result), lambda visits: visits.pop(index)))


@pytest.mark.parametrize("index", range(6))
def test_a_visit_twice_is_found(recorded: tuple[Config, InstanceResult], index: int) -> None:
    config, result = recorded
    with pytest.raises(ReplayMismatch):
        replay(config, edited(stored(result), lambda visits: visits.insert(index, visits[index])))


def all_tries(visits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [a_try for visit in visits for a_try in visit["tries"]]


def with_reply(result: InstanceResult, number: int, change: Callable[[str], str], forged_hash: bool) -> tuple[Visit, ...]:
    def edit(visits: list[dict[str, Any]]) -> None:
        a_try = all_tries(visits)[number]
        text = change(a_try["reply_raw"])
        assert text != a_try["reply_raw"]
        a_try["reply_raw"] = text
        if forged_hash:
            a_try["reply_sha256"] = hashlib.sha256(text.encode()).hexdigest()

    return edited(stored(result), edit)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7, 8, 10])
@pytest.mark.parametrize("at", [0, -1])
def test_one_changed_character_of_a_stored_reply_is_found(recorded: tuple[Config, InstanceResult], number: int, at: int) -> None:
    config, result = recorded
    with pytest.raises(ReplayMismatch, match="recorded hash"):
        replay(config, with_reply(result, number, lambda text: f"0{text[1:]}" if at == 0 else f"{text[:-1]}0", False))


@pytest.mark.parametrize(
    ("number", "old", "new"),
    [
        (1, "no", "No"),
        (3, "became", "Became"),
        (5, "Cy Moe", "Cy Mo"),
        (6, "é", "e"),
        (7, "Who", "Whom"),
        (8, "before", "after"),
        (10, "Bo", "Ana"),
    ],
)
def test_a_changed_reply_under_a_forged_hash_is_found(recorded: tuple[Config, InstanceResult], number: int, old: str, new: str) -> None:
    config, result = recorded
    with pytest.raises(ReplayMismatch):
        replay(config, with_reply(result, number, lambda text: text.replace(old, new), True))


PATHS: list[tuple[str, Callable[[list[dict[str, Any]]], Any]]] = [
    ("a message", lambda visits: visits[0]["tries"][0]["request"]["messages"][1].update(content="x")),
    ("a parameter", lambda visits: visits[0]["tries"][0]["request"]["params_sent"].update(max_completion_tokens=51)),
    ("the model", lambda visits: visits[1]["tries"][0]["request"].update(model="n")),
    ("the address", lambda visits: visits[1]["tries"][0]["request"].update(base_url="http://x/v1")),
    ("the schema", lambda visits: visits[1]["tries"][0]["request"].update(schema=None)),
    ("the request's hash", lambda visits: visits[1]["tries"][0].update(request_sha256="0" * 64)),
    ("the sample", lambda visits: visits[4]["tries"][0].update(sample=1)),
    ("the parsed value", lambda visits: visits[1]["tries"][1]["parsed"].update(answers=["Bo Lind"])),
    ("the error", lambda visits: visits[0]["tries"][1].update(error="empty reply")),
    ("the error's words", lambda visits: visits[0]["tries"][1].update(error_detail="x")),
    ("the finish reason", lambda visits: visits[0]["tries"][3].update(finish_reason="length")),
    ("a try's refusal", lambda visits: visits[1]["tries"][0].update(error=None)),
    ("the outcome", lambda visits: visits[1].update(outcome="agrees")),
    ("where it led", lambda visits: visits[1].update(to="leak_check")),
    ("the node", lambda visits: visits[4].update(node="verify")),
    ("the role", lambda visits: visits[4].update(role="appeal")),
    ("the mode", lambda visits: visits[1].update(mode="single")),
    ("the order", lambda visits: visits[1].update(seq=7)),
    ("the instance", lambda visits: visits[2].update(instance_id="other")),
    ("the prompt's version", lambda visits: visits[0]["prompt"].update(version="v2")),
    ("the prompt's hash", lambda visits: visits[0]["prompt"].update(sha256="0" * 64)),
    ("the answers found", lambda visits: visits[1]["result"].update(verdict="match")),
    ("the leaks found", lambda visits: visits[5]["result"].update(leaks=[{"kind": "label", "name": "Bo Lind"}])),
    ("a lost try", lambda visits: visits[0]["tries"].pop(1)),
    ("a doubled try", lambda visits: visits[0]["tries"].insert(1, visits[0]["tries"][1])),
]


@pytest.mark.parametrize("change", [change for _, change in PATHS], ids=[name for name, _ in PATHS])
def test_any_other_change_to_the_record_is_found(
    recorded: tuple[Config, InstanceResult], change: Callable[[list[dict[str, Any]]], Any]
) -> None:
    config, result = recorded
    with pytest.raises(ReplayMismatch):
        replay(config, edited(stored(result), change))


def test_a_request_that_is_rendered_otherwise_ends_the_replay_before_its_reply_is_served(recorded: tuple[Config, InstanceResult]) -> None:
    config, result = recorded
    for _, change in PATHS[:6]:
        with pytest.raises(ReplayMismatch, match="not the recorded one"):
            replay(config, edited(stored(result), change))


def test_latency_cost_and_cache_hits_are_not_compared(recorded: tuple[Config, InstanceResult]) -> None:
    config, result = recorded

    def change(visits: list[dict[str, Any]]) -> None:
        for a_try in all_tries(visits):
            a_try.update(latency_s=9.0, usd=None, cached=True)

    assert replay(config, edited(stored(result), change)).status is Status.ACCEPTED


@pytest.mark.parametrize("role", ["rewriter", "verifier", "error_analyst", "reviser"])
@pytest.mark.parametrize(
    ("old", "new"), [("purpose: ", "purpose:  "), ("# User\n<data>", "# User\n\n<data>"), ("text between", "Text between"), ("the", "The")]
)
def test_one_changed_byte_of_a_prompt_that_was_used_is_found(
    recorded: tuple[Config, InstanceResult], tmp_path: Path, role: str, old: str, new: str
) -> None:
    config, result = recorded
    folder = tmp_path / "prompts"
    shutil.copytree(str(config.prompts.path), folder)
    path = folder / role / "v1.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ReplayMismatch):
        replay(config_with(folder, str(config.models["main"].base_url)), stored(result))


def test_a_prompt_that_was_not_used_may_change(recorded: tuple[Config, InstanceResult], tmp_path: Path) -> None:
    config, result = recorded
    folder = tmp_path / "prompts"
    shutil.copytree(str(config.prompts.path), folder)
    path = folder / "leak_rewriter" / "v1.md"
    path.write_text(path.read_text(encoding="utf-8").replace("the", "The", 1), encoding="utf-8")
    assert replay(config_with(folder, str(config.models["main"].base_url)), stored(result)).status is Status.ACCEPTED


@pytest.mark.parametrize(
    ("row", "to"),
    [
        ((Node.REWRITE, Outcome.WRITTEN), Node.LEAK_CHECK),
        ((Node.VERIFY, Outcome.DISAGREES), Node.REVISE),
        ((Node.ANALYSE, Outcome.OTHER_CAUSE), Terminal.FAILED_VERIFICATION),
        ((Node.REVISE, Outcome.WRITTEN), Node.VERIFY_LEAK_REWRITE),
        ((Node.VERIFY_REPAIR, Outcome.AGREES), Terminal.ACCEPTED),
        ((Node.LEAK_CHECK, Outcome.CLEAN), Terminal.ANSWER_LEAK),
    ],
)
def test_an_edited_row_of_the_transition_table_is_found(
    recorded: tuple[Config, InstanceResult], row: tuple[Node, Outcome], to: Any
) -> None:
    config, result = recorded
    with pytest.raises(ReplayMismatch, match="to was"):
        replay(config, stored(result), table={**transition_table(appeal=False), row: to})


def test_an_edited_instance_is_found(recorded: tuple[Config, InstanceResult]) -> None:
    config, result = recorded
    for record in (make_record(number=2), make_record(labels={"Q15": "Eve Dunn"}), make_record(aliases=("Became",))):
        with pytest.raises(ReplayMismatch):
            asyncio.run(replay_instance(record, stored(result), config))


def rules_run(question: str) -> tuple[Config, InstanceResult]:
    config = Config.model_validate({"dataset": "sample", "graph": {"path": "x"}})
    rules = {
        Role.REWRITER: lambda request, mode: QuestionReply(question=question),
        Role.VERIFIER: lambda request, mode: AnswersReply(answers=("Cy Moe",), cannot_tell=False),
        Role.ERROR_ANALYST: lambda request, mode: CauseReply(cause=Cause.UNCLEAR, reason=""),
        Role.REVISER: lambda request, mode: QuestionReply(question=question),
        Role.LEAK_REWRITER: lambda request, mode: QuestionReply(question=question),
    }
    return config, asyncio.run(run_instance(RECORD, build_workflow(config, environ={}, rules=rules)))


@pytest.mark.parametrize("question", [GOOD_QUESTION, "not a question"])
def test_a_record_of_the_rules_is_replayed_from_its_replies_not_from_the_rules(question: str) -> None:
    config, result = rules_run(question)
    assert result.reason is (DiscardReason.FAILED_VERIFICATION if question == GOOD_QUESTION else None)
    again = replay(config, stored(result))
    assert again[:5] == result[:5]
    with pytest.raises(ReplayMismatch):
        replay(config, edited(stored(result), lambda visits: visits[0]["tries"][0]["request"]["messages"][0].update(content="{}")))


@pytest.mark.parametrize(
    ("recorded_value", "now", "told"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "a[1].b was 2 and is 3"),
        ({"a": 1}, {"a": 1, "b": 2}, "b was None and is 2"),
        ([1], [1, 2], "value was [1] and is [1, 2]"),
        ({"a": {}}, {"a": {}}, None),
    ],
)
def test_the_first_difference_is_told_by_its_place(recorded_value: Any, now: Any, told: str | None) -> None:
    assert first_difference(recorded_value, now) == told
