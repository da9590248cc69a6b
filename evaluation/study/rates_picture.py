"""Two rates beside each other, a row for each cell of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from evaluation.pages.charts import ONE, PAPER, TWO, Picture, picture, wrapped
from evaluation.pages.rate_text import rate_percent
from evaluation.statistics.intervals import Rate


class TwoRates(NamedTuple):
    """A cell and its two rates."""

    name: str
    """Name of the cell."""
    one: Rate
    """The first rate."""
    other: Rate
    """The second rate."""


def rates_picture(cells: Sequence[TwoRates], names: tuple[str, str], caption: str) -> Picture | None:
    """The figure `rates`: both rates with their intervals; `None` if nothing was asked.

    Args:
        cells: a row each, unless both rates are of nothing.
        names: what the two rates are called.
        caption: what is shown.
    """
    rows = [cell for cell in cells if cell.one.denominator or cell.other.denominator]
    if not rows:
        return None
    labels = [wrapped(row.name, 28, 2) for row in rows]
    height = 0.95 + 0.42 * len(rows)

    def draw(figure: Figure) -> None:
        width = figure.get_figwidth()
        axes = figure.add_axes((2.25 / width, 0.45 / height, 3.6 / width, 0.42 * len(rows) / height))
        for row, (_, one, other) in enumerate(rows):
            _interval(axes, one, row - 0.16, ONE, "o", ONE)
            _interval(axes, other, row + 0.16, TWO, "s", PAPER)
            for x, rate, colour in ((1.04, one, ONE), (1.19, other, TWO)):
                axes.text(x, row, rate_percent(rate), color=colour, va="center", ha="center", transform=axes.get_yaxis_transform())
        lows = [rate.low for _, *both in rows for rate in both if rate.low is not None]
        axes.set(xlim=(left_end(lows, len(rows)), 1.01), ylim=(len(rows) - 0.5, -0.5), xlabel="%")
        axes.set_yticks(range(len(rows)), labels)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}"))
        axes.grid(axis="y", visible=False)
        for x, text, marker, colour, fill in ((0.0, names[0], "o", ONE, ONE), (0.36, names[1], "s", TWO, PAPER)):
            y = 1 + 0.2 / (0.42 * len(rows))
            axes.plot([x + 0.02], [y], marker, color=colour, markerfacecolor=fill, transform=axes.transAxes, clip_on=False)
            axes.text(x + 0.05, y, text, va="center", transform=axes.transAxes)

    return picture("rates", caption, 7.2, height, draw)


def left_end(lows: Sequence[float], rows: int) -> float:
    """Where the axis begins: before the lowest interval, or at 0 for a row alone, which has nothing to be set apart from.

    >>> left_end([0.5, 0.7], 2), left_end([0.5], 1)
    (0.46, -0.01)
    """
    return -0.01 if rows == 1 else max(-0.01, min(lows) - 0.04)


def _interval(axes: Axes, rate: Rate, y: float, colour: str, marker: str, fill: str) -> None:
    if rate.value is not None and rate.low is not None and rate.high is not None:
        axes.plot([rate.low, rate.high], [y, y], color=colour, linewidth=1.6, solid_capstyle="butt")
        axes.plot([rate.value], [y], marker, color=colour, markerfacecolor=fill, markersize=5.5, clip_on=False, zorder=4)
