"""A trace executed over a handful of facts, row by row. Paper: section 4.2.3.

The sampler judges traces by bit masks over a whole graph; this is for the evidence of one instance: what
a trace, or a damaged one, names among the facts that a verifier sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from graph_sampler.operators import BY_NAME, ORDINAL_BY_NAME, operators_of
from state.fact import TemporalFact
from state.trace import FilterStep, OrdinalStep, PairwiseStep, StructuralStep, Trace, TransitionStep
from state.vocabulary import RankOrder


class Row(NamedTuple):
    """One way to satisfy the steps so far."""

    entities: dict[str, str]
    """Variable -> entity id."""
    facts: dict[str, TemporalFact]
    """Fact name -> fact."""


class Execution(NamedTuple):
    """What a trace comes to."""

    rows: tuple[Row, ...]
    """The rows left at the end, in an order that follows that of the facts."""
    answers: frozenset[str]
    """Entity ids bound to the candidate variable in them."""
    candidates: tuple[int, ...]
    """Size of the candidate set after each step."""


def execute(trace: Trace, facts: Sequence[TemporalFact]) -> Execution:
    """The rows and candidate sets of a trace over these facts; its references need not be among them.

    An ordinal keeps the rows at the dense rank of their distinct facts, and none if there is no such rank.
    A pairwise constraint never holds between a fact and itself. Cost: the product of the facts that fit
    each structural step.
    """
    rows = [Row({}, {})]
    candidate = ""
    sizes = []
    for step in trace.steps:
        if isinstance(step, StructuralStep):
            candidate = _candidate_after(step, candidate)
            rows = _join(rows, step, facts)
        elif isinstance(step, PairwiseStep):
            rows = [row for row in rows if _keeps(step, row, trace)]
        else:
            rows = _at_rank(step, rows)
        sizes.append(len(_candidates(rows, candidate)))
    return Execution(tuple(rows), _candidates(rows, candidate), tuple(sizes))


def structure_of(trace: Trace) -> Trace:
    """The trace without its temporal steps."""
    steps = tuple(step for step in trace.steps if isinstance(step, StructuralStep))
    return trace.model_copy(update={"steps": steps, "references": {}})


def _candidates(rows: Sequence[Row], candidate: str) -> frozenset[str]:
    return frozenset(row.entities[candidate] for row in rows)


def _candidate_after(step: StructuralStep, candidate: str) -> str:
    """A transition's new variable is the one that is not the candidate before it."""
    variables = [end for end in (step.pattern[0], step.pattern[2]) if end.startswith("?")]
    if isinstance(step, TransitionStep):
        return next(end for end in variables if end != candidate)
    return candidate if isinstance(step, FilterStep) else variables[0]


def _join(rows: list[Row], step: StructuralStep, facts: Sequence[TemporalFact]) -> list[Row]:
    """Every row with every fact that fits it; all rows bind the same variables."""
    subject, relation, object_ = step.pattern
    bound = rows[0].entities if rows else {}
    fitting: dict[str, list[TemporalFact]] = {}
    for fact in facts:
        if fact.relation == relation:
            near = fact.subject if subject in bound else fact.object if object_ in bound else ""
            fitting.setdefault(near, []).append(fact)
    joined = []
    for row in rows:
        near = row.entities.get(subject, row.entities.get(object_, ""))
        joined += [longer for fact in fitting.get(near, ()) if (longer := _extend(row, step, fact)) is not None]
    return joined


def _extend(row: Row, step: StructuralStep, fact: TemporalFact) -> Row | None:
    """The row with one more fact, if that fits its pattern's ends and what is bound."""
    subject, _, object_ = step.pattern
    entities = dict(row.entities)
    for end, entity in ((subject, fact.subject), (object_, fact.object)):
        if (entities.setdefault(end, entity) if end.startswith("?") else end) != entity:
            return None
    return Row(entities, {**row.facts, step.fact: fact})


def _keeps(step: PairwiseStep, row: Row, trace: Trace) -> bool:
    left = row.facts[step.left]
    right = trace.references[step.right] if step.right in trace.references else row.facts[step.right]
    (a, b), (c, d) = left.interval, right.interval
    operator = BY_NAME[step.operator]
    by_precedence = (other for other in operators_of(operator.family) if other.holds(a, b, c, d))
    return next(by_precedence, None) is operator and left != right


def _at_rank(step: OrdinalStep, rows: list[Row]) -> list[Row]:
    key = ORDINAL_BY_NAME[step.operator].key
    keys = [int(key(*row.facts[step.fact].interval)) for row in rows]
    distinct = sorted(set(keys), reverse=step.order is RankOrder.DESCENDING)
    if step.rank > len(distinct):
        return []
    return [row for row, own in zip(rows, keys, strict=True) if own == distinct[step.rank - 1]]
