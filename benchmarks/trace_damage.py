"""Damages a trace by machine, one constraint or the structural filter at a time, for the verifier to notice.

A damaged trace keeps the grammar of steps: constraints stand in the stage that binds the later of their
facts, pairwise ones before an ordinal. It is kept only if its execution on the evidence, done by the
brute force of the tests, names another set of entities than the answer alone. Dropping the filter of
`C <- A -> B` leaves an `A -> B`; the constraints that read the filter's fact go with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from random import Random
from typing import NamedTuple

from graph_sampler.operators import BY_NAME, ORDINAL_BY_NAME, Operator, family_of, operators_of, relate
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.interval import ValidInterval, parse_iso
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, StructuralStep, TemporalStep, Trace, TransitionStep
from state.vocabulary import Family, RankOrder, RelationType, Template
from tests.brute_force_execution import Row, constraints, execute, execute_structure, facts_read
from tests.brute_force_graph import BruteGraph, Fact

FILTER = "structural filter"
"""What stands for the operator where the structural filter is dropped."""
Hop = RootStep | FilterStep | TransitionStep
NEW_REFERENCE = "g9"
"""Name of a reference that a damage brings in; the sampler's own names are lower."""


_TURNED = {
    "P-before-I": "P-after-I", "P-at-start-I": "P-at-end-I", "I-before-P": "I-after-P", "I-starts-at-P": "I-ends-at-P",
}  # fmt: skip
_TURNED |= {after: before for before, after in _TURNED.items()}


class DamageKind(StrEnum):
    """What was done to the trace."""

    DROPPED = "dropped"
    """The constraint, or the structural filter, is gone."""
    REVERSED = "reversed"
    """The operator is its opposite (`opposite_of`); an ordinal counts from the other end."""
    REPLACED = "replaced"
    """Another operator of the family, not the opposite; for an ordinal another key or a neighbouring rank."""
    ADDED = "added"
    """One more constraint, which holds for another candidate."""
    REBOUND = "bound to another fact"
    """The constraint reads another fact of the row, or has another reference."""


class Damage(NamedTuple):
    """A damaged trace and what it was before."""

    kind: DamageKind
    operator: str
    """Name of the operator that was damaged or added, or `structural filter`."""
    trace: Trace
    answers: frozenset[str]
    """Entity ids that the damaged trace names on the evidence."""


class Scene:
    """A record's evidence as a graph of the brute force, and what its trace leaves to choose from."""

    def __init__(self, record: BenchmarkRecord, points: Collection[str]) -> None:
        """Takes the ids of the point relations of the source graph."""
        self.record = record
        self.trace = record.trace
        self.granularity = parse_iso(record.evidence[0].start)[1]
        self.written: dict[Fact, TemporalFact] = {_read(fact): fact for fact in record.evidence}
        self.graph = BruteGraph(self.granularity, list(self.written), {}, {}, points=set(points))
        self.structure = [step for step in self.trace.steps if isinstance(step, StructuralStep)]
        self.constraints = constraints(self.trace)
        self.rows = execute_structure(self.graph, self.trace).rows
        self.candidate = self.trace.answer_variable

    def is_point(self, name: str) -> bool:
        """Whether a fact name or reference is of a point relation."""
        return self.relation(name) in self.graph.points

    def relation(self, name: str) -> str:
        """The relation of a fact name or reference."""
        if name in self.trace.references:
            return self.trace.references[name].relation
        return next(step.pattern[1] for step in self.structure if step.fact == name)

    def possible_references(self) -> list[Fact]:
        """Facts that could be named by both their ends: walked, single-spelled, and silent about the answer."""
        spells: dict[tuple[str, str, str], int] = {}
        for fact in self.graph.facts:
            spells[fact[:3]] = spells.get(fact[:3], 0) + 1
        walked = {row[step.fact] for row in self.rows for step in self.structure}
        gold = self.record.answer_id
        return sorted(fact for fact in walked if spells[fact[:3]] == 1 and gold not in (fact.subject, fact.object))


