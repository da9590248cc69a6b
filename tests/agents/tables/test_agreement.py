"""Agreement of sets of names: every right answer, each by one of its own, and nothing else."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.agreement import Verdict
from agents.tables.agreement import judge_set, other_names, without_times
from state.roles import AnswersReply
from tests.table_instances import make_instance

NAMES = ("Bo Lind", "Cy Moe", "Dee Hay", "Eve Orr", "Theresa May", "Łódź", "Niger", "Nigeria", "Blade Runner 2049", "Roy, Ana", "!!!")
names = st.lists(st.sampled_from(NAMES), unique=True, max_size=4)
spellings = st.sampled_from(
    [str, str.upper, lambda name: f" {name} ", lambda name: f"{name} (2004-2009)", lambda name: f"The answer is {name}"]
)


def judged(said: list[str], answers: list[str], others: list[str] | tuple[str, ...] = NAMES) -> Verdict:
    return judge_set(AnswersReply(answers=tuple(said), cannot_tell=False), answers, others)


@settings(max_examples=40)
@given(answers=names, data=st.data())
def test_the_right_names_in_any_order_and_spelling_agree(answers: list[str], data: st.DataObject) -> None:
    said = [data.draw(spellings)(answer) for answer in data.draw(st.permutations(answers))]
    assert judged(said, answers) is Verdict.MATCH


@settings(max_examples=40)
@given(answers=names, said=names)
def test_sets_of_different_names_never_agree(answers: list[str], said: list[str]) -> None:
    assert (judged(said, answers) is Verdict.MATCH) == (set(said) == set(answers))


@settings(max_examples=40)
@given(answers=names.filter(bool), extra=st.text(string.ascii_letters, min_size=3))
def test_nothing_may_be_added(answers: list[str], extra: str) -> None:
    stranger = f"Zzq {extra} stranger"
    assert judged([*answers, stranger], answers) is not Verdict.MATCH


@settings(max_examples=40)
@given(answers=names, said=st.lists(st.text(max_size=12), max_size=3))
def test_who_cannot_tell_never_agrees_and_any_text_is_judged(answers: list[str], said: list[str]) -> None:
    assert judge_set(AnswersReply(answers=(), cannot_tell=True), answers, NAMES) is Verdict.ABSTAINED
    assert isinstance(judged(said, answers), Verdict)


def test_where_nothing_answers_only_an_empty_list_agrees() -> None:
    assert judged([], []) is Verdict.MATCH
    assert judged(["", "  "], []) is Verdict.MATCH
    assert judged(["none"], []) is Verdict.ABSTAINED
    assert judged(["Bo Lind"], []) is Verdict.WRONG
    assert judged([], ["Bo Lind"]) is Verdict.NONE_FITS


@pytest.mark.parametrize(
    ("said", "answers", "agrees"),
    [
        (["Bo Lind", "Bo Lind"], ["Bo Lind"], True),
        (["Lind, Bo"], ["Bo Lind"], True),
        (["Ana María Roy"], ["Ana Maria Roy"], True),
        (["Ana Maria Roy"], ["Ana María Roy", "Ana Maria Roy"], True),
        (["Season Cancelled"], ["Season Canceled"], True),
        (["Season Canceled", "Season Cancelled"], ["Season Canceled"], False),
        (["Henry VII"], ["Henry VIII"], False),
        (["Niger"], ["Nigeria"], False),
        (["Lind"], ["Bo Lind"], False),
        (["Bo Lind and Cy Moe"], ["Bo Lind", "Cy Moe"], False),
        (["Bo Lind"], ["Bo Lind", "Cy Moe"], False),
    ],
)
def test_names_are_compared_as_those_of_a_graph_are(said: list[str], answers: list[str], agrees: bool) -> None:
    assert (judged(said, answers, ()) is Verdict.MATCH) is agrees


def test_a_slip_is_forgiven_only_if_no_other_name_among_the_rows_is_nearer() -> None:
    assert judged(["Season Cancelled"], ["Season Canceled"], ["Season Cancelled"]) is Verdict.WRONG
    assert judged(["Season Cancelled"], ["Season Canceled", "Season Cancelled"], ()) is Verdict.WRONG


def test_a_distractor_or_a_foil_is_wrong_and_one_that_bears_an_answers_name_is_not() -> None:
    instance = make_instance(("Bo Lind", "Cy Moe"))
    others = other_names(instance)
    assert {"Dee Hay", "Eve Orr"} <= set(others)
    for stranger in ("Dee Hay", "Eve Orr"):
        assert judged(["Bo Lind", "Cy Moe", stranger], ["Bo Lind", "Cy Moe"], others) is Verdict.WRONG
    assert judged(["Bo Lind"], ["Bo Lind"], [*others, "Bo Lind", "bo lind"]) is Verdict.MATCH


@pytest.mark.parametrize(
    "told",
    [
        "Jane Roe (2004-2009)", "Jane Roe (7 May 2004 to 3 June 2009)", "Jane Roe [2004]", "Jane Roe, 2004–2009", "Jane Roe: 2004-present",
        "Jane Roe - since 2004", "Jane Roe from 2004 until 2009", "Jane Roe, 7 May 2004 - 3 June 2009", "Jane Roe (2004 - ongoing)",
        "Jane Roe (2004-10-07 – 2009-01-02)",
    ],
)  # fmt: skip
def test_a_time_told_after_a_name_is_no_part_of_it(told: str) -> None:
    assert without_times(told) == "Jane Roe"


@pytest.mark.parametrize(
    "name",
    ["Jane Roe", "Theresa May", "Blade Runner 2049", "Apollo-11", "Jean-Luc", "Roy, Ana", "Heat (film)", "(2004)", "", "1984", "x" * 400],
)
def test_a_name_without_a_told_time_stays(name: str) -> None:
    assert without_times(name) == name
