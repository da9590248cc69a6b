"""A pronoun that may be taken for something else: the rewriter writes none, and the verifier passes none."""

from __future__ import annotations

import re

import pytest

from agents.offline.rewriter import rewrite, rewrite_plainly
from agents.offline.verifier import CANNOT_TELL, verify
from graph_sampler import templates
from state.roles import AnswersReply, RewriteRequest
from tests.agents.offline import template_questions
from tests.agents.offline.verifier_graphs import fact, request_about

PRAISE, APPEAL, CONSULT, TEAM, COACH = "Praise or endorse", "Make an appeal or request", "Consult", "member of sports team", "head coach of"
Row = tuple[str, str, str, int, int]
STAR = f'Topology C <- A -> B, 2 hops, relations "{PRAISE}", "{APPEAL}".'
CHAIN = f'Topology A -> B -> C, 2 hops, relations "{CONSULT}", "{PRAISE}".'
PRAISED: list[Row] = [
    ("Ana Roy", PRAISE, "Arn", 1990, 1990), ("Ana Roy", PRAISE, "Bex", 1995, 1995),
    ("Arn", APPEAL, "Cor", 1992, 1992), ("Bex", APPEAL, "Cor", 1993, 1993),
]  # fmt: skip
CONSULTED: list[Row] = [("Ana Roy", CONSULT, "Arn", 1990, 1990), ("Dun", PRAISE, "Arn", 1991, 1991), ("Elm", PRAISE, "Arn", 1996, 1996)]


def ask(question: str, rows: list[Row], hint: str) -> AnswersReply:
    return verify(request_about(([fact(*row) for row in rows], hint), question), "all")


PRAISED_BEFORE = templates.assemble(
    "?a",
    [
        (
            [template_questions.fact("Ana Roy", PRAISE, "X", 1), template_questions.fact("X", APPEAL, "Cor", 2)],
            [template_questions.condition("P-before-P", "the first fact", "the second fact")],
        )
    ],
)
WRITTEN = "Which entity did Ana Roy praise or endorse before that entity made an appeal or request to Cor?"


def test_who_is_asked_for_is_called_by_a_noun_where_another_could_be_it() -> None:
    request = RewriteRequest(template_question=PRAISED_BEFORE, support_facts=(), answer="Arn")
    assert rewrite(request).question == WRITTEN
    assert not re.search(r"\b(?:it|one)\b", rewrite_plainly(request).question)
    assert ask(WRITTEN, PRAISED, STAR).answers == ("Arn",)


@pytest.mark.parametrize("pronoun", ["it", "that one"])
def test_a_pronoun_that_may_mean_who_is_named_is_not_resolved_to_the_unknown(pronoun: str) -> None:
    question = f"Who or what did Ana Roy praise or endorse before {pronoun} made an appeal or request to Cor?"
    assert ask(question, PRAISED, STAR) == CANNOT_TELL
    # That the other reading can be told, too, changes nothing as long as it names another.
    assert ask(question, [*PRAISED, ("Ana Roy", APPEAL, "Cor", 1998, 1998)], STAR) == CANNOT_TELL


def test_the_other_one_may_be_the_one_that_is_named() -> None:
    end = "which praised or endorsed {} before Elm praised or endorsed Arn?"
    vague = "Of those that praised or endorsed someone or something that Ana Roy consulted, " + end.format("the other one")
    clear = "Of those that praised or endorsed an entity that Ana Roy consulted, " + end.format("that entity")
    assert ask(vague, CONSULTED, CHAIN) == CANNOT_TELL
    assert ask(clear, CONSULTED, CHAIN).answers == ("Dun",)


def test_a_person_is_never_it_and_a_team_told_of_twice_may_be() -> None:
    rows: list[Row] = [
        ("Ana Roy", TEAM, "Arn", 1990, 1990),
        ("Ana Roy", TEAM, "Bex", 1994, 1994),
        ("Bo Lind", COACH, "Arn", 1992, 1992),
        ("Bo Lind", COACH, "Bex", 1993, 1993),
    ]
    hint = f'Topology A -> B -> C, 2 hops, relations "{TEAM}", "{COACH}".'
    assert ask("Who became head coach of a team after Ana Roy left it?", rows, hint).answers == ("Bo Lind",)
    assert ask("Who became head coach of a team after Ana Roy left Bex and before Ana Roy left it?", rows, hint) == CANNOT_TELL


def test_every_reading_of_it_is_tried() -> None:
    hint = f'Topology C <- A -> B, 2 hops, relations "{TEAM}".'
    rows: list[Row] = [("Cy Moe", TEAM, "Arn", 1990, 1996), ("Cy Moe", TEAM, "Bex", 1994, 1998)]
    question = "Who joined Arn before joining Bex, and left Arn after joining Bex and before leaving {}?"
    assert ask(question.format("Bex"), rows, hint).answers == ("Cy Moe",)
    assert ask(question.format("it"), rows, hint) == CANNOT_TELL
