"""Instances -> the figures of a run's report, added up one by one so that no two need be held. Paper: Tables 3, 8 and 9, Figure 4."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from evaluation.entity_preservation import NamedPair, entity_names, entity_preservation, is_mentioned
from evaluation.length_reduction import Pair, length_reduction
from evaluation.metrics.bleu import WIDTH, BleuCounts, bleu_counts, corpus_bleu
from evaluation.metrics.bleu import signature as bleu_signature
from evaluation.run_report.instances import ALL_FATES, NOT_FINISHED, ReportedInstance
from evaluation.run_report.summary import (
    FateCount,
    GroupFates,
    Lengths,
    LostCount,
    Population,
    Rewording,
    RootCandidates,
    SplitStatistics,
    StepCandidates,
    StepKind,
    WordCounts,
)
from graph_sampler.operators import OPERATOR_NAMES
from runs.comparing import ACCEPTED
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep, Step
from state.vocabulary import ConstraintCount, Family, Template

OVERFLOW_FROM = 0.995
"""Share of the questions that the bins hold; longer ones are counted together."""
BIN_WIDTH = 2
_KINDS: tuple[StepKind, ...] = ("root", "structural_filter", "forward_transition", "pairwise", "ordinal")


@dataclass
class _Part:
    """What is added up of one part of the benchmark."""

    questions: int = 0
    hops: int = 0
    constraints: int = 0
    families: Counter[Family] = field(default_factory=Counter)
    entities: set[str] = field(default_factory=set)
    relations: set[str] = field(default_factory=set)
    raw_words: Counter[int] = field(default_factory=Counter)
    final_words: Counter[int] = field(default_factory=Counter)
    pairs: list[NamedPair] = field(default_factory=list)
    bleu: BleuCounts = field(default_factory=lambda: np.zeros(WIDTH, dtype=np.int64))
    roots: Counter[int] = field(default_factory=Counter)
    root_candidates: Counter[int] = field(default_factory=Counter)
    steps: Counter[StepKind] = field(default_factory=Counter)
    step_candidates: Counter[StepKind] = field(default_factory=Counter)

    def add(self, record: BenchmarkRecord, final: str | None) -> None:
        self.questions += 1
        self.hops += record.hop_count
        self.constraints += record.temporal_constraint_count
        self.families.update(record.families)
        for fact in record.support_facts:
            self.entities.update((fact.subject, fact.object))
            self.relations.add(fact.relation)
        self.raw_words[len(record.raw_question.split())] += 1
        if final is not None:
            self.final_words[len(final.split())] += 1
            named = [names for names in entity_names(record) if is_mentioned(names, record.raw_question)]
            self.pairs.append(NamedPair(record.raw_question, final, named))
            self.bleu += bleu_counts(final, record.raw_question)
        for place, step in enumerate(record.trace.steps):
            if place == 0:
                self.roots[record.hop_count] += 1
                self.root_candidates[record.hop_count] += step.candidates
            self.steps[_kind(step)] += 1
            self.step_candidates[_kind(step)] += step.candidates


class Tally:
    """What is added up of a run."""

    def __init__(self, population: Population) -> None:
        """Begins with nothing.

        Args:
            population: whose statistics are made.
        """
        self._population = population
        self._parts = {part: _Part() for part in ConstraintCount}
        self._fates: Counter[tuple[str, ConstraintCount]] = Counter()
        self._lost: Counter[tuple[str, str, str]] = Counter()
        self._by_template: dict[str, Counter[str]] = {}
        self._by_operator: dict[str, Counter[str]] = {}

    def add(self, instance: ReportedInstance) -> None:
        """Counts an instance."""
        record, fate = instance.record, instance.fate
        self._fates[fate, record.constraint_part] += 1
        self._by_template.setdefault(record.graph_structure.value, Counter())[fate] += 1
        for operator in set(record.operators):
            self._by_operator.setdefault(operator, Counter())[fate] += 1
        if fate not in (ACCEPTED, NOT_FINISHED):
            causes = [visit.result["cause"] for visit in instance.visits if isinstance(visit.result.get("cause"), str)]
            node = instance.visits[-1].node.value if instance.visits else ""
            self._lost[fate, node, causes[-1] if causes else ""] += 1
        if self._population == "sampled" or fate == ACCEPTED:
            self._parts[record.constraint_part].add(record, instance.question)

    def fates(self) -> tuple[FateCount, ...]:
        """What became of the instances; fates of none are left out, but for accepted."""
        rows = (FateCount(fate=fate, **{name: self._fates[fate, part] for name, part in _PARTS.items()}) for fate in ALL_FATES)
        return tuple(row for row in rows if row.instances or row.fate == ACCEPTED)

    def lost(self) -> tuple[LostCount, ...]:
        """Those not accepted, the most frequent kind first."""
        ranked = sorted(self._lost.items(), key=lambda item: (-item[1], item[0]))
        return tuple(LostCount(fate=fate, last_node=node, cause=cause, instances=count) for (fate, node, cause), count in ranked)

    def by_template(self) -> tuple[GroupFates, ...]:
        """Fates by template, in the paper's order."""
        return _groups((template.value for template in Template), self._by_template)

    def by_operator(self) -> tuple[GroupFates, ...]:
        """Fates by operator, in the order of the table of operators."""
        return _groups(OPERATOR_NAMES, self._by_operator)

    def splits(self) -> tuple[SplitStatistics, ...]:
        """Table 3."""
        return tuple(
            SplitStatistics(
                part=part,
                n_questions=seen.questions,
                entities=len(seen.entities),
                relations=len(seen.relations),
                hop_sum=seen.hops,
                mean_hops=_mean(seen.hops, seen.questions),
                constraint_sum=seen.constraints,
                mean_constraints=_mean(seen.constraints, seen.questions),
                families={family: seen.families[family] for family in Family},
            )
            for part, seen in self._parts.items()
        )

    def words(self) -> tuple[WordCounts, ...]:
        """Figure 4; parts without a question are left out."""
        return tuple(_word_counts(part, seen.raw_words, seen.final_words) for part, seen in self._parts.items() if seen.questions)

    def rewording(self) -> tuple[Rewording, ...]:
        """Table 8, by part and over both; nothing if no question was accepted."""
        seen = list(self._parts.values())
        both = ((None, [pair for part in seen for pair in part.pairs], sum((part.bleu for part in seen), np.zeros(WIDTH, dtype=np.int64))),)
        rows = (*((part, of_part.pairs, of_part.bleu) for part, of_part in self._parts.items()), *both)
        return tuple(_rewording(part, pairs, bleu) for part, pairs, bleu in rows if pairs)

    def roots(self) -> tuple[RootCandidates, ...]:
        """Table 9, a row for each part and number of hops."""
        return tuple(
            RootCandidates(
                part=part,
                hops=hops,
                instances=seen.roots[hops],
                candidates=seen.root_candidates[hops],
                mean=_mean(seen.root_candidates[hops], seen.roots[hops]),
            )
            for part, seen in self._parts.items()
            for hops in sorted({template.hop_count for template in Template})
        )

    def steps(self) -> tuple[StepCandidates, ...]:
        """Candidates after each kind of step, by part."""
        return tuple(
            StepCandidates(
                part=part,
                kind=kind,
                steps=seen.steps[kind],
                candidates=seen.step_candidates[kind],
                mean=_mean(seen.step_candidates[kind], seen.steps[kind]),
            )
            for part, seen in self._parts.items()
            for kind in _KINDS
        )


