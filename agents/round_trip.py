"""The round trip: what does the question itself say, beside what its trace says? Paper: Figure 7, section 4.3.2.

A verifier's answer shows *that* a question went wrong, not *what*. Here a role lists the conditions on time
that the question states, having seen no time, no answer and no constraint of the trace; code compares them
with the trace's and executes them on the evidence.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from agents.agreement import Verdict
from agents.constraint_difference import Finding, Matching, compare_constraints
from agents.read_constraints import Bench, Constraint
from graph_sampler.execute import execute
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.roles import NamedFact, ReadingReply, ReadRequest
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, Step, TemporalStep, Trace, TransitionStep


class Reading(NamedTuple):
    """What a reader's reply comes to."""

    verdict: Verdict
    """`match`, `other constraints` or `abstained`."""
    findings: tuple[Finding, ...]
    """The differences; none if it abstained."""
    answers: tuple[str, ...]
    """Sorted labels of what its constraints name on the evidence; empty also where they cannot be executed."""

    def result(self, reply: ReadingReply) -> dict[str, Any]:
        """What a visit records of it."""
        findings = [{"label": found.label.value, "gold": found.gold, "read": found.read} for found in self.findings]
        return {**reply.model_dump(mode="json"), "verdict": self.verdict.value, "findings": findings, "answers": list(self.answers)}


def read_request(record: BenchmarkRecord, question: str) -> ReadRequest:
    """What the reader sees: sorted by label, so that the order of the evidence says nothing."""
    labels = record.labels
    facts = {(labels[fact.subject], labels[fact.relation], labels[fact.object]) for fact in record.evidence}
    moments = Bench(record).moments
    lasting = {labels[fact.relation] for fact in record.evidence if fact.relation not in moments}
    return ReadRequest(
        question=question,
        facts=tuple(NamedFact(subject=subject, relation=relation, object=object_) for subject, relation, object_ in sorted(facts)),
        moments=tuple(sorted({labels[relation] for relation in moments} - lasting)),
    )


def judge_reading(reply: ReadingReply, record: BenchmarkRecord) -> Reading:
    """The verdict on what was read: it agrees only where no constraint is missing, other or too many."""
    if reply.cannot_tell:
        return Reading(Verdict.ABSTAINED, (), ())
    bench = Bench(record)
    read = bench.of_reply(reply)
    matching = compare_constraints(bench.of_trace(), read)
    trace = _trace_of(bench, len(read), matching)
    answers = frozenset() if trace is None else execute(trace, record.evidence).answers
    verdict = Verdict.OTHER_CONSTRAINTS if matching.findings else Verdict.MATCH
    return Reading(verdict, matching.findings, tuple(sorted(record.labels[entity] for entity in answers)))


def _trace_of(bench: Bench, read: int, matching: Matching) -> Trace | None:
    """The trace's structure with the constraints that were read; `None` if one of them speaks of no one fact.

    A constraint that equals the trace's is the trace's own step. Each stands in the stage that binds the later
    of its facts, comparisons before ranks.
    """
    trace = bench.record.trace
    stages: list[list[RootStep | FilterStep | TransitionStep]] = []
    for step in trace.steps:
        if isinstance(step, FilterStep):
            stages[-1].append(step)
        elif isinstance(step, RootStep | TransitionStep):
            stages.append([step])
    place = {step.fact: number for number, stage in enumerate(stages) for step in stage}
    references = dict(trace.references)
    conditions: list[TemporalStep] = []
    for number in range(read):
        if number in matching.equal:
            condition: TemporalStep | None = bench.steps[matching.equal[number]]
        else:
            condition = _step_of(matching.meant.get(number), f"c{number + 1}", references)
        if condition is None:
            return None
        conditions.append(condition)
    steps: list[Step] = []
    for number, stage in enumerate(stages):
        own = [condition for condition in conditions if max(place.get(name, -1) for name in _names(condition)) == number]
        steps += [*stage, *sorted(own, key=lambda condition: isinstance(condition, OrdinalStep))]
    return trace.model_copy(update={"steps": tuple(steps), "references": references})


def _names(step: TemporalStep) -> tuple[str, ...]:
    return (step.fact,) if isinstance(step, OrdinalStep) else (step.left, step.right)


def _step_of(constraint: Constraint | None, name: str, references: dict[str, TemporalFact]) -> TemporalStep | None:
    """The step of a constraint on a fact of the row; a concrete fact is added to the references."""
    if constraint is None or not isinstance(constraint.left, str):
        return None
    left, right = constraint.left, constraint.right
    if right is None:
        assert constraint.rank is not None
        assert constraint.order is not None
        return OrdinalStep(
            constraint=name, operator=constraint.operator, fact=left, rank=constraint.rank, order=constraint.order, candidates=0
        )
    if isinstance(right, TemporalFact):
        known = next((reference for reference, fact in references.items() if fact == right), f"g{len(references) + 1}")
        references[known] = right
        return PairwiseStep(constraint=name, operator=constraint.operator, left=left, right=known, candidates=0)
    if not isinstance(right, str):
        return None
    return PairwiseStep(constraint=name, operator=constraint.operator, left=left, right=right, candidates=0)
