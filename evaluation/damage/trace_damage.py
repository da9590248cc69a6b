"""Damages a trace by machine, one constraint or the structural filter at a time, for the verifier to notice.

A damage is kept only if the damaged trace names another set of entities on the evidence than the answer
alone; an unnecessary constraint, the one that no answer can show, only if it names exactly that. Dropping the
filter of `C <- A -> B` leaves an `A -> B`; the constraints that read the filter's fact go with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import combinations
from random import Random
from typing import NamedTuple

from evaluation.damage.scene import NEW_REFERENCE, Scene, facts_read, rebuild, stage_of
from graph_sampler.operators import BY_NAME, ORDINAL_BY_NAME, operators_of, opposite_of
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.study import DamageKind
from state.trace import FilterStep, OrdinalStep, PairwiseStep, TemporalStep, Trace
from state.vocabulary import Family, RankOrder

FILTER = "structural filter"
"""What stands for the operator where the structural filter is dropped."""


class Damage(NamedTuple):
    """A damaged trace and what it was before."""

    kind: DamageKind
    """What was done."""
    operator: str
    """Name of the operator that was damaged or added, or `structural filter`."""
    family: Family
    """Family of that operator; of the record's first constraint where the filter was dropped."""
    trace: Trace
    """The damaged trace, with the sizes of its candidate sets on the evidence."""
    answers: frozenset[str]
    """Entity ids that it names on the evidence."""
    note: str
    """What was done, in a few words; facts by their labels."""


class Change(NamedTuple):
    """A trace that may become a damage."""

    trace: Trace
    """The changed trace; its counts are stale."""
    note: str
    """What was changed."""


def random_stream(seed: int, record_id: str) -> Random:
    """The random stream of one record in a study."""
    return Random(f"{seed} {record_id}")  # noqa: S311


def damages(record: BenchmarkRecord, points: Collection[str], rng: Random) -> list[Damage]:
    """Damaged traces of a record, at most one of each kind for each constraint, in a fixed order.

    `points` are the ids of the point relations. One constraint more is added twice at most: once so
    that the answer set changes, once so that it does not.
    """
    scene = Scene(record, points)
    found = [
        _drawn(scene, kind, step.operator, changes(scene, step), rng)
        for step in scene.constraints
        for kind, changes in _OF_CONSTRAINT.items()
    ]
    found += [_addition(scene, rng), _unnecessary(scene, rng)]
    found.append(_drawn(scene, DamageKind.DROPPED, FILTER, _without_filter(scene), rng))
    return [damage for damage in found if damage is not None]


def judged_damage(scene: Scene, kind: DamageKind, operator: str, change: Change) -> Damage | None:
    """The damage that a change does, unless the answers on the evidence speak against its kind."""
    trace, answers = scene.judged(change.trace)
    if (answers == {scene.record.answer_id}) is not (kind is DamageKind.UNNECESSARY):
        return None
    return Damage(kind, operator, _family(scene, operator), trace, answers, change.note)


def _family(scene: Scene, operator: str) -> Family:
    if operator == FILTER:
        return scene.record.families[0]
    return BY_NAME[operator].family if operator in BY_NAME else Family.ORDINAL


def _drawn(scene: Scene, kind: DamageKind, operator: str, changes: Iterable[Change], rng: Random) -> Damage | None:
    """One of the changes that are a damage of the kind, drawn at random."""
    candidates = [change for change in changes if not _says_twice(change.trace)]
    rng.shuffle(candidates)
    judged = (judged_damage(scene, kind, operator, change) for change in candidates)
    return next((damage for damage in judged if damage is not None), None)


def _says_twice(trace: Trace) -> bool:
    """Whether two constraints of the trace are the same."""
    said = [(step.operator, step.left, step.right) for step in trace.steps if isinstance(step, PairwiseStep)]
    return len(set(said)) < len(said)


def _dropped(scene: Scene, step: TemporalStep) -> Iterator[Change]:
    yield Change(rebuild(scene.trace, [other for other in scene.constraints if other is not step]), f"{step.constraint} is gone")


def _reversed(scene: Scene, step: TemporalStep) -> Iterator[Change]:
    if isinstance(step, OrdinalStep):
        order = RankOrder.DESCENDING if step.order is RankOrder.ASCENDING else RankOrder.ASCENDING
        yield _with(scene, step, f"{step.constraint} counts from the other end", order=order)
    elif (opposite := opposite_of(step.operator)) is not None:
        yield _with(scene, step, f"{step.constraint} is {opposite}", operator=opposite)


def _replaced(scene: Scene, step: TemporalStep) -> Iterator[Change]:
    if isinstance(step, OrdinalStep):
        for rank in (step.rank - 1, step.rank + 1):
            if rank >= 1:
                yield _with(scene, step, f"{step.constraint} asks for rank {rank}", rank=rank)
        for ordinal in ORDINAL_BY_NAME.values():
            if ordinal.name != step.operator and (ordinal.for_points or not scene.is_point(step.fact)):
                yield _with(scene, step, f"{step.constraint} is {ordinal.name}", operator=ordinal.name)
        return
    row = BY_NAME[step.operator]
    for other in operators_of(row.family):
        if other.name not in (row.name, opposite_of(row.name)):
            yield _with(scene, step, f"{step.constraint} is {other.name}", operator=other.name)


