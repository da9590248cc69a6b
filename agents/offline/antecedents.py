"""What "it" may stand for: the rewriter says a pronoun only where nothing else in the question could be meant.

A person is never "it", and two things of known, different kinds are told apart by what is said of them
("received an award after joining a team and before leaving it"). Of relations whose words are read from
their labels nothing is known, so that every other thing that is named there could be meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agents.offline.words import PERSON, Noun

ENTITY = Noun("entity", "entities", vague=True)
"""The word for who or what is spoken of again: "which entity ... that entity"."""
_PERSON = "person"
"""The kind of all nouns for people."""
_ALIKE: Mapping[str, tuple[str, ...]] = {
    "prize": ("award",),
    "office": ("office", "title", "occupation"),
    "work": ("album", "book", "film", "work", "character"),
    "group": (
        "band", "company", "employer", "hall of fame", "institution", "legislative body", "orchestra", "organization", "political party",
        "racing team", "sports team",
    ),
    "place": ("city", "country", "place", "region", "venue"),
    "event": ("battle", "competition", "event", "larger event", "match", "meeting", "series of events", "war"),
    "vessel": ("launcher", "ship", "space mission", "spacecraft", "spacecraft or mission"),
}  # fmt: skip
"""Kind -> nouns that may be said of one and the same thing; what is missing here is of no known kind."""
_KINDS = {singular: kind for kind, singulars in _ALIKE.items() for singular in singulars}


def _kinds(nouns: Iterable[Noun]) -> set[str]:
    """The kinds that some nouns for one thing tell, `person` alone where one of them does; empty where they tell none."""
    found = {
        _PERSON if noun.person else _KINDS.get(noun.singular, "") for noun in nouns if noun == PERSON or not (noun.person and noun.vague)
    }
    return {_PERSON} if _PERSON in found else found - {""}


def may_be_meant(rival: Iterable[Noun], meant: Iterable[Noun]) -> bool:
    """Whether "it", for a thing of the kinds `meant`, may be taken for a rival of these kinds."""
    own, other = _kinds(meant), _kinds(rival)
    return other != {_PERSON} and (not own or not other or bool(own & other))
