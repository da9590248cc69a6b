"""A proved trace -> its id, its template question and the bytes of its record. Design: section 5.

The record's JSON is joined from parts that are rendered once (each fact's, each label's), which makes
it several times faster than building models; `state.instance.BenchmarkRecord` reads it back unchanged.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from json.encoder import encode_basestring
from typing import NamedTuple

from graph_sampler.constraints import OrdinalSpec, PairwiseSpec, rows_of
from graph_sampler.skeleton import FACT_NAMES, VARIABLES, Hop, Skeleton
from graph_sampler.templates import FACT_NAMES as FACT_PHRASES
from graph_sampler.templates import (
    VARIABLE_NAMES,
    assemble,
    clause,
    count_candidates,
    ordinal_clause,
    pairwise_clause,
    quote,
    reference_phrase,
    structure_hint,
)
from graph_sampler.temporal_graph import TemporalGraph
from state.interval import format_granule
from state.vocabulary import Action

_REMEMBERED = 100_000
"""Texts of one sort that an encoder keeps, so that its memory does not grow with the sample."""


class TraceSpec(NamedTuple):
    """A proved trace by numbers, cheap to send between processes; the skeleton's rows can be drawn again."""

    hops: tuple[Hop, ...]
    stages: tuple[int, ...]
    """The stage of each pairwise constraint."""
    constraints: tuple[PairwiseSpec, ...]
    ordinal: OrdinalSpec | None
    counts: tuple[int, ...]
    final_rows: int
    answer: int


class Verbalised(NamedTuple):
    """The words of a trace."""

    question: str
    constraints: tuple[str, ...]
    process: tuple[str, ...]


