"""Which relations are point relations, from records alone: a packed run has no graph. Paper: section 4.2.1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graph_sampler.operators import BY_NAME, ORDINAL_BY_NAME
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep, StructuralStep


def point_relations(records: Iterable[BenchmarkRecord]) -> frozenset[str]:
    """Ids of the point relations among those that the records use.

    A relation is one of intervals if an operator reads it as such, or if one of its facts, in any evidence,
    is longer than a granule; all others are point relations. This errs where an interval relation shows
    one-granule facts alone and no operator but `start_rank` reads it; the more records of a run are given,
    the rarer that is.
    """
    seen: set[str] = set()
    intervals: set[str] = set()
    for record in records:
        seen.update(fact.relation for fact in record.evidence)
        intervals.update(fact.relation for fact in record.evidence if fact.start != fact.end)
        intervals.update(_read_as_intervals(record))
    return frozenset(seen - intervals)


def _read_as_intervals(record: BenchmarkRecord) -> Iterator[str]:
    """Relations that an operator of the record takes for intervals."""
    relations = {name: fact.relation for name, fact in record.trace.references.items()}
    relations |= {step.fact: step.pattern[1] for step in record.trace.steps if isinstance(step, StructuralStep)}
    for step in record.trace.steps:
        if isinstance(step, PairwiseStep):
            sides = BY_NAME[step.operator].family.value.split("-")
            yield from (relations[name] for name, side in zip((step.left, step.right), sides, strict=True) if side == "I")
        elif isinstance(step, OrdinalStep) and not ORDINAL_BY_NAME[step.operator].for_points:
            yield relations[step.fact]
