"""Every transition of the table, over HTTP; the bound on calls; what counts as accepted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from agents.setup import build_workflow
from agents.transitions import max_role_calls, transition_table
from agents.workflow import InstanceResult, run_instance
from state.config import Config
from state.errors import ConfigError
from state.instance import BenchmarkRecord
from state.trajectory import Trajectory
from state.vocabulary import DiscardReason, Node, Outcome, Role, Status, Terminal
from tests.fake_openai_server import FakeServer, Reply, good
from tests.sample_record import GOOD_QUESTION, make_record

OTHER_QUESTION = GOOD_QUESTION.replace("Who became", "Which person became")
LEAKY_QUESTION = GOOD_QUESTION.replace("Who became", "Who, if not Bo Lind, became")
AGREE = good(answers=["Bo Lind"], cannot_tell=False)
DISAGREE = good(answers=["Bo Lind", "Cy Moe"], cannot_tell=False)
CANNOT_TELL = good(answers=[], cannot_tell=True)
NONE_FITS = good(answers=[], cannot_tell=False)
MISSING = good(cause="missing constraint", reason="c2 is gone")
BLAMES_VERIFIER = good(cause="verifier at fault", reason="it misread")
USELESS = Reply(content="no JSON at all\nreally")
GOOD, OTHER, LEAKY = (good(question=text) for text in (GOOD_QUESTION, OTHER_QUESTION, LEAKY_QUESTION))

PROMPT_ROLES = {
    "write quiz": "rewriter",
    "answer a question": "verifier",
    "was rewritten": "error_analyst",
    "did not lead": "reviser",
    "gives its own": "leak_rewriter",
}


def role_of(body: Mapping[str, Any]) -> str:
    system = body["messages"][0]["content"]
    (role,) = {role for words, role in PROMPT_ROLES.items() if words in system.split("\n")[0]}
    return "appeal" if body["model"] == "second" else role


def config_for(url: str, *, appeal: bool = True, modes: tuple[str, ...] = ("all",), retries: int = 0) -> Config:
    models = {name: {"provider": "openai", "model": name, "base_url": url, "structured_output": "prompt"} for name in ("first", "second")}
    roles = ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter")
    agents: dict[str, Any] = {role: {"model": "first"} for role in roles} | {"retries": retries}
    agents["verifier"]["modes"] = list(modes)
    if appeal:
        agents["appeal"] = {"model": "second"}
    return Config.model_validate({"dataset": "sample", "graph": {"path": "x"}, "models": models, "agents": agents})


def play(config: Config, record: BenchmarkRecord | None = None) -> InstanceResult:
    async def go() -> InstanceResult:
        workflow = build_workflow(config, environ={})
        try:
            return await run_instance(record or make_record(), workflow)
        finally:
            await workflow.aclose()

    return asyncio.run(go())


def scripted(**replies: list[Reply]) -> tuple[Callable[[dict[str, Any]], Reply], list[str]]:
    """A script that gives each role its own replies in order, and the roles in order of their calls."""
    calls: list[str] = []

    def script(body: dict[str, Any]) -> Reply:
        role = role_of(body)
        calls.append(role)
        return replies[role].pop(0)

    return script, calls


N, T = Node, Terminal
WAYS: dict[str, tuple[dict[str, list[Reply]], list[tuple[Node, Outcome]], Terminal]] = {
    "straight through": (
        {"rewriter": [GOOD], "verifier": [AGREE]},
        [(N.REWRITE, Outcome.WRITTEN), (N.VERIFY, Outcome.AGREES), (N.LEAK_CHECK, Outcome.CLEAN)],
        T.ACCEPTED,
    ),
    "repaired": (
        {"rewriter": [GOOD], "verifier": [DISAGREE, AGREE], "error_analyst": [MISSING], "reviser": [OTHER]},
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.DISAGREES),
            (N.ANALYSE, Outcome.OTHER_CAUSE),
            (N.REVISE, Outcome.WRITTEN),
            (N.VERIFY_REPAIR, Outcome.AGREES),
            (N.LEAK_CHECK, Outcome.CLEAN),
        ],
        T.ACCEPTED,
    ),
    "won on appeal": (
        {"rewriter": [GOOD], "verifier": [CANNOT_TELL], "error_analyst": [BLAMES_VERIFIER], "appeal": [AGREE]},
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.DISAGREES),
            (N.ANALYSE, Outcome.VERIFIER_AT_FAULT),
            (N.APPEAL, Outcome.AGREES),
            (N.LEAK_CHECK, Outcome.CLEAN),
        ],
        T.ACCEPTED,
    ),
    "lost on appeal, repair fails": (
        {
            "rewriter": [GOOD],
            "verifier": [NONE_FITS, DISAGREE],
            "error_analyst": [BLAMES_VERIFIER],
            "appeal": [DISAGREE],
            "reviser": [OTHER],
        },
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.DISAGREES),
            (N.ANALYSE, Outcome.VERIFIER_AT_FAULT),
            (N.APPEAL, Outcome.DISAGREES),
            (N.REVISE, Outcome.WRITTEN),
            (N.VERIFY_REPAIR, Outcome.DISAGREES),
        ],
        T.FAILED_VERIFICATION,
    ),
    "leak taken out": (
        {"rewriter": [LEAKY], "verifier": [AGREE, AGREE], "leak_rewriter": [GOOD]},
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.AGREES),
            (N.LEAK_CHECK, Outcome.LEAKS),
            (N.LEAK_REWRITE, Outcome.WRITTEN),
            (N.VERIFY_LEAK_REWRITE, Outcome.AGREES),
            (N.SECOND_LEAK_CHECK, Outcome.CLEAN),
        ],
        T.ACCEPTED,
    ),
    "leak taken out with the meaning": (
        {"rewriter": [LEAKY], "verifier": [AGREE, DISAGREE], "leak_rewriter": [GOOD]},
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.AGREES),
            (N.LEAK_CHECK, Outcome.LEAKS),
            (N.LEAK_REWRITE, Outcome.WRITTEN),
            (N.VERIFY_LEAK_REWRITE, Outcome.DISAGREES),
        ],
        T.FAILED_VERIFICATION,
    ),
    "leaks to the end, by the longest way": (
        {
            "rewriter": [GOOD],
            "verifier": [DISAGREE, AGREE, AGREE],
            "error_analyst": [BLAMES_VERIFIER],
            "appeal": [DISAGREE],
            "reviser": [LEAKY],
            "leak_rewriter": [LEAKY],
        },
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.DISAGREES),
            (N.ANALYSE, Outcome.VERIFIER_AT_FAULT),
            (N.APPEAL, Outcome.DISAGREES),
            (N.REVISE, Outcome.WRITTEN),
            (N.VERIFY_REPAIR, Outcome.AGREES),
            (N.LEAK_CHECK, Outcome.LEAKS),
            (N.LEAK_REWRITE, Outcome.WRITTEN),
            (N.VERIFY_LEAK_REWRITE, Outcome.AGREES),
            (N.SECOND_LEAK_CHECK, Outcome.LEAKS),
        ],
        T.ANSWER_LEAK,
    ),
    "no rewrite": ({"rewriter": [USELESS]}, [(N.REWRITE, Outcome.NO_USABLE_REPLY)], T.AGENT_ERROR),
    "no verification": (
        {"rewriter": [GOOD], "verifier": [USELESS]},
        [(N.REWRITE, Outcome.WRITTEN), (N.VERIFY, Outcome.NO_USABLE_REPLY)],
        T.AGENT_ERROR,
    ),
    "no analysis": (
        {"rewriter": [GOOD], "verifier": [DISAGREE], "error_analyst": [USELESS]},
        [(N.REWRITE, Outcome.WRITTEN), (N.VERIFY, Outcome.DISAGREES), (N.ANALYSE, Outcome.NO_USABLE_REPLY)],
        T.AGENT_ERROR,
    ),
    "no appeal": (
        {"rewriter": [GOOD], "verifier": [DISAGREE], "error_analyst": [BLAMES_VERIFIER], "appeal": [USELESS]},
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.DISAGREES),
            (N.ANALYSE, Outcome.VERIFIER_AT_FAULT),
            (N.APPEAL, Outcome.NO_USABLE_REPLY),
        ],
        T.AGENT_ERROR,
    ),
    "no revision": (
        {"rewriter": [GOOD], "verifier": [DISAGREE], "error_analyst": [MISSING], "reviser": [USELESS]},
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.DISAGREES),
            (N.ANALYSE, Outcome.OTHER_CAUSE),
            (N.REVISE, Outcome.NO_USABLE_REPLY),
        ],
        T.AGENT_ERROR,
    ),
    "no second verification": (
        {"rewriter": [GOOD], "verifier": [DISAGREE, USELESS], "error_analyst": [MISSING], "reviser": [OTHER]},
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.DISAGREES),
            (N.ANALYSE, Outcome.OTHER_CAUSE),
            (N.REVISE, Outcome.WRITTEN),
            (N.VERIFY_REPAIR, Outcome.NO_USABLE_REPLY),
        ],
        T.AGENT_ERROR,
    ),
    "no leak rewrite": (
        {"rewriter": [LEAKY], "verifier": [AGREE], "leak_rewriter": [USELESS]},
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.AGREES),
            (N.LEAK_CHECK, Outcome.LEAKS),
            (N.LEAK_REWRITE, Outcome.NO_USABLE_REPLY),
        ],
        T.AGENT_ERROR,
    ),
    "no verification of the leak rewrite": (
        {"rewriter": [LEAKY], "verifier": [AGREE, USELESS], "leak_rewriter": [GOOD]},
        [
            (N.REWRITE, Outcome.WRITTEN),
            (N.VERIFY, Outcome.AGREES),
            (N.LEAK_CHECK, Outcome.LEAKS),
            (N.LEAK_REWRITE, Outcome.WRITTEN),
            (N.VERIFY_LEAK_REWRITE, Outcome.NO_USABLE_REPLY),
        ],
        T.AGENT_ERROR,
    ),
}

ENDS = {
    T.ACCEPTED: (Status.ACCEPTED, None),
    T.FAILED_VERIFICATION: (Status.DISCARDED, DiscardReason.FAILED_VERIFICATION),
    T.ANSWER_LEAK: (Status.DISCARDED, DiscardReason.ANSWER_LEAK),
    T.AGENT_ERROR: (Status.FAILED, None),
}


@pytest.mark.parametrize("name", WAYS)
def test_an_instance_goes_its_way_over_http(name: str) -> None:
    replies, way, terminal = WAYS[name]
    script, calls = scripted(**{role: list(scripted_replies) for role, scripted_replies in replies.items()})
    with FakeServer(script) as server:
        result = play(config_for(server.url))
    assert [(visit.node, visit.outcome) for visit in result.visits] == way
    assert [visit.to for visit in result.visits] == [*(node.value for node, _ in way[1:]), terminal.value]
    assert (result.status, result.reason) == ENDS[terminal]
    assert result.last_node is way[-1][0]
    assert [visit.seq for visit in result.visits] == list(range(len(way)))
    assert sorted(calls) == sorted(role for role, given in replies.items() for _ in given)
    if terminal is T.ACCEPTED:
        written = [visit.result["question"] for visit in result.visits if visit.outcome is Outcome.WRITTEN]
        assert result.final_question == written[-1]
        assert result.detail == ""
    else:
        assert result.final_question is None
        assert result.detail
    text = Trajectory(instance_id="i", visits=result.visits).model_dump_json(by_alias=True)
    assert Trajectory.model_validate_json(text).model_dump_json(by_alias=True) == text


def test_the_ways_cover_every_row_of_the_table() -> None:
    walked = {step for _, way, _ in WAYS.values() for step in way}
    assert walked == set(transition_table(appeal=True))


def test_without_an_appeal_model_a_blamed_verifier_is_no_pass() -> None:
    script, calls = scripted(rewriter=[GOOD], verifier=[DISAGREE, AGREE], error_analyst=[BLAMES_VERIFIER], reviser=[OTHER])
    with FakeServer(script) as server:
        result = play(config_for(server.url, appeal=False))
    assert calls == ["rewriter", "verifier", "error_analyst", "reviser", "verifier"]
    assert result.final_question == OTHER_QUESTION


def test_the_reviser_is_told_both_answers_and_an_unclear_cause_after_a_lost_appeal() -> None:
    replies, _, _ = WAYS["lost on appeal, repair fails"]
    script, _ = scripted(**{role: list(given) for role, given in replies.items()})
    with FakeServer(script) as server:
        play(config_for(server.url))
    (told,) = [seen.body["messages"][1]["content"] for seen in server.seen if role_of(seen.body) == "reviser"]
    assert "what its reader named: []" in told
    assert 'what a second reader named, null if there was none: ["Bo Lind", "Cy Moe"]' in told
    assert 'cause: "unclear"' in told


def test_the_verifier_never_sees_the_gold_answer_or_the_template() -> None:
    secret = make_record(labels={"Q13": "Zed Gold"}, aliases=("Zeddy",))
    seen_by_verifier: list[str] = []

    def script(body: dict[str, Any]) -> Reply:
        if role_of(body) == "verifier":
            seen_by_verifier.append(json.dumps(body["messages"][1:]))
            return good(answers=["Zed Gold"], cannot_tell=False)
        return GOOD

    with FakeServer(script) as server:
        assert play(config_for(server.url), secret).status is Status.ACCEPTED
    (text,) = seen_by_verifier
    assert text.count("Zed Gold") == 1  # as one of the five subjects of the evidence
    assert "Zeddy" not in text
    assert "first fact" not in text
    assert "I-after-I" not in text


@pytest.mark.parametrize("modes", [("all",), ("all", "single")])
@pytest.mark.parametrize("retries", [0, 2])
def test_no_stub_gets_more_calls_than_the_documented_maximum(modes: tuple[str, ...], retries: int) -> None:
    """The longest way, with every usable reply preceded by as many useless ones as the retries allow."""
    k = len(modes)
    answers = {
        "rewriter": [GOOD],
        "verifier": [AGREE] * (k - 1) + [DISAGREE] + [AGREE] * 2 * k,
        "error_analyst": [BLAMES_VERIFIER],
        "appeal": [AGREE] * (k - 1) + [DISAGREE],
        "reviser": [LEAKY],
        "leak_rewriter": [LEAKY],
    }
    single = good(answers=["Cy Moe"], cannot_tell=False)
    patient = {role: [reply for answer in given for reply in [*[USELESS] * retries, answer]] for role, given in answers.items()}
    for given in patient.values():
        given[:] = [single if reply is DISAGREE and k > 1 else reply for reply in given]
    script, calls = scripted(**patient)
    with FakeServer(script) as server:
        result = play(config_for(server.url, modes=modes, retries=retries))
    assert result.reason is DiscardReason.ANSWER_LEAK
    assert len(calls) == (4 + 4 * k) * (1 + retries) == max_role_calls(k) * (1 + retries)


@pytest.mark.parametrize("stub", [DISAGREE, CANNOT_TELL, USELESS, AGREE])
@pytest.mark.parametrize("question", [GOOD, LEAKY, USELESS])
def test_any_stubborn_stub_ends_within_the_maximum(stub: Reply, question: Reply) -> None:
    calls: list[str] = []

    def script(body: dict[str, Any]) -> Reply:
        calls.append(role_of(body))
        return {"verifier": stub, "appeal": stub, "error_analyst": BLAMES_VERIFIER}.get(calls[-1], question)

    with FakeServer(script) as server:
        result = play(config_for(server.url, retries=1))
    assert len(calls) <= max_role_calls(1) * 2
    assert (result.status is Status.ACCEPTED) == (stub is AGREE and question is GOOD)


def test_all_modes_must_agree_and_the_first_that_does_not_decides() -> None:
    script, calls = scripted(rewriter=[GOOD], verifier=[AGREE, DISAGREE, DISAGREE], error_analyst=[MISSING], reviser=[OTHER])
    with FakeServer(script) as server:
        result = play(config_for(server.url, modes=("all", "single")))
    verifications = [(visit.node, visit.mode, visit.outcome, visit.to) for visit in result.visits if visit.role is Role.VERIFIER]
    assert verifications == [
        (N.VERIFY, "all", Outcome.AGREES, "verify"),
        (N.VERIFY, "single", Outcome.DISAGREES, "analyse"),
        (N.VERIFY_REPAIR, "all", Outcome.DISAGREES, "discarded: failed verification"),
    ]
    assert calls.count("verifier") == 3


def test_the_same_request_again_is_another_sample() -> None:
    script, _ = scripted(rewriter=[GOOD], verifier=[DISAGREE, AGREE], error_analyst=[MISSING], reviser=[GOOD])
    with FakeServer(script) as server:
        result = play(config_for(server.url))
    first, second = (visit.tries[0] for visit in result.visits if visit.role is Role.VERIFIER)
    assert first.request == second.request
    assert (first.sample, second.sample) == (0, 1)
    assert first.request_sha256 != second.request_sha256


def test_a_role_is_asked_again_with_what_the_gate_found() -> None:
    shortened = good(question=GOOD_QUESTION.replace("Ana Roy", "Ana"))
    script, _ = scripted(rewriter=[shortened, GOOD], verifier=[AGREE])
    with FakeServer(script) as server:
        result = play(config_for(server.url, retries=1))
    assert result.status is Status.ACCEPTED
    assert "'Ana Roy'" in server.seen[1].body["messages"][-1]["content"]


def test_one_instances_failure_is_not_the_next_ones() -> None:
    """Three instances; the second's rewriter fails, the third is given the first's text."""
    texts = {"Ana Roy": GOOD_QUESTION, "Bea Fox": "no JSON\nat all", "Dee Hay": GOOD_QUESTION}

    def script(body: dict[str, Any]) -> Reply:
        if role_of(body) == "verifier":
            return AGREE
        (name,) = [name for name in texts if name in body["messages"][1]["content"].split("\n")[1]]
        return good(question=texts[name]) if name != "Bea Fox" else Reply(content=texts[name])

    with FakeServer(script) as server:
        results = [play(config_for(server.url), make_record(number=number, labels={"Q12": name})) for number, name in enumerate(texts)]
    assert [result.status for result in results] == [Status.ACCEPTED, Status.FAILED, Status.FAILED]
    assert "must name 'Dee Hay'" in results[2].detail


def test_a_role_that_names_an_unknown_model_is_one_clear_error() -> None:
    config = Config.model_validate({"dataset": "d", "graph": {"path": "x"}, "agents": {"rewriter": {"model": "offlin"}}})
    with pytest.raises(ConfigError, match="Did you mean 'offline'"):
        build_workflow(config, environ={})
