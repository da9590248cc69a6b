"""What entities are called, and whether a question can say so without doubt or leak. Design rule: sayable.

Names are compared normalised. An end of a relation is *ambiguous* for an entity that shares one of its
names with another entity at that end. Paper: section 4.2.1 (seed space).
"""

from __future__ import annotations

import re

import numpy as np

from graph_sampler.labels import normalise_label
from graph_sampler.temporal_graph import TemporalGraph

_WORD = re.compile(r"\w+")


def words(text: str) -> str:
    """The normalised words of a text, one blank around each; `""` if it has none."""
    found = _WORD.findall(normalise_label(text))
    return f" {' '.join(found)} " if found else ""


class Names:
    """Names of one graph's entities; every answer is remembered. Memory grows with what is asked."""

    def __init__(self, graph: TemporalGraph, meta_labels: tuple[str, ...]) -> None:
        """Takes the labels of relations and entities that no trace may use."""
        self._graph = graph
        self._names: dict[int, frozenset[str]] = {}
        self._segments: dict[str, str] = {}
        self._words: dict[int, tuple[str, ...]] = {}
        self._ambiguous: dict[tuple[int, bool], frozenset[int]] = {}
        meta = {normalise_label(label) for label in meta_labels}
        self.meta_relations = frozenset(code for code, label in enumerate(graph.relation_labels) if normalise_label(label) in meta)
        plain = {label.casefold() for label in meta_labels} | meta
        self.meta_entities = frozenset(code for code, label in enumerate(graph.entity_labels) if label.strip().casefold() in plain)
        order = np.argsort(graph.relation, kind="stable")
        self._by_relation = order
        self._offsets = np.searchsorted(graph.relation[order], np.arange(len(graph.relation_ids) + 1))

    def names(self, entity: int) -> frozenset[str]:
        """The normalised label and aliases."""
        known = self._names.get(entity)
        if known is None:
            texts = (self._graph.entity_labels[entity], *self._graph.entity_aliases.get(entity, ()))
            known = self._names[entity] = frozenset(filter(None, map(normalise_label, texts)))
        return known

    def name_words(self, entity: int) -> tuple[str, ...]:
        """The words of each name as `words` gives them, shortest first; a name without words gives `""`."""
        known = self._words.get(entity)
        if known is None:
            known = self._words[entity] = tuple(sorted(map(words, self.names(entity)), key=lambda text: (len(text), text)))
        return known

    def is_unique_at(self, relation: int, is_subject: bool, entity: int) -> bool:
        """Whether no other entity at that end of the relation shares a name with this one.

        The first question about an end costs time in the facts of the relation.
        """
        ambiguous = self._ambiguous.get((relation, is_subject))
        if ambiguous is None:
            ambiguous = self._ambiguous[relation, is_subject] = self._find_ambiguous(relation, is_subject)
        return entity not in ambiguous

    def says(self, text_words: str, entity: int) -> bool:
        """Whether a text, given as `words`, says one of the entity's names; a name without words counts as said."""
        return any(not name or name in text_words for name in self.name_words(entity))

    def question_words(self, question: str) -> str:
        """`words` of a template question, put together from its quoted parts, each remembered."""
        known = self._segments
        found = []
        for segment in question.split('"'):
            text = known.get(segment)
            if text is None:
                if len(known) >= 200_000:
                    known.clear()
                text = known[segment] = words(segment).strip()
            if text:
                found.append(text)
        return f" {' '.join(found)} "

    def _find_ambiguous(self, relation: int, is_subject: bool) -> frozenset[int]:
        facts = self._by_relation[self._offsets[relation] : self._offsets[relation + 1]]
        column = self._graph.subject if is_subject else self._graph.object
        owner: dict[str, int] = {}
        found: set[int] = set()
        for entity in np.unique(column[facts]).tolist():
            for name in self.names(entity):
                first = owner.setdefault(name, entity)
                if first != entity:
                    found.update((first, entity))
        return frozenset(found)
