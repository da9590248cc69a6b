"""What the offline verifier understood of a question: hops, pairwise constraints and ordinals.

The verifier's own form of a query; it is read from the question's text alone and knows nothing of a
trace. Paper: section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agents.offline.verifier_comparison import Comparison
from graph_sampler.labels import normalise_label
from state.fact import LabelledFact


class Term(NamedTuple):
    """One end of a hop: a variable, or the entities that carry a name."""

    variable: str | None
    """`?a`, `?b`, `?c`; `None` for a named end."""
    entities: frozenset[str] = frozenset()
    """Ids that the name may stand for; empty for a variable."""


class Hop(NamedTuple):
    """A structural fact of the query, bound under its name in every row."""

    name: str
    subject: Term
    relations: frozenset[str]
    object: Term


class FactRef(NamedTuple):
    """One side of a constraint: a fact of the row by name, or a concrete fact of the evidence."""

    hop: str | None
    """`f1`, `f2`, `f3`; `None` for a reference."""
    facts: frozenset[int] = frozenset()
    """Positions in the evidence that the reference's words fit."""


class Pairwise(NamedTuple):
    """A constraint between two facts."""

    left: FactRef
    right: FactRef
    comparison: Comparison


class Ranking(NamedTuple):
    """An ordinal constraint on the rows' facts of one name."""

    hop: str
    key: str
    """`start`, `end` or `duration`."""
    rank: int
    """From 1, from the end that `descending` names."""
    descending: bool


class Query(NamedTuple):
    """A whole question; hops stand in the order of the walk."""

    hops: tuple[Hop, ...]
    is_chain: bool
    answer: str
    """The variable asked for."""
    pairwise: tuple[Pairwise, ...]
    rankings: tuple[Ranking, ...]


class Evidence:
    """The facts shown, with what the reader needs to look up by name."""

    def __init__(self, facts: Sequence[LabelledFact]) -> None:
        self.facts: list[tuple[str, str, str, int, int]] = []
        self.labels: dict[str, str] = {}
        self.relation_labels: dict[str, str] = {}
        self.by_label: dict[str, set[str]] = {}
        seen: set[tuple[str, str, str, int, int]] = set()
        for fact in facts:
            span = fact.interval
            row = (fact.subject, fact.relation, fact.object, span.start, span.end)
            if row in seen:
                continue
            seen.add(row)
            self.facts.append(row)
            self.labels.setdefault(fact.subject, fact.subject_label)
            self.labels.setdefault(fact.object, fact.object_label)
            self.relation_labels.setdefault(fact.relation, fact.relation_label)
        for entity, label in self.labels.items():
            self.by_label.setdefault(normalise_label(label), set()).add(entity)
        self.relations_by_label: dict[str, set[str]] = {}
        for relation, label in self.relation_labels.items():
            self.relations_by_label.setdefault(normalise_label(label), set()).add(relation)
        long = {relation for _, relation, _, start, end in self.facts if start != end}
        self.points = frozenset(self.relation_labels) - long

    def named(self, label: str) -> frozenset[str]:
        """Ids of the entities with this label."""
        return frozenset(self.by_label.get(normalise_label(label), ()))

    def related(self, *labels: str) -> frozenset[str]:
        """Ids of the relations with one of these labels."""
        return frozenset(relation for label in labels for relation in self.relations_by_label.get(normalise_label(label), ()))

    def matching(self, subjects: frozenset[str] | None, relations: frozenset[str], objects: frozenset[str] | None) -> list[int]:
        """Positions of the facts of these relations and ends; `None` leaves an end open."""
        return [
            index
            for index, (subject, relation, object_, _, _) in enumerate(self.facts)
            if relation in relations and (subjects is None or subject in subjects) and (objects is None or object_ in objects)
        ]
