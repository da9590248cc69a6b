"""Every possible temporal constraint of a skeleton as bit masks over its rows. Paper: section 4.2.3.

Bit `i` of a mask of a stage stands for the stage's row `i`. Conjunction is AND; a candidate set is the
projection of a mask on the rows' candidates. Operators are read from the one table, vectorised over
all pairs of rows and references, so a skeleton's whole constraint space costs a few numpy calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graph_sampler.naming import Names
from graph_sampler.operators import Operator, Ordinal, family_of, operators_of
from graph_sampler.skeleton import Skeleton
from graph_sampler.temporal_graph import TemporalGraph
from state.vocabulary import Family, RankOrder, RelationType, Template

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
        plain: by stage: the rows in which the operator's test holds without regard to precedence.
        root_mask: for a reference constraint on the first fact, its mask over the rows of the root alone.
        root_own: likewise `own`.
    """

    __slots__ = ("masks", "own", "plain", "root_mask", "root_own", "spec", "stage")

    def __init__(self, spec: PairwiseSpec, stage: int, masks: list[int], own: list[int], plain: list[int]) -> None:
        self.spec = spec
        self.stage = stage
        self.masks = masks
        self.own = own
        self.plain = plain
        self.root_mask: int | None = None
        self.root_own = 0


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
        self, graph: TemporalGraph, skeleton: Skeleton, is_reference: Callable[[int], bool], *, with_constraints: bool = True
    ) -> None:
        """Takes which facts may serve as references; building costs time in rows times references."""
        self.graph = graph
        self.skeleton = skeleton
        self.stages = [StageMasks(rows.candidates) for rows in skeleton.stages]
        self.final = self.stages[-1]
        self.last = skeleton.stages[-1]
        self.root = StageMasks(skeleton.root_rows.candidates)
        self.is_point = [bool(graph.relation_is_point[hop.relation]) for hop in skeleton.hops]
        self._to_stage = self._lifts()
        self._arrays: dict[tuple[int, int], NDArray[np.int64]] = {}
        self.constraints: list[Constraint] = []
        if with_constraints:
            self._enumerate(is_reference)

    def fact_rows(self, stage: int, fact: int, wanted: int) -> int:
        """The rows of a stage that bind a fact name to a fact."""
        return to_mask(row for row, bound in enumerate(self.skeleton.stages[stage].facts[fact]) if bound == wanted)

    def keys(self, stage: int, fact: int, ordinal: Ordinal) -> list[int]:
        """An ordinal's key for each row of a stage."""
        times = self._times(self._facts(stage, fact))
        found: list[int] = ordinal.key(times.start, times.end).tolist()
        return found

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
            stage = self.skeleton.stage_of(left)
            for right in names:
                if right > left:
                    self._row_constraints(left, right)
                if references[right]:
                    self._reference_constraints(left, stage, right, references[right])

    def _row_constraints(self, left: int, right: int) -> None:
        stage = self.skeleton.stage_of(right)
        x, y = self._facts(stage, left), self._facts(stage, right)
        held, plain, operators = self._classify(left, right, self._times(x), self._times(y), x != y)
        for position, operator in enumerate(operators):
            masks = self._lift(held[position][:, None], stage)[0]
            if masks[-1]:
                plains = masks if plain[position] is None else self._lift(plain[position][:, None], stage)[0]
                self.constraints.append(Constraint(PairwiseSpec(left, right, -1, operator), stage, masks, [0] * len(self.stages), plains))

    def _reference_constraints(self, left: int, stage: int, right: int, references: list[int]) -> None:
        facts = np.asarray(references, dtype=np.int64)
        x = self._facts(stage, left)
        other = x[:, None] != facts[None, :]
        held, plain, operators = self._classify(left, right, _column(self._times(x)), _row(self._times(facts)), other)
        own = self._lift(~other, stage)
        root_held = self._root_masks(left, right, facts)
        for position, operator in enumerate(operators):
            if not held[position].any():
                continue
            masks = self._lift(held[position], stage)
            plains = masks if plain[position] is None else self._lift(plain[position], stage)
            for number, reference in enumerate(references):
                if masks[number][-1]:
                    spec = PairwiseSpec(left, -1, reference, operator)
                    found = Constraint(spec, stage, masks[number], own[number], plains[number])
                    if root_held is not None:
                        found.root_mask, found.root_own = root_held[0][position][number], root_held[1][number]
                    self.constraints.append(found)

    def _root_masks(self, left: int, right: int, references: NDArray[np.int64]) -> tuple[list[list[int]], list[int]] | None:
        if self.skeleton.template is not Template.BRANCH or left != 0:
            return None
        x = np.asarray(self.skeleton.root_rows.facts[0], dtype=np.int64)
        other = x[:, None] != references[None, :]
        held, _, _ = self._classify(left, right, _column(self._times(x)), _row(self._times(references)), other)
        return [_pack(each) for each in held], _pack(~other)

    def _classify(self, left: int, right: int, x: Times, y: Times, other: NDArray[np.bool_]) -> tuple[list[Any], list[Any], tuple[Operator, ...]]:
        """For each operator of the family, where it holds by precedence, and where its test alone differs from that."""
        family: Family = family_of(_TYPE[self.is_point[left]], _TYPE[self.is_point[right]])
        operators = operators_of(family)
        free = other.copy()
        held, plain = [], []
        for operator in operators:
            test = operator.holds(x.start, x.end, y.start, y.end) & other
            mine = test & free
            free &= ~mine
            held.append(mine)
            plain.append(test if (test != mine).any() else None)
        return held, plain, operators

    def _lift(self, held: NDArray[np.bool_], stage: int) -> list[list[int]]:
        """A matrix (rows of a stage, constraints) as masks: for each constraint, one by stage."""
        by_stage = [_pack(held[self._to_stage[stage][late]]) for late in range(stage, len(self.stages))]
        below = [0] * stage
        return [[*below, *masks] for masks in zip(*by_stage, strict=True)]


def _column(times: Times) -> Times:
    return Times(times.start[:, None], times.end[:, None])


def _row(times: Times) -> Times:
    return Times(times.start[None, :], times.end[None, :])


def _pack(held: NDArray[np.bool_]) -> list[int]:
    """A matrix (rows, constraints) as one mask for each constraint."""
    packed = np.ascontiguousarray(np.packbits(held, axis=0, bitorder="little").T)
    width = packed.shape[1]
    data = packed.tobytes()
    return [int.from_bytes(data[at : at + width], "little") for at in range(0, width * packed.shape[0], width)]
