"""The verifier's mode `roundtrip` in the state machine, over HTTP: what is asked, told on, recorded and replayed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.read_constraints import Bench
from agents.replay import replay_instance
from agents.setup import build_workflow
from agents.transitions import max_role_calls
from agents.workflow import InstanceResult, run_instance
from state.config import Config
from state.instance import BenchmarkRecord
from state.trajectory import Trajectory
from state.vocabulary import DiscardReason, Node, Outcome, Role, Status, Terminal
from tests.fake_openai_server import FakeServer, Reply, good
from tests.sample_record import GOOD_QUESTION, make_record

RECORD = make_record()
STATED: dict[str, Any] = Bench(RECORD).state().model_dump(mode="json")
ALL = good(**STATED)
DROPPED = good(**STATED | {"constraints": STATED["constraints"][:1]})
TURNED = good(**STATED | {"constraints": [STATED["constraints"][0], STATED["constraints"][1] | {"operator": "after"}]})
NO_IDEA = good(constraints=[], cannot_tell=True)
AGREE = good(answers=["Bo Lind"], cannot_tell=False)
DISAGREE = good(answers=["Cy Moe"], cannot_tell=False)
WRITTEN, CAUSE = good(question=GOOD_QUESTION), good(cause="missing constraint", reason="c2 is gone")
ROLES = ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter", "round_trip_reader")


def config_for(url: str, modes: tuple[str, ...] = ("all", "roundtrip"), *, appeal: bool = False) -> Config:
    model = {"provider": "openai", "model": "m", "base_url": url}
    roles: dict[str, Any] = {role: {"model": "main"} for role in (*ROLES, *(("appeal",) if appeal else ()))}
    roles["verifier"]["modes"] = list(modes)
    return Config.model_validate({"dataset": "sample", "graph": {"path": "x"}, "models": {"main": model}, "agents": roles | {"retries": 1}})


def kind_of(body: dict[str, Any]) -> str:
    return str(body["response_format"]["json_schema"]["name"])


def by_kind(**replies: list[Reply]) -> Callable[[dict[str, Any]], Reply]:
    """A script that gives each kind of reply its own in order."""
    left = {kind: list(given) for kind, given in replies.items()}
    return lambda body: left[kind_of(body)].pop(0)


def play(config: Config, record: BenchmarkRecord = RECORD, *, verifies_only: bool = False) -> InstanceResult:
    async def go() -> InstanceResult:
        workflow = build_workflow(config, environ={}, verifies_only=verifies_only)
        try:
            return await run_instance(record, workflow)
        finally:
            await workflow.aclose()

    return asyncio.run(go())


def verifications(result: InstanceResult) -> list[tuple[Node, Role, str | None, Outcome]]:
    return [(visit.node, visit.role, visit.mode, visit.outcome) for visit in result.visits if visit.mode is not None]


def test_all_modes_must_agree_and_the_reader_plays_its_own() -> None:
    with FakeServer(by_kind(question=[WRITTEN], answers=[AGREE], constraints=[ALL])) as server:
        config = config_for(server.url)
        result = play(config)
    assert result.status is Status.ACCEPTED
    assert verifications(result) == [
        (Node.VERIFY, Role.VERIFIER, "all", Outcome.AGREES),
        (Node.VERIFY, Role.ROUND_TRIP_READER, "roundtrip", Outcome.AGREES),
    ]
    assert result.visits[2].result == STATED | {"verdict": "match", "findings": [], "answers": ["Bo Lind"]}
    assert server.seen[-1].body["response_format"]["json_schema"]["strict"] is True
    again = asyncio.run(replay_instance(RECORD, Trajectory(instance_id="i", visits=result.visits).visits, config))
    assert [visit.model_dump() for visit in again.visits] == [visit.model_dump() for visit in result.visits]


def test_a_lost_constraint_disagrees_though_the_answers_agree_and_analyst_and_reviser_are_told_what_is_lost() -> None:
    script = by_kind(question=[WRITTEN, WRITTEN], answers=[AGREE, AGREE], constraints=[DROPPED, ALL], cause=[CAUSE])
    with FakeServer(script) as server:
        result = play(config_for(server.url))
    assert result.status is Status.ACCEPTED
    sentence = RECORD.temporal_constraints[1]
    assert result.visits[2].result["findings"] == [{"label": "missing", "gold": sentence, "read": None}]
    assert result.visits[2].result["verdict"] == "other constraints"
    assert result.visits[2].result["answers"] == ["Bo Lind", "Cy Moe", "Eva Dunn"]
    told = [seen.body["messages"][1]["content"] for seen in server.seen if "third reader" in seen.body["messages"][1]["content"]]
    assert len(told) == 2
    for text in told:
        line = next(line for line in text.splitlines() if "third reader" in line)
        assert json.loads(line.partition(": ")[2]) == [f"missing: {sentence}"]
        assert '["Bo Lind", "Cy Moe", "Eva Dunn"]' in text


@pytest.mark.parametrize(
    ("modes", "replies", "findings"),
    [
        (("all", "roundtrip"), {"answers": [DISAGREE, AGREE], "constraints": [ALL, ALL]}, []),
        (("all", "roundtrip"), {"answers": [DISAGREE, AGREE], "constraints": [TURNED, ALL]}, ["reversed"]),
        (("all", "roundtrip"), {"answers": [DISAGREE, AGREE], "constraints": [NO_IDEA, ALL]}, None),
        (("all",), {"answers": [DISAGREE, AGREE]}, None),
        (("roundtrip", "all"), {"answers": [DISAGREE, AGREE], "constraints": [ALL, ALL]}, []),
        (("roundtrip", "all"), {"answers": [AGREE], "constraints": [NO_IDEA, ALL]}, None),
        (("roundtrip",), {"answers": [], "constraints": [good(constraints=[], cannot_tell=False), ALL]}, ["missing", "missing"]),
        (("roundtrip",), {"answers": [], "constraints": [TURNED, ALL]}, ["reversed"]),
    ],
)
def test_findings_are_null_where_no_reader_could_say_and_empty_where_it_found_nothing(
    modes: tuple[str, ...], replies: dict[str, list[Reply]], findings: list[str] | None
) -> None:
    with FakeServer(by_kind(question=[WRITTEN, WRITTEN], cause=[CAUSE], **replies)) as server:
        result = play(config_for(server.url, modes))
    assert result.status is Status.ACCEPTED
    (asked,) = [seen.body["messages"][1]["content"] for seen in server.seen if kind_of(seen.body) == "cause"]
    line = next(line for line in asked.splitlines() if "third reader" in line)
    shown = json.loads(line.partition(": ")[2])
    assert (shown if shown is None else [finding.partition(":")[0] for finding in shown]) == findings


@pytest.mark.parametrize(("reading", "outcome"), [(ALL, Outcome.AGREES), (DROPPED, Outcome.DISAGREES)])
def test_a_reader_whose_mode_comes_after_a_disagreement_is_asked_once_and_decides_nothing(reading: Reply, outcome: Outcome) -> None:
    blame = good(cause="verifier at fault", reason="it misread")
    script = by_kind(question=[WRITTEN, WRITTEN], answers=[DISAGREE] * 3, constraints=[reading], cause=[blame])
    with FakeServer(script) as server:
        config = config_for(server.url, ("all", "roundtrip"), appeal=True)
        result = play(config)
    # Nobody is told what differs after a lost appeal, which changes no question, nor after a lost repair.
    assert verifications(result) == [
        (Node.VERIFY, Role.VERIFIER, "all", Outcome.DISAGREES),
        (Node.VERIFY, Role.ROUND_TRIP_READER, "roundtrip", outcome),
        (Node.APPEAL, Role.APPEAL, "all", Outcome.DISAGREES),
        (Node.VERIFY_REPAIR, Role.VERIFIER, "all", Outcome.DISAGREES),
    ]
    assert [visit.to for visit in result.visits[1:3]] == ["verify", "analyse"]
    assert (result.status, result.reason) == (Status.DISCARDED, DiscardReason.FAILED_VERIFICATION)
    (analysed,) = [seen.body["messages"][1]["content"] for seen in server.seen if kind_of(seen.body) == "cause"]
    assert 'what the reader named: ["Cy Moe"]' in analysed  # the verifier's answer, not what was read
    again = asyncio.run(replay_instance(RECORD, Trajectory(instance_id="i", visits=result.visits).visits, config))
    assert [visit.model_dump() for visit in again.visits] == [visit.model_dump() for visit in result.visits]


def test_a_reader_asked_after_a_disagreement_that_gives_nothing_usable_fails_the_instance_like_any_other() -> None:
    nonsense = good(constraints="none")
    script = by_kind(question=[WRITTEN], answers=[DISAGREE], constraints=[nonsense, nonsense])
    with FakeServer(script) as server:
        result = play(config_for(server.url, ("all", "roundtrip")))
    assert (result.status, result.last_node) == (Status.FAILED, Node.VERIFY)
    assert result.detail.startswith("round_trip_reader: ")
    assert result.visits[-1].to == Terminal.AGENT_ERROR.value


def test_where_only_the_verifier_is_studied_no_reader_is_asked_after_a_disagreement() -> None:
    with FakeServer(by_kind(answers=[DISAGREE])) as server:
        result = play(config_for(server.url, ("all", "roundtrip")), verifies_only=True)
    assert verifications(result) == [(Node.VERIFY, Role.VERIFIER, "all", Outcome.DISAGREES)]
    assert result.status is Status.DISCARDED


@pytest.mark.parametrize(
    ("modes", "objecting", "calls"),
    [
        (("all", "roundtrip"), "all", 11),
        (("all", "roundtrip"), "roundtrip", 12),
        (("roundtrip", "all"), "roundtrip", 10),
        (("roundtrip", "all"), "all", 12),
    ],
)
def test_a_mode_is_asked_at_most_once_a_node_and_the_longest_way_keeps_to_the_bound(
    modes: tuple[str, ...], objecting: str, calls: int
) -> None:
    blame = good(cause="verifier at fault", reason="it misread")
    leaky = good(question=GOOD_QUESTION.replace("?", ", Bo Lind?"))
    answers, readings = [AGREE] * 4, [ALL] * 4
    if objecting == "all":
        answers[:2] = [DISAGREE, DISAGREE]
    else:
        readings[:2] = [DROPPED, DROPPED]
    with FakeServer(by_kind(question=[WRITTEN, leaky, WRITTEN], cause=[blame], answers=answers, constraints=readings)) as server:
        result = play(config_for(server.url, modes, appeal=True))
    assert result.status is Status.ACCEPTED
    asked = [(node, mode) for node, _, mode, _ in verifications(result)]
    assert len(set(asked)) == len(asked)
    assert sum(1 for visit in result.visits if visit.tries) == calls <= max_role_calls(2) == 12


def test_an_appeal_asks_the_reader_again_and_keeps_the_first_findings() -> None:
    blame = good(cause="verifier at fault", reason="it misread")
    script = by_kind(question=[WRITTEN, WRITTEN], answers=[AGREE], constraints=[DROPPED, TURNED, ALL], cause=[blame])
    with FakeServer(script) as server:
        result = play(config_for(server.url, ("roundtrip", "all"), appeal=True))
    assert result.status is Status.ACCEPTED
    assert [(node, role) for node, role, _, _ in verifications(result)] == [
        (Node.VERIFY, Role.ROUND_TRIP_READER),
        (Node.APPEAL, Role.ROUND_TRIP_READER),
        (Node.VERIFY_REPAIR, Role.ROUND_TRIP_READER),
        (Node.VERIFY_REPAIR, Role.VERIFIER),
    ]
    revised = server.seen[4].body["messages"][1]["content"]
    assert f"missing: {RECORD.temporal_constraints[1]}" in revised
    assert "reversed" not in revised


def test_a_question_that_fails_twice_is_discarded_with_what_was_read() -> None:
    script = by_kind(question=[WRITTEN, WRITTEN], answers=[AGREE, AGREE], constraints=[DROPPED, DROPPED], cause=[CAUSE])
    with FakeServer(script) as server:
        result = play(config_for(server.url))
    assert result.status is Status.DISCARDED
    assert f"round_trip_reader (mode roundtrip) read: missing: {RECORD.temporal_constraints[1]}: other constraints" in result.detail


def test_a_reply_that_cannot_be_used_is_asked_for_again_with_the_reason() -> None:
    broken = good(**STATED | {"constraints": [STATED["constraints"][0] | {"rank": 1}]})
    with FakeServer(by_kind(question=[WRITTEN], constraints=[broken, ALL])) as server:
        result = play(config_for(server.url, ("roundtrip",)))
    assert result.status is Status.ACCEPTED
    assert "'rank' and 'order' must be null" in server.seen[-1].body["messages"][-1]["content"]


def test_the_reader_sees_no_time_no_answer_apart_and_no_constraint_of_the_trace() -> None:
    secret = make_record(labels={"Q13": "Zed Gold"}, aliases=("Zeddy",))
    with FakeServer(by_kind(question=[WRITTEN], constraints=[ALL])) as server:
        play(config_for(server.url, ("roundtrip",)), secret)
    (text,) = [seen.body["messages"][1]["content"] for seen in server.seen if kind_of(seen.body) == "constraints"]
    shown = {line.partition(": ")[0] for line in text.splitlines() if ": " in line and not line.startswith(" ")}
    assert shown == {"question", "facts", "moments"}
    assert text.count("Zed Gold") == 1  # as one of the five subjects of the evidence
    times = {part for fact in secret.evidence for part in (fact.start, fact.end)}
    for hidden in ("Zeddy", "first fact", "I-after-I", "Which entity", *times):
        assert hidden not in text
