"""Searches one skeleton's constraint space for traces that pass the rules on masks. Paper: section 4.2.3.

Each operator is sought in turn, so that rare ones are found where they exist. A constraint alone that
leaves one candidate is found by its mask; sets of several by a walk over the constraints that hold in
one row. The order is drawn from the stream that the caller hands in.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from graph_sampler.conditions import Judge, Judged, OrdinalChoice
from graph_sampler.constraints import Constraint, ConstraintSpace, rows_of
from graph_sampler.operators import ORDINALS, Ordinal
from graph_sampler.random_order import shuffled
from state.vocabulary import ConstraintCount, RankOrder

ROWS_TRIED = 3
"""Rows whose candidate a first constraint of several tries to single out."""

OrdinalKind = tuple[int, Ordinal, RankOrder]
"""A fact name from 0, what ranks it, and from which end."""


class RowPool(NamedTuple):
    """What could single out one row's candidate."""

    rivals: int
    """Rows of other candidates."""
    entries: list[tuple[Constraint, int, int, int]]
    """Constraints that hold in the row, their masks and plain masks over the rivals, and the rows that are not their reference's own."""


class ConstraintSearch:
    """The search over one skeleton; a trace may come up more than once."""

    def __init__(self, space: ConstraintSpace, judge: Judge, most: int, is_full: Callable[[ConstraintCount, str], bool]) -> None:
        """Takes how many traces of each operator are wanted, and whether a part has enough of an operator by now."""
        self._space = space
        self._judge = judge
        self._most = most
        self._is_full = is_full
        self._by_operator: dict[str, list[Constraint]] = {}
        for constraint in space.constraints:
            self._by_operator.setdefault(constraint.spec.operator.name, []).append(constraint)

    def single(self, rng: random.Random) -> Iterator[Judged]:
        """Traces with one constraint: of each operator the pairwise ones, then the ordinals."""
        judge = self._judge
        for name in sorted(self._by_operator):
            if self._is_full(ConstraintCount.SINGLE, name):
                continue
            for constraint in shuffled(rng, (each for each in self._by_operator[name] if judge.leaves_one([each]))):
                if self._is_full(ConstraintCount.SINGLE, name):
                    break
                judged = judge.judge([constraint], None)
                if judged is not None:
                    yield judged
        for kind in self._ordinals(rng):
            if self._is_full(ConstraintCount.SINGLE, kind[1].name):
                continue
            for choice in shuffled(rng, self._choices(kind, None)):
                judged = judge.judge([], choice)
                if judged is not None:
                    yield judged

    def multiple(self, rng: random.Random) -> Iterator[Judged]:
        """Traces with several constraints: around constraints of each operator in turn, then with an ordinal.

        An operator is given up after some first constraints in a row that no set goes with.
        """
        judge = self._judge
        pools: dict[int, RowPool | None] = dict.fromkeys(shuffled(rng, rows_of(judge.clean))[: 6 * self._most])
        for name in sorted(self._by_operator):
            if self._is_full(ConstraintCount.MULTI, name):
                continue
            misses, patience = 0, 4 + self._most
            for constraint in shuffled(rng, (each for each in self._by_operator[name] if each.fit))[: 4 * self._most]:
                if misses > patience or self._is_full(ConstraintCount.MULTI, name):
                    break
                for row in [row for row in pools if constraint.fit >> row & 1][:ROWS_TRIED]:
                    pool = pools[row]
                    if pool is None:
                        pool = pools[row] = self._row_pool(rng, row)
                    misses += 1
                    for chosen in self._combinations(rng, constraint, pool):
                        judged = judge.judge(chosen, None)
                        if judged is not None:
                            misses = 0
                            yield judged
        yield from self._with_ordinal(rng)

    def _combinations(self, rng: random.Random, first: Constraint, pool: RowPool) -> Iterator[list[Constraint]]:
        """Minimal sets of 2 to `max_constraints` constraints around a first one that single out the candidate of one row.

        The walk goes down only while each constraint is still needed: what all the others leave must
        hold another candidate, and that can only shrink as constraints join.
        """
        rivals, entries = pool
        plain, left = first.plain[-1] & rivals, first.masks[-1] & rivals
        if not plain or not entries:
            return
        size = min(self._judge.max_constraints, 2 + (rng.random() < 0.5) + (rng.random() < 0.3))
        needed = self._judge.rules.temporal_necessity
        count = len(entries)
        offset = int(rng.random() * count)
        budget = 2 * count + 16
        stack: list[tuple[list[Constraint], int, int, list[int], int]] = [([first], plain, left, [rivals & ~first.own[-1]], 0)]
        while stack:
            chosen, plain, left, without, start = stack.pop()
            for at in range(start, count):
                budget -= 1
                if not budget:
                    return
                extra, mask, plain_mask, not_own = entries[(at + offset) % count]
                remaining = plain & plain_mask
                if remaining == plain or (needed and not all([other & mask for other in without])) or extra is first:  # noqa: C419 - faster here
                    continue
                longer = [*chosen, extra]
                if not remaining:
                    if left & not_own or not needed:
                        yield longer
                        if len(longer) >= size:
                            return
                elif len(longer) < size:
                    reduced = [other & mask for other in without]
                    reduced.append(left & not_own)
                    stack.append((chosen, plain, left, without, at + 1))
                    stack.append((longer, remaining, left & mask, reduced, at + 1))
                    break

    def _row_pool(self, rng: random.Random, row: int) -> RowPool:
        """The constraints that hold in a row and shut out some rival of its candidate, in random order.

        Empty where all of them together leave a rival.
        """
        final, bit = self._space.final, 1 << row
        rivals = final.full & ~final.group_of[final.candidates[row]]
        entries: list[tuple[Constraint, int, int, int]] = []
        together = rivals
        for each in self._space.constraints:
            if each.fit & bit:
                plain = each.plain[-1] & rivals
                together &= plain
                if plain != rivals:
                    entries.append((each, each.masks[-1] & rivals, plain, ~each.own[-1]))
        return RowPool(rivals, [] if together else shuffled(rng, entries))

    def _ordinals(self, rng: random.Random) -> list[OrdinalKind]:
        """Every fact name, ordinal and order that the skeleton's relation types allow, in random order."""
        kinds = (
            (fact, operator, order)
            for fact in range(len(self._space.skeleton.hops))
            for operator in ORDINALS
            if operator.for_points or not self._space.is_point[fact]
            for order in RankOrder
        )
        return shuffled(rng, kinds)

    def _choices(self, kind: OrdinalKind, first: Constraint | None) -> list[OrdinalChoice]:
        """The allowed ranks of an ordinal after a first constraint that leave one answer, all its rows legal."""
        space, judge = self._space, self._judge
        fact, operator, order = kind
        stage = space.skeleton.stage_of(fact)
        pool, rest, fit = space.stages[stage].full, space.final.full, judge.clean
        if first is not None:
            rest, fit = first.masks[-1], first.fit
            if first.stage <= stage:
                pool &= first.masks[stage]
        final, last = space.final, len(space.stages) - 1
        found = []
        for choice, kept in judge.rank_choices(stage, fact, operator, order, pool):
            rows = rest & space.fact_rows(last, fact, kept)
            if rows and not rows & ~fit and not rows & ~final.group_of[final.candidates[rows.bit_length() - 1]]:
                found.append(choice)
        return found

    def _with_ordinal(self, rng: random.Random) -> Iterator[Judged]:
        """Traces with one pairwise constraint that end a stage with an ordinal."""
        constraints = shuffled(rng, (each for each in self._space.constraints if each.fit))
        for kind in self._ordinals(rng):
            name = kind[1].name
            if self._is_full(ConstraintCount.MULTI, name):
                continue
            start = int(rng.random() * len(constraints))
            for constraint in (constraints[start:] + constraints[:start])[: self._most + 2]:
                if self._is_full(ConstraintCount.MULTI, name):
                    break
                choices = self._choices(kind, constraint)
                if choices:
                    judged = self._judge.judge([constraint], choices[int(rng.random() * len(choices))])
                    if judged is not None:
                        yield judged
