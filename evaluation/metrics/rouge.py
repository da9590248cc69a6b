"""ROUGE-2 and ROUGE-L by the rouge-score package in its plain setting: the figures to compare with published ones.

Its tokens are runs of `a-z0-9`: punctuation is gone, and every other letter cuts a word in two or is lost. A question in
another script scores 0 against itself, and two names that share their ASCII scraps look alike; `evaluation.metrics.rouge_unicode`
does not have this fault and is stored beside it, under its own name. ROUGE-2 needs two tokens.
"""

from __future__ import annotations

from typing import NamedTuple

from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

from evaluation.metrics.signature import ASCII_TOKENS, rouge_library, text_signature
from evaluation.metrics.tokens import require_text

TYPES = ("rouge2", "rougeL")
"""What the package is asked for: not rougeLsum, which takes a line break for the end of a sentence."""


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
    """Common bigrams, each as often as both have it."""
    rougeL: Overlap
    """The longest common subsequence."""


def rouge(hypothesis: str, reference: str) -> RougeScores:
    """ROUGE of one pair; 0 everywhere if the hypothesis has no token.

    Raises:
        TypeError: a text is not a string.
    """
    return score_with(_PLAIN, hypothesis, reference)


def score_with(scorer: RougeScorer, hypothesis: str, reference: str) -> RougeScores:
    """ROUGE of one pair by a scorer of the package that was asked for `TYPES`.

    Raises:
        TypeError: a text is not a string.
    """
    require_text(hypothesis, reference)
    scores = scorer.score(reference, hypothesis)
    return RougeScores(*(Overlap(*map(float, scores[name])) for name in TYPES))


def signature(name: str, items: int) -> str:
    """How the mean over so many items is made; `name` is one of `rouge2_f1`, `rouge2_recall`, `rougeL_f1` and `rougeL_recall`."""
    order = "2" if "rouge2" in name else "lcs"
    return text_signature(
        name, average="item-mean", order=order, smoothing="none", tokens=ASCII_TOKENS, library=rouge_library(), items=items
    )


_PLAIN = RougeScorer(list(TYPES), use_stemmer=False)
