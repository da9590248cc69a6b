from __future__ import annotations

import pytest

from agents.usable_question import required_names, usable_problem
from tests.sample_record import GOOD_QUESTION, make_record

RECORD = make_record()


def test_the_names_are_the_fixed_ends_and_both_ends_of_references() -> None:
    assert required_names(RECORD) == ["Mayor of Arn", "Ana Roy", "Cy Moe"]


def test_a_good_question_passes() -> None:
    assert usable_problem(GOOD_QUESTION, RECORD) is None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (GOOD_QUESTION[:-1] + ".", "question mark"),
        (GOOD_QUESTION + " Think about it.", "question mark"),
        ("Here is the question. " + GOOD_QUESTION, "one sentence"),
        ("Sure! " + GOOD_QUESTION, "one sentence"),
        ("Ready? " + GOOD_QUESTION, "exactly one question"),
        (GOOD_QUESTION.replace(" after", "\nafter"), "one line"),
        (GOOD_QUESTION.replace(" after", " \x1b[31mafter"), "control"),
        (GOOD_QUESTION.replace(" after", " \x00after"), "control"),
        (GOOD_QUESTION.replace(" after", " \u202eafter"), "invisible"),
        (GOOD_QUESTION[:-1] + "？ Yes?", "exactly one question"),
        (GOOD_QUESTION.replace(" after", " " + "long " * 700 + "after"), "shorter"),
        (GOOD_QUESTION.replace("Ana Roy", "Ana"), "'Ana Roy'"),
        (GOOD_QUESTION.replace("Cy Moe", "Cyril Moe"), "'Cy Moe'"),
        (GOOD_QUESTION.replace("Mayor", "{x} Mayor", 1), "slot"),
        (GOOD_QUESTION.replace("Who", "Who, like {tail2},"), "slot"),
        (GOOD_QUESTION.replace("Who", "Who (Q17)").replace("Q17", "Q12"), "internal id 'Q12'"),
        (GOOD_QUESTION.replace("became", "P39"), "internal id 'P39'"),
        (GOOD_QUESTION.replace("Who", "Which g1"), "'g1'"),
        (GOOD_QUESTION.replace("after", "after f1 and c2,"), "'f1'"),
        (GOOD_QUESTION.replace("after", "in the first fact after"), "'first fact'"),
        (GOOD_QUESTION.replace("after", "in tr-1 after"), "'tr-1'"),
    ],
)
def test_a_question_that_cannot_be_used_is_told_why(question: str, told: str) -> None:
    problem = usable_problem(question, RECORD)
    assert problem is not None
    assert told in problem


@pytest.mark.parametrize(
    "label", ["The {Braces}", "Who Is It?", "St. Arn Jr. Club", "Stop! In the Name", "F1", "First fact checkers", "f1", "a.b. C? d", "Q17"]
)
def test_a_label_may_look_like_what_the_gate_looks_for(label: str) -> None:
    record = make_record(labels={"Q12": label})
    assert usable_problem(GOOD_QUESTION.replace("Ana Roy", label), record) is None


def test_a_name_counts_in_another_spelling_but_not_within_another_word() -> None:
    record = make_record(labels={"Q12": "José"})
    assert usable_problem(GOOD_QUESTION.replace("Ana Roy", "Jose\u0301"), record) is None
    assert usable_problem(GOOD_QUESTION.replace("Ana Roy", "Josefa"), record) is not None


def test_names_need_not_stand_there_if_the_config_says_so() -> None:
    assert usable_problem("Who was it?", RECORD, require_names=False) is None
    assert usable_problem("Who was {x}?", RECORD, require_names=False) is not None


def test_an_id_that_is_its_own_label_or_a_plain_word_is_no_internal_id() -> None:
    record = make_record(labels={"Q12": "Q12"})
    assert usable_problem(GOOD_QUESTION.replace("Ana Roy", "Q12"), record) is None


def test_abbreviations_and_initials_end_no_sentence() -> None:
    assert usable_problem(GOOD_QUESTION.replace("Who", "Who, like J. Smith of St. Elsewhere vs. Dr. No,"), RECORD) is None
