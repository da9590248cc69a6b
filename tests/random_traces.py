"""Small random graphs and valid traces over them, acceptable or not, and records made of traces."""

from __future__ import annotations

from random import Random
from typing import Any

from state.fact import TemporalFact
from state.instance import BenchmarkRecord, Provenance
from state.interval import Granularity, format_granule
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, Step, StructuralStep, Trace, TransitionStep
from state.vocabulary import Family, RankOrder, Template
from tests.brute_force_execution import FAMILIES, FAMILY_OF, Execution, Row, constraints, execute, execute_structure, holds
from tests.brute_force_graph import BruteGraph, Fact

ENTITIES = tuple(f"Q{number}" for number in range(1, 7))
POINTS = {"P1", "P2"}
INTERVALS = {"P3", "P4"}


def graph_of(facts: list[Fact], points: set[str], granularity: Granularity = Granularity.YEAR, **more: Any) -> BruteGraph:
    """A graph in which each entity and relation is labelled `label of` its id."""
    entities = {entity for fact in facts for entity in (fact.subject, fact.object)}
    labels: dict[str, Any] = {
        "entity_labels": {entity: f"label of {entity}" for entity in entities},
        "relation_labels": {fact.relation: f"label of {fact.relation}" for fact in facts},
    }
    return BruteGraph(granularity, facts, points=points, **(labels | more))


def random_graph(rng: Random) -> BruteGraph:
    """A dense graph: one-granule intervals, several spells, loops and shared bounds are common."""
    facts = set()
    for _ in range(rng.randint(10, 90)):
        relation = rng.choice(sorted(POINTS | INTERVALS))
        start = rng.randint(1999, 2004)
        end = start if relation in POINTS else start + rng.choice((0, 0, 1, 2, 3, 4))
        facts.add(Fact(rng.choice(ENTITIES), relation, rng.choice(ENTITIES), start, end))
    return graph_of(sorted(facts), set(POINTS))


def random_trace(rng: Random, graph: BruteGraph) -> Trace:
    """A valid trace: any template, direction, operator, reference and ordinal; its counts are right."""
    template = rng.choice(list(Template))
    steps: list[Step] = []
    references: dict[str, TemporalFact] = {}
    seed = rng.choice(graph.facts)
    pattern = (seed.subject, seed.relation, "?a") if rng.random() < 0.5 else ("?a", seed.relation, seed.object)
    steps.append(RootStep(fact="f1", pattern=pattern, candidates=0))
    if template is Template.BRANCH:
        steps.append(_next_step(rng, graph, steps, "?a", None))
    _constrain(rng, graph, steps, references, first=1)
    for here, there in (("?a", "?b"), ("?b", "?c"))[: {Template.TWO_HOP: 1, Template.THREE_HOP: 2}.get(template, 0)]:
        steps.append(_next_step(rng, graph, steps, here, there))
        _constrain(rng, graph, steps, references, first=len([step for step in steps if isinstance(step, StructuralStep)]))
    if all(isinstance(step, StructuralStep) for step in steps):
        steps.append(
            OrdinalStep(constraint="c1", operator="start_rank", fact=_names(steps)[-1], rank=1, order=RankOrder.ASCENDING, candidates=0)
        )
    variable = {Template.TWO_HOP: "?b", Template.THREE_HOP: "?c"}.get(template, "?a")
    run = Execution(graph, steps, {name: graph.read(fact) for name, fact in references.items()})
    counted = [step.model_copy(update={"candidates": len(left)}) for step, left in zip(steps, run.candidates_after, strict=True)]
    return Trace(template=template, answer_variable=variable, steps=tuple(counted), references=references)


def record_of(graph: BruteGraph, trace: Trace, answer: str, **changes: Any) -> BenchmarkRecord:
    """A record whose evidence, support and names follow from the trace; `changes` override fields."""
    references = {name: graph.read(fact) for name, fact in trace.references.items()}
    structure, run = execute_structure(graph, trace), execute(graph, trace, references)
    names = _names(list(trace.steps))
    evidence = sorted(structure.bound | set(references.values()))
    support = sorted({row[name] for row in run.rows for name in names} | set(references.values()))
    steps = constraints(trace)
    entities = {entity for fact in evidence for entity in (fact.subject, fact.object)} | {answer}
    patterns = [step.pattern for step in trace.steps if isinstance(step, StructuralStep)]
    entities |= {end for pattern in patterns for end in (pattern[0], pattern[2]) if not end.startswith("?")}
    relations = {pattern[1] for pattern in patterns} | {fact.relation for fact in evidence}
    hint = f"{trace.template}, " + ", ".join(sorted(graph.relation_labels[relation] for relation in relations))
    fields: dict[str, Any] = {
        "id": "small-0123456789ab",
        "dataset": "small",
        "graph_structure": trace.template,
        "hop_count": trace.template.hop_count,
        "space_search_process": tuple(f"{step.action} | {step.candidates} candidates" for step in trace.steps),
        "temporal_constraints": tuple(step.operator for step in steps),
        "temporal_constraint_count": len(steps),
        "raw_question": "Which one?",
        "final_question": None,
        "answer": graph.entity_labels[answer],
        "answer_id": answer,
        "answer_aliases": tuple(graph.aliases.get(answer, ())),
        "families": tuple(Family(FAMILY_OF[step.operator]) for step in steps),
        "operators": tuple(step.operator for step in steps),
        "backend": None,
        "trace": trace,
        "support_facts": tuple(write(fact, graph.granularity) for fact in support),
        "evidence": tuple(write(fact, graph.granularity) for fact in evidence),
        "structure_hint": hint,
        "labels": {key: graph.entity_labels[key] for key in entities} | {key: graph.relation_labels[key] for key in relations},
        "provenance": Provenance(source="small", content_hash="0", seed=0, root="[]", version="0"),
    }
    return BenchmarkRecord(**(fields | changes))