def _rebound(scene: Scene, step: TemporalStep) -> Iterator[Change]:
    names = [other.fact for other in scene.structure]
    if isinstance(step, OrdinalStep):
        for name in names:
            same_stage = stage_of(scene.structure, name) == stage_of(scene.structure, step.fact)
            if name != step.fact and same_stage and scene.is_point(name) == scene.is_point(step.fact):
                yield _with(scene, step, f"{step.constraint} reads {name}", fact=name)
        return
    for name in names:
        is_earlier = step.right not in names or names.index(name) < names.index(step.right)
        if name != step.left and is_earlier and scene.is_point(name) == scene.is_point(step.left):
            yield _with(scene, step, f"{step.constraint} reads {name} on its left", left=name)
    for name in names[names.index(step.left) + 1 :]:
        if name != step.right and scene.is_point(name) == scene.is_point(step.right):
            yield _with(scene, step, f"{step.constraint} reads {name} on its right", right=name)


def _swapped(scene: Scene, step: TemporalStep) -> Iterator[Change]:
    if isinstance(step, OrdinalStep) or step.right not in scene.trace.references:
        return
    for fact in scene.possible_references:
        if fact != scene.trace.references[step.right] and (fact.relation in scene.points) == scene.is_point(step.right):
            yield _with(scene, step, f"{step.constraint} refers to {scene.describe(fact)}", fact_of_reference=fact, right=NEW_REFERENCE)


_OF_CONSTRAINT: Mapping[DamageKind, Callable[[Scene, TemporalStep], Iterator[Change]]] = {
    DamageKind.DROPPED: _dropped,
    DamageKind.REVERSED: _reversed,
    DamageKind.REPLACED: _replaced,
    DamageKind.REBOUND: _rebound,
    DamageKind.SWAPPED: _swapped,
}


def _addition(scene: Scene, rng: Random) -> Damage | None:
    """One more constraint that holds for the row of a random rival and changes the answer."""
    rivals = [row for row in scene.rows if row.entities[scene.candidate] != scene.record.answer_id]
    rng.shuffle(rivals)
    pairs = [(step.fact, fact) for step in scene.structure for fact in scene.possible_references]
    for row in rivals:
        rng.shuffle(pairs)
        for name, fact in pairs:
            if fact != row.facts[name] and (damage := _with_one_more(scene, DamageKind.ADDED, row.facts, name, fact)) is not None:
                return damage
    return None


def _unnecessary(scene: Scene, rng: Random) -> Damage | None:
    """One more constraint between two facts that no constraint compares, true of the answer's own row."""
    names = [step.fact for step in scene.structure]
    pairs: list[tuple[str, str | TemporalFact]] = [(name, fact) for name in names for fact in scene.possible_references]
    pairs += combinations(names, 2)
    read = {_pair(scene, *facts_read(step)) for step in scene.constraints if isinstance(step, PairwiseStep)}
    unread = [pair for pair in pairs if _pair(scene, *pair) not in read]
    rng.shuffle(unread)
    for left, right in unread:
        for row in scene.gold_rows:
            damage = _with_one_more(scene, DamageKind.UNNECESSARY, row.facts, left, right)
            if damage is not None:
                return damage
    return None


def _pair(scene: Scene, left: str, right: str | TemporalFact) -> frozenset[str | TemporalFact]:
    """What two sides read, whichever way round and under whichever name."""
    return frozenset((left, scene.trace.references.get(right, right) if isinstance(right, str) else right))


def _with_one_more(scene: Scene, kind: DamageKind, row: Mapping[str, TemporalFact], left: str, right: str | TemporalFact) -> Damage | None:
    """The trace with the operator that holds in the row from its fact `left` to another of its facts or to a reference."""
    if isinstance(right, TemporalFact):
        fact, name, what, references = right, NEW_REFERENCE, scene.describe(right), {NEW_REFERENCE: right}
    else:
        fact, name, what, references = row[right], right, right, {}
    if fact == row[left]:
        return None
    operator = scene.operator_between(row[left], fact).name
    extra = PairwiseStep(constraint="c9", operator=operator, left=left, right=name, candidates=0)
    trace = rebuild(scene.trace, [*scene.constraints, extra], references)
    return None if _says_twice(trace) else judged_damage(scene, kind, operator, Change(trace, f"{operator} from {left} to {what} is new"))


def _without_filter(scene: Scene) -> Iterator[Change]:
    for gone in (step.fact for step in scene.structure if isinstance(step, FilterStep)):
        kept = [step for step in scene.constraints if gone not in facts_read(step)]
        yield Change(rebuild(scene.trace, kept, without=gone), f"{gone} is gone")


def _with(scene: Scene, step: TemporalStep, note: str, fact_of_reference: TemporalFact | None = None, **changes: object) -> Change:
    """The trace with one constraint changed, and with one reference more if its fact is given."""
    changed = [other.model_copy(update=changes) if other is step else other for other in scene.constraints]
    return Change(rebuild(scene.trace, changed, {} if fact_of_reference is None else {NEW_REFERENCE: fact_of_reference}), note)
