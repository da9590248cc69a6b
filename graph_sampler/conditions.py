"""What an accepted trace must satisfy, judged on masks. Design: the rules of section 4, numbered there.

`Judge` holds one skeleton's constraint space and decides on choices of constraints from it. Each rule
is one method and can be switched off; the order of checks is cheapest first. Paper: section 4.2.3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graph_sampler.constraints import Constraint, ConstraintSpace, OrdinalSpec, rows_of, to_mask
from graph_sampler.naming import Names
from graph_sampler.operators import Ordinal
from graph_sampler.skeleton import Skeleton
from state.config import Rules
from state.vocabulary import RankOrder, Template


class OrdinalChoice(NamedTuple):
    """An ordinal with its key for each row of its stage."""

    spec: OrdinalSpec
    keys: list[int]


class Judged(NamedTuple):
    """A choice of constraints that is a proved trace, in the order of its steps."""

    constraints: tuple[Constraint, ...]
    ordinal: OrdinalSpec | None
    counts: tuple[int, ...]
    """Size of the candidate set after each step."""
    final_rows: int
    """Mask of the rows left at the end, over the last stage."""
    answer: int
    """Entity code."""


class Judge:
    """The rules over one skeleton."""

    def __init__(self, space: ConstraintSpace, names: Names, rules: Rules, max_constraints: int, lost_spells: NDArray[np.bool_]) -> None:
        """Takes the space of one skeleton, built with the legal rows of the same rules, and which facts have a dropped twin."""
        self.space = space
        self.names = names
        self.rules = rules
        self.max_constraints = max_constraints
        self._lost_spells = lost_spells
        self.clean = to_mask(row for row, repeats in enumerate(rows_that_repeat(space.skeleton)) if not (repeats and rules.readable))
        self._ranked: dict[tuple[int, str, RankOrder, int], list[tuple[OrdinalChoice, int]]] = {}
        self._shared_names: set[str] | None = None
        self.is_named_once = self._are_anchors_unique()
        self.has_two_walks = not space.skeleton.template.is_chain or len(set(space.last.variables[0])) >= 2

    def judge(self, chosen: list[Constraint], ordinal: OrdinalChoice | None) -> Judged | None:
        """The trace that the constraints make, or `None` if it breaks a rule.

        The text rules and the doubtful check are not part of it. Linear in constraints times stages.
        """
        rules = self.rules
        if ordinal is None and not self.leaves_one(chosen):
            return None
        constraints = sorted(chosen, key=self._place) if len(chosen) > 1 else chosen
        result = self._execute(constraints, ordinal)
        if result is None:
            return None
        counts, final, pools = result
        answer = self.space.last.candidates[(final & -final).bit_length() - 1]
        if final & ~self.space.final.group_of[answer]:
            return None
        if rules.readable and not self._is_readable(constraints, ordinal, final):
            return None
        if not self._are_references_free(constraints, final):
            return None
        if rules.non_redundancy and self._is_redundant(constraints, pools):
            return None
        if rules.temporal_necessity and not self._is_each_needed(constraints, ordinal, answer):
            return None
        if rules.structural_necessity and not self._is_filter_needed(constraints, ordinal, answer):
            return None
        if (rules.plain_reading or rules.shared_granule) and not self._is_plain(constraints, ordinal, answer):
            return None
        if rules.sayable and self._is_name_shared(answer):
            return None
        spec = ordinal.spec if ordinal else None
        return Judged(tuple(constraints), spec, tuple(counts), final, answer)

    def leaves_one(self, chosen: list[Constraint]) -> bool:
        """Whether pairwise constraints, plainly read too, leave rows of exactly one candidate, all of them legal."""
        final = self.space.final
        rows = legal = plain = final.full
        for constraint in chosen:
            rows &= constraint.masks[-1]
            legal &= constraint.fit
            plain &= constraint.plain[-1]
        return bool(rows) and not rows & ~legal and not plain & ~final.group_of[final.candidates[rows.bit_length() - 1]]

    def _place(self, constraint: Constraint) -> tuple[int, int, int, int, int, str]:
        spec = constraint.spec
        stage = self.space.stages[constraint.stage]
        return (
            constraint.stage,
            -stage.count(constraint.masks[constraint.stage]),
            spec.left,
            spec.right,
            spec.reference,
            spec.operator.name,
        )

    def _execute(self, constraints: list[Constraint], ordinal: OrdinalChoice | None) -> tuple[list[int], int, list[int]] | None:
        """Runs the steps in order: the candidate counts, the rows left and each stage's pool; rule 1 (progress)."""
        space, progress = self.space, self.rules.progress
        counts: list[int] = []
        pools: list[int] = []
        kept: int | None = None
        current = 0
        for number, stage in enumerate(space.stages):
            pool = stage.full
            for constraint in constraints:
                if constraint.stage < number:
                    pool &= constraint.masks[number]
            if ordinal is not None and kept is not None:
                pool &= self._fact_mask(number, ordinal.spec.fact, kept)
            if not pool:
                return None
            if number == 0 and space.skeleton.template is Template.BRANCH:
                counts.append(space.root.count(space.root.full))
            counts.append(stage.count(pool))
            if progress and number and self._is_same_set(number, pool, current):
                return None
            if progress and number == 0 and len(counts) == 2 and counts[1] >= counts[0]:
                return None
            pools.append(pool)
            current = pool
            for constraint in constraints:
                if constraint.stage == number:
                    before = current & ~constraint.own[number]
                    current &= constraint.masks[number]
                    count = stage.count(current)
                    if not count or (progress and count >= stage.count(before)):
                        return None
                    counts.append(count)
            if ordinal is not None and ordinal.spec.stage == number:
                kept = self._fact_at_rank(ordinal, current)
                if kept is None:
                    return None
                ranked = stage.count(current)
                current &= space.fact_rows(number, ordinal.spec.fact, kept)
                if progress and stage.count(current) >= ranked:
                    return None
                counts.append(stage.count(current))
        return counts, current, pools

    def _is_same_set(self, number: int, pool: int, before: int) -> bool:
        """Whether a transition's two candidate sets are equal."""
        stage, earlier = self.space.stages[number], self.space.stages[number - 1]
        if stage.candidates[pool.bit_length() - 1] not in earlier.group_of:
            return False
        return stage.entities(pool) == earlier.entities(before)

    def _fact_at_rank(self, ordinal: OrdinalChoice, pool: int) -> int | None:
        """The fact that an ordinal keeps of a pool's rows; `None` where the ordinal is not allowed."""
        spec = ordinal.spec
        allowed = self._ranked_facts(spec.stage, spec.fact, ordinal.keys, spec.order, pool)
        return allowed[spec.rank - 1] if spec.rank <= len(allowed) else None

    def _ranked_facts(self, stage: int, fact: int, keys: list[int], order: RankOrder, pool: int) -> list[int]:
        """The facts at the allowed ranks from 1: each alone at its key, nothing tied before, the nearer end."""
        facts = self.space.skeleton.stages[stage].facts[fact]
        key_of = {facts[row]: keys[row] for row in rows_of(pool)}
        if len(key_of) < 3 or len(key_of) != self.space.stages[stage].count(pool):
            return []
        ranked = sorted((key, fact) for fact, key in key_of.items())
        if order is RankOrder.DESCENDING:
            ranked.reverse()
        found = []
        for rank in range(1, (len(ranked) + 1) // 2 + 1):
            if ranked[rank - 1][0] == ranked[rank][0]:
                break
            found.append(ranked[rank - 1][1])
        return found

    def rank_choices(self, stage: int, fact: int, operator: Ordinal, order: RankOrder, pool: int) -> list[tuple[OrdinalChoice, int]]:
        """Every allowed ordinal over a pool, with the fact it keeps; remembered."""
        key = (fact, operator.name, order, pool)
        known = self._ranked.get(key)
        if known is None:
            keys = self.space.keys(stage, fact, operator)
            kept = self._ranked_facts(stage, fact, keys, order, pool)
            known = self._ranked[key] = [
                (OrdinalChoice(OrdinalSpec(stage, fact, operator, rank, order), keys), each) for rank, each in enumerate(kept, start=1)
            ]
        return known

    def _fact_mask(self, stage: int, fact: int, wanted: int) -> int:
        return self.space.fact_rows(stage, fact, wanted)

    def _reduced(self, masks: list[list[int]], ordinal: OrdinalChoice | None) -> int:
        """The rows left at the end under masks by stage, an ordinal keeping the dense rank of distinct facts."""
        final = self.space.final.full
        for by_stage in masks:
            final &= by_stage[-1]
        if ordinal is None:
            return final
        return final & self._rows_at_dense_rank(ordinal, self._ranked_rows(masks, ordinal.spec.stage))

    def _ranked_rows(self, masks: list[list[int]], stage: int) -> int:
        """The rows of an ordinal's stage that masks by stage leave to it."""
        pool = self.space.stages[stage].full
        for by_stage in masks:
            if by_stage[stage] or stage == len(self.space.stages) - 1:
                pool &= by_stage[stage]
        return pool

    def _rows_at_dense_rank(self, ordinal: OrdinalChoice, pool: int) -> int:
        """The last stage's rows whose ranked fact stands at the dense rank among a pool's distinct facts."""
        spec = ordinal.spec
        facts = self.space.skeleton.stages[spec.stage].facts[spec.fact]
        key_of = {facts[row]: ordinal.keys[row] for row in rows_of(pool)}
        ranked = sorted(set(key_of.values()), reverse=spec.order is RankOrder.DESCENDING)
        if spec.rank > len(ranked):
            return 0
        kept = {fact for fact, key in key_of.items() if key == ranked[spec.rank - 1]}
        return to_mask(row for row, fact in enumerate(self.space.last.facts[spec.fact]) if fact in kept)

    def _is_only(self, rows: int, answer: int) -> bool:
        return bool(rows) and not rows & ~self.space.final.group_of[answer]

    def _is_each_needed(self, constraints: list[Constraint], ordinal: OrdinalChoice | None, answer: int) -> bool:
        """Rule 2: leaving out any one temporal constraint changes the answer set."""
        for left_out in constraints:
            masks = [self._without(each) if each is left_out else each.masks for each in constraints]
            if self._is_only(self._reduced(masks, ordinal), answer):
                return False
        return ordinal is None or not self._is_only(self._reduced([each.masks for each in constraints], None), answer)

    def _without(self, constraint: Constraint) -> list[int]:
        """What a constraint keeps when it is left out: all rows but its reference's own."""
        stages = self.space.stages
        return [0 if number < constraint.stage else stage.full & ~constraint.own[number] for number, stage in enumerate(stages)]

    def _is_filter_needed(self, constraints: list[Constraint], ordinal: OrdinalChoice | None, answer: int) -> bool:
        """Rule 4: leaving out the structural filter, and what uses its fact, changes the answer set."""
        space = self.space
        if space.skeleton.template is not Template.BRANCH:
            return True
        rows = space.root.full
        for constraint in constraints:
            if constraint.root_mask is not None:
                rows &= constraint.root_mask
        if ordinal is not None and ordinal.spec.fact == 0:
            rows &= self._root_rows_at_dense_rank(ordinal, rows)
        return not rows or space.root.entities(rows) != {answer}

    def _root_rows_at_dense_rank(self, ordinal: OrdinalChoice, pool: int) -> int:
        spec, graph = ordinal.spec, self.space.graph
        facts = self.space.skeleton.root_rows.facts[0]
        keys = [int(spec.operator.key(int(graph.start[fact]), int(graph.end[fact]))) for fact in facts]
        ranked = sorted({keys[row] for row in rows_of(pool)}, reverse=spec.order is RankOrder.DESCENDING)
        if spec.rank > len(ranked):
            return 0
        return to_mask(row for row in rows_of(pool) if keys[row] == ranked[spec.rank - 1])

    def _is_redundant(self, constraints: list[Constraint], pools: list[int]) -> bool:
        """Rule 3: a pairwise constraint's candidate set over its stage's pool lies within another's."""
        if len(constraints) < 2:
            return False
        sets: dict[int, list[int]] = {}
        for constraint in constraints:
            number = constraint.stage
            kept = self.space.stages[number].project(constraint.masks[number] & pools[number])
            for other in sets.setdefault(number, []):
                if not kept & ~other or not other & ~kept:
                    return True
            sets[number].append(kept)
        return False

    def _is_readable(self, constraints: list[Constraint], ordinal: OrdinalChoice | None, final: int) -> bool:
        """Rule 6, but for the caps."""
        if len(constraints) + (ordinal is not None) > self.max_constraints or final & ~self.clean or not self.has_two_walks:
            return False
        equal: set[int] = set()
        for constraint in constraints:
            spec = constraint.spec
            if final & ~constraint.fit:
                return False
            if spec.operator.is_equality and spec.reference >= 0:
                if spec.left in equal:
                    return False
                equal.add(spec.left)
        return True

    def _are_references_free(self, constraints: list[Constraint], final: int) -> bool:
        """No reference's end is bound to a variable in a row left at the end."""
        bound: set[int] | None = None
        graph = self.space.graph
        for constraint in constraints:
            reference = constraint.spec.reference
            if reference >= 0:
                if bound is None:
                    bound = {column[row] for row in rows_of(final) for column in self.space.last.variables}
                if int(graph.subject[reference]) in bound or int(graph.object[reference]) in bound:
                    return False
        return True

    def _is_plain(self, constraints: list[Constraint], ordinal: OrdinalChoice | None, answer: int) -> bool:
        """Operators as a plain reader may take them give the same answer.

        Such a reader knows no precedence for one-granule intervals, and that one thing ended in the year in which
        another began may mean to him that it came before. Nor does he know that one spell must meet all constraints,
        and what is ranked may to him be any spell of those whom they leave.
        """
        if ordinal is not None and constraints and self.rules.plain_reading and not self._is_rank_plain(constraints, ordinal):
            return False
        if all(each.plain is each.masks for each in constraints):
            return True
        return self._is_only(self._reduced([each.plain for each in constraints], ordinal), answer)

    def _is_rank_plain(self, constraints: list[Constraint], ordinal: OrdinalChoice) -> bool:
        """The candidate at the rank is the same, and tied with none up to there, if each counts by its foremost spell; none was dropped."""
        spec = ordinal.spec
        stage = self.space.stages[spec.stage]
        facts = self.space.skeleton.stages[spec.stage].facts[spec.fact]
        is_last_first = spec.order is RankOrder.DESCENDING
        foremost: dict[int, int] = {}
        for row in rows_of(self._ranked_rows([each.plain for each in constraints], spec.stage)):
            if self._lost_spells[facts[row]]:
                return False
            candidate, key = stage.candidates[row], -ordinal.keys[row] if is_last_first else ordinal.keys[row]
            foremost[candidate] = min(key, foremost.get(candidate, key))
        kept = self._fact_at_rank(ordinal, self._ranked_rows([each.masks for each in constraints], spec.stage))
        ranked = sorted((key, candidate) for candidate, key in foremost.items())[: spec.rank + 1]
        at_rank = stage.candidates[facts.index(kept)] if kept is not None else None
        return ranked[spec.rank - 1][1] == at_rank and len({key for key, _ in ranked}) == len(ranked)

    def _is_name_shared(self, answer: int) -> bool:
        """Another entity of some step's candidate set has a name of the answer."""
        if self._shared_names is None:
            space, seen = self.space, set[str]()
            self._shared_names = set[str]()
            for entity in set(space.root.group_of).union(*(stage.group_of for stage in space.stages)):
                names = self.names.names(entity)
                self._shared_names |= names & seen
                seen |= names
        return not self._shared_names.isdisjoint(self.names.names(answer))

    def _are_anchors_unique(self) -> bool:
        """Rule 5: each fixed entity's names are its own at its end of its relation."""
        return not self.rules.sayable or all(
            self.names.is_unique_at(hop.relation, not hop.candidate_is_subject, hop.fixed)
            for hop in self.space.skeleton.hops
            if hop.fixed >= 0
        )


def rows_that_repeat(skeleton: Skeleton) -> list[bool]:
    """For each row of the last stage, whether an entity, fixed ones included, occurs twice in it."""
    fixed = [hop.fixed for hop in skeleton.hops if hop.fixed >= 0]
    columns = skeleton.stages[-1].variables
    width = len(fixed) + len(columns)
    return [len({*fixed, *bound}) < width for bound in zip(*columns, strict=True)]
