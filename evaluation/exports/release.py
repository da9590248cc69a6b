"""The released schema of the benchmark: its codes, its records and the writer.

Top-level fields, and those of a fact, are exactly the released ones. Inner objects use the released keys; what a
record of ours has beyond them stands in the schema's two free objects, `binding` and `metadata`, so that reading
a file back gives the records again. Ordinals have no number among the released codes: their code is the
operator's own name and their type `multi_event`, as the released construction code writes them; the rank stands
in the binding. Paper: Figure 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Annotated, Any, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field, PlainValidator

from evaluation.damage.relation_kinds import point_relations
from graph_sampler.operators import ORDINAL_BY_NAME
from runs.json_lines import escape_line_ends
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.interval import Granularity, civil_from_days, days_from_civil, is_date, parse_iso, to_granule
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, StructuralStep, TransitionStep
from state.vocabulary import Family

FORMAT = "chronoqg-release"
"""What the command line calls it."""

_NUMBERED = (
    ("tr", Family.I_I, (
        "before", "meets", "overlaps", "finished-by", "contains", "starts", "equals", "started-by", "during", "finishes",
        "overlapped-by", "met-by", "after",
    )),
    ("tptr", Family.P_I, ("before", "at-start", "inside", "at-end", "after")),
    ("trtp", Family.I_P, ("before", "ends-at", "covers", "starts-at", "after")),
    ("tp", Family.P_P, ("before", "equals", "after")),
)  # fmt: skip


def _codes() -> Iterator[tuple[str, str]]:
    number = 0
    for prefix, family, words in _NUMBERED:
        left, right = family.value.split("-")
        for word in words:
            number += 1
            yield f"{prefix}-{number}", f"{left}-{word}-{right}"
    for name in ORDINAL_BY_NAME:
        yield name, name


OPERATOR_OF: dict[str, str] = dict(_codes())
"""Released code -> operator: `tr-1` to `tp-26` in the order of the paper, then the ordinals under their own names."""
CODE_OF: dict[str, str] = {operator: code for code, operator in OPERATOR_OF.items()}
"""Operator -> released code."""

PAIRWISE_TYPE, ORDINAL_TYPE = "allen", "multi_event"
"""The `type` of a constraint."""
OPERATION_OF: dict[type[StructuralStep], str] = {RootStep: "base", FilterStep: "backward_filter", TransitionStep: "forward_transition"}
"""Structural step -> the `operation` of its entry in `space_search_process`."""
TEMPORAL_OPERATION = "temporal_filter"

GENERATOR_FIELDS: Mapping[str, tuple[str, ...]] = {
    "graph_structure": (),
    "hop_count": (),
    "subgraph": ("fid", "subject_id", "subject", "relation_id", "relation", "object_id", "object", "start", "end", "time_type"),
    "space_search_process": ("step_index", "operation", "description", "candidate_count"),
    "temporal_constraints": ("type", "code", "description", "step_index"),
    "temporal_constraint_count": (),
}
"""Field -> what of its entries may be shown to a question generator; empty for a plain value.

