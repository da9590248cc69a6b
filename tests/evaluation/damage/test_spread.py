"""A choice of a few offers from each source is as even over the kinds as any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.damage.spread import spread
from state.study import DamageKind

KINDS = list(DamageKind)[:4]
OFFERS = st.lists(st.lists(st.sampled_from(KINDS), max_size=4), max_size=5)


def unevenness(offers: Sequence[Sequence[DamageKind]], choice: Sequence[Sequence[int]]) -> int:
    counts = Counter(own[place] for own, places in zip(offers, choice, strict=True) for place in places)
    return sum(count * count for count in counts.values())


@given(OFFERS, st.integers(1, 3))
@settings(max_examples=150)
def test_no_other_choice_of_as_many_is_more_even(offers: list[list[DamageKind]], most: int) -> None:
    choice = spread(offers, most)
    assert [len(places) for places in choice] == [min(most, len(own)) for own in offers]
    assert all(places == sorted(set(places)) for places in choice)
    every = product(*(list(combinations(range(len(own)), min(most, len(own)))) for own in offers))
    assert unevenness(offers, choice) == min(unevenness(offers, other) for other in every)


def test_a_chain_of_exchanges_is_found_where_no_single_one_helps() -> None:
    a, b, c = KINDS[:3]
    choice = spread([[a, b], [a, b], [b, c], [b, c], [a], [a]], 1)
    offers = [[a, b], [a, b], [b, c], [b, c], [a], [a]]
    assert unevenness(offers, choice) == 3 * 4