def bin_edges(lengths: Counter[int]) -> tuple[int, ...]:
    """Where bins of two words begin, from 0 on: the last one is open, and holds what is longer than 99.5 % of the questions.

    The quantile is the shortest length that so many questions do not exceed.

    >>> bin_edges(Counter({3: 199, 40: 1}))
    (0, 2, 4)
    """
    wanted, seen, longest = math.ceil(OVERFLOW_FROM * lengths.total()), 0, 0
    for length, count in sorted(lengths.items()):
        seen, longest = seen + count, length
        if seen >= wanted:
            break
    return tuple(range(0, longest - longest % BIN_WIDTH + BIN_WIDTH + 1, BIN_WIDTH))


def _word_counts(part: ConstraintCount, raw: Counter[int], final: Counter[int]) -> WordCounts:
    edges = bin_edges(raw + final)
    return WordCounts(part=part, edges=edges, raw=_lengths(raw, edges), final=_lengths(final, edges))


def _lengths(lengths: Counter[int], edges: tuple[int, ...]) -> Lengths:
    bins = [0] * len(edges)
    for length, count in lengths.items():
        bins[min(length // BIN_WIDTH, len(edges) - 1)] += count
    words = sum(length * count for length, count in lengths.items())
    return Lengths(questions=lengths.total(), words=words, mean=_mean(words, lengths.total()), bins=tuple(bins))


def _rewording(part: ConstraintCount | None, pairs: list[NamedPair], bleu: BleuCounts) -> Rewording:
    return Rewording(
        part=part,
        length=length_reduction(Pair(pair.raw, pair.final) for pair in pairs),
        bleu=corpus_bleu(bleu),
        bleu_signature=bleu_signature(len(pairs)),
        preservation=entity_preservation(pairs, names="labels+aliases"),
    )


def _groups(names: Iterable[str], fates: Mapping[str, Counter[str]]) -> tuple[GroupFates, ...]:
    return tuple(
        GroupFates(name=name, instances=fates[name].total(), fates={fate: fates[name][fate] for fate in ALL_FATES if fates[name][fate]})
        for name in names
        if name in fates
    )


def _kind(step: Step) -> StepKind:
    if isinstance(step, PairwiseStep):
        return "pairwise"
    return "ordinal" if isinstance(step, OrdinalStep) else step.action


def _mean(total: int, count: int) -> float | None:
    return total / count if count else None


_PARTS: Mapping[str, ConstraintCount] = {"single": ConstraintCount.SINGLE, "multi": ConstraintCount.MULTI}
