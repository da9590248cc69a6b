"""A parsed record of either format -> what the checks look at, and nothing of how it was written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter
from typing import Any

from pydantic import ValidationError

from evaluation.audit.contradictions import contradiction_of_ours, contradiction_of_released
from evaluation.exports.release import ReleaseFact, ReleaseRecord
from evaluation.exports.release_reader import NotRebuilt, rebuild_trace
from graph_sampler.operators import BY_NAME, ORDINAL_BY_NAME
from state.interval import Granularity
from state.trace import OrdinalStep, PairwiseStep, RootStep, StructuralStep, Trace, TransitionStep
from state.vocabulary import ConstraintCount, RelationType


class FileFormat(StrEnum):
    """The formats that can be audited."""

    OURS = "ours"
    RELEASE = "chronoqg-release"


StatedFact = tuple[str, str, str, str | int, str | int]
"""Subject, relation, object, start and end as a record writes them: ISO times, or the released integers."""

_FACT_OF_OURS = itemgetter("subject", "relation", "object", "start", "end")


@dataclass(frozen=True, slots=True)
class Case:
    """One record under audit."""

    number: int
    """Its line, or its place in the array."""
    id: str
    part: ConstraintCount
    raw_question: str | None
    final_question: str | None
    answer: str
    """The stated label."""
    aliases: tuple[str, ...]
    """Other names of the answer that the record states."""
    answer_ids: frozenset[str]
    """The entities that the record may mean by its answer; empty if it names none."""
    trace: Trace | None
    no_trace: str
    """Why there is none; empty if there is."""
    facts: tuple[StatedFact, ...]
    """The facts that the record shows: its evidence."""
    references: Mapping[str, StatedFact]
    types: Mapping[str, RelationType]
    """What the file says of relations; the graph's own types hold for others."""
    labels: Mapping[str, str]
    """Id -> label as the record has them."""
    content_hash: str | None
    """Of the graph that the record says it comes from."""
    contradiction: str = ""
    """Which of its own fields contradict one another, if any do."""


def format_of(value: Any) -> FileFormat | None:
    """The format that an item looks like, by the fields that only one of them has."""
    if not isinstance(value, Mapping):
        return None
    if "trace" in value and "evidence" in value:
        return FileFormat.OURS
    return FileFormat.RELEASE if "subgraph" in value else None


def read_case(form: FileFormat, value: Any, number: int, unit: Granularity) -> Case:
    """The case of a parsed item.

    Raises:
        ValueError: it is no such record; the text names the field.
    """
    try:
        return _case_of_ours(value, number) if form is FileFormat.OURS else _released_case(value, number, unit)
    except ValidationError as err:
        first = err.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg']}" if where else str(first["msg"])) from err


def trace_problem(trace: Trace) -> str | None:
    """Why a trace cannot be executed, or `None`."""
    bound: set[str] = set()
    facts: set[str] = set()
    candidate = ""
    for step in trace.steps:
        if isinstance(step, StructuralStep):
            new = {end for end in (step.pattern[0], step.pattern[2]) if end.startswith("?")}
            joins = bool(new & bound)
            if isinstance(step, RootStep) != (not facts) or step.fact in facts or step.fact in trace.references:
                return f"the step of {step.fact} is out of place"
            if not new or (facts and not joins) or step.pattern[0] == step.pattern[2] or (not facts and len(new) != 1):
                return f"the pattern of {step.fact} does not join to the step before"
            if isinstance(step, RootStep):
                candidate = next(iter(new))
            if isinstance(step, TransitionStep):
                if len(new - bound) != 1 or candidate not in new:
                    return f"the transition to {step.fact} leads nowhere"
                candidate = next(iter(new - bound))
            bound |= new
            facts.add(step.fact)
        else:
            read = {step.left, step.right} - trace.references.keys() if isinstance(step, PairwiseStep) else {step.fact}
            if step.operator not in (BY_NAME if isinstance(step, PairwiseStep) else ORDINAL_BY_NAME):
                return f"{step.constraint} has an unknown operator: {step.operator!r}"
            if not read <= facts or (isinstance(step, PairwiseStep) and step.left not in facts):
                return f"{step.constraint} reads a fact that is not bound"
    if not facts or candidate != trace.answer_variable:
        return "the answer variable is not the last candidate"
    return None


def _text(value: Mapping[str, Any], key: str, *, optional: bool = False) -> str:
    found = value.get(key)
    if isinstance(found, str):
        return found
    if found is None and optional:
        return ""
    raise ValueError(f"{key}: should be text")