class RecordEncoder:
    """Renders records of one graph; what it has rendered once it remembers, up to a number."""

    def __init__(self, graph: TemporalGraph, dataset: str, seed: int, version: str) -> None:
        """Takes the benchmark's name, the sampler's seed and the package's version, which go into every record."""
        self._graph = graph
        self._dataset = dataset
        self._seed = seed
        self._version = version
        self._facts: dict[int, str] = {}
        self._json: dict[str, str] = {}
        self._references: dict[int, str] = {}
        self._patterns: dict[tuple[tuple[Hop, ...], tuple[int, ...]], str] = {}
        self._skeleton: Skeleton | None = None
        self._evidence: list[str] = []
        self._labels = ""
        self._unit = graph.granularity

    def identifier(self, spec: TraceSpec) -> str:
        """`<dataset>-` and 12 hex digits of the canonical query's hash.

        The canonical query does not depend on variable names, on which end of a branch is the root, on
        the direction in which a pairwise constraint is written, or on the order of constraints.
        """
        forms = [self._canonical(spec, tuple(range(len(spec.hops))))]
        if len(spec.hops) == 2 and spec.hops[1].action is Action.STRUCTURAL_FILTER:
            forms.append(self._canonical(spec, (1, 0)))
        digest = hashlib.sha256(min(forms).encode("utf-8", "surrogatepass")).hexdigest()
        return f"{self._dataset}-{digest[:12]}"

    def verbalise(self, spec: TraceSpec) -> Verbalised:
        """The template question, one sentence a constraint and one a step. Paper: Figure 3."""
        graph = self._graph
        chain = spec.hops[-1].action is Action.FORWARD_TRANSITION
        stages: list[tuple[list[str], list[str]]] = []
        process: list[str] = []
        sentences: list[str] = []
        counts = iter(spec.counts)
        for number, hop in enumerate(spec.hops):
            subject, object_ = self._ends(spec.hops, number)
            relation = graph.relation_labels[hop.relation]
            words = [VARIABLE_NAMES[end] if isinstance(end, str) else quote(graph.entity_labels[end]) for end in (subject, object_)]
            text = f"{clause(words[0], relation, words[1])} ({FACT_PHRASES[FACT_NAMES[number]]})"
            if hop.action is Action.STRUCTURAL_FILTER:
                stages[-1][0].append(text)
            else:
                stages.append(([text], []))
            shown = [end if isinstance(end, str) else graph.entity_labels[end] for end in (subject, object_)]
            arrow = f"{relation} -> {shown[1]}" if subject == "?a" and hop.fixed >= 0 else f"{shown[0]} -> {relation} -> {shown[1]}"
            process.append(f"{hop.action}: {arrow} | {count_candidates(next(counts))}")
            if not chain and number + 1 < len(spec.hops):
                continue
            stage = len(stages) - 1
            for place, constraint in zip(spec.stages, spec.constraints, strict=True):
                if place == stage:
                    name = constraint.operator.name
                    left = FACT_NAMES[constraint.left]
                    right = FACT_NAMES[constraint.right] if constraint.right >= 0 else self._reference_name(spec, constraint)
                    said = pairwise_clause(name, f"the {FACT_PHRASES[left]}", self._right_phrase(constraint), self._unit)
                    stages[-1][1].append(said)
                    sentences.append(f"{name}: {said}")
                    process.append(f"temporal_filter: {name}({left}, {right}) | {count_candidates(next(counts))}")
            ordinal = spec.ordinal
            if ordinal is not None and ordinal.stage == stage:
                is_point = bool(graph.relation_is_point[spec.hops[ordinal.fact].relation])
                name, fact = ordinal.operator.name, FACT_NAMES[ordinal.fact]
                said = ordinal_clause(name, fact, ordinal.rank, ordinal.order, is_point)
                stages[-1][1].append(said)
                sentences.append(f"{name}: {said}")
                process.append(f"temporal_filter: {name}({fact}) = {ordinal.rank} {ordinal.order} | {count_candidates(next(counts))}")
        variable = VARIABLES[len(stages) - 1] if chain else "?a"
        return Verbalised(assemble(variable, stages), tuple(sentences), tuple(process))

    def encode(self, identifier: str, spec: TraceSpec, skeleton: Skeleton, words: Verbalised) -> bytes:
        """The record as one JSON line without its line end."""
        graph = self._graph
        if skeleton is not self._skeleton:
            self._prepare(skeleton)
        template = skeleton.template
        operators = self._operators(spec)
        references = self._reference_facts(spec)
        last = skeleton.stages[-1]
        support = {column[row] for row in rows_of(spec.final_rows) for column in last.facts} | set(references)
        root = spec.hops[0]
        pattern = ["?a", graph.relation_ids[root.relation], graph.entity_ids[root.fixed]]
        if not root.candidate_is_subject:
            pattern.reverse()
        text = self._text
        aliases = graph.entity_aliases.get(spec.answer, ())
        variable = VARIABLES[len(spec.hops) - 1] if template.is_chain else "?a"
        parts = (
            f'{{"id":{text(identifier)},"dataset":{text(self._dataset)},"graph_structure":"{template.value}","hop_count":{template.hop_count}',
            f',"space_search_process":[{_join(escape(line) for line in words.process)}]',
            f',"temporal_constraints":[{_join(escape(line) for line in words.constraints)}]',
            f',"temporal_constraint_count":{len(operators)},"raw_question":{escape(words.question)},"final_question":null',
            f',"answer":{text(graph.entity_labels[spec.answer])},"answer_id":{text(graph.entity_ids[spec.answer])}',
            f',"answer_aliases":[{_join(text(alias) for alias in aliases)}]',
            f',"families":[{_join(text(family) for family, _ in operators)}]',
            f',"operators":[{_join(text(name) for _, name in operators)}]',
            f',"backend":null,"trace":{{"template":"{template.value}","answer_variable":"{variable}","steps":[{_join(self._steps(spec))}]',
            f',"references":{{{_join(f"{chr(34)}g{n}{chr(34)}:{self._fact(fact)}" for n, fact in enumerate(references, start=1))}}}}}',
            f',"support_facts":[{_join(self._fact(fact) for fact in sorted(support))}]',
            f',"evidence":[{_join(self._shuffled(identifier))}]',
            f',"structure_hint":{escape(structure_hint(template, [graph.relation_labels[hop.relation] for hop in spec.hops]))}',
            f',"labels":{self._labels}',
            f',"provenance":{{"source":{text(graph.name)},"content_hash":"{graph.content_hash}","seed":{self._seed}',
            f',"root":{escape(json.dumps(pattern, ensure_ascii=False))},"version":{text(self._version)}}},"format":1}}',
        )
        return "".join(parts).encode("utf-8", "surrogatepass")

    def named_entities(self, spec: TraceSpec) -> set[int]:
        """Every entity that the question must name: fixed ends and both ends of references."""
        graph = self._graph
        found = {hop.fixed for hop in spec.hops if hop.fixed >= 0}
        for reference in self._reference_facts(spec):
            found.update((int(graph.subject[reference]), int(graph.object[reference])))
        return found

    def _prepare(self, skeleton: Skeleton) -> None:
        graph = self._graph
        facts = skeleton.evidence()
        self._skeleton = skeleton
        self._evidence = [self._fact(fact) for fact in facts]
        entities = set(graph.subject[facts].tolist()) | set(graph.object[facts].tolist())
        relations = {hop.relation for hop in skeleton.hops}
        pairs = {graph.entity_ids[entity]: graph.entity_labels[entity] for entity in entities}
        pairs |= {graph.relation_ids[relation]: graph.relation_labels[relation] for relation in relations}
        self._labels = "{" + ",".join(f"{self._text(key)}:{self._text(pairs[key])}" for key in sorted(pairs)) + "}"

    def _shuffled(self, identifier: str) -> list[str]:
        """The evidence in the instance's own order: sorted by keys drawn from its id."""
        size = len(self._evidence)
        keys = memoryview(hashlib.shake_256(identifier.encode()).digest(4 * size)).cast("I")
        return [self._evidence[at] for at in sorted(range(size), key=lambda at: (keys[at], at))]

    def _operators(self, spec: TraceSpec) -> list[tuple[str, str]]:
        """Family and name of each constraint in step order."""
        found: list[tuple[str, str]] = []
        stages = [*spec.stages, *((spec.ordinal.stage,) if spec.ordinal else ())]
        for stage in range(max(stages) + 1):
            found += [
                (each.operator.family.value, each.operator.name)
                for at, each in zip(spec.stages, spec.constraints, strict=True)
                if at == stage
            ]
            if spec.ordinal is not None and spec.ordinal.stage == stage:
                found.append((spec.ordinal.operator.family.value, spec.ordinal.operator.name))
        return found

    def _steps(self, spec: TraceSpec) -> list[str]:
        chain = spec.hops[-1].action is Action.FORWARD_TRANSITION
        counts = iter(spec.counts)
        steps: list[str] = []
        number = 0
        for at, hop in enumerate(spec.hops):
            pattern = self._pattern(spec.hops, at)
            steps.append(f'{{"action":"{hop.action}","fact":"{FACT_NAMES[at]}","pattern":{pattern},"candidates":{next(counts)}}}')
            if not chain and at + 1 < len(spec.hops):
                continue
            stage = at if chain else 0
            for place, constraint in zip(spec.stages, spec.constraints, strict=True):
                if place == stage:
                    number += 1
                    right = FACT_NAMES[constraint.right] if constraint.right >= 0 else self._reference_name(spec, constraint)
                    steps.append(
                        f'{{"action":"temporal_filter","constraint":"c{number}","operator":"{constraint.operator.name}"'
                        f',"left":"{FACT_NAMES[constraint.left]}","right":"{right}","candidates":{next(counts)}}}'
                    )
            if spec.ordinal is not None and spec.ordinal.stage == stage:
                number += 1
                steps.append(
                    f'{{"action":"temporal_filter","constraint":"c{number}","operator":"{spec.ordinal.operator.name}"'
                    f',"fact":"{FACT_NAMES[spec.ordinal.fact]}","rank":{spec.ordinal.rank},"order":"{spec.ordinal.order}","candidates":{next(counts)}}}'
                )
        return steps

    def _ends(self, hops: tuple[Hop, ...], number: int) -> tuple[str | int, str | int]:
        """Subject and object of a step's pattern: a variable or an entity code."""
        hop = hops[number]
        if hop.action is Action.FORWARD_TRANSITION:
            new, other = VARIABLES[number], VARIABLES[number - 1]
            return (new, other) if hop.candidate_is_subject else (other, new)
        return ("?a", hop.fixed) if hop.candidate_is_subject else (hop.fixed, "?a")

    def _reference_facts(self, spec: TraceSpec) -> list[int]:
        """References in the order of their names."""
        return list(dict.fromkeys(each.reference for each in spec.constraints if each.reference >= 0))

    def _reference_name(self, spec: TraceSpec, constraint: PairwiseSpec) -> str:
        return f"g{self._reference_facts(spec).index(constraint.reference) + 1}"

    def _right_phrase(self, constraint: PairwiseSpec) -> str:
        if constraint.right >= 0:
            return f"the {FACT_PHRASES[FACT_NAMES[constraint.right]]}"
        known = self._references.get(constraint.reference)
        if known is None:
            if len(self._references) >= _REMEMBERED:
                self._references.clear()
            graph, fact = self._graph, constraint.reference
            known = self._references[fact] = reference_phrase(
                graph.entity_labels[graph.subject[fact]],
                graph.relation_labels[graph.relation[fact]],
                graph.entity_labels[graph.object[fact]],
            )
        return known

    def _canonical(self, spec: TraceSpec, order: tuple[int, ...]) -> str:
        """The query as JSON, its facts numbered in the given order."""
        key = (spec.hops, order)
        patterns = self._patterns.get(key)
        if patterns is None:
            if len(self._patterns) >= 10_000:
                self._patterns.clear()
            hops = sorted(range(len(spec.hops)), key=lambda fact: order[fact])
            patterns = self._patterns[key] = "[" + _join(self._pattern(spec.hops, fact) for fact in hops) + "]"
        constraints = []
        for left, right, reference, operator in spec.constraints:
            if right < 0:
                constraints.append(f'[{order[left]},"{operator.name}",{self._fact(reference)}]')
            elif order[right] > order[left]:
                constraints.append(f'[{order[left]},"{operator.name}",{order[right]}]')
            else:
                constraints.append(f'[{order[right]},"{operator.converse}",{order[left]}]')
        constraints.sort()
        if spec.ordinal is not None:
            ordinal = spec.ordinal
            constraints.append(f'["{ordinal.operator.name}",{order[ordinal.fact]},{ordinal.rank},"{ordinal.order}"]')
        return f"[{patterns},[{_join(constraints)}]]"

    def _pattern(self, hops: tuple[Hop, ...], fact: int) -> str:
        """A step's pattern as JSON."""
        graph, text = self._graph, self._text
        subject, object_ = (end if isinstance(end, str) else graph.entity_ids[end] for end in self._ends(hops, fact))
        return f"[{text(subject)},{text(graph.relation_ids[hops[fact].relation])},{text(object_)}]"

    def _fact(self, fact: int) -> str:
        known = self._facts.get(fact)
        if known is None:
            if len(self._facts) >= _REMEMBERED:
                self._facts.clear()
            graph, text = self._graph, self._text
            start, end = (format_granule(int(granule), self._unit) for granule in (graph.start[fact], graph.end[fact]))
            known = self._facts[fact] = (
                f'{{"subject":{text(graph.entity_ids[graph.subject[fact]])},"relation":{text(graph.relation_ids[graph.relation[fact]])}'
                f',"object":{text(graph.entity_ids[graph.object[fact]])},"start":"{start}","end":"{end}"}}'
            )
        return known

    def _text(self, value: str) -> str:
        known = self._json.get(value)
        if known is None:
            if len(self._json) >= _REMEMBERED:
                self._json.clear()
            known = self._json[value] = escape(value)
        return known


def escape(value: str) -> str:
    """A JSON string in which no character can be taken for a line end. Trap: characters that look like line ends."""
    text = encode_basestring(value)
    if text.isascii() and text.isprintable():
        return text
    for sign in ("\u2028", "\u2029", "\x85", "\x7f"):
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _join(parts: Iterable[str]) -> str:
    return ",".join(parts)
