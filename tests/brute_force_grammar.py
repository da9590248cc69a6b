"""The grammar of a trace, by hand: order and names of steps, variables, families; what passes can be executed."""

from __future__ import annotations

import re
from collections import Counter

from state.trace import PairwiseStep, RootStep, StructuralStep, Trace, TransitionStep
from state.vocabulary import Template
from tests.brute_force_execution import FAMILIES, constraints, facts_read, is_variable
from tests.brute_force_graph import BruteGraph

_TRANSITIONS = {Template.ONE_HOP: 0, Template.BRANCH: 0, Template.TWO_HOP: 1, Template.THREE_HOP: 2}
VARIABLES = ("?a", "?b", "?c")


def stages_of(trace: Trace) -> list[list[int]]:
    """The positions of each stage's steps: a stage opens at the root and at each transition."""
    stages: list[list[int]] = []
    for position, step in enumerate(trace.steps):
        if isinstance(step, RootStep | TransitionStep):
            stages.append([])
        stages[-1].append(position)
    return stages


def grammar(trace: Trace, graph: BruteGraph) -> list[str]:
    """What breaks the order and the naming of steps; a trace that passes can be executed."""
    found: list[str] = []
    if not trace.steps or not isinstance(trace.steps[0], RootStep):
        return ["the first step is not the root"]
    counts = Counter(str(step.action) for step in trace.steps)
    expected = {"root": 1, "structural_filter": int(trace.template is Template.BRANCH), "forward_transition": _TRANSITIONS[trace.template]}
    found += [f"{counts[action]} steps {action} in {trace.template}" for action, count in expected.items() if counts[action] != count]
    found += structural_grammar(trace)
    if found:
        return found
    if trace.answer_variable != VARIABLES[counts["forward_transition"]]:
        found.append(f"answer variable {trace.answer_variable}")
    return found + temporal_grammar(trace, graph)


def structural_grammar(trace: Trace) -> list[str]:
    """Fact names, variables and patterns of the structural steps."""
    found = []
    candidate = "?a"
    structural = [step for step in trace.steps if isinstance(step, StructuralStep)]
    for number, step in enumerate(structural, start=1):
        if step.fact != f"f{number}":
            found.append(f"fact {number} is named {step.fact}")
        ends = {step.pattern[0], step.pattern[2]}
        variables = {end for end in ends if is_variable(end)}
        if is_variable(step.pattern[1]) or len(ends) != 2:
            found.append(f"pattern {step.pattern}")
        elif isinstance(step, TransitionStep):
            following = VARIABLES[VARIABLES.index(candidate) + 1] if candidate != "?c" else ""
            if variables != {candidate, following}:
                found.append(f"transition {step.pattern} from {candidate}")
            candidate = following or candidate
        elif variables != {candidate}:
            found.append(f"{step.action} {step.pattern} on {candidate}")
    return found


def temporal_grammar(trace: Trace, graph: BruteGraph) -> list[str]:
    """Place, operands and families of the temporal steps; every reference is used and known."""
    found = []
    stage_of_fact: dict[str, int] = {}
    relation_of: dict[str, str] = {name: fact.relation for name, fact in trace.references.items()}
    order: list[str] = []
    for number, positions in enumerate(stages_of(trace)):
        kinds = []
        for position in positions:
            step = trace.steps[position]
            if isinstance(step, StructuralStep):
                kinds.append(0)
                stage_of_fact[step.fact] = number
                relation_of[step.fact] = step.pattern[1]
                order.append(step.fact)
                continue
            kinds.append(1 if isinstance(step, PairwiseStep) else 2)
            read = facts_read(step)
            unbound = [name for name in read if name not in order and (name == read[0] or name not in trace.references)]
            if unbound:
                found.append(f"{step.constraint} reads {unbound}, which no earlier step binds")
                continue
            own = [name for name in read if name in stage_of_fact]
            if max(stage_of_fact[name] for name in own) != number:
                found.append(f"{step.constraint} stands in stage {number}, its facts are bound earlier")
            if len(own) == 2 and order.index(own[0]) >= order.index(own[1]):
                found.append(f"{step.constraint}: {own[1]} is not bound later than {own[0]}")
            if isinstance(step, PairwiseStep):
                family = "-".join("P" if relation_of[name] in graph.points else "I" for name in read)
                if step.operator not in FAMILIES[family]:
                    found.append(f"{step.constraint}: {step.operator} between facts of {family}")
            elif step.operator not in FAMILIES["ordinal"]:
                found.append(f"{step.constraint}: {step.operator} is no ordinal")
            elif relation_of[step.fact] in graph.points and step.operator != "start_rank":
                found.append(f"{step.constraint}: {step.operator} of a point relation")
        if kinds != sorted(kinds) or kinds.count(2) > 1:
            found.append(f"stage {number} is out of order")
    names = [step.constraint for step in constraints(trace)]
    if names != [f"c{number}" for number in range(1, len(names) + 1)]:
        found.append(f"constraints are named {names}")
    used = {name for step in constraints(trace) for name in facts_read(step)} - set(order)
    if used != trace.references.keys():
        found.append(f"references {sorted(trace.references)} but used are {sorted(used)}")
    for name, fact in trace.references.items():
        if not re.fullmatch("g[1-9][0-9]*", name):
            found.append(f"a reference is named {name}")
        try:
            graph.read(fact)
        except ValueError as error:
            found.append(str(error))
    return found
