"""Rule 7 by brute force: whether a row dropped in cleaning could change an answer, under every choice worth trying."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from state.trace import OrdinalStep, PairwiseStep, StructuralStep, Trace
from tests.brute_force_execution import Execution, Row, execute, extend, holds, look_up
from tests.brute_force_graph import Aside, BruteGraph, Fact


def is_doubtful(graph: BruteGraph, trace: Trace, references: dict[str, Fact], full: Execution | None = None) -> str | None:
    """Why a trace is doubtful, or `None`.

    Added rows can only add to what is left before the first ordinal, and as long as an ordinal's pool
    gains no fact it selects the same fact; so each row with a dropped fact is judged by itself, under
    every choice of its own bounds out of values around the ends that it can be compared with.
    """
    full = full or execute(graph, trace, references)
    structural = [step for step in trace.steps if isinstance(step, StructuralStep)]
    rows: list[Row] = [{}]
    for step in structural:
        longer: list[Row] = []
        for row in rows:
            longer += [extend(row, step, fact) for fact in look_up(graph.by_end, row, step)]
            longer += [extend(row, step, aside) for aside in look_up(graph.aside_by_end, row, step)]
        rows = longer
    names = [step.fact for step in structural]
    has_ordinal = any(isinstance(step, OrdinalStep) for step in trace.steps)
    for row in rows:
        dropped = list(dict.fromkeys(row[name] for name in names if isinstance(row[name], Aside)))
        if not dropped or (row[trace.answer_variable] in full.answers and not has_ordinal):
            continue
        for chosen in choices(row, names, dropped, graph, trace, references):
            reason = follow(chosen, trace, references, full)
            if reason is not None:
                return reason
    return None


def choices(
    row: Row, names: list[str], dropped: list[Aside], graph: BruteGraph, trace: Trace, references: dict[str, Fact]
) -> Iterator[Row]:
    """The row with its dropped rows as facts, for every choice of bounds worth trying.

    Comparisons see only the order of bounds, so any solution can be moved to within one step for
    each open bound of some known one; wider steps are there for exactness with several open bounds.
    """
    known = {bound for fact in references.values() for bound in (fact.start, fact.end)}
    known |= {bound for name in names if isinstance(row[name], Fact) for bound in (row[name].start, row[name].end)}
    known |= {bound for aside in dropped for bound in aside[3:] if bound is not None}
    width = sum((aside.start_low != aside.start_high or aside.start_low is None) + 1 for aside in dropped)
    values = sorted({bound + step for bound in known or {0} for step in range(-width, width + 1)})
    first_ordinal = next((number for number, step in enumerate(trace.steps) if isinstance(step, OrdinalStep)), len(trace.steps))
    early = [step for step in trace.steps[:first_ordinal] if isinstance(step, PairwiseStep)]
    options: list[list[Fact]] = []
    for aside in dropped:
        starts = [value for value in values if within(value, aside.start_low, aside.start_high)]
        ends = [value for value in values if within(value, aside.end_low, aside.end_high)]
        is_point = aside.relation in graph.points
        facts = [Fact(*aside[:3], s, e) for s in starts for e in ends if s == e or (s < e and not is_point)]
        own = [name for name in names if row[name] == aside]
        for step in early:
            right = references.get(step.right) or row[step.right]
            if step.left in own and isinstance(right, Fact):
                facts = [fact for fact in facts if fact != right and holds(step.operator, fact, right)]
            elif step.right in own and isinstance(row[step.left], Fact):
                facts = [fact for fact in facts if fact != row[step.left] and holds(step.operator, row[step.left], fact)]
        options.append(facts)
    for combination in itertools.product(*options):
        facts_of = dict(zip(dropped, combination, strict=True))
        yield {name: facts_of.get(value, value) if name in names else value for name, value in row.items()}


def within(value: int, low: int | None, high: int | None) -> bool:
    """Whether a value lies in a range whose bounds may be missing."""
    return (low is None or low <= value) and (high is None or value <= high)


def follow(row: Row, trace: Trace, references: dict[str, Fact], full: Execution) -> str | None:
    """What one added row would change: an ordinal's pool, or the answer set."""
    for position, step in enumerate(trace.steps):
        if isinstance(step, PairwiseStep):
            right = references.get(step.right) or row[step.right]
            if row[step.left] == right or not holds(step.operator, row[step.left], right):
                return None
        elif isinstance(step, OrdinalStep):
            if all(row[step.fact] != other[step.fact] for other in full.rows_after[position - 1]):
                return f"{step.constraint} might rank {row[step.fact]}"
            if all(row[step.fact] != other[step.fact] for other in full.rows_after[position]):
                return None
    entity = row[trace.answer_variable]
    return None if entity in full.answers else f"{entity} might be an answer"
