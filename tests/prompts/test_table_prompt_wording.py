"""What the prompts about tables promise their readers: one clock, one list of causes, replies that can be read."""

from __future__ import annotations

import json
import re

import pytest

import prompts
from agents.kinds import TABLE
from agents.replies import RawReply, parse_reply
from state.vocabulary import Cause, Role

LOADED = {role: prompts.load(folder, "v1") for role, folder in TABLE.prompt_folders.items()}
WITH_ROWS = [role for role, prompt in LOADED.items() if "rows" in prompt.variables]
WITH_SQL = [role for role, prompt in LOADED.items() if "unit" in prompt.variables and "sql" in prompt.variables]


def paragraph(role: Role, head: str) -> str:
    """The list under a head, empty where there is none."""
    found = re.search(rf"^{head}\n(?:- .*\n)+", LOADED[role].system + "\n", re.MULTILINE)
    return found.group() if found else ""


def test_all_who_are_told_of_time_are_told_the_same() -> None:
    told = {paragraph(role, "How time is counted") for role in {*WITH_ROWS, *WITH_SQL}}
    assert len(told) == 1
    clock = told.pop()
    assert {Role.REWRITER, Role.VERIFIER, Role.APPEAL, Role.ERROR_ANALYST, Role.REVISER} == {*WITH_ROWS, *WITH_SQL}
    for word in ('"inclusive"', '"exclusive"', '"ongoing"', '"unknown"', "Since D", "After D", "as-of day"):
        assert word in clock
    assert len({paragraph(role, "How the query is read") for role in WITH_SQL}) == 1
    assert paragraph(Role.VERIFIER, "How the query is read") == ""


def test_query_and_answers_stand_only_where_a_role_may_know_them() -> None:
    hidden = {"sql", "glossary", "answers", "avoid"}
    shown = {role: hidden & set(prompt.variables) for role, prompt in LOADED.items()}
    assert shown == {
        Role.REWRITER: {"sql", "glossary", "avoid"},
        Role.VERIFIER: set(),
        Role.APPEAL: set(),
        Role.ERROR_ANALYST: {"sql", "glossary", "answers"},
        Role.REVISER: {"sql", "glossary", "answers"},
        Role.LEAK_REWRITER: {"sql", "glossary", "avoid"},
    }


def test_the_analyst_alone_is_given_the_closed_list_of_causes_once_with_a_test_each() -> None:
    listed = re.findall(r'^- "([^"]+)": (\S.+)$', LOADED[Role.ERROR_ANALYST].system, re.MULTILINE)
    assert [cause for cause, _ in listed] == list(Cause)
    assert len({test for _, test in listed}) == len(Cause)
    for role in set(LOADED) - {Role.ERROR_ANALYST}:
        assert not [cause for cause in Cause if f'"{cause}"' in LOADED[role].system]


@pytest.mark.parametrize("role", LOADED)
def test_every_example_reply_is_one_that_the_role_can_give(role: Role) -> None:
    examples, system = [], LOADED[role].system
    while found := re.search(r'\{"', system):
        example, end = json.JSONDecoder().raw_decode(system, found.start())
        examples.append(example)
        system = system[end:]
    assert examples
    for example in examples:
        assert parse_reply(RawReply(json.dumps(example), "stop"), role).reply is not None


@pytest.mark.parametrize("role", LOADED)
def test_a_system_text_is_no_longer_than_it_must_be_since_every_call_pays_for_it(role: Role) -> None:
    # Longer than those about graphs: missing ends, both kinds of ends and SQL have to be put into words as well.
    assert len(LOADED[role].system.split()) <= 660
