"""Synthetic graphs of any size, drawn from a seed: something to measure and to try things on. Paper: none.

Entities live in regions of 1,000, each with an era of its own, and most facts stay within one region, so
what a root sees around it does not depend on the size of the graph; the rest lead to entities that are
known everywhere, whose degree grows with it. A subject's facts of one relation follow each other with
gaps, at once, or overlapping. What reaches past the last year is dropped as still open, as in real
sources, and kept aside. Whole numbers and table look-ups only, so that every machine draws the same;
no Python loop over facts or entities.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from graph_sampler.cleaning_report import build_report
from graph_sampler.relation_types import RelationTypes
from graph_sampler.sorting import sort_rows
from graph_sampler.synthetic_world import KINDS, Numbers, Shape, lengths, names, shapes
from graph_sampler.temporal_graph import NEG_INF, POS_INF, DroppedFacts, TemporalGraph
from state.errors import ConfigError
from state.graph_report import CleaningReport, DropReason, ImportReport
from state.interval import Granularity
from state.vocabulary import RelationType

_REGION = sum(kind.per_region for kind in KINDS.values())
_FACTS_PER_REGION = 2_800
_BATCH = 1_000_000
_FIRST_YEAR, _LAST_YEAR = 1750, 2024
_TO_1970 = 719_528
"""Days from 0000-01-01 to 1970-01-01."""
_LEAST, _MOST = 100, 200_000_000


def generate_graph(
    facts: int, seed: int, granularity: Granularity = Granularity.YEAR, relations: int = 20
) -> tuple[TemporalGraph, CleaningReport]:
    """A graph of exactly `facts` facts and its report; about a twentieth as many rows again are kept aside.

    Args:
        facts: number of facts, 100 to 200 million.
        seed: the same seed gives the same graph.
        granularity: years or days.
        relations: number of relations that facts are drawn for, 1 to 10,000.

    Raises:
        ConfigError: a number is out of range, or the unit is neither years nor days.
    """
    if not _LEAST <= facts <= _MOST:
        raise ConfigError(f"cannot draw {facts:,} facts", where="--facts", remedy=f"Ask for {_LEAST} to {_MOST:,}.")
    if not 1 <= relations <= 10_000:
        raise ConfigError(f"cannot draw {relations:,} relations", where="--relations", remedy="Ask for 1 to 10,000.")
    if granularity is Granularity.MONTH:
        raise ConfigError("synthetic graphs count years or days", where="--granularity", remedy="Ask for year or day.")
    world = _World(facts, seed, shapes(relations))
    kept, still_open = world.draw(granularity)
    return _build(world, kept, still_open, granularity, f"synthetic-{facts}-{seed}")


class _World:
    """The entities of a graph, and the draws of their facts."""

    def __init__(self, facts: int, seed: int, kinds: list[Shape]) -> None:
        self.facts = facts
        self.shapes = kinds
        self._rng = np.random.Generator(np.random.PCG64(seed))
        self._regions = max(1, facts // _FACTS_PER_REGION)
        self.first: dict[str, int] = {}
        at = 0
        for name, kind in KINDS.items():
            self.first[name] = at
            at += kind.per_region * self._regions
        self.entities = at
        span = _LAST_YEAR - 60 - _FIRST_YEAR
        # The later of two draws: more regions, and more facts, in recent times.
        eras = np.maximum(self._below(self._regions, span), self._below(self._regions, span))
        born = [np.repeat(eras, kind.per_region) for kind in KINDS.values()]
        self._born = (_first_day(_FIRST_YEAR + np.concatenate(born)) + self._below(self.entities, 60 * 365)).astype(np.int32)

    def draw(self, granularity: Granularity) -> tuple[list[npt.NDArray[np.int32]], list[npt.NDArray[np.int32]]]:
        """The facts, sorted, each once and as many as asked for; and the rows that are still open: subject, relation, object, start."""
        kept: list[npt.NDArray[np.int32]] = [np.zeros(0, np.int32) for _ in range(5)]
        still_open: list[npt.NDArray[np.int32]] = [np.zeros(0, np.int32) for _ in range(4)]
        while (missing := self.facts - len(kept[0])) > 0:
            drawn, opened = self._batch(min(_BATCH, missing + missing // 8 + 64), granularity)
            kept = [np.concatenate(pair) for pair in zip(kept, drawn, strict=True)]
            still_open = [np.concatenate(pair) for pair in zip(still_open, opened, strict=True)]
            if len(kept[0]) >= self.facts:
                kept = _distinct(kept)
        surplus = len(kept[0]) - self.facts
        if surplus:
            is_kept = np.ones(len(kept[0]), np.bool_)
            is_kept[np.argsort(self._rng.random(len(is_kept)), kind="stable")[:surplus]] = False
            kept = [column[is_kept] for column in kept]
        return kept, _distinct(still_open)

    def _batch(self, size: int, granularity: Granularity) -> tuple[list[npt.NDArray[np.int32]], list[npt.NDArray[np.int32]]]:
        """About `size` facts in the relations' shares, and the open rows that came with them."""
        whole = sum(shape.share for shape in self.shapes)
        parts = [self._relation(code, shape, max(1, size * shape.share // whole)) for code, shape in enumerate(self.shapes)]
        subject, relation, object_, start, end = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        last_day = int(_first_day(np.array([_LAST_YEAR + 1]))[0])
        usable = (subject != object_) & (start < last_day)
        is_open = usable & (end >= last_day)
        usable &= ~is_open
        start, end = (_granules(column, granularity) for column in (start, end))
        columns = [column.astype(np.int32) for column in (subject, relation, object_, start, end)]
        return [column[usable] for column in columns], [column[is_open] for column in columns[:4]]

    def _relation(self, code: int, shape: Shape, size: int) -> list[Numbers]:
        """Subject, relation, object and first and last day of `size` facts of one relation."""
        spells = 1 + self._below(size, 2 * shape.spells - 1)
        spells = spells[: int(np.searchsorted(np.cumsum(spells), size)) + 1]
        subjects = self._somebody(shape.subject, len(spells))
        group = np.repeat(np.arange(len(spells)), spells)[:size]
        first = np.repeat(np.cumsum(spells) - spells, spells)[:size]
        subject = subjects[group]
        object_ = self._known(shape, code, subject)
        began = self._born[subjects].astype(np.int64) + (shape.lead * 365 if shape.lead else 0) + self._below(len(spells), 5 * 365)
        if shape.years:
            length = lengths(shape.years * 365)[self._below(size, 1024)]
            # In eighths: three of eight follow at once, one overlaps, the others leave a gap of up to three years.
            chance = self._below(size, 8)
            gap = np.where(chance < 3, 0, np.where(chance == 3, -(length // 2), self._below(size, 3 * 365)))
        else:
            length, gap = np.zeros(size, np.int64), 60 + self._below(size, 5 * 365)
        elapsed = np.cumsum(length + gap) - (length + gap)
        start = began[group] + elapsed - elapsed[first]
        end = start + length
        if shape.term:
            year = _year_of(start) // shape.term * shape.term
            start, terms = _first_day(year), 1 + (self._below(size, 4) == 0)
            served = _first_day(year + terms * shape.term)
            end = np.where(self._below(size, 2) == 0, served, start + 1 + self._below(size, shape.term * 365))
        return [subject, np.full(size, code, np.int64), object_, start, end]

    def _somebody(self, kind: str, size: int) -> Numbers:
        """Some entities of a kind: half of them any, half rather the first of their region."""
        per_region = KINDS[kind].per_region
        region = self._below(size, self._regions)
        local = np.where(self._below(size, 2) == 0, self._below(size, per_region), self._often(size, per_region))
        return self.first[kind] + region * per_region + local

    def _known(self, shape: Shape, relation: int, subject: Numbers) -> Numbers:
        """An object for each subject, of its region or known everywhere; each relation has favourites of its own."""
        size, per_region = len(subject), KINDS[shape.object].per_region
        region = self._region(shape.subject, subject)
        local = region * per_region + (self._often(size, per_region) + 7 * relation) % per_region
        everywhere = per_region * self._regions
        # An odd step apart, the best known stand in many regions.
        far = (self._often(size, everywhere) * 1_000_003 + 7 * relation) % everywhere
        return self.first[shape.object] + np.where(self._below(size, 100) < shape.far, far, local)

    def _region(self, kind: str, entity: Numbers) -> Numbers:
        return (entity - self.first[kind]) // KINDS[kind].per_region

    def _below(self, size: int, bound: int) -> Numbers:
        """Whole numbers from 0 to below `bound`, evenly."""
        return (self._rng.random(size) * bound).astype(np.int64)

    def _often(self, size: int, bound: int) -> Numbers:
        """Whole numbers from 0 to below `bound`, each octave as often as any other: a heavy tail of exponent 1."""
        octave = self._below(size, bound.bit_length())
        return (((1 << octave) - 1) + (self._rng.random(size) * (1 << octave)).astype(np.int64)) % bound


def _build(
    world: _World,
    kept: list[npt.NDArray[np.int32]],
    still_open: list[npt.NDArray[np.int32]],
    granularity: Granularity,
    name: str,
) -> tuple[TemporalGraph, CleaningReport]:
    """The graph over the entities and relations that have a row, and its report."""
    is_used = np.zeros(world.entities, np.bool_)
    for column in (kept[0], kept[2], still_open[0], still_open[2]):
        is_used[column] = True
    code = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
    labels: list[str] = []
    for kind, first in world.first.items():
        after = first + KINDS[kind].per_region * (world.entities // _REGION)
        labels += names(kind, np.flatnonzero(is_used[first:after])).to_pylist()
    relation_used = np.bincount(np.concatenate((kept[1], still_open[1])), minlength=len(world.shapes)) > 0
    relation_code = np.cumsum(relation_used, dtype=np.int32) - np.int32(1)
    used = [world.shapes[at] for at in np.flatnonzero(relation_used)]
    relation_ids = [f"r{at + 1:05d}" for at in range(len(used))]
    relation_labels = [shape.label for shape in used]
    types = [RelationType.INTERVAL if shape.years else RelationType.POINT for shape in used]
    unknown = len(still_open[0])
    start = still_open[3].astype(np.int64)
    graph = TemporalGraph(
        granularity=granularity,
        name=name,
        entity_ids=_ids(len(labels)),
        entity_labels=labels,
        entity_aliases={},
        relation_ids=relation_ids,
        relation_labels=relation_labels,
        relation_types=types,
        entity_usable=np.ones(len(labels), np.bool_),
        subject=code[kept[0]],
        relation=relation_code[kept[1]],
        object=code[kept[2]],
        start=kept[3],
        end=kept[4],
        dropped=DroppedFacts(
            code[still_open[0]], relation_code[still_open[1]], code[still_open[2]], start, start,
            np.full(unknown, NEG_INF), np.full(unknown, POS_INF), np.zeros(unknown, np.bool_),
        ),
    )  # fmt: skip
    facts = np.bincount(graph.relation, minlength=len(used)).astype(np.int64)
    one_granule = np.bincount(graph.relation[graph.start == graph.end], minlength=len(used)).astype(np.int64)
    is_deleted = np.zeros(len(used), np.bool_)
    typed = RelationTypes(types, ["as drawn"] * len(used), facts, one_granule, graph.relation_is_point, is_deleted)
    report = build_report(graph, typed, relation_ids, relation_labels, (), {DropReason.OPEN_END: unknown} if unknown else {})
    source = ImportReport(layout="synthetic", files=(), rows=report.rows, counters={"open_end": unknown} if unknown else {})
    return graph, report.model_copy(update={"source": source})


def _ids(count: int) -> list[str]:
    """`s` and eight digits or more, all of one length, in their order."""
    digits = pa.array(np.arange(10 ** max(8, len(str(count))), 10 ** max(8, len(str(count))) + count)).cast(pa.string())
    found: list[str] = pa.compute.utf8_replace_slice(digits, 0, 1, "s").to_pylist()
    return found


def _distinct(columns: list[npt.NDArray[np.int32]]) -> list[npt.NDArray[np.int32]]:
    """Rows in order of their columns, each once."""
    order, is_new = sort_rows(columns)
    order = order[is_new]
    return [column[order] for column in columns]


def _first_day(year: Any) -> Numbers:
    """Days from 0000-01-01 to the first of January of years from 1 on."""
    before: Numbers = year - 1
    return 366 + 365 * before + before // 4 - before // 100 + before // 400


def _year_of(day: Numbers) -> Numbers:
    """The year in which a day lies, counted from 0000-01-01."""
    near = day * 400 // 146_097
    return near - (_first_day(near) > day) + (_first_day(near + 1) <= day)


def _granules(day: Numbers, granularity: Granularity) -> Numbers:
    return _year_of(day) if granularity is Granularity.YEAR else day - _TO_1970
