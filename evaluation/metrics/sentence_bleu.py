"""BLEU-4 of single questions, smoothed, to be averaged over questions: not the paper's BLEU, stored beside it.

Smoothing is Chen and Cherry's first method as NLTK has it: 0.1 in place of a zero numerator, an order that has no n-gram counts
as one n-gram, and a question without a common token scores 0.
"""

from __future__ import annotations

from math import exp, fsum, log

from evaluation.metrics.bleu import ORDER, BleuCounts, bleu_counts
from evaluation.metrics.signature import WORD_TOKENS, text_signature

EPSILON = 0.1
"""What a zero numerator counts."""


def sentence_bleu_of_counts(counts: BleuCounts) -> float:
    """The smoothed BLEU-4 of one pair's counts, (10,)."""
    *ngrams, ours, theirs = counts.tolist()
    matches, totals = ngrams[:ORDER], ngrams[ORDER:]
    if not matches[0]:
        return 0.0
    logarithms = fsum(log((match or EPSILON) / max(1, total)) for match, total in zip(matches, totals, strict=True))
    return exp(logarithms / ORDER + min(0.0, 1 - theirs / ours))


def sentence_bleu(hypothesis: str, reference: str) -> float:
    """The smoothed BLEU-4 of one pair; 0 if the hypothesis is blank.

    Raises:
        TypeError: a text is not a string.
    """
    return sentence_bleu_of_counts(bleu_counts(hypothesis, reference))


def signature(items: int) -> str:
    """How the mean over so many items is made."""
    return text_signature(
        "sentence_bleu4_m1", average="item-mean", order="1-4", smoothing="method1(0.1)", tokens=WORD_TOKENS, library="own", items=items
    )
