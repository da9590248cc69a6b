"""ROUGE-2 and ROUGE-L in the plain setting of the rouge-score package: the figures to compare with published ones.

Its tokens are runs of `a-z0-9`: punctuation is gone, and every other letter cuts a word in two or is lost. A question in
another script scores 0 against itself, and two names that share their ASCII scraps look alike; `evaluation.metrics.rouge_unicode`
does not have this fault and is stored beside it, under its own name. A line break is a blank: this is not ROUGE-Lsum.
"""

from __future__ import annotations

from functools import lru_cache

from rouge_score.tokenize import tokenize  # type: ignore[import-untyped]

from evaluation.metrics.overlap import RougeScores, rouge_of_tokens
from evaluation.metrics.signature import ASCII_TOKENS, rouge_library, text_signature
from evaluation.metrics.tokens import require_text


def rouge(hypothesis: str, reference: str) -> RougeScores:
    """ROUGE of one pair; 0 everywhere if the hypothesis has no token.

    Raises:
        TypeError: a text is not a string.
    """
    require_text(hypothesis, reference)
    return rouge_of_tokens(ascii_tokens(hypothesis), ascii_tokens(reference))


@lru_cache(maxsize=1 << 16)
def ascii_tokens(text: str) -> tuple[str, ...]:
    """The package's own tokens of a text, not stemmed.

    >>> ascii_tokens("Who led Łódź's council?!")
    ('who', 'led', 'd', 's', 'council')
    """
    return tuple(tokenize(text, None))


def signature(name: str, items: int) -> str:
    """How the mean over so many items is made; `name` is one of `rouge2_f1`, `rouge2_recall`, `rougeL_f1` and `rougeL_recall`."""
    order = "2" if "rouge2" in name else "lcs"
    return text_signature(
        name, average="item-mean", order=order, smoothing="none", tokens=ASCII_TOKENS, library=rouge_library(), items=items
    )
