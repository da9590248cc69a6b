"""The figures of a study of the rewriter: cost against accepted share, both shares by cell, what became of the instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from evaluation.pages.charts import FAINT, PAPER, Picture, picture, spread, wrapped
from evaluation.rewriter.fates import AT_ONCE, ON_APPEAL, REPAIRED, discarded, fates
from evaluation.rewriter.figures import RewriterFigures
from evaluation.rewriter.summary import RewriterSummary
from evaluation.study.frontier_picture import CostedCell, Wording, frontier_picture
from evaluation.study.rates_picture import TwoRates, rates_picture
from state.vocabulary import DiscardReason

PICTURES = ("frontier", "rates", "fates")
"""Names of all figures; one for which there are no data is not drawn."""

_FAILED = "failed"
"""All fates of failed instances, at whichever node."""
_WIDTH = 4.75
"""Inches of a bar of all instances."""
_ROW = 0.56
"""Inches from a bar to the next."""
_DIGIT = 0.075
"""Inches that a digit of a count takes, with its share of the room beside it."""


class _Fill(NamedTuple):
    """How a fate is filled; no figure is read by colour alone, as counts and hatches tell more."""

    ground: str
    ink: str
    hatch: str = ""


_DARK, _LIGHT = "#1f2431", "#fefefe"  # not the page's own ink and paper, which change with its theme
_FILLS: Mapping[str, _Fill] = {
    AT_ONCE: _Fill("#00619a", _LIGHT),
    ON_APPEAL: _Fill("#4fa3d4", _DARK),
    REPAIRED: _Fill("#b5d9ef", _DARK),
    discarded(DiscardReason.FAILED_VERIFICATION): _Fill("#e08a4e", _DARK),
    discarded(DiscardReason.ANSWER_LEAK): _Fill("#f3c9a5", _DARK, "///"),
    discarded(DiscardReason.DUPLICATE_QUESTION): _Fill("#f8e6d6", _DARK, "..."),
    _FAILED: _Fill("#aab1bd", _DARK, "xxx"),
}


def rewriter_pictures(summary: RewriterSummary) -> tuple[Picture, ...]:
    """The figures for which there are data, in the order of `PICTURES`."""
    return tuple(one for one in (_frontier(summary), _rates(summary), _fates(summary)) if one is not None)


def _frontier(summary: RewriterSummary) -> Picture | None:
    has_price = any(cell.pipeline_cost.usd_per_accepted is not None for cell in summary.cells)
    of_what = "US dollars an accepted question" if has_price else "tokens an accepted question, as no cell has a price"
    wording = Wording(
        cost=of_what,
        share="Accepted",
        caption=f"Cost and yield. Across: {of_what}, all agents together; up: accepted share of all instances with its "
        "95 % interval. Filled and joined: cells to which no other is both at most as dear and has at least as many accepted.",
        without="no cost",
        of_those="Cells without a price or without an accepted question stand apart, at the right.",
    )
    costs = [cell.pipeline_cost.usd_per_accepted if has_price else cell.pipeline_cost.tokens_per_accepted for cell in summary.cells]
    cells = [CostedCell(cell.name, cost, cell.accepted) for cell, cost in zip(summary.cells, costs, strict=True)]
    return frontier_picture(cells, wording, summary.recommendation.cell)


def _rates(summary: RewriterSummary) -> Picture | None:
    cells = [TwoRates(cell.name, cell.accepted, cell.first_pass) for cell in summary.cells]
    caption = "Accepted in the end, and agreed at the first verification, by cell, of all instances; with 95 % intervals."
    return rates_picture(cells, ("accepted", "agreed at the first verification"), caption)


def _fates(summary: RewriterSummary) -> Picture | None:
    cells = [cell for cell in summary.cells if cell.instances]
    if not cells:
        return None
    counts = [_counts(cell) for cell in cells]
    there = [fate for fate in _FILLS if any(fate in of_cell for of_cell in counts)]
    labels = [wrapped(cell.name, 28, 2) for cell in cells]
    above = 0.12 + 0.22 * ((len(there) + 1) // 2)
    height = above + _ROW * len(cells) + 0.45
    caption = (
        "What became of the instances of each cell, with their numbers. Repaired: the reviser or the leak rewriter wrote the question "
        "anew; on appeal: a second reading agreed with the question as it was."
    )

    def draw(figure: Figure) -> None:
        width = figure.get_figwidth()
        axes = figure.add_axes((2.15 / width, 0.45 / height, _WIDTH / width, _ROW * len(cells) / height))
        axes.set(xlim=(0, 1), ylim=(len(cells) - 0.5, -0.5), xlabel="% of the instances")
        for row, (cell, of_cell) in enumerate(zip(cells, counts, strict=True)):
            _bar(axes, row, [(fate, of_cell[fate]) for fate in there if fate in of_cell], cell.instances)
        axes.set_yticks([row - 0.1 for row in range(len(cells))], labels)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}"))
        axes.grid(axis="y", visible=False)
        axes.spines["left"].set_visible(False)
        keys = [Patch(facecolor=_FILLS[fate].ground, edgecolor=_DARK, linewidth=0.4, hatch=_FILLS[fate].hatch) for fate in there]
        figure.legend(
            keys,
            there,
            loc="upper left",
            bbox_to_anchor=(2.15 / width, 1 - 0.1 / height),
            borderaxespad=0.0,
            frameon=False,
            handlelength=1.4,
            labelspacing=0.45,
            ncols=2,
        )

    return picture("fates", caption, 7.2, height, draw)


def _counts(cell: RewriterFigures) -> dict[str, int]:
    """Fate -> instances, in the order of the fills; failures of all nodes are one."""
    counts = dict.fromkeys(_FILLS, 0)
    for fate, count in fates(cell):
        counts[fate if fate in counts else _FAILED] += count
    return {fate: count for fate, count in counts.items() if count}


def _bar(axes: Axes, row: int, parts: Sequence[tuple[str, int]], instances: int) -> None:
    """One cell: numbers within their parts, and below the bar where a part is too narrow for its number."""
    left, narrow = 0.0, []
    for fate, count in parts:
        fill, share = _FILLS[fate], count / instances
        axes.barh(
            row - 0.1, share, 0.5, left, color=fill.ground, edgecolor=PAPER if not fill.hatch else _DARK, hatch=fill.hatch, linewidth=0.4
        )
        middle, needed = left + share / 2, _DIGIT * (len(str(count)) + 1) / _WIDTH
        if share >= needed:
            ground = {"facecolor": fill.ground, "edgecolor": "none", "pad": 1.2}
            axes.text(middle, row - 0.09, str(count), ha="center", va="center", color=fill.ink, bbox=ground if fill.hatch else None)
        else:
            narrow.append((middle, needed, str(count)))
        left += share
    narrow.reverse()
    places = spread([middle for middle, _, _ in narrow], [needed for _, needed, _ in narrow], 0, 1)
    for (middle, _, text), place in zip(narrow, places, strict=True):
        axes.plot([middle, place], [row + 0.16, row + 0.22], color=FAINT, linewidth=0.6)
        axes.text(place, row + 0.33, text, ha="center", va="center", fontsize=7.5)