Left out is what tells the answer (`answer`, `metadata`, every `binding` and every list of supporting facts, which in
a released file narrow down to the answer's own) and what tells the question (`raw_question`, `final_question`).
"""


class _Tolerant(BaseModel):
    """Other people's files hold more keys than are read here."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class ReleaseFact(NamedTuple):
    """A fact of the subgraph."""

    fid: int | str
    """Name within the record: `f1`, or a number in the authors' files."""
    subject_id: str
    subject: str
    relation_id: str
    relation: str
    object_id: str
    object: str
    start: int
    """`YYYY`, `YYYYMM` or `YYYYMMDD`; negative before the year 0."""
    end: int
    """Last granule, included."""
    time_type: str = ""
    """`point`, `interval`, or empty where the file does not say."""


_FACT_FIELDS = ReleaseFact._fields[:-1]
_FACT_TYPES: tuple[set[type], ...] = ({int, str}, {str}, {str}, {str}, {str}, {str}, {str}, {int}, {int}, {str})
_of_fact, _of_whole_fact = itemgetter(*_FACT_FIELDS), itemgetter(*ReleaseFact._fields)


def _facts(value: Any) -> tuple[ReleaseFact, ...]:
    """The facts of a parsed subgraph; a model for each would take longer than all else that is read of a record."""
    try:
        try:
            facts = tuple(map(ReleaseFact._make, map(_of_whole_fact, value)))
        except KeyError:  # the files that do not say what kind of time a fact has
            facts = tuple([ReleaseFact._make((*_of_fact(each), each.get("time_type", ""))) for each in value])
    except (KeyError, TypeError, AttributeError) as err:
        raise ValueError(f"should be a list of facts with {', '.join(_FACT_FIELDS)}") from err
    for name, column, types in zip(ReleaseFact._fields, zip(*facts, strict=True), _FACT_TYPES, strict=False):
        if not set(map(type, column)) <= types:
            raise ValueError(f"{name} of a fact should be {' or '.join(sorted(each.__name__ for each in types))}")
    return facts


class ReleaseStep(_Tolerant):
    """An entry of the search process."""

    step_index: int | None = None
    operation: str = ""
    description: str = ""
    candidate_count: int | None = None
    support_fids: Any = ()
    """A list of facts' names; looked at only where nothing else says what the step did."""
    binding: dict[str, Any] = Field(default_factory=dict)
    """Of ours: the step's `pattern`."""


class ReleaseConstraint(_Tolerant):
    """A temporal constraint."""

    type: str = ""
    code: str
    description: str = ""
    step_index: int | None = None
    binding: dict[str, Any] = Field(default_factory=dict)
    """What the constraint compares; see `evaluation.exports.release_reader`."""


class ReleaseRecord(_Tolerant):
    """A line of a file in the released schema, by whomever it was written."""

    id: int | str
    graph_structure: str
    hop_count: int
    subgraph: Annotated[tuple[ReleaseFact, ...], PlainValidator(_facts)]
    space_search_process: tuple[Annotated[ReleaseStep | str, Field(union_mode="left_to_right")], ...] = ()
    """Sentences alone, as in the paper's Figure 3, can be read but not executed."""
    temporal_constraints: tuple[Annotated[ReleaseConstraint | str, Field(union_mode="left_to_right")], ...] = ()
    temporal_constraint_count: int | None = None
    raw_question: str | None = None
    final_question: str | None = None
    answer: str
    metadata: dict[str, Any] = Field(default_factory=dict)


def release_lines(records: Iterable[BenchmarkRecord]) -> Iterator[bytes]:
    """One line of JSON in the released schema for each record, without the newline, in the order of the records.

    Facts are named `f1`, `f2`, ... in the order of the evidence, which is shuffled, so that a name tells nothing.
    """
    for record in records:
        yield escape_line_ends(orjson.dumps(release_record(record)))


def release_record(record: BenchmarkRecord) -> dict[str, Any]:
    """A record as the object that one line holds.

    Raises:
        ValueError: the record has other sentences than steps.
        LookupError: its trace reads a fact that no step binds, or an id of it has no label.
    """
    temporal = sum(not isinstance(step, StructuralStep) for step in record.trace.steps)
    if (len(record.space_search_process), len(record.temporal_constraints)) != (len(record.trace.steps), temporal):
        raise ValueError("its sentences are not those of its steps")
    fids = {fact: f"f{number}" for number, fact in enumerate(record.evidence, start=1)}
    points = point_relations((record,))
    steps, constraints = _process(record, fids)
    return {
        "id": record.id,
        "graph_structure": record.graph_structure.value.replace(" ", ""),
        "hop_count": record.hop_count,
        "subgraph": [_fact(fact, fid, record.labels, points) for fact, fid in fids.items()],
        "space_search_process": steps,
        "temporal_constraints": constraints,
        "temporal_constraint_count": record.temporal_constraint_count,
        "raw_question": record.raw_question,
        "final_question": record.final_question,
        "answer": record.answer,
        "metadata": _metadata(record, fids),
    }


def generator_view(line: Mapping[str, Any]) -> dict[str, Any]:
    """What of a released object may be shown to a question generator: `GENERATOR_FIELDS`, nothing else."""
    view: dict[str, Any] = {}
    for name, inner in GENERATOR_FIELDS.items():
        value = line.get(name)
        view[name] = [_only(entry, inner) for entry in value] if inner and isinstance(value, list) else value
    return view


def _only(entry: Any, names: tuple[str, ...]) -> Any:
    return {name: entry[name] for name in names if name in entry} if isinstance(entry, Mapping) else entry


def release_time(text: str) -> int:
    """An ISO time as the released integer.

    >>> release_time("1996"), release_time("1996-05"), release_time("1996-05-01"), release_time("-0043-03-15")
    (1996, 199605, 19960501, -430315)
    """
    granule, unit = parse_iso(text)
    if unit is Granularity.YEAR:
        return granule
    year, month, day = (1970 + granule // 12, granule % 12 + 1, 0) if unit is Granularity.MONTH else civil_from_days(granule)
    digits = abs(year) * 100 + month if unit is Granularity.MONTH else abs(year) * 10_000 + month * 100 + day
    return -digits if year < 0 else digits


def granule_of(value: int, unit: Granularity) -> int:
    """The granule that a released integer stands for in a graph of this unit.

    Raises:
        ValueError: it is no month or no date, as where the file counts in another unit.
    """
    if unit is Granularity.YEAR:
        return value
    sign, digits = (-1, -value) if value < 0 else (1, value)
    if unit is Granularity.MONTH:
        year, month, day = digits // 100, digits % 100, 1
    else:
        year, month, day = digits // 10_000, digits // 100 % 100, digits % 100
    if not is_date(sign * year, month, day):
        raise ValueError(f"{value} is no {unit.value} of the calendar")
    return to_granule(unit, sign * year, month) if unit is Granularity.MONTH else days_from_civil(sign * year, month, day)


def _fact(fact: TemporalFact, fid: str, labels: Mapping[str, str], points: frozenset[str]) -> dict[str, Any]:
    return {
        "fid": fid,
        "subject_id": fact.subject,
        "subject": labels[fact.subject],
        "relation_id": fact.relation,
        "relation": labels[fact.relation],
        "object_id": fact.object,
        "object": labels[fact.object],
        "start": release_time(fact.start),
        "end": release_time(fact.end),
        "time_type": "point" if fact.relation in points else "interval",
    }


def _process(record: BenchmarkRecord, fids: Mapping[TemporalFact, str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The entries of the search process and of the constraints.

    The facts listed with a step are those that it reads when no temporal constraint is applied: dead ends stay in.
    """
    steps: list[dict[str, Any]] = []
    constraints: list[dict[str, Any]] = []
    sentences = iter(record.temporal_constraints)
    bound: dict[str, list[str]] = {}
    values: dict[str, set[str]] = {}
    for index, (step, sentence) in enumerate(zip(record.trace.steps, record.space_search_process, strict=True)):
        entry: dict[str, Any] = {"step_index": index, "operation": TEMPORAL_OPERATION, "description": sentence}
        entry |= {"candidate_count": step.candidates, "support_fids": [], "binding": {}}
        if isinstance(step, StructuralStep):
            facts = _fitting(step, record.evidence, values)
            bound[step.fact] = entry["support_fids"] = [fids[fact] for fact in facts]
            entry |= {"operation": OPERATION_OF[type(step)], "binding": {"pattern": list(step.pattern)}}
        else:
            binding, read = _binding(step, record, fids)
            reference = binding.get("reference_fact_fid")
            entry["support_fids"] = [*(fid for name in read for fid in bound[name]), *([reference] if reference else [])]
            constraints.append(
                {
                    "type": ORDINAL_TYPE if isinstance(step, OrdinalStep) else PAIRWISE_TYPE,
                    "code": CODE_OF[step.operator],
                    "description": next(sentences),
                    "step_index": index,
                    "support_fids": entry["support_fids"],
                    "binding": binding,
                }
            )
        steps.append(entry)
    return steps, constraints


def _fitting(step: StructuralStep, facts: Iterable[TemporalFact], values: dict[str, set[str]]) -> list[TemporalFact]:
    """The facts that fit a pattern between what its variables may stand for, which is narrowed or extended."""
    subject, relation, object_ = step.pattern
    ends = [values.get(end) if end.startswith("?") else {end} for end in (subject, object_)]
    found = [
        fact
        for fact in facts
        if fact.relation == relation and all(end is None or own in end for end, own in zip(ends, (fact.subject, fact.object), strict=True))
    ]
    for end, own in ((subject, {fact.subject for fact in found}), (object_, {fact.object for fact in found})):
        if end.startswith("?"):
            values[end] = own
    return found


def _binding(
    step: PairwiseStep | OrdinalStep, record: BenchmarkRecord, fids: Mapping[TemporalFact, str]
) -> tuple[dict[str, Any], list[str]]:
    """What a constraint compares, in the released keys and in ours, and the names of the facts of a row that it reads."""
    if isinstance(step, OrdinalStep):
        ranked = {"multi_event_type": step.operator, "rank": step.rank, "order": step.order.value, "fact": step.fact}
        return ranked, [step.fact]
    binding: dict[str, Any] = {"allen_code": CODE_OF[step.operator], "left": step.left, "right": step.right}
    reference = record.trace.references.get(step.right)
    if reference is not None:
        entity = _described_end(reference, record)
        binding |= {"reference_entity": entity, "reference_entity_text": record.labels[entity], "reference_fact_fid": fids[reference]}
        return binding, [step.left]
    for other in record.trace.steps:
        if isinstance(other, FilterStep) and other.fact == step.right:
            subject, relation, object_ = other.pattern
            binding |= {"backward_relation": relation, "backward_object": subject if object_.startswith("?") else object_}
    return binding, [step.left, step.right]


def _described_end(reference: TemporalFact, record: BenchmarkRecord) -> str:
    """The end of a reference at which the step that binds such facts has its variable."""
    for step in record.trace.steps:
        if isinstance(step, StructuralStep) and step.pattern[1] == reference.relation:
            if step.pattern[2] == reference.object:
                return reference.subject
            if step.pattern[0] == reference.subject:
                return reference.object
    return reference.subject


def _metadata(record: BenchmarkRecord, fids: Mapping[TemporalFact, str]) -> dict[str, Any]:
    root = next(step for step in record.trace.steps if isinstance(step, RootStep))
    subject, relation, object_ = root.pattern
    side, fixed = ("subject", subject) if object_.startswith("?") else ("object", object_)
    return {
        "answer_id": record.answer_id,
        "answer_aliases": list(record.answer_aliases),
        "dataset": record.dataset,
        "seed": {
            "seed_mode": "sr" if side == "subject" else "ro",
            "fixed_relation": relation,
            "fixed_relation_text": record.labels[relation],
            f"fixed_{side}": fixed,
            f"fixed_{side}_text": record.labels[fixed],
            "answer_role": "object" if side == "subject" else "subject",
        },
        "granularity": parse_iso(record.evidence[0].start)[1].value,
        "support_fids": [fids[fact] for fact in record.support_facts],
        "structure_hint": record.structure_hint,
        "backend": record.backend.model_dump() if record.backend else None,
        "provenance": record.provenance.model_dump(),
        "format": record.format,
    }
