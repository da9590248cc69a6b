from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.leak_filter import Leak, find_leaks, leak_filter, names_to_avoid, surname_of
from state.pipeline_state import initial_state
from state.vocabulary import LeakKind, Node, Outcome
from tests.sample_record import GOOD_QUESTION, make_record

ALPHABET = st.text(st.characters(codec="utf-8", categories=("Lu", "Ll", "Nd")), min_size=2, max_size=12)


def kinds(question: str, answer: str, *aliases: str, names: tuple[str, ...] = ()) -> set[str]:
    return {leak.kind.value for leak in find_leaks(question, answer, aliases, names)}


@pytest.mark.parametrize(
    ("question", "leaks"),
    [("Who was Nigeria's coach?", False), ("Who was Niger's coach?", True), ("Who led NIGER?", True), ("Who led it (Niger)?", True)],
)
def test_a_label_leaks_on_word_boundaries_only(question: str, leaks: bool) -> None:
    assert bool(kinds(question, "Niger")) is leaks


@pytest.mark.parametrize(
    ("gold", "question"),
    [
        ("José", "Who met Jose\u0301?"),
        ("Niger", "Who led Ni\u200bger?"),
        ("O'Neill", "Who met O’Neill?"),
        ("New York", "Who left New\u00a0York?"),
        ("Ana María Roy", "Who met ana maria roy?"),
        ("Straße", "Who built STRASSE?"),
        ("!!!", "Which label signed !!!?"),
    ],
)
def test_a_label_leaks_in_every_spelling(gold: str, question: str) -> None:
    assert kinds(question, gold) == {"label"}


@pytest.mark.parametrize(
    "question", ["Who was manager of Britain's team?", "Who played for the U.K. side?", "Who left the UK?", "Who left the U. K.?"]
)
def test_an_alias_leaks_in_every_spelling(question: str) -> None:
    assert kinds(question, "United Kingdom", "UK", "Britain") == {"alias"}


def test_an_adjective_leaks_only_if_it_is_an_alias() -> None:
    assert not kinds("Which BRITISH team won?", "United Kingdom", "UK", "Britain")
    assert kinds("Which BRITISH team won?", "United Kingdom", "British") == {"alias"}


def test_the_surname_of_a_person_leaks_as_a_part_of_the_name() -> None:
    assert find_leaks("Which of Roy’s clubs won the cup?", "Ana Roy", ()) == [Leak(LeakKind.NAME_PART, "Roy")]
    assert not kinds("Who may have signed first?", "Theresa May")
    assert kinds("Whom did May succeed?", "Theresa May") == {"name part"}


def test_a_surname_within_a_name_that_must_stand_there_is_no_leak() -> None:
    assert not kinds("Whom did Eva Dunn marry after Cy Moe?", "Bo Dunn", names=("Eva Dunn", "Cy Moe"))
    assert kinds("Whom did Eva Dunn, not Dunn, marry?", "Bo Dunn", names=("Eva Dunn",)) == {"name part"}


@pytest.mark.parametrize(
    "label", ["United Kingdom", "Arn United FC", "Nobel Prize", "1996 Summer Olympics", "Arn", "University of Arn", "de la"]
)
def test_what_names_no_person_has_no_surname(label: str) -> None:
    assert surname_of(label) is None


def test_a_hyphened_surname_leaks_and_a_title_of_a_work_has_none() -> None:
    assert kinds("Whom did Abdul-Jabbar succeed?", "Kareem Abdul-Jabbar") == {"name part"}
    assert kinds("Whom did Abdul—Jabbar succeed?", "Kareem Abdul-Jabbar") == {"name part"}
    assert not kinds("Whom did Abdul succeed?", "Kareem Abdul-Jabbar")
    assert surname_of("The Terminal") is None


def test_one_edit_in_ten_letters_leaks() -> None:
    assert kinds("Who taught at Heidelburg University?", "Heidelberg University") == {"fuzzy"}
    assert not kinds("Who led Nigeria?", "Niger")
    assert not kinds("Who swam at the 1992 Summer Olympics?", "1996 Summer Olympics")
    assert not kinds("Who followed Bernardine Lane III?", "Bernardine Lane II", names=("Bernardine Lane III",))


def test_a_common_word_that_is_the_label_is_rejected_as_the_label() -> None:
    assert kinds("Who sold turkey sandwiches?", "Turkey") == {"label"}


def test_an_empty_or_one_letter_alias_leaks_nowhere() -> None:
    assert not kinds("Who was a mayor?", "Bo Lind", "", " ", "a", "\u200b")


@given(
    ALPHABET,
    st.sampled_from(["{} won when?", "Who met {}?", "Whose was ({}) then?", "Who knew {}’s team?"]),
    st.sampled_from(["NFC", "NFD", "NFKC"]),
)
def test_a_label_set_into_a_question_always_leaks(label: str, frame: str, form: str) -> None:
    assert kinds(unicodedata.normalize(form, frame.format(label)), label)  # type: ignore[arg-type]


@given(ALPHABET)
def test_a_label_grown_into_a_longer_word_never_leaks_as_label(label: str) -> None:
    assert "label" not in kinds(f"Who met xq{label}qx there?", label) or label in "Who met there"


def test_the_node_clears_the_very_text_or_lists_what_it_found() -> None:
    state = initial_state(make_record(), Node.LEAK_CHECK)
    state["question"] = GOOD_QUESTION
    clean = leak_filter(state)
    assert (clean.outcome, clean.update["cleared"]) == (Outcome.CLEAN, GOOD_QUESTION)
    state["question"] = "Was it Lindy who came after Ana Roy?"
    found = leak_filter(state)
    assert found.outcome is Outcome.LEAKS
    assert found.update["leaks"] == ("Lindy",)
    assert "cleared" not in found.update


def test_the_strings_to_avoid_are_label_aliases_and_surname() -> None:
    assert names_to_avoid("Bo Lind", ("Lindy", "")) == ("Bo Lind", "Lindy", "Lind")
