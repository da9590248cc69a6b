"""The brute-force evaluator: a second opinion on benchmark records, rule by rule.

It imports the contracts of `state` and the standard library, loads the graph itself
(`load_cronkg`), executes traces row by row and has one function for each rule of an accepted trace.
Slow and plain on purpose. `violations(record, graph)` is empty for a good record.

Readings of the design where it leaves a detail open:

* A transition's two entity sets are the candidate sets before and after the step.
* Non-redundancy compares the pairwise constraints of one stage, over that stage's pool.
* An entity "shares the answer's label" if one of its names, aliases included, is that label once
  both are normalised; the same for the labels of anchors and references.
* Relations are named by the question too: the answer may not occur in their labels.
* No fixed entity, relation, reference or answer may carry one of the caps' meta labels; no relation may read like another.
* Labels must cover every id of trace and evidence with the graph's own spelling; more may be there.
* Evidence holds every fact that the structural steps bind, so it reveals just the losses that matter in
  the whole graph: it is judged with the two rules of necessity, and has no switch of its own.
* A reference's row is "left after all structural steps" if it is a row of the structural steps
  alone, so a dead end is none.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from state.config import Caps, Rules
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep, StructuralStep, Trace, TransitionStep
from state.vocabulary import RankOrder, Template
from tests.brute_force_doubt import is_doubtful
from tests.brute_force_execution import (
    FAMILY_OF,
    Execution,
    PlainReading,
    constraints,
    execute,
    execute_structure,
    execute_without,
    facts_read,
    filter_name,
    holds_loosely,
    is_variable,
    rank_key,
)
from tests.brute_force_grammar import VARIABLES, grammar, stages_of
from tests.brute_force_graph import BruteGraph, Fact, load_cronkg, normalise

__all__ = ["BruteGraph", "Fact", "grammar", "is_doubtful", "load_cronkg", "normalise", "violations"]


def violations(
    record: BenchmarkRecord,
    graph: BruteGraph,
    rules: Rules | None = None,
    caps: Caps | None = None,
    *,
    max_constraints: int = 4,
    max_facts: int = 150,
) -> list[str]:
    """What is wrong with a record, one line each, the rule's name first."""
    rules, caps = rules or Rules(), caps or Caps()
    found = [f"grammar: {text}" for text in grammar(record.trace, graph)]
    if found:
        return found
    case = Case(record, graph, rules, caps, max_constraints, max_facts)
    checks = (
        ("candidates", True, check_candidates),
        ("seed", True, check_seed),
        ("answer", True, check_answer),
        ("ordinals", True, check_ordinals),
        ("references", True, check_references),
        ("progress", rules.progress, check_progress),
        ("temporal necessity", rules.temporal_necessity, check_temporal_necessity),
        ("non-redundancy", rules.non_redundancy, check_redundancy),
        ("structural necessity", rules.structural_necessity, check_structural_necessity),
        ("sayable", rules.sayable, check_sayable),
        ("readable", rules.readable, check_readable),
        ("plain reading", rules.plain_reading, check_plain_reading),
        ("shared granule", rules.shared_granule, check_shared_granule),
        ("doubtful", rules.not_doubtful, check_doubtful),
        ("evidence", True, check_evidence),
        ("evidence reveals", True, check_evidence_reveals),
        ("support", True, check_support),
        ("record", True, check_record_fields),
    )
    for name, is_on, check in checks:
        if is_on:
            found += [f"{name}: {text}" for text in check(case)]
    return found


