"""What the package's prompts promise their readers: one clock, one list of causes, replies that can be read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import prompts
from agents.prompt_renderer import PROMPT_FOLDERS, variables
from agents.replies import RawReply, parse_reply
from graph_sampler.operators import PAIRWISE, WORDINGS, Operator, Wording
from state.fact import LabelledFact
from state.roles import AnalyseRequest, LeakRewriteRequest, ReviseRequest, RewriteRequest, VerifyRequest
from state.vocabulary import Cause, OperatorWord, RankOrder, Role

LOADED = {role: prompts.load(folder, "v1") for role, folder in PROMPT_FOLDERS.items()}
WITH_FACTS = [role for role in LOADED if role not in (Role.LEAK_REWRITER, Role.ROUND_TRIP_READER)]
"""Who sees facts with their times."""
WORDS = {
    "equals": "equals:", "starts": "starts:", "finishes": "finishes:", "before": "before:", "after": "after:", "meets": "meets:",
    "during": "during,", "inside": "inside:", "overlaps": "overlaps:", "at-start": "(at its start)", "at-end": "(at its end)",
}  # fmt: skip
"""Operator without its families -> where the prompts explain it; its converse is read from the other side."""


def clock(role: Role) -> str:
    """The paragraph that says how time is counted, empty where there is none."""
    found = re.search(r"^How time is counted\n(?:- .*\n)+", LOADED[role].system + "\n", re.MULTILINE)
    return found.group() if found else ""


def fact(start: str) -> LabelledFact:
    labels = {"subject_label": "Ana Roy", "relation_label": "employer", "object_label": "Old Mill"}
    return LabelledFact(subject="Q1", relation="P1", object="Q2", start=start, end=start, **labels)


def seen(*facts: LabelledFact) -> dict[Role, dict[str, Any]]:
    """The variables of each role whose request holds facts."""
    analysed = {
        "template_question": "Q?", "question": "q?", "verifier_answers": (), "cannot_tell": True, "answer": "Ana Roy", "evidence": facts,
    }  # fmt: skip
    revised = analysed | {"cause": Cause.UNCLEAR, "reason": "", "appeal_answers": None}
    return {
        Role.REWRITER: variables(RewriteRequest(template_question="Q?", support_facts=facts, answer="Ana Roy"), None),
        Role.VERIFIER: variables(VerifyRequest(question="q?", evidence=facts, structure_hint="1 hop"), "all"),
        Role.ERROR_ANALYST: variables(AnalyseRequest.model_validate(analysed), None),
        Role.REVISER: variables(ReviseRequest.model_validate(revised), None),
    }


@pytest.mark.parametrize(
    ("start", "unit"),
    [
        ("1996", "year"), ("0000", "year"), ("-0043", "year"), ("+12000", "year"),
        ("1996-05", "month"), ("-0043-02", "month"), ("+12000-12", "month"),
        ("1996-05-01", "day"), ("-0043-02-28", "day"), ("+12000-12-31", "day"),
    ],
)  # fmt: skip
def test_the_unit_of_time_is_read_off_the_facts_and_told_in_the_data_block(start: str, unit: str) -> None:
    for role, values in seen(fact(start), fact(start)).items():
        assert values["unit"] == unit
        user = prompts.render(LOADED[role], values)[1]["content"]
        assert f'unit of time: "{unit}"' in user.splitlines()


def test_without_facts_or_with_facts_of_two_units_there_is_no_unit_to_tell() -> None:
    for facts in ((), (fact("1996"), fact("1996-05"))):
        assert {values["unit"] for values in seen(*facts).values()} == {None}
    leaking = LeakRewriteRequest(question="q?", template_question="Q?", avoid=("Ana Roy",))
    assert "unit" not in variables(leaking, None)


def test_all_who_see_facts_are_told_the_same_of_time_and_the_unit_by_its_name_in_the_data() -> None:
    assert len({clock(role) for role in WITH_FACTS}) == 1
    assert '"unit of time" in the data' in clock(Role.VERIFIER)
    assert clock(Role.LEAK_REWRITER) == ""


@pytest.mark.parametrize("operator", PAIRWISE, ids=lambda operator: operator.name)
def test_the_words_for_time_cover_every_operator_or_its_converse(operator: Operator) -> None:
    kinds = {re.sub(r"^[IP]-|-[IP]$", "", name) for name in (operator.name, operator.converse)} & WORDS.keys()
    assert kinds
    assert all(WORDS[kind] in clock(Role.VERIFIER) for kind in kinds)
    assert "from the other side" in clock(Role.VERIFIER)


def test_the_analyst_is_given_the_closed_list_of_causes_once_with_a_test_each_and_nobody_else_is() -> None:
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


def test_one_verifier_prompt_serves_both_modes_and_says_what_each_asks_for() -> None:
    request = VerifyRequest(question="q?", evidence=(fact("1996"),), structure_hint="1 hop")
    every, single = (prompts.render(LOADED[Role.VERIFIER], variables(request, mode)) for mode in ("all", "single"))
    assert every[0] == single[0]
    assert every[1]["content"].replace('mode: "all"', 'mode: "single"') == single[1]["content"] != every[1]["content"]
    assert all(f'Mode "{mode}":' in every[0]["content"] for mode in ("all", "single"))


def test_the_gold_answer_stands_only_where_a_role_may_know_it() -> None:
    shown = {role: {"answer", "avoid"} & set(prompt.variables) for role, prompt in LOADED.items()}
    none: set[str] = set()
    assert shown == {
        Role.REWRITER: {"avoid"}, Role.VERIFIER: none, Role.APPEAL: none,
        Role.ERROR_ANALYST: {"answer"}, Role.REVISER: {"answer"}, Role.LEAK_REWRITER: {"avoid"}, Role.ROUND_TRIP_READER: none,
    }  # fmt: skip


@pytest.mark.parametrize("role", LOADED)
def test_a_system_text_is_short_since_every_call_pays_for_it(role: Role) -> None:
    # The reader is told sixteen words one by one and shows a nested reply twice; its facts have no times.
    assert len(LOADED[role].system.split()) <= (560 if role is Role.ROUND_TRIP_READER else 480)


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda wording: wording.word.value)
def test_the_round_trip_reader_is_told_what_each_word_means_as_the_table_has_it(wording: Wording) -> None:
    (line,) = re.findall(rf"^- {wording.word.value}: (.+)$", LOADED[Role.ROUND_TRIP_READER].system, re.MULTILINE)
    assert line.partition(";")[0] == wording.meaning


def test_the_round_trip_reader_is_told_the_ranks_and_their_orders() -> None:
    system = LOADED[Role.ROUND_TRIP_READER].system
    assert f"- {', '.join(word for word in OperatorWord if word.is_rank)}: " in system
    assert all(f'"{order}"' in system for order in RankOrder)
