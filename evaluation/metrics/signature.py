"""What every text metric says about itself, so that two numbers made differently are not compared."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from evaluation.statistics.intervals import package_version

WORD_TOKENS = r"nfc,\w+/[^\w\s]+"
"""Name of the tokens of `evaluation.metrics.tokens`: the pattern, its bar written as a slash."""
ASCII_TOKENS = "[a-z0-9]+"
"""Name of the tokens that rouge-score makes by itself."""


def text_signature(name: str, *, average: str, order: str, smoothing: str, tokens: str, library: str, items: int) -> str:
    """The signature of one number, `|` between the parts. No metric here stems, and each knows one reference.

    Args:
        name: the metric.
        average: `corpus` (counts summed over the items) or `item-mean`.
        order: lengths of the n-grams, or `lcs`.
        smoothing: what is done about zero counts, or `none`.
        tokens: `WORD_TOKENS` or `ASCII_TOKENS`.
        library: who computes it, and for ROUGE the package that it equals, with its version.
        items: items scored; an empty prediction is one of them.
    """
    return (
        f"{name}|avg:{average}|order:{order}|smoothing:{smoothing}|case:lower|tokens:{tokens}|stemming:none"
        f"|references:single|lib:{library}|n:{items}|chronoqg:{package_version()}"
    )


@cache
def rouge_library() -> str:
    """The ROUGE package whose numbers ours equal, with its version; `unknown` if that is not recorded."""
    try:
        return f"own=rouge_score-{version('rouge-score')}"
    except PackageNotFoundError:
        return "own=rouge_score-unknown"