def damages(record: BenchmarkRecord, points: Collection[str], rng: Random) -> list[Damage]:
    """Damaged traces of a record, one of each kind for each constraint where there is one, in a fixed order.

    `points` are the ids of the point relations. All of them change the answer set on the evidence.
    """
    scene = Scene(record, points)
    found = [
        _keep(scene, kind, step.operator, damage(scene, step), rng) for step in scene.constraints for kind, damage in _OF_CONSTRAINT.items()
    ]
    found.append(_addition(scene, rng))
    if scene.trace.template is Template.BRANCH:
        found.append(_keep(scene, DamageKind.DROPPED, FILTER, _without_filter(scene), rng))
    return [damage for damage in found if damage is not None]


def opposite_of(name: str) -> str | None:
    """The converse, where it is of the same family; between point and interval the same turned in time.

    `None` for an operator that is its own opposite or that has none (`P-inside-I`).
    """
    operator = BY_NAME[name]
    if BY_NAME[operator.converse].family is operator.family:
        return operator.converse if operator.converse != name else None
    return _TURNED.get(name)


def _keep(scene: Scene, kind: DamageKind, operator: str, traces: Iterable[Trace], rng: Random) -> Damage | None:
    """One of the traces that change the answer, drawn at random."""
    candidates = list(traces)
    rng.shuffle(candidates)
    judged = (_judged(scene, kind, operator, trace) for trace in candidates)
    return next((damage for damage in judged if damage is not None), None)


def _judged(scene: Scene, kind: DamageKind, operator: str, trace: Trace) -> Damage | None:
    """The damage with the sizes of its candidate sets, unless it names the answer alone."""
    run = execute(scene.graph, trace, {name: _read(fact) for name, fact in trace.references.items()})
    if run.answers == {scene.record.answer_id}:
        return None
    counted = zip(trace.steps, run.candidates_after, strict=True)
    steps = tuple(step.model_copy(update={"candidates": len(left)}) for step, left in counted)
    return Damage(kind, operator, trace.model_copy(update={"steps": steps}), frozenset(run.answers))


def _dropped(scene: Scene, step: TemporalStep) -> Iterator[Trace]:
    yield rebuild(scene, [other for other in scene.constraints if other is not step])


def _reversed(scene: Scene, step: TemporalStep) -> Iterator[Trace]:
    if isinstance(step, OrdinalStep):
        order = RankOrder.DESCENDING if step.order is RankOrder.ASCENDING else RankOrder.ASCENDING
        yield _with(scene, step, order=order)
    elif (opposite := opposite_of(step.operator)) is not None:
        yield _with(scene, step, operator=opposite)


def _replaced(scene: Scene, step: TemporalStep) -> Iterator[Trace]:
    if isinstance(step, OrdinalStep):
        for rank in (step.rank - 1, step.rank + 1):
            if rank >= 1:
                yield _with(scene, step, rank=rank)
        for ordinal in ORDINAL_BY_NAME.values():
            if ordinal.name != step.operator and (ordinal.for_points or not scene.is_point(step.fact)):
                yield _with(scene, step, operator=ordinal.name)
        return
    row = BY_NAME[step.operator]
    for other in operators_of(row.family):
        if other.name not in (row.name, opposite_of(row.name)):
            yield _with(scene, step, operator=other.name)


def _rebound(scene: Scene, step: TemporalStep) -> Iterator[Trace]:
    names = [other.fact for other in scene.structure]
    if isinstance(step, OrdinalStep):
        for name in names:
            same_stage = _stage_of(scene.structure, name) == _stage_of(scene.structure, step.fact)
            if name != step.fact and same_stage and scene.is_point(name) == scene.is_point(step.fact):
                yield _with(scene, step, fact=name)
        return
    for name in names:
        is_earlier = step.right not in names or names.index(name) < names.index(step.right)
        if name != step.left and is_earlier and scene.is_point(name) == scene.is_point(step.left):
            yield _with(scene, step, left=name)
    for name in names[names.index(step.left) + 1 :]:
        if name != step.right and scene.is_point(name) == scene.is_point(step.right):
            yield _with(scene, step, right=name)
    now = _read(scene.trace.references[step.right]) if step.right in scene.trace.references else None
    for fact in scene.possible_references():
        if fact != now and (fact.relation in scene.graph.points) == scene.is_point(step.right):
            yield _with(scene, step, fact, right=NEW_REFERENCE)


_OF_CONSTRAINT: Mapping[DamageKind, Callable[[Scene, TemporalStep], Iterator[Trace]]] = {
    DamageKind.DROPPED: _dropped,
    DamageKind.REVERSED: _reversed,
    DamageKind.REPLACED: _replaced,
    DamageKind.REBOUND: _rebound,
}


