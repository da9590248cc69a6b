"""What is said of the calls of a question about tables beforehand holds for the way that the real workflow takes."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.backends import Exchange
from agents.call_bounds import request_bytes
from agents.expected_calls import CallPlan, Stage
from agents.kinds import TABLE
from agents.replies import RawReply
from agents.rules_backend import RulesSource
from agents.setup import build_crew, role_configs, table_of
from agents.tables.expected_calls import table_request
from agents.workflow import Workflow, run_instance
from state.config import Config
from state.table_instance import TableInstance
from state.trajectory import Usage
from state.vocabulary import Role
from tests.table_instances import TABLE_QUESTION, make_instance

ROLES = ("rewriter", "verifier", "appeal", "error_analyst", "reviser", "leak_rewriter")
LEAKING = TABLE_QUESTION.replace("Who was", "Who, like Bo Lind, was")
SAID: Mapping[Role, Mapping[str, Any]] = {
    Role.REWRITER: {"question": TABLE_QUESTION},
    Role.VERIFIER: {"answers": ["Dee Hay"], "cannot_tell": False},
    Role.APPEAL: {"answers": [], "cannot_tell": False},
    Role.ERROR_ANALYST: {"cause": "verifier at fault", "reason": "r"},
    Role.REVISER: {"question": LEAKING},
    Role.LEAK_REWRITER: {"question": TABLE_QUESTION},
}


def config_of(limit: int, retries: int) -> Config:
    models = {"main": {"provider": "openai", "model": "m", "token_limit": limit, "token_limit_name": "max_tokens"}}
    agents: dict[str, Any] = {role: {"model": "main"} for role in ROLES}
    return Config.model_validate({"dataset": "d", "graph": {"path": "x"}, "models": models, "agents": {**agents, "retries": retries}})


def plan_of(config: Config) -> CallPlan:
    models = {role: config.models[chosen.model] for role, chosen in role_configs(config.agents).items()}
    return CallPlan(build_crew(config, lambda name, model: RulesSource({}), TABLE), table_of(config), models)


class ByteModel:
    """A model whose tokens are bytes; the first verification fails, and what the reviser writes leaks."""

    immediate = False

    def __init__(self, is_cut_off: Callable[[], bool]) -> None:
        self.is_cut_off = is_cut_off
        self.typed: dict[Role, Any] = {}

    async def fetch(self, exchange: Exchange, well_formed: Callable[[RawReply], bool]) -> RawReply:
        limit = exchange.request.params_sent["max_tokens"]
        fields = SAID[exchange.role]
        if exchange.role is Role.VERIFIER and Role.REVISER in self.typed:
            fields = {"answers": ["Bo Lind", "Cy Moe"], "cannot_tell": False}
        self.typed.setdefault(exchange.role, exchange.typed)
        text = "x " * (limit // 2) if self.is_cut_off() else json.dumps(fields)
        text, usage = text[:limit], Usage(input=request_bytes(exchange.request), output=min(limit, len(text)))
        return RawReply(text, "length" if len(text) == limit else "stop", usage=usage)

    async def aclose(self) -> None:
        pass


def take(config: Config, instance: TableInstance, is_cut_off: Callable[[], bool]) -> tuple[dict[Stage, Counter[str]], ByteModel]:
    source, taken = ByteModel(is_cut_off), dict[Stage, Counter[str]]()
    workflow = Workflow(build_crew(config, lambda name, model: source, TABLE), table_of(config))
    for visit in asyncio.run(run_instance(instance, workflow)).visits:
        for a_try in visit.tries:
            counter = taken.setdefault(Stage(visit.node, visit.role, visit.mode), Counter())  # type: ignore[arg-type]
            counter.update(calls=1, prompt=a_try.usage.input, reply=a_try.usage.output)
    return taken, source


@settings(max_examples=15)
@given(st.data(), st.integers(0, 2), st.integers(20, 600))
def test_no_way_takes_more_than_the_bound_and_least_is_not_above_most(data: st.DataObject, retries: int, limit: int) -> None:
    config, instance = config_of(limit, retries), make_instance()
    plan = plan_of(config)
    expected = dict(zip(plan.stages, plan.expect(instance), strict=True))
    for least, most, bound in expected.values():
        assert all(0 <= low <= middle <= high for low, middle, high in zip(least, most, bound, strict=True))
    taken, _ = take(config, instance, lambda: data.draw(st.booleans()))
    for stage, counter in taken.items():
        assert all(amount <= getattr(expected[stage].bound, name) for name, amount in counter.items()), stage.name


def test_the_longest_way_is_foreseen_stage_by_stage_and_the_rewriters_request_to_the_byte() -> None:
    config, instance = config_of(4000, 0), make_instance(phrasing=2)
    plan = plan_of(config)
    taken, model = take(config, instance, lambda: False)
    assert set(taken) == set(plan.stages)
    assert len(plan.first_keys(instance)) == 1
    assert (
        table_request(Role.REWRITER, instance, build_crew(config, lambda name, model: RulesSource({}), TABLE)) == model.typed[Role.REWRITER]
    )


@pytest.mark.parametrize("role", [Role.VERIFIER, Role.APPEAL, Role.ERROR_ANALYST, Role.REVISER, Role.LEAK_REWRITER])
def test_requests_are_those_of_the_real_nodes_but_for_what_other_roles_said(role: Role) -> None:
    config, instance = config_of(4000, 0), make_instance()
    _, model = take(config, instance, lambda: False)
    foreseen = dict(table_request(role, instance, build_crew(config, lambda name, model: RulesSource({}), TABLE)))
    said = {"question", "verifier_answers", "appeal_answers", "cause", "reason", "avoid"}
    real = dict(model.typed[role])
    assert foreseen.keys() == real.keys()
    assert {name: value for name, value in foreseen.items() if name not in said} == {
        name: value for name, value in real.items() if name not in said
    }
