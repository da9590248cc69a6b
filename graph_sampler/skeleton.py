"""Skeletons: the structural steps of a trace with the rows that they bind. Paper: section 4.2.2.

A skeleton holds the rows of every stage without temporal constraints. Facts are indices into the
graph, entities are codes; row order is the order of the graph's facts, so it does not depend on
the order of the input. Cost and memory are linear in the rows, which `caps.max_rows` bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graph_sampler.sorting import sort_rows
from graph_sampler.temporal_graph import TemporalGraph
from state.vocabulary import Action, Template

FACT_NAMES = ("f1", "f2", "f3")
VARIABLES = ("?a", "?b", "?c")

_REMEMBERED_FACTS = 500_000
"""Facts around entities that a worker remembers, about 100 bytes each; a relation's list counts as eight more."""


class Hop(NamedTuple):
    """One structural step: its relation, which end the candidate after it takes, and the fixed end."""

    action: Action
    relation: int
    candidate_is_subject: bool
    fixed: int
    """The fixed entity; -1 for a transition."""


class Rows(NamedTuple):
    """The rows of one stage: one list per fact name and per variable, and each row's parent in the stage before."""

    facts: tuple[list[int], ...]
    variables: tuple[list[int], ...]
    parents: list[int]

    @property
    def candidates(self) -> list[int]:
        """The candidate of each row."""
        return self.variables[-1]


class Skeleton(NamedTuple):
    """A template with its steps and rows; `root_rows` are those of the root alone."""

    template: Template
    hops: tuple[Hop, ...]
    stages: tuple[Rows, ...]
    root_rows: Rows

    def stage_of(self, fact: int) -> int:
        """The stage that binds a fact name, by its number from 0."""
        return fact if self.template.is_chain else 0

    def evidence(self) -> list[int]:
        """Every fact that the structural steps bind, dead ends included, ascending."""
        found = set(self.root_rows.facts[0])
        for rows in self.stages:
            found.update(*rows.facts)
        return sorted(found)


class Neighbourhood:
    """The facts around entities, remembered while a worker draws roots. Meta relations are left out."""

    def __init__(self, graph: TemporalGraph, meta_relations: frozenset[int], max_rows: int) -> None:
        """Takes relations never to walk, and the number of facts past which a relation's list is not given."""
        self.graph = graph
        self._meta = meta_relations
        self._max_rows = max_rows
        self._around: dict[int, dict[tuple[int, bool], tuple[list[int], list[int]]]] = {}
        self._held = 0
        self._crowded: set[tuple[int, int, bool]] = set()
        self.remembered: dict[tuple[int, int], frozenset[str]] = {}
        """The operators that could hold between two facts, kept between skeletons by the doubtful check."""

    def around(self, entity: int) -> dict[tuple[int, bool], tuple[list[int], list[int]]]:
        """`(relation, entity is subject) -> (facts, other ends)`; a list longer than `max_rows` is left out."""
        known = self._around.get(entity)
        if known is None:
            if self._held > _REMEMBERED_FACTS:
                self._around.clear()
                self._held = 0
            known = self._around[entity] = {}
            graph = self.graph
            self._split(known, entity, graph.facts_with_subject(entity), graph.object, True)
            self._split(known, entity, graph.facts_with_object(entity), graph.subject, False)
        return known

    def is_crowded(self, entity: int, relation: int, is_subject: bool) -> bool:
        """Whether `around` left out this list for its length; ask after `around`."""
        return (entity, relation, is_subject) in self._crowded

    def between(self, entity: int, relation: int, is_subject: bool, other: int) -> list[int]:
        """The facts of a relation between two entities, ascending."""
        near = self.around(entity).get((relation, is_subject))
        if near is not None:
            return [fact for fact, end in zip(*near, strict=True) if end == other]
        if not self.is_crowded(entity, relation, is_subject):
            return []
        graph = self.graph
        facts = graph.facts_from(relation, entity) if is_subject else graph.facts_to(relation, entity)
        ends = (graph.object if is_subject else graph.subject)[facts]
        return [int(fact) for fact in facts[ends == other]]

    def _split(
        self,
        into: dict[tuple[int, bool], tuple[list[int], list[int]]],
        entity: int,
        facts: NDArray[np.intp],
        others: NDArray[np.int32],
        is_subject: bool,
    ) -> None:
        if not len(facts):
            return
        relations = self.graph.relation[facts]
        bounds = np.flatnonzero(np.diff(relations)) + 1
        starts = [0, *bounds.tolist()]
        ends = [*bounds.tolist(), len(facts)]
        for low, high in zip(starts, ends, strict=True):
            relation = int(relations[low])
            if relation in self._meta:
                continue
            if high - low > self._max_rows:
                self._crowded.add((entity, relation, is_subject))
            else:
                part = facts[low:high]
                into[relation, is_subject] = (part.tolist(), others[part].tolist())
                self._held += 8 + high - low


def root_skeleton(graph: TemporalGraph, relation: int, candidate_is_subject: bool, fixed: int) -> Skeleton:
    """The skeleton of `A -> B`."""
    facts = graph.facts_to(relation, fixed) if candidate_is_subject else graph.facts_from(relation, fixed)
    candidates = (graph.subject if candidate_is_subject else graph.object)[facts]
    rows = Rows((facts.tolist(),), (candidates.tolist(),), [])
    return Skeleton(Template.ONE_HOP, (Hop(Action.ROOT, relation, candidate_is_subject, fixed),), (rows,), rows)


