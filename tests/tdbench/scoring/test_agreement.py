from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.tdbench_scoring import AnswerRow, TimeVerdict, points
from tdbench.scoring.agreement import agreement, read_verdict
from tests.tdbench.scoring.forty_replies import AFTER, OVERLAP

YES, HALF, NO = TimeVerdict.YES, TimeVerdict.HALF, TimeVerdict.NO
VERDICTS = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(TimeVerdict))


def test_kappa_is_that_of_a_table_worked_by_hand() -> None:
    pairs = [(YES, YES)] * 20 + [(YES, NO)] * 5 + [(NO, YES)] * 10 + [(NO, NO)] * 15
    first = {str(place): one for place, (one, _) in enumerate(pairs)}
    second = {str(place): other for place, (_, other) in enumerate(pairs)}
    found = agreement(first, second)
    assert (found.judged, found.agreed, found.share, found.kappa) == (50, 35, Fraction(7, 10), Fraction(2, 5))
    assert found.table[YES][NO] == 5
    assert found.table[NO][YES] == 10


def test_kappa_is_undefined_where_chance_alone_agrees_always() -> None:
    assert agreement({"a": YES}, {"a": YES}).kappa is None
    assert agreement({}, {"a": YES}).share is None
    assert agreement({}, {"a": YES}).left_out == 1


@given(VERDICTS, VERDICTS)
def test_agreement_is_symmetric_and_a_judge_agrees_with_himself(first: dict[str, TimeVerdict], second: dict[str, TimeVerdict]) -> None:
    one, other = agreement(first, second), agreement(second, first)
    assert (one.share, one.kappa, one.left_out) == (other.share, other.kappa, other.left_out)
    assert agreement(first, first).kappa in (None, 1)


@pytest.mark.parametrize("text", ["", "yes and no", "YES, because", "not yes", "{'time': 'yes'}", "true"])
def test_a_verdict_that_is_not_exactly_one_word_of_the_set_is_none(text: str) -> None:
    assert read_verdict(text, OVERLAP) is None


def test_a_half_is_a_verdict_only_where_two_dates_are_demanded() -> None:
    assert read_verdict(" Half.\n", OVERLAP) is HALF
    assert read_verdict("half", AFTER) is None
    assert read_verdict("**No**", AFTER) is NO


def test_points_have_one_decimal_and_halves_go_up() -> None:
    assert [str(points(Fraction(*share))) for share in ((1, 2000), (1, 3), (2, 3), (1, 1), (0, 1), (49, 2000))] == [
        "0.1", "33.3", "66.7", "100", "0", "2.5",
    ]  # fmt: skip


def test_a_row_or_question_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="not an ISO time"):
        AnswerRow(name="Bo Lind", start="May 2004")
    with pytest.raises(ValueError, match="an end that is given is known"):
        AnswerRow(name="Bo Lind", end="2004", is_end_unknown=True)
    for change in ({"gold": ()}, {"cardinality": "none"}, {"relation": "now"}, {"gold": ({"name": "Bo Lind", "end": "2004"},)}):
        with pytest.raises(ValueError, match=r"question|date"):
            type(OVERLAP).model_validate(OVERLAP.model_dump() | change)
