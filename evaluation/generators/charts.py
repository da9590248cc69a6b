"""The figures of an evaluation: BLEU-4 by hops and constraints, by operator, and what questions state otherwise than their traces.

Paper: Figures 5 to 7. The first two are drawn for each of a few rows; the tables have all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from evaluation.generators.analysis_tables import FAILURES, failures_of
from evaluation.generators.figures import EvaluationSummary, FailureCounts, HeatCell, Heatmap, OperatorBars, RowName
from evaluation.generators.rows import RowKind
from evaluation.generators.strata import CONSTRAINTS, HOPS, LEAST
from evaluation.pages.charts import FAINT, GRID, Picture, picture, wrapped
from evaluation.pages.rate_text import share_text
from evaluation.pages.tables import rounded
from state.vocabulary import Family

MOST_MAPS = 6
"""Maps of hops and constraints, one for a row and a source."""
MOST_BARS = 2
"""Rows whose operators are drawn."""
PICTURES = ("hops_constraints", *(f"operators-{place}" for place in range(1, MOST_BARS + 1)), "failures")
"""Names of all figures; one for which there are no data is not drawn."""

_DARK, _LIGHT = "#1f2431", "#fefefe"  # not the page's own ink and paper, which change with its theme
_LOW, _HIGH = (0.96, 0.97, 0.98), (0.03, 0.27, 0.47)
_WIDTH = 7.2
"""Inches of a figure."""
_FULL = 0.6
"""BLEU-4 of the darkest cell, unless one has more."""
_FAMILIES = {Family.I_I: "#0f6fae", Family.P_I: "#e0a030", Family.I_P: "#1f9b77", Family.P_P: "#c56b9c", Family.ORDINAL: "#7b8494"}
_EQUAL = "2"
"""Number of constraints of the second panel by operator: the smallest at which ordinals stand beside other operators."""
_TITLES = {
    "clean": "clean",
    "missing": "missing",
    "wrong": "wrong",
    "reversed": "of these\nreversed",
    "unnecessary": "unnecessary",
    "unread": "could not\nbe read",
}


def evaluation_pictures(summary: EvaluationSummary) -> tuple[Picture, ...]:
    """The figures for which there are data, in the order of `PICTURES`."""
    drawn = drawn_rows(summary)
    bars = [_operators(f"operators-{place}", row, summary) for place, row in enumerate(drawn[:MOST_BARS], 1)]
    return tuple(one for one in (_heatmaps(drawn, summary), *bars, _failures(summary)) if one is not None)


def drawn_rows(summary: EvaluationSummary) -> list[RowName]:
    """Rows of which single figures are drawn, in order: methods and outside rows, or reference rows if there are none but these."""
    scored = list(dict.fromkeys(one.row for one in summary.heatmaps))
    own = [row for row in scored if row.kind is not RowKind.REFERENCE]
    return own or scored


def _heatmaps(drawn: Sequence[RowName], summary: EvaluationSummary) -> Picture | None:
    """A map for each row and source, a row's sources side by side."""
    every = [one for row in drawn for one in summary.heatmaps if one.row == row and any(cell.n for cell in one.cells)]
    maps = every[:MOST_MAPS]
    if not maps:
        return None
    down = -(-len(maps) // 2)
    height = 2.65 * down + 0.05
    caption = (
        "Corpus BLEU-4 by hops (down) and temporal constraints (across), with the number of questions; "
        f"cells below {LEAST} questions are blank. Single- and multi-constraint parts of a benchmark are pooled."
    )
    if len(maps) < len(every):
        caption += f" {len(maps)} of {len(every)} are drawn; the table has all."
    full = max([_FULL, *(cell.bleu4 for one in maps for cell in one.cells if cell.bleu4 is not None)])

    def draw(figure: Figure) -> None:
        for place, one in enumerate(maps):
            left, bottom = 0.6 + 3.6 * (place % 2), height - 2.65 * (place // 2) - 2.15
            _panel(figure.add_axes((left / _WIDTH, bottom / height, 2.75 / _WIDTH, 1.65 / height)), one, full)

    return picture("hops_constraints", caption, _WIDTH, height, draw)


def _panel(axes: Axes, one: Heatmap, full: float) -> None:
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set(xlim=(0, len(CONSTRAINTS)), ylim=(len(HOPS), 0), xlabel="temporal constraints", ylabel="hops")
    axes.set_title(f"{wrapped(one.row.name, 38, 1)}\n{wrapped(one.source, 38, 1)}", fontsize=8.5, linespacing=1.25)
    for cell in one.cells:
        _square(axes, cell, full)
    axes.set_xticks([place + 0.5 for place in range(len(CONSTRAINTS))], CONSTRAINTS)
    axes.set_yticks([place + 0.5 for place in range(len(HOPS))], map(str, HOPS))
    axes.tick_params(length=0)


def _square(axes: Axes, cell: HeatCell, full: float) -> None:
    left, top = CONSTRAINTS.index(cell.constraints), HOPS.index(cell.hops)
    middle = left + 0.5, top + 0.52
    if cell.bleu4 is None:
        axes.add_patch(Rectangle((left + 0.03, top + 0.04), 0.94, 0.92, facecolor="none", edgecolor=GRID, linewidth=0.8))
        axes.text(*middle, f"n {cell.n}", ha="center", va="center", fontsize=7, color=FAINT)
        return
    share = cell.bleu4 / full
    colour = tuple(low + (high - low) * share for low, high in zip(_LOW, _HIGH, strict=True))
    axes.add_patch(Rectangle((left + 0.03, top + 0.04), 0.94, 0.92, facecolor=colour, edgecolor="none"))
    text, ink = f"{rounded(cell.bleu4, 3)}\nn {cell.n}", _LIGHT if share > 0.6 else _DARK
    axes.text(*middle, text, ha="center", va="center", fontsize=8, color=ink, linespacing=1.2)


def _operators(name: str, row: RowName, summary: EvaluationSummary) -> Picture | None:
    panels = [one for one in summary.operators if one.row == row and one.constraints in (None, _EQUAL) and any(bar.n for bar in one.bars)]
    if not panels:
        return None
    places, families = _places(panels[0])
    height = 0.17 * (max(places) + 1) + 1.05
    caption = (
        f"{row.name}: corpus BLEU-4 by operator, with the number of questions; a question counts once for each of its operators. "
        "Left: all questions. Right, if any: only those of exactly two constraints, as ordinals mostly stand in questions of "
        "several, which are harder."
    )

    def draw(figure: Figure) -> None:
        for number, one in enumerate(panels):
            left = 1.3 + 2.9 * number
            axes = figure.add_axes((left / _WIDTH, 0.4 / height, 2.05 / _WIDTH, (height - 1.05) / height))
            title = "all questions" if one.constraints is None else "exactly two constraints"
            axes.set(xlim=(0, 1), ylim=(max(places) + 0.6, -0.6), xlabel="BLEU-4")
            axes.set_title(title, fontsize=8.5, pad=4)
            for bar, place in zip(one.bars, places, strict=True):
                if bar.bleu4 is not None:
                    axes.barh(place, bar.bleu4, 0.72, color=_FAMILIES[Family(bar.family)])
                text = f"{rounded(bar.bleu4, 3)}  n {bar.n}" if bar.n else "n 0"
                axes.text((bar.bleu4 or 0) + 0.015, place, text, va="center", fontsize=6.8, color=None if bar.n else FAINT)
            axes.set_yticks(places, [bar.operator for bar in one.bars] if number == 0 else [""] * len(places))
            axes.tick_params(axis="y", length=0, labelsize=7.5)
            axes.grid(axis="y", visible=False)
        figure.text(1.3 / _WIDTH, 1 - 0.14 / height, wrapped(row.name, 70, 1), fontsize=9, va="center")
        keys = [Patch(facecolor=_FAMILIES[family]) for family in families]
        figure.legend(
            keys,
            [family.value for family in families],
            loc="upper left",
            bbox_to_anchor=(1.3 / _WIDTH, 1 - 0.26 / height),
            borderaxespad=0.0,
            frameon=False,
            handlelength=1.2,
            columnspacing=1.3,
            ncols=len(families),
        )

    return picture(name, caption, _WIDTH, height, draw)


def _places(bars: OperatorBars) -> tuple[list[float], list[Family]]:
    """Where each bar stands, with gaps between the families, and the families in order."""
    families = [Family(bar.family) for bar in bars.bars]
    order = list(dict.fromkeys(families))
    return [place + 0.6 * order.index(family) for place, family in enumerate(families)], order


def _failures(summary: EvaluationSummary) -> Picture | None:
    counts = [(name, found) for name in summary.names if (found := failures_of(summary, name)) is not None]
    if not counts:
        return None
    height, panel = 0.36 * len(counts) + 0.62, 0.8
    caption = (
        f"What questions state otherwise than their traces, in percent of the questions given to {summary.reader}, all datasets "
        "together. One question may count under several of missing, wrong and unnecessary."
    )

    def draw(figure: Figure) -> None:
        width = figure.get_figwidth()
        labels = [wrapped(name.name, 30, 2) for name, _ in counts]
        for number, what in enumerate(FAILURES):
            axes = figure.add_axes(((2.1 + (panel + 0.1) * number) / width, 0.1 / height, panel / width, 0.36 * len(counts) / height))
            _bars(axes, what, [found for _, found in counts])
            axes.set_yticks(range(len(counts)), labels if number == 0 else [""] * len(counts))

    return picture("failures", caption, 2.1 + (panel + 0.1) * len(FAILURES) + 0.05, height, draw)


def _bars(axes: Axes, what: str, counts: Sequence[FailureCounts]) -> None:
    axes.set(xlim=(0, 1.55), ylim=(len(counts) - 0.5, -0.5))
    axes.set_title(_TITLES[what], fontsize=8, pad=5, loc="left")
    for place, found in enumerate(counts):
        share = getattr(found, what) / found.asked
        axes.barh(place, share, 0.62, color=_FAMILIES[Family.I_I] if what == "clean" else FAINT if what == "unread" else "#d98043")
        axes.text(share + 0.05, place, share_text(share), va="center", fontsize=7.5)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
