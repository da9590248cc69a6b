"""How much shorter a question got from template to final. Paper: Table 8.

Words are what stands between blanks. The mean over questions is the paper's figure; pooled over all words it
weights long questions more.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from evaluation.statistics.intervals import package_version
from state.model_base import Contract


class Pair(NamedTuple):
    """One question before and after."""

    raw: str
    """The template question."""
    final: str
    """The final question."""


class LengthReduction(Contract):
    """How much shorter questions got, in percent; negative where they got longer."""

    questions: int
    """Questions counted."""
    excluded: int
    """Questions left out: the raw one has no word."""
    raw_words: int
    """Words of the raw questions counted."""
    final_words: int
    """Words of their final questions."""
    reductions: float
    """Sum over the questions of 1 - final words / raw words: the numerator of the mean."""
    mean: float | None
    """100 x that sum / questions; `None` if none was counted."""
    pooled: float | None
    """100 x (1 - final words / raw words); `None` if none was counted."""
    mean_signature: str
    """How the mean was made."""
    pooled_signature: str
    """How the pooled figure was made."""


def length_reduction(pairs: Iterable[Pair]) -> LengthReduction:
    """The reduction over pairs of questions; their order does not matter.

    >>> length_reduction([Pair("Which entity has it ?", "Who has it?")]).mean
    40.0
    """
    counts = [(len(raw.split()), len(final.split())) for raw, final in pairs]
    kept = [(raw, final) for raw, final in counts if raw]
    raw_words, final_words = sum(raw for raw, _ in kept), sum(final for _, final in kept)
    reductions = sum((1 - Fraction(final, raw) for raw, final in kept), Fraction())
    excluded = len(counts) - len(kept)
    end = f"words:blank-separated|n:{len(kept)}|excl:{excluded}|chronoqg:{package_version()}"
    return LengthReduction(
        questions=len(kept),
        excluded=excluded,
        raw_words=raw_words,
        final_words=final_words,
        reductions=float(reductions),
        mean=float(100 * reductions / len(kept)) if kept else None,
        pooled=float(100 * (1 - Fraction(final_words, raw_words))) if kept else None,
        mean_signature=f"length_reduction|avg:question-mean|{end}",
        pooled_signature=f"length_reduction|avg:pooled|{end}",
    )
