"""The figures of a study of the verifier: cost against accuracy, both rates by cell, detection by kind of damage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from evaluation.figures import FAINT, GRID, LINE, ONE, PAPER, TWO, Picture, picture, spread, wrapped
from evaluation.intervals import Rate
from evaluation.rate_text import rate_percent
from evaluation.recommendation import on_frontier
from evaluation.verifier_figures import CellFigures, DetectionRow
from evaluation.verifier_summary import VerifierSummary
from evaluation.verifier_tables import per_thousand
from state.study import DamageKind

PICTURES = ("frontier", "rates", "detection")
"""Names of all figures; one for which there are no data is not drawn."""

_LOG_FROM = 8
"""Dearest / cheapest from which the axis of cost is logarithmic."""
_PALE, _DARK = (0.96, 0.97, 0.98), (0.03, 0.27, 0.47)


class _Point(NamedTuple):
    """A cell on the frontier's figure."""

    name: str
    label: str
    """The name on a few lines."""
    cost: float | None
    x: float
    """Its cost, or its place in the strip of cells without a price, which reaches from -1 to 1."""
    accuracy: float
    low: float
    high: float
    is_on_frontier: bool


def verifier_pictures(summary: VerifierSummary) -> tuple[Picture, ...]:
    """The figures for which there are data, in the order of `PICTURES`."""
    return tuple(one for one in (_frontier(summary), _rates(summary), _detection(summary)) if one is not None)


def _frontier(summary: VerifierSummary) -> Picture | None:
    has_price = any(cell.cost.usd_per_item is not None for cell in summary.cells)
    points = list(_points(summary.cells, has_price=has_price))
    if not points:
        return None
    costs = sorted(point.cost for point in points if point.cost is not None)
    unpriced = [point for point in points if point.cost is None]
    height = max(4.2, sum(map(_label_height, points)) + 1.2)
    of_what = "US dollars per 1,000 questions" if has_price else "tokens a question, as no cell has a price"
    caption = (
        f"Cost and accuracy. Across: {of_what}; up: balanced accuracy of template questions "
        "with its 95 % interval. Filled and joined: cells to which no other is both at most as dear and at least as accurate."
    )
    if unpriced and costs:
        caption += " Cells without a price stand apart, at the right."

    def draw(figure: Figure) -> None:
        width, bottom, top = figure.get_figwidth(), 0.62 / height, 1 - 0.28 / height
        has_strip = bool(unpriced and costs)
        right = 4.2 if has_strip else 4.95
        axes = figure.add_axes((0.62 / width, bottom, (right - 0.62) / width, top - bottom))
        _y_axis(axes, points)
        _x_axis(axes, costs, of_what)
        strip = None
        if has_strip:
            strip = figure.add_axes((4.35 / width, bottom, 0.6 / width, top - bottom), sharey=axes)
            strip.tick_params(left=False, labelleft=False)
            strip.spines["left"].set_visible(False)
            strip.set(xlim=(-1, 1), xlabel="no price")
            strip.xaxis.set_major_locator(NullLocator())
            strip.set_facecolor(GRID)
            strip.patch.set_alpha(0.45)
        joined = sorted((point.cost, point.accuracy) for point in points if point.is_on_frontier and point.cost is not None)
        axes.plot([x for x, _ in joined], [y for _, y in joined], color=ONE, linewidth=1.4, zorder=2)
        for point in points:
            _mark(strip if strip is not None and point.cost is None else axes, point)
        _side_labels(figure, axes, strip, points, summary.recommendation.cell, (bottom, top))

    return picture("frontier", caption, 7.2, height, draw)


def _points(cells: Sequence[CellFigures], *, has_price: bool) -> Iterator[_Point]:
    costs = [per_thousand(cell) if has_price else cell.cost.tokens_per_item for cell in cells]
    frontier = on_frontier(costs, [cell.template.balanced.value for cell in cells])
    unpriced = [cell for cell, cost in zip(cells, costs, strict=True) if cost is None and cell.template.balanced.value is not None]
    beside = iter(range(len(unpriced)))
    for cell, cost, lies_on in zip(cells, costs, frontier, strict=True):
        rate = cell.template.balanced
        if rate.value is not None and rate.low is not None and rate.high is not None:
            x = cost if cost is not None else (2 * next(beside) + 1) / len(unpriced) - 1
            yield _Point(cell.name, wrapped(cell.name), cost, x, rate.value, rate.low, rate.high, bool(lies_on))


def _mark(axes: Axes, point: _Point) -> None:
    colour = ONE if point.is_on_frontier else FAINT
    axes.plot([point.x, point.x], [point.low, point.high], color=colour, linewidth=1.3, solid_capstyle="butt", zorder=3)
    fill = ONE if point.is_on_frontier else PAPER
    axes.plot([point.x], [point.accuracy], "o", color=colour, markerfacecolor=fill, markersize=6, zorder=4)