@dataclass
class Case:
    """One record with what several rules need."""

    record: BenchmarkRecord
    graph: BruteGraph
    rules: Rules
    caps: Caps
    max_constraints: int
    max_facts: int

    @cached_property
    def trace(self) -> Trace:
        return self.record.trace

    @cached_property
    def references(self) -> dict[str, Fact]:
        return {name: self.graph.read(fact) for name, fact in self.trace.references.items()}

    @cached_property
    def full(self) -> Execution:
        return execute(self.graph, self.trace, self.references)

    @cached_property
    def structure(self) -> Execution:
        return execute_structure(self.graph, self.trace)

    @cached_property
    def stages(self) -> list[list[int]]:
        return stages_of(self.trace)

    @cached_property
    def evidence(self) -> list[Fact]:
        return [self.graph.read(fact) for fact in self.record.evidence]

    @cached_property
    def named_ends(self) -> list[tuple[str, int, str]]:
        """(relation, end, entity) for everything the question names: fixed ends and references."""
        ends = []
        for step in self.trace.steps:
            if isinstance(step, StructuralStep):
                ends += [(step.pattern[1], end, step.pattern[end]) for end in (0, 2) if not is_variable(step.pattern[end])]
        for fact in self.references.values():
            ends += [(fact.relation, 0, fact.subject), (fact.relation, 2, fact.object)]
        return ends


# Execution on the whole graph.


def check_candidates(case: Case) -> Iterator[str]:
    """Each step says how many candidates it leaves."""
    for step, entities, sentence in zip(case.trace.steps, case.full.candidates_after, case.record.space_search_process, strict=True):
        if step.candidates != len(entities):
            yield f"{step.action} says {step.candidates}, {len(entities)} are left"
        if not re.search(rf"\| {len(entities)} candidates?$", sentence):
            yield f"{sentence!r}, {len(entities)} are left"


def check_seed(case: Case) -> Iterator[str]:
    """The root's candidate set is neither small nor large; the skeleton is not too wide."""
    size = len(case.full.candidates_after[0])
    if not case.caps.seed_min <= size <= case.caps.seed_max:
        yield f"{size} root candidates"
    if any(len(rows) > case.caps.max_rows for rows in case.structure.rows_after):
        yield f"more than {case.caps.max_rows} rows"


def check_answer(case: Case) -> Iterator[str]:
    """Exactly the stated answer is left."""
    if case.full.answers != {case.record.answer_id}:
        yield f"{sorted(case.full.answers)} instead of {case.record.answer_id}"


def check_progress(case: Case) -> Iterator[str]:
    """Every filter strictly shrinks the candidate set, a transition changes it."""
    for position, step in enumerate(case.trace.steps[1:], start=1):
        before, after = case.full.candidates_after[position - 1], case.full.candidates_after[position]
        if isinstance(step, TransitionStep):
            if before == after:
                yield f"{step.fact} leads to the same entities"
        elif not after < before:
            yield f"step {position} leaves {len(after)} of {len(before)}"
        elif isinstance(step, PairwiseStep) and step.right in case.references:
            variable = stage_variable(case.trace, position)
            earlier = case.full.rows_after[position - 1]
            if not after < {row[variable] for row in earlier if row[step.left] != case.references[step.right]}:
                yield f"{step.constraint} removes nothing but its own reference"


def check_temporal_necessity(case: Case) -> Iterator[str]:
    """Without any one constraint the answer set differs."""
    for step in constraints(case.trace):
        if execute_without(case.graph, case.trace, case.references, step.constraint).answers == case.full.answers:
            yield f"{step.constraint} does not matter"


def check_structural_necessity(case: Case) -> Iterator[str]:
    """Without the filter the answer set differs."""
    name = filter_name(case.trace)
    if name is not None and execute_without(case.graph, case.trace, case.references, name).answers == case.full.answers:
        yield f"the filter {name} does not matter"


def check_redundancy(case: Case) -> Iterator[str]:
    """Over a stage's pool, no pairwise constraint's candidate set lies within another's."""
    for positions in case.stages:
        structural = [position for position in positions if isinstance(case.trace.steps[position], StructuralStep)]
        pool = case.full.rows_after[structural[-1]]
        variable = stage_variable(case.trace, positions[0])
        sets = {}
        for position in positions:
            step = case.trace.steps[position]
            if isinstance(step, PairwiseStep):
                sets[step.constraint] = {row[variable] for row in pool if case.full.keeps(step, row)}
        for one, other in itertools.permutations(sets, 2):
            if sets[one] <= sets[other]:
                yield f"{one} makes {other} redundant"


