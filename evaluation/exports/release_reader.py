"""Files in the released schema, read back: a record of ours as it was, anybody's as an executable trace.

The released files hold no trace, only what it left behind: the facts each step read, and for a constraint the code
with what it was bound to. `rebuild_trace` puts the steps together again from that. A chain's constraint that was
checked before the walk went on (its binding names only the relation of the next fact) is taken to speak of the fact
that is then walked, which is how the question reads. Paper: section 4.2.3, Figure 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from evaluation.exports.release import (
    OPERATION_OF,
    OPERATOR_OF,
    TEMPORAL_OPERATION,
    ReleaseConstraint,
    ReleaseFact,
    ReleaseRecord,
    ReleaseStep,
    granule_of,
)
from graph_sampler.operators import BY_NAME, ORDINAL_BY_NAME
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.interval import Granularity, format_granule
from state.trace import FilterStep, OrdinalStep, PairwiseStep, Pattern, RootStep, Step, Trace, TransitionStep
from state.vocabulary import RankOrder, Template

_TEMPLATES = {template.value.replace(" ", ""): template for template in Template}
_VARIABLES = ("?a", "?b", "?c")
_BASE, _FILTER, _TRANSITION = (OPERATION_OF[kind] for kind in (RootStep, FilterStep, TransitionStep))


class NotRebuilt(ValueError):
    """The fields of a released record do not say what its trace was; the text says what is missing."""


def read_release_record(line: bytes) -> BenchmarkRecord:
    """The record that `release_lines` wrote as this line.

    Raises:
        NotRebuilt: the line comes from somewhere else and lacks what only our files hold.
        ValueError: it is not a record of the released schema.
    """
    released = ReleaseRecord.model_validate(orjson.loads(line))
    metadata = released.metadata
    missing = [key for key in ("provenance", "granularity", "support_fids", "structure_hint", "dataset") if key not in metadata]
    if missing:
        raise NotRebuilt(f"metadata lacks {', '.join(missing)}")
    unit = Granularity(metadata["granularity"])
    facts = {fact.fid: as_temporal_fact(fact, unit) for fact in released.subgraph}
    trace = rebuild_trace(released, unit)
    operators = [step.operator for step in trace.steps if isinstance(step, PairwiseStep | OrdinalStep)]
    labels: dict[str, str] = {}
    for fact in released.subgraph:
        labels |= {fact.subject_id: fact.subject, fact.relation_id: fact.relation, fact.object_id: fact.object}
    return BenchmarkRecord.model_validate(
        {
            "id": released.id,
            "dataset": metadata["dataset"],
            "graph_structure": trace.template,
            "hop_count": released.hop_count,
            "space_search_process": tuple(_said(released.space_search_process)),
            "temporal_constraints": tuple(_said(released.temporal_constraints)),
            "temporal_constraint_count": released.temporal_constraint_count,
            "raw_question": released.raw_question,
            "final_question": released.final_question,
            "answer": released.answer,
            "answer_id": metadata["answer_id"],
            "answer_aliases": metadata["answer_aliases"],
            "families": tuple(BY_NAME[name].family if name in BY_NAME else ORDINAL_BY_NAME[name].family for name in operators),
            "operators": tuple(operators),
            "backend": metadata["backend"],
            "trace": trace,
            "support_facts": tuple(facts[fid] for fid in metadata["support_fids"]),
            "evidence": tuple(facts.values()),
            "structure_hint": metadata["structure_hint"],
            "labels": labels,
            "provenance": metadata["provenance"],
        }
    )


def as_temporal_fact(fact: ReleaseFact, unit: Granularity) -> TemporalFact:
    """A released fact in ISO times.

    Raises:
        ValueError: its times are not in this unit, or it ends before it starts.
    """
    start, end = (format_granule(granule_of(value, unit), unit) for value in (fact.start, fact.end))
    return TemporalFact(subject=fact.subject_id, relation=fact.relation_id, object=fact.object_id, start=start, end=end)


def rebuild_trace(record: ReleaseRecord, unit: Granularity) -> Trace:
    """The trace that a released record is the residue of; its times are in granules of `unit`.

    A constraint on a fact that is never walked (a chain's constraint checked on another relation) becomes a step of
    its own that joins that fact under a name such as `s1`.

    Raises:
        NotRebuilt: the fields leave it open.
    """
    template = _TEMPLATES.get(record.graph_structure.replace(" ", ""))
    if template is None:
        raise NotRebuilt(f"graph_structure {record.graph_structure!r} is none of the four templates")
    if any(isinstance(entry, str) for entry in (*record.space_search_process, *record.temporal_constraints)):
        raise NotRebuilt("its search process or constraints are sentences, without what they are bound to")
    if not record.space_search_process:
        raise NotRebuilt("space_search_process is empty")
    return _Rebuilding(record, template, unit).trace()


def _said(entries: Iterable[ReleaseStep | ReleaseConstraint | str]) -> Iterator[str]:
    for entry in entries:
        yield entry if isinstance(entry, str) else entry.description


class _Pending(NamedTuple):
    """A constraint on a fact that a later step binds."""

    operator: str
    relation: str | None
    """Relation of that fact; `None` where the file does not say."""
    candidates: int


class _Rebuilding:
    """One record's steps, put together in their order."""

    def __init__(self, record: ReleaseRecord, template: Template, unit: Granularity) -> None:
        self.record = record
        self.template = template
        self.unit = unit
        self.facts: dict[int | str, ReleaseFact] = {fact.fid: fact for fact in record.subgraph}
        self.constraints = [each for each in record.temporal_constraints if isinstance(each, ReleaseConstraint)]
        self.steps: list[Step] = []
        self.references: dict[str, TemporalFact] = {}
        self.reference_names: dict[int | str, str] = {}
        self.walked: dict[str, Pattern] = {}
        self.entries: list[tuple[ReleaseStep, str]] = []
        """The structural steps so far, each with the candidate after it."""
        self.candidate = "?a"
        self.pending: list[_Pending] = []
        self.temporal = 0
        self.sides = 0

    def trace(self) -> Trace:
        entries = [entry for entry in self.record.space_search_process if isinstance(entry, ReleaseStep)]
        for entry in entries:
            if entry.operation == TEMPORAL_OPERATION:
                self._constrain(entry)
            elif entry.operation == _BASE and not self.walked:
                self._walk(entry, RootStep)
            elif entry.operation == _FILTER and self.template is Template.BRANCH:
                self._walk(entry, FilterStep)
            elif entry.operation == _TRANSITION and self.template.is_chain:
                self._walk(entry, TransitionStep)
            else:
                raise NotRebuilt(f"a step {entry.operation!r} has no place in {self.template.value}")
        if self.pending:
            raise NotRebuilt("a constraint speaks of a fact that no step walks to")
        if self.temporal < len(self.constraints):
            raise NotRebuilt("temporal_constraints holds more than the steps of space_search_process")
        if len(self.walked) != self.template.hop_count:
            raise NotRebuilt(f"the steps walk {len(self.walked)} facts, {self.template.value} has {self.template.hop_count}")
        return Trace.model_construct(
            template=self.template, answer_variable=self.candidate, steps=tuple(self.steps), references=self.references
        )

    def _walk(self, entry: ReleaseStep, kind: type[RootStep | FilterStep | TransitionStep]) -> None:
        if kind is not RootStep and not self.walked:
            raise NotRebuilt("the first step is not the base")
        pattern = self._pattern(entry, kind)
        if len(self.walked) == len(_VARIABLES):
            raise NotRebuilt("more than three facts are walked")
        if kind is TransitionStep:
            self.candidate = next(end for end in (pattern[0], pattern[2]) if end != self.candidate)
        name = f"f{len(self.walked) + 1}"
        before = next(reversed(self.walked), None)
        self.walked[name] = pattern
        self.steps.append(_step(kind, fact=name, pattern=pattern, candidates=entry.candidate_count or 0))
        self.entries.append((entry, self.candidate))
        if kind is TransitionStep:
            pending, self.pending = self.pending, []
            for each in pending:
                self._settle(each, str(before), name)

    def _settle(self, pending: _Pending, left: str, walked: str) -> None:
        """A constraint that waited for the fact just walked; on another relation it joins a fact of its own."""
        pattern = self.walked[walked]
        if pending.relation not in (None, pattern[1]):
            self.sides += 1
            variable = next(end for end in (pattern[0], pattern[2]) if end != self.candidate)
            side = f"s{self.sides}"
            pattern = (variable, str(pending.relation), f"?{side}")
            self.steps.append(_step(FilterStep, fact=side, pattern=pattern, candidates=pending.candidates))
            walked = side
        self._pairwise(pending.operator, left, walked, pending.candidates)

    def _pattern(self, entry: ReleaseStep, kind: type[RootStep | FilterStep | TransitionStep]) -> Pattern:
        stated = entry.binding.get("pattern")
        if isinstance(stated, list) and len(stated) == 3 and all(isinstance(end, str) for end in stated):
            return self._checked((stated[0], stated[1], stated[2]), kind)
        if kind is RootStep:
            return self._root(entry)
        return self._branch(entry) if kind is FilterStep else self._transition(entry)

    def _checked(self, pattern: Pattern, kind: type[RootStep | FilterStep | TransitionStep]) -> Pattern:
        variables = [end for end in (pattern[0], pattern[2]) if end.startswith("?")]
        wanted = 2 if kind is TransitionStep else 1
        if len(set(variables)) != wanted or self.candidate not in variables:
            raise NotRebuilt(f"a step's pattern {' '.join(pattern)} does not join to the step before")
        return pattern

    def _root(self, entry: ReleaseStep) -> Pattern:
        seed = self.record.metadata.get("seed")
        seed = seed if isinstance(seed, dict) else {}
        relation = seed.get("fixed_relation")
        if isinstance(relation, str):
            if isinstance(seed.get("fixed_subject"), str):
                return (seed["fixed_subject"], relation, self.candidate)
            if isinstance(seed.get("fixed_object"), str):
                return (self.candidate, relation, seed["fixed_object"])
        facts = self._listed(entry)
        subjects, relations, objects = ({getattr(fact, key) for fact in facts} for key in ("subject_id", "relation_id", "object_id"))
        if len(relations) == 1 and (len(subjects) == 1) != (len(objects) == 1):
            relation = relations.pop()
            return (subjects.pop(), relation, self.candidate) if len(subjects) == 1 else (self.candidate, relation, objects.pop())
        raise NotRebuilt("neither metadata.seed nor the facts of the base step say which pattern is the root")

    def _branch(self, entry: ReleaseStep) -> Pattern:
        for binding in (entry.binding, *(constraint.binding for constraint in self.constraints)):
            relation, other = binding.get("backward_relation"), binding.get("backward_object")
            if isinstance(relation, str) and isinstance(other, str):
                return (self.candidate, relation, other)
        facts, known = self._new_facts(entry)
        ends = {(fact.relation_id, fact.object_id) for fact in facts if fact.subject_id in known}
        if len(ends) == 1 and facts:
            return (self.candidate, *ends.pop())
        raise NotRebuilt("neither a binding nor the facts of the filter say what it filters by")

    def _transition(self, entry: ReleaseStep) -> Pattern:
        new = _VARIABLES[min(len(self.walked), len(_VARIABLES) - 1)]
        facts, known = self._new_facts(entry)
        relations = {fact.relation_id for fact in facts}
        forward = all(fact.subject_id in known for fact in facts)
        backward = all(fact.object_id in known for fact in facts)
        if len(relations) == 1 and forward != backward:
            relation = relations.pop()
            return (self.candidate, relation, new) if forward else (new, relation, self.candidate)
        raise NotRebuilt("the facts of a transition do not say where it leads")

    def _new_facts(self, entry: ReleaseStep) -> tuple[list[ReleaseFact], set[str]]:
        """The facts of a step that no earlier one had, and what the candidate before it may stand for."""
        used: set[int | str] = set()
        ends: set[str] = set()
        for (earlier, candidate), pattern in zip(self.entries, self.walked.values(), strict=True):
            bound = [fact for fact in self._listed(earlier) if fact.fid not in used and fact.relation_id == pattern[1]]
            used.update(fact.fid for fact in bound)
            if earlier.operation != _FILTER:
                ends = {fact.subject_id if pattern[0] == candidate else fact.object_id for fact in bound}
        return [fact for fact in self._listed(entry) if fact.fid not in used], ends

    def _listed(self, entry: ReleaseStep) -> list[ReleaseFact]:
        fids = entry.support_fids if isinstance(entry.support_fids, list | tuple) else ()
        return [self.facts[fid] for fid in fids if isinstance(fid, int | str) and fid in self.facts]

    def _constrain(self, entry: ReleaseStep) -> None:
        constraint = self._constraint_of(entry)
        self.temporal += 1
        operator = OPERATOR_OF.get(constraint.code)
        if operator is None:
            raise NotRebuilt(f"{constraint.code!r} is no code of the released list")
        if not self.walked:
            raise NotRebuilt("the first step is not the base")
        binding, count = constraint.binding, entry.candidate_count or 0
        here = next(reversed(self.walked))
        left, right, fact = (self._walked_name(binding, key) for key in ("left", "right", "fact"))
        is_on_one = operator in ORDINAL_BY_NAME or "reference_fact_fid" in binding
        if self.template is Template.BRANCH and is_on_one and not (left or fact):
            # The candidate has two facts; the authors' own files have no such constraint in a branch.
            raise NotRebuilt("a constraint on one of a branch's two facts does not say which")
        if operator in ORDINAL_BY_NAME:
            self._ordinal(operator, binding, fact or here, count)
        elif "reference_fact_fid" in binding:
            self._pairwise(operator, left or here, self._reference(binding), count)
        elif left and right:
            self._pairwise(operator, left, right, count)
        elif isinstance(binding.get("forward_relation"), str):
            self.pending.append(_Pending(operator, binding["forward_relation"], count))
        elif len(self.walked) > 1:
            before, last = list(self.walked)[-2:]
            self._pairwise(operator, before, last, count)
        elif self.template.is_chain:
            self.pending.append(_Pending(operator, None, count))
        else:
            raise NotRebuilt("a constraint does not say what it compares with")

    def _walked_name(self, binding: dict[str, Any], key: str) -> str | None:
        """A fact name that a binding of ours holds; `None` for anything else."""
        name = binding.get(key)
        return name if isinstance(name, str) and name in self.walked else None

    def _constraint_of(self, entry: ReleaseStep) -> ReleaseConstraint:
        """A temporal step's constraint: the one with its index, else the next."""
        at_index = [each for each in self.constraints if each.step_index is not None and each.step_index == entry.step_index]
        if len(at_index) == 1:
            return at_index[0]
        if self.temporal < len(self.constraints):
            return self.constraints[self.temporal]
        raise NotRebuilt("a temporal step has no entry in temporal_constraints")

    def _ordinal(self, operator: str, binding: dict[str, Any], fact: str, count: int) -> None:
        rank, order = binding.get("rank"), binding.get("order", RankOrder.ASCENDING.value)
        if not isinstance(rank, int) or isinstance(rank, bool) or rank < 1:
            raise NotRebuilt("an ordinal does not say which rank it keeps")
        if not isinstance(order, str) or order not in set(RankOrder):
            raise NotRebuilt(f"an ordinal ranks in no known order: {order!r}")
        self.steps.append(
            _step(
                OrdinalStep,
                constraint=f"c{self._number()}",
                operator=operator,
                fact=fact,
                rank=rank,
                order=RankOrder(order),
                candidates=count,
            )
        )

    def _reference(self, binding: dict[str, Any]) -> str:
        fid = binding["reference_fact_fid"]
        if not isinstance(fid, int | str) or fid not in self.facts:
            raise NotRebuilt("a constraint's reference fact is not in the subgraph")
        if fid not in self.reference_names:
            name = self.reference_names[fid] = f"g{len(self.reference_names) + 1}"
            try:
                self.references[name] = _reference(self.facts[fid], self.unit)
            except ValueError as err:
                raise NotRebuilt(f"a reference fact's times cannot be read: {_first_line(err)}") from err
        return self.reference_names[fid]

    def _pairwise(self, operator: str, left: str, right: str, count: int) -> None:
        name = f"c{self._number()}"
        self.steps.append(_step(PairwiseStep, constraint=name, operator=operator, left=left, right=right, candidates=count))

    def _number(self) -> int:
        return 1 + sum(isinstance(step, PairwiseStep | OrdinalStep) for step in self.steps)


@lru_cache(maxsize=65536)
def _step(kind: type[Step], **fields: Any) -> Step:
    """A step, not validated again, and remembered: making it would take longer than all else here."""
    return kind.model_construct(**fields)


@lru_cache(maxsize=65536)
def _reference(fact: ReleaseFact, unit: Granularity) -> TemporalFact:
    """`as_temporal_fact`, remembered: the records of one root share their references."""
    return as_temporal_fact(fact, unit)


def _first_line(err: Exception) -> str:
    return str(err).split("\n")[0]
