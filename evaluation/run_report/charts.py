"""Figure 4 of a run: how long questions are, in words, before and after the rewriting. Paper: Figure 4."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from evaluation.pages.charts import INK, ONE, TWO, Picture, picture
from evaluation.pages.tables import rounded
from evaluation.run_report.summary import Lengths, RunSummary, WordCounts
from state.vocabulary import ConstraintCount

_PARTS = {ConstraintCount.SINGLE: "one temporal constraint (S)", ConstraintCount.MULTI: "several temporal constraints (M)"}
PICTURES = tuple(f"words-{part}" for part in ConstraintCount)
"""Names of all figures; one for which there are no data is not drawn."""


def run_pictures(summary: RunSummary) -> tuple[Picture, ...]:
    """A figure for each part that has questions."""
    return tuple(_words(counts) for counts in summary.words)


def _words(counts: WordCounts) -> Picture:
    shown = [
        (name, lengths, colour, alpha, line)
        for name, lengths, colour, alpha, line in (("template", counts.raw, ONE, 0.5, 0.0), ("final", counts.final, TWO, 0.22, 1.6))
        if lengths.questions
    ]
    means = "; ".join(f"{name} {rounded(lengths.mean)}" for name, lengths, *_ in shown)
    caption = (
        f"Figure 4, {_PARTS[counts.part]}: questions by number of words, in bins of {counts.width}. "
        f"Mean words, the vertical lines: {means}. The last bin is of all with {counts.edges[-1]} words or more."
    )

    def draw(figure: Figure) -> None:
        axes = figure.add_axes((0.1, 0.19, 0.87, 0.62))
        ends = (*counts.edges, counts.edges[-1] + counts.width)
        for _, lengths, colour, alpha, line in shown:  # one is an area, the other an outline: no need to tell colours apart
            axes.stairs(lengths.bins, ends, fill=True, color=colour, alpha=alpha, linewidth=0)
            axes.stairs(lengths.bins, ends, color=colour, linewidth=line)
        axes.set(
            xlabel="words", ylabel="questions", xlim=(0, ends[-1]), ylim=(0, 1.05 * max(max(lengths.bins) for _, lengths, *_ in shown))
        )
        axes.grid(axis="x", visible=False)
        # The smaller mean's number stands on its left and the greater one's on its right, so that they never meet.
        by_mean = sorted(shown, key=lambda one: one[1].mean or 0.0)
        for place, (_, lengths, colour, *_) in enumerate(by_mean):
            _mean_line(axes, lengths, colour, is_left=place < len(by_mean) - 1)
        every = max(1, round(len(counts.edges) / 12)) * counts.width
        ticks = [edge for edge in counts.edges[:-1] if edge % every == 0 and counts.edges[-1] - edge >= every / 2]
        axes.set_xticks([*ticks, counts.edges[-1]], [*map(str, ticks), f"{counts.edges[-1]}+"])
        keys = [Patch(facecolor=(colour, alpha), edgecolor=colour, linewidth=line) for _, _, colour, alpha, line in shown]
        names = [f"{name} questions" for name, *_ in shown]
        figure.legend(keys, names, loc="upper left", bbox_to_anchor=(0.1, 1.0), frameon=False, ncols=2, borderaxespad=0.1)

    return picture(f"words-{counts.part}", caption, 7.2, 3.0, draw)


def _mean_line(axes: Axes, lengths: Lengths, colour: str, *, is_left: bool) -> None:
    axes.axvline(lengths.mean or 0.0, color=colour, linewidth=1.4)
    axes.annotate(
        rounded(lengths.mean),
        (lengths.mean or 0.0, 1),
        xycoords=("data", "axes fraction"),
        xytext=(-2 if is_left else 2, 3),
        textcoords="offset points",
        ha="right" if is_left else "left",
        color=INK,
    )