def stage_variable(trace: Trace, position: int) -> str:
    """The candidate variable of the stage that opens at a position."""
    return VARIABLES[sum(isinstance(step, TransitionStep) for step in trace.steps[: position + 1])]


def check_ordinals(case: Case) -> Iterator[str]:
    """One fact a candidate, three facts at least, the rank alone at its key and none tied before it."""
    for position, step in enumerate(case.trace.steps):
        if not isinstance(step, OrdinalStep):
            continue
        rows = case.full.rows_after[position - 1]
        variable = stage_variable(case.trace, position)
        facts = {row[step.fact] for row in rows}
        pairs = {(row[variable], row[step.fact]) for row in rows}
        if len({entity for entity, _ in pairs}) != len(pairs):
            yield f"{step.constraint}: a candidate has several facts"
        if len(facts) < 3:
            yield f"{step.constraint} ranks {len(facts)} facts"
        if 2 * step.rank > len(facts) + 1:
            yield f"{step.constraint}: rank {step.rank} of {len(facts)} counts from the far end"
        keys = sorted((rank_key(step.operator, fact) for fact in facts), reverse=step.order is RankOrder.DESCENDING)
        if len(set(keys[: step.rank + 1])) != len(keys[: step.rank + 1]):
            yield f"{step.constraint}: a tie decides rank {step.rank}"


def check_references(case: Case) -> Iterator[str]:
    """Each is bound by the structure, one of its kind, and names neither bridge nor answer."""
    names = [step.fact for step in case.trace.steps if isinstance(step, StructuralStep)]
    bound = {row[name] for row in case.structure.rows for name in names}
    in_answer = {entity for row in case.full.rows for name, entity in row.items() if is_variable(name)}
    for name, fact in case.references.items():
        if fact not in bound:
            yield f"{name} is bound by no full row"
        for entity in (fact.subject, fact.object):
            if entity in in_answer:
                yield f"{name} names {entity}, which the question asks for"
        if spells(case.graph, fact) + asides(case.graph, fact) != 1:
            yield f"{name} has another spell"


def spells(graph: BruteGraph, fact: Fact) -> int:
    """How many kept facts have the subject, relation and object."""
    return sum(other.object == fact.object for other in graph.by_end.get((fact.relation, 0, fact.subject), []))


def asides(graph: BruteGraph, fact: Fact) -> int:
    """How many dropped rows have the subject, relation and object."""
    return sum(other.object == fact.object for other in graph.aside_by_end.get((fact.relation, 0, fact.subject), []))


# Words.


def occurs(words: str, text: str) -> bool:
    """Whether normalised words stand in a normalised text on word boundaries."""
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def check_sayable(case: Case) -> Iterator[str]:
    """The question need not name its answer, and each name in it means one entity."""
    graph, answer = case.graph, case.record.answer_id
    label = normalise(graph.entity_labels.get(answer, ""))
    relations = {step.pattern[1] for step in case.trace.steps if isinstance(step, StructuralStep)}
    relations |= {fact.relation for fact in case.references.values()}
    texts = {graph.entity_labels.get(entity, "") for _, _, entity in case.named_ends}
    texts |= {graph.relation_labels.get(relation, "") for relation in relations}
    for text in sorted(texts):
        for name in sorted(graph.names(answer)):
            if occurs(name, normalise(text)):
                yield f"{name!r} occurs in {text!r}"
    if occurs(label, normalise(case.record.raw_question)):
        yield f"{label!r} occurs in the raw question"
    for entities in case.full.candidates_after:
        for entity in sorted(entities - {answer}):
            if label in graph.names(entity):
                yield f"{entity} shares the answer's label"
    for relation, end, entity in case.named_ends:
        shared = graph.named_at.get((relation, end, normalise(graph.entity_labels.get(entity, ""))), set()) - {entity}
        if shared:
            yield f"{sorted(shared)} share the label of {entity} at end {end} of {relation}"