def write(fact: Fact, granularity: Granularity = Granularity.YEAR) -> TemporalFact:
    """A fact as a record holds it."""
    start, end = format_granule(fact.start, granularity), format_granule(fact.end, granularity)
    return TemporalFact(subject=fact.subject, relation=fact.relation, object=fact.object, start=start, end=end)


def _names(steps: list[Step]) -> list[str]:
    return [step.fact for step in steps if isinstance(step, StructuralStep)]


def _next_step(rng: Random, graph: BruteGraph, steps: list[Step], here: str, there: str | None) -> FilterStep | TransitionStep:
    """A filter on `here` or a transition to `there`, along a fact of some candidate if there is one."""
    entities = {row[here] for row in Execution(graph, [s for s in steps if isinstance(s, StructuralStep)], {}).rows}
    forward = rng.random() < 0.5
    usable = [fact for fact in graph.facts if (fact.subject if forward else fact.object) in entities] or graph.facts
    fact = rng.choice(usable)
    other = there or (fact.object if forward else fact.subject)
    pattern = (here, fact.relation, other) if forward else (other, fact.relation, here)
    kind = TransitionStep if there else FilterStep
    return kind(fact=f"f{len(_names(steps)) + 1}", pattern=pattern, candidates=0)


def _constrain(rng: Random, graph: BruteGraph, steps: list[Step], references: dict[str, TemporalFact], first: int) -> None:
    """Up to two pairwise constraints and an ordinal for the stage whose first fact is `f<first>`."""
    names = _names(steps)
    own = names[first - 1 :]
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        run = Execution(graph, steps, {name: graph.read(fact) for name, fact in references.items()})
        later = rng.choice(own)
        earlier = names[: names.index(later)]
        if earlier and rng.random() < 0.6:
            left, right = rng.choice(earlier), later
        else:
            left, right = later, f"g{len(references) + 1}"
            near = [row[name] for row in execute_rows(graph, steps) for name in names] or graph.facts
            references[right] = write(rng.choice(near))
        steps.append(_pairwise(rng, graph, steps, run.rows, references, left, right))
    if rng.random() < 0.35:
        fact = rng.choice(own)
        pattern = next(step.pattern for step in steps if isinstance(step, StructuralStep) and step.fact == fact)
        operators = FAMILIES["ordinal"][:1] if pattern[1] in graph.points else FAMILIES["ordinal"]
        steps.append(
            OrdinalStep(
                constraint=_next_constraint(steps),
                operator=rng.choice(operators),
                fact=fact,
                rank=rng.choice((1, 1, 1, 2, 2, 3)),
                order=rng.choice(list(RankOrder)),
                candidates=0,
            )
        )


def execute_rows(graph: BruteGraph, steps: list[Step]) -> list[Row]:
    """The rows of the structural steps alone."""
    return Execution(graph, [step for step in steps if isinstance(step, StructuralStep)], {}).rows


def _pairwise(
    rng: Random, graph: BruteGraph, steps: list[Step], rows: list[Row], references: dict[str, TemporalFact], left: str, right: str
) -> PairwiseStep:
    """A constraint between two names; its operator mostly holds in some row."""
    known = {name: graph.read(fact) for name, fact in references.items()}
    relations = {step.fact: step.pattern[1] for step in steps if isinstance(step, StructuralStep)}
    relations |= {name: fact.relation for name, fact in known.items()}
    family = FAMILIES["-".join("P" if relations[name] in graph.points else "I" for name in (left, right))]
    pairs = [(row[left], known.get(right) or row[right]) for row in rows]
    true_somewhere = [operator for operator in family if any(x != y and holds(operator, x, y) for x, y in pairs)]
    choices = true_somewhere if true_somewhere and rng.random() < 0.9 else family
    return PairwiseStep(constraint=_next_constraint(steps), operator=rng.choice(choices), left=left, right=right, candidates=0)


def _next_constraint(steps: list[Step]) -> str:
    return f"c{1 + sum(not isinstance(step, StructuralStep) for step in steps)}"
