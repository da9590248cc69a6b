"""What the parser of free English makes of a question: clauses about things that are spoken of more than once.

Paper: section 4.3.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from agents.offline.verifier_tokens import Token

_PERSONS = frozenset(
    """
    person people individual individuals man men woman women someone somebody anyone anybody figure figures who competitor
    competitors
    """.split()  # noqa: SIM905 - a word list is read more easily in lines
)
_BE = frozenset(["was", "were", "is", "are"])
VERBAL = ("relation", "start", "end", "both", "spell")


@dataclass
class Referent:
    """A thing spoken of: named, or a variable that the words introduce."""

    nouns: frozenset[str]
    entities: frozenset[str] = frozenset()
    """Ids that the name may stand for; empty for a variable."""
    is_person: bool = False

    def is_called(self, noun: str) -> bool:
        """Whether a noun may point back to it."""
        return noun in self.nouns or (self.is_person and noun in _PERSONS)


class Slot(NamedTuple):
    """Somebody or something that takes part in a clause."""

    options: tuple[int, ...]
    """Places of the referents that it may be; none for a pronoun."""


ANYTHING = Slot(())


@dataclass
class Clause:
    """A statement about one fact; as an adjunct it says when another's fact was."""

    place: int
    host: int | None = None
    """Place of the clause that it dates."""
    connective: str = ""
    parent: int | None = None
    """Place of the clause in which the thing stands that it describes."""
    head: Slot | None = None
    """The thing that a relative clause describes."""
    slots: list[Slot] = field(default_factory=list)
    lent: list[Slot] = field(default_factory=list)
    """What takes part in the clause before, for what this one leaves out."""
    subject: Slot | None = None
    gap: Slot | None = None
    """What stands before the clause rather than in it, as its object."""
    tokens: list[Token] = field(default_factory=list)
    is_by: bool = False
    """Whether its verb has a `by`."""
    agent: Slot | None = None
    """What stands after `by`."""
    is_joined: bool = False
    """Whether it follows another with `and`, or stands by itself."""

    @property
    def doer(self) -> Slot | None:
        """Who does what the verb says: what stands after `by` or before a clause that ends in it, else an active verb's subject."""
        if self.is_by:
            return self.agent or self.gap or (self.slots[0] if self.slots else None)
        return None if self.is_passive else self.subject

    @property
    def is_passive(self) -> bool:
        """Whether its verb follows a form of `be`."""
        return any(token.text in _BE for token in self.of("auxiliary"))

    def of(self, *kinds: str) -> list[Token]:
        """Its tokens of some kinds."""
        return [token for token in self.tokens if token.kind in kinds]

    @property
    def has_verb(self) -> bool:
        """Whether it has a word that says something."""
        return bool(self.of(*VERBAL))

    @property
    def is_statement(self) -> bool:
        """Whether it says anything yet; "was Mayor of Arn" says something of two."""
        return self.has_verb or (self.is_passive and len(self.slots) >= 2)

    @property
    def is_full(self) -> bool:
        """Whether it says something of two."""
        return self.is_statement and len(set(self.slots)) >= 2

    def take(self, slot: Slot) -> None:
        """Adds a participant; the first that is no gap is the subject, what follows `by` the doer."""
        if self.is_by and self.agent is None:
            self.agent = slot
        if self.subject is None:
            self.subject = slot
        self.slots.append(slot)


class Parse(NamedTuple):
    """One way to read the structure of a question."""

    cost: float
    clauses: list[Clause]
    referents: list[Referent]
    answer: int
    """Place of the referent asked for."""


def singular(noun: str) -> str:
    """A noun without its plural ending, roughly."""
    if noun == "people":
        return "person"
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith("s") and not noun.endswith(("ss", "us", "series")):
        return noun[:-1]
    return noun


def is_person_noun(noun: str) -> bool:
    """Whether a noun says no more than that somebody is a person."""
    return noun in _PERSONS
