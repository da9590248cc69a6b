"""Every possible temporal constraint of a skeleton as bit masks over its rows. Paper: section 4.2.3.

Bit `i` of a mask of a stage stands for the stage's row `i`. Conjunction is AND; a candidate set is the
projection of a mask on the rows' candidates. Operators are read from the one table, vectorised over
all pairs of rows and references, so a skeleton's whole constraint space costs a few numpy calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graph_sampler.operators import Operator, Ordinal, family_of
from graph_sampler.order_codes import NO_PAIR, meanings, order_codes
from graph_sampler.skeleton import Rows, Skeleton
from graph_sampler.temporal_graph import TemporalGraph
from state.config import Rules
from state.vocabulary import RankOrder, RelationType, Template

_TYPE = {True: RelationType.POINT, False: RelationType.INTERVAL}


class PairwiseSpec(NamedTuple):
    """A pairwise constraint by numbers: fact names from 0, the reference a fact index or -1."""

    left: int
    right: int
    """The later fact of the row; -1 for a reference."""
    reference: int
    operator: Operator


class OrdinalSpec(NamedTuple):
    """An ordinal constraint: the fact name from 0, the rank from 1."""

    stage: int
    fact: int
    operator: Ordinal
    rank: int
    order: RankOrder


class Constraint:
    """A pairwise constraint with its masks.

    Attributes:
        spec: what it says.
        stage: the stage it stands in.
        masks: by stage, from its own on (`0` below): the rows in which it holds.
        own: by stage: the rows whose left fact is the reference itself.
        plain: by stage: the rows in which a plain reader may think that it holds, be it of another spell.
        fit: over the last stage: the rows in which it could legally stand.
        root_mask: for a reference constraint on the first fact, its mask over the rows of the root alone.
    """

    __slots__ = ("fit", "masks", "own", "plain", "root_mask", "spec", "stage")

    def __init__(self, spec: PairwiseSpec, stage: int, masks: list[int], own: list[int], plain: list[int], fit: int) -> None:
        self.spec = spec
        self.stage = stage
        self.masks = masks
        self.own = own
        self.plain = plain
        self.root_mask: int | None = None
        self.fit = fit


class StageMasks:
    """Projections of one stage's rows: candidate counts and sets of masks."""

    __slots__ = ("candidates", "full", "group_of", "groups", "is_single", "size")

    def __init__(self, candidates: list[int]) -> None:
        self.candidates = candidates
        self.size = len(candidates)
        self.full = (1 << self.size) - 1
        self.group_of: dict[int, int] = {}
        for row, candidate in enumerate(candidates):
            self.group_of[candidate] = self.group_of.get(candidate, 0) | (1 << row)
        self.groups = list(self.group_of.values())
        self.is_single = len(self.groups) == self.size

    def count(self, mask: int) -> int:
        """Number of candidates with a row in the mask."""
        if self.is_single:
            return mask.bit_count()
        return sum(1 for group in self.groups if group & mask)

    def project(self, mask: int) -> int:
        """The candidates with a row in the mask, as a mask of its own."""
        if self.is_single:
            return mask
        return sum(1 << position for position, group in enumerate(self.groups) if group & mask)

    def entities(self, mask: int) -> set[int]:
        """The candidates with a row in the mask."""
        return {self.candidates[row] for row in rows_of(mask)}


def rows_of(mask: int) -> list[int]:
    """The numbers of the bits set, ascending."""
    found = []
    if mask >> 64:
        return [at for at, bit in enumerate(reversed(bin(mask))) if bit == "1"]
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def to_mask(rows: Iterable[int]) -> int:
    """The mask with these bits set."""
    mask = 0
    for row in rows:
        mask |= 1 << row
    return mask


