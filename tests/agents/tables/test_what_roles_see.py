"""What each role is sent about a question of tables; the verifier nothing of the query or its answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.crew import Crew
from agents.kinds import TABLE
from agents.prompt_renderer import prompt_renderer
from agents.rules_backend import render_typed
from agents.tables.error_analyst import table_analyse_request
from agents.tables.leak_filter import table_leak_filter
from agents.tables.leak_rewriter import table_leak_rewrite_request
from agents.tables.rewriter import asked_table, translate_request
from agents.tables.verifier import table_verify_request
from state.config import ModelConfig
from state.pipeline_state import initial_state
from state.roles import RoleRequest
from state.table_instance import ShownTable
from state.vocabulary import LeakKind, Node, Outcome, Role
from tests.table_instances import TABLE_QUESTION, make_instance

MODEL = ModelConfig.model_validate({"provider": "openai", "model": "m", "base_url": "http://localhost:1/v1"})
RENDERERS = {
    "model": prompt_renderer(MODEL, dict.fromkeys(TABLE.prompt_folders, "v1"), None, TABLE.prompt_folders),
    "rules": render_typed,
}
NOBODY = Crew(backends={}, kind=TABLE)
SECRET = "Zanzibar Quux"


def sent(backend: str, role: Role, request: RoleRequest) -> str:
    return RENDERERS[backend](role, request, None, ())[0].model_dump_json()


@pytest.mark.parametrize("backend", RENDERERS)
@pytest.mark.parametrize("role", [Role.VERIFIER, Role.APPEAL])
def test_what_a_verifier_is_sent_depends_on_question_and_rows_alone(role: Role, backend: str) -> None:
    instance = make_instance()
    other = make_instance(("Dee Hay",), sql=SECRET, glossary={SECRET: SECRET}, evidence=instance.evidence, comparisons=(), determinants={})
    plain, changed = (sent(backend, role, table_verify_request(one, TABLE_QUESTION)) for one in (instance, other))
    assert plain == changed
    assert SECRET not in plain
    assert "SELECT" not in plain


@pytest.mark.parametrize("backend", RENDERERS)
def test_the_others_are_shown_the_query_and_what_its_columns_are_called(backend: str) -> None:
    instance = make_instance(sql=SECRET)
    state = initial_state(instance, Node.REWRITE)
    requests: dict[Role, RoleRequest] = {
        Role.REWRITER: translate_request(instance, 3),
        Role.ERROR_ANALYST: table_analyse_request(state),
        Role.LEAK_REWRITER: table_leak_rewrite_request(instance, TABLE_QUESTION),
    }
    assert all(SECRET in sent(backend, role, request) for role, request in requests.items())


@pytest.mark.parametrize(
    ("question", "answers", "leaks"),
    [
        (TABLE_QUESTION, ("Bo Lind", "Cy Moe"), []),
        (TABLE_QUESTION.replace("Who was", "Who but Cy Moe was"), ("Bo Lind", "Cy Moe"), [(LeakKind.LABEL, "Cy Moe")]),
        (TABLE_QUESTION.replace("Who was", "Who but Lind was"), ("Bo Lind", "Cy Moe"), [(LeakKind.NAME_PART, "Lind")]),
        (TABLE_QUESTION, ("Fenn Mill",), [(LeakKind.LABEL, "Fenn Mill")]),
        (TABLE_QUESTION, (), []),
    ],
)
def test_every_answer_and_its_parts_leak_even_where_it_must_be_named(question: str, answers: tuple[str, ...], leaks: list[Any]) -> None:
    result = asyncio.run(table_leak_filter(initial_state(make_instance(answers), Node.LEAK_CHECK) | {"question": question}, NOBODY))
    assert result.outcome is (Outcome.LEAKS if leaks else Outcome.CLEAN)
    assert result.update["leaks"] == tuple(name for _, name in leaks)
    assert result.work[0].result == {"leaks": [{"kind": kind.value, "name": name} for kind, name in leaks]}
    assert result.update.get("cleared") == (None if leaks else question)


def test_the_rows_of_the_asked_column_say_how_ends_are_meant() -> None:
    first = make_instance().evidence[0]
    games = ShownTable(name="games", columns=("city",), ends="inclusive", open_end="unknown", rows=())
    glossary = {"games.City": "city", "mill_heads.Name": "name"}
    assert asked_table(make_instance(evidence=(games, first), glossary=glossary)) is first
    assert asked_table(make_instance(evidence=(games,), glossary={})) is games
