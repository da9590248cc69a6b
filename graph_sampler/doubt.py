"""Whether a fact dropped in cleaning could change an answer. Design: rule 7 of section 4.

Dropped rows whose ids are known are added back with every time that they may have. Pairwise
constraints are existential over rows, so only new rows matter: one that could satisfy every
constraint under some choice of times and lead to another entity makes the trace doubtful, and so
does one that could bring a new fact into an ordinal's pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graph_sampler.conditions import Judged
from graph_sampler.constraints import Constraint, OrdinalSpec, PairwiseSpec
from graph_sampler.operators import Operator, operators_of
from graph_sampler.skeleton import Neighbourhood, Skeleton
from graph_sampler.sorting import sort_rows
from graph_sampler.temporal_graph import NEG_INF, POS_INF, TemporalGraph
from state.vocabulary import Action, Family, Template

_REMEMBERED = 250_000
"""Pairs of facts whose operators a worker keeps, about 200 bytes each."""

Side = tuple[int, int, Operator]
"""Two facts and the operator that is to hold between them; a dropped fact is below 0."""


class Box(NamedTuple):
    """The times that a fact may have: every `(s, e)` in the box with `s <= e`, or `s == e` for a point."""

    start_low: int
    start_high: int
    end_low: int
    end_high: int
    is_point: bool


class NewRow(NamedTuple):
    """A row with at least one dropped fact; a dropped fact `i` is written `-1 - i`."""

    facts: tuple[int, ...]
    candidate: int


class DroppedRows:
    """Which new rows a skeleton gains, by stage, and what constraints they could satisfy.

    Cost without a dropped fact near the skeleton: one look-up a candidate.
    """

    def __init__(self, around: Neighbourhood, skeleton: Skeleton, max_rows: int) -> None:
        """Takes the number of new rows past which every trace of the skeleton counts as doubtful."""
        self._graph = around.graph
        self._skeleton = skeleton
        self.is_too_many = False
        self.stages = self._gather(around, max_rows)
        self._possible = around.remembered
        self._boxes: dict[int, Box] = {}
        self._times: dict[int, tuple[int, int]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether no dropped fact matches any step."""
        return not self.is_too_many and not any(self.stages)

    def is_doubtful(self, judged: Judged, constraints: tuple[Constraint, ...], ordinal: OrdinalSpec | None, pool_facts: set[int]) -> bool:
        """Whether some choice of the dropped facts changes the answer set or an ordinal's pool.

        `pool_facts` are the facts that the ordinal ranks.
        """
        if self.is_too_many:
            return True
        if not any(self.stages):
            return False
        specs = [(each.stage, each.spec) for each in constraints]
        last = len(self.stages) - 1
        if ordinal is not None:
            before = [spec for stage, spec in specs if stage <= ordinal.stage]
            for row in self._satisfying(ordinal.stage, before):
                if row.facts[ordinal.fact] not in pool_facts:
                    return True
            kept = self._skeleton.stages[last].facts[ordinal.fact][(judged.final_rows & -judged.final_rows).bit_length() - 1]
        others = self._satisfying(last, [spec for _, spec in specs], but=judged.answer)
        return any(ordinal is None or row.facts[ordinal.fact] == kept for row in others)

    def _satisfying(self, stage: int, specs: list[PairwiseSpec], but: int = -1) -> Iterator[NewRow]:
        """New rows of other candidates than `but` that could satisfy all constraints together."""
        for row in self.stages[stage]:
            if row.candidate != but and all(self._is_possible(row, spec) for spec in specs) and self._is_satisfiable(row, specs):
                yield row

    def _is_possible(self, row: NewRow, spec: PairwiseSpec) -> bool:
        """Whether one constraint alone could hold in a row; remembered for each pair of facts."""
        left, right, reference, operator = spec
        x, y = row.facts[left], row.facts[right] if right >= 0 else reference
        known = self._possible.get((x, y))
        if known is None:
            if len(self._possible) >= _REMEMBERED:
                self._possible.clear()
            known = self._possible[x, y] = self._operators(x, y, operator.family)
        return operator.name in known

    def _operators(self, x: int, y: int, family: Family) -> frozenset[str]:
        """The operators of a family that some times of two facts make hold; none between a fact and itself."""
        if x == y:
            return frozenset()
        if x >= 0 and y >= 0:
            return _only(_first_holding(family, *self._exact(x), *self._exact(y)))
        boxes = [self._box(fact) if fact < 0 else _certain(*self._exact(fact)) for fact in (x, y)]
        marks = sorted({bound for box in boxes for bound in box[:4]} - {NEG_INF, POS_INF}) or [0]
        return _reachable(family, *(_near(box, marks) for box in boxes))

    def _is_satisfiable(self, row: NewRow, specs: list[PairwiseSpec]) -> bool:
        """Whether some choice of times makes constraints that could hold alone hold at once.

        Only the order of end points matters, so trying the known end points, their neighbours and the
        bounds of each box is exhaustive; room for one granule beyond per free fact keeps free facts apart.
        """
        if len(specs) < 2:
            return True
        sides: list[Side] = []
        for spec in specs:
            right = row.facts[spec.right] if spec.right >= 0 else spec.reference
            left = row.facts[spec.left]
            sides.append((left, right, spec.operator))
        free = sorted({fact for left, right, _ in sides for fact in (left, right) if fact < 0})
        fixed = {fact: self._exact(fact) for left, right, _ in sides for fact in (left, right) if fact >= 0}
        boxes = [self._box(fact) for fact in free]
        marks = sorted(
            {bound for times in fixed.values() for bound in times} | {bound for box in boxes for bound in box[:4]} - {NEG_INF, POS_INF}
        )
        reach = 2 * len(free)
        values = sorted({mark + step for mark in marks or [0] for step in range(-reach, reach + 1)})
        choices = [_choices(box, values) for box in boxes]
        if len(free) > 2:
            return all(choices)
        joint = [side for side in sides if side[0] < 0 and side[1] < 0]
        if not _hold(fixed, [side for side in sides if side[0] >= 0 and side[1] >= 0]):
            return False
        # What binds one free fact alone is tried before the pairs, which are many.
        for position, fact in enumerate(free):
            alone = [side for side in sides if fact in side[:2] and side not in joint]
            choices[position] = [times for times in choices[position] if _hold(fixed | {fact: times}, alone)]
        return any(_hold(dict(zip(free, chosen, strict=True)), joint) for chosen in product(*choices))

    def _exact(self, fact: int) -> tuple[int, int]:
        known = self._times.get(fact)
        if known is None:
            known = self._times[fact] = int(self._graph.start[fact]), int(self._graph.end[fact])
        return known

    def _box(self, fact: int) -> Box:
        known = self._boxes.get(fact)
        if known is not None:
            return known
        dropped, index = self._graph.dropped, -1 - fact
        known = self._boxes[fact] = Box(
            int(dropped.start_low[index]),
            int(dropped.start_high[index]),
            int(dropped.end_low[index]),
            int(dropped.end_high[index]),
            bool(dropped.is_point[index]),
        )
        return known

    def _gather(self, around: Neighbourhood, max_rows: int) -> list[list[NewRow]]:
        skeleton, graph = self._skeleton, self._graph
        root = skeleton.hops[0]
        indices = (
            graph.dropped_to(root.relation, root.fixed) if root.candidate_is_subject else graph.dropped_from(root.relation, root.fixed)
        )
        ends = graph.dropped.subject if root.candidate_is_subject else graph.dropped.object
        new = [NewRow((-1 - int(index),), int(ends[index])) for index in indices]
        kept = [NewRow((fact,), end) for fact, end in zip(skeleton.root_rows.facts[0], skeleton.root_rows.candidates, strict=True)]
        stages: list[list[NewRow]] = [] if skeleton.template is Template.BRANCH else [new]
        for number, hop in enumerate(skeleton.hops[1:], start=1):
            is_filter = hop.action is Action.STRUCTURAL_FILTER
            entity_is_subject = hop.candidate_is_subject if is_filter else not hop.candidate_is_subject
            longer: list[NewRow] = []
            for row in new:
                for fact, end in self._kept_facts(around, row.candidate, hop.relation, entity_is_subject):
                    if not is_filter or end == hop.fixed:
                        longer.append(NewRow((*row.facts, fact), row.candidate if is_filter else end))
            for row in (*kept, *new):
                for fact, end in self._dropped_facts(row.candidate, hop.relation, entity_is_subject):
                    if not is_filter or end == hop.fixed:
                        longer.append(NewRow((*row.facts, fact), row.candidate if is_filter else end))
            if len(longer) > max_rows:
                self.is_too_many = True
                return [[] for _ in skeleton.stages]
            new = longer
            stages.append(new)
            rows = skeleton.stages[-1 if is_filter else number]
            kept = [NewRow(tuple(column[at] for column in rows.facts), end) for at, end in enumerate(rows.candidates)]
        return stages

    def _kept_facts(self, around: Neighbourhood, entity: int, relation: int, is_subject: bool) -> list[tuple[int, int]]:
        near = around.around(entity).get((relation, is_subject))
        if near is not None:
            return list(zip(*near, strict=True))
        if around.is_crowded(entity, relation, is_subject):
            graph = self._graph
            facts = graph.facts_from(relation, entity) if is_subject else graph.facts_to(relation, entity)
            ends = (graph.object if is_subject else graph.subject)[facts]
            return list(zip(facts.tolist(), ends.tolist(), strict=True))
        return []

    def _dropped_facts(self, entity: int, relation: int, is_subject: bool) -> list[tuple[int, int]]:
        graph = self._graph
        indices = graph.dropped_from(relation, entity) if is_subject else graph.dropped_to(relation, entity)
        ends = graph.dropped.object if is_subject else graph.dropped.subject
        return [(-1 - int(index), int(ends[index])) for index in indices]


