"""What a question shows: the answer in any spelling, and slots, but not names that look like slots."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.audit.cases import Case
from evaluation.audit.text_checks import leak_of, normalise_question, slot_of
from graph_sampler.labels import normalise_label
from state.vocabulary import ConstraintCount

LABELS = {
    "Q1": "Niger", "Q2": "The {Braces}", "Q3": "F1", "Q4": "Q4", "Q5": "José Arn", "P54": "member of team",
    "coached_by": "coached by", "ana-roy": "Ana Roy", "arn": "Arn", "P9": "<set>",
}  # fmt: skip


def case(question: str | None, answer: str = "Niger", raw: str | None = None, **more: Any) -> Case:
    stated: dict[str, Any] = {
        "number": 1, "id": "a", "part": ConstraintCount.SINGLE, "raw_question": raw, "final_question": question, "answer": answer,
        "aliases": (), "answer_ids": frozenset(("Q1",)), "trace": None, "no_trace": "", "facts": (), "references": {}, "types": {},
        "labels": LABELS, "content_hash": None,
    }  # fmt: skip
    return Case(**(stated | more))


@pytest.mark.parametrize("question", ["Who led Niger?", "Who led (NIGER)?", "Who led Niger's team?", "Who led Ni\u200bger?"])
def test_the_answer_leaks_in_every_spelling(question: str) -> None:
    assert leak_of(case(question), ()) is not None
    assert leak_of(case(None, raw=question), ()) is not None


@pytest.mark.parametrize("question", ["Who led Nigeria?", "Who led?", ""])
def test_another_name_that_holds_the_answer_is_no_leak(question: str) -> None:
    assert leak_of(case(question), ()) is None


def test_an_alias_of_the_record_or_of_the_graph_leaks() -> None:
    question = "Which side of the U.K. was it, in São Tomé?"
    assert leak_of(case(question, aliases=("UK",)), ()) is not None
    assert leak_of(case(question), ("Sao Tome",)) is not None
    assert leak_of(case(question), ("Tom",)) is None


def test_an_answer_that_normalises_to_nothing_is_in_no_question() -> None:
    assert leak_of(case("Who was it?", answer="\u200b"), ("", " ")) is None


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("Who held {tail2} then?", "'{tail2}'"),
        ("Who held tail2 then?", "'tail2'"),
        ("Who held <entity> then?", "'<entity>'"),
        ("Who held [MASK] then?", "'[MASK]'"),
        ("Who held %s then?", "'%s'"),
        ("Who held ____ then?", "'____'"),
        ("Who held ?a then?", "'?a'"),
        ("Who is it by tptr-15?", "'tptr-15'"),
        ("Who was coached_by Arn?", "'coached_by'"),
        ("Who was P54 of Arn?", "'P54'"),
        ("Who beat Q4?", "'Q4'"),
        ("Who beat Q77?", "'Q77'"),
        ("Who beat ana-roy?", "'ana-roy'"),
        ("Who beat The {Braces} and {tail}?", "'{tail}'"),
    ],
)
def test_a_slot_or_an_id_is_found(question: str, what: str) -> None:
    found = slot_of(case(question), {"Q77"}.__contains__)
    assert found is not None
    assert what in found.why


@pytest.mark.parametrize(
    "question",
    [
        "Who joined The {Braces} in 1996?",
        "Who won F1 after <set> did?",
        "Who beat Arn?",
        "Who beat arn in Q8 of 1999?",
        "Who was coached by José Arn?",
        "Who beat Q78?",
        "Who won 100% of them [all]?",
        "Who ate the fish & chips at 5_6?",
    ],
)
def test_a_name_that_looks_like_one_is_not(question: str) -> None:
    assert slot_of(case(question), {"Q77"}.__contains__) is None


@given(st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=30))
def test_a_question_word_by_word_is_the_question_as_a_whole(text: str) -> None:
    assert normalise_question(text) == normalise_label(text)
