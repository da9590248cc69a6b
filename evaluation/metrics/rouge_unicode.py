"""ROUGE-2 and ROUGE-L by the rouge-score package on the tokens of BLEU, which know every script and keep punctuation."""

from __future__ import annotations

from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

from evaluation.metrics.rouge import TYPES, RougeScores, score_with
from evaluation.metrics.signature import WORD_TOKENS, rouge_library, text_signature
from evaluation.metrics.tokens import word_tokens


class WordTokenizer:
    """The tokens of BLEU, as the package asks for them."""

    def tokenize(self, text: str) -> tuple[str, ...]:
        """The tokens of a text."""
        return word_tokens(text)


def unicode_rouge(hypothesis: str, reference: str) -> RougeScores:
    """ROUGE of one pair; 0 everywhere if the hypothesis is blank.

    Raises:
        TypeError: a text is not a string.
    """
    return score_with(_UNICODE, hypothesis, reference)


def signature(name: str, items: int) -> str:
    """How the mean over so many items is made; `name` is `unicode_rouge2_f1` or `unicode_rougeL_f1`."""
    order = "2" if "rouge2" in name else "lcs"
    return text_signature(
        name, average="item-mean", order=order, smoothing="none", tokens=WORD_TOKENS, library=rouge_library(), items=items
    )


_UNICODE = RougeScorer(list(TYPES), tokenizer=WordTokenizer())
