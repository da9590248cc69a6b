"""What is said of an instance's calls beforehand holds for every way that the real workflow can take."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.backends import Exchange, Source
from agents.call_bounds import request_bytes
from agents.expected_calls import CallPlan, Expected, Stage, passing_way
from agents.expected_graph_calls import typed_request
from agents.read_constraints import Bench
from agents.replies import RawReply
from agents.rules_backend import RulesSource
from agents.setup import build_crew, build_workflow, role_configs, table_of
from agents.transitions import NODE_ROLES, START, Table, nodes_of, transition_table
from agents.workflow import InstanceResult, Workflow, run_instance
from state.config import Config, ModelConfig
from state.instance import BenchmarkRecord
from state.roles import AnswersReply, CauseReply, QuestionReply, ReviseRequest, RoleRequest
from state.trajectory import Usage
from state.vocabulary import Cause, Node, Role, Terminal
from tests.sample_record import GOOD_QUESTION, make_record

ROLES = ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter")
LEAKING = GOOD_QUESTION.replace("Who became", "Who, like Bo Lind, became")


def config_of(model: Mapping[str, Any], *, appeal: bool = True, by_rules: frozenset[str] = frozenset(), **agents: Any) -> Config:
    roles = (*ROLES, "appeal") if appeal else ROLES
    chosen: dict[str, Any] = {role: {"model": "offline" if role in by_rules else "main"} for role in roles}
    if modes := agents.pop("modes", None):
        chosen["verifier"]["modes"] = modes
        if "roundtrip" in modes:
            chosen["round_trip_reader"] = {"model": "offline" if "round_trip_reader" in by_rules else "main"}
    models = {"main": {"provider": "openai", "model": "m", **model}, "offline": {"provider": "offline-rules"}}
    return Config.model_validate({"dataset": "sample", "graph": {"path": "x"}, "models": models, "agents": chosen | agents})


def plan_of(config: Config) -> CallPlan:
    crew = build_crew(config, lambda name, model: RulesSource({}))
    return CallPlan(crew, table_of(config), {role: config.models[its.model] for role, its in role_configs(config.agents).items()})


def expected_of(config: Config, record: BenchmarkRecord) -> dict[Stage, Expected]:
    plan = plan_of(config)
    return dict(zip(plan.stages, plan.expect(record), strict=True))


@st.composite
def configs(draw: st.DrawFn) -> Config:
    model: dict[str, Any] = {"token_limit": draw(st.integers(1, 3000))}
    model["structured_output"] = draw(st.sampled_from(("json_schema", "auto", "prompt")))
    model["token_limit_name"] = draw(st.sampled_from(("max_tokens", "max_completion_tokens")))
    return config_of(
        model,
        appeal=draw(st.booleans()),
        by_rules=draw(st.frozensets(st.sampled_from((*ROLES, "round_trip_reader")))),
        modes=draw(st.sampled_from((["all"], ["single"], ["single", "all"], ["roundtrip"], ["all", "roundtrip"]))),
        retries=draw(st.integers(0, 5)),
    )


@st.composite
def records(draw: st.DrawFn) -> BenchmarkRecord:
    labels = draw(st.dictionaries(st.sampled_from(("Q11", "Q12", "Q13", "Q14", "Q1")), st.text(min_size=1, max_size=200), max_size=5))
    raw_question = draw(st.none() | st.text(min_size=1, max_size=4000))
    return make_record(labels=labels, aliases=draw(st.lists(st.text(min_size=1, max_size=50), max_size=3)), raw_question=raw_question)


@settings(max_examples=60)
@given(configs(), records())
def test_least_is_not_above_most_and_most_not_above_the_bound(config: Config, record: BenchmarkRecord) -> None:
    for stage, (least, most, bound) in expected_of(config, record).items():
        for low, middle, high in zip(least, most, bound, strict=True):
            assert 0 <= low <= middle <= high, stage.name


def ways(table: Table, at: Any = START) -> list[tuple[Node, ...]]:
    """Every way from a node to an end."""
    if isinstance(at, Terminal):
        return [()]
    return [(at, *rest) for to in {to for (node, _), to in table.items() if node is at} for rest in ways(table, to)]


@pytest.mark.parametrize("appeal", [True, False])
def test_the_longest_way_visits_every_node_and_the_passing_way_is_the_shortest_to_acceptance(appeal: bool) -> None:
    table = transition_table(appeal=appeal)
    found = ways(table)
    assert set(nodes_of(table)) in [set(way) for way in found]
    last = {node for (node, _), to in table.items() if to is Terminal.ACCEPTED}
    assert passing_way(table) == set(min((way for way in found if way[-1] in last), key=len))
    assert passing_way(table) == {Node.REWRITE, Node.VERIFY, Node.LEAK_CHECK}


def play(workflow: Workflow, record: BenchmarkRecord) -> InstanceResult:
    async def go() -> InstanceResult:
        try:
            return await run_instance(record, workflow)
        finally:
            await workflow.aclose()

    return asyncio.run(go())


def test_requests_are_those_of_the_real_nodes_but_for_what_other_roles_wrote() -> None:
    record, seen = make_record(), {}
    rival = AnswersReply(answers=("Ana Roy",), cannot_tell=False)

    def by(role: Role, *replies: Any) -> Callable[[RoleRequest, str | None], Any]:
        left = list(replies)

        def rule(typed: RoleRequest, mode: str | None) -> Any:
            seen.setdefault(role, typed)
            return left.pop(0)

        return rule

    gold = AnswersReply(answers=("Bo Lind",), cannot_tell=False)
    rules = {
        Role.REWRITER: by(Role.REWRITER, QuestionReply(question=GOOD_QUESTION)),
        Role.VERIFIER: by(Role.VERIFIER, rival, gold, gold),
        Role.ERROR_ANALYST: by(Role.ERROR_ANALYST, CauseReply(cause=Cause.VERIFIER_AT_FAULT, reason="r")),
        Role.APPEAL: by(Role.APPEAL, rival),
        Role.REVISER: by(Role.REVISER, QuestionReply(question=LEAKING)),
        Role.LEAK_REWRITER: by(Role.LEAK_REWRITER, QuestionReply(question=GOOD_QUESTION)),
    }
    result = play(build_workflow(config_of({}, by_rules=frozenset((*ROLES, "appeal"))), environ={}, rules=rules), record)
    assert {visit.node for visit in result.visits} == set(nodes_of(transition_table(appeal=True)))
    written = {"question": record.raw_question}
    told = {"verifier_answers": (record.answer,)}
    assert typed_request(Role.REWRITER, record, has_appeal=True) == seen[Role.REWRITER]
    assert typed_request(Role.VERIFIER, record, has_appeal=True) == seen[Role.VERIFIER].model_copy(update=written)
    assert typed_request(Role.APPEAL, record, has_appeal=True) == seen[Role.APPEAL].model_copy(update=written)
    assert typed_request(Role.ERROR_ANALYST, record, has_appeal=True) == seen[Role.ERROR_ANALYST].model_copy(update=written | told)
    leak = typed_request(Role.LEAK_REWRITER, record, has_appeal=True)
    assert leak == seen[Role.LEAK_REWRITER].model_copy(update=written | {"avoid": leak.avoid})  # type: ignore[union-attr]
    assert set(leak.avoid) == set(seen[Role.LEAK_REWRITER].avoid)  # type: ignore[union-attr]
    revise = typed_request(Role.REVISER, record, has_appeal=True)
    assert isinstance(revise, ReviseRequest)
    own = {"cause": revise.cause, "reason": revise.reason, "appeal_answers": (record.answer,)}
    assert revise == seen[Role.REVISER].model_copy(update=written | told | own)


STATED = json.loads(Bench(make_record()).state().model_dump_json())
RANKED = {"operator": "end rank", "left": STATED["constraints"][0]["left"], "right": None, "rank": 12, "order": "descending"}


class ByteModel:
    """A model whose tokens are bytes; says what it is told to say, as long as it may."""

    immediate = False

    def __init__(self, draw: Callable[[st.SearchStrategy[str]], str]) -> None:
        self.draw = draw

    async def fetch(self, exchange: Exchange, well_formed: Callable[[RawReply], bool]) -> RawReply:
        limit = exchange.request.params_sent["max_completion_tokens"]
        kind = self.draw(st.sampled_from(("usable", "usable", "contrary", "unusable", "cut off")))
        text = self.said(kind, exchange.role, limit)
        usage = Usage(input=request_bytes(exchange.request), output=len(text))
        return RawReply(text, "length" if kind == "cut off" or len(text) < 20 else "stop", usage=usage)

    def said(self, kind: str, role: Role, limit: int) -> str:
        if kind in ("unusable", "cut off"):
            return "x " * (limit // 2)
        fields: dict[str, Any] = {"question": "Who" + " " + GOOD_QUESTION[4:]}
        if role in (Role.VERIFIER, Role.APPEAL):
            fields = {"answers": ["Bo Lind" if kind == "usable" else "Ana Roy"], "cannot_tell": False}
        elif role is Role.ROUND_TRIP_READER:
            others = [RANKED] * int(self.draw(st.sampled_from("0123")))
            stated = STATED["constraints"] if kind == "usable" else others
            fields = {"constraints": stated, "cannot_tell": False}
        elif role is Role.ERROR_ANALYST:
            fields = {"cause": "verifier at fault" if kind == "usable" else "unclear", "reason": ""}
        elif kind == "contrary":
            fields = {"question": LEAKING}
        name = next((name for name in ("reason", "question") if name in fields), None)
        room = limit - len(json.dumps(fields))
        if name and room > 0:
            fields[name] = (
                " ".join([fields[name][:3], "x" * (room - 1), fields[name][4:]]) if name == "question" and room > 1 else "x" * room
            )
        text = json.dumps(fields)
        return text if len(text) <= limit else "x " * (limit // 2)

    async def aclose(self) -> None:
        pass


@settings(max_examples=60)
@given(
    st.data(), st.integers(0, 3), st.booleans(), st.integers(30, 900), st.sampled_from((["all"], ["all", "single"], ["roundtrip", "all"]))
)
def test_no_way_of_the_real_workflow_takes_more_than_the_bound(
    data: st.DataObject, retries: int, appeal: bool, limit: int, modes: list[str]
) -> None:
    config = config_of({"token_limit": limit}, appeal=appeal, modes=modes, retries=retries)
    source: Source = ByteModel(data.draw)
    result = play(Workflow(build_crew(config, lambda name, model: source), table_of(config)), make_record())
    taken: dict[Stage, Counter[str]] = {}
    for visit in result.visits:
        for a_try in visit.tries:
            counter = taken.setdefault(Stage(visit.node, visit.role, visit.mode), Counter())  # type: ignore[arg-type]
            counter.update(calls=1, prompt=a_try.usage.input, reply=a_try.usage.output)
    expected = expected_of(config, make_record())
    assert taken.keys() <= expected.keys()
    for stage, counter in taken.items():
        for name, amount in counter.items():
            assert amount <= getattr(expected[stage].bound, name), (stage.name, name)


def test_rules_cost_no_tokens_and_are_asked_once() -> None:
    expected = expected_of(config_of({}, by_rules=frozenset(ROLES), appeal=False), make_record())
    assert {stage.node for stage, one in expected.items() if one.least.calls} == {Node.REWRITE, Node.VERIFY}
    assert all(one.bound == (1, 0, 0) == one.most for one in expected.values())


def test_a_model_without_a_limit_leaves_its_stages_and_those_that_read_it_unbounded() -> None:
    config = config_of({"token_limit": 100}, by_rules=frozenset({"verifier", "appeal"}))
    open_ended = ModelConfig(provider="openai", model="o")
    config = config.model_copy(update={"models": {**config.models, "open": open_ended}})
    analyst = config.agents.error_analyst.model_copy(update={"model": "open"})
    config = config.model_copy(update={"agents": config.agents.model_copy(update={"error_analyst": analyst})})
    plan = plan_of(config)
    assert [one.bound.calls for one in plan.expect(make_record())] == [1 if plan.is_by_rules(stage.role) else 3 for stage in plan.stages]
    assert {stage.node: role for stage, role in plan.unbounded().items()} == {
        Node.ANALYSE: Role.ERROR_ANALYST,
        Node.REVISE: Role.ERROR_ANALYST,
    }


def test_every_stage_but_the_leak_filter_is_there_once_a_mode() -> None:
    stages = plan_of(config_of({}, modes=["all", "single"])).stages
    assert len(stages) == 4 + 4 * 2
    assert {stage.node for stage in stages} == {node for node, role in NODE_ROLES.items() if role is not Role.LEAK_FILTER}
    assert Stage(Node.VERIFY_LEAK_REWRITE, Role.VERIFIER, "single").name == "verify leak rewrite (single)"


def test_the_round_trip_reader_plays_its_mode_in_every_verifying_node() -> None:
    stages = plan_of(config_of({}, modes=["roundtrip", "all"])).stages
    assert len(stages) == 4 + 4 * 2
    nodes = [stage.node for stage in stages if stage.role is Role.ROUND_TRIP_READER]
    assert nodes == [Node.VERIFY, Node.APPEAL, Node.VERIFY_REPAIR, Node.VERIFY_LEAK_REWRITE]
    assert {stage.mode for stage in stages if stage.role is Role.ROUND_TRIP_READER} == {"roundtrip"}
    assert Role.ROUND_TRIP_READER not in {stage.role for stage in plan_of(config_of({}, modes=["all"])).stages}
