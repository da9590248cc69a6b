"""Rewriter and verifier on relation labels that no lexicon lists, as other people's graphs have them."""

from __future__ import annotations

import pytest

from agents.offline.unknown_relations import readable, words_for
from agents.offline.verifier import CANNOT_TELL, verify
from agents.offline.verifier_labels import read_label, words_apart
from graph_sampler import templates
from state.vocabulary import RankOrder
from tests.agents.offline import template_questions
from tests.agents.offline.verifier_graphs import PEOPLE, POINT_RIVALS, Graph, fact, one, request_about

LASTING = ("member of team", "coach of sports team", "league of", "represented", "chairperson", "headquarters in", "playsFor")
MOMENTS = (
    "Make statement", "Criticize or denounce", "Arrest, detain, or charge with legal action", "Meet at a 'third' location",
    "Express intent to engage in diplomatic cooperation (such as policy support)", "wasBornIn", "/people/person/died_in", "premiered in",
)  # fmt: skip


@pytest.mark.parametrize("relation", [*LASTING, *MOMENTS])
def test_what_the_rewriter_says_of_a_label_is_read_for_each_operator(relation: str) -> None:
    is_interval = relation in LASTING
    evidence, hint = one(relation, "Arn", "Tom Reed", is_interval)
    for operator, rival in (PEOPLE if is_interval else POINT_RIVALS).items():
        reference = templates.reference_phrase("Tom Reed", relation, "Arn")
        conditions = [template_questions.condition(operator, "the first fact", reference)]
        text = templates.assemble("?a", [([template_questions.fact("X", relation, "Arn", 1)], conditions)])
        question = template_questions.question(text)
        assert verify(request_about((evidence, hint), question), "all").answers == (rival,), question
    assert (len(PEOPLE), len(POINT_RIVALS)) == (13, 3)


@pytest.mark.parametrize(
    ("label", "state", "is_told_from_the_object"),
    [
        ("member of team", "be a member of {p}", False),
        ("member of the band", "be a member of {p}", False),
        ("player of the match", "be player of the match of {p}", True),
        ("player of club", "be a player of {p}", False),
        ("release date", "be release date of {p}", True),
        ("Rally support", "rally support with regard to {p}", False),
        ("place of origin", "be place of origin of {p}", True),
        ("headquarters at", "be headquarters at {p}", False),
        ("Criticize or denounce", "criticize or denounce {p}", False),
        ("Reduce relations", "reduce relations with regard to {p}", False),
        ("Make statement", "make a statement about {p}", False),
        ("use", "be use of {p}", True),
        ("works near", "work near {p}", False),
        ("patron", "be patron of {p}", True),
        ("located in", "be located in {p}", False),
        ("<advisesOn>", "advise on {p}", False),
        ("sponsored_by", "be sponsored by {p}", False),
        ("mentor of", "be mentor of {p}", False),
        ("painted", "paint {p}", False),
        ("member of the guild of", "be a member of the guild of {p}", False),
    ],
)
def test_a_label_is_read_as_english_and_told_from_the_right_end(label: str, state: str, is_told_from_the_object: bool) -> None:
    words = words_for(label)
    assert (words.state, words.flipped) == (state, is_told_from_the_object)


@pytest.mark.parametrize("label", ["wasBornIn", "<wasBornIn>", "was_born_in", "/people/person/was_born_in", "was born in"])
def test_a_label_that_looks_like_a_name_in_code_is_said_in_words(label: str) -> None:
    assert readable(label) == words_apart(label) == "was born in"


def test_a_label_with_a_verb_is_found_as_a_whole_in_any_form_and_only_then() -> None:
    phrase = read_label("Express intent to meet or negotiate").phrase
    assert phrase is not None
    assert phrase.search("who was expressing an intent to meet or negotiate with @0")
    assert not phrase.search("who expressed intent to meet")
    assert read_label("head coach").phrase is None
    assert read_label("release date").phrase is None
    assert read_label("receive award").phrase is None


MET: Graph = ([
    fact("Cy Moe", "Consult", "Arn", 1990), fact("Di Fox", "Consult", "Arn", 1991), fact("Ed Poe", "Make a visit", "Cy Moe", 1980),
    fact("Flo Ray", "Make a visit", "Di Fox", 1995), fact("Gus Kay", "Make a visit", "Di Fox", 1985),
], 'Topology A -> B -> C, 2 hops, relations "Consult", "Make a visit".')  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        (
            "Of those that made a visit to an entity that consulted Arn, which made a visit to that entity before Flo Ray made a visit "
            "to Di Fox?",
            ("Ed Poe", "Gus Kay"),
        ),
        ("Who or what made a visit to someone or something after that one consulted Arn?", ("Flo Ray",)),
    ],
)
def test_what_may_be_a_person_or_a_thing_is_resolved(question: str, answers: tuple[str, ...]) -> None:
    assert verify(request_about(MET, question), "all").answers == answers


@pytest.mark.parametrize(
    "question",
    [
        "Who or what made a visit to someone or something that consulted Arn, where the one that made a visit to that other one consulted "
        "Arn before Flo Ray made a visit to Di Fox?",
        "Of those that made a visit to someone or something that consulted Arn, which made a visit to the other one before Flo Ray made a "
        "visit to Di Fox?",
        "Of those that made a visit to someone or something that consulted Arn, which was the first made a visit to by another one?",
    ],
)
def test_what_the_parser_cannot_read_about_anybody_or_anything_is_not_guessed_at(question: str) -> None:
    assert verify(request_about(MET, question), "all") == CANNOT_TELL


def test_what_is_said_of_both_is_said_of_each() -> None:
    evidence = [fact(who, "Make statement", what, year) for who, what, year in [
        ("Cy Moe", "Arn", 1990), ("Cy Moe", "Bex", 1992), ("Di Fox", "Arn", 1991), ("Di Fox", "Bex", 1991), ("Ed Poe", "Arn", 1980),
        ("Flo Ray", "Arn", 1985), ("Flo Ray", "Bex", 1999),
    ]]  # fmt: skip
    hint = 'Topology C <- A -> B, 2 hops, relations "Make statement".'
    question = "Of those that made a statement about both Arn and Bex, which was the second to make a statement about Bex?"
    assert verify(request_about((evidence, hint), question), "all").answers == ("Cy Moe",)


def test_an_event_without_words_from_the_other_side_is_told_in_the_passive() -> None:
    first, second = template_questions.fact("Arn", "Make a visit", "X", 1), template_questions.fact("X", "Reduce relations", "Y", 2)
    rank = templates.ordinal_clause("start_rank", "f2", 2, RankOrder.ASCENDING, is_point=True)
    question = template_questions.question(templates.assemble("?b", [([first], []), ([second], [rank])]))
    assert question.startswith("Of those that were reduced relations with regard to by an entity that Arn made a visit to, ")
