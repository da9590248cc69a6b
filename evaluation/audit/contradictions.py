"""What a record states of itself twice, and not alike: the counts and names beside its trace."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any

from evaluation.exports.release import ReleaseRecord
from graph_sampler.operators import OPERATOR_NAMES, operator_named
from state.trace import StructuralStep, Trace
from state.vocabulary import Template

_FAMILY = {name: operator_named(name).family.value for name in OPERATOR_NAMES}
_TOPOLOGIES = {template.value.replace(" ", ""): template for template in Template}
_FACT = ("subject", "relation", "object", "start", "end")


def contradiction_of_ours(value: Mapping[str, Any], trace: Trace, evidence: Collection[Any]) -> str:
    """The first contradiction of a record of ours, in words; empty if there is none. Fields that it lacks contradict nothing."""
    return next(_of_ours(value, trace, evidence), "")


def contradiction_of_released(record: ReleaseRecord, trace: Trace | None) -> str:
    """The first contradiction of a released record, in words; empty if there is none."""
    return next(_of_released(record, trace), "")


def _of_ours(value: Mapping[str, Any], trace: Trace, evidence: Collection[Any]) -> Iterator[str]:
    operators = _operators(trace)
    for key, meant in (
        ("graph_structure", trace.template.value),
        ("hop_count", trace.template.hop_count),
        ("temporal_constraint_count", len(operators)),
        ("operators", operators),
        ("families", [_FAMILY[name] for name in operators]),
    ):
        if key in value and value[key] != meant:
            yield f"{key} is {value[key]!r}, of the trace {meant!r}"
    structural = sum(isinstance(step, StructuralStep) for step in trace.steps)
    if structural != trace.template.hop_count:
        yield f"{structural} structural steps where the template has {trace.template.hop_count}"
    support = value.get("support_facts")
    if isinstance(support, list):
        facts = [tuple(fact.get(key) for key in _FACT) if isinstance(fact, Mapping) else None for fact in support]
        if not facts:
            yield "there are no support facts"
        lost = sum(not _is_among(fact, evidence) for fact in facts)
        if lost:
            yield f"{lost} of {len(facts)} support facts are not in the evidence"
    for before, after in pairwise(trace.steps):
        if not isinstance(after, StructuralStep) and after.candidates > before.candidates:
            yield f"{after.constraint} leaves {after.candidates} candidates of {before.candidates}"


def _of_released(record: ReleaseRecord, trace: Trace | None) -> Iterator[str]:
    template = _TOPOLOGIES.get(record.graph_structure.replace(" ", ""))
    if template is None:
        yield f"graph_structure {record.graph_structure!r} is no known topology"
    elif record.hop_count != template.hop_count:
        yield f"hop_count is {record.hop_count}, of the topology {template.hop_count}"
    listed = len(record.temporal_constraints)
    if record.temporal_constraint_count is not None and record.temporal_constraint_count != listed:
        yield f"temporal_constraint_count is {record.temporal_constraint_count}, and {listed} constraints are listed"
    elif trace is not None and len(_operators(trace)) != listed:
        yield f"{listed} constraints are listed, and the trace has {len(_operators(trace))}"


def _is_among(fact: Any, evidence: Collection[Any]) -> bool:
    try:
        return fact in evidence
    except TypeError:  # a list or an object where a fact has text
        return False


def _operators(trace: Trace) -> list[str]:
    return [step.operator for step in trace.steps if not isinstance(step, StructuralStep)]
