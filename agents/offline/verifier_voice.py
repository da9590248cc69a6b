"""Which end of a fact the subject of a clause is, by the clause's voice: "Y was founded by X", "Y had as its coach X".

A relation's label says who does what it says: mostly the fact's subject, the object where the label is a noun ("head
coach") or closes in `by`. A clause names that one first unless its words are those of the converse. Paper: section 4.3.2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from agents.offline.verifier_inflection import forms_of
from agents.offline.verifier_labels import JOINING, LINKS, is_listed, is_noun_label, words_apart
from agents.offline.verifier_tokens import Token
from agents.offline.verifier_words import ARTICLES, BE, BECOME, HAVE, POSSESSIVES


class Ends(NamedTuple):
    """Which ends of a fact a clause's subject may be."""

    subject: bool
    object: bool


_SYMMETRIC = frozenset(
    [
        "spouse", "is married to", "married to", "unmarried partner", "partner", "sibling", "relative", "twinned administrative body",
        "diplomatic relation", "shares border with", "borders", "has neighbor",
    ]
)  # fmt: skip
"""Relations that hold both ways."""
_OBJECT_DOES = frozenset(
    [
        "head coach", "chairperson", "manager", "head of government", "head of state", "has head of government", "director", "cast member",
        "author", "performer", "capital", "winner", "has winner", "officeholder", "discoverer or inventor",
        "contains administrative territorial entity", "contains the administrative territorial entity",
    ]
)  # fmt: skip
"""Listed labels whose words tell of the fact's object."""
_CHOOSING = "appoint install inaugurate swear hire employ elect name choose crown depose dethrone sack dismiss admit induct"
"""Verbs of those who choose, not of the chosen, whatever the relation."""
_HAVING, _HOLDING = "include contain comprise", "host hold stage"
_GIVING = "award give grant confer bestow present honour honor"
_CONVERSE = {
    "member of sports team": "sign feature",
    "drove for": "sign feature",
    "member of band": "sign feature",
    "educated at": "educate train school teach",
    "graduated from": "educate train school teach",
    "took place in": _HOLDING,
    "held in": _HOLDING,
    "part of": _HAVING,
    "country": _HAVING,
    "located in the administrative territorial entity": _HAVING,
    "contains administrative territorial entity": _HAVING,
    "contains the administrative territorial entity": _HAVING,
    "award received": _GIVING,
    "receive award": _GIVING,
    "has won prize": _GIVING,
    "nominated for": "nominate shortlist",
    "elected to": "return",
    "flew aboard": "carry",
    "launched on": "launch send take",
    "starred in": "star feature",
    "cast member": "star feature",
}
"""Further verbs that are told from the other end where no preposition follows: "the film starred X"."""
_OTHER_END = {
    "was born in": "birthplace",
    "place of birth": "birthplace",
    "residence": "home",
    "headquarters in": "home seat",
    "headquarters location": "home seat",
    "took place in": "host venue location site",
    "held in": "host venue location site",
    "replaces": "predecessor",
    "replaced by": "predecessor",
    "flown by": "flight",
    "created cardinal by": "cardinal",
}
"""Nouns for who does nothing: "Arn was the birthplace of X"."""
_PREPOSITIONS = LINKS | frozenset("about across among amongst away off onto out up within".split())  # noqa: SIM905
_GIVEN = frozenset(form for base in _GIVING.split() for form in forms_of(base))


def ends_of(label: str, between: Sequence[Token], has_owner: bool = False) -> Ends:
    """Which ends of a fact with this label the name before some words may be, if another name stands after them.

    `has_owner`: "Y had X as its coach", whose words follow the other name.
    """
    plain = words_apart(label)
    if plain in _SYMMETRIC:
        return Ends(True, True)
    said = [token.text for token in between if token.kind == "relation"]
    words = [token.text for token in between if token.text not in ARTICLES and token.text[0].isalnum()]
    last = words[-1] if words else ""
    if said[:1] and said[0] in HAVE and last == "to":
        # "had the relation ... to": a label in quotes tells the fact as it stands.
        return Ends(True, False)
    has_owner = has_owner or (_comes_first(words, HAVE, POSSESSIVES) and last not in _PREPOSITIONS)
    # "led team": what is told with a verb of its own is no noun.
    is_role = not is_listed(plain) and is_noun_label(plain) and (has_owner or last == "of" or _is_what_one_was(words))
    object_does = plain in _OBJECT_DOES or plain.endswith(" by") or is_role
    is_doer: bool | None
    if has_owner:
        is_doer = False
    elif last == "of" and is_noun_label(plain) and _is_what_one_was(words) and set(said) & _own_words(plain):
        return Ends(False, True)
    else:
        is_doer = _is_doer(plain, set(said), words, last)
    if is_doer is None:
        return Ends(False, False)
    return Ends(is_doer != object_does, is_doer == object_does)


