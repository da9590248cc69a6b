"""The cleaned temporal knowledge graph: an immutable columnar store with its indexes.

Entities and relations are numbered by the order of their ids, facts are sorted, so equal sources give
equal stores whatever the order of their rows. Paper: sections 3 and 4.2.1.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graph_sampler.columns import settled
from graph_sampler.sorting import sort_rows
from state.interval import Granularity, ValidInterval, format_granule
from state.vocabulary import RelationType

if TYPE_CHECKING:
    import networkx as nx

NEG_INF = -(2**62)
"""Lower bound of a dropped row that is not known."""
POS_INF = 2**62
"""Upper bound of a dropped row that is not known."""

_HASHED_TOGETHER = 1 << 16
"""Names that are Python objects at once while a graph is hashed."""

Codes = npt.NDArray[np.int32]
Bounds = npt.NDArray[np.int64]
Indices = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


class AdjacencyIndex:
    """Rows grouped by one end, and by relation within a group."""

    __slots__ = ("_offsets", "_order", "_relation")

    def __init__(self, ends: Codes, relation: Codes, entities: int) -> None:
        """Index rows by `ends`; rows of one group and relation stay in their order."""
        order, _ = sort_rows((ends, relation))
        self._order: Indices = settled(order.astype(np.int32))
        self._relation: Codes = settled(relation[order])
        self._offsets: Indices = settled(np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=entities)))))

    @property
    def order(self) -> Indices:
        """Every row, by its end, then by relation, then by its place."""
        return self._order

    def rows(self, end: int) -> Indices:
        """The group's rows, ascending by relation and then by row."""
        return self._order[self._offsets[end] : self._offsets[end + 1]]

    def rows_with_relation(self, end: int, relation: int) -> Indices:
        """The group's rows with one relation, ascending."""
        low, high = self._offsets[end], self._offsets[end + 1]
        group = self._relation[low:high]
        first, last = group.searchsorted(relation), group.searchsorted(relation, "right")
        return self._order[low + first : low + last]


@dataclass(frozen=True, slots=True, eq=False)
class DroppedFacts:
    """Distinct rows that cleaning dropped but that may be true, in the order of facts.

    A row stands for any `(s, e)` with `start_low <= s <= start_high`, `end_low <= e <= end_high` and
    `s <= e`; where `is_point`, only for those with `s == e`. A bound that is not known or reversed is
    `NEG_INF` to `POS_INF`. Ids are known and the relation is not deleted.
    """

    subject: Codes
    relation: Codes
    object: Codes
    start_low: Bounds
    start_high: Bounds
    end_low: Bounds
    end_high: Bounds
    is_point: Flags

    def __len__(self) -> int:
        return len(self.subject)


