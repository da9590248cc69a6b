"""Names as tokens, shared by the answer matcher, the leak filter and the usable-question gate.

Only the *reading* of a text is shared here; how strictly two names are compared is each one's own.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from graph_sampler.labels import normalise_label

# Letters, digits and the signs that tell `C++` and `C#` from `C`; all else separates tokens.
_TOKEN = re.compile(r"[^\W_]+(?:\+\+|#)?")
_ROMAN = re.compile(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})\Z")


class Tokens(NamedTuple):
    """A text's tokens, and the same run together with the offsets at which tokens start and end."""

    words: tuple[str, ...]
    joined: str
    starts: frozenset[int]
    ends: frozenset[int]


@lru_cache(maxsize=8192)
def tokens(text: str) -> Tokens:
    """The tokens of a text in normal form."""
    words = tuple(_TOKEN.findall(normalise_label(text)))
    starts, ends, at = [], [], 0
    for word in words:
        starts.append(at)
        at += len(word)
        ends.append(at)
    return Tokens(words, "".join(words), frozenset(starts), frozenset(ends))


def spans(name: Tokens, text: Tokens) -> list[tuple[int, int]]:
    """Where a name stands in a text on token boundaries, as offsets in `text.joined`.

    Comparing run-together tokens finds `UK` in `U.K.` and `O'Neill` in `ONeill`, but not `Niger` in
    `Nigeria`, since both ends must be ends of tokens.
    """
    if not name.joined:
        return []
    found = []
    at = text.joined.find(name.joined)
    while at != -1:
        end = at + len(name.joined)
        if at in text.starts and end in text.ends:
            found.append((at, end))
        at = text.joined.find(name.joined, at + 1)
    return found


def is_exact(word: str) -> bool:
    """Whether a token must be equal one for one: a digit, an initial or a Roman numeral decides a name."""
    return len(word) == 1 or any(sign.isdigit() for sign in word) or bool(_ROMAN.match(word))
