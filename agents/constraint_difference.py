"""How the constraints that a question states differ from those of its trace. Paper: Figure 7.

Both sides come in canonical form, so that a constraint equals its converse with the sides exchanged. They
are matched as multisets, the surest matches first: equal; the same facts with another operator; the same
operator with one fact in common; what is left over is missing or unnecessary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from agents.read_constraints import Constraint, Told
from graph_sampler.operators import opposite_of
from state.roles import FactDescription
from state.vocabulary import Difference

Test = Callable[[Constraint, Constraint], bool]
"""`(of the trace, read) -> bool`."""


class Finding(NamedTuple):
    """One difference."""

    label: Difference
    gold: str | None
    """The trace's constraint as a sentence; `None` for an unnecessary one."""
    read: str | None
    """What the question states instead, or besides; `None` for a missing one."""

    @property
    def sentence(self) -> str:
        """It on one line, the label first."""
        if self.read is None:
            return f"{self.label.value}: {self.gold}"
        return f"{self.label.value}: {self.read}" + ("" if self.gold is None else f"; it should be: {self.gold}")


class Matching(NamedTuple):
    """What a comparison comes to."""

    findings: tuple[Finding, ...]
    """In the order of the trace's constraints, then of those read; empty: both state the same."""
    equal: Mapping[int, int]
    """Position among those read -> position in the trace, for what is the same in both."""
    meant: Mapping[int, Constraint]
    """Position among those read -> what it comes to, for what differs; what may be several things and matches none is left out."""


def compare_constraints(gold: Sequence[Told], read: Sequence[Told]) -> Matching:
    """Every difference between what a trace holds and what a reader states."""
    equal = {theirs: own for own, theirs in _assigned(gold, read, Constraint.__eq__).items()}
    open_gold = [place for place in range(len(gold)) if place not in equal.values()]
    open_read = [place for place in range(len(read)) if place not in equal]
    labels: dict[int, tuple[Difference, int]] = {}
    meant: dict[int, Constraint] = {}
    for label, test in ((Difference.REVERSED, is_reversed), (Difference.WRONG, _has_same_facts), (Difference.WRONG, _has_one_fact)):
        pairs = _assigned([gold[place] for place in open_gold], [read[place] for place in open_read], test)
        labels |= {open_gold[own]: (label, open_read[theirs]) for own, theirs in pairs.items()}
        for own, theirs in pairs.items():
            fitting = (b for a in gold[open_gold[own]].options for b in read[open_read[theirs]].options if test(a, b))
            meant[open_read[theirs]] = next(fitting)
        open_gold = [place for index, place in enumerate(open_gold) if index not in pairs]
        open_read = [place for index, place in enumerate(open_read) if index not in pairs.values()]
    labels |= dict.fromkeys(open_gold, (Difference.MISSING, -1))
    findings = [
        Finding(label, gold[own].words, read[theirs].words if theirs >= 0 else None) for own, (label, theirs) in sorted(labels.items())
    ]
    findings += [Finding(Difference.UNNECESSARY, None, read[place].words) for place in open_read]
    meant |= {place: read[place].options[0] for place in open_read if len(read[place].options) == 1}
    return Matching(tuple(findings), equal, meant)


def is_reversed(own: Constraint, theirs: Constraint) -> bool:
    """Whether the same facts are compared the other way round, or ranked from the other end."""
    if own.right is None or theirs.right is None:
        return own._replace(order=None) == theirs._replace(order=None) and own.order is not theirs.order
    return _has_same_facts(own, theirs) and opposite_of(own.operator) == theirs.operator


def _has_same_facts(own: Constraint, theirs: Constraint) -> bool:
    return (own.left, own.right) == (theirs.left, theirs.right)


def _has_one_fact(own: Constraint, theirs: Constraint) -> bool:
    """The same operator, by its word, with one fact in common on the same side; of an ordinal, all but its fact."""
    if own.right is None or theirs.right is None:
        return own._replace(left="") == theirs._replace(left="")
    return any(own.word is other.word and _shares(own, other) for other in (theirs, theirs.mirrored()))


def _shares(own: Constraint, other: Constraint) -> bool:
    known = not isinstance(other.left, FactDescription) and own.left == other.left
    return known or (not isinstance(other.right, FactDescription) and own.right == other.right)


def _assigned(gold: Sequence[Told], read: Sequence[Told], test: Test) -> dict[int, int]:
    """Position in `gold` -> position in `read`: as many pairs as can pass the test at once, each side used once."""
    fits = [[place for place, theirs in enumerate(read) if any(test(a, b) for a in own.options for b in theirs.options)] for own in gold]
    owner: dict[int, int] = {}

    def place_for(own: int, tried: set[int]) -> bool:
        for place in fits[own]:
            if place not in tried:
                tried.add(place)
                if place not in owner or place_for(owner[place], tried):
                    owner[place] = own
                    return True
        return False

    for own in range(len(gold)):
        place_for(own, set())
    return {own: place for place, own in owner.items()}
