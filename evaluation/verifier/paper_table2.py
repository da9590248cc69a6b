"""The paper's own Table 2, as reference data: nothing here was measured by this program.

The paper prints percentages only; sizes and hits are the one set of whole numbers that gives them all.
"""

from __future__ import annotations

PAPER_SIZES = (284, 40, 25, 151)
"""Sample size of I-I, P-I, I-P and P-P: 500 in all."""
PAPER_HITS = {
    "GPT-4o-mini": (149, 24, 19, 101),
    "GPT-4o": (214, 27, 21, 119),
    "GPT-5-mini": (252, 40, 22, 146),
    "GPT-5": (256, 40, 25, 148),
}
"""Matched questions of each verifier, in the same order."""
PAPER_PERCENTS = {
    "GPT-4o-mini": ("52.5", "60.0", "76.0", "66.9", "58.6"),
    "GPT-4o": ("75.4", "67.5", "84.0", "78.8", "76.2"),
    "GPT-5-mini": ("88.7", "100", "88.0", "96.7", "92.0"),
    "GPT-5": ("90.1", "100", "100", "98.0", "93.8"),
}
"""As the paper prints them: the four families, then Overall."""
