"""A trace executed over a whole graph, many times, quickly. Design: section 4.

The structural steps are walked once for each skeleton, whatever the constraints, and give rows; a constraint is a
bit mask over the rows of a level. Executing the trace, or the trace without a step, is then a few operations on
integers. A level holds the rows after one structural step.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from evaluation.audit.cases import StatedFact
from evaluation.audit.known_graph import KnownGraph
from graph_sampler.constraints import rows_of
from graph_sampler.operators import BY_NAME, ORDINAL_BY_NAME, operators_of
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, StructuralStep, Trace, TransitionStep
from state.vocabulary import Family, RankOrder

MOST_ROWS = 20_000
"""Rows of a level past which a trace is not executed."""
_MOST_REMEMBERED = 500_000
"""Rows of all remembered skeletons together; each takes about 150 bytes."""

Hop = tuple[str | int, int, str | int]
"""A pattern in codes; text is a variable."""


class TooManyRows(Exception):
    """A skeleton has more rows than are kept."""


class Level:
    """The rows after one structural step."""

    __slots__ = ("all_facts", "candidates", "children", "facts", "full", "groups", "masks")

    def __init__(self, facts: list[list[int]], candidates: list[int], children: list[int]) -> None:
        self.facts = facts
        """A column for each fact name bound so far."""
        self.all_facts = frozenset().union(*facts)
        self.candidates = candidates
        self.children = children
        """For each row of the level before, the mask of the rows that come from it."""
        self.full = (1 << len(candidates)) - 1
        self.groups: dict[int, int] = {}
        for row, candidate in enumerate(candidates):
            self.groups[candidate] = self.groups.get(candidate, 0) | (1 << row)
        self.masks: dict[tuple[str, int, int, StatedFact | None], int] = {}

    def answers(self, alive: int) -> frozenset[int]:
        """The candidates that have a row in the mask."""
        return frozenset(candidate for candidate, mask in self.groups.items() if mask & alive)

    def inherit(self, alive: int, before: Level) -> int:
        """The rows whose parents are alive."""
        if alive == before.full:
            return self.full
        mask = 0
        for row in rows_of(alive):
            mask |= self.children[row]
        return mask


class Ranking(NamedTuple):
    """What an ordinal had to choose from."""

    ranked: int
    """Distinct facts."""
    is_tied: bool
    """Whether the rank, or one before it, is shared."""


class Run(NamedTuple):
    """What an execution came to."""

    answers: frozenset[int]
    alive: int
    """Rows of the last level."""
    rankings: Mapping[str, Ranking]
    """By the ordinal's name."""


class Executable:
    """A trace that can be run on one graph, whole or without one of its parts."""

    def __init__(self, known: KnownGraph, walks: Walks, trace: Trace, references: Mapping[str, StatedFact]) -> None:
        """Raises `KeyError` for an id that the graph does not have, `TooManyRows` for a skeleton that is too large."""
        self.known = known
        self.trace = trace
        self.references = references
        self._walks = walks
        self.columns = {step.fact: place for place, step in enumerate(s for s in trace.steps if isinstance(s, StructuralStep))}
        self.levels = walks.levels(trace)

    @property
    def last(self) -> Level:
        """The level of the answer."""
        return self.levels[-1]

    def without_filter(self, fact: str) -> Executable:
        """The trace without a structural filter and the constraints that read its fact."""
        steps = [
            step
            for step in self.trace.steps
            if not (
                (isinstance(step, FilterStep) and step.fact == fact)
                or (isinstance(step, PairwiseStep) and fact in (step.left, step.right))
                or (isinstance(step, OrdinalStep) and step.fact == fact)
            )
        ]
        return Executable(self.known, self._walks, self.trace.model_copy(update={"steps": tuple(steps)}), self.references)

    def run(self, left_out: str | None = None, within: Sequence[int] | None = None) -> Run:
        """The trace executed, if asked without one constraint or over some rows of each level only.

        A constraint with a reference that is left out goes on removing the rows whose own fact is the reference.
        """
        place, alive = -1, 0
        rankings: dict[str, Ranking] = {}
        for step in self.trace.steps:
            if isinstance(step, StructuralStep):
                place += 1
                level = self.levels[place]
                alive = level.inherit(alive, self.levels[place - 1]) if place else level.full
                if within is not None:
                    alive &= within[place]
            elif isinstance(step, PairwiseStep):
                if step.constraint != left_out:
                    alive &= self.mask(step, place)
                elif step.right in self.references:
                    alive &= ~self._own_rows(step, place)
            elif step.constraint != left_out:
                alive, rankings[step.constraint] = self._at_rank(step, place, alive)
        return Run(self.last.answers(alive), alive, rankings)

    def rows_among(self, facts: set[int]) -> list[int] | None:
        """For each level the rows that consist of these facts; `None` if that is all of them."""
        masks = []
        for level in self.levels:
            mask = level.full
            if not level.all_facts <= facts:
                mask = 0
                for row, bound in enumerate(zip(*level.facts, strict=True)):
                    if facts.issuperset(bound):
                        mask |= 1 << row
            masks.append(mask)
        return None if all(mask == level.full for mask, level in zip(masks, self.levels, strict=True)) else masks

    def mask(self, step: PairwiseStep, place: int) -> int:
        """The rows of a level in which a constraint holds; remembered with the skeleton."""
        level = self.levels[place]
        reference = self.references.get(step.right)
        left, right = self.columns[step.left], -1 if reference is not None else self.columns[step.right]
        key = (step.operator, left, right, reference)
        known = level.masks.get(key)
        if known is None:
            known = level.masks[key] = self._holds(step.operator, level.facts[left], level.facts[right], reference)
        return known

    def _holds(self, operator: str, left: list[int], right: list[int], reference: StatedFact | None) -> int:
        row_of_table, times = BY_NAME[operator], self.known.times
        family, test = row_of_table.family, row_of_table.holds
        mask = 0
        if reference is not None:
            start, end = self.known.interval(reference)
            if start is None or end is None:
                return 0
            own = self.known.find(reference)
            holding = {fact for fact in set(left) if test(*times[fact], start, end)} - {own}
            holding = {fact for fact in holding if relation_between(family, *times[fact], start, end) == operator}
            for row, fact in enumerate(left):
                if fact in holding:
                    mask |= 1 << row
            return mask
        for row, (fact, other) in enumerate(zip(left, right, strict=True)):
            if fact != other and test(*times[fact], *times[other]) and relation_between(family, *times[fact], *times[other]) == operator:
                mask |= 1 << row
        return mask

    def _own_rows(self, step: PairwiseStep, place: int) -> int:
        own = self.known.find(self.references[step.right])
        mask = 0
        for row, fact in enumerate(self.levels[place].facts[self.columns[step.left]]):
            if fact == own:
                mask |= 1 << row
        return mask

    def _at_rank(self, step: OrdinalStep, place: int, alive: int) -> tuple[int, Ranking]:
        column = self.levels[place].facts[self.columns[step.fact]]
        key = ORDINAL_BY_NAME[step.operator].key
        rows = rows_of(alive)
        keys = {column[row]: int(key(*self.known.times[column[row]])) for row in rows}
        descending = step.order is RankOrder.DESCENDING
        distinct = sorted(set(keys.values()), reverse=descending)
        ordered = sorted(keys.values(), reverse=descending)
        ranking = Ranking(len(ordered), ordered[: step.rank + 1] != distinct[: step.rank + 1])
        if step.rank > len(distinct):
            return 0, ranking
        wanted = distinct[step.rank - 1]
        mask = 0
        for row in rows:
            if keys[column[row]] == wanted:
                mask |= 1 << row
        return mask, ranking


