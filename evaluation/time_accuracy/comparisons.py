"""Rows beside each other on the same questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from evaluation.statistics.paired_tests import exact_mcnemar, holm, sign_flip
from evaluation.time_accuracy.figures import Compared, Measure
from evaluation.time_accuracy.items import RowItem, ScoredRow
from state.tdbench_evaluate_config import RULES
from state.tdbench_evaluation import AskedQuestion


def comparisons(
    questions: Sequence[AskedQuestion], rows: Sequence[ScoredRow], judge: str, seed: int, not_judged: Collection[str] = ()
) -> list[Compared]:
    """Every pair of rows, by each judge, in AT and in A, p-values adjusted by Holm over the pairs of one measure and judge.

    McNemar's exact test where each query is asked once; else whole queries are flipped.

    Args:
        questions: what was asked.
        rows: the rows with their verdicts.
        judge: who judged beside the rules, or `rules`.
        seed: seed of random flips.
        not_judged: rows on which no verdict of the judge could be read; by the judge they are not compared.
    """
    found: list[Compared] = []
    groups = [question.group for question in questions]
    for who in dict.fromkeys((RULES, judge)):
        measures: tuple[Measure, ...] = ("AT", "A")
        for measure in measures:
            hits = {
                row.name: [_hit(item, who, measure) for item in row.replies] for row in rows if who == RULES or row.name not in not_judged
            }
            pairs = [(first, second, *_tested(hits[first], hits[second], groups, seed)) for first, second in combinations(hits, 2)]
            adjusted = holm([p for _, _, p, _ in pairs])
            for (first, second, p, test), p_adjusted in zip(pairs, adjusted, strict=True):
                one, other = hits[first], hits[second]
                found.append(
                    Compared(
                        judge=who,
                        measure=measure,
                        first=first,
                        second=second,
                        only_first=sum(mine and not theirs for mine, theirs in zip(one, other, strict=True)),
                        only_second=sum(theirs and not mine for mine, theirs in zip(one, other, strict=True)),
                        difference=(sum(one) - sum(other)) / len(one),
                        p=p,
                        p_adjusted=p_adjusted,
                        test=test,
                    )
                )
    return found


def _hit(item: RowItem, judge: str, measure: Measure) -> bool:
    verdict = item.rules if judge == RULES or item.judge is None else item.judge
    return verdict.is_right if measure == "A" else verdict.is_right_in_time


def _tested(
    one: Sequence[bool], other: Sequence[bool], groups: Sequence[str], seed: int
) -> tuple[float, Literal["exact McNemar", "sign flip over queries"]]:
    sums: defaultdict[str, int] = defaultdict(int)
    for mine, theirs, group in zip(one, other, groups, strict=True):
        sums[group] += int(mine) - int(theirs)
    if len(sums) == len(one):
        return exact_mcnemar(sum(value > 0 for value in sums.values()), sum(value < 0 for value in sums.values())), "exact McNemar"
    p = sign_flip(np.array([sums[group] for group in sorted(sums)], dtype=float), seed=seed, name="tdbench")
    return 1.0 if p is None else p, "sign flip over queries"
