"""Whether what a question asks for by name of its kind can be what the relations at hand lead to.

"Which country was born in X" contradicts what is known of births, and no evidence shows that somebody is a woman:
a noun is heeded only where it is known to fit. Paper: section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from agents.offline.verifier_antecedents import kind_of_noun, kinds_of_ends
from agents.offline.verifier_clauses import is_person_noun, singular
from agents.offline.verifier_inflection import forms_of
from agents.offline.verifier_labels import read_label, words_apart
from agents.offline.verifier_query import Evidence, Query
from agents.offline.verifier_tokens import Token
from agents.offline.verifier_walk import is_noun

_ANYTHING = frozenset(["entity", "entities", "thing", "things", "unnamed", "one", "ones", "fact", "facts"])
_NOT_SHOWN = frozenset(
    [
        "actress", "actresses", "boy", "boys", "emperor", "emperors", "girl", "girls",
        "husband", "husbands", "king", "kings", "man", "men", "queen", "queens", "wife", "wives", "woman", "women",
    ]
)  # fmt: skip
"""Nouns that say more of somebody than any fact shows."""


def asks_for_another_kind(tokens: Sequence[Token], query: Query, evidence: Evidence) -> bool:
    """Whether the noun for what is asked for contradicts, or adds to, what the facts of a query show."""
    ends = [
        (evidence.relation_labels[relation], place)
        for hop in query.hops
        for place, term in enumerate((hop.subject, hop.object))
        if term.variable == query.answer
        for relation in hop.relations
    ]
    return not all(_fits(noun, ends) for noun in _asked(tokens))


def _asked(tokens: Sequence[Token]) -> list[str]:
    """The nouns of "which country" and "of the countries", and "what" where it stands alone."""
    found = []
    starts = [token.place for token in tokens if token.text in ("which", "what") and (token.place == 0 or _is_after_comma(tokens, token))]
    if [token.text for token in tokens[:2]] == ["of", "the"] and not any(token.text == "take" for token in tokens):
        starts.append(1)
    for start in starts:
        nouns = [token.text for token in takewhile(lambda token: is_noun(token) or token.text in ("other", "or"), tokens[start + 1 :])]
        if nouns:
            found.append(nouns[-1])
        elif start == 0 and tokens[start].text == "what":
            found.append("what")
    return found


def _is_after_comma(tokens: Sequence[Token], token: Token) -> bool:
    return tokens[token.place - 1].kind == "comma"


def _fits(noun: str, ends: list[tuple[str, int]]) -> bool:
    if noun in _NOT_SHOWN:
        return False
    if noun in _ANYTHING:
        return True
    kinds = [kinds_of_ends(label)[place] for label, place in ends]
    if noun == "what":
        return "person" not in kinds
    wanted = "person" if is_person_noun(singular(noun)) else kind_of_noun(noun) or kind_of_noun(singular(noun))
    others = {kind for kind in kinds if kind and kind != wanted}
    if wanted and others and "person" in (wanted, *others):
        return False
    return (wanted in kinds and not others) or any(_is_said_of(noun, label) for label, _ in ends)


def _is_said_of(noun: str, label: str) -> bool:
    reading = read_label(label)
    words = " ".join((reading.entry.types, reading.entry.nouns, words_apart(label))).split()
    return any(noun in forms_of(word) for word in words)
