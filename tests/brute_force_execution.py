"""A second reading of operators and traces, row by row, for the brute-force evaluator.

Nothing here comes from the product but the contracts of `state`: the operators are one chain of
`if`s for each family, a row is a dictionary from variables and fact names to entities and facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, Step, StructuralStep, Trace, TransitionStep
from state.vocabulary import RankOrder
from tests.brute_force_graph import Aside, BruteGraph, Fact

Row = dict[str, Any]
T = TypeVar("T", Fact, Aside)
Holds = Callable[[str, Fact, Fact], bool]

FAMILIES: dict[str, tuple[str, ...]] = {
    "I-I": (
        "I-equals-I", "I-starts-I", "I-started-by-I", "I-finishes-I", "I-finished-by-I", "I-before-I", "I-after-I",
        "I-meets-I", "I-met-by-I", "I-during-I", "I-contains-I", "I-overlaps-I", "I-overlapped-by-I",
    ),
    "P-I": ("P-at-start-I", "P-at-end-I", "P-before-I", "P-after-I", "P-inside-I"),
    "I-P": ("I-starts-at-P", "I-ends-at-P", "I-after-P", "I-before-P", "I-covers-P"),
    "P-P": ("P-before-P", "P-equals-P", "P-after-P"),
    "ordinal": ("start_rank", "end_rank", "duration_rank"),
}  # fmt: skip
FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}


def name_interval_relation(a: int, b: int, c: int, d: int) -> str:
    """The one of 13 relations from [a, b] to [c, d]; the first test that is true decides."""
    if a == c and b == d:
        return "I-equals-I"
    if a == c:
        return "I-starts-I" if b < d else "I-started-by-I"
    if b == d:
        return "I-finishes-I" if a > c else "I-finished-by-I"
    if b < c:
        return "I-before-I"
    if d < a:
        return "I-after-I"
    if b == c:
        return "I-meets-I"
    if d == a:
        return "I-met-by-I"
    if a > c and b < d:
        return "I-during-I"
    if a < c and b > d:
        return "I-contains-I"
    if a < c:
        return "I-overlaps-I"
    return "I-overlapped-by-I"


def name_point_in_interval(t: int, c: int, d: int) -> str:
    """The one of 5 relations from a point to an interval."""
    if t == c:
        return "P-at-start-I"
    if t == d:
        return "P-at-end-I"
    if t < c:
        return "P-before-I"
    if t > d:
        return "P-after-I"
    return "P-inside-I"


def name_interval_at_point(a: int, b: int, t: int) -> str:
    """The one of 5 relations from an interval to a point."""
    if a == t:
        return "I-starts-at-P"
    if b == t:
        return "I-ends-at-P"
    if t < a:
        return "I-after-P"
    if t > b:
        return "I-before-P"
    return "I-covers-P"


def name_point_order(t: int, u: int) -> str:
    """The one of 3 relations between points."""
    if t < u:
        return "P-before-P"
    return "P-equals-P" if t == u else "P-after-P"


def holds(operator: str, x: Fact, y: Fact) -> bool:
    """Whether an operator holds from one fact to another, by precedence."""
    family = FAMILY_OF[operator]
    if family == "I-I":
        return operator == name_interval_relation(x.start, x.end, y.start, y.end)
    if family == "P-I":
        return operator == name_point_in_interval(x.start, y.start, y.end)
    if family == "I-P":
        return operator == name_interval_at_point(x.start, x.end, y.start)
    return operator == name_point_order(x.start, y.start)


def holds_plainly(operator: str, x: Fact, y: Fact) -> bool:
    """The same by the endpoint test alone, as a reader who knows no precedence would take it."""
    if operator == "I-meets-I":
        return x.end == y.start
    if operator == "I-met-by-I":
        return x.start == y.end
    if operator == "P-at-end-I":
        return x.start == y.end
    if operator == "I-ends-at-P":
        return x.end == y.start
    return holds(operator, x, y)


def holds_loosely(operator: str, x: Fact, y: Fact) -> bool:
    """Whether a reader may think that it holds who does not count in whole granules.

    Two things in one granule may have come in either order, so what is said to be earlier may share it.
    """
    a, b, c, d = x.start, x.end, y.start, y.end
    if operator in ("I-starts-I", "I-started-by-I"):
        return a == c and (b <= d if operator == "I-starts-I" else b >= d)
    if operator in ("I-finishes-I", "I-finished-by-I"):
        return b == d and (a >= c if operator == "I-finishes-I" else a <= c)
    if operator in ("I-before-I", "P-before-I", "I-before-P", "P-before-P"):
        return b <= c
    if operator in ("I-after-I", "P-after-I", "I-after-P", "P-after-P"):
        return a >= d
    if operator in ("I-during-I", "P-inside-I"):
        return a >= c and b <= d
    if operator in ("I-contains-I", "I-covers-P"):
        return a <= c and b >= d
    if operator == "I-overlaps-I":
        return a <= c <= b <= d
    if operator == "I-overlapped-by-I":
        return c <= a <= d <= b
    return holds(operator, x, y)


def rank_key(operator: str, fact: Fact) -> int:
    """What an ordinal ranks by."""
    if operator == "start_rank":
        return fact.start
    if operator == "end_rank":
        return fact.end
    return fact.end - fact.start


def is_variable(end: str) -> bool:
    """Whether a pattern's end is a variable."""
    return end.startswith("?")


