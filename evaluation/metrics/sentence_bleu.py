"""BLEU-4 of single questions, smoothed, to be averaged over questions: not the paper's BLEU, stored beside it.

Smoothing is Chen and Cherry's first method as NLTK has it: 0.1 in place of a zero numerator, an order that has no n-gram counts
as one n-gram, and a question without a common token scores 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.metrics.bleu import ORDER, bleu_counts, brevity_penalty
from evaluation.metrics.signature import WORD_TOKENS, text_signature

EPSILON = 0.1
"""What a zero numerator counts."""


def sentence_bleu_of_counts(counts: ArrayLike) -> NDArray[np.float64]:
    """The smoothed BLEU-4 of each pair's counts, (..., 10) -> (...)."""
    table = np.asarray(counts, dtype=float)
    matches, totals = table[..., :ORDER], np.maximum(1.0, table[..., ORDER : 2 * ORDER])
    precisions = np.where(matches > 0, matches, EPSILON) / totals
    smoothed = brevity_penalty(table) * np.exp(np.log(precisions).mean(axis=-1))
    score: NDArray[np.float64] = np.where(matches[..., 0] > 0, smoothed, 0.0)
    return score


def sentence_bleu(hypothesis: str, reference: str) -> float:
    """The smoothed BLEU-4 of one pair; 0 if the hypothesis is blank.

    Raises:
        TypeError: a text is not a string.
    """
    return float(sentence_bleu_of_counts(bleu_counts(hypothesis, reference)))


def signature(items: int) -> str:
    """How the mean over so many items is made."""
    return text_signature(
        "sentence_bleu4_m1", average="item-mean", order="1-4", smoothing="method1(0.1)", tokens=WORD_TOKENS, library="own", items=items
    )
