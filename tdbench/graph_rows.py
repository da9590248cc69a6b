"""The rows of some relations of a graph, as its source has them: what a temporal table takes in that a cleaned graph drops.

Of an imported graph there are only the facts that its cleaning kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from graph_sampler.load import Source, graph_file_of, load_graph, read_source
from graph_sampler.loaders.dates import TimeKind, TimeRange, read_time
from state.config import GraphConfig, YearNumbering
from state.errors import ConfigError, TableError, did_you_mean
from state.graph_report import DropReason
from state.interval import Granularity
from tdbench.tables.dates import NO_VALUE

_BY_KIND = {
    TimeKind.BAD: (DropReason.BAD_DATE, DropReason.BAD_DATE),
    TimeKind.UNKNOWN: (DropReason.UNKNOWN_START, None),
    TimeKind.OPEN: (DropReason.OPEN_START, None),
    TimeKind.COARSE: (DropReason.COARSE, DropReason.COARSE),
    TimeKind.EXACT: (None, None),
}
"""Why a row whose start, or whose end, is of a kind makes no row of a table; `None` if it may make one."""


class GraphRow(NamedTuple):
    """A fact with its labels, in closed granules."""

    subject: str
    relation: str
    object: str
    subject_id: str
    object_id: str
    start: int
    end: int | None
    """The last granule; `None`: none is given."""


@dataclass(frozen=True)
class GraphRows:
    """The rows of some relations."""

    rows: list[GraphRow]
    """Sorted, each once."""
    relations: tuple[str, ...]
    """Ids, in the order in which they were asked for."""
    labels: Mapping[str, str]
    """Relation id -> label."""
    has_ids: bool
    """Whether the source tells ids from labels."""
    open_end: Literal["ongoing", "unknown"]
    """What a missing end means in all rows."""
    read: int
    """Rows of these relations in the source."""
    left_out: dict[DropReason, int]
    shared_names: int
    """Labels that several ids among the rows have."""
    granularity: Granularity
    """Unit of the granules."""
    dropped_before: int | None = None
    """Rows of all relations that the import of a graph file dropped, and which are not there any more; `None` of a source."""


def graph_rows(config: GraphConfig, relations: Sequence[str]) -> GraphRows:
    """The rows of relations that are named by id or label.

    A missing end means one thing in a table. Where some facts of the source hold still and of others the end is not
    known, only the former are kept. A graph file, being cleaned, has no missing ends.

    Raises:
        ConfigError: there is no such relation, or several have that label.
        GraphFormatError: the graph is refused.
        TableError: no row is left.
    """
    if graph_file_of(config) is not None:
        return _imported_rows(config, relations)
    source = read_source(config)
    known = _relation_labels(source)
    chosen = tuple(dict.fromkeys(_named(name, known) for name in relations))
    wanted = {source.raw.relations.index(relation): relation for relation in chosen}
    places = np.flatnonzero(np.isin(source.raw.relation, list(wanted)))
    names = source.labels.entities
    ends = {code: _read(source, int(code), source.config.unknown_dates.end) for code in np.unique(source.raw.end[places])}
    starts = {code: _read(source, int(code), source.config.unknown_dates.start) for code in np.unique(source.raw.start[places])}
    lost: Counter[DropReason] = Counter()
    rows: list[GraphRow] = []
    still: list[GraphRow] = []
    unknown: list[GraphRow] = []
    raw = source.raw
    for place in places.tolist():
        start, end = starts[raw.start[place]], ends[raw.end[place]]
        subject_id, object_id = raw.entities[raw.subject[place]], raw.entities[raw.object[place]]
        subject, object_ = (_label(ident, names) for ident in (subject_id, object_id))
        reason = _reason(subject_id, object_id, subject, object_, start, end)
        if reason is not None:
            lost[reason] += 1
            continue
        relation = known[wanted[int(raw.relation[place])]]
        row = GraphRow(subject, relation, object_, subject_id, object_id, start.low, end.low if end.kind is TimeKind.EXACT else None)
        {TimeKind.OPEN: still, TimeKind.UNKNOWN: unknown}.get(TimeKind(end.kind), rows).append(row)
    if still and unknown:
        lost[DropReason.UNKNOWN_END] += len(unknown)
        unknown = []
    found = rows + still + unknown
    distinct = sorted(set(found), key=lambda row: (*row[:6], row.end is None, row.end or 0))
    lost[DropReason.DUPLICATE] += len(found) - len(distinct)
    _refuse_none(distinct, lost, chosen)
    return GraphRows(
        rows=distinct,
        relations=chosen,
        labels={relation: known[relation] for relation in chosen},
        has_ids=names is not None,
        open_end="unknown" if unknown else "ongoing",
        read=len(places),
        left_out={reason: lost[reason] for reason in DropReason if lost[reason]},
        shared_names=_shared(distinct),
        granularity=source.config.granularity,
    )


def _imported_rows(config: GraphConfig, relations: Sequence[str]) -> GraphRows:
    """The facts of a graph file."""
    graph, report = load_graph(config)
    known = {ident: label.strip() or ident for ident, label in zip(graph.relation_ids, graph.relation_labels, strict=True)}
    chosen = tuple(dict.fromkeys(_named(name, known) for name in relations))
    places = np.flatnonzero(np.isin(graph.relation, [graph.relation_ids.index(relation) for relation in chosen]))
    lost: Counter[DropReason] = Counter()
    rows = []
    for place in places.tolist():
        ends = int(graph.subject[place]), int(graph.object[place])
        (subject_id, object_id), (subject, object_) = ([texts[end] for end in ends] for texts in (graph.entity_ids, graph.entity_labels))
        if {subject.strip(), object_.strip()} & set(NO_VALUE):
            lost[DropReason.UNUSABLE_ENTITY] += 1
            continue
        relation = known[graph.relation_ids[graph.relation[place]]]
        start, end = int(graph.start[place]), int(graph.end[place])
        rows.append(GraphRow(subject.strip(), relation, object_.strip(), subject_id, object_id, start, end))
    _refuse_none(rows, lost, chosen)
    return GraphRows(
        rows=sorted(rows),
        relations=chosen,
        labels={relation: known[relation] for relation in chosen},
        has_ids=any(row.subject_id != row.subject or row.object_id != row.object for row in rows),
        open_end="ongoing",
        read=len(places),
        left_out=dict(lost),
        shared_names=_shared(rows),
        granularity=graph.granularity,
        dropped_before=sum(report.dropped.values()),
    )


def _refuse_none(rows: Sequence[GraphRow], lost: Mapping[DropReason, int], relations: Sequence[str]) -> None:
    if not rows:
        reasons = ", ".join(f"{count} {reason}" for reason, count in lost.items() if count) or "it has none"
        raise TableError(f"no row is left: {reasons}", where=", ".join(relations))


def _relation_labels(source: Source) -> dict[str, str]:
    labels = source.labels.relations or {}
    return {relation: labels.get(relation, "").strip() or relation for relation in source.raw.relations if relation.strip()}


def _named(name: str, known: Mapping[str, str]) -> str:
    """The id of the relation that is meant."""
    if name in known:
        return name
    meant = [relation for relation, label in known.items() if label == name]
    if len(meant) > 1:
        raise ConfigError(
            f"{len(meant)} relations are called {name!r}", where="--relation", remedy=f"Name its id: {', '.join(sorted(meant))}."
        )
    if not meant:
        raise ConfigError(f"no relation {name!r} in the graph", where="--relation", remedy=did_you_mean(name, set(known.values())))
    return meant[0]


def _read(source: Source, code: int, unknown: Sequence[str]) -> TimeRange:
    config = source.config
    numbering = config.year_numbering or YearNumbering.ASTRONOMICAL
    text = source.raw.times[code]
    return read_time(
        text, config.granularity, numbering, open_dates=frozenset(config.open_dates), unknown_dates=frozenset(unknown)
    )  # fmt: skip


def _label(ident: str, names: Mapping[str, str] | None) -> str:
    return (ident if names is None else names.get(ident, "")).strip()


def _reason(subject_id: str, object_id: str, subject: str, object_: str, start: TimeRange, end: TimeRange) -> DropReason | None:
    """Why a row of the source makes none of a table, if it makes none."""
    if not subject_id.strip() or not object_id.strip():
        return DropReason.MISSING_ID
    found = _BY_KIND[TimeKind(start.kind)][0] or _BY_KIND[TimeKind(end.kind)][1]
    if found is not None:
        return found
    if end.kind is TimeKind.EXACT and start.first_day > end.last_day:
        return DropReason.REVERSED
    return DropReason.UNUSABLE_ENTITY if {subject, object_} & set(NO_VALUE) else None


def _shared(rows: Sequence[GraphRow]) -> int:
    ids: dict[str, set[str]] = {}
    for row in rows:
        ids.setdefault(row.subject, set()).add(row.subject_id)
        ids.setdefault(row.object, set()).add(row.object_id)
    return sum(len(each) > 1 for each in ids.values())