def check_readable(case: Case) -> Iterator[str]:
    """Few constraints, no entity twice, no second spell of what is read, no meta entity."""
    steps = constraints(case.trace)
    if len(steps) > case.max_constraints:
        yield f"{len(steps)} constraints"
    equalities = Counter(
        step.left
        for step in steps
        if isinstance(step, PairwiseStep) and step.right in case.references and step.operator in ("I-equals-I", "P-equals-P")
    )
    yield from (f"{count} equality references of {name}" for name, count in equalities.items() if count > 1)
    fixed = [
        end
        for step in case.trace.steps
        if isinstance(step, StructuralStep)
        for end in (step.pattern[0], step.pattern[2])
        if not is_variable(end)
    ]
    read = {name for step in steps if isinstance(step, PairwiseStep) for name in facts_read(step)} - case.references.keys()
    for row in case.full.rows:
        met = Counter([*fixed, *(entity for name, entity in row.items() if is_variable(name))])
        yield from (f"{entity} occurs twice in a row" for entity, count in met.items() if count > 1)
        yield from (f"{name} has a second spell" for name in sorted(read) if spells(case.graph, row[name]) != 1)
    if case.trace.template in (Template.TWO_HOP, Template.THREE_HOP) and len({row["?a"] for row in case.structure.rows}) < 2:
        yield "fewer than two root candidates have a full walk"
    meta = {normalise(label) for label in case.caps.meta_labels}
    entities = {entity for _, _, entity in case.named_ends} | {case.record.answer_id}
    relations = {step.pattern[1] for step in case.trace.steps if isinstance(step, StructuralStep)}
    for labels, keys in ((case.graph.entity_labels, entities), (case.graph.relation_labels, relations)):
        yield from (f"{key} is a meta label" for key in sorted(keys) if normalise(labels.get(key, "")) in meta)
    walked = {fact.relation for fact in case.graph.facts}
    said = {relation: normalise(case.graph.relation_labels.get(relation, relation)) for relation in walked}
    yield from (f"{key} reads like another relation" for key in sorted(relations) if list(said.values()).count(said[key]) > 1)


def check_plain_reading(case: Case) -> Iterator[str]:
    """A reader who knows no precedence, and takes any spell for the one that is meant, comes to the same answer."""
    run = PlainReading(case.graph, case.trace.steps, case.references)
    if run.answers != case.full.answers:
        yield f"read plainly the answers are {sorted(run.answers)}"
    if not any(isinstance(step, PairwiseStep) for step in case.trace.steps):
        return
    for position, step in enumerate(case.trace.steps):
        if isinstance(step, OrdinalStep):
            yield from check_ranked_plainly(case, step, stage_variable(case.trace, position), position, run)


def check_ranked_plainly(case: Case, step: OrdinalStep, variable: str, position: int, run: PlainReading) -> Iterator[str]:
    """Each candidate counted by its foremost spell, the same one stands at the rank, alone there and before; no spell was dropped."""
    is_descending = step.order is RankOrder.DESCENDING
    keys: dict[str, list[int]] = {}
    for row in run.rows_after[position - 1]:
        keys.setdefault(row[variable], []).append(rank_key(step.operator, row[step.fact]) * (-1 if is_descending else 1))
        if asides(case.graph, row[step.fact]):
            yield f"{step.constraint} ranks {row[step.fact]}, of which a spell was dropped"
    foremost = sorted((min(several), entity) for entity, several in keys.items())
    before = [key for key, _ in foremost[: step.rank + 1]]
    at_rank = {entity for _, entity in foremost[step.rank - 1 : step.rank]}
    if len(set(before)) != len(before) or at_rank != case.full.candidates_after[position]:
        yield f"{step.constraint} ranks another one if each counts by its foremost spell"


def check_shared_granule(case: Case) -> Iterator[str]:
    """A reader who lets before, after and inside share a granule comes to the same answer."""
    answers = execute(case.graph, case.trace, case.references, holds_loosely).answers
    if answers != case.full.answers:
        yield f"with shared granules the answers are {sorted(answers)}"


