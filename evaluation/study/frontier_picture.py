"""Cost against a share, a point for each cell of a study, and the frontier of those that nothing betters in both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from evaluation.pages.charts import FAINT, GRID, LINE, ONE, PAPER, Picture, picture, spread, wrapped
from evaluation.statistics.intervals import Rate
from evaluation.verifier.recommendation import on_frontier

_LOG_FROM = 8
"""Dearest / cheapest from which the axis of cost is logarithmic."""


class CostedCell(NamedTuple):
    """A cell, what it costs and what it is worth."""

    name: str
    """Its name."""
    cost: float | None
    """In the unit of the figure; `None` if it is not known."""
    rate: Rate
    """The share that is the better the greater; a cell without one is not drawn."""


class Wording(NamedTuple):
    """What the figure says of costs and shares."""

    cost: str
    """Unit of the cost, as the axis names it."""
    share: str
    """Name of the share, as the axis names it; `, %` follows."""
    caption: str
    """What is shown."""
    without: str
    """Why cells stand apart, e.g. `no price`."""
    of_those: str
    """The sentence that the caption ends with if some do."""


class _Point(NamedTuple):
    """A cell on the figure."""

    name: str
    label: str
    """The name on a few lines."""
    cost: float | None
    x: float
    """Its cost, or its place in the strip of cells without one, which reaches from -1 to 1."""
    share: float
    low: float
    high: float
    is_on_frontier: bool


def frontier_picture(cells: Sequence[CostedCell], wording: Wording, recommended: str | None) -> Picture | None:
    """The figure `frontier`; `None` if no cell has a share.

    Args:
        cells: the cells; if only some have a cost, the others stand in a strip at the right.
        wording: what is counted.
        recommended: name of the cell that is set in bold.
    """
    points = list(_points(cells))
    if not points:
        return None
    costs = sorted(point.cost for point in points if point.cost is not None)
    has_strip = bool(costs) and len(costs) < len(points)
    height = max(4.2, sum(map(_label_height, points)) + 1.2)

    def draw(figure: Figure) -> None:
        width, bottom, top = figure.get_figwidth(), 0.62 / height, 1 - 0.28 / height
        right = 4.2 if has_strip else 4.95
        axes = figure.add_axes((0.62 / width, bottom, (right - 0.62) / width, top - bottom))
        _y_axis(axes, points, wording.share)
        _x_axis(axes, costs, wording.cost)
        strip = None
        if has_strip:
            strip = figure.add_axes((4.35 / width, bottom, 0.6 / width, top - bottom), sharey=axes)
            strip.tick_params(left=False, labelleft=False)
            strip.spines["left"].set_visible(False)
            strip.set(xlim=(-1, 1), xlabel=wording.without)
            strip.xaxis.set_major_locator(NullLocator())
            strip.set_facecolor(GRID)
            strip.patch.set_alpha(0.45)
        joined = sorted((point.cost, point.share) for point in points if point.is_on_frontier and point.cost is not None)
        axes.plot([x for x, _ in joined], [y for _, y in joined], color=ONE, linewidth=1.4, zorder=2)
        for point in points:
            _mark(strip if strip is not None and point.cost is None else axes, point)
        _side_labels(figure, axes, strip, points, recommended, (bottom, top))

    caption = f"{wording.caption} {wording.of_those}" if has_strip else wording.caption
    return picture("frontier", caption, 7.2, height, draw)


def _points(cells: Sequence[CostedCell]) -> Iterator[_Point]:
    frontier = on_frontier([cell.cost for cell in cells], [cell.rate.value for cell in cells])
    apart = [cell for cell in cells if cell.cost is None and cell.rate.value is not None]
    beside = iter(range(len(apart)))
    for cell, lies_on in zip(cells, frontier, strict=True):
        rate = cell.rate
        if rate.value is not None and rate.low is not None and rate.high is not None:
            x = cell.cost if cell.cost is not None else (2 * next(beside) + 1) / len(apart) - 1
            yield _Point(cell.name, wrapped(cell.name), cell.cost, x, rate.value, rate.low, rate.high, bool(lies_on))


def _mark(axes: Axes, point: _Point) -> None:
    colour = ONE if point.is_on_frontier else FAINT
    axes.plot([point.x, point.x], [point.low, point.high], color=colour, linewidth=1.3, solid_capstyle="butt", zorder=3)
    fill = ONE if point.is_on_frontier else PAPER
    axes.plot([point.x], [point.share], "o", color=colour, markerfacecolor=fill, markersize=6, zorder=4)


def _label_height(point: _Point) -> float:
    return LINE * (point.label.count("\n") + 1) + 0.05


def _side_labels(
    figure: Figure, axes: Axes, strip: Axes | None, points: Sequence[_Point], recommended: str | None, span: tuple[float, float]
) -> None:
    """Names in a column at the right, each led to its point."""
    ordered = sorted(points, key=lambda point: (-point.share, point.cost is None, point.x))
    height = figure.get_figheight()
    low, high = axes.get_ylim()
    wanted = [height * (span[0] + (point.share - low) / (high - low) * (span[1] - span[0])) for point in ordered]
    places = spread(wanted, list(map(_label_height, ordered)), span[0] * height, span[1] * height)
    for point, place in zip(ordered, places, strict=True):
        panel = strip if strip is not None and point.cost is None else axes
        panel.annotate(
            point.label,
            (point.x, point.share),
            (5.22 / figure.get_figwidth(), place / height),
            textcoords="figure fraction",
            va="center",
            fontsize=8,
            weight="bold" if point.name == recommended else "normal",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.5, "shrinkA": 2, "shrinkB": 4, "relpos": (0, 0.5)},
            zorder=1,
        )


def _y_axis(axes: Axes, points: Sequence[_Point], name: str) -> None:
    low, high = min(point.low for point in points), max(point.high for point in points)
    room = max(0.02, (high - low) * 0.08, (0.1 - (high - low)) / 2)
    axes.set(ylim=(max(-0.01, low - room), min(1.01, high + room)), ylabel=f"{name}, %")
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