def _label_height(point: _Point) -> float:
    return LINE * (point.label.count("\n") + 1) + 0.05


def _side_labels(
    figure: Figure, axes: Axes, strip: Axes | None, points: Sequence[_Point], recommended: str | None, span: tuple[float, float]
) -> None:
    """Names in a column at the right, each led to its point."""
    ordered = sorted(points, key=lambda point: (-point.accuracy, point.cost is None, point.x))
    height = figure.get_figheight()
    low, high = axes.get_ylim()
    wanted = [height * (span[0] + (point.accuracy - low) / (high - low) * (span[1] - span[0])) for point in ordered]
    places = spread(wanted, list(map(_label_height, ordered)), span[0] * height, span[1] * height)
    for point, place in zip(ordered, places, strict=True):
        panel = strip if strip is not None and point.cost is None else axes
        panel.annotate(
            point.label,
            (point.x, point.accuracy),
            (5.22 / figure.get_figwidth(), place / height),
            textcoords="figure fraction",
            va="center",
            fontsize=8,
            weight="bold" if point.name == recommended else "normal",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.5, "shrinkA": 2, "shrinkB": 4, "relpos": (0, 0.5)},
            zorder=1,
        )


def _y_axis(axes: Axes, points: Sequence[_Point]) -> None:
    low, high = min(point.low for point in points), max(point.high for point in points)
    room = max(0.02, (high - low) * 0.08, (0.1 - (high - low)) / 2)
    axes.set(ylim=(max(-0.01, low - room), min(1.01, high + room)), ylabel="Balanced accuracy, %")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}"))


def _x_axis(axes: Axes, costs: Sequence[float], label: str) -> None:
    least, most = (costs[0], costs[-1]) if costs else (0.0, 0.0)
    axes.set_xlabel(label)
    if least > 0 and most / least >= _LOG_FROM:
        axes.set(xscale="log", xlim=(least / 1.6, most * 1.6))
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if most / least < 200 else (1,)))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel(f"{label} (logarithmic)")
    else:
        axes.set_xlim((-0.03 * most, 1.1 * most) if most else (-0.1, 1))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def _rates(summary: VerifierSummary) -> Picture | None:
    rows = [(cell.name, cell.template.acceptance.micro.rate, cell.template.detection.pooled) for cell in summary.cells]
    rows = [(name, accepted, detected) for name, accepted, detected in rows if accepted.denominator or detected.denominator]
    if not rows:
        return None
    labels = [wrapped(name, 28, 2) for name, _, _ in rows]
    height = 0.95 + 0.42 * len(rows)
    caption = (
        "Acceptance of sound and detection of damaged template questions by cell, with 95 % intervals; "
        "detection is over the kinds of damage that change the answer, each kind alike."
    )

    def draw(figure: Figure) -> None:
        width = figure.get_figwidth()
        axes = figure.add_axes((2.25 / width, 0.45 / height, 3.6 / width, 0.42 * len(rows) / height))
        for row, (_, accepted, detected) in enumerate(rows):
            _interval(axes, accepted, row - 0.16, ONE, "o", ONE)
            _interval(axes, detected, row + 0.16, TWO, "s", PAPER)
            for x, rate, colour in ((1.04, accepted, ONE), (1.19, detected, TWO)):
                axes.text(x, row, rate_percent(rate), color=colour, va="center", ha="center", transform=axes.get_yaxis_transform())
        lows = [rate.low for _, *both in rows for rate in both if rate.low is not None]
        axes.set(xlim=(max(-0.01, min(lows) - 0.04), 1.01), ylim=(len(rows) - 0.5, -0.5), xlabel="%")
        axes.set_yticks(range(len(rows)), labels)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}"))
        axes.grid(axis="y", visible=False)
        for x, text, marker, colour, fill in ((0.0, "acceptance", "o", ONE, ONE), (0.36, "detection", "s", TWO, PAPER)):
            y = 1 + 0.2 / (0.42 * len(rows))
            axes.plot([x + 0.02], [y], marker, color=colour, markerfacecolor=fill, transform=axes.transAxes, clip_on=False)
            axes.text(x + 0.05, y, text, va="center", transform=axes.transAxes)

    return picture("rates", caption, 7.2, height, draw)


def _interval(axes: Axes, rate: Rate, y: float, colour: str, marker: str, fill: str) -> None:
    if rate.value is not None and rate.low is not None and rate.high is not None:
        axes.plot([rate.low, rate.high], [y, y], color=colour, linewidth=1.6, solid_capstyle="butt")
        axes.plot([rate.value], [y], marker, color=colour, markerfacecolor=fill, markersize=5.5, clip_on=False, zorder=4)


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
