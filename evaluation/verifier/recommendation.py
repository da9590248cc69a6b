"""Which cell of a study to take, by one plain rule, and which cells lie on the frontier of cost and accuracy.

The rule: take the cell of the highest balanced accuracy and all cells not told apart from it (Holm-adjusted
p above 0.05); of these, the cheapest an item. Not told apart is not alike: the line says when the sample could
have overlooked a difference of more than 5 points, and then the choice rests on cost alone; and it says when one of
these cells notices clearly more unnecessary constraints, which balanced accuracy leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.pages.rate_text import share_text
from evaluation.statistics.intervals import wilson
from evaluation.verifier.figures import CellComparison, CellCost, MeasureTest, Recommendation, RegisterFigures

MARGIN = 0.05
"""A difference in balanced accuracy that a sample should not overlook."""


def on_frontier(costs: Sequence[float | None], accuracies: Sequence[float | None]) -> tuple[bool | None, ...]:
    """Of each cell, whether none is at most as dear and at least as accurate, and better in one; `None` if its own are not known.

    >>> on_frontier([1, 2, 3, None], [0.8, 0.7, 0.9, 0.9])
    (True, False, True, None)
    """
    known = [(cost, accuracy) for cost, accuracy in zip(costs, accuracies, strict=True) if cost is not None and accuracy is not None]
    return tuple(
        None if cost is None or accuracy is None else not any(c <= cost and a >= accuracy and (c < cost or a > accuracy) for c, a in known)
        for cost, accuracy in zip(costs, accuracies, strict=True)
    )


def has_costs(costs: Sequence[CellCost]) -> bool:
    """Whether the cells can be told apart by cost: one has a price, or used tokens. Rules have neither."""
    return any(cost.usd_per_item is not None or cost.input_tokens + cost.output_tokens > 0 for cost in costs)


def recommend(
    names: Sequence[str], figures: Sequence[RegisterFigures], costs: Sequence[CellCost], comparisons: Sequence[CellComparison]
) -> Recommendation:
    """The cell to take. Equals are decided by cost, then by their place in the grid.

    Args:
        names: names of the cells.
        figures: their figures of the template questions.
        costs: what they cost.
        comparisons: every two cells, in the order of the grid.
    """
    accuracy = {place: value for place, of_cell in enumerate(figures) if (value := of_cell.balanced.value) is not None}
    if not accuracy:
        return Recommendation(
            cell=None,
            best=None,
            not_told_apart=(),
            cost_by=None,
            sample_suffices=None,
            line="no cell has a balanced accuracy: it takes sound and damaged template questions",
        )
    tests = _tests(len(names), comparisons)
    best = min(accuracy, key=lambda place: (-accuracy[place], *_cost(costs[place]), place))
    equals = [place for place in accuracy if place == best or not tests[min(place, best), max(place, best)].told_apart]
    by_usd = all(costs[place].usd_per_item is not None for place in equals)
    cheapest = min(equals, key=lambda place: (_usd(costs[place]) if by_usd else _tokens(costs[place]), -accuracy[place], place))
    others = [tests[min(place, best), max(place, best)] for place in equals if place != best]
    suffices = all(_overlooked(test) <= MARGIN for test in others) if len(accuracy) > 1 else None
    return Recommendation(
        cell=names[cheapest],
        best=names[best],
        not_told_apart=tuple(names[place] for place in sorted(equals)),
        cost_by="usd" if by_usd else "tokens",
        sample_suffices=suffices,
        line=_line(names, figures, costs, tests, best, cheapest, equals, suffices, by_usd=by_usd),
    )


def _tests(cells: int, comparisons: Sequence[CellComparison]) -> Mapping[tuple[int, int], MeasureTest]:
    """Places of two cells in the grid -> the test of their balanced accuracies; names are not asked, as two may be alike."""
    places = [(a, b) for a in range(cells) for b in range(a + 1, cells)]
    return {
        pair: next(test for test in comparison.tests if test.measure == "balanced accuracy")
        for pair, comparison in zip(places, comparisons, strict=True)
    }


def _usd(cost: CellCost) -> float:
    return float("inf") if cost.usd_per_item is None else cost.usd_per_item


def _tokens(cost: CellCost) -> float:
    return float("inf") if cost.tokens_per_item is None else cost.tokens_per_item


def _cost(cost: CellCost) -> tuple[float, float]:
    return _usd(cost), _tokens(cost)


def _overlooked(test: MeasureTest) -> float:
    """The difference that this comparison might have overlooked; if the cells never differed, what so many sources leave room for."""
    if test.smallest_difference is not None:
        return test.smallest_difference
    room = wilson(0, test.sources)
    return 1.0 if room is None or test.only_a or test.only_b else room.high


def _line(
    names: Sequence[str],
    figures: Sequence[RegisterFigures],
    costs: Sequence[CellCost],
    tests: Mapping[tuple[int, int], MeasureTest],
    best: int,
    cheapest: int,
    equals: Sequence[int],
    suffices: bool | None,
    *,
    by_usd: bool,
) -> str:
    taken, is_alone = figures[cheapest].balanced, sum(of_cell.balanced.value is not None for of_cell in figures) == 1
    has_cost = not is_alone and has_costs(costs)
    interval = f"[{share_text(taken.low)}, {share_text(taken.high)}]"
    said = f"take {names[cheapest]}: balanced accuracy {share_text(taken.value)} % {interval}"
    said += f" on {figures[cheapest].balanced_sources} source questions, measured on template questions"
    if has_cost:
        said += f", {_usd(costs[cheapest]):.3g} USD an item" if by_usd else f", {_tokens(costs[cheapest]):.0f} tokens an item"
        said += "" if by_usd else " (not every price is known)"
    if is_alone:
        return f"{said}; there is no other cell to choose from"
    if len(equals) == 1:
        return f"{said}; every other cell is told to be less accurate"
    if cheapest == best:
        said += f"; the most accurate {'and the cheapest ' if has_cost else ''}of {len(equals)} cells that are not told apart"
    else:
        test = tests[min(best, cheapest), max(best, cheapest)]
        said += f"; {names[best]} has {share_text(figures[best].balanced.value)} %"
        said += f", which {test.sources} source questions do not tell apart"
        said += f" (p {test.p_holm:.2g})" if test.p_holm is not None else ""
        price = _usd if by_usd else _tokens
        said += ", and is dearer" if price(costs[best]) > price(costs[cheapest]) else ""
    said += _of_unnecessary(names, figures, cheapest, equals)
    if suffices is False:
        said += "; the sample is too small to say that they are alike: it could overlook more than 5 points"
    return said


def _of_unnecessary(names: Sequence[str], figures: Sequence[RegisterFigures], chosen: int, equals: Sequence[int]) -> str:
    """What the choice overlooks: another of these cells clearly notices more unnecessary constraints; empty if none does."""
    own = figures[chosen].detection.unnecessary.rate
    if own.high is None:
        return ""
    rates = {place: figures[place].detection.unnecessary.rate for place in equals}
    more = {place: rate for place, rate in rates.items() if rate.value is not None and rate.low is not None and rate.low > own.high}
    if not more:
        return ""
    place = max(more, key=lambda one: (more[one].value or 0.0, figures[one].balanced.value or 0.0, -one))
    theirs, ours = (f"{rate.numerator} of {rate.denominator}" for rate in (more[place], own))
    how = ("more often ", "than") if own.numerator else ("", "and not")
    return (
        "; unnecessary constraints, which balanced accuracy leaves out, "
        f"are noticed {how[0]}by {names[place]} ({theirs}) {how[1]} by it ({ours})"
    )
