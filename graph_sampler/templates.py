"""Trace -> rigid template question, one fragment for each step. Paper: section 4.3.1.

The text is exact rather than fluent: every structural step is one clause that numbers its fact,
every constraint is one clause that names its facts by that number or by both their ends, and the
clauses stand in the order of execution. Labels stand in double quotes, a quote inside doubled.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from state.fact import TemporalFact
from state.interval import Granularity
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, Step, StructuralStep, Trace, TransitionStep
from state.vocabulary import RankOrder, Template

VARIABLE_NAMES: dict[str, str] = {"?a": "X", "?b": "Y", "?c": "Z"}
FACT_NAMES: dict[str, str] = {"f1": "first fact", "f2": "second fact", "f3": "third fact"}

PAIRWISE_PHRASES: dict[str, str] = {
    "I-equals-I": "{x} has the same start {u} and the same end {u} as {y}",
    "I-starts-I": "{x} has the same start {u} as {y} but ended earlier",
    "I-started-by-I": "{x} has the same start {u} as {y} but ended later",
    "I-finishes-I": "{x} has the same end {u} as {y} but started later",
    "I-finished-by-I": "{x} has the same end {u} as {y} but started earlier",
    "I-before-I": "{x} ended in an earlier {u} than the one in which {y} started",
    "I-after-I": "{x} started in a later {u} than the one in which {y} ended",
    "I-meets-I": "{x} ended in the same {u} in which {y} started",
    "I-met-by-I": "{x} started in the same {u} in which {y} ended",
    "I-during-I": "{x} started in a later {u} and ended in an earlier {u} than {y}",
    "I-contains-I": "{x} started in an earlier {u} and ended in a later {u} than {y}",
    "I-overlaps-I": "{x} started earlier than {y} and ended during it, past its start {u} and before its end {u}",
    "I-overlapped-by-I": "{x} ended later than {y} and started during it, past its start {u} and before its end {u}",
    "P-at-start-I": "{x} happened in the {u} in which {y} started",
    "P-at-end-I": "{x} happened in the {u} in which {y} ended",
    "P-before-I": "{x} happened in an earlier {u} than the one in which {y} started",
    "P-after-I": "{x} happened in a later {u} than the one in which {y} ended",
    "P-inside-I": "{x} happened during {y}, past its start {u} and before its end {u}",
    "I-starts-at-P": "{x} started in the {u} in which {y} happened",
    "I-ends-at-P": "{x} ended in the {u} in which {y} happened",
    "I-after-P": "{x} started in a later {u} than the one in which {y} happened",
    "I-before-P": "{x} ended in an earlier {u} than the one in which {y} happened",
    "I-covers-P": "{x} started in an earlier {u} and ended in a later {u} than the one in which {y} happened",
    "P-before-P": "{x} happened in an earlier {u} than {y}",
    "P-equals-P": "{x} happened in the same {u} as {y}",
    "P-after-P": "{x} happened in a later {u} than {y}",
}
"""Pairwise operator -> clause; `{x}` and `{y}` name the two facts, `{u}` the granularity."""

ORDINAL_PHRASES: dict[tuple[str, RankOrder], str] = {
    ("start_rank", RankOrder.ASCENDING): "earliest to start",
    ("start_rank", RankOrder.DESCENDING): "latest to start",
    ("end_rank", RankOrder.ASCENDING): "earliest to end",
    ("end_rank", RankOrder.DESCENDING): "latest to end",
    ("duration_rank", RankOrder.ASCENDING): "shortest",
    ("duration_rank", RankOrder.DESCENDING): "longest",
}
"""Ordinal operator and order -> superlative; a point fact drops `to start`."""


def quote(label: str) -> str:
    """A label in double quotes, a quote inside it doubled."""
    return '"' + label.replace('"', '""') + '"'


def rank_word(rank: int) -> str:
    """`""` for rank 1, else `2nd `, `3rd `, `11th `, with its blank."""
    if rank == 1:
        return ""
    suffix = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{suffix} "


def clause(subject: str, relation: str, object_: str) -> str:
    """`subject has the relation "relation" to object`; the ends are variables or quoted labels."""
    return f"{subject} has the relation {quote(relation)} to {object_}"


def reference_phrase(subject_label: str, relation_label: str, object_label: str) -> str:
    """A reference fact, named by both its ends."""
    return f"the fact that {clause(quote(subject_label), relation_label, quote(object_label))}"


def pairwise_clause(operator: str, left: str, right: str, granularity: Granularity) -> str:
    """A pairwise constraint; `left` and `right` are phrases such as `the first fact`."""
    return PAIRWISE_PHRASES[operator].format(x=left, y=right, u=granularity.value)


def ordinal_clause(operator: str, fact: str, rank: int, order: RankOrder, is_point: bool) -> str:
    """An ordinal constraint; it ranks facts of one name among the rows left by the steps before it."""
    superlative = ORDINAL_PHRASES[operator, order]
    if is_point:
        superlative = superlative.removesuffix(" to start")
    return f"of all {FACT_NAMES[fact]}s that qualify so far this is the {rank_word(rank)}{superlative}"


def assemble(answer_variable: str, stages: list[tuple[list[str], list[str]]]) -> str:
    """The question from its stages, each a list of structural and a list of temporal clauses."""
    parts = []
    for structural, temporal in stages:
        part = ", and ".join(structural)
        parts.append(f"{part}, where {', and '.join(temporal)}" if temporal else part)
    return f"Which entity {VARIABLE_NAMES[answer_variable]} is such that {'; and '.join(parts)}?"


class Verbaliser:
    """Words for the steps of traces over one graph."""

    def __init__(self, labels: Mapping[str, str], point_relations: AbstractSet[str], granularity: Granularity) -> None:
        """Takes id -> label for every id used, the ids of point relations, and the unit of time."""
        self.labels = labels
        self.point_relations = point_relations
        self.granularity = granularity

    def term(self, end: str) -> str:
        """A pattern's end: a variable's letter or a quoted label."""
        return VARIABLE_NAMES[end] if end.startswith("?") else quote(self.labels[end])

    def structural(self, step: StructuralStep) -> str:
        """The clause of a structural step, with its fact's number."""
        subject, relation, object_ = step.pattern
        return f"{clause(self.term(subject), self.labels[relation], self.term(object_))} ({FACT_NAMES[step.fact]})"

    def fact_phrase(self, name: str, references: Mapping[str, TemporalFact]) -> str:
        """`the first fact`, or a reference by both its ends."""
        if name in FACT_NAMES:
            return f"the {FACT_NAMES[name]}"
        fact = references[name]
        return reference_phrase(self.labels[fact.subject], self.labels[fact.relation], self.labels[fact.object])

    def temporal(self, step: PairwiseStep | OrdinalStep, trace: Trace) -> str:
        """The clause of a temporal step."""
        if isinstance(step, PairwiseStep):
            left, right = (self.fact_phrase(name, trace.references) for name in (step.left, step.right))
            return pairwise_clause(step.operator, left, right, self.granularity)
        patterns = {other.fact: other.pattern for other in trace.steps if isinstance(other, StructuralStep)}
        is_point = patterns[step.fact][1] in self.point_relations
        return ordinal_clause(step.operator, step.fact, step.rank, step.order, is_point)

    def question(self, trace: Trace) -> str:
        """The template question of a trace."""
        stages: list[tuple[list[str], list[str]]] = []
        for step in trace.steps:
            if isinstance(step, RootStep | TransitionStep):
                stages.append(([], []))
            if isinstance(step, StructuralStep):
                stages[-1][0].append(self.structural(step))
            else:
                stages[-1][1].append(self.temporal(step, trace))
        return assemble(trace.answer_variable, stages)

    def search_process(self, trace: Trace) -> tuple[str, ...]:
        """One sentence a step with the size of the candidate set after it. Paper: Figure 3."""
        return tuple(f"{self._search_step(step)} | {count_candidates(step.candidates)}" for step in trace.steps)

    def constraints(self, trace: Trace) -> tuple[str, ...]:
        """One sentence a constraint, in step order."""
        return tuple(
            f"{step.operator}: {self.temporal(step, trace)}" for step in trace.steps if isinstance(step, PairwiseStep | OrdinalStep)
        )

    def _search_step(self, step: Step) -> str:
        if isinstance(step, RootStep | FilterStep | TransitionStep):
            subject, relation, object_ = step.pattern
            ends = [end if end.startswith("?") else self.labels[end] for end in (subject, object_)]
            if step.pattern[0] == "?a" and not object_.startswith("?"):
                return f"{step.action}: {self.labels[relation]} -> {ends[1]}"
            return f"{step.action}: {ends[0]} -> {self.labels[relation]} -> {ends[1]}"
        if isinstance(step, PairwiseStep):
            return f"{step.action}: {step.operator}({step.left}, {step.right})"
        return f"{step.action}: {step.operator}({step.fact}) = {step.rank} {step.order}"


def count_candidates(count: int) -> str:
    """`1 candidate`, `26 candidates`."""
    return f"{count} candidate" if count == 1 else f"{count} candidates"


def structure_hint(template: Template, relation_labels: list[str]) -> str:
    """Topology, hop count and relation labels, no more: it must not tell a constraint."""
    hops = template.hop_count
    names = ", ".join(quote(label) for label in dict.fromkeys(relation_labels))
    return f"Topology {template.value}, {hops} {'hop' if hops == 1 else 'hops'}, relations {names}."
