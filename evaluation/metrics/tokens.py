r"""Tokens of a question: lower-cased runs of word characters and runs of punctuation, in every script.

`\w+|[^\w\s]+` on composed (NFC) text, so that `é` is one letter however it was typed, and so is a name with it. Blanks of every
kind, line breaks among them, only part tokens. rouge-score's own tokens, runs of `a-z0-9`, lose every other letter:
it makes those itself. Scripts without blanks give one token for a run of text, which has no n-gram of order 2.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TOKEN = re.compile(r"\w+|[^\w\s]+")


@lru_cache(maxsize=1 << 16)
def word_tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text, in order; none if it is blank.

    >>> word_tokens("Who led  Łódź's council?!")
    ('who', 'led', 'łódź', "'", 's', 'council', '?!')
    """
    return tuple(_TOKEN.findall(unicodedata.normalize("NFC", text).lower()))


def require_text(hypothesis: object, reference: object) -> None:
    """Refuses what is not a string: a list of tokens or bytes would be scored letter by letter or number by number.

    Raises:
        TypeError: one of the two is not a string.
    """
    for name, value in (("hypothesis", hypothesis), ("reference", reference)):
        if not isinstance(value, str):
            raise TypeError(f"the {name} must be a string, not {type(value).__name__}; pass the question as text, not its tokens")
