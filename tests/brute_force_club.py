"""A club of six, and traces over it: the tiny graphs on which the evaluator's rules are worked out by hand."""

from __future__ import annotations

from typing import Any

from state.config import Rules
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep, RootStep, Step, Trace
from state.vocabulary import RankOrder, Template
from tests import brute_force
from tests.brute_force_execution import Execution
from tests.brute_force_graph import BruteGraph, Fact
from tests.random_traces import graph_of, write

ANA, BO, CY, DI, ED, FAY = CLUB = [
    Fact("Q1", "P3", "Q9", 1996, 2003),
    Fact("Q2", "P3", "Q9", 1996, 2000),
    Fact("Q3", "P3", "Q9", 1990, 1999),
    Fact("Q4", "P3", "Q9", 2005, 2009),
    Fact("Q5", "P3", "Q9", 1980, 1985),
    Fact("Q6", "P3", "Q9", 2004, 2006),
]
LABELS = {
    **{"Q1": "Ana Roy", "Q2": "Bo Lind", "Q3": "Cy Moe", "Q4": "Di Ash", "Q5": "Ed Orr", "Q6": "Fay Uhl", "Q7": "Gus Ek"},
    **{"Q8": "City Hall", "Q9": "FC Arn"},
}
RELATIONS = {"P1": "prize", "P3": "member of", "P4": "post"}
MEMBERS = RootStep(fact="f1", pattern=("?a", "P3", "Q9"), candidates=0)
PRIZES = RootStep(fact="f1", pattern=("?a", "P1", "Q9"), candidates=0)


def club(*more: Fact, labels: dict[str, str] | None = None, **fields: Any) -> BruteGraph:
    """The club's six members, one spell each, and what a test adds."""
    return graph_of([*CLUB, *more], {"P1"}, entity_labels=LABELS | (labels or {}), relation_labels=RELATIONS, **fields)


def pairwise(number: int, operator: str, left: str, right: str) -> PairwiseStep:
    return PairwiseStep(constraint=f"c{number}", operator=operator, left=left, right=right, candidates=0)


def ordinal(number: int, operator: str, rank: int, order: str = "ascending", fact: str = "f1") -> OrdinalStep:
    return OrdinalStep(constraint=f"c{number}", operator=operator, fact=fact, rank=rank, order=RankOrder(order), candidates=0)


def trace_of(graph: BruteGraph, *steps: Step, template: Template = Template.ONE_HOP, **references: Fact) -> Trace:
    """A trace whose steps count their candidates right."""
    sizes = [len(entities) for entities in Execution(graph, steps, references).candidates_after]
    counted = tuple(step.model_copy(update={"candidates": size}) for step, size in zip(steps, sizes, strict=True))
    variable = {Template.TWO_HOP: "?b", Template.THREE_HOP: "?c"}.get(template, "?a")
    return Trace(
        template=template, answer_variable=variable, steps=counted, references={name: write(fact) for name, fact in references.items()}
    )


def overlap(graph: BruteGraph) -> Trace:
    """Who left the club in the midst of Ana Roy's time: only Cy Moe did."""
    return trace_of(graph, MEMBERS, pairwise(1, "I-overlaps-I", "f1", "g1"), g1=ANA)


def violations(record: BenchmarkRecord, graph: BruteGraph, **options: Any) -> list[str]:
    """What brute force finds; the club is full of shared years, which have their own test."""
    return brute_force.violations(record, graph, **({"rules": Rules(shared_granule=False)} | options))


def broken(record: BenchmarkRecord, graph: BruteGraph, **options: Any) -> set[str]:
    """The names of the rules that a record breaks."""
    return {text.split(":")[0] for text in violations(record, graph, **options)}


def chain() -> BruteGraph:
    """The club and, for some members, a post each."""
    posts = [Fact("Q3", "P4", "Q13", 1999, 2002), Fact("Q5", "P4", "Q15", 1990, 1991), Fact("Q1", "P4", "Q12", 1970, 1971)]
    return club(*posts, labels={"Q12": "post twelve", "Q13": "post thirteen", "Q15": "post fifteen"})