def second_spells(graph: TemporalGraph) -> NDArray[np.bool_]:
    """For each fact, whether another row, kept or dropped, has its subject, relation and object."""
    found = lost_spells(graph)
    same = np.logical_and.reduce([column[1:] == column[:-1] for column in (graph.subject, graph.relation, graph.object)])
    found[1:] |= same
    found[:-1] |= same
    return found


def lost_spells(graph: TemporalGraph) -> NDArray[np.bool_]:
    """For each fact, whether a dropped row has its subject, relation and object."""
    kept, dropped = (tuple(getattr(rows, name) for name in ("subject", "relation", "object")) for rows in (graph, graph.dropped))
    found = np.zeros(len(graph), dtype=np.bool_)
    if len(graph.dropped):
        has_dropped = np.zeros(len(graph.entity_ids), dtype=np.bool_)
        has_dropped[dropped[0]] = True
        near = np.flatnonzero(has_dropped[kept[0]])
        order, is_new = sort_rows([np.concatenate((column[near], other)) for column, other in zip(kept, dropped, strict=True)])
        first = np.flatnonzero(is_new)
        joins_dropped = np.logical_or.reduceat(order >= len(near), first)[np.cumsum(is_new) - 1]
        found[near[order[joins_dropped & (order < len(near))]]] = True
    return found


