"""Questions about tables go the ways of the one transition table, with roles of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agents.kinds import GRAPH, TABLE
from agents.replay import replay_instance
from agents.setup import build_workflow, check_crew
from agents.transitions import NODE_ROLES, nodes_of, transition_table
from agents.workflow import InstanceResult, run_instance
from state.config import Config
from state.errors import ConfigError, ReplayMismatch
from state.roles import AnswersReply, CauseReply, QuestionReply, RoleReply
from state.table_instance import TableInstance
from state.table_roles import TableReviseRequest
from state.trajectory import Visit
from state.vocabulary import Cause, DiscardReason, Node, Outcome, Role, Status, Terminal
from tests.table_instances import TABLE_QUESTION, make_instance

OTHER = TABLE_QUESTION.replace("Who was", "Which people were")
LEAKY = TABLE_QUESTION.replace("Who was", "Who, like Bo Lind, was")
RIGHT = AnswersReply(answers=("Cy Moe", "Bo Lind"), cannot_tell=False)
WRONG = AnswersReply(answers=("Bo Lind", "Dee Hay"), cannot_tell=False)
NOBODY = AnswersReply(answers=(), cannot_tell=False)
MISSING = CauseReply(cause=Cause.MISSING_CONSTRAINT, reason="the end is gone")
BLAMED = CauseReply(cause=Cause.VERIFIER_AT_FAULT, reason="it misread")


def written(text: str) -> QuestionReply:
    return QuestionReply(question=text)


def config(*, appeal: bool = False, **agents: Any) -> Config:
    more = {"appeal": {}} if appeal else {}
    return Config.model_validate({"dataset": "d", "graph": {"path": "x"}, "agents": {**more, **agents}})


def play(
    replies: dict[Role, list[RoleReply]], *, appeal: bool = False, instance: TableInstance | None = None
) -> tuple[InstanceResult, dict[Role, list[Any]]]:
    """Runs an instance with replies in order; also what each role was shown."""
    shown: dict[Role, list[Any]] = {}

    def rule(role: Role) -> Callable[[Any, str | None], RoleReply]:
        def reply(request: Any, mode: str | None) -> RoleReply:
            shown.setdefault(role, []).append(request)
            return replies[role].pop(0)

        return reply

    workflow = build_workflow(config(appeal=appeal), environ={}, kind=TABLE, rules={role: rule(role) for role in TABLE.prompt_folders})
    return asyncio.run(run_instance(instance or make_instance(), workflow)), shown


WAYS: dict[str, tuple[dict[Role, list[RoleReply]], list[Node], Terminal]] = {
    "straight through": (
        {Role.REWRITER: [written(TABLE_QUESTION)], Role.VERIFIER: [RIGHT]},
        [Node.REWRITE, Node.VERIFY, Node.LEAK_CHECK],
        Terminal.ACCEPTED,
    ),
    "repaired": (
        {
            Role.REWRITER: [written(OTHER)],
            Role.VERIFIER: [WRONG, RIGHT],
            Role.ERROR_ANALYST: [MISSING],
            Role.REVISER: [written(TABLE_QUESTION)],
        },
        [Node.REWRITE, Node.VERIFY, Node.ANALYSE, Node.REVISE, Node.VERIFY_REPAIR, Node.LEAK_CHECK],
        Terminal.ACCEPTED,
    ),
    "won on appeal": (
        {Role.REWRITER: [written(TABLE_QUESTION)], Role.VERIFIER: [NOBODY], Role.ERROR_ANALYST: [BLAMED], Role.APPEAL: [RIGHT]},
        [Node.REWRITE, Node.VERIFY, Node.ANALYSE, Node.APPEAL, Node.LEAK_CHECK],
        Terminal.ACCEPTED,
    ),
    "lost on appeal, repair fails": (
        {
            Role.REWRITER: [written(TABLE_QUESTION)],
            Role.VERIFIER: [NOBODY, WRONG],
            Role.ERROR_ANALYST: [BLAMED],
            Role.APPEAL: [WRONG],
            Role.REVISER: [written(OTHER)],
        },
        [Node.REWRITE, Node.VERIFY, Node.ANALYSE, Node.APPEAL, Node.REVISE, Node.VERIFY_REPAIR],
        Terminal.FAILED_VERIFICATION,
    ),
    "leak taken out": (
        {Role.REWRITER: [written(LEAKY)], Role.VERIFIER: [RIGHT, RIGHT], Role.LEAK_REWRITER: [written(TABLE_QUESTION)]},
        [Node.REWRITE, Node.VERIFY, Node.LEAK_CHECK, Node.LEAK_REWRITE, Node.VERIFY_LEAK_REWRITE, Node.SECOND_LEAK_CHECK],
        Terminal.ACCEPTED,
    ),
    "leaks to the end": (
        {Role.REWRITER: [written(LEAKY)], Role.VERIFIER: [RIGHT, RIGHT], Role.LEAK_REWRITER: [written(LEAKY)]},
        [Node.REWRITE, Node.VERIFY, Node.LEAK_CHECK, Node.LEAK_REWRITE, Node.VERIFY_LEAK_REWRITE, Node.SECOND_LEAK_CHECK],
        Terminal.ANSWER_LEAK,
    ),
    "the gate refuses": (
        {Role.REWRITER: [written("Who was head miller of Fenn Mill?")]},
        [Node.REWRITE],
        Terminal.AGENT_ERROR,
    ),
}


def copied(way: str) -> tuple[dict[Role, list[RoleReply]], list[Node], Terminal]:
    replies, nodes, end = WAYS[way]
    return {role: list(said) for role, said in replies.items()}, nodes, end


@pytest.mark.parametrize("way", WAYS)
def test_every_way_is_that_of_the_table_and_replays_from_its_record(way: str) -> None:
    replies, nodes, end = copied(way)
    result, _ = play(replies, appeal="appeal" in way)
    assert [visit.node for visit in result.visits] == nodes
    assert result.visits[-1].to == end.value
    assert not any(replies.values())
    assert (result.final_question is not None) == (result.status is Status.ACCEPTED) == (end is Terminal.ACCEPTED)
    again = asyncio.run(replay_instance(make_instance(), result.visits, config(appeal="appeal" in way), kind=TABLE))
    assert (again.status, again.final_question, again.detail) == (result.status, result.final_question, result.detail)


def test_where_nothing_answers_the_verifier_agrees_by_naming_nobody() -> None:
    result, _ = play({Role.REWRITER: [written(TABLE_QUESTION)], Role.VERIFIER: [NOBODY]}, instance=make_instance(()))
    assert result.status is Status.ACCEPTED
    cannot_tell = AnswersReply(answers=(), cannot_tell=True)
    for said in (cannot_tell, WRONG):
        replies: dict[Role, list[RoleReply]] = {
            Role.REWRITER: [written(TABLE_QUESTION)], Role.VERIFIER: [said, said], Role.ERROR_ANALYST: [MISSING],
            Role.REVISER: [written(OTHER)],
        }  # fmt: skip
        result, _ = play(replies, instance=make_instance(()))
        assert (result.status, result.reason) == (Status.DISCARDED, DiscardReason.FAILED_VERIFICATION)


def test_the_reviser_is_told_what_both_verifiers_named_and_the_leak_rewriter_what_to_avoid() -> None:
    replies, _, _ = copied("lost on appeal, repair fails")
    _, shown = play(replies, appeal=True)
    (request,) = shown[Role.REVISER]
    assert isinstance(request, TableReviseRequest)
    assert (request.verifier_answers, request.appeal_answers, request.cause) == ((), WRONG.answers, Cause.UNCLEAR)
    replies, _, _ = copied("leak taken out")
    _, shown = play(replies)
    assert shown[Role.LEAK_REWRITER][0].avoid == ("Bo Lind", "Lind", "Cy Moe", "Moe")


def test_the_rewriter_is_told_which_phrasing_of_how_many_is_wanted() -> None:
    replies, _, _ = copied("straight through")
    _, shown = play(replies, instance=make_instance(phrasing=2))
    (request,) = shown[Role.REWRITER]
    assert (request.phrasing, request.phrasings, request.ends, request.open_end) == (2, 3, "exclusive", "ongoing")


def test_an_accepted_question_can_be_verified_again_alone_and_no_question_never_passes() -> None:
    def verified(instance: TableInstance, said: AnswersReply) -> InstanceResult:
        rules = {Role.VERIFIER: lambda request, mode: said}
        workflow = build_workflow(config(), environ={}, kind=TABLE, rules=rules, verifies_only=True)
        return asyncio.run(run_instance(instance, workflow))

    again = verified(make_instance(final_question=OTHER), RIGHT)
    assert (again.status, again.final_question, len(again.visits)) == (Status.ACCEPTED, OTHER, 1)
    assert verified(make_instance(final_question=OTHER), WRONG).status is Status.DISCARDED
    assert verified(make_instance(()), NOBODY).status is Status.FAILED


@pytest.mark.parametrize("field", ["reply_raw", "outcome", "role"])
def test_replay_finds_what_was_edited_in_the_record(field: str) -> None:
    replies, _, _ = copied("repaired")
    result, _ = play(replies)
    visit = result.visits[1]
    edited = {
        "reply_raw": {"tries": (visit.tries[0].model_copy(update={"reply_raw": RIGHT.model_dump_json()}),)},
        "outcome": {"outcome": Outcome.AGREES},
        "role": {"role": Role.APPEAL},
    }[field]
    visits: list[Visit] = [*result.visits]
    visits[1] = visit.model_copy(update=edited)
    with pytest.raises(ReplayMismatch):
        asyncio.run(replay_instance(make_instance(), visits, config(), kind=TABLE))


@pytest.mark.parametrize(
    "agents",
    [
        {"verifier": {"modes": ["single"]}},
        {"verifier": {"modes": ["all", "single"]}},
        {"verifier": {"modes": ["roundtrip"]}, "round_trip_reader": {}},
        {"round_trip_reader": {}},
    ],
)
def test_settings_that_mean_nothing_for_tables_are_refused_and_those_for_graphs_are_not(agents: dict[str, Any]) -> None:
    check_crew(config(**agents), GRAPH)
    with pytest.raises(ConfigError, match=r"agents\.(verifier\.modes|round_trip_reader)"):
        check_crew(config(**agents), TABLE)


@pytest.mark.parametrize("kind", [GRAPH, TABLE], ids=lambda kind: kind.name)
def test_each_kind_has_work_for_every_node_and_prompts_for_every_role(kind: Any) -> None:
    assert set(kind.nodes) == set(nodes_of(transition_table(appeal=True)))
    assert set(kind.prompt_folders) - {Role.ROUND_TRIP_READER} == set(NODE_ROLES.values()) - {Role.LEAK_FILTER}
