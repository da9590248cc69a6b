"""Words that the offline verifier knows in one place and cannot pass over in another.

"Who else", "in person", "for the second time" ask something else, and what is left of "was head of" without its
noun says nothing: such a question is not read. Paper: section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile

from agents.offline.verifier_tokens import Token
from agents.offline.verifier_words import BE, BECOME, SPELLS

_PREPOSITIONS = frozenset(["for", "at", "in", "to", "of", "on", "from", "into", "as", "with"])
_ARTICLES = frozenset(["a", "an", "the"])
_NONE = Token("", "", -1)


def refused_word(tokens: Sequence[Token]) -> str | None:
    """Why a word in its place makes a question unreadable; `None` where there is none."""
    padded = [_NONE, *tokens, _NONE]
    for before, token, after in zip(padded, padded[1:], padded[2:], strict=False):
        reason = _refused(before, token, after)
        is_asked = before.place == 0 and before.text in ("who", "what") and after.kind in ("relation", "auxiliary")
        if token.text == "else" and not (is_asked and _dates_by_a_name(tokens)):
            reason = "somebody beside those named"
        if reason:
            return reason
    return None


def _dates_by_a_name(tokens: Sequence[Token]) -> bool:
    """Whether something is named by which to date: "who else left before X did"."""
    dating = dropwhile(lambda token: token.kind != "connective", tokens)
    return any(token.kind == "name" for token in dating)


def _refused(before: Token, token: Token, after: Token) -> str | None:
    text = token.text
    if text == "only" and before.text != "considering" and after.text != "during":
        return "a condition that nothing else holds"
    if text == "still" and before.text not in BE and before.kind != "connective":
        return "a condition that something holds on"
    if text == "other" and (before.text not in ("the", "that", "such", "a", "an") or after.kind == "name"):
        return "another than those named"
    if token.kind == "other" and text == "same" and before.text not in ("the", "that"):
        return "the same as nothing"
    if text == "all" and before.kind == "relative":
        return "all of some"
    if text == "person" and before.text == "in":
        return "how something was done"
    if token.kind == "order" and text.startswith("ord:time") and after.text in SPELLS and after.text.startswith("time"):
        return "how often something was done"
    if text == "of" and before.kind != "relation" and (before.text in BE | BECOME or before.text in _ARTICLES):
        return "a noun is missing"
    if token.kind == "relative" and text in ("who", "which", "what") and after.kind == "other" and after.text in _PREPOSITIONS:
        return "a verb is missing"
    if token.place == 0 and text == "who" and (after.kind == "name" or after.text in _ARTICLES):
        return "a verb is missing"
    return None
