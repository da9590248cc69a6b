"""A graph as an audit asks it: which facts are there, what lies around an entity, whom a description fits.

What has been asked once is remembered as plain integers: the records of a file come back to the same entities
again and again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.audit.cases import StatedFact
from evaluation.exports.release import granule_of
from graph_sampler.doubt import second_spells
from graph_sampler.labels import normalise_label
from graph_sampler.temporal_graph import TemporalGraph
from state.interval import parse_iso
from state.vocabulary import RelationType

_MOST_REMEMBERED = 1_000_000
_NOT_ASKED = -1
Near = list[tuple[int, int]]
"""Facts with the entity at their other end."""


class KnownGraph:
    """One graph with everything that was asked about it."""

    def __init__(self, graph: TemporalGraph) -> None:
        self.graph = graph
        self.entities: Mapping[str, int] = {ident: code for code, ident in enumerate(graph.entity_ids)}
        self.relations: Mapping[str, int] = {ident: code for code, ident in enumerate(graph.relation_ids)}
        self.times: dict[int, tuple[int, int]] = {}
        """Fact -> its end points, for every fact that `near` gave."""
        self._near: dict[tuple[int, int, bool], Near] = {}
        self._found: dict[StatedFact, int | None] = {}
        self._from: dict[tuple[int, int], dict[tuple[int, tuple[int, int]], int]] = {}
        self._size = 0

    def near(self, relation: int, entity: int, is_subject: bool) -> Near:
        """The facts of a relation at an entity, ascending, with their other ends."""
        key = (relation, entity, is_subject)
        known = self._near.get(key)
        if known is None:
            graph = self.graph
            facts = graph.facts_from(relation, entity) if is_subject else graph.facts_to(relation, entity)
            numbers = facts.tolist()
            known = list(zip(numbers, (graph.object if is_subject else graph.subject)[facts].tolist(), strict=True))
            self._size += len(known) + 1
            if self._size > _MOST_REMEMBERED:
                self._near.clear()
                self._size = len(known)
            self._near[key] = known
            self.times.update(zip(numbers, zip(graph.start[facts].tolist(), graph.end[facts].tolist(), strict=True), strict=True))
        return known

    def find(self, fact: StatedFact) -> int | None:
        """The number of a fact, or `None` where the graph does not have it."""
        return self.find_all((fact,))[0]

    def find_all(self, facts: Sequence[StatedFact]) -> list[int | None]:
        """The numbers of facts, in order, as `find` gives them."""
        known = self._found
        found: list[int | None] = list(map(known.get, facts, repeat(_NOT_ASKED)))
        if _NOT_ASKED in found:
            if len(known) > _MOST_REMEMBERED:
                known.clear()
            for place, fact in enumerate(facts):
                if found[place] == _NOT_ASKED:
                    found[place] = known[fact] = self._look_up(fact)
        return found

    def _look_up(self, fact: StatedFact) -> int | None:
        subject, relation, object_ = self.entities.get(fact[0]), self.relations.get(fact[1]), self.entities.get(fact[2])
        start, end = self.interval(fact)
        if subject is None or relation is None or object_ is None or start is None or end is None:
            return None
        key = (relation, subject)
        known = self._from.get(key)
        if known is None:
            if len(self._from) > _MOST_REMEMBERED // 10:
                self._from.clear()
            known = self._from[key] = {(other, self.times[each]): each for each, other in self.near(relation, subject, True)}
        return known.get((object_, (start, end)))

    def interval(self, fact: StatedFact) -> tuple[int | None, int | None]:
        """The granules of a stated fact's ends; `None` for what is no time in the graph's unit."""
        return self._granule(fact[3]), self._granule(fact[4])

    def _granule(self, time: Any) -> int | None:
        unit = self.graph.granularity
        try:
            if isinstance(time, str):
                granule, own = parse_iso(time)
                return granule if own is unit else None
            return granule_of(time, unit) if isinstance(time, int) and not isinstance(time, bool) else None
        except ValueError:
            return None

    def type_of(self, relation: str) -> RelationType | None:
        """How the graph reads a relation; `None` for one that it does not have."""
        code = self.relations.get(relation)
        return None if code is None else self.graph.relation_types[code]

    def names(self, entity: int) -> frozenset[str]:
        """The normalised label and aliases of an entity."""
        graph = self.graph
        return frozenset(map(normalise_label, (graph.entity_labels[entity], *graph.entity_aliases.get(entity, ()))))

    def has_second_spell(self, fact: int) -> bool:
        """Whether another row of the source, kept or dropped, has the fact's subject, relation and object."""
        return bool(self._second_spells[fact])

    def described_like(self, fact: int) -> int:
        """How many rows of the source, kept or dropped, the description of a fact by its labels fits; at least 1."""
        keys, counts = self._descriptions
        return int(counts[keys.searchsorted(self._description_of[fact])])

    @cached_property
    def _second_spells(self) -> NDArray[np.bool_]:
        return second_spells(self.graph)

    @cached_property
    def _description_of(self) -> NDArray[np.int64]:
        return self._described(self.graph.subject, self.graph.relation, self.graph.object)

    @cached_property
    def _descriptions(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        dropped = self.graph.dropped
        keys, counts = np.unique(
            np.concatenate((self._description_of, self._described(dropped.subject, dropped.relation, dropped.object))), return_counts=True
        )
        return keys, counts.astype(np.int64)

    def _described(self, subject: NDArray[np.int32], relation: NDArray[np.int32], object_: NDArray[np.int32]) -> NDArray[np.int64]:
        """One number for each fact, the same for facts whose three labels are the same."""
        entity, relations = self._entity_names, self._relation_names
        of_relations = int(relations.max(initial=0)) + 1
        of_entities = int(entity.max(initial=0)) + 1
        return (entity[subject] * of_relations + relations[relation]) * of_entities + entity[object_]

    @cached_property
    def _entity_names(self) -> NDArray[np.int64]:
        return _numbered(self.graph.entity_labels)

    @cached_property
    def _relation_names(self) -> NDArray[np.int64]:
        return _numbered(self.graph.relation_labels)


def _numbered(labels: Sequence[str]) -> NDArray[np.int64]:
    """A number for each label, equal labels sharing one; a label that normalises to nothing is only like itself."""
    numbers: dict[str, int] = {}
    found = np.empty(len(labels), dtype=np.int64)
    for place, label in enumerate(labels):
        name = normalise_label(label) or f"\0{place}"
        found[place] = numbers.setdefault(name, len(numbers))
    return found