def ends_of_name(label: str, name: Token, clause: Sequence[Token], said: Sequence[Token], is_echo: bool) -> Ends:
    """Which ends of a fact with this label a name of a clause may be; either where the words do not tell.

    `said` are the words for the relation, `is_echo` says that there are none but a "did" for them.
    """
    before = [token for token in clause if token.place < name.place]
    after = list(takewhile(lambda token: token.kind != "name", [token for token in clause if token.place > name.place]))
    helping = [token for token in before if token.kind == "auxiliary"]
    if not said and is_echo:
        return ends_of(label, [])
    if not said or any(token.text == "'s" for token in clause):
        return Ends(True, True)
    leading = [token.text for token in before if token.text not in ARTICLES][-1:]
    verbs = [token for token in said if any(trigger.is_verb for trigger in token.triggers)]
    # "a spell at X began": a preposition binds the name to what stands before it, whatever verb follows.
    first = min(token.place for token in (said if not verbs or (leading and leading[0] in _PREPOSITIONS) else verbs))
    if first < name.place:
        return _other(ends_of(label, [token for token in before if token.kind == "auxiliary" or token.place >= first]))
    if before and before[-1].text in HAVE:
        return _other(ends_of(label, after, True))
    is_open = any(token.text in BE for token in (*helping, *after)) and (not after or after[-1].text not in _PREPOSITIONS)
    return Ends(True, True) if is_open else ends_of(label, [*helping, *after])


def _other(ends: Ends) -> Ends:
    return Ends(ends.object, ends.subject)


def _is_doer(plain: str, said: set[str], words: list[str], last: str) -> bool | None:
    """Whether a clause's subject does what the label says, `None` where its words say no such thing."""
    if last == "by":
        return bool(said & _converse(plain))
    if last in ("of", "to", "under", "for") and said & _forms(_OTHER_END.get(plain, "")):
        return False
    if any(word in BE for word in words):
        if not is_listed(plain) and _is_done_to(plain) and last not in _PREPOSITIONS:
            # "X was nominated Y" says nothing of who nominated whom.
            return None
        return not (last == "to" and said & _GIVEN)
    if last in _PREPOSITIONS or any(word in BECOME for word in words):
        return True
    return not said & _converse(plain)


def _is_what_one_was(words: list[str]) -> bool:
    return any(word in BE | BECOME or word == "be" for word in words)


def _comes_first(words: list[str], first: frozenset[str], second: frozenset[str]) -> bool:
    places = [place for place, word in enumerate(words) if word in first]
    return bool(places) and any(word in second for word in words[places[0] :])


def _is_done_to(plain: str) -> bool:
    """Whether a label is a verb that takes what it is done to: "nominated", but not "born in" or "described by source"."""
    words = re.findall(r"\w+", plain)
    return bool(words) and words[0] not in BE | HAVE and not is_noun_label(plain) and not LINKS & set(words)


@cache
def _converse(plain: str) -> frozenset[str]:
    if plain.endswith(" by"):
        return frozenset()
    words = re.findall(r"\w+", plain)
    own = frozenset() if words[-1:] and words[-1] in LINKS else _own_words(plain)
    return _forms(f"{_CHOOSING} {_CONVERSE.get(plain, '')}") - own


@cache
def _own_words(plain: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"\w+", plain) if word not in JOINING) | _forms(
        " ".join(word for word in re.findall(r"\w+", plain) if word not in JOINING)
    )


@cache
def _forms(bases: str) -> frozenset[str]:
    return frozenset(form for base in bases.split() for form in forms_of(base))
