"""The figures of a study of the verifier: both rates by cell, cost against accuracy, detection by kind of damage."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator

from evaluation.pages.charts import FAINT, Picture, picture, wrapped
from evaluation.pages.rate_text import rate_percent
from evaluation.study.frontier_picture import CostedCell, Wording, frontier_picture
from evaluation.study.rates_picture import TwoRates, rates_picture
from evaluation.verifier.figures import DetectionRow
from evaluation.verifier.recommendation import has_costs
from evaluation.verifier.summary import VerifierSummary
from evaluation.verifier.tables import per_thousand
from state.study import DamageKind

PICTURES = ("rates", "frontier", "detection")
"""Names of all figures; one for which there are no data is not drawn."""

_PALE, _DARK = (0.96, 0.97, 0.98), (0.03, 0.27, 0.47)


def verifier_pictures(summary: VerifierSummary) -> tuple[Picture, ...]:
    """The figures for which there are data, in the order of `PICTURES`."""
    return tuple(one for one in (_rates(summary), _frontier(summary), _detection(summary)) if one is not None)


def _frontier(summary: VerifierSummary) -> Picture | None:
    if not has_costs([cell.cost for cell in summary.cells]):
        return None
    has_price = any(cell.cost.usd_per_item is not None for cell in summary.cells)
    of_what = "US dollars per 1,000 questions" if has_price else "tokens a question, as no cell has a price"
    wording = Wording(
        cost=of_what,
        share="Balanced accuracy",
        caption=f"Cost and accuracy. Across: {of_what}; up: balanced accuracy of template questions "
        "with its 95 % interval. Filled and joined: cells to which no other is both at most as dear and at least as accurate.",
        without="no price",
        of_those="Cells without a price stand apart, at the right.",
    )
    cells = [
        CostedCell(cell.name, per_thousand(cell) if has_price else cell.cost.tokens_per_item, cell.template.balanced)
        for cell in summary.cells
    ]
    return frontier_picture(cells, wording, summary.recommendation.cell)


def _rates(summary: VerifierSummary) -> Picture | None:
    caption = (
        "Acceptance of sound and detection of damaged template questions by cell, with 95 % intervals; "
        "detection is over the kinds of damage that change the answer, each kind alike."
    )
    cells = [TwoRates(cell.name, cell.template.acceptance.micro.rate, cell.template.detection.pooled) for cell in summary.cells]
    return rates_picture(cells, ("acceptance", "detection"), caption)


def _detection(summary: VerifierSummary) -> Picture | None:
    every = [(*cell.template.detection.kinds, cell.template.detection.unnecessary) for cell in summary.cells]
    kinds = [kind for kind in DamageKind if any(row.kind is kind and row.rate.denominator for rows in every for row in rows)]
    if not kinds:
        return None
    labels = [wrapped(cell.name, 28, 2) for cell in summary.cells]
    step, gap = 0.78, 0.16 if DamageKind.UNNECESSARY in kinds and len(kinds) > 1 else 0.0
    lefts = [step * column + gap * (kind is DamageKind.UNNECESSARY) for column, kind in enumerate(kinds)]
    height = 0.75 + 0.44 * len(labels)
    caption = (
        "Detection by kind of damage, template questions of the pairwise families: percent, and below it detected / asked; "
        "the darker the more. Intervals stand in the table."
    )
    if DamageKind.UNNECESSARY in kinds:
        caption += " An unnecessary constraint, apart, leaves the answer as it is and cannot show in an answer."

    def draw(figure: Figure) -> None:
        width, across = figure.get_figwidth(), lefts[-1] + step
        axes = figure.add_axes((1.95 / width, 0.08 / height, across / width, 0.44 * len(labels) / height))
        axes.grid(visible=False)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set(xlim=(0, across), ylim=(len(labels), 0))
        for number, rows in enumerate(every):
            for row in rows:
                if row.kind in kinds:
                    _square(axes, lefts[kinds.index(row.kind)], number, step, row)
        axes.set_yticks([number + 0.5 for number in range(len(labels))], labels)
        axes.xaxis.tick_top()
        axes.xaxis.set_major_locator(FixedLocator([left + step / 2 for left in lefts]))
        axes.set_xticklabels([kind.replace(" ", "\n") for kind in kinds])
        axes.tick_params(length=0)

    return picture("detection", caption, 2.1 + lefts[-1] + step, height, draw)


def _square(axes: Axes, left: float, top: float, width: float, row: DetectionRow) -> None:
    value = row.rate.value
    if value is None:
        axes.text(left + width / 2, top + 0.5, "not asked", ha="center", va="center", fontsize=7, color=FAINT)
        return
    colour = tuple(pale + (dark - pale) * value for pale, dark in zip(_PALE, _DARK, strict=True))
    axes.add_patch(Rectangle((left + 0.02, top + 0.04), width - 0.04, 0.92, facecolor=colour, edgecolor="none"))
    text = f"{rate_percent(row.rate)}\n{row.rate.numerator}/{row.rate.denominator}"
    ink = "#fefefe" if value > 0.66 else "#1f2431"
    axes.text(left + width / 2, top + 0.52, text, ha="center", va="center", fontsize=7.5, color=ink, linespacing=1.15)