class Walks:
    """The levels of skeletons of one graph; the ones asked for last are remembered."""

    def __init__(self, known: KnownGraph) -> None:
        self._known = known
        self._levels: OrderedDict[tuple[Hop, ...], list[Level] | None] = OrderedDict()
        self._rows = 0

    def levels(self, trace: Trace) -> list[Level]:
        """The levels of a trace's structural steps.

        Raises:
            KeyError: a pattern has an id that the graph does not have.
            TooManyRows: there are more than `MOST_ROWS`.
        """
        steps = [step for step in trace.steps if isinstance(step, StructuralStep)]
        hops = tuple(self._hop(step) for step in steps)
        if hops in self._levels:
            self._levels.move_to_end(hops)
            found = self._levels[hops]
        else:
            found = self._levels[hops] = self._walk(steps, hops)
            self._rows += _size(found)
            while self._rows > _MOST_REMEMBERED and len(self._levels) > 1:
                self._rows -= _size(self._levels.popitem(last=False)[1])
        if found is None:
            raise TooManyRows
        return found

    def _hop(self, step: StructuralStep) -> Hop:
        subject, relation, object_ = step.pattern
        entities = self._known.entities
        ends = [end if end.startswith("?") else entities[end] for end in (subject, object_)]
        return ends[0], self._known.relations[relation], ends[1]

    def _walk(self, steps: Sequence[StructuralStep], hops: Sequence[Hop]) -> list[Level] | None:
        near = self._known.near
        places: dict[str, int] = {}
        bound: list[list[int]] = []
        facts: list[list[int]] = []
        candidate, size = 0, 1
        levels: list[Level] = []
        for step, (subject, relation, object_) in zip(steps, hops, strict=True):
            new = [end for end in (subject, object_) if isinstance(end, str) and end not in places]
            own = None if subject in new else _column(subject, bound, places, size)
            other = None if object_ in new else _column(object_, bound, places, size)
            parents: list[int] = []
            found: list[tuple[int, int]] = []
            children = []
            for row in range(size):
                first = len(found)
                around = near(relation, own[row], True) if own else near(relation, other[row] if other else -1, False)
                if own and other:
                    wanted = other[row]
                    around = [pair for pair in around if pair[1] == wanted]
                if first + len(around) > MOST_ROWS:
                    return None
                found += around
                parents += [row] * len(around)
                children.append((1 << len(found)) - (1 << first))
            size = len(found)
            bound, facts = ([list(map(column.__getitem__, parents)) for column in columns] for columns in (bound, facts))
            facts.append([fact for fact, _ in found])
            if new:
                places[new[0]] = len(bound)
                bound.append([end for _, end in found])
            if isinstance(step, RootStep | TransitionStep):
                candidate = places[new[0]]
            levels.append(Level(facts, bound[candidate], children))
        return levels


def _size(levels: list[Level] | None) -> int:
    return 1 + sum(len(level.candidates) for level in levels or ())


def _column(end: str | int, bound: Sequence[list[int]], places: Mapping[str, int], size: int) -> list[int]:
    """What an end stands for in each row."""
    return bound[places[end]] if isinstance(end, str) else [end] * size


@lru_cache(maxsize=1 << 18)
def relation_between(family: Family, a: int, b: int, c: int, d: int) -> str:
    """The operator of a family that holds from `[a, b]` to `[c, d]` by precedence; empty if none does."""
    for row in operators_of(family):
        if row.holds(a, b, c, d):
            return row.name
    return ""
