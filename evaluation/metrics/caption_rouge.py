"""ROUGE-L as scorers of image captions have it, and with them most question generators: an F that favours recall."""

from __future__ import annotations

from evaluation.metrics.rouge_unicode import unicode_rouge
from evaluation.metrics.signature import WORD_TOKENS, rouge_library, text_signature

BETA = 1.2
"""Weight of recall against precision."""


def caption_rouge(hypothesis: str, reference: str) -> float:
    """The score of one pair; 0 if the hypothesis is blank.

    Raises:
        TypeError: a text is not a string.
    """
    overlap = unicode_rouge(hypothesis, reference).rougeL
    return f_beta(overlap.precision, overlap.recall)


def f_beta(precision: float, recall: float) -> float:
    """(1 + b^2) P R / (R + b^2 P) with b = 1.2; 0 if either is 0."""
    if not precision or not recall:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def signature(items: int) -> str:
    """How the mean over so many items is made."""
    return text_signature(
        "caption_rougeL",
        average="item-mean",
        order="lcs(beta:1.2)",
        smoothing="none",
        tokens=WORD_TOKENS,
        library=rouge_library(),
        items=items,
    )