class Times(NamedTuple):
    """Start and end granules of some facts, as arrays of one length."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]


class ConstraintSpace:
    """A skeleton with every constraint that could be asked of it."""

    def __init__(
        self, graph: TemporalGraph, skeleton: Skeleton, is_reference: Callable[[int], bool], legal: list[NDArray[np.bool_]], rules: Rules
    ) -> None:
        """Takes which facts may serve as references and, for each fact name, in which of the last stage's rows a
        constraint may read it. Building costs time in rows times references; constraints without a legal row are left out.
        """
        self.graph = graph
        self.skeleton = skeleton
        self.stages = [StageMasks(rows.candidates) for rows in skeleton.stages]
        self.final = self.stages[-1]
        self.last = skeleton.stages[-1]
        self.root = StageMasks(skeleton.root_rows.candidates)
        self.is_point = [bool(graph.relation_is_point[hop.relation]) for hop in skeleton.hops]
        self._to_stage = self._lifts()
        self._arrays: dict[tuple[int, int], NDArray[np.int64]] = {}
        self._fact_masks: dict[tuple[int, int], dict[int, int]] = {}
        self._keys: dict[tuple[int, int, str], list[int]] = {}
        self.constraints: list[Constraint] = []
        self._legal = legal
        self._rules = rules
        self._spells = [_spells(rows) if rules.plain_reading else None for rows in skeleton.stages]
        self._enumerate(is_reference)

    def fact_rows(self, stage: int, fact: int, wanted: int) -> int:
        """The rows of a stage that bind a fact name to a fact; built once for each stage and name."""
        masks = self._fact_masks.get((stage, fact))
        if masks is None:
            masks = self._fact_masks[stage, fact] = {}
            for row, bound in enumerate(self.skeleton.stages[stage].facts[fact]):
                masks[bound] = masks.get(bound, 0) | (1 << row)
        return masks.get(wanted, 0)

    def keys(self, stage: int, fact: int, ordinal: Ordinal) -> list[int]:
        """An ordinal's key for each row of a stage."""
        known = self._keys.get((stage, fact, ordinal.name))
        if known is None:
            times = self._times(self._facts(stage, fact))
            known = self._keys[stage, fact, ordinal.name] = ordinal.key(times.start, times.end).tolist()
        return known

    def _lifts(self) -> list[list[NDArray[np.intp]]]:
        """`[s][t]`: for each row of stage `t`, its row in stage `s <= t`."""
        stages = self.skeleton.stages
        lifts = [[np.arange(0)] * len(stages) for _ in stages]
        for late in range(len(stages)):
            lifts[late][late] = np.arange(self.stages[late].size)
            for early in range(late - 1, -1, -1):
                parents = np.asarray(stages[early + 1].parents, dtype=np.intp)
                lifts[early][late] = parents[lifts[early + 1][late]]
        return lifts

    def _facts(self, stage: int, fact: int) -> NDArray[np.int64]:
        known = self._arrays.get((stage, fact))
        if known is None:
            known = self._arrays[stage, fact] = np.asarray(self.skeleton.stages[stage].facts[fact], dtype=np.int64)
        return known

    def _times(self, facts: NDArray[np.int64]) -> Times:
        return Times(self.graph.start[facts].astype(np.int64), self.graph.end[facts].astype(np.int64))

    def _enumerate(self, is_reference: Callable[[int], bool]) -> None:
        names = range(len(self.skeleton.hops))
        references = [sorted(fact for fact in set(self.last.facts[name]) if is_reference(fact)) for name in names]
        for left in names:
            if not self._legal[left].any():
                continue
            stage = self.skeleton.stage_of(left)
            for right in names:
                if right > left:
                    self._row_constraints(left, right)
                if references[right]:
                    self._reference_constraints(left, stage, right, references[right])

    def _row_constraints(self, left: int, right: int) -> None:
        stage = self.skeleton.stage_of(right)
        x, y = self._facts(stage, left), self._facts(stage, right)
        held = self._classify(left, right, _column(self._times(x)), _column(self._times(y)), (x != y)[:, None])
        nothing = [0] * len(self.stages)
        legal = (self._legal[left] & self._legal[right])[:, None]
        for operator, _, masks, plain, fit in self._masks(held, stage, legal):
            self.constraints.append(Constraint(PairwiseSpec(left, right, -1, operator), stage, masks, nothing, plain, fit))

    def _reference_constraints(self, left: int, stage: int, right: int, references: list[int]) -> None:
        facts = np.asarray(references, dtype=np.int64)
        x = self._facts(stage, left)
        times = self._times(facts)
        other = x[:, None] != facts[None, :]
        held = self._classify(left, right, _column(self._times(x)), _row(times), other)
        own = [self.own_rows(stage, left, reference) for reference in references]
        root = self._root_masks(left, right, facts, times)
        legal = self._legal[left][:, None] & ~self._bound(facts)
        for operator, number, masks, plain, fit in self._masks(held, stage, legal):
            found = Constraint(PairwiseSpec(left, -1, references[number], operator), stage, masks, own[number], plain, fit)
            if root is not None:
                found.root_mask = root[operator.name][number]
            self.constraints.append(found)

    def _bound(self, references: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(last stage's rows, references): where a variable is bound to an end of the reference."""
        ends = (self.graph.subject[references], self.graph.object[references])
        bound = np.zeros((self.final.size, len(references)), dtype=np.bool_)
        for column in self.last.variables:
            variable = np.asarray(column)[:, None]
            for end in ends:
                bound |= variable == end[None, :]
        return bound

    def own_rows(self, stage: int, fact: int, reference: int) -> list[int]:
        """By stage from the given one on: the rows that bind the fact name to the reference itself."""
        return [0 if late < stage else self.fact_rows(late, fact, reference) for late in range(len(self.stages))]

    def _root_masks(self, left: int, right: int, references: NDArray[np.int64], times: Times) -> dict[str, list[int]] | None:
        if self.skeleton.template is not Template.BRANCH or left != 0:
            return None
        x = np.asarray(self.skeleton.root_rows.facts[0], dtype=np.int64)
        held = self._classify(left, right, _column(self._times(x)), _row(times), x[:, None] != references[None, :])
        return {operator.name: _integers(rows.T) for operator, rows in zip(held.operators, held.held, strict=True)}

    def _classify(self, left: int, right: int, x: Times, y: Times, other: NDArray[np.bool_]) -> Classified:
        """Which operator holds where, by precedence, and where a plain reader may think that it does."""
        family = family_of(_TYPE[self.is_point[left]], _TYPE[self.is_point[right]])
        known = meanings(family, self._rules.shared_granule, self._rules.plain_reading)
        codes = order_codes(x.start, x.end, y.start, y.end)
        codes[~other] = NO_PAIR
        return Classified(
            known.operators, known.held.take(codes, axis=1), known.plain.take(codes, axis=1), codes, (known.starts, known.ends)
        )

    def _masks(
        self, classified: Classified, stage: int, legal: NDArray[np.bool_]
    ) -> Iterator[tuple[Operator, int, list[int], list[int], int]]:
        """`(operator, column, masks by stage, plain masks by stage, fit)` wherever some legal row is left at the last stage."""
        fit = classified.held[:, self._to_stage[stage][-1], :] & legal
        alive = fit.any(axis=1)
        if not alive.any():
            return
        positions, columns = np.nonzero(alive)
        # Of the constraints that are left: (constraints, rows of their stage).
        held, plain = (table[positions, :, columns] for table in (classified.held, classified.plain))
        differs = (plain != held).any(axis=1)
        lifts = [self._to_stage[stage][late] for late in range(stage, len(self.stages))]
        masks = [_integers(held[:, lift]) for lift in lifts]
        plains = []
        for late, lift in enumerate(lifts, start=stage):
            lifted, spells = plain[:, lift], self._spells[late]
            if spells is not None:
                starts, ends = (table[positions[:, None], classified.codes[:, columns].T[:, lift]] for table in classified.bounds)
                by_any = spells.in_any(starts) & spells.in_any(ends)
                differs |= (by_any != lifted).any(axis=1)
                lifted = by_any
            plains.append(_integers(lifted))
        fits = _integers(fit[positions, :, columns])
        below = [0] * stage
        for number, (position, column) in enumerate(zip(positions.tolist(), columns.tolist(), strict=True)):
            mine = below + [mask[number] for mask in masks]
            loose = below + [mask[number] for mask in plains] if differs[number] else mine
            yield classified.operators[position], column, mine, loose, fits[number]


class Spells(NamedTuple):
    """Rows of a stage that bind all variables alike, so that they differ in spells alone."""

    order: NDArray[np.intp]
    """The rows, those of one group together."""
    starts: NDArray[np.intp]
    """Where each group begins in that order."""
    group: NDArray[np.intp]
    """By row, its group."""

    def in_any(self, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(constraints, rows): whether a constraint holds in any row of a row's group."""
        found: NDArray[np.bool_] = np.logical_or.reduceat(held[:, self.order], self.starts, axis=1)[:, self.group]
        return found


def _spells(rows: Rows) -> Spells | None:
    """The groups of a stage's rows; `None` where each is a group of its own."""
    numbers: dict[tuple[int, ...], int] = {}
    group = np.array([numbers.setdefault(bound, len(numbers)) for bound in zip(*rows.variables, strict=True)], np.intp)
    if len(numbers) == len(group):
        return None
    order = np.argsort(group, kind="stable")
    return Spells(order, np.searchsorted(group[order], np.arange(len(numbers))), group)


class Classified(NamedTuple):
    """Operators of one family over a matrix (rows, others)."""

    operators: tuple[Operator, ...]
    held: NDArray[np.bool_]
    """(operators, rows, others): where each holds, by precedence."""
    plain: NDArray[np.bool_]
    """(operators, rows, others): where a reader who knows neither precedence nor granules may think that it holds."""
    codes: NDArray[np.int64]
    """(rows, others): how the bounds are ordered."""
    bounds: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    """(operators, codes): where a plain reader finds that a start, and that an end, is as the operator wants it."""


def _column(times: Times) -> Times:
    return Times(times.start[:, None], times.end[:, None])


def _row(times: Times) -> Times:
    return Times(times.start[None, :], times.end[None, :])


def _integers(held: NDArray[np.bool_]) -> list[int]:
    """A matrix (constraints, rows) as one mask for each constraint."""
    packed = np.packbits(held, axis=1, bitorder="little")
    width, data = packed.shape[1], packed.tobytes()
    return [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)] if width else [0] * len(held)
