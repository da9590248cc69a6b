"""The paper's Table 2 comes out of its whole hits to the digit."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from evaluation.verifier.paper_table2 import PAPER_HITS, PAPER_PERCENTS, PAPER_SIZES
from evaluation.verifier.table2 import PAIRWISE, percent, table2


def test_the_papers_percentages_follow_from_the_whole_hits() -> None:
    built = table2(PAPER_SIZES, PAPER_HITS)
    printed = {row.name: (*row.percents, row.overall_percent) for row in built.rows}
    assert printed == {
        "GPT-4o-mini": ("52.5", "60.0", "76.0", "66.9", "58.6"),
        "GPT-4o": ("75.4", "67.5", "84.0", "78.8", "76.2"),
        "GPT-5-mini": ("88.7", "100", "88.0", "96.7", "92.0"),
        "GPT-5": ("90.1", "100", "100", "98.0", "93.8"),
    }
    assert printed == PAPER_PERCENTS
    assert [row.overall_asked for row in built.rows] == [500] * 4
    assert built.families == PAIRWISE


def test_halves_are_rounded_up_and_not_to_even() -> None:
    assert [percent(hits, 2000) for hits in (1, 3, 5)] == ["0.1", "0.2", "0.3"]


def test_nothing_asked_is_not_zero_percent() -> None:
    assert percent(0, 0) is None
    assert percent(0, 3) == "0.0"
    row = table2((0, 0, 0, 0), {"x": (0, 0, 0, 0)}).rows[0]
    assert row.overall_percent is None
    assert row.percents == (None,) * 4


def test_only_all_hits_print_as_100_alone() -> None:
    assert (percent(9999, 10_000), percent(10_000, 10_000)) == ("100.0", "100")


@given(st.integers(1, 3000).flatmap(lambda asked: st.tuples(st.integers(0, asked), st.just(asked))))
def test_a_printed_percentage_is_never_off_by_more_than_half_its_last_digit(pair: tuple[int, int]) -> None:
    hits, asked = pair
    off = Fraction(Decimal(percent(hits, asked) or "nan")) - Fraction(100 * hits, asked)
    assert Fraction(-1, 20) < off <= Fraction(1, 20)