def _addition(scene: Scene, rng: Random) -> Damage | None:
    """The trace with one more constraint that holds for a random rival's row and changes the answer."""
    rivals = [row for row in scene.rows if row[scene.candidate] != scene.record.answer_id]
    rng.shuffle(rivals)
    pairs = [(step.fact, fact) for step in scene.structure for fact in scene.possible_references()]
    for row in rivals:
        rng.shuffle(pairs)
        for name, fact in pairs:
            if fact != row[name]:
                operator = _operator_between(scene, row, name, fact).name
                extra = PairwiseStep(constraint="c9", operator=operator, left=name, right=NEW_REFERENCE, candidates=0)
                trace = rebuild(scene, [*scene.constraints, extra], {NEW_REFERENCE: scene.written[fact]})
                if (damage := _judged(scene, DamageKind.ADDED, operator, trace)) is not None:
                    return damage
    return None


def _operator_between(scene: Scene, row: Row, name: str, reference: Fact) -> Operator:
    fact: Fact = row[name]
    types = [RelationType.POINT if one.relation in scene.graph.points else RelationType.INTERVAL for one in (fact, reference)]
    family: Family = family_of(types[0], types[1])
    return relate(family, ValidInterval(fact.start, fact.end), ValidInterval(reference.start, reference.end))


def _without_filter(scene: Scene) -> Iterator[Trace]:
    gone = next(step.fact for step in scene.structure if isinstance(step, FilterStep))
    kept = [step for step in scene.constraints if gone not in facts_read(step)]
    yield rebuild(scene, kept, structure=[step for step in scene.structure if step.fact != gone], template=Template.ONE_HOP)


def _with(scene: Scene, step: TemporalStep, reference: Fact | None = None, **changes: object) -> Trace:
    """The trace with one constraint changed, and with one reference more if it is given."""
    changed = [other.model_copy(update=changes) if other is step else other for other in scene.constraints]
    return rebuild(scene, changed, {} if reference is None else {NEW_REFERENCE: scene.written[reference]})


def rebuild(
    scene: Scene,
    temporal: list[TemporalStep],
    references: Mapping[str, TemporalFact] | None = None,
    structure: list[Hop] | None = None,
    template: Template | None = None,
) -> Trace:
    """A trace from its parts: each constraint in its stage, unused references gone, names anew; its counts are stale."""
    structural = scene.structure if structure is None else structure
    known = {**scene.trace.references, **(references or {})}
    last = max(_stage_of(structural, step.fact) for step in structural)
    steps: list[Hop | TemporalStep] = []
    for stage in range(last + 1):
        own = [step for step in temporal if max(_stage_of(structural, name) for name in facts_read(step) if name not in known) == stage]
        steps += [step for step in structural if _stage_of(structural, step.fact) == stage]
        steps += [step for step in own if isinstance(step, PairwiseStep)]
        steps += [step for step in own if isinstance(step, OrdinalStep)]
    used = [step.right for step in steps if isinstance(step, PairwiseStep) and step.right in known]
    facts = list(dict.fromkeys(known[name] for name in used))
    renamed = {name: f"g{facts.index(known[name]) + 1}" for name in used}
    number = 0
    for place, step in enumerate(steps):
        if isinstance(step, PairwiseStep | OrdinalStep):
            number += 1
            update: dict[str, object] = {"constraint": f"c{number}"}
            if isinstance(step, PairwiseStep) and step.right in renamed:
                update["right"] = renamed[step.right]
            steps[place] = step.model_copy(update=update)
    return Trace.model_construct(
        template=template or scene.trace.template,
        answer_variable=scene.trace.answer_variable,
        steps=tuple(steps),
        references={f"g{number}": fact for number, fact in enumerate(facts, start=1)},
    )


def _stage_of(structure: list[Hop], name: str) -> int:
    """The number of the stage that binds a fact name."""
    stage = -1
    for step in structure:
        if isinstance(step, RootStep | TransitionStep):
            stage += 1
        if step.fact == name:
            return stage
    raise KeyError(name)


def _read(fact: TemporalFact) -> Fact:
    (start, _), (end, _) = parse_iso(fact.start), parse_iso(fact.end)
    return Fact(fact.subject, fact.relation, fact.object, start, end)