def filter_name(trace: Trace) -> str | None:
    """The fact name of the structural filter."""
    return next((step.fact for step in trace.steps if isinstance(step, FilterStep)), None)


def constraints(trace: Trace) -> list[PairwiseStep | OrdinalStep]:
    """The temporal steps in order."""
    return [step for step in trace.steps if isinstance(step, PairwiseStep | OrdinalStep)]


def facts_read(step: PairwiseStep | OrdinalStep) -> list[str]:
    """The names of facts and references that a temporal step reads."""
    return [step.left, step.right] if isinstance(step, PairwiseStep) else [step.fact]


class Execution:
    """A trace executed over facts: the rows and the candidate set after each step."""

    def __init__(
        self,
        graph: BruteGraph,
        steps: Iterable[Step],
        references: Mapping[str, Fact],
        holds: Holds = holds,
        left_out: PairwiseStep | None = None,
    ) -> None:
        """`left_out` is a step with a reference that still removes the rows of the reference itself."""
        self.graph = graph
        self.references = references
        self.holds = holds
        self.left_out = left_out
        self.candidate = ""
        self.rows: list[Row] = []
        self.bound: set[Fact] = set()
        self.rows_after: list[list[Row]] = []
        self.candidates_after: list[set[str]] = []
        for step in steps:
            self.run(step)
            self.rows_after.append(self.rows)
            self.candidates_after.append(self.candidates(self.rows))

    def candidates(self, rows: Iterable[Row]) -> set[str]:
        """The entities that rows bind to the current candidate variable."""
        return {row[self.candidate] for row in rows}

    @property
    def answers(self) -> set[str]:
        """The candidate set after the last step."""
        return self.candidates(self.rows)

    def run(self, step: Step) -> None:
        """One step."""
        if isinstance(step, RootStep):
            self.candidate = next(end for end in (step.pattern[0], step.pattern[2]) if is_variable(end))
            self.rows = self.join([{}], step)
        elif isinstance(step, FilterStep):
            self.rows = self.join(self.rows, step)
        elif isinstance(step, TransitionStep):
            self.candidate = next(end for end in (step.pattern[0], step.pattern[2]) if end != self.candidate)
            self.rows = self.join(self.rows, step)
        elif isinstance(step, PairwiseStep):
            self.rows = [row for row in self.rows if self.keeps(step, row)]
        else:
            self.rows = self.ranked(step)

    def join(self, rows: list[Row], step: StructuralStep) -> list[Row]:
        """Every row with every fact that fits it."""
        joined = []
        for row in rows:
            for fact in self.matching(row, step):
                self.bound.add(fact)
                joined.append(extend(row, step, fact))
        return joined

    def matching(self, row: Row, step: StructuralStep) -> list[Fact]:
        """The facts that fit a pattern under a row's bindings."""
        return look_up(self.graph.by_end, row, step)

    def keeps(self, step: PairwiseStep, row: Row) -> bool:
        """Whether a pairwise constraint keeps a row; it never holds between a fact and itself."""
        left = row[step.left]
        right = self.references[step.right] if step.right in self.references else row[step.right]
        return left != right and (step is self.left_out or self.holds(step.operator, left, right))

    def ranked(self, step: OrdinalStep) -> list[Row]:
        """The rows at the dense rank of their distinct facts."""
        keys = sorted({rank_key(step.operator, row[step.fact]) for row in self.rows})
        if step.order is RankOrder.DESCENDING:
            keys.reverse()
        if step.rank > len(keys):
            return []
        return [row for row in self.rows if rank_key(step.operator, row[step.fact]) == keys[step.rank - 1]]


