"""A record's evidence and what its trace leaves to choose from: the ground on which damage is done.

A damaged trace keeps the grammar of steps: constraints stand in the stage that binds the later of their
facts, pairwise ones before an ordinal. Whether it is kept depends on what it names on the evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from agents.names import spans, tokens
from graph_sampler.execute import Row, execute, structure_of
from graph_sampler.operators import Operator, family_of, relate
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.trace import (
    FilterStep,
    OrdinalStep,
    PairwiseStep,
    RootStep,
    StructuralStep,
    TemporalStep,
    Trace,
    TransitionStep,
)
from state.vocabulary import RelationType, Template

Hop = RootStep | FilterStep | TransitionStep
NEW_REFERENCE = "g9"
"""Name of a reference that a damage brings in; the sampler's own names are lower."""


class Scene:
    """The evidence of a record, the rows of its structural steps, and the facts that a damage may name."""

    def __init__(self, record: BenchmarkRecord, points: Collection[str]) -> None:
        """Takes the ids of the point relations."""
        self.record = record
        self.points = points
        self.trace = record.trace
        self.structure: list[Hop] = [step for step in self.trace.steps if isinstance(step, StructuralStep)]
        self.constraints: list[TemporalStep] = [step for step in self.trace.steps if isinstance(step, PairwiseStep | OrdinalStep)]
        self.rows = execute(structure_of(self.trace), record.evidence).rows
        self.candidate = self.trace.answer_variable

    @cached_property
    def gold_rows(self) -> tuple[Row, ...]:
        """The rows that the whole trace leaves."""
        return execute(self.trace, self.record.evidence).rows

    @cached_property
    def unnamed(self) -> frozenset[str]:
        """Entities that no question of the trace may name: the answer, and what else a variable is bound to in its rows."""
        bound = {entity for row in self.gold_rows for end, entity in row.entities.items() if end.startswith("?")}
        return frozenset(bound | {self.record.answer_id})

    @cached_property
    def possible_references(self) -> tuple[TemporalFact, ...]:
        """Facts of the rows that a question can name by both their ends, sorted."""
        walked = {fact for row in self.rows for fact in row.facts.values()}
        return tuple(sorted(filter(self.is_nameable, walked), key=_order))

    def is_nameable(self, fact: TemporalFact) -> bool:
        """Whether a question can name a fact by the labels of its ends: it alone has them, and they tell nothing of the answer."""
        if self._wordings[self._wording(fact)] > 1 or not self.unnamed.isdisjoint((fact.subject, fact.object)):
            return False
        answer = tokens(self.record.answer)
        return not any(spans(answer, tokens(self.record.labels[end])) for end in (fact.subject, fact.object))

    @cached_property
    def _wordings(self) -> Mapping[tuple[str, ...], int]:
        found: dict[tuple[str, ...], int] = {}
        for fact in self.record.evidence:
            found[self._wording(fact)] = found.get(self._wording(fact), 0) + 1
        return found

    def _wording(self, fact: TemporalFact) -> tuple[str, ...]:
        return tuple(self.record.labels[name] for name in (fact.subject, fact.relation, fact.object))

    def describe(self, fact: TemporalFact) -> str:
        """A fact by its labels."""
        return " | ".join(self._wording(fact))

    def relation(self, name: str) -> str:
        """The relation of a fact name or reference."""
        if name in self.trace.references:
            return self.trace.references[name].relation
        return next(step.pattern[1] for step in self.structure if step.fact == name)

    def is_point(self, name: str) -> bool:
        """Whether a fact name or reference is of a point relation."""
        return self.relation(name) in self.points

    def operator_between(self, left: TemporalFact, right: TemporalFact) -> Operator:
        """The one operator that holds from one fact to another."""
        types = [RelationType.POINT if fact.relation in self.points else RelationType.INTERVAL for fact in (left, right)]
        return relate(family_of(types[0], types[1]), left.interval, right.interval)

    def judged(self, trace: Trace) -> tuple[Trace, frozenset[str]]:
        """A trace with the sizes of its candidate sets on the evidence, and what it names."""
        run = execute(trace, self.record.evidence)
        counted = zip(trace.steps, run.candidates, strict=True)
        steps = tuple(step.model_copy(update={"candidates": count}) for step, count in counted)
        return trace.model_copy(update={"steps": steps}), run.answers


def facts_read(step: TemporalStep) -> tuple[str, ...]:
    """The names of facts and references that a temporal step reads."""
    return (step.left, step.right) if isinstance(step, PairwiseStep) else (step.fact,)


def stage_of(structure: Iterable[Hop], name: str) -> int:
    """The number of the stage that binds a fact name."""
    stage = -1
    for step in structure:
        stage += isinstance(step, RootStep | TransitionStep)
        if step.fact == name:
            return stage
    raise KeyError(name)


def rebuild(
    trace: Trace,
    temporal: Sequence[TemporalStep],
    references: Mapping[str, TemporalFact] | None = None,
    without: str | None = None,
) -> Trace:
    """A trace with other constraints: each in its stage, unused references gone, names anew; its counts are stale.

    `references` come on top of the trace's own. `without` names the fact of a structural filter to leave out, which
    makes a `C <- A -> B` an `A -> B`; no constraint given may read it.
    """
    structure: list[Hop] = [step for step in trace.steps if isinstance(step, StructuralStep) and step.fact != without]
    known = {**trace.references, **(references or {})}
    steps: list[Hop | TemporalStep] = []
    for stage in range(1 + max(stage_of(structure, step.fact) for step in structure)):
        own = [step for step in temporal if max(stage_of(structure, name) for name in facts_read(step) if name not in known) == stage]
        steps += [step for step in structure if stage_of(structure, step.fact) == stage]
        steps += [step for step in own if isinstance(step, PairwiseStep)]
        steps += [step for step in own if isinstance(step, OrdinalStep)]
    used = [step.right for step in steps if isinstance(step, PairwiseStep) and step.right in known]
    facts = list(dict.fromkeys(known[name] for name in used))
    renamed = {name: f"g{facts.index(known[name]) + 1}" for name in used}
    return Trace.model_construct(
        template=trace.template if without is None else Template.ONE_HOP,
        answer_variable=trace.answer_variable,
        steps=tuple(_numbered(steps, renamed)),
        references={f"g{number}": fact for number, fact in enumerate(facts, start=1)},
    )


def _numbered(steps: Sequence[Hop | TemporalStep], renamed: Mapping[str, str]) -> Iterable[Hop | TemporalStep]:
    number = 0
    for step in steps:
        if isinstance(step, StructuralStep):
            yield step
            continue
        number += 1
        update = {"constraint": f"c{number}"}
        if isinstance(step, PairwiseStep):
            update["right"] = renamed.get(step.right, step.right)
        yield step.model_copy(update=update)


def _order(fact: TemporalFact) -> tuple[str, str, str, int, int]:
    return (fact.subject, fact.relation, fact.object, *fact.interval)