def _case_of_ours(value: Any, number: int) -> Case:
    if not isinstance(value, Mapping):
        raise ValueError("should be an object")
    missing = [key for key in ("trace", "evidence", "labels", "answer_id") if key not in value]
    if missing:
        raise ValueError(f"it lacks {', '.join(missing)}")
    steps = value["trace"].get("steps") if isinstance(value["trace"], Mapping) else None
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        raise ValueError("trace: should have a list of steps")
    trace = Trace.model_validate(value["trace"])
    problem = trace_problem(trace)
    if problem:
        raise ValueError(f"trace: {problem}")
    evidence, aliases, labels = value.get("evidence"), value.get("answer_aliases", []), value.get("labels")
    if not isinstance(evidence, list) or not isinstance(aliases, list) or not isinstance(labels, Mapping):
        raise ValueError("evidence, answer_aliases or labels: missing or of another kind")
    if not {*map(type, aliases), *map(type, labels.values())} <= {str}:
        raise ValueError("answer_aliases or labels: should be text")
    try:
        facts: tuple[StatedFact, ...] = tuple(map(_FACT_OF_OURS, evidence))
        hash(facts)
    except (KeyError, TypeError) as err:
        raise ValueError("evidence: should be facts of subject, relation, object, start and end") from err
    provenance = value.get("provenance")
    final = value.get("final_question")
    return Case(
        number=number,
        id=_text(value, "id"),
        part=_part(value.get("temporal_constraint_count"), trace, 0),
        raw_question=_text(value, "raw_question"),
        final_question=None if final is None else _text(value, "final_question"),
        answer=_text(value, "answer"),
        aliases=tuple(aliases),
        answer_ids=frozenset((_text(value, "answer_id"),)),
        trace=trace,
        no_trace="",
        facts=facts,
        references=_references(trace),
        types={},
        labels=labels,
        content_hash=_hash(provenance),
        contradiction=contradiction_of_ours(value, trace, set(facts)),
    )


def _released_case(value: Any, number: int, unit: Granularity) -> Case:
    record = ReleaseRecord.model_validate(value)
    trace, why = None, ""
    try:
        trace = rebuild_trace(record, unit)
        why = trace_problem(trace) or ""
        trace = None if why else trace
    except NotRebuilt as err:
        why = str(err)
    _, subjects, subject_labels, relations, relation_labels, objects, object_labels, starts, ends, time_types = (
        zip(*record.subgraph, strict=True) if record.subgraph else [()] * len(ReleaseFact._fields)
    )
    labels = dict(zip((*subjects, *relations, *objects), (*subject_labels, *relation_labels, *object_labels), strict=True))
    types = {
        relation: _TIME_TYPES[kind] for relation, kind in dict.fromkeys(zip(relations, time_types, strict=True)) if kind in _TIME_TYPES
    }
    metadata = record.metadata
    answer_id = metadata.get("answer_id")
    if isinstance(answer_id, str) and answer_id:
        ids = {answer_id}
    else:
        ends_called = zip((*subjects, *objects), (*subject_labels, *object_labels), strict=True)
        ids = {ident for ident, label in ends_called if label == record.answer}
    aliases = metadata.get("answer_aliases")
    return Case(
        number=number,
        id=str(record.id),
        part=_part(record.temporal_constraint_count, trace, len(record.temporal_constraints)),
        raw_question=record.raw_question,
        final_question=record.final_question,
        answer=record.answer,
        aliases=tuple(alias for alias in aliases if isinstance(alias, str)) if isinstance(aliases, list) else (),
        answer_ids=frozenset(ids),
        trace=trace,
        no_trace=why,
        facts=tuple(zip(subjects, relations, objects, starts, ends, strict=True)),
        references={} if trace is None else _references(trace),
        types=types,
        labels=labels,
        content_hash=_hash(metadata.get("provenance")),
        contradiction=contradiction_of_released(record, trace),
    )


_TIME_TYPES = {kind.value: kind for kind in (RelationType.POINT, RelationType.INTERVAL)}


def _references(trace: Trace) -> dict[str, StatedFact]:
    return {name: (fact.subject, fact.relation, fact.object, fact.start, fact.end) for name, fact in trace.references.items()}


def _hash(provenance: Any) -> str | None:
    found = provenance.get("content_hash") if isinstance(provenance, Mapping) else None
    return found if isinstance(found, str) else None


def _part(count: Any, trace: Trace | None, listed: int) -> ConstraintCount:
    """By the stated count, else by the constraints that are there."""
    if not isinstance(count, int):
        steps: Iterable[Any] = () if trace is None else trace.steps
        count = listed or sum(isinstance(step, PairwiseStep | OrdinalStep) for step in steps)
    return ConstraintCount.SINGLE if count == 1 else ConstraintCount.MULTI
