"""How figures are drawn and saved: the same bytes each time, readable in grey, labels as plain text.

matplotlib's state is left as it was found, and a user's settings of it change nothing. Text is drawn as paths of
the font that comes with matplotlib, so a figure looks the same everywhere and holds no text of a stranger.
"""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import matplotlib
from matplotlib.figure import Figure

from runs.terminal import shown

INK, FAINT, GRID, PAPER = "#1f2430", "#7d8797", "#dde2ea", "#ffffff"
"""Text; leader lines and axes; grid; ground."""
ONE, TWO = "#0072b2", "#d55e00"
"""Two colours that the colour-blind tell apart; their marks differ in shape too."""
LINE = 0.16
"""Height of a line of text in inches."""
DOTS_PER_INCH = 160

_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": FAINT,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 72,
    "figure.facecolor": PAPER,
    "font.family": ["DejaVu Sans"],
    "font.size": 8.5,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "savefig.dpi": "figure",
    "svg.fonttype": "path",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
}
_COMMENT = re.compile(rb"<!--.*?-->\n?", re.DOTALL)
_BREAKS = re.compile(r"(?<=[/+@_-])")


class Picture(NamedTuple):
    """A figure, drawn."""

    name: str
    """Stem of its files, e.g. `frontier` for `figures/frontier.svg` and `.png`."""
    caption: str
    """What it shows, in one or two sentences; also its description for those who do not see it."""
    svg: bytes
    """A whole SVG file, without text and without comments."""
    png: bytes
    """A whole PNG file."""


def picture(name: str, caption: str, width: float, height: float, draw: Callable[[Figure], None]) -> Picture:
    """Draws a figure.

    Cost: about a quarter of a second.

    Args:
        name: stem of its files; two figures on one page need two names.
        caption: what it shows.
        width: inches.
        height: inches.
        draw: puts everything on an empty figure.
    """
    with _own_style(name):
        figure = Figure(figsize=(width, height))
        draw(figure)
        svg, png = io.BytesIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
        figure.savefig(png, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return Picture(name, caption, _COMMENT.sub(b"", svg.getvalue()), png.getvalue())


def wrapped(label: str, width: int = 26, lines: int = 3) -> str:
    """A label on a few lines of at most so many characters, broken after `/`, `+` and such, cut with dots if too long.

    >>> wrapped("mini/v1/all+roundtrip", 12)
    'mini/v1/all+\\nroundtrip'
    """
    parts: list[str] = [""]
    for word in re.split(r"(?<= )", shown(label)):
        for piece in (half for part in _BREAKS.split(word) for half in textwrap.wrap(part, width, drop_whitespace=False) or [""]):
            if len((parts[-1] + piece).rstrip()) > width:
                parts.append("")
            parts[-1] += piece
    kept = [part.strip() for part in parts]
    if len(kept) > lines:
        kept = [*kept[: lines - 1], f"{kept[lines - 1][: width - 1]}…"]
    return "\n".join(kept)


def spread(wanted: Sequence[float], heights: Sequence[float], low: float, high: float) -> list[float]:
    """Places for labels beside a figure: near the wanted ones, in their order, none over another.

    If they do not fit between `low` and `high` they reach below it.

    Args:
        wanted: middle of each label, from the highest to the lowest.
        heights: height of each, in the same unit.
        low: lower end.
        high: upper end.
    """
    places: list[float] = []
    ceiling = high
    for want, height in zip(wanted, heights, strict=True):
        places.append(min(want, ceiling - height / 2))
        ceiling = places[-1] - height / 2
    floor = low
    for place in range(len(places) - 1, -1, -1):
        if places[place] - heights[place] / 2 >= floor:
            break
        places[place] = floor + heights[place] / 2
        floor = places[place] + heights[place] / 2
    overlap = max([0.0, *(places[place] + heights[place] / 2 - high for place in range(len(places)))])
    return [place - overlap for place in places]


@contextmanager
def _own_style(salt: str) -> Iterator[None]:
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+", category=UserWarning)  # a sign that the font lacks is drawn as a box
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_STYLE, "svg.hashsalt": salt})
        yield
