"""Labels with words that change what the others say: each is said in full, and nothing else is taken for it."""

from __future__ import annotations

import pytest

from agents.offline.english import base_of_past, inflected, past
from agents.offline.unknown_relations import words_for
from agents.offline.verifier import CANNOT_TELL, verify
from agents.offline.verifier_inflection import bases_of
from graph_sampler import templates
from state.fact import LabelledFact
from state.roles import AnswersReply
from state.vocabulary import RankOrder
from tests.agents.offline import template_questions
from tests.agents.offline.verifier_graphs import fact, request_about

PAIRS = [
    ("head of", "deputy head of"), ("director of", "acting director of"), ("owner of", "former owner of"), ("wife of", "ex-wife of"),
    ("member of", "not a member of"), ("leader of", "opposition leader of"), ("captain of", "vice-captain of"),
]  # fmt: skip


def asked(question: str, evidence: list[LabelledFact]) -> AnswersReply:
    relations = ", ".join(f'"{label}"' for label in sorted({one.relation_label for one in evidence}))
    hint = f"Topology A -> B, 1 hop, relations {relations}."
    return verify(request_about((evidence, hint), question), "all")


@pytest.mark.parametrize(("short", "long"), PAIRS)
@pytest.mark.parametrize("is_swapped", [False, True])
def test_only_the_relation_whose_label_is_said_in_full_is_meant(short: str, long: str, is_swapped: bool) -> None:
    meant, other = (long, short) if is_swapped else (short, long)
    evidence = [fact("Ann", meant, "Arn", 1990, 1995), fact("Bob", meant, "Arn", 1996, 1999), fact("Cy", meant, "Arn", 1980, 1989)]
    question = "Who became {} Arn after Ann stopped being {} Arn?"
    assert asked(question.format(meant, meant), evidence).answers == ("Bob",)
    assert asked(question.format(other, other), evidence) == CANNOT_TELL
    assert asked(question.format(other, meant), evidence) == CANNOT_TELL
    assert asked(question.format(meant, other), evidence) == CANNOT_TELL
    assert asked(f"Who was {other} Arn for the longest time?", evidence) == CANNOT_TELL


def test_a_rank_in_a_label_is_no_rank() -> None:
    evidence = [fact("Ann", "first coach of", "Arn", 1990, 1992), fact("Bob", "first coach of", "Arn", 1995, 1999)]
    assert asked("Who was last coach of Arn?", evidence) == CANNOT_TELL
    assert asked("Who became first coach of Arn after Ann became first coach of Arn?", evidence).answers == ("Bob",)


def test_who_refused_is_not_who_did() -> None:
    evidence = [fact("Bob", "refused to join", "Arn", 1995), fact("Cy", "refused to join", "Arn", 1993)]
    assert asked("Who joined Arn after Cy refused to join it?", evidence) == CANNOT_TELL
    assert asked('Who had the relation "refused to join" to Arn after Cy did?', evidence).answers == ("Bob",)


@pytest.mark.parametrize("reference", ["Cy consulted Cy", "Cy consulted Bel", "Arn consulted Arn"])
def test_a_reference_that_is_no_fact_leaves_the_question_open(reference: str) -> None:
    evidence = [
        fact("Ann", "Consult", "Arn", 1990), fact("Bob", "Consult", "Arn", 1995), fact("Cy", "Consult", "Arn", 1993),
        fact("Ann", "Accuse", "Bel", 1991), fact("Bob", "Accuse", "Bel", 1999),
    ]  # fmt: skip
    hint = 'Topology C <- A -> B, 2 hops, relations "Consult", "Accuse".'
    for said, reply in (("Cy consulted Arn", ("Bob",)), (reference, ())):
        question = f"Who consulted Arn, and accused Bel after {said}?"
        assert verify(request_about((evidence, hint), question), "all").answers == reply


def test_a_name_alone_that_may_be_at_either_end_leaves_the_question_open() -> None:
    evidence = [fact(who, "Make a visit", what, year) for who, what, year in [
        ("Ann", "Bo", 1990), ("Cy", "Bo", 1990), ("Di", "Bo", 1995), ("Flo", "Bo", 1999),
    ]]  # fmt: skip
    question = "Who or what made a visit to Bo in the same year as Cy?"
    assert asked(question, evidence).answers == ("Ann",)
    assert asked(question, [*evidence, fact("Di", "Make a visit", "Cy", 1995)]) == CANNOT_TELL


