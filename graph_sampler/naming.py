"""What entities are called, and whether a question can say so without doubt or leak. Design rule: sayable.

Names are compared normalised. An end of a relation is *ambiguous* for an entity that shares one of its
names with another entity at that end. Paper: section 4.2.1 (seed space).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graph_sampler.labels import normalise_label, normalise_labels
from graph_sampler.sorting import sort_rows
from graph_sampler.temporal_graph import TemporalGraph

_WORD = re.compile(r"\w+")
_REMEMBERED = 100_000
"""Texts of one sort that are kept, about 200 bytes each."""


def words(text: str) -> str:
    """The normalised words of a text, one blank around each; `""` if it has none."""
    found = _WORD.findall(normalise_label(text))
    return f" {' '.join(found)} " if found else ""


class Names:
    """Names of one graph's entities; answers are remembered, up to a number."""

    def __init__(self, graph: TemporalGraph, meta_labels: tuple[str, ...]) -> None:
        """Takes the labels of relations and entities that no trace may use."""
        self._graph = graph
        self._names: dict[int, frozenset[str]] = {}
        self._segments: dict[str, str] = {}
        self._words: dict[int, tuple[str, ...]] = {}
        self._ambiguous: dict[tuple[int, bool], frozenset[int]] = {}
        meta = {normalise_label(label) for label in meta_labels}
        read_as = list(map(normalise_label, graph.relation_labels))
        shared = {label for label, count in Counter(read_as).items() if count > 1}
        self.meta_relations = frozenset(code for code, label in enumerate(read_as) if label in meta | shared)
        """Relations that no trace may use: meta relations, and those that read like another, since a question cannot tell them apart."""
        plain = {label.casefold() for label in meta_labels} | meta
        self.meta_entities = _labelled(graph.entity_labels, plain)
        self._by_relation = sort_rows((graph.relation,))[0].astype(np.int32)
        self._offsets = np.concatenate(([0], np.cumsum(np.bincount(graph.relation, minlength=len(graph.relation_ids)))))
        self._shared_names, self._namesakes = _shared_names(graph)

    def names(self, entity: int) -> frozenset[str]:
        """The normalised label and aliases."""
        known = self._names.get(entity)
        if known is None:
            _make_room(self._names)
            texts = (self._graph.entity_labels[entity], *self._graph.entity_aliases.get(entity, ()))
            known = self._names[entity] = frozenset(filter(None, map(normalise_label, texts)))
        return known

    def name_words(self, entity: int) -> tuple[str, ...]:
        """The words of each name as `words` gives them, shortest first; a name without words gives `""`."""
        known = self._words.get(entity)
        if known is None:
            _make_room(self._words)
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
                _make_room(known)
                text = known[segment] = words(segment).strip()
            if text:
                found.append(text)
        return f" {' '.join(found)} "

    def _find_ambiguous(self, relation: int, is_subject: bool) -> frozenset[int]:
        facts = self._by_relation[self._offsets[relation] : self._offsets[relation + 1]]
        is_here = np.zeros(len(self._graph.entity_ids), np.bool_)
        is_here[(self._graph.subject if is_subject else self._graph.object)[facts]] = True
        here = is_here[self._namesakes]
        names, entities = self._shared_names[here], self._namesakes[here]
        same = names[1:] == names[:-1]
        return frozenset(entities[1:][same].tolist()) | frozenset(entities[:-1][same].tolist())


def _labelled(labels: Sequence[str], wanted: set[str]) -> frozenset[int]:
    """The places of labels that are, without blanks at their ends and case-folded, one of those wanted."""
    texts = pa.array(labels, pa.large_string())
    is_ascii = pc.match_substring_regex(texts, r"^[ -~]*$")
    is_found = pc.and_(is_ascii, pc.is_in(pc.ascii_lower(pc.ascii_trim_whitespace(texts)), pa.array(sorted(wanted), texts.type)))
    others = np.flatnonzero(~is_ascii.to_numpy(zero_copy_only=False)).tolist()
    found = np.flatnonzero(is_found.to_numpy(zero_copy_only=False)).tolist()
    return frozenset(found).union(code for code in others if labels[code].strip().casefold() in wanted)


def _shared_names(graph: TemporalGraph) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """A number for each name that several entities have, and these entities: one row each, names together."""
    aliased = [(code, alias) for code, aliases in graph.entity_aliases.items() for alias in aliases]
    both = (graph.entity_labels, [alias for _, alias in aliased])
    texts = normalise_labels(pa.concat_arrays([pa.array(texts, pa.large_string()) for texts in both]))
    owners = np.concatenate((np.arange(len(graph.entity_labels), dtype=np.int32), np.array([code for code, _ in aliased], np.int32)))
    is_name = pc.not_equal(texts, "")
    numbers = texts.filter(is_name).dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    owners = owners[is_name.to_numpy(zero_copy_only=False)]
    # Most names have one owner, so that only few rows are left to sort.
    is_repeated = np.bincount(numbers)[numbers] > 1
    numbers, owners = numbers[is_repeated], owners[is_repeated]
    order, is_new = sort_rows((numbers, owners))
    order = order[is_new]
    numbers, owners = numbers[order], owners[order]
    is_shared = np.bincount(numbers)[numbers] > 1
    return numbers[is_shared], owners[is_shared]


def _make_room(known: dict[Any, Any]) -> None:
    """Forgets everything once there is much of it, so that memory does not grow with the sample."""
    if len(known) >= _REMEMBERED:
        known.clear()
