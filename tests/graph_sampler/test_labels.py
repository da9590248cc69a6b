"""The one normalising function and the usable-label rule: traps A02, B03, B04."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.labels import (
    LabelProblem,
    is_usable_label,
    label_problem,
    label_problems,
    normalise_label,
    shared_label_count,
)

SAME = [
    ("Jos\u00e9", "Jose\u0301"),
    ("São Tomé", "Sao Tome"),
    ("New\u00a0York", "New York"),
    ("O'Neill", "O’Neill"),
    ("O`Neill", "OʼNeill"),
    ("ANA ROY", "Ana Roy"),
    ("Straße 9", "STRASSE 9"),
    ("1996-2003", "1996–2003"),
    ("1996-2003", "1996\u22122003"),
    ("Ni\u200bger", "Niger"),
    ("Ni\u00adger", "Niger"),
    ("\u200eNiger\u202c", "Niger"),
    ("  Two \t words\u2028here ", "two words here"),
    ("Łódź", "Lodz"),
    ("Ｎｉｇｅｒ", "Niger"),
    ("ΆΡΗΣ", "Αρης"),
    ("İzmir", "izmir"),
    ("ﬁne", "fine"),
    ("“Weird Al”", '"Weird Al"'),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_name_in_other_bytes_is_one_name(one: str, other: str) -> None:
    assert normalise_label(one) == normalise_label(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [("!!!", "???"), ("Henry VII", "Henry VIII"), ("がん", "かん"), ("कि", "का"), ("J. Smith", "A. Smith"), ("C++", "C"), ("A-B", "AB")],
)
def test_different_names_stay_different(one: str, other: str) -> None:
    assert normalise_label(one) != normalise_label(other)


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise_label(text)
    assert normalise_label(once) == once


@given(st.text())
def test_canonically_equal_texts_are_equal(text: str) -> None:
    assert normalise_label(unicodedata.normalize("NFD", text)) == normalise_label(unicodedata.normalize("NFC", text))


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_the_short_way_for_ascii_gives_what_the_long_way_gives(text: str) -> None:
    long_way = normalise_label(text + "\u200b")
    assert normalise_label(text) == long_way


@given(st.text())
def test_no_invisible_sign_and_no_double_blank_is_left(text: str) -> None:
    shown = normalise_label(text)
    assert shown == " ".join(shown.split())
    assert not [sign for sign in shown if unicodedata.category(sign) in ("Cc", "Cf", "Zl", "Zp")]


@pytest.mark.parametrize(
    ("label", "identifier", "problem"),
    [
        ("", "Q901", LabelProblem.MISSING),
        ("Q", "Q902", LabelProblem.TOO_SHORT),
        ("E903", "E903", LabelProblem.IS_ID),
        ("   ", "Q904", LabelProblem.MISSING),
        (None, "Q905", LabelProblem.MISSING),
        ("\u200b\u200e", "Q906", LabelProblem.MISSING),
        (" Q17 ", "Q907", LabelProblem.IDENTIFIER),
        ("P54", "Q908", LabelProblem.IDENTIFIER),
        ("http://example.org/x", "Q909", LabelProblem.IDENTIFIER),
        ("/m/0abc12", "Q910", LabelProblem.IDENTIFIER),
        ("1234", None, LabelProblem.IDENTIFIER),
        ("? and the Mysterians", None, LabelProblem.VARIABLE),
        ("Ana Roy", "?a", LabelProblem.VARIABLE),
    ],
)
def test_an_unusable_label_is_named_by_its_reason(label: str | None, identifier: str, problem: LabelProblem) -> None:
    assert label_problem(label, identifier) is problem
    assert not is_usable_label(label, identifier)


@pytest.mark.parametrize(
    "label",
    ["Io", "1984", "!!!", "The {Braces}", "[bold]x[/bold]", "Q-Tip", "U2", "谁是", "A\nAnswer: X", "x" * 5000, "? and the Mysterians"],
)
def test_an_odd_label_is_still_a_label(label: str) -> None:
    assert is_usable_label(label, "Q1")


def test_where_labels_are_the_ids_the_label_may_be_the_id() -> None:
    assert is_usable_label("Ana Roy", None)
    assert not is_usable_label("Q17", None)


LABELS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        (
            "Q17",
            "FC Arn",
            " FC  Arn",
            "fc arn",
            "FC Árn",
            "?x y",
            "? y",
            "http://a b",
            "O`Neill Roy",
            "O'Neill Roy",
            "a",
            " a ",
            "\u200b \u200b",
        )
    ),
)


@settings(max_examples=50)
@given(st.lists(st.tuples(LABELS, st.one_of(LABELS, st.none()))))
def test_many_labels_are_judged_as_each_alone(pairs: list[tuple[str, str | None]]) -> None:
    ids, labels = [identifier for identifier, _ in pairs], [label for _, label in pairs]
    assert label_problems(labels, ids) == [label_problem(label, identifier) for identifier, label in pairs]
    assert label_problems(ids, None) == [label_problem(identifier, None) for identifier in ids]


@settings(max_examples=50)
@given(st.lists(LABELS))
def test_shared_labels_are_those_that_normalise_alike(labels: list[str]) -> None:
    counts = Counter(map(normalise_label, labels))
    assert shared_label_count(labels) == sum(count for count in counts.values() if count > 1)
