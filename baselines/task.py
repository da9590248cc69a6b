"""What a question generator is given of one instance, and the same as text. Paper: section 5.1.

Never the template question, and none of its sentences: they are close to the reference. Facts, answer and
constraints are everybody's; the reasoning path is given to the methods that the paper gives it to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graph_sampler.execute import execute
from graph_sampler.operators import meaning_of, word_of
from prompts import as_data
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep, StructuralStep
from state.vocabulary import Family, RankOrder, Template


@dataclass(frozen=True)
class GivenFact:
    """A support fact by its labels."""

    name: str
    """`F1`, `F2`, ... in the order in which they are shown."""
    subject: str
    relation: str
    object: str
    start: str
    """First granule, ISO text."""
    end: str
    """Last granule; equal to `start` for a point."""
    time_type: Literal["point", "interval"]


@dataclass(frozen=True)
class GivenConstraint:
    """A temporal constraint and what it binds."""

    operator: str
    """Name of the operator, e.g. `I-before-I`."""
    family: Family
    word: str
    """The operator in a plain word, e.g. `before`."""
    meaning: str
    """What the word says of the left fact, seen from the right one; of an ordinal what is ranked."""
    left: tuple[str, ...]
    """Names of the support facts that it may bind on its left, most often one."""
    right: tuple[str, ...]
    """Names of those on its right; none for an ordinal."""
    rank: int | None = None
    """From 1; `None` for a comparison."""
    order: RankOrder | None = None
    """`None` for a comparison."""


class Variable(str):
    """A variable of the reasoning path, such as `?a`; a label may read the same and is none."""

    __slots__ = ()


@dataclass(frozen=True)
class GivenStep:
    """A step of the reasoning path with its labels."""

    action: Literal["root", "structural_filter", "forward_transition", "temporal_filter"]
    fact: str
    """Name of the fact that the step binds or ranks, or of a constraint's left one: `f1`, ..."""
    pattern: tuple[str, str, str] | None
    """Subject, relation and object of a structural step: a `Variable` (`?a`) or a label; `None` of a temporal one."""
    operator: str | None = None
    """Operator of a temporal step."""
    right: str | None = None
    """Right fact of a comparison: a fact of the path (`f2`) or a reference (`g1`)."""
    rank: int | None = None
    order: RankOrder | None = None


@dataclass(frozen=True)
class Task:
    """One instance, as a generator sees it."""

    id: str
    dataset: str
    template: Template
    hop_count: int
    facts: tuple[GivenFact, ...]
    """The facts that prove the answer, references included."""
    answer: str
    """Label of the target answer, which the question must not name."""
    constraints: tuple[GivenConstraint, ...]
    """In the order of the trace."""
    steps: tuple[GivenStep, ...]
    """The trace, for methods that build a logical form of it."""
    references: dict[str, tuple[str, str, str]]
    """Reference name (`g1`) -> subject, relation and object."""
    answer_variable: str
    """The variable of the steps that the question asks for."""
    shows_path: bool
    """Whether the method may show the reasoning path to its model."""

    @property
    def operators(self) -> tuple[str, ...]:
        """Names of the operators, in the order of the constraints."""
        return tuple(constraint.operator for constraint in self.constraints)

    def facts_text(self) -> str:
        """The facts, a JSON object a line: labels are data."""
        return "\n".join(f"{fact.name}: {as_data([fact.subject, fact.relation, fact.object])} {_when(fact)}" for fact in self.facts)

    def constraints_text(self) -> str:
        """The constraints in words, numbered in their order."""
        return "\n".join(f"{number}. {constraint_text(constraint)}" for number, constraint in enumerate(self.constraints, start=1))

    def path_text(self) -> str:
        """The structural steps of the reasoning path, and what is asked for."""
        lines = [
            f"{number}. {' - '.join(_term(end) for end in step.pattern)}"
            for number, step in enumerate((step for step in self.steps if step.pattern is not None), start=1)
            if step.pattern is not None
        ]
        return "\n".join([*lines, f"asked for: {_variable(self.answer_variable)}"])

    def answer_text(self) -> str:
        """The answer as data."""
        return as_data(self.answer)


@dataclass(frozen=True)
class Example:
    """A training instance and its reference question."""

    task: Task
    question: str