BOUNDS: dict[str, tuple[Callable[[Fact, Fact], bool], Callable[[Fact, Fact], bool]]] = {
    "I-equals-I": (lambda x, y: x.start == y.start, lambda x, y: x.end == y.end),
    "I-starts-I": (lambda x, y: x.start == y.start, lambda x, y: x.end < y.end),
    "I-started-by-I": (lambda x, y: x.start == y.start, lambda x, y: x.end > y.end),
    "I-finishes-I": (lambda x, y: x.start > y.start, lambda x, y: x.end == y.end),
    "I-finished-by-I": (lambda x, y: x.start < y.start, lambda x, y: x.end == y.end),
    "I-during-I": (lambda x, y: x.start > y.start, lambda x, y: x.end < y.end),
    "I-contains-I": (lambda x, y: x.start < y.start, lambda x, y: x.end > y.end),
    "I-covers-P": (lambda x, y: x.start < y.start, lambda x, y: x.end > y.start),
    "I-overlaps-I": (lambda x, y: x.start < y.start, lambda x, y: y.start < x.end < y.end),
    "I-overlapped-by-I": (lambda x, y: y.start < x.start < y.end, lambda x, y: x.end > y.end),
}
"""What operators of two bounds say of the start, and of the end."""


class PlainReading(Execution):
    """The trace as it is read by one who knows no precedence, nor that one spell must meet all constraints.

    A constraint keeps a row if it holds in any row that the structural steps so far give and that binds the
    same variables; what it says of a start and of an end may hold in two of them.
    """

    def __init__(self, graph: BruteGraph, steps: Iterable[Step], references: Mapping[str, Fact]) -> None:
        self.structural: list[Row] = [{}]
        self.spells: dict[frozenset[tuple[str, str]], list[Row]] = {}
        super().__init__(graph, steps, references, holds_plainly)

    def run(self, step: Step) -> None:
        """One step."""
        if isinstance(step, StructuralStep):
            self.structural = [extend(row, step, fact) for row in self.structural for fact in self.matching(row, step)]
            self.spells = {}
            for row in self.structural:
                self.spells.setdefault(variables(row), []).append(row)
        super().run(step)

    def keeps(self, step: PairwiseStep, row: Row) -> bool:
        """Whether a pairwise constraint may seem to hold of a row."""
        spells = self.spells[variables(row)]
        if any(super(PlainReading, self).keeps(step, other) for other in spells):
            return True
        if step.operator not in BOUNDS:
            return False
        pairs = [(other[step.left], self.references.get(step.right) or other[step.right]) for other in spells]
        tests = BOUNDS[step.operator]
        return all(any(x != y and test(x, y) for x, y in pairs) for test in tests)


def variables(row: Row) -> frozenset[tuple[str, str]]:
    """What a row binds to variables."""
    return frozenset((name, entity) for name, entity in row.items() if is_variable(name))


def look_up(index: Mapping[tuple[str, int, str], list[T]], row: Row, step: StructuralStep) -> list[T]:
    """What an index by ends holds for a pattern under a row's bindings."""
    subject, relation, object_ = step.pattern
    ends = {0: row.get(subject) if is_variable(subject) else subject, 2: row.get(object_) if is_variable(object_) else object_}
    known = {end: entity for end, entity in ends.items() if entity is not None}
    near = min((index.get((relation, end, entity), []) for end, entity in known.items()), key=len)
    return [fact for fact in near if all(fact[end] == entity for end, entity in known.items())]


def extend(row: Row, step: StructuralStep, fact: Fact | Aside) -> Row:
    """A row with one more fact and the variables that it binds."""
    longer = dict(row)
    for end, entity in ((step.pattern[0], fact.subject), (step.pattern[2], fact.object)):
        if is_variable(end):
            longer[end] = entity
    longer[step.fact] = fact
    return longer


def execute(graph: BruteGraph, trace: Trace, references: Mapping[str, Fact], holds: Holds = holds) -> Execution:
    """The whole trace."""
    return Execution(graph, trace.steps, references, holds)


def execute_structure(graph: BruteGraph, trace: Trace) -> Execution:
    """The structural steps alone."""
    return Execution(graph, [step for step in trace.steps if isinstance(step, StructuralStep)], {})


def execute_without(graph: BruteGraph, trace: Trace, references: Mapping[str, Fact], left_out: str) -> Execution:
    """The trace without a constraint, by its name, or without the filter, by its fact's name.

    A constraint with a reference goes on removing the rows whose own fact is the reference. With the
    filter go the constraints that read its fact.
    """
    steps: list[Step] = []
    shadow = None
    for step in trace.steps:
        if isinstance(step, PairwiseStep) and step.constraint == left_out and step.right in references:
            shadow = step
        elif isinstance(step, PairwiseStep | OrdinalStep):
            if step.constraint == left_out or left_out in facts_read(step):
                continue
        elif isinstance(step, FilterStep) and step.fact == left_out:
            continue
        steps.append(step)
    return Execution(graph, steps, references, left_out=shadow)
