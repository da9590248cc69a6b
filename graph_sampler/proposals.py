"""All traces that one root proposes: enumeration on masks, then the rules, then the text. Paper: section 4.2.3.

`propose` depends on the graph, the config and the root alone; its random stream is derived from
(seed, root), so neither the order of roots nor other roots can disturb it.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graph_sampler.columns import settled
from graph_sampler.conditions import Judge, Judged, rows_that_repeat
from graph_sampler.constraint_search import ConstraintSearch
from graph_sampler.constraints import ConstraintSpace, rows_of
from graph_sampler.doubt import DroppedRows, lost_spells, second_spells
from graph_sampler.encoding import RecordEncoder, TraceSpec
from graph_sampler.naming import Names
from graph_sampler.operators import OPERATOR_NAMES
from graph_sampler.random_order import shuffled
from graph_sampler.skeleton import (
    Hop,
    Neighbourhood,
    Skeleton,
    possible_filters,
    possible_transitions,
    root_skeleton,
    with_filter,
    with_transition,
)
from graph_sampler.temporal_graph import TemporalGraph
from state.config import Config
from state.vocabulary import ConstraintCount, Template

_REMEMBERED = 500_000
"""Facts of which a worker keeps whether they can be references, about 100 bytes each."""

Root = tuple[int, bool, int]
"""Relation, whether the candidate is the subject, the fixed entity."""

Cell = tuple[Template, ConstraintCount]
CELLS: tuple[Cell, ...] = tuple((template, part) for template in Template for part in ConstraintCount)
Wanted = Mapping[Cell, frozenset[str]]
"""The cells to propose for, and the operators to seek in each."""
EVERYTHING: Wanted = dict.fromkeys(CELLS, frozenset(OPERATOR_NAMES))


class Proposal(NamedTuple):
    """A proved trace with what the selection needs to know of it."""

    id: str
    spec: TraceSpec
    template: Template
    part: ConstraintCount
    operators: tuple[str, ...]
    question_hash: bytes
    """Of the template question."""
    named: tuple[int, ...]
    """Entities that the question names."""
    repeats_relation: bool
    """A chain that walks one relation throughout."""
    reads_one_granule: bool
    """A boundary operator reads a one-granule interval."""
    first_hop_only: bool
    """A single-constraint chain constrained at its first hop."""


class RootProposals(NamedTuple):
    """What one root proposes, and how many traces it refused as doubtful."""

    proposals: list[Proposal]
    doubtful: int


class Proposer:
    """Draws the proposals of roots of one graph; remembers neighbourhoods and names between roots."""

    def __init__(self, graph: TemporalGraph, config: Config, encoder: RecordEncoder) -> None:
        """Takes the whole config; of it the sampler's part and the bound on evidence matter."""
        self.graph = graph
        self.config = config
        self.rules = config.sampler.rules
        self.caps = config.sampler.caps
        self.encoder = encoder
        self.names = Names(graph, config.sampler.caps.meta_labels)
        self.around = Neighbourhood(graph, self.names.meta_relations, self.caps.max_rows)
        self.second_spell = settled(second_spells(graph))
        self.lost_spell = settled(lost_spells(graph))
        self._reference: dict[int, bool] = {}

    def propose(self, root: Root, wanted: Wanted = EVERYTHING) -> RootProposals:
        """Every trace that the root proposes in some cells, at most `proposals_per_operator` for each cell and operator.

        What it proposes in a cell does not depend on which other cells are asked for.
        """
        draw = _RootDraw(self, root, wanted)
        return RootProposals(list(draw.run()), draw.doubtful)

    def is_reference(self, fact: int) -> bool:
        """Whether a fact can be named by its two ends without doubt."""
        known = self._reference.get(fact)
        if known is None:
            if len(self._reference) >= _REMEMBERED:
                self._reference.clear()
            relation, subject, object_ = (int(column[fact]) for column in (self.graph.relation, self.graph.subject, self.graph.object))
            known = not self.second_spell[fact] and self.names.meta_entities.isdisjoint((subject, object_))
            if known and self.rules.sayable:
                known = self.names.is_unique_at(relation, True, subject) and self.names.is_unique_at(relation, False, object_)
            self._reference[fact] = known
        return known


