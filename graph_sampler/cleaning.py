"""Raw facts -> cleaned graph and report: resolve, drop with a reason, type the relations, drop again.

The order of reading is part of the meaning: relations are typed on what the first drops leave, so a
row that cannot be used has no say in a type. Paper: section 4.2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from graph_sampler.cleaning_report import build_report
from graph_sampler.labels import LabelProblem, label_problem, label_problems
from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.dates import TimeKind, TimeRange, read_time
from graph_sampler.raw_facts import RawFacts, RawLabels
from graph_sampler.relation_types import RelationTypes, type_relations
from graph_sampler.sorting import distinct_rows
from graph_sampler.temporal_graph import NEG_INF, POS_INF, DroppedFacts, TemporalGraph
from graph_sampler.time_notes import ISO, are_coarser, are_cut, bad_example, cut_note, finest_unit, header_note
from state.config import GraphConfig, YearNumbering
from state.errors import GraphFormatError
from state.graph_report import CleaningReport, DropReason, ImportCounter

_REASONS = tuple(DropReason)
_REMEDIES = {
    DropReason.BAD_DATE: f"{ISO[0].upper()}{ISO[1:]}; write the others so.",
    DropReason.MALFORMED_ROW: "Have the rows another number of columns than line 1?",
    DropReason.UNKNOWN_START: "A fact needs a start: is it in the right column, and none of graph.unknown_dates?",
    DropReason.OPEN_START: "A start in graph.open_dates is none: set them to what the source uses.",
    DropReason.UNKNOWN_END: "A fact needs an end: is it in the right column, and none of graph.unknown_dates?",
    DropReason.OPEN_END: "Facts that still hold are not asked about: give them an end.",
    DropReason.REVERSED: "Are start and end the right way round, and is the minus sign of years before 1 still there?",
    DropReason.UNUSABLE_RELATION: "Are the labels of relations the right ones? Ids are none.",
    DropReason.LONG_POINT: "Set the types of their relations under graph.types.",
    DropReason.COARSE: "Set a coarser graph.granularity.",
    DropReason.UNUSABLE_ENTITY: "Are the labels the right ones? Ids and single letters are none.",
    DropReason.DELETED_RELATION: "Set their types under graph.types.",
}
"""What to do where most rows are dropped for one reason."""
_KEPT = -1
_Columns = list[npt.NDArray[Any]]


def clean(
    raw: RawFacts, labels: RawLabels, config: GraphConfig, name: str, counters: ImportCounters | None = None
) -> tuple[TemporalGraph, Callable[[], CleaningReport]]:
    """The cleaned graph, and what makes the account of every row.

    Args:
        raw: the rows of a source.
        labels: its labels.
        config: how to read it.
        name: name of the graph.
        counters: is told what the rows themselves show, whatever the reason for which each is dropped.

    Raises:
        GraphFormatError: a label file resolves less than half of the ids, the types file names a relation
            that the source lacks, or no fact is left.
    """
    rows = _Rows.resolve(raw, labels, config)
    if counters is not None:
        counters.add(ImportCounter.MALFORMED, raw.malformed)
        rows.count(counters)
        for note in _notes(raw, rows, config):
            counters.note(note)
    facts = rows.distinct_facts()
    types = type_relations(rows.relation_ids, facts, labels.types, labels.relations or {}, config.typing)
    kept, long_points = types.is_kept(facts), types.is_long_point(facts)
    with_reason = np.bincount(rows.reasons - _KEPT, rows.copies, len(_REASONS) + 1).astype(np.int64).tolist()
    counts = dict(zip(_REASONS, with_reason[1:], strict=True)) | {
        DropReason.MALFORMED_ROW: raw.malformed,
        DropReason.DUPLICATE: with_reason[0] - len(kept),
        DropReason.DELETED_RELATION: int((~kept & ~long_points).sum()),
        DropReason.LONG_POINT: int(long_points.sum()),
    }
    drops = {reason: count for reason, count in counts.items() if count}
    if not kept.any():
        listing = ", ".join(f"{count} {reason.value}{_such_as(reason, rows)}" for reason, count in drops.items())
        raise GraphFormatError(
            f"no fact is left after cleaning: {listing or 'no rows'}",
            where=config.path if isinstance(config.path, str) else ", ".join(config.path),
            remedy=_remedy(max(drops, key=drops.__getitem__), config) if drops else "",
        )
    dropped = rows.dropped(types, _chosen(facts, long_points))
    graph = _build(rows, _chosen(facts, kept), dropped, types, labels, config, name)
    return graph, partial(build_report, graph, types, rows.relation_ids, rows.relation_labels, rows.entity_problems, drops)


def _such_as(reason: DropReason, rows: _Rows) -> str:
    return f", such as {rows.bad_example}" if reason is DropReason.BAD_DATE else ""


def _remedy(reason: DropReason, config: GraphConfig) -> str:
    """What to do where most rows are dropped for this reason."""
    remedy = _REMEDIES.get(reason, "")
    is_table = reason is DropReason.BAD_DATE and config.format == "table"
    return f"{remedy} If these are no dates at all: are graph.columns and graph.header right?" if is_table else remedy


def _notes(raw: RawFacts, rows: _Rows, config: GraphConfig) -> Iterator[str]:
    """What the reader of the counts should know of the dates."""
    if config.format == "table" and not config.header and (header := header_note(raw, *rows.bad_texts)):
        yield header
    elif rows.bad_example:
        yield f"a bad date is {rows.bad_example}; {ISO}"
    starts, ends = rows.starts.ranges, rows.ends.ranges
    cut = are_cut(starts, config.granularity), are_cut(ends, config.granularity)
    if cut[0].any() or cut[1].any():
        finer = finest_unit(np.concatenate((starts[cut[0]], ends[cut[1]])))
        is_cut = rows.either(*cut)
        if is_cut.any():
            coarser = rows.either(are_coarser(starts, finer), are_coarser(ends, finer))
            yield cut_note(int(rows.copies[is_cut].sum()), config.granularity, finer, int(rows.copies[coarser].sum()))


@dataclass(slots=True)
class _Rows:
    """Distinct rows in codes that follow the order of ids and times, each with the reason for which it is dropped."""

    entity_ids: list[str]
    entity_labels: list[str]
    entity_problems: list[LabelProblem | None]
    relation_ids: list[str]
    relation_labels: list[str]
    relation_problems: list[LabelProblem | None]
    columns: _Columns
    """Subject, relation, object, and positions in `starts` and `ends`."""
    copies: npt.NDArray[np.int64]
    """How often each row stands in the source."""
    starts: _Times
    ends: _Times
    reasons: npt.NDArray[np.int8]
    """Position in `DropReason` of the first reason to drop a row, -1 without one."""
    bad_texts: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]
    """Which times of the source are no starts, and which no ends."""
    bad_example: str
    """The first of the rows with a bad date, in words; empty without one."""

    @classmethod
    def resolve(cls, raw: RawFacts, labels: RawLabels, config: GraphConfig) -> _Rows:
        entity_ids, entity_rank = _ranked(raw.entities)
        relation_ids, relation_rank = _ranked(raw.relations)
        starts, start_rank = _times(raw.times, config, config.unknown_dates.start)
        ends, end_rank = _times(raw.times, config, config.unknown_dates.end)
        with ThreadPoolExecutor(max_workers=1) as thread:
            # Cleaning looks at distinct rows: one sort here, and the facts among them stand in order already.
            distinct = thread.submit(
                lambda: distinct_rows(
                    (
                        entity_rank[raw.subject],
                        relation_rank[raw.relation],
                        entity_rank[raw.object],
                        start_rank[raw.start],
                        end_rank[raw.end],
                    )
                )
            )
            is_partial = config.options.partial_labels
            entity_labels, entity_problems = _resolve(entity_ids, labels.entities, labels.entity_file, is_partial)
            relation_labels, relation_problems = _resolve(relation_ids, labels.relations, labels.relation_file, is_partial)
            blank_entity, blank_relation = _are_blank(entity_ids), _are_blank(relation_ids)
        columns, copies = distinct.result()
        no_entity = np.array([problem is not None for problem in entity_problems], dtype=np.bool_)
        no_relation = np.array([problem is not None for problem in relation_problems], dtype=np.bool_)
        reasons = _reasons(columns, starts, ends, blank_entity, blank_relation, no_entity, no_relation)
        bad_texts = (starts.ranges[:, 0] == TimeKind.BAD)[start_rank], (ends.ranges[:, 0] == TimeKind.BAD)[end_rank]
        return cls(
            entity_ids, entity_labels, entity_problems, relation_ids, relation_labels, relation_problems,
            columns, copies, starts, ends, reasons, bad_texts, bad_example(raw, *bad_texts),
        )  # fmt: skip

    def count(self, counters: ImportCounters) -> None:
        """Tell what the rows show, each row under every name that fits it."""
        start, end = self.columns[3:]
        no_start, no_end = self.starts.of_kind(start, TimeKind.UNKNOWN), self.ends.of_kind(end, TimeKind.UNKNOWN)
        seen = {
            ImportCounter.UNTIMED: no_start & no_end,
            ImportCounter.UNKNOWN_START: no_start,
            ImportCounter.UNKNOWN_END: no_end,
            ImportCounter.OPEN_END: self.ends.of_kind(end, TimeKind.OPEN),
            ImportCounter.COARSE: self.starts.of_kind(start, TimeKind.COARSE) | self.ends.of_kind(end, TimeKind.COARSE),
            ImportCounter.START_AFTER_END: _are_reversed(self.starts, self.ends, start, end),
            ImportCounter.SENTINEL: _marked(start, self.starts.is_sentinel) | _marked(end, self.ends.is_sentinel),
            ImportCounter.BAD_DATE: self.starts.of_kind(start, TimeKind.BAD) | self.ends.of_kind(end, TimeKind.BAD),
        }
        for counter, is_seen in seen.items():
            counters.add(counter, int(self.copies[is_seen].sum()))
        counters.add(ImportCounter.DUPLICATE_EXACT, int(self.copies.sum()) - len(self.copies))
        counters.add(ImportCounter.UNLABELLED_ENTITY, self.entity_problems.count(LabelProblem.MISSING))
        counters.add(ImportCounter.UNLABELLED_RELATION, self.relation_problems.count(LabelProblem.MISSING))

    def either(self, start: npt.NDArray[np.bool_], end: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which rows have a marked start or a marked end."""
        return _marked(self.columns[3], start) | _marked(self.columns[4], end)

    def distinct_facts(self) -> _Columns:
        """Subject, relation, object, start and end of the rows without a reason, sorted, each once."""
        subject, relation, object_, start, end = _chosen(self.columns, self.reasons == _KEPT)
        times = self.starts.ranges[:, 1].astype(np.int32)[start], self.ends.ranges[:, 1].astype(np.int32)[end]
        return distinct_rows((subject, relation, object_, *times))[0]

    def dropped(self, relation_types: RelationTypes, long_points: _Columns) -> DroppedFacts:
        """Distinct dropped rows whose ids are known and whose relation is not deleted."""
        aside = (self.reasons != _KEPT) & (self.reasons != _REASONS.index(DropReason.MISSING_ID))
        aside &= ~relation_types.is_deleted[self.columns[1]]
        *ids, start, end = _chosen(self.columns, aside)
        is_reversed = _are_reversed(self.starts, self.ends, start, end)
        # A reversed row may mean anything, even if the cut to the granularity hides that it is reversed.
        lows = [np.where(is_reversed, NEG_INF, times.ranges[codes, 1]) for times, codes in ((self.starts, start), (self.ends, end))]
        highs = [np.where(is_reversed, POS_INF, times.ranges[codes, 2]) for times, codes in ((self.starts, start), (self.ends, end))]
        ids = [np.concatenate((column, extra)) for column, extra in zip(ids, long_points[:3], strict=True)]
        start_low, end_low = (np.concatenate((low, extra)) for low, extra in zip(lows, long_points[3:], strict=True))
        start_high, end_high = (np.concatenate((high, extra)) for high, extra in zip(highs, long_points[3:], strict=True))
        is_point = relation_types.is_point[ids[1]]
        # Between two bounds, known or coarse, a fact of a point relation stands for any granule.
        is_spanned = is_point & (start_low != NEG_INF) & (end_high != POS_INF)
        start_high, end_low = np.where(is_spanned, end_high, start_high), np.where(is_spanned, start_low, end_low)
        return DroppedFacts(*distinct_rows([*ids, start_low, start_high, end_low, end_high, is_point])[0])


