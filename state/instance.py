"""The benchmark record: one instance from trace to final question. Paper: Figure 3."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import Field, model_validator

from state.fact import LabelledFact, TemporalFact
from state.model_base import Contract
from state.trace import Trace
from state.vocabulary import ConstraintCount, DiscardReason, Family, Node, Template


class Backend(Contract):
    """Which models made the record; `None` in a record that no agent has touched."""

    rewriter: str
    """Model name of the rewriter, or `offline-rules`."""
    verifier: str
    """Model name of the verifier, or `offline-rules`."""


class Provenance(Contract):
    """Where an instance comes from."""

    source: str
    """Name of the source graph."""
    content_hash: str
    """SHA-256 of the sorted cleaned facts and labels."""
    seed: int
    """The sampler's seed."""
    root: str
    """The root's pattern, written `["?a", relation, entity]`."""
    version: str
    """Version of the package."""


class BenchmarkRecord(Contract):
    """One instance; the first block of keys is the paper's Figure 3."""

    id: str
    """`<dataset>-` and 12 hex digits of the SHA-256 of the canonical query."""
    dataset: str
    """Name of the benchmark."""
    graph_structure: Template
    """The template."""
    hop_count: int = Field(ge=1, le=3)
    """Number of structural facts."""
    space_search_process: tuple[str, ...]
    """One sentence a step, with the size of the candidate set after it."""
    temporal_constraints: tuple[str, ...]
    """One sentence a constraint, in step order."""
    temporal_constraint_count: int = Field(ge=1)
    """Number of temporal constraints; an ordinal counts as one."""
    raw_question: str
    """The template question."""
    final_question: str | None
    """The accepted question; `None` until one is."""
    answer: str
    """Label of the answer."""
    answer_id: str
    """Entity id of the answer."""
    answer_aliases: tuple[str, ...]
    """Other names of the answer."""
    families: tuple[Family, ...]
    """One family a constraint, in step order."""
    operators: tuple[str, ...]
    """One operator name a constraint, in step order."""
    backend: Backend | None
    """Which rewriter and verifier made the final question; `None` until one did."""
    trace: Trace
    """The executable query."""
    support_facts: tuple[TemporalFact, ...]
    """The facts of the rows left at the end, and the references: the proof."""
    evidence: tuple[TemporalFact, ...]
    """Every fact that the verifier sees, in the instance's own shuffled order."""
    structure_hint: str
    """Topology, hop count and relation labels, no more."""
    labels: dict[str, str]
    """Id -> label for every entity and relation used."""
    provenance: Provenance
    """Source, seed and version."""
    format: Literal[1] = 1
    """Format version of the line."""

    @model_validator(mode="after")
    def _is_coherent(self) -> BenchmarkRecord:
        if self.hop_count != self.graph_structure.hop_count or self.trace.template is not self.graph_structure:
            raise ValueError("template, hop_count and trace disagree")
        count = self.temporal_constraint_count
        if not count == len(self.operators) == len(self.families) == len(self.temporal_constraints):
            raise ValueError("temporal_constraint_count differs from the constraints listed")
        shown = set(self.evidence)
        if any(fact not in shown for fact in (*self.support_facts, *self.trace.references.values())):
            raise ValueError("a support fact or reference is missing from the evidence")
        used = {self.answer_id}.union(*((fact.subject, fact.relation, fact.object) for fact in self.evidence))
        if not used <= self.labels.keys() or self.labels[self.answer_id] != self.answer:
            raise ValueError("labels do not cover the evidence and the answer")
        return self

    @property
    def constraint_part(self) -> ConstraintCount:
        """S for exactly one temporal constraint, else M."""
        return ConstraintCount.SINGLE if self.temporal_constraint_count == 1 else ConstraintCount.MULTI

    @cached_property
    def labelled_evidence(self) -> tuple[LabelledFact, ...]:
        """The evidence with its labels, in order."""
        return tuple(map(self.labelled, self.evidence))

    def labelled(self, fact: TemporalFact) -> LabelledFact:
        """A fact of the record with its labels."""
        return LabelledFact.model_construct(
            subject=fact.subject,
            relation=fact.relation,
            object=fact.object,
            start=fact.start,
            end=fact.end,
            subject_label=self.labels[fact.subject],
            relation_label=self.labels[fact.relation],
            object_label=self.labels[fact.object],
        )


class DiscardedRecord(BenchmarkRecord):
    """A line of `discarded.jsonl`: the record and why it was thrown away."""

    reason: DiscardReason
    """Why."""
    detail: str
    """The last question and what spoke against it."""
    last_node: Node
    """The node that decided."""


class FailedRecord(BenchmarkRecord):
    """A line of `failed.jsonl`: the record of an instance that an agent could not finish."""

    reason: Literal["agent error"] = "agent error"
    """Always an agent error."""
    detail: str
    """The last try's error."""
    last_node: Node
    """The node whose role gave no usable reply."""