@pytest.mark.parametrize("link", ["and", "or"])
def test_conditions_joined_by_or_are_not_read_as_joined_by_and(link: str) -> None:
    evidence = [fact(who, "won", "Arn", year) for who, year in (("Ann", 1990), ("Bob", 1995), ("Cy", 1999), ("Di", 1980))]
    found = asked(f"Who won Arn after Ann won Arn {link} before Cy won Arn?", evidence)
    assert found == (CANNOT_TELL if link == "or" else AnswersReply(answers=("Bob",), cannot_tell=False))


@pytest.mark.parametrize(
    ("label", "state"),
    [
        ("killed", "kill {p}"), ("joined", "join {p}"), ("led by", "be led by {p}"), ("divorced", "divorce {p}"), ("dies in", "die in {p}"),
        ("sued", "sue {p}"), ("agreed with", "agree with {p}"), ("need", "be need of {p}"), ("lost to", "lose to {p}"),
        ("took over", "take over {p}"), ("gave up", "give up {p}"), ("made in", "be made in {p}"),
        ("has capital in", "have capital in {p}"),
        ("visited", "visit {p}"), ("stood down as head of", "stand down as head of {p}"),
        *((label, f'have the relation "{label}" to {{p}}') for label in (
            "refused to join", "failed to win", "never met", "did not attend", "almost won", "no longer member of", "has been to", "died",
        )),
    ],
)  # fmt: skip
def test_a_label_makes_a_verb_phrase_that_is_english_or_stands_in_quotes(label: str, state: str) -> None:
    assert words_for(label).state == state


@pytest.mark.parametrize(
    ("phrase", "told"),
    [("co-found Arn", "co-founded Arn"), ("praise or re-elect Arn", "praised or re-elected Arn"), ("join Arn or Bex", "joined Arn or Bex")],
)
def test_a_verb_with_a_hyphen_is_one_verb_and_alternatives_are_several(phrase: str, told: str) -> None:
    assert inflected(phrase, past) == told


@pytest.mark.parametrize("verb", ["kill", "stop", "admit", "free", "agree", "die", "sue", "create", "change", "vote", "visit", "join"])
def test_the_base_of_a_past_tense_is_found_on_both_sides(verb: str) -> None:
    assert base_of_past(past(verb)) == verb
    assert verb in bases_of(past(verb))
    assert not bases_of(past(verb)) & {"kille", "stopp", "agre", "su", "dy", "fre", "joine"}


@pytest.mark.parametrize("label", ["refused to join", "not a member of", "took over", "lost to", "acting director of", "last coach"])
def test_what_the_rewriter_says_of_such_a_label_is_read(label: str) -> None:
    evidence = [fact(who, label, "Arn", year, year + 3) for who, year in (("Ann", 1990), ("Bob", 1995), ("Cy", 1980), ("Di", 1999))]
    conditions = [template_questions.condition("I-after-I", "the first fact", templates.reference_phrase("Ann", label, "Arn"))]
    question = template_questions.question(templates.assemble("?a", [([template_questions.fact("X", label, "Arn", 1)], conditions)]))
    assert asked(question, evidence).answers == ("Bob", "Di"), question


@pytest.mark.parametrize(
    ("relation", "office", "group"),
    [
        ("position held", "member of the general council", "the people who became a member of the general council"),
        ("instance of", "a member state", "the things that became a member state"),
        ("member of", "Arn", "those that joined Arn"),
        ("country of citizenship", "Arn", "the people who became citizens of Arn"),
    ],
)
def test_a_plural_leaves_names_as_they_are(relation: str, office: str, group: str) -> None:
    condition = template_questions.condition("I-after-I", "the first fact", templates.reference_phrase("Tom Reed", relation, office))
    rank = templates.ordinal_clause("start_rank", "f1", 2, RankOrder.ASCENDING, is_point=False)
    text = templates.assemble("?a", [([template_questions.fact("X", relation, office, 1)], [condition, rank])])
    for plain in (False, True):
        assert template_questions.question(text, plain).startswith(f"Of {group} after ")


def test_a_role_in_brackets_is_read_before_what_closes_its_label() -> None:
    label = "linked as name (chancellor) to"
    evidence = [fact("Ann", label, "Arn", 1990, 1995), fact("Bob", label, "Arn", 1996, 1999), fact("Cy", label, "Arn", 1980, 1989)]
    question = f"Who became {label} Arn after Ann stopped being {label} Arn?"
    assert asked(question, evidence).answers == ("Bob",)
    assert asked(question.replace("chancellor", "king"), evidence) == CANNOT_TELL
    assert asked(f"Who became {label} Arn after Arn stopped being {label} Ann?", evidence) == CANNOT_TELL
