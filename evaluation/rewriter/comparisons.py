"""Two cells of a study of the rewriter on the same instances, and which cell of all to take.

Each measure is one yes or no an instance: McNemar's exact test, adjusted over all pairs of cells (Holm). The rule
for taking a cell: the one of the highest accepted share and all not told apart from it; of these, the cheapest
an accepted question, whole pipeline. Not told apart is not alike: the line says when the sample could have
overlooked a difference of more than 5 points, and then the choice rests on cost alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from evaluation.pages.tables import rounded
from evaluation.rewriter.figures import Measure, MeasureTest, RewriterComparison, RewriterFigures, RewriterRecommendation
from evaluation.statistics.intervals import wilson
from evaluation.statistics.paired_tests import ALPHA, PairedSpread, exact_mcnemar, holm, smallest_difference
from state.rewriter_study import RewriterCell, RewriterOutcome
from state.vocabulary import Status

MEASURES: Mapping[Measure, Callable[[RewriterOutcome], bool]] = {
    "accepted": lambda outcome: outcome.status is Status.ACCEPTED,
    "first verification": lambda outcome: outcome.passed_at_first,
}
"""What counts as a hit."""
MARGIN = 0.05
"""A difference in the accepted share that a sample should not overlook."""


def compare_cells(cells: Sequence[RewriterCell]) -> tuple[RewriterComparison, ...]:
    """Every two cells beside each other, in the order of the grid."""
    pairs = list(combinations(cells, 2))
    adjusted = {measure: _adjusted([_test(measure, a, b) for a, b in pairs]) for measure in MEASURES}
    return tuple(
        RewriterComparison(a=a.name, b=b.name, tests=tuple(adjusted[measure][place] for measure in MEASURES))
        for place, (a, b) in enumerate(pairs)
    )


def recommend(figures: Sequence[RewriterFigures], comparisons: Sequence[RewriterComparison]) -> RewriterRecommendation:
    """The cell to take. Equals are decided by cost, then by their accepted share, then by their place in the grid.

    Args:
        figures: the cells, in the order of the grid.
        comparisons: every two cells, in the order of the grid.
    """
    shares = [of_cell.accepted.value or 0.0 for of_cell in figures]
    if not any(shares):
        line = "no cell had a question accepted: there is nothing to choose"
        return RewriterRecommendation(cell=None, best=None, not_told_apart=(), cost_by=None, sample_suffices=None, line=line)
    tests = _tests(len(figures), comparisons)
    best = min(range(len(figures)), key=lambda place: (-shares[place], _usd(figures[place]), _tokens(figures[place]), place))
    equals = [place for place in range(len(figures)) if place == best or not tests[_pair(place, best)].told_apart]
    # A cell without an accepted question has no cost of one; it is dear, not unpriced.
    by_usd = all(figures[place].pipeline_cost.usd is not None for place in equals)
    cost = _usd if by_usd else _tokens
    chosen = min(equals, key=lambda place: (cost(figures[place]), -shares[place], place))
    others = [tests[_pair(place, best)] for place in equals if place != best]
    suffices = all(_overlooked(test) <= MARGIN for test in others) if len(figures) > 1 else None
    price = f"{_usd(figures[chosen]):.3g} USD" if by_usd else f"{rounded(_tokens(figures[chosen]), 0)} tokens (not every price is known)"
    said = f"take {figures[chosen].name}: {_share(figures[chosen])} accepted, {price} an accepted question"
    if len(figures) == 1:
        said += "; there is no other cell to choose from"
    elif len(equals) == 1:
        said += "; every other cell is told to have fewer accepted"
    elif chosen == best:
        said += f"; of {len(equals)} cells that are not told apart it has the most accepted, and none is cheaper"
    else:
        test = tests[_pair(chosen, best)]
        said += f"; {figures[best].name} has {_share(figures[best])}, which {test.instances} instances do not tell apart"
        said += f" (p {test.p_holm:.2g}), and is dearer" if test.p_holm is not None else ""
    if suffices is False:
        said += "; the sample is too small to say that they are alike: it could overlook more than 5 points"
    return RewriterRecommendation(
        cell=figures[chosen].name,
        best=figures[best].name,
        not_told_apart=tuple(figures[place].name for place in equals),
        cost_by="usd" if by_usd else "tokens",
        sample_suffices=suffices,
        line=said,
    )


def _test(measure: Measure, a: RewriterCell, b: RewriterCell) -> MeasureTest:
    """One measure of one pair, before the adjustment."""
    is_hit = MEASURES[measure]
    hits_a, hits_b = ({outcome.instance: is_hit(outcome) for outcome in cell.outcomes} for cell in (a, b))
    common = sorted(hits_a.keys() & hits_b.keys())
    only_a = tuple(ident for ident in common if hits_a[ident] and not hits_b[ident])
    only_b = tuple(ident for ident in common if hits_b[ident] and not hits_a[ident])
    spread = PairedSpread.of(np.array([float(hits_a[ident]) - hits_b[ident] for ident in common])) if common else None
    return MeasureTest(
        measure=measure,
        instances=len(common),
        hits_a=sum(hits_a[ident] for ident in common),
        hits_b=sum(hits_b[ident] for ident in common),
        only_a=only_a,
        only_b=only_b,
        difference=None if spread is None else spread.difference,
        p=None if spread is None else exact_mcnemar(len(only_a), len(only_b)),
        p_holm=None,
        told_apart=None,
        smallest_difference=None if spread is None else smallest_difference(spread),
        note="nothing to compare",
    )


def _adjusted(tests: Sequence[MeasureTest]) -> list[MeasureTest]:
    """The tests of one measure with Holm's p-values; those without one stay as they are."""
    p_values = iter(holm([test.p for test in tests if test.p is not None]))
    done = []
    for test in tests:
        if test.p is not None:
            p_holm = next(p_values)
            test = test.model_copy(update={"p_holm": p_holm, "told_apart": p_holm <= ALPHA})
            test = test.model_copy(update={"note": _note(test)})
        done.append(test)
    return done


def _note(test: MeasureTest) -> str:
    said = "told apart" if test.told_apart else "not told apart"
    if not test.only_a and not test.only_b:
        return f"{said}: no instance flipped"
    if test.smallest_difference is None:
        return f"{said}: too few instances"
    return f"{said}; {test.instances} instances can tell {rounded(100 * test.smallest_difference)} points"


def _tests(cells: int, comparisons: Sequence[RewriterComparison]) -> dict[tuple[int, int], MeasureTest]:
    """Places of two cells in the grid -> the test of their accepted shares."""
    return {
        pair: next(test for test in comparison.tests if test.measure == "accepted")
        for pair, comparison in zip(combinations(range(cells), 2), comparisons, strict=True)
    }


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


def _usd(figures: RewriterFigures) -> float:
    cost = figures.pipeline_cost.usd_per_accepted
    return float("inf") if cost is None else cost


def _tokens(figures: RewriterFigures) -> float:
    cost = figures.pipeline_cost.tokens_per_accepted
    return float("inf") if cost is None else cost


def _share(figures: RewriterFigures) -> str:
    return f"{figures.accepted.numerator} of {figures.accepted.denominator}"


def _overlooked(test: MeasureTest) -> float:
    """The difference that this comparison might have overlooked; if the cells never differed, what so many instances leave room for."""
    if test.smallest_difference is not None:
        return test.smallest_difference
    room = wilson(0, test.instances)
    return 1.0 if room is None or test.only_a or test.only_b else room.high
