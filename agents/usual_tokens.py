"""How long requests and replies usually are, in tokens, before any is made: from bytes, without a tokenizer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from agents.crew import Crew
from state.roles import RoleRequest
from state.vocabulary import Role

FEWEST_TOKENS_BYTES = 5.0
"""Bytes a token where a text takes few tokens. A vocabulary of 49,000 words (SmolLM2's) takes 2.8 to 3.9 bytes of our prompts a
token, over 100 requests of the shipped graph; larger vocabularies take more."""
MOST_TOKENS_BYTES = 2.5
"""Bytes a token where a text takes many: a little below the least that was seen. Labels in other scripts may take still fewer."""
CAUSE_TOKENS = (10, 120)
"""Length of the error analyst's whole reply."""
REASON = "The rewritten question says after the end where the assembled question says after the start, so another entity fits it as well. "
"""An analyst's reason of the usual length."""
NAMES_TOLD = 3
"""Names that a verifier tells at most, as a rule."""


class Outlook(NamedTuple):
    """What is known of the calls of one kind of instance before any is made."""

    request: Callable[[Role, Any, Crew], RoleRequest]
    """Role and instance -> what it would be shown; the rewriter's is exact."""
    reply_tokens: Callable[[Role, Any], tuple[int, int]]
    """Role and instance -> fewest and most tokens of a usual reply."""
    names: Callable[[Any], Sequence[str]]
    """Instance -> the names that a role may be told of with an unusable question."""


def fewest_tokens(size: int) -> int:
    """Tokens that so many bytes take at least, if the tokenizer is good at them; 1 for any text."""
    return min(size, max(1, math.floor(size / FEWEST_TOKENS_BYTES)))


def most_tokens(size: int) -> int:
    """Tokens that so many bytes take at most with a usual tokenizer."""
    return math.ceil(size / MOST_TOKENS_BYTES)
