"""BLEU-4 of a corpus: clipped n-gram counts summed over all items, no smoothing. The paper's BLEU-4, scale 0 to 1.

A mean of sentence scores is another number; `evaluation.metrics.sentence_bleu` has it. An order without a match,
or without an n-gram at all, makes the score exactly 0: identical texts of three tokens score 0 if they are the
whole corpus.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.metrics.overlap import common_ngrams
from evaluation.metrics.signature import WORD_TOKENS, text_signature
from evaluation.metrics.tokens import require_text, word_tokens

ORDER = 4
"""Longest n-gram."""
WIDTH = 2 * ORDER + 2
"""Numbers kept of one pair."""

BleuCounts = NDArray[np.int64]
"""(10,): clipped matches of n = 1 to 4, n-grams of the hypothesis of n = 1 to 4, tokens of the hypothesis, tokens of the
reference. Counts of several pairs add up."""


def bleu_counts(hypothesis: str, reference: str) -> BleuCounts:
    """The counts of one pair. A blank hypothesis has only the length of its reference.

    >>> bleu_counts("Who led it?", "Who led the club?").tolist()
    [3, 1, 0, 0, 4, 3, 2, 1, 4, 5]

    Raises:
        TypeError: a text is not a string.
    """
    require_text(hypothesis, reference)
    ours, theirs = word_tokens(hypothesis), word_tokens(reference)
    orders = range(1, ORDER + 1)
    matches = [common_ngrams(ours, theirs, order) for order in orders]
    totals = [max(0, len(ours) - order + 1) for order in orders]
    return np.array([*matches, *totals, len(ours), len(theirs)], dtype=np.int64)


def bleu_of_sums(sums: ArrayLike) -> NDArray[np.float64]:
    """The BLEU-4 of each row of summed counts, (..., 10) -> (...); a corpus without items scores 0."""
    table = np.asarray(sums, dtype=float)
    matches, totals = table[..., :ORDER], table[..., ORDER : 2 * ORDER]
    scored = (matches > 0).all(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.exp(np.log(matches / totals).mean(axis=-1))
    score: NDArray[np.float64] = np.where(scored, _brevity_penalty(table) * mean, 0.0)
    return score


def corpus_bleu(total: ArrayLike) -> float:
    """The BLEU-4 of a corpus from the sum of its pairs' counts, (10,)."""
    return float(bleu_of_sums(total))


def signature(items: int) -> str:
    """How the number is made, for a corpus of so many items."""
    return text_signature("bleu4", average="corpus", order="1-4", smoothing="none", tokens=WORD_TOKENS, library="own", items=items)


def _brevity_penalty(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where the hypotheses are longer than their references, else exp(1 - reference / hypothesis): (..., 10) -> (...)."""
    ours, theirs = sums[..., -2], sums[..., -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        penalty: NDArray[np.float64] = np.where(ours > theirs, 1.0, np.where(ours > 0, np.exp(1 - theirs / ours), 0.0))
    return penalty
