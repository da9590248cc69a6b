"""Words that make another question of one that the verifier reads, and nouns for what is asked for that fit nothing."""

from __future__ import annotations

import pytest

from agents.offline.verifier import CANNOT_TELL, verify
from tests.agents.offline.verifier_graphs import fact, request_about

HINT = 'Topology A -> B, 1 hop, relations "{}".'
QUESTION = "Who left Ajax after Tom Reed left Ajax?"
BIRTH = "Who was born in Ajax after Tom Reed was born in Ajax?"


def answers(question: str, relation: str = "member of sports team") -> tuple[str, ...]:
    is_point = relation != "member of sports team"
    rows = (("Ana Roy", 1980), ("Tom Reed", 1990), ("Bo Lind", 2000))
    evidence = [fact(who, relation, "Ajax", year, None if is_point else year + 5) for who, year in rows]
    reply = verify(request_about((evidence, HINT.format(relation)), question), "all")
    assert reply == CANNOT_TELL or not reply.cannot_tell
    return reply.answers


def test_what_is_changed_below_is_read_as_it_stands() -> None:
    assert answers(QUESTION) == answers("Which player left Ajax after Tom Reed left Ajax?") == ("Bo Lind",)
    assert answers(BIRTH, "place of birth") == answers(BIRTH.replace("Who", "Which person"), "place of birth") == ("Bo Lind",)


@pytest.mark.parametrize(
    "words",
    [
        "together", "in person", "once", "exactly", "only", "same", "for the first time", "for the second time", "for the last time",
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["after", "?"])
def test_words_that_ask_something_else_make_a_question_unreadable(words: str, place: str) -> None:
    if (words, place) != ("only", "after"):
        assert answers(QUESTION.replace(f" {place}" if place == "after" else place, f" {words} {place}".replace(" ?", "?"))) == ()


@pytest.mark.parametrize(
    "head", ["Who else but Ana Roy", "Who all", "Who only", "Which other person", "Which woman", "Which country", "What"]
)
def test_a_question_for_others_or_for_another_kind_is_unreadable(head: str) -> None:
    assert answers(BIRTH.replace("Who", head, 1), "place of birth") == ()


@pytest.mark.parametrize("text", ["Who for Ajax left", "Who Ajax left", "Who was of Ajax", "Who left the of Ajax"])
def test_a_question_that_lost_a_word_is_unreadable(text: str) -> None:
    assert answers(QUESTION.replace("Who left Ajax", text, 1)) == ()