class _RootDraw:
    """One root's draw: its random streams, its skeletons and what it has proposed so far."""

    def __init__(self, proposer: Proposer, root: Root, wanted: Wanted) -> None:
        self.of = proposer
        self.root = root
        self.wanted = wanted
        self.counts: dict[tuple[Template, ConstraintCount, str], int] = {}
        self.seen: set[str] = set()
        self.doubtful = 0

    def _stream(self, purpose: str, hops: tuple[Hop, ...]) -> random.Random:
        """The root's own random stream for one purpose; the order of purposes does not matter."""
        graph = self.of.graph
        relation, is_subject, fixed = self.root
        parts = [str(self.of.config.sampler.seed), purpose, graph.relation_ids[relation], str(is_subject), graph.entity_ids[fixed]]
        for hop in hops[1:]:
            parts += [
                hop.action,
                graph.relation_ids[hop.relation],
                str(hop.candidate_is_subject),
                graph.entity_ids[hop.fixed] if hop.fixed >= 0 else "",
            ]
        digest = hashlib.sha256("|".join(parts).encode("utf-8", "surrogatepass")).digest()
        return random.Random(int.from_bytes(digest[:8], "big"))  # noqa: S311

    def run(self) -> Iterator[Proposal]:
        templates = {template for template, _ in self.wanted}
        for skeleton in self._skeletons():
            if skeleton.template in templates and len(skeleton.evidence()) <= self.of.config.evidence.max_facts:
                yield from self._propose(skeleton)

    def _skeletons(self) -> Iterator[Skeleton]:
        """At most `skeletons_per_root` of each template, relations taken in turn."""
        of, around, most = self.of, self.of.around, self.of.caps.skeletons_per_root
        root = root_skeleton(of.graph, *self.root)
        if not self._is_anchor_named_once(root):
            return
        yield root
        wanted = {template for template, _ in self.wanted}
        if Template.BRANCH in wanted:
            filters = possible_filters(around, root, of.names.meta_entities)
            for relation, is_subject, fixed in _in_turn(self._stream("filters", ()), filters)[:most]:
                yield with_filter(around, root, relation, is_subject, fixed)
        if not any(template.is_chain for template in wanted):
            return
        two_hops: list[Skeleton] = []
        for relation, is_subject in shuffled(self._stream("transitions", ()), possible_transitions(around, root)):
            chain = with_transition(around, root, relation, is_subject, of.caps.max_rows)
            if chain is not None:
                two_hops.append(chain)
            if len(two_hops) == most:
                break
        yield from two_hops
        if Template.THREE_HOP not in wanted:
            return
        drawn = 0
        for chain in two_hops:
            onward = shuffled(self._stream("third hops", chain.hops), possible_transitions(around, chain))
            for relation, is_subject in onward[: max(2, most // len(two_hops))]:
                longer = with_transition(around, chain, relation, is_subject, of.caps.max_rows)
                if longer is not None and drawn < most:
                    drawn += 1
                    yield longer

    def _is_anchor_named_once(self, root: Skeleton) -> bool:
        hop = root.hops[0]
        return not self.of.rules.sayable or self.of.names.is_unique_at(hop.relation, not hop.candidate_is_subject, hop.fixed)

    def _propose(self, skeleton: Skeleton) -> Iterator[Proposal]:
        of = self.of
        legal = self._legal_rows(skeleton)
        if not any(rows.any() for rows in legal):
            return
        space = ConstraintSpace(of.graph, skeleton, of.is_reference, legal, of.rules)
        judge = Judge(space, of.names, of.rules, of.config.sampler.max_constraints, of.lost_spell)
        if not judge.is_named_once or not judge.clean or (of.rules.readable and not judge.has_two_walks):
            return
        dropped = DroppedRows(of.around, skeleton, of.caps.max_rows) if of.rules.not_doubtful else None
        tried: set[tuple[object, ...]] = set()
        for judged in self._judged(space, judge):
            key = (frozenset(each.spec for each in judged.constraints), judged.ordinal)
            if key not in tried:
                tried.add(key)
                found = self._finish(space, judged, dropped)
                if found is not None:
                    yield found

    def _legal_rows(self, skeleton: Skeleton) -> list[NDArray[np.bool_]]:
        """For each fact name, the last stage's rows in which a constraint may read it. Rule 6."""
        facts = skeleton.stages[-1].facts
        if not self.of.rules.readable:
            return [np.ones(len(column), dtype=np.bool_) for column in facts]
        clean = ~np.asarray(rows_that_repeat(skeleton), dtype=np.bool_)
        return [clean & ~self.of.second_spell[column] for column in facts]

    def _judged(self, space: ConstraintSpace, judge: Judge) -> Iterator[Judged]:
        """Traces that pass the rules on masks: single ones first, then multiple ones, each part from its own stream."""
        skeleton = space.skeleton

        def is_full(part: ConstraintCount, operator: str) -> bool:
            return self._is_full(skeleton.template, part, operator)

        search = ConstraintSearch(space, judge, self.of.caps.proposals_per_operator, is_full)
        if (skeleton.template, ConstraintCount.SINGLE) in self.wanted:
            yield from search.single(self._stream("single", skeleton.hops))
        if (skeleton.template, ConstraintCount.MULTI) in self.wanted and judge.max_constraints > 1:
            yield from search.multiple(self._stream("multiple", skeleton.hops))

    def _is_full(self, template: Template, part: ConstraintCount, operator: str) -> bool:
        """Whether no more proposals with an operator are wanted in a cell."""
        if operator not in self.wanted[template, part]:
            return True
        return self.counts.get((template, part, operator), 0) >= self.of.caps.proposals_per_operator

    def _finish(self, space: ConstraintSpace, judged: Judged, dropped: DroppedRows | None) -> Proposal | None:
        """The proposal, once the doubtful check and the text rules pass."""
        of, skeleton = self.of, space.skeleton
        if judged.answer in of.names.meta_entities:
            return None
        if dropped is not None and not dropped.is_empty and self._is_doubtful(space, judged, dropped):
            self.doubtful += 1
            return None
        spec = TraceSpec(
            skeleton.hops,
            tuple(each.stage for each in judged.constraints),
            tuple(each.spec for each in judged.constraints),
            judged.ordinal,
            judged.counts,
            judged.final_rows,
            judged.answer,
        )
        question = of.encoder.verbalise(spec).question
        if of.rules.sayable and of.names.says(of.names.question_words(question), judged.answer):
            return None
        identifier = of.encoder.identifier(spec)
        if identifier in self.seen:
            return None
        self.seen.add(identifier)
        operators = (*(each.operator.name for each in spec.constraints), *((spec.ordinal.operator.name,) if spec.ordinal else ()))
        part = ConstraintCount.SINGLE if len(operators) == 1 else ConstraintCount.MULTI
        for name in set(operators):
            key = (skeleton.template, part, name)
            self.counts[key] = self.counts.get(key, 0) + 1
        is_chain = skeleton.template.is_chain
        return Proposal(
            identifier,
            spec,
            skeleton.template,
            part,
            operators,
            hashlib.sha256(question.encode("utf-8", "surrogatepass")).digest()[:12],
            tuple(sorted(of.encoder.named_entities(spec))),
            is_chain and len({hop.relation for hop in skeleton.hops}) == 1,
            self._reads_one_granule(space, judged),
            is_chain
            and part is ConstraintCount.SINGLE
            and (spec.stages[0] if spec.stages else judged.ordinal.stage if judged.ordinal else 0) == 0,
        )

    def _is_doubtful(self, space: ConstraintSpace, judged: Judged, dropped: DroppedRows) -> bool:
        ordinal = judged.ordinal
        pool_facts: set[int] = set()
        if ordinal is not None:
            pool = space.stages[ordinal.stage].full
            for each in judged.constraints:
                if each.stage <= ordinal.stage:
                    pool &= each.masks[ordinal.stage]
            pool_facts = {space.skeleton.stages[ordinal.stage].facts[ordinal.fact][row] for row in rows_of(pool)}
        return dropped.is_doubtful(judged, judged.constraints, ordinal, pool_facts)

    def _reads_one_granule(self, space: ConstraintSpace, judged: Judged) -> bool:
        graph = self.of.graph
        rows = rows_of(judged.final_rows)
        for each in judged.constraints:
            if not each.spec.operator.is_boundary:
                continue
            read = {(each.spec.left, space.last.facts[each.spec.left][row]) for row in rows}
            if each.spec.right >= 0:
                read |= {(each.spec.right, space.last.facts[each.spec.right][row]) for row in rows}
            facts = {fact for _, fact in read} | ({each.spec.reference} if each.spec.reference >= 0 else set())
            for fact in facts:
                if not graph.relation_is_point[graph.relation[fact]] and graph.start[fact] == graph.end[fact]:
                    return True
        return False


def _in_turn(rng: random.Random, filters: list[tuple[int, bool, int]]) -> list[tuple[int, bool, int]]:
    """Filters in random order, relations and directions taken in turn."""
    groups: dict[tuple[int, bool], list[tuple[int, bool, int]]] = {}
    for each in shuffled(rng, filters):
        groups.setdefault(each[:2], []).append(each)
    queues = [groups[key] for key in shuffled(rng, sorted(groups))]
    longest = max(map(len, queues), default=0)
    return [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]
