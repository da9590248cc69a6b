"""From statements about two facts to constraints: endpoints, readings and ranks, whoever found the facts.

Both readers of free English say which facts a connective joins and with which endpoints; what that
comes to is worked out here. Paper: section 4.1.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from agents.offline.verifier_comparison import Comparison, compare
from agents.offline.verifier_phrases import Reading
from agents.offline.verifier_query import Evidence, FactRef, Pairwise, Query, Ranking
from agents.offline.verifier_skeletons import Skeleton
from agents.offline.verifier_tokens import Token, Unreadable
from graph_sampler.labels import normalise_label


class Spoken(NamedTuple):
    """A statement about two facts, the earlier one left, and its readings."""

    left: FactRef
    right: FactRef
    readings: list[Reading]
    said_right: FactRef
    """The right side as the text has it."""


def spoken(left: FactRef, right: FactRef, found: list[Reading]) -> Spoken | None:
    """A statement in the order in which it is executed; `None` for two references, a fact and itself, or nonsense."""
    if left == right or (left.hop is None and right.hop is None) or not found:
        return None
    if left.hop is None or (right.hop is not None and right.hop < left.hop):
        return Spoken(right, left, [frozenset(atom.mirrored() for atom in reading) for reading in found], right)
    return Spoken(left, right, found, right)


class Builder:
    """Makes queries over one structure."""

    def __init__(self, skeleton: Skeleton, evidence: Evidence) -> None:
        self.skeleton = skeleton
        self.evidence = evidence
        self.labels = [
            frozenset(normalise_label(evidence.relation_labels[relation]) for relation in hop.relations) for hop in skeleton.hops
        ]

        self.lasting: frozenset[str] = frozenset()
        """Labels of relations of which a start or an end is spoken: their facts are no points, however short."""

    def relations(self, side: FactRef) -> frozenset[str]:
        """Normalised relation labels of a fact."""
        if side.hop is not None:
            return self.labels[int(side.hop[1:]) - 1]
        ids = {self.evidence.facts[fact][1] for fact in side.facts}
        return frozenset(normalise_label(self.evidence.relation_labels[relation]) for relation in ids)

    def is_point(self, side: FactRef) -> bool:
        """Whether the facts of its relation are points."""
        if self.relations(side) & self.lasting:
            return False
        if side.hop is not None:
            relations = self.skeleton.hops[int(side.hop[1:]) - 1].relations
        else:
            relations = frozenset(self.evidence.facts[fact][1] for fact in side.facts)
        return relations <= self.evidence.points

    def queries(self, said: Sequence[Spoken], rankings: Sequence[tuple[Ranking, ...]]) -> list[Query]:
        """Every query that the statements allow; none if they contradict one another."""
        pairs: dict[tuple[FactRef, FactRef], list[list[Reading]]] = {}
        for one in said:
            pairs.setdefault((one.left, one.right), []).append(one.readings)
        options = [self._comparisons(*pair, claimed) for pair, claimed in pairs.items()]
        if not all(options):
            return []
        hops, is_chain = self.skeleton.hops, self.skeleton.is_chain
        answer = f"?{'abc'[len(hops) - 1]}" if is_chain else "?a"
        return [
            Query(hops, is_chain, answer, constraints, ranked)
            for chosen in itertools.product(*options)
            for constraints in [tuple(Pairwise(left, right, found) for (left, right), found in zip(pairs, chosen, strict=True))]
            for ranked in rankings
        ]

    def _comparisons(self, left: FactRef, right: FactRef, claimed: list[list[Reading]]) -> list[Comparison]:
        """What all statements about two facts come to; where they can make an operator of the table, only that."""
        added = dict.fromkeys(frozenset().union(*chosen) for chosen in itertools.product(*claimed))
        found = [compare(atoms, self.is_point(left), self.is_point(right)) for atoms in added]
        possible = [comparison for comparison in found if comparison is not None]
        operators = [comparison for comparison in possible if comparison.operator is not None]
        return operators if operators and len(claimed) > 1 else possible

    def rankings(self, ordered: Sequence[tuple[FactRef, str | None, Token]]) -> list[tuple[Ranking, ...]]:
        """Readings of the ordinals; "the last to play" leaves open which end counts.

        Raises:
            Unreadable: a rank of a reference, of a point's length, or by both ends.
        """
        options: list[list[Ranking]] = []
        for side, aspect, token in ordered:
            if side.hop is None:
                raise Unreadable("a rank of a reference")
            _, kind, rank, order = token.text.split(":")
            is_point = self.is_point(side)
            if kind == "duration":
                if is_point:
                    raise Unreadable("a point has no length")
                keys = ["duration"]
            elif aspect == "e" and not is_point:
                keys = ["end"]
            elif aspect in ("s", None) or is_point:
                keys = ["start"] if is_point or aspect == "s" or order == "asc" else ["start", "end"]
            else:
                raise Unreadable("a rank by both ends")
            options.append([Ranking(side.hop, key, int(rank), order == "desc") for key in keys])
        found = [tuple(dict.fromkeys(chosen)) for chosen in itertools.product(*options)]
        return [chosen for chosen in found if len({ranking.hop for ranking in chosen}) == len(chosen)]