def _choices(box: Box, values: list[int]) -> list[tuple[int, int]]:
    starts = [value for value in values if box.start_low <= value <= box.start_high]
    ends = [value for value in values if box.end_low <= value <= box.end_high]
    return [(start, end) for start in starts for end in ends if start <= end and (start == end or not box.is_point)]


def _hold(times: dict[int, tuple[int, int]], sides: list[Side]) -> bool:
    """Whether some operators hold at once between facts with these times."""
    return all(_first_holding(operator.family, *times[left], *times[right]) == operator.name for left, right, operator in sides)


def _first_holding(family: Family, a: int, b: int, c: int, d: int) -> str:
    """The first row of a family whose test holds; `""` for times that the family does not know."""
    return next((row.name for row in operators_of(family) if row.holds(a, b, c, d)), "")


@cache
def _only(name: str) -> frozenset[str]:
    """One set for each operator, since a worker remembers half a million of them."""
    return frozenset((name,))


def _certain(start: int, end: int) -> Box:
    return Box(start, start, end, end, False)


def _near(box: Box, marks: list[int]) -> Box:
    """A box with its bounds brought into order with all marks but close together.

    Each mark gets a place four granules (or their true distance, if less) after the one before, which
    keeps every order type that two facts can have and makes equal situations equal.
    """
    place = {marks[0]: 0}
    for before, mark in pairwise(marks):
        place[mark] = place[before] + min(mark - before, 4)
    place[NEG_INF], place[POS_INF] = -4, place[marks[-1]] + 4
    return Box(place[box.start_low], place[box.start_high], place[box.end_low], place[box.end_high], box.is_point)


@lru_cache(maxsize=65536)
def _reachable(family: Family, left: Box, right: Box) -> frozenset[str]:
    """The operators that some times within two bounded boxes make hold."""
    sides = [_choices(box, list(range(min(box[:4]), max(box[:4]) + 1))) for box in (left, right)]
    return frozenset(_first_holding(family, *x, *y) for x in sides[0] for y in sides[1])