def _ranked(texts: Sequence[str]) -> tuple[list[str], npt.NDArray[np.int32]]:
    """The texts by code point, and the new position of each old one."""
    column = pa.array(texts, pa.large_string())
    order = pc.sort_indices(column).to_numpy()
    rank = np.empty(len(texts), np.int32)
    rank[order] = np.arange(len(texts), dtype=np.int32)
    return column.take(order).to_pylist(), rank


def _resolve(ids: Sequence[str], labels: dict[str, str] | None, file: str, partial: bool) -> tuple[list[str], list[LabelProblem | None]]:
    """Label of each id, and what is wrong with it."""
    if labels is None:
        return list(ids), label_problems(ids, None)
    texts = list(map(labels.get, ids))
    found = len(texts) - texts.count(None)
    if found * 2 < len(ids) and not (partial and found):
        raise GraphFormatError(
            f"resolves {found} of {len(ids)} ids of the facts; {ids[texts.index(None)][:40]!r} is not in it",
            where=file,
            remedy="Is it the label file of this graph, and are its columns the right way round?",
        )
    return [text or "" for text in texts], label_problems(texts, ids)


@dataclass(frozen=True, slots=True)
class _Times:
    """Each distinct time text as what it means at one end of a fact, by first granule, so that codes sort as times do."""

    ranges: npt.NDArray[np.int64]
    """One `TimeRange` a row."""
    is_sentinel: npt.NDArray[np.bool_]
    """Which texts the config declares to mean "not known"."""

    def of_kind(self, codes: npt.NDArray[np.int32], kind: TimeKind) -> npt.NDArray[np.bool_]:
        """Which rows have a text of one kind here."""
        return _marked(codes, self.ranges[:, 0] == kind)