# Rule 7: dropped rows.


def check_doubtful(case: Case) -> Iterator[str]:
    """No choice of the dropped rows changes the answer set or adds to what an ordinal ranks."""
    reason = is_doubtful(case.graph, case.trace, case.references, case.full)
    if reason is not None:
        yield reason


# The record: evidence, support, names.


def check_evidence(case: Case) -> Iterator[str]:
    """All facts bound by the structural steps, dead ends included, and the references; no fact twice."""
    expected = case.structure.bound | set(case.references.values())
    if len(set(case.evidence)) != len(case.evidence):
        yield "a fact stands twice"
    yield from (f"{fact} is missing" for fact in sorted(expected - set(case.evidence)))
    yield from (f"{fact} does not belong" for fact in sorted(set(case.evidence) - expected))
    if len(case.evidence) > case.max_facts:
        yield f"{len(case.evidence)} facts"


def check_evidence_reveals(case: Case) -> Iterator[str]:
    """On the evidence alone the answer stands, and falls with each constraint and the filter."""
    graph = BruteGraph(case.graph.granularity, list(dict.fromkeys(case.evidence)), {}, {}, case.graph.points)
    answers = execute(graph, case.trace, case.references).answers
    if answers != {case.record.answer_id}:
        yield f"the answer there is {sorted(answers)}"
    names = [step.constraint for step in constraints(case.trace)] if case.rules.temporal_necessity else []
    if case.rules.structural_necessity:
        names += [name for name in [filter_name(case.trace)] if name]
    for name in names:
        if execute_without(graph, case.trace, case.references, name).answers == answers:
            yield f"it does not show the loss of {name}"


def check_support(case: Case) -> Iterator[str]:
    """The facts of all rows left at the end, and the references; no fact twice."""
    names = [step.fact for step in case.trace.steps if isinstance(step, StructuralStep)]
    expected = {row[name] for row in case.full.rows for name in names} | set(case.references.values())
    support = [case.graph.read(fact) for fact in case.record.support_facts]
    if len(set(support)) != len(support) or set(support) != expected:
        yield f"{sorted(support)} instead of {sorted(expected)}"


def check_record_fields(case: Case) -> Iterator[str]:
    """Id, names, hop count, operators and families say what the trace says."""
    record, trace, graph = case.record, case.trace, case.graph
    if not re.fullmatch(re.escape(record.dataset) + "-[0-9a-f]{12}", record.id):
        yield f"id {record.id}"
    structural = [step for step in trace.steps if isinstance(step, StructuralStep)]
    if record.hop_count != len(structural) or record.graph_structure is not trace.template:
        yield f"{record.hop_count} hops, {record.graph_structure}"
    operators = tuple(step.operator for step in constraints(trace))
    if record.operators != operators or record.temporal_constraint_count != len(operators):
        yield f"operators {record.operators}"
    if tuple(family.value for family in record.families) != tuple(FAMILY_OF[name] for name in operators):
        yield f"families {record.families}"
    if sorted(record.answer_aliases) != sorted(set(graph.aliases.get(record.answer_id, []))):
        yield f"aliases {record.answer_aliases}"
    entities = {entity for fact in case.evidence for entity in (fact.subject, fact.object)} | {record.answer_id}
    relations = {fact.relation for fact in case.evidence}
    for step in structural:
        relations.add(step.pattern[1])
        entities |= {end for end in (step.pattern[0], step.pattern[2]) if not is_variable(end)}
    expected = {key: graph.entity_labels.get(key) for key in entities} | {key: graph.relation_labels.get(key) for key in relations}
    yield from (f"label of {key}" for key, label in sorted(expected.items()) if record.labels.get(key) != label)
    if record.answer != graph.entity_labels.get(record.answer_id):
        yield f"answer {record.answer!r}"
    if any(graph.relation_labels.get(relation, "") not in record.structure_hint for relation in relations):
        yield "the hint lacks a relation"
