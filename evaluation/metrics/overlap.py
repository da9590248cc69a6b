"""What two lists of tokens have in common: ROUGE-2 and ROUGE-L, to the last bit what the rouge-score package computes of them.

The package fills a table of all pairs of tokens, which takes a minute for 16,000 long questions; here the longest common
subsequence is found a whole row at a time, in the bits of one integer (Hyyrö 2004).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple


class Overlap(NamedTuple):
    """What of a hypothesis and its reference is common."""

    precision: float
    """Share of the hypothesis."""
    recall: float
    """Share of the reference."""
    f1: float
    """Their harmonic mean; 0 if both are 0."""


class RougeScores(NamedTuple):
    """ROUGE of one pair."""

    rouge2: Overlap
    """Common bigrams, each as often as both have it; 0 of fewer than two tokens."""
    rougeL: Overlap
    """The longest common subsequence."""


def rouge_of_tokens(hypothesis: Sequence[str], reference: Sequence[str]) -> RougeScores:
    """ROUGE of one pair; 0 everywhere if either has no token."""
    bigrams = common_ngrams(hypothesis, reference, 2)
    return RougeScores(
        _overlap(bigrams, len(hypothesis) - 1, len(reference) - 1),
        _overlap(common_subsequence(hypothesis, reference), len(hypothesis), len(reference)),
    )


def common_ngrams(one: Sequence[str], other: Sequence[str], order: int) -> int:
    """How many n-grams of a length are common, each as often as both have it.

    >>> common_ngrams("the the cat".split(), "the cat the".split(), 1)
    3
    """
    ours, theirs = (Counter(zip(*[tokens[start:] for start in range(order)], strict=False)) for tokens in (one, other))
    both = ours.keys() & theirs.keys()
    return sum(map(min, map(ours.__getitem__, both), map(theirs.__getitem__, both)))


def common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    Bit i of `row` is 0 where one more token of `short[: i + 1]` than of `short[:i]` can be matched so far.

    >>> common_subsequence("who led the club".split(), "the club led by whom".split())
    2
    """
    short, long = sorted((one, other), key=len)
    places: dict[str, int] = {}
    for index, token in enumerate(short):
        places[token] = places.get(token, 0) | 1 << index
    full = (1 << len(short)) - 1
    row = full
    for token in long:
        matched = row & places.get(token, 0)
        row = (row + matched | row - matched) & full
    return len(short) - row.bit_count()


def _overlap(common: int, ours: int, theirs: int) -> Overlap:
    precision, recall = common / max(ours, 1), common / max(theirs, 1)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0)
