"""All text metrics of generated questions at once. Paper: section 5, Table 4.

A pair is scored once; any group of pairs is then a matter of sums. An empty question scores 0 in every metric and
stays in every mean. Primary are `bleu4`, `rouge2_f1` and `rougeL_f1`; the ROUGE that is compared with published
figures is the package's plain setting. The others are stored beside them, because the paper does not say which it used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.metrics import bleu, caption_rouge, rouge, rouge_unicode, sentence_bleu
from evaluation.metrics.bleu import WIDTH, BleuCounts
from state.model_base import Contract


class PairScores(NamedTuple):
    """What is kept of one question and its reference."""

    bleu_counts: BleuCounts
    """(10,): summed over a group, they give its `bleu4`."""
    sentence_bleu4_m1: float
    """Smoothed BLEU-4 of the pair."""
    rouge2_f1: float
    """ROUGE-2 F1, plain."""
    rougeL_f1: float
    """ROUGE-L F1, plain."""
    rouge2_recall: float
    """ROUGE-2 recall, plain."""
    rougeL_recall: float
    """ROUGE-L recall, plain."""
    unicode_rouge2_f1: float
    """ROUGE-2 F1 on BLEU's tokens."""
    unicode_rougeL_f1: float
    """ROUGE-L F1 on BLEU's tokens."""
    caption_rougeL: float
    """ROUGE-L with beta 1.2 on BLEU's tokens."""


class CorpusScores(Contract):
    """The metrics of a group of questions, 0 to 1 at full precision; `None` each if the group is empty."""

    n: int
    """Questions scored, the empty ones included."""
    bleu4: float | None
    """Corpus BLEU-4."""
    rouge2_f1: float | None
    """Mean ROUGE-2 F1 of the plain package."""
    rougeL_f1: float | None
    """Mean ROUGE-L F1 of the plain package."""
    sentence_bleu4_m1: float | None
    """Mean smoothed sentence BLEU-4."""
    rouge2_recall: float | None
    """Mean ROUGE-2 recall of the plain package."""
    rougeL_recall: float | None
    """Mean ROUGE-L recall of the plain package."""
    unicode_rouge2_f1: float | None
    """Mean ROUGE-2 F1 on BLEU's tokens."""
    unicode_rougeL_f1: float | None
    """Mean ROUGE-L F1 on BLEU's tokens."""
    caption_rougeL: float | None
    """Mean caption ROUGE-L."""
    signatures: dict[str, str]
    """Metric -> how its number was made."""


PRIMARY = ("bleu4", "rouge2_f1", "rougeL_f1")
"""The metrics of the paper's tables."""
MEANS = PairScores._fields[1:]
"""The metrics that are means over questions, in the order of their columns."""
METRICS = (*PRIMARY, *(name for name in MEANS if name not in PRIMARY))
"""Every metric, the primary ones first."""
SIGNATURES: dict[str, Callable[[int], str]] = {
    "bleu4": bleu.signature,
    "sentence_bleu4_m1": sentence_bleu.signature,
    "rouge2_f1": partial(rouge.signature, "rouge2_f1"),
    "rougeL_f1": partial(rouge.signature, "rougeL_f1"),
    "rouge2_recall": partial(rouge.signature, "rouge2_recall"),
    "rougeL_recall": partial(rouge.signature, "rougeL_recall"),
    "unicode_rouge2_f1": partial(rouge_unicode.signature, "unicode_rouge2_f1"),
    "unicode_rougeL_f1": partial(rouge_unicode.signature, "unicode_rougeL_f1"),
    "caption_rougeL": caption_rouge.signature,
}
"""Metric -> the signature of its number over so many items."""


def score_pair(hypothesis: str, reference: str) -> PairScores:
    """The scores of one generated question against its reference.

    Raises:
        TypeError: a text is not a string.
    """
    counts = bleu.bleu_counts(hypothesis, reference)
    plain = rouge.rouge(hypothesis, reference)
    words = rouge_unicode.unicode_rouge(hypothesis, reference)
    return PairScores(
        bleu_counts=counts,
        sentence_bleu4_m1=sentence_bleu.sentence_bleu_of_counts(counts),
        rouge2_f1=plain.rouge2.f1,
        rougeL_f1=plain.rougeL.f1,
        rouge2_recall=plain.rouge2.recall,
        rougeL_recall=plain.rougeL.recall,
        unicode_rouge2_f1=words.rouge2.f1,
        unicode_rougeL_f1=words.rougeL.f1,
        caption_rougeL=caption_rouge.f_beta(words.rougeL.precision, words.rougeL.recall),
    )


@dataclass(frozen=True)
class ItemScores:
    """The scores of many pairs, a row each, in the order given."""

    counts: NDArray[np.int64]
    """(n, 10): BLEU's counts."""
    means: NDArray[np.float64]
    """(n, 8): the metrics of `MEANS`."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> ItemScores:
        """The scores of pairs of hypothesis and reference.

        Cost: about half a millisecond a pair of questions of 70 words.

        Raises:
            TypeError: a text is not a string.
        """
        scores = [score_pair(hypothesis, reference) for hypothesis, reference in pairs]
        counts = np.array([score.bleu_counts for score in scores], dtype=np.int64).reshape(len(scores), WIDTH)
        return cls(counts, np.array([score[1:] for score in scores], dtype=float).reshape(len(scores), len(MEANS)))

    def __len__(self) -> int:
        return len(self.counts)

    def select(self, indices: Sequence[int] | NDArray[np.int64] | NDArray[np.bool_]) -> ItemScores:
        """The rows with these indices, in their order, or where a mask is true."""
        rows = np.asarray(indices, dtype=None if len(indices) else np.int64)
        return ItemScores(self.counts[rows], self.means[rows])

    def statistics(self) -> NDArray[np.float64]:
        """(n, 19): a one that counts the item, BLEU's counts, the metrics of `MEANS`; `measure` reads their sums."""
        return np.column_stack([np.ones(len(self)), self.counts, self.means])

    def corpus(self) -> CorpusScores:
        """The metrics over all rows, whatever their order."""
        sums = np.array([fsum(column) for column in self.statistics().T.tolist()])
        values = {name: float(measure(name, sums)) if len(self) else None for name in METRICS}
        return CorpusScores(n=len(self), signatures={name: SIGNATURES[name](len(self)) for name in METRICS}, **values)


def measure(name: str, sums: ArrayLike) -> NDArray[np.float64]:
    """A metric from sums of `ItemScores.statistics` over at least one item: (..., 19) -> (...)."""
    table = np.asarray(sums, dtype=float)
    if name == "bleu4":
        return bleu.bleu_of_sums(table[..., 1 : 1 + WIDTH])
    mean: NDArray[np.float64] = table[..., 1 + WIDTH + MEANS.index(name)] / table[..., 0]
    return mean