def task_of(record: BenchmarkRecord, *, shows_path: bool) -> Task:
    """What a generator is given of a record."""
    trace = record.trace
    facts = tuple(
        GivenFact(
            name=f"F{number}",
            subject=record.labels[fact.subject],
            relation=record.labels[fact.relation],
            object=record.labels[fact.object],
            start=fact.start,
            end=fact.end,
            time_type=_time_type(fact, record),
        )
        for number, fact in enumerate(record.support_facts, start=1)
    )
    bound = _bound(record)
    names = {fact: given.name for fact, given in zip(record.support_facts, facts, strict=True)}

    def named(name: str) -> tuple[str, ...]:
        return tuple(sorted((names[fact] for fact in bound[name]), key=lambda text: int(text[1:])))

    constraints: list[GivenConstraint] = []
    steps: list[GivenStep] = []
    for step in trace.steps:
        if isinstance(step, StructuralStep):
            subject, relation, object_ = step.pattern
            labelled = (_end(subject, record), record.labels[relation], _end(object_, record))
            steps.append(GivenStep(step.action, step.fact, labelled))
            continue
        word, family = word_of(step.operator), record.families[len(constraints)]
        if isinstance(step, PairwiseStep):
            steps.append(GivenStep("temporal_filter", step.left, None, step.operator, step.right))
            left, right = named(step.left), named(step.right)
            constraints.append(GivenConstraint(step.operator, family, word.value, meaning_of(step.operator), left, right))
        else:
            assert isinstance(step, OrdinalStep)
            steps.append(GivenStep("temporal_filter", step.fact, None, step.operator, None, step.rank, step.order))
            constraints.append(
                GivenConstraint(step.operator, family, word.value, meaning_of(step.operator), named(step.fact), (), step.rank, step.order)
            )
    return Task(
        id=record.id,
        dataset=f"{record.dataset}-{record.constraint_part.value}",
        template=record.graph_structure,
        hop_count=record.hop_count,
        facts=facts,
        answer=record.answer,
        constraints=tuple(constraints),
        steps=tuple(steps),
        references={
            name: (record.labels[fact.subject], record.labels[fact.relation], record.labels[fact.object])
            for name, fact in trace.references.items()
        },
        answer_variable=trace.answer_variable,
        shows_path=shows_path,
    )


FIRST_BY_ORDER = {
    ("start", RankOrder.ASCENDING): "earliest", ("start", RankOrder.DESCENDING): "latest",
    ("end", RankOrder.ASCENDING): "earliest", ("end", RankOrder.DESCENDING): "latest",
    ("duration", RankOrder.ASCENDING): "shortest", ("duration", RankOrder.DESCENDING): "longest",
}  # fmt: skip
"""What an ordinal ranks by and its direction -> which fact is number 1."""


def constraint_text(constraint: GivenConstraint) -> str:
    """One constraint in words, e.g. `F1 is before F3: ends in an earlier unit than the right starts`."""
    left = " or ".join(constraint.left)
    if constraint.rank is not None and constraint.order is not None:
        first = FIRST_BY_ORDER[constraint.meaning, constraint.order]
        return f"{left} is number {constraint.rank} of those that fit in the order of their {constraint.meaning}, the {first} first"
    return f"{left} {constraint.word} {' or '.join(constraint.right)}: {constraint.meaning}"


def _bound(record: BenchmarkRecord) -> dict[str, set[TemporalFact]]:
    """Fact or reference name -> the facts that rows left at the end bind under it."""
    found: dict[str, set[TemporalFact]] = {name: {fact} for name, fact in record.trace.references.items()}
    for row in execute(record.trace, record.evidence).rows:
        for name, fact in row.facts.items():
            found.setdefault(name, set()).add(fact)
    return found


def _time_type(fact: TemporalFact, record: BenchmarkRecord) -> Literal["point", "interval"]:
    """By the facts that the record shows of its relation: a point relation has no longer one."""
    same = [other for other in record.evidence if other.relation == fact.relation]
    return "point" if all(other.start == other.end for other in same) else "interval"


def _when(fact: GivenFact) -> str:
    return f"at {fact.start}" if fact.time_type == "point" else f"from {fact.start} to {fact.end}"


def _end(end: str, record: BenchmarkRecord) -> str:
    return record.labels[end] if end in record.labels else Variable(end)


def _term(end: str) -> str:
    return _variable(end) if isinstance(end, Variable) else as_data(end)


def _variable(name: str) -> str:
    return {"?a": "X", "?b": "Y", "?c": "Z"}.get(name, name)