def with_filter(around: Neighbourhood, root: Skeleton, relation: int, candidate_is_subject: bool, fixed: int) -> Skeleton:
    """The skeleton of `C <- A -> B`."""
    first, second, candidates = [], [], []
    (facts,), (cands,), _ = root.root_rows
    joined: dict[int, list[int]] = {}
    for fact, candidate in zip(facts, cands, strict=True):
        found = joined.get(candidate)
        if found is None:
            found = joined[candidate] = around.between(candidate, relation, candidate_is_subject, fixed)
        for other in found:
            first.append(fact)
            second.append(other)
            candidates.append(candidate)
    rows = Rows((first, second), (candidates,), [])
    hop = Hop(Action.STRUCTURAL_FILTER, relation, candidate_is_subject, fixed)
    return Skeleton(Template.BRANCH, (*root.hops, hop), (rows,), root.root_rows)


def with_transition(around: Neighbourhood, before: Skeleton, relation: int, candidate_is_subject: bool, max_rows: int) -> Skeleton | None:
    """A chain one transition longer; `None` past `max_rows` or without rows."""
    rows = before.stages[-1]
    parents, facts, new = [], [], []
    for row, candidate in enumerate(rows.candidates):
        near = around.around(candidate).get((relation, not candidate_is_subject))
        if around.is_crowded(candidate, relation, not candidate_is_subject):
            return None
        if near is not None:
            parents.extend([row] * len(near[0]))
            facts.extend(near[0])
            new.extend(near[1])
            if len(facts) > max_rows:
                return None
    if not facts:
        return None
    bound = tuple([column[row] for row in parents] for column in rows.facts)
    variables = tuple([column[row] for row in parents] for column in rows.variables)
    template = Template.TWO_HOP if len(before.hops) == 1 else Template.THREE_HOP
    hop = Hop(Action.FORWARD_TRANSITION, relation, candidate_is_subject, -1)
    stage = Rows((*bound, facts), (*variables, new), parents)
    return Skeleton(template, (*before.hops, hop), (*before.stages, stage), before.root_rows)


def rebuild(around: Neighbourhood, hops: tuple[Hop, ...], max_rows: int) -> Skeleton:
    """The skeleton of given steps, as it was first drawn."""
    _, relation, is_subject, fixed = hops[0]
    skeleton = root_skeleton(around.graph, relation, is_subject, fixed)
    for action, relation, is_subject, fixed in hops[1:]:
        if action is Action.STRUCTURAL_FILTER:
            skeleton = with_filter(around, skeleton, relation, is_subject, fixed)
        else:
            longer = with_transition(around, skeleton, relation, is_subject, max_rows)
            assert longer is not None, "steps that were drawn once"
            skeleton = longer
    return skeleton


def possible_filters(around: Neighbourhood, root: Skeleton, meta_entities: frozenset[int]) -> list[tuple[int, bool, int]]:
    """`(relation, candidate is subject, fixed)` of filters that keep at least two candidates and drop one."""
    candidates = sorted(set(root.root_rows.candidates))
    found: dict[tuple[int, bool, int], int] = {}
    for candidate in candidates:
        for (relation, is_subject), (_, others) in around.around(candidate).items():
            for other in set(others):
                if other not in meta_entities:
                    key = (relation, is_subject, other)
                    found[key] = found.get(key, 0) + 1
    return sorted(key for key, count in found.items() if 2 <= count < len(candidates))


def possible_transitions(around: Neighbourhood, before: Skeleton) -> list[tuple[int, bool]]:
    """`(relation, new candidate is subject)` of every walk on from the current candidates."""
    found: set[tuple[int, bool]] = set()
    for candidate in set(before.stages[-1].candidates):
        found.update((relation, not is_subject) for relation, is_subject in around.around(candidate))
    return sorted(found)


def roots(
    graph: TemporalGraph, least: int, most: int, meta_relations: frozenset[int], meta_entities: frozenset[int]
) -> list[tuple[int, bool, int]]:
    """`(relation, candidate is subject, fixed)` of every seed with `least` to `most` candidates, ascending.

    Linear in the facts, in numpy, without a sort: both orders stand in the store. Paper: section 4.2.1, Eq. 3.
    """
    is_meta_relation, is_meta_entity = np.zeros(len(graph.relation_ids), np.bool_), np.zeros(len(graph.entity_ids), np.bool_)
    is_meta_relation[list(meta_relations)], is_meta_entity[list(meta_entities)] = True, True
    found: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]] = []
    for candidate_is_subject in (False, True):
        relation, fixed = _seeds(graph, candidate_is_subject, least, most)
        is_kept = ~is_meta_relation[relation] & ~is_meta_entity[fixed]
        found.append((relation[is_kept], fixed[is_kept], np.full(int(is_kept.sum()), candidate_is_subject)))
    relations, fixed, ends = (np.concatenate(columns) for columns in zip(*found, strict=True))
    order, _ = sort_rows((relations, ends, fixed))
    return list(zip(relations[order].tolist(), ends[order].tolist(), fixed[order].tolist(), strict=True))


def _seeds(graph: TemporalGraph, candidate_is_subject: bool, least: int, most: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Relation and fixed entity of the seeds in one direction."""
    columns = graph.object, graph.relation, graph.subject
    # Facts of one seed stand together in this order, and of them those of one candidate.
    fixed, relation, free = (column[graph.facts_by_object] for column in columns) if candidate_is_subject else columns[::-1]
    is_seed, is_candidate = np.ones(len(free), np.bool_), np.ones(len(free), np.bool_)
    is_seed[1:] = (fixed[1:] != fixed[:-1]) | (relation[1:] != relation[:-1])
    is_candidate[1:] = is_seed[1:] | (free[1:] != free[:-1])
    first = np.flatnonzero(is_seed)
    candidates = np.cumsum(is_candidate, dtype=np.int32)
    counts = np.diff(candidates[first], append=len(candidates) and candidates[-1] + 1)
    first = first[(counts >= least) & (counts <= most)]
    return relation[first], fixed[first]
