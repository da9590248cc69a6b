"""ROUGE-2 and ROUGE-L on the tokens of BLEU, which know every script and keep punctuation."""

from __future__ import annotations

from evaluation.metrics.overlap import RougeScores, rouge_of_tokens
from evaluation.metrics.signature import WORD_TOKENS, rouge_library, text_signature
from evaluation.metrics.tokens import require_text, word_tokens


def unicode_rouge(hypothesis: str, reference: str) -> RougeScores:
    """ROUGE of one pair; 0 everywhere if the hypothesis is blank.

    Raises:
        TypeError: a text is not a string.
    """
    require_text(hypothesis, reference)
    return rouge_of_tokens(word_tokens(hypothesis), word_tokens(reference))


def signature(name: str, items: int) -> str:
    """How the mean over so many items is made; `name` is `unicode_rouge2_f1` or `unicode_rougeL_f1`."""
    order = "2" if "rouge2" in name else "lcs"
    return text_signature(
        name, average="item-mean", order=order, smoothing="none", tokens=WORD_TOKENS, library=rouge_library(), items=items
    )