@dataclass(frozen=True, eq=False)
class TemporalGraph:
    """Facts in columns, sorted by (subject, relation, object, start, end), with indexes from both ends.

    Hash and indexes are made when they are first asked for: an import needs no index.
    """

    granularity: Granularity
    name: str
    entity_ids: Sequence[str]
    """Sorted by code point; the position is the entity's code."""
    entity_labels: Sequence[str]
    """As stored; empty where the source has none."""
    entity_aliases: dict[int, tuple[str, ...]]
    """Code -> aliases, sorted."""
    relation_ids: list[str]
    """Sorted by code point; the position is the relation's code."""
    relation_labels: list[str]
    relation_types: list[RelationType]
    """A deleted relation has no facts left."""
    entity_usable: Flags
    """Whether the entity's label can stand in a question."""
    subject: Codes
    relation: Codes
    object: Codes
    start: Codes
    """First granule."""
    end: Codes
    """Last granule, included."""
    dropped: DroppedFacts

    def __post_init__(self) -> None:
        for table in (self, self.dropped):
            for column in fields(table):
                value = getattr(table, column.name)
                if isinstance(value, np.ndarray):
                    value.setflags(write=False)

    @cached_property
    def relation_is_point(self) -> Flags:
        """Whether a relation is one of points, by code."""
        is_point: Flags = settled(np.array([kind is RelationType.POINT for kind in self.relation_types], dtype=np.bool_))
        return is_point

    @cached_property
    def _subject_offsets(self) -> Indices:
        offsets: Indices = settled(np.concatenate(([0], np.cumsum(np.bincount(self.subject, minlength=len(self.entity_ids))))))
        return offsets

    @cached_property
    def _by_object(self) -> AdjacencyIndex:
        return AdjacencyIndex(self.object, self.relation, len(self.entity_ids))

    @cached_property
    def _dropped_by_subject(self) -> AdjacencyIndex:
        return AdjacencyIndex(self.dropped.subject, self.dropped.relation, len(self.entity_ids))

    @cached_property
    def _dropped_by_object(self) -> AdjacencyIndex:
        return AdjacencyIndex(self.dropped.object, self.dropped.relation, len(self.entity_ids))

    def build_indexes(self) -> None:
        """Make all indexes now, so that processes forked after it share them; large ones are memory-mapped."""
        self._subject_offsets, self._by_object, self._dropped_by_subject, self._dropped_by_object  # noqa: B018

    def __len__(self) -> int:
        """Number of facts."""
        return len(self.subject)

    def facts_with_subject(self, entity: int) -> Indices:
        """Facts that start at an entity: a contiguous ascending range."""
        return np.arange(self._subject_offsets[entity], self._subject_offsets[entity + 1])

    def facts_with_object(self, entity: int) -> Indices:
        """Facts that lead to an entity, ascending by (relation, subject, start, end)."""
        return self._by_object.rows(entity)

    @property
    def facts_by_object(self) -> Indices:
        """Every fact, ascending by (object, relation, subject, start, end)."""
        return self._by_object.order

    def facts_from(self, relation: int, subject: int) -> Indices:
        """Facts of a relation that start at an entity, ascending."""
        low, high = self._subject_offsets[subject], self._subject_offsets[subject + 1]
        group = self.relation[low:high]
        return np.arange(low + group.searchsorted(relation), low + group.searchsorted(relation, "right"))

    def facts_to(self, relation: int, object: int) -> Indices:
        """Facts of a relation that lead to an entity, ascending."""
        return self._by_object.rows_with_relation(object, relation)

    def dropped_from(self, relation: int, subject: int) -> Indices:
        """Dropped rows of a relation that start at an entity, ascending."""
        return self._dropped_by_subject.rows_with_relation(subject, relation)

    def dropped_to(self, relation: int, object: int) -> Indices:
        """Dropped rows of a relation that lead to an entity, ascending."""
        return self._dropped_by_object.rows_with_relation(object, relation)

    def fact_interval(self, fact: int) -> ValidInterval:
        """A fact's valid interval in granules."""
        return ValidInterval(int(self.start[fact]), int(self.end[fact]))

    def to_networkx(self, facts: Iterable[int]) -> nx.MultiDiGraph[str]:
        """The subgraph of some facts, one edge for each: two spells are two edges.

        Nodes are entity ids with a `label`; edges have `relation`, `label`, `type`, `start` and `end` (ISO text).
        """
        import networkx as nx  # only those who ask for it pay for its import

        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=self.name)
        for fact in sorted(set(map(int, facts))):
            ends = int(self.subject[fact]), int(self.object[fact])
            for entity in ends:
                graph.add_node(self.entity_ids[entity], label=self.entity_labels[entity])
            relation = int(self.relation[fact])
            graph.add_edge(
                *(self.entity_ids[entity] for entity in ends),
                relation=self.relation_ids[relation],
                label=self.relation_labels[relation],
                type=self.relation_types[relation].value,
                start=format_granule(int(self.start[fact]), self.granularity),
                end=format_granule(int(self.end[fact]), self.granularity),
            )
        return graph

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of ids, labels, aliases, types, granularity, facts and dropped rows; independent of the source's order."""
        digest = hashlib.sha256()
        for text in ("chronoqg-graph-1", self.granularity.value):
            digest.update(json.dumps(text).encode("ascii") + b"\n")
        names: tuple[Sequence[Any], ...] = (
            self.entity_ids,
            self.entity_labels,
            sorted(self.entity_aliases.items()),
            self.relation_ids,
            self.relation_labels,
            [kind.value for kind in self.relation_types],
        )
        for named in names:
            for piece in _as_json(named):
                digest.update(piece.encode("ascii"))
            digest.update(b"\n")
        dropped = self.dropped
        for column in (self.subject, self.relation, self.object, self.start, self.end, dropped.subject, dropped.relation, dropped.object):
            digest.update(len(column).to_bytes(8, "little") + column.astype("<i4", copy=False).tobytes())
        for bounds in (dropped.start_low, dropped.start_high, dropped.end_low, dropped.end_high):
            digest.update(bounds.astype("<i8", copy=False).tobytes())
        return digest.hexdigest()


def _as_json(values: Sequence[Any]) -> Iterator[str]:
    """What `json.dumps` writes of a list, in pieces."""
    yield "["
    for first in range(0, len(values), _HASHED_TOGETHER):
        yield (", " if first else "") + json.dumps(values[first : first + _HASHED_TOGETHER])[1:-1]
    yield "]"
