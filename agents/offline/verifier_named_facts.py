"""Whether what a question says of two named entities is a fact that the evidence shows.

A question names facts as its points of reference; one that is no fact is a mistake of the question's, and is
not to be read as if one of the names were not there. Paper: section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from agents.offline.verifier_lists import spread
from agents.offline.verifier_query import Evidence
from agents.offline.verifier_tokens import CLAUSE_BOUNDS, Token
from agents.offline.verifier_voice import ends_of
from agents.offline.verifier_words import HAVE, RELATIVES

_AFTER_ALONE = ("comma", "and", "connective", "comparative")
"""What may follow a name that no words say more of."""
_BOUNDS = (*CLAUSE_BOUNDS, "comparative")
"""What a statement of a question stands between."""
_SAYING = ("relation", "start", "end", "spell")
"""Words that say something of a fact."""


def says_no_fact(tokens: Sequence[Token], evidence: Evidence) -> bool:
    """Whether some clause with a name on either side of its verb is no fact of the evidence."""
    for first, words, second, has_owner in _statements(spread(list(tokens))):
        meant = _relations(words)
        if meant is None:
            continue
        relations = evidence.related(*meant) if meant else frozenset(evidence.relation_labels)
        if not any(_is_fact(first, words, second, has_owner, relation, evidence) for relation in sorted(relations)):
            return True
    return False


def _is_fact(
    first: frozenset[str], words: Sequence[Token], second: frozenset[str], has_owner: bool, relation: str, evidence: Evidence
) -> bool:
    """Whether the evidence shows what a clause says of two, told in its own direction."""
    ends = ends_of(evidence.relation_labels[relation], words, has_owner)
    one = frozenset([relation])
    return bool((ends.subject and evidence.matching(first, one, second)) or (ends.object and evidence.matching(second, one, first)))


def may_be_either_end(tokens: Sequence[Token], evidence: Evidence) -> bool:
    """Whether a name alone, as in "visited Bo in the same year as Cy", may be who did so as well as what was done so to.

    Only what the evidence shows counts: one of its relations has that name at both ends.
    """
    said: frozenset[str] = frozenset()
    for place, token in enumerate(tokens):
        if token.kind == "relation" and not token.is_weak:
            said = frozenset(trigger.relation for trigger in token.triggers)
        is_alone = token.kind == "name" and place > 0 and (tokens[place - 1].kind, tokens[place - 1].text) == ("connective", "same")
        if not is_alone or any(after.kind not in _AFTER_ALONE for after in tokens[place + 1 : place + 2]):
            continue
        relations = evidence.related(*said)
        if evidence.matching(token.entities, relations, None) and evidence.matching(None, relations, token.entities):
            return True
    return False


def _statements(tokens: Sequence[Token]) -> Iterator[tuple[frozenset[str], Sequence[Token], frozenset[str], bool]]:
    """Names that only words of one clause stand between, with what these say; the first is the clause's subject.

    Last whether the words follow the second name, as in "had X as its coach".
    """
    names = [place for place, token in enumerate(tokens) if token.kind == "name"]
    for first, second in pairwise(names):
        between = tokens[first + 1 : second]
        opening = [token for token in tokens[:first] if token.text not in ("the", "both")][-1:]
        if not opening or opening[0].kind not in _BOUNDS or opening[0].text in RELATIVES - {"where"}:
            continue
        if any(token.kind in _BOUNDS or token.text in ("'s", "did", "do", "does") for token in between):
            continue
        if any(token.kind in _SAYING for token in between):
            yield tokens[first].entities, between, tokens[second].entities, False
            continue
        rest = list(takewhile(lambda token: token.kind not in (*_BOUNDS, "name"), tokens[second + 1 :]))
        if any(token.text in HAVE for token in between) and any(token.kind in _SAYING for token in rest):
            yield tokens[first].entities, rest, tokens[second].entities, True


def _relations(between: Sequence[Token]) -> frozenset[str] | None:
    """Labels that the words of a clause may mean, none for any; `None` where they are of two clauses."""
    words = [token for token in between if token.kind == "relation" and not token.is_weak]
    said = [frozenset(trigger.relation for trigger in token.triggers) for token in words]
    if not said:
        return frozenset()
    is_two = any(token.kind == "auxiliary" and any(word.place < token.place for word in words) for token in between)
    return None if is_two else frozenset.intersection(*said) or None
