"""Which structures a question can have: the hinted topology over the entities that it names.

Topology, hop count and relation labels come from the hint, the fixed ends from the question's own
words, and a structure counts only if some walk over the evidence satisfies it. Paper: section 4.2.2.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from agents.offline.verifier_query import Evidence, Hop, Term
from state.vocabulary import Template


class Skeleton(NamedTuple):
    """The hops of a possible query."""

    hops: tuple[Hop, ...]
    is_chain: bool
    facts: tuple[frozenset[int], ...]
    """Positions in the evidence that each hop's pattern matches."""
    penalty: float
    """Greater where facts of the evidence have no place in it."""

    def anchor(self, hop: int) -> frozenset[str]:
        """Ids of the fixed end of a hop; empty where both ends are variables."""
        subject, object_ = self.hops[hop].subject, self.hops[hop].object
        return subject.entities | object_.entities


def _open_ends(evidence: Evidence, hop: Hop, facts: list[int]) -> set[str]:
    return {evidence.facts[index][0] if hop.subject.variable else evidence.facts[index][2] for index in facts}


def _rooted(name: str, evidence: Evidence, relation: str, named: frozenset[str]) -> Iterator[tuple[Hop, list[int], set[str]]]:
    relations = evidence.related(relation)
    for hop in (Hop(name, Term("?a"), relations, Term(None, named)), Hop(name, Term(None, named), relations, Term("?a"))):
        facts = evidence.matching(hop.subject.entities or None, relations, hop.object.entities or None)
        if facts:
            yield hop, facts, _open_ends(evidence, hop, facts)


def _penalty(evidence: Evidence, explained: set[int]) -> float:
    return 0.0 if len(explained) == len(evidence.facts) else 1.0


def skeletons(template: Template, relations: list[str], names: list[frozenset[str]], evidence: Evidence) -> list[Skeleton]:
    """Every structure of a topology that uses exactly these relations and fixes ends to named entities."""
    distinct = sorted(set(names), key=sorted)
    if template.is_chain:
        return list(_chains(template, relations, distinct, evidence))
    roots = [found for relation, named in itertools.product(relations, distinct) for found in _rooted("f1", evidence, relation, named)]
    if template is Template.ONE_HOP:
        return [Skeleton((hop,), False, (frozenset(facts),), _penalty(evidence, set(facts))) for hop, facts, _ in roots]
    found = []
    wanted = evidence.related(*relations)
    for (first, facts, ends), (second, others, other_ends) in itertools.combinations(roots, 2):
        if ends & other_ends and first.relations | second.relations == wanted:
            # Facts of the second hop count only with the first one's candidates, or the other way about.
            explained = set(facts) | set(others)
            hops = (first, second._replace(name="f2"))
            found.append(Skeleton(hops, False, (frozenset(facts), frozenset(others)), _penalty(evidence, explained)))
    return found


def _chains(template: Template, relations: list[str], names: list[frozenset[str]], evidence: Evidence) -> Iterator[Skeleton]:
    count = template.hop_count
    for order in itertools.product(relations, repeat=count):
        if set(order) != set(relations):
            continue
        for named in names:
            for hop, facts, ends in _rooted("f1", evidence, order[0], named):
                yield from _walk(evidence, order, (hop,), (frozenset(facts),), ends)


def _walk(
    evidence: Evidence, order: tuple[str, ...], hops: tuple[Hop, ...], facts: tuple[frozenset[int], ...], ends: set[str]
) -> Iterator[Skeleton]:
    step = len(hops)
    if step == len(order):
        explained = set().union(*facts)
        yield Skeleton(hops, True, facts, _penalty(evidence, explained))
        return
    old, new = ("?a", "?b", "?c")[step - 1 : step + 1]
    relations = evidence.related(order[step])
    for subject, object_ in ((old, new), (new, old)):
        is_forward = subject == old
        found = evidence.matching(frozenset(ends) if is_forward else None, relations, None if is_forward else frozenset(ends))
        if found:
            reached = {evidence.facts[index][2] if is_forward else evidence.facts[index][0] for index in found}
            hop = Hop(f"f{step + 1}", Term(subject), relations, Term(object_))
            yield from _walk(evidence, order, (*hops, hop), (*facts, frozenset(found)), reached)
