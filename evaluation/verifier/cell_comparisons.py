"""Two cells of a study of the verifier on the same items: who differs, in what, and whether it may be chance.

Acceptance has one item a source question: McNemar's exact test. Detection and balanced accuracy have several:
source questions are flipped whole. Each measure's p-values are adjusted over all pairs of cells (Holm).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.intervals import Counts
from evaluation.statistics.paired_tests import ALPHA, PairedSpread, exact_mcnemar, holm, sign_flip, smallest_difference, sources_needed
from evaluation.verifier.cell_figures import KINDS, Answer, balanced_group, balanced_weights, tables
from evaluation.verifier.figures import CellComparison, FlippedItem, Measure, MeasureTest
from state.study import Register

MEASURES: tuple[Measure, ...] = ("acceptance", "detection", "balanced accuracy")


class _Pair(NamedTuple):
    """Answers of two cells to the template items that both were asked, (source questions, 1 + kinds)."""

    asked: Counts
    right_a: Counts
    right_b: Counts
    only_a: Counts
    only_b: Counts


def compare_cells(names: Sequence[str], answers: Sequence[Mapping[str, Answer]], seed: int) -> tuple[CellComparison, ...]:
    """Every two cells beside each other, in the order of the grid.

    Cost: for each pair of cells two sign-flip tests, about 40 ms each at 500 source questions.

    Args:
        names: names of the cells.
        answers: of each cell, item id -> answer.
        seed: the study's seed.
    """
    pairs = list(combinations(range(len(names)), 2))
    tables_of = [_pair(answers[a], answers[b]) for a, b in pairs]
    tests = [{measure: _test(measure, pair, seed) for measure in MEASURES} for pair in tables_of]
    for measure in MEASURES:
        tested = [(index, p) for index, of_pair in enumerate(tests) if (p := of_pair[measure].p) is not None]
        for (index, _), adjusted in zip(tested, holm([p for _, p in tested]), strict=True):
            told = tests[index][measure].model_copy(update={"p_holm": adjusted, "told_apart": adjusted <= ALPHA})
            tests[index][measure] = told.model_copy(update={"note": _note(told)})
    return tuple(
        CellComparison(a=names[a], b=names[b], tests=tuple(of_pair.values()), flipped=tuple(_flipped(answers[a], answers[b])))
        for (a, b), of_pair in zip(pairs, tests, strict=True)
    )


def _pair(a: Mapping[str, Answer], b: Mapping[str, Answer]) -> _Pair:
    common = [ident for ident in sorted(a.keys() & b.keys()) if a[ident].item.wording is Register.TEMPLATE]
    columns = 1 + len(KINDS)
    right_a, asked = tables([a[ident] for ident in common], balanced_group, columns)
    right_b, _ = tables([b[ident] for ident in common], balanced_group, columns)
    moved = [ident for ident in common if a[ident].is_right != b[ident].is_right]
    sources = sorted({a[ident].item.source for ident in common})
    row = {source: index for index, source in enumerate(sources)}
    only_a, only_b = np.zeros_like(asked), np.zeros_like(asked)
    for ident in moved:
        column = balanced_group(a[ident].item)
        if column is not None:
            (only_a if a[ident].is_right else only_b)[row[a[ident].item.source], column] += 1
    return _Pair(asked, right_a, right_b, only_a, only_b)


def _test(measure: Measure, pair: _Pair, seed: int) -> MeasureTest:
    """One measure of one pair, before the adjustment."""
    columns = {"acceptance": slice(0, 1), "detection": slice(1, None), "balanced accuracy": slice(0, None)}[measure]
    asked = pair.asked[:, columns]
    only_a, only_b = int(pair.only_a[:, columns].sum()), int(pair.only_b[:, columns].sum())
    differences = _differences(measure, pair)
    p: float | None = None
    if len(differences):
        p = exact_mcnemar(only_a, only_b) if measure == "acceptance" else sign_flip(differences, seed=seed, name=measure)
    spread = PairedSpread.of(differences) if len(differences) else None
    return MeasureTest(
        measure=measure,
        method="exact McNemar" if measure == "acceptance" else "cluster sign-flip",
        sources=len(differences),
        items=int(asked.sum()) if len(differences) else 0,
        hits_a=int(pair.right_a[:, columns].sum()) if len(differences) else 0,
        hits_b=int(pair.right_b[:, columns].sum()) if len(differences) else 0,
        only_a=only_a,
        only_b=only_b,
        difference=None if spread is None else spread.difference,
        p=p,
        p_holm=None,
        told_apart=None,
        smallest_difference=None if spread is None else smallest_difference(spread),
        sources_needed=None if spread is None else sources_needed(spread),
        note="nothing to compare",
    )


def _differences(measure: Measure, pair: _Pair) -> NDArray[np.float64]:
    """Of each source question that was asked, its difference between A and B, scaled so that their mean is the measure's difference."""
    moved, totals = (pair.only_a - pair.only_b).astype(float), pair.asked.sum(axis=0)
    if measure == "balanced accuracy":
        if not totals[0] or not totals[1:].any():
            return np.zeros(0)
        kept = pair.asked.any(axis=1)
        weights = np.asarray(balanced_weights(pair.asked)) / np.maximum(totals, 1)
        return np.asarray(moved[kept] @ weights * int(kept.sum()))
    columns = slice(0, 1) if measure == "acceptance" else slice(1, None)
    asked = pair.asked[:, columns].sum(axis=1)
    kept = asked > 0
    return np.asarray(moved[kept][:, columns].sum(axis=1) * (int(kept.sum()) / max(1, int(asked.sum()))))


def _note(test: MeasureTest) -> str:
    if test.smallest_difference is None:
        few = "no item flipped" if test.only_a == test.only_b == 0 else "too few source questions"
        return f"not told apart: {few}"
    power = f"{test.sources} source questions can tell {100 * test.smallest_difference:.1f} points"
    if test.told_apart:
        return f"told apart; {power}"
    if test.sources_needed is None:
        return f"not told apart; {power}, and the difference seen is none"
    return f"not told apart; {power}, and to tell the difference seen would take about {test.sources_needed}"


def _flipped(a: Mapping[str, Answer], b: Mapping[str, Answer]) -> Iterator[FlippedItem]:
    for ident in sorted(a.keys() & b.keys()):
        one, other = a[ident], b[ident]
        if one.is_right != other.is_right:
            item = one.item
            yield FlippedItem(
                item=ident,
                source=item.source,
                wording=item.wording,
                kind=item.kind,
                family=item.family,
                a=one.outcome.reading,
                b=other.outcome.reading,
            )