def _times(texts: Sequence[str], config: GraphConfig, unknown: Sequence[str]) -> tuple[_Times, npt.NDArray[np.int32]]:
    """The meaning of each text, and the new position of each old one."""
    unknown_dates, open_dates = frozenset(unknown), frozenset(config.open_dates)
    ranges = np.empty((len(texts), len(TimeRange._fields)), np.int64)
    numbering = config.year_numbering or YearNumbering.ASTRONOMICAL
    for row, text in enumerate(texts):
        ranges[row] = read_time(text, config.granularity, numbering, open_dates=open_dates, unknown_dates=unknown_dates)
    order = np.argsort(ranges[:, 1], kind="stable")
    rank = np.empty(len(texts), np.int32)
    rank[order] = np.arange(len(texts), dtype=np.int32)
    return _Times(ranges[order], np.array([text in unknown_dates for text in texts], np.bool_)[order]), rank


def _are_reversed(starts: _Times, ends: _Times, start: npt.NDArray[np.int32], end: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Which rows end before they start."""
    is_reversed: npt.NDArray[np.bool_] = starts.ranges[:, 3].copy()[start] > ends.ranges[:, 4].copy()[end]
    return is_reversed


def _marked(codes: npt.NDArray[np.int32], is_marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which rows have a code that is marked; mostly none is."""
    return is_marked[codes] if is_marked.any() else np.zeros(len(codes), np.bool_)


def _chosen(columns: _Columns, is_chosen: npt.NDArray[np.bool_]) -> _Columns:
    """The chosen rows; no copy where all are."""
    return list(columns) if is_chosen.all() else [column[is_chosen] for column in columns]


def _reasons(
    columns: _Columns,
    starts: _Times,
    ends: _Times,
    blank_entity: npt.NDArray[np.bool_],
    blank_relation: npt.NDArray[np.bool_],
    no_entity: npt.NDArray[np.bool_],
    no_relation: npt.NDArray[np.bool_],
) -> npt.NDArray[np.int8]:
    """Position of the first reason of each row in `DropReason`, -1 without one."""
    subject, relation, object_, start, end = columns
    tests = {
        DropReason.MISSING_ID: _marked(subject, blank_entity) | _marked(relation, blank_relation) | _marked(object_, blank_entity),
        DropReason.BAD_DATE: starts.of_kind(start, TimeKind.BAD) | ends.of_kind(end, TimeKind.BAD),
        DropReason.UNKNOWN_START: starts.of_kind(start, TimeKind.UNKNOWN),
        DropReason.OPEN_START: starts.of_kind(start, TimeKind.OPEN),
        DropReason.UNKNOWN_END: ends.of_kind(end, TimeKind.UNKNOWN),
        DropReason.OPEN_END: ends.of_kind(end, TimeKind.OPEN),
        DropReason.COARSE: starts.of_kind(start, TimeKind.COARSE) | ends.of_kind(end, TimeKind.COARSE),
        DropReason.REVERSED: _are_reversed(starts, ends, start, end),
        DropReason.UNUSABLE_ENTITY: _marked(subject, no_entity) | _marked(object_, no_entity),
        DropReason.UNUSABLE_RELATION: _marked(relation, no_relation),
    }
    reasons = np.full(len(subject), _KEPT, np.int8)
    for reason in reversed(tests):
        reasons[tests[reason]] = _REASONS.index(reason)
    return reasons


def _are_blank(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which texts show nothing; only those that begin with no visible sign are looked at one by one."""
    begins_blank = pc.match_substring_regex(pa.array(texts, pa.large_string()), r"^($|[\s\p{C}\p{Z}])")
    is_blank: npt.NDArray[np.bool_] = begins_blank.to_numpy(zero_copy_only=False).copy()
    for row in np.flatnonzero(is_blank).tolist():
        is_blank[row] = not texts[row].strip()
    return is_blank


def _build(
    rows: _Rows, facts: _Columns, dropped: DroppedFacts, types: RelationTypes, labels: RawLabels, config: GraphConfig, name: str
) -> TemporalGraph:
    """The graph over the entities and relations that have a fact or a dropped row."""
    entities, entity_code = _used(len(rows.entity_ids), facts[0], facts[2], dropped.subject, dropped.object)
    relations, relation_code = _used(len(rows.relation_ids), facts[1], dropped.relation)
    entity_ids, entity_labels = [rows.entity_ids[row] for row in entities], [rows.entity_labels[row] for row in entities]
    aliases: dict[int, tuple[str, ...]] = {}
    if labels.aliases:
        for code, (identifier, label) in enumerate(zip(entity_ids, entity_labels, strict=True)):
            usable = sorted(
                alias for alias in labels.aliases.get(identifier, ()) if alias != label and label_problem(alias, identifier) is None
            )
            if usable:
                aliases[code] = tuple(usable)
    return TemporalGraph(
        granularity=config.granularity,
        name=name,
        entity_ids=entity_ids,
        entity_labels=entity_labels,
        entity_aliases=aliases,
        relation_ids=[rows.relation_ids[row] for row in relations],
        relation_labels=[rows.relation_labels[row] for row in relations],
        relation_types=[types.types[row] for row in relations],
        entity_usable=np.array([rows.entity_problems[row] is None for row in entities], dtype=np.bool_),
        subject=entity_code[facts[0]],
        relation=relation_code[facts[1]],
        object=entity_code[facts[2]],
        start=facts[3],
        end=facts[4],
        dropped=DroppedFacts(
            entity_code[dropped.subject], relation_code[dropped.relation], entity_code[dropped.object],
            dropped.start_low, dropped.start_high, dropped.end_low, dropped.end_high, dropped.is_point,
        ),
    )  # fmt: skip


def _used(size: int, *columns: npt.NDArray[np.int32]) -> tuple[list[int], npt.NDArray[np.int32]]:
    """The codes that occur, ascending, and the new code of each."""
    is_used = np.zeros(size, np.bool_)
    for column in columns:
        is_used[column] = True
    return np.flatnonzero(is_used).tolist(), np.cumsum(is_used, dtype=np.int32) - np.int32(1)
