"""A row of the verifier's lexicon: base forms of the verbs and nouns that may speak of one relation. Paper: section 4.3.2."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """Words for one relation, each column blank-separated; `_` joins a phrase."""

    whole: str
    """Verbs for the fact while it holds, or for a point fact."""
    start: str
    """Verbs for its start."""
    end: str
    """Verbs for its end."""
    nouns: str
    """Nouns for the fact or for one of its ends as such (`coach`, `winner`)."""
    types: str
    """Nouns for the kind of thing at either end: they name no relation by themselves."""


def told_whole(verbs: str, nouns: str, types: str) -> Entry:
    """Words for a relation that none tells by its start or its end."""
    return Entry(verbs, "", "", nouns, types)
