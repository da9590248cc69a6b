"""The ChronoQG paper's own figures, to stand beside a user's. Nothing here was measured by this program.

Each table is a file of data beside this module, with notes on what in it does not fit together. Paper: Tables 2
to 9, Figure 5.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import yaml

from evaluation.paper.rows import (
    AccuracyRow,
    CandidatesRow,
    CostRow,
    HeatmapCell,
    PaperRow,
    PriceRow,
    RatingRow,
    RawFinalRow,
    StatisticsRow,
)
from evaluation.verifier.paper_table2 import PAPER_HITS, PAPER_PERCENTS
from state.model_base import Contract

Row = TypeVar("Row", bound=Contract)

NAMES = ("table3", "table4", "table5", "table6", "table7", "table8", "table9", "figure5")
"""The files of data."""


def title(name: str) -> str:
    """What a table shows.

    Raises:
        KeyError: it is none of `NAMES`.
    """
    return str(_data(name)["title"])


def notes(name: str) -> tuple[str, ...]:
    """What in a table does not fit together, or is not known, a sentence or two each.

    Raises:
        KeyError: it is none of `NAMES`.
    """
    return tuple(_data(name)["notes"])


def table2() -> tuple[AccuracyRow, ...]:
    """How often four models answer template questions as meant; sample sizes are `PAPER_SIZES` of `evaluation.verifier.paper_table2`."""
    return tuple(AccuracyRow(verifier=model, hits=hits, percents=PAPER_PERCENTS[model]) for model, hits in PAPER_HITS.items())


def table3() -> tuple[StatisticsRow, ...]:
    """What the four benchmarks hold."""
    return _rows("table3", StatisticsRow)


def abstract_total() -> int:
    """The number of questions that the abstract names; Table 3 has another."""
    return int(_data("table3")["abstract_total"])


def table4() -> tuple[PaperRow, ...]:
    """The main results, a row for each backbone, method and benchmark."""
    return _rows("table4", PaperRow)


def table5() -> tuple[PaperRow, ...]:
    """Adapted methods with GPT-4o on EventKG."""
    return _rows("table5", PaperRow)


def results(method: str, dataset: str, backbone: str | None = None) -> tuple[PaperRow, ...]:
    """The rows of Tables 4 and 5 of a method on a benchmark, in the tables' order; of one backbone if it is named.

    >>> [(row.backbone, row.bleu4) for row in results("sgsh", "Event-S")]
    [('GPT-4o-mini', 0.263), ('GPT-4o', 0.32)]
    """
    rows = (*table4(), *table5())
    return tuple(row for row in rows if (row.method, row.dataset) == (method, dataset) and backbone in (None, row.backbone))


def table6() -> tuple[CostRow, ...]:
    """What asking costs."""
    return _rows("table6", CostRow)


def prices() -> tuple[PriceRow, ...]:
    """The prices behind Table 6."""
    return _rows("table6", PriceRow, "prices")


def table7() -> tuple[RatingRow, ...]:
    """Human ratings of benchmark questions."""
    return _rows("table7", RatingRow)


def table8() -> tuple[RawFinalRow, ...]:
    """Template questions against final ones."""
    return _rows("table8", RawFinalRow)


def table8_averages() -> tuple[dict[str, float], dict[str, float]]:
    """The averages of Table 8 that the table prints and those that the prose names; the two differ."""
    data = _data("table8")
    return dict(data["printed_average"]), dict(data["prose_average"])


def table9() -> tuple[CandidatesRow, ...]:
    """Mean sizes of the first candidate set."""
    return _rows("table9", CandidatesRow)


def figure5() -> tuple[HeatmapCell, ...]:
    """The quoted cells of the heatmap."""
    return _rows("figure5", HeatmapCell)


def _rows(name: str, model: type[Row], key: str = "rows") -> tuple[Row, ...]:
    return tuple(model.model_validate(row) for row in _data(name)[key])


@cache
def _data(name: str) -> dict[str, Any]:
    if name not in NAMES:
        raise KeyError(name)
    data: dict[str, Any] = yaml.safe_load(files("evaluation.paper").joinpath(f"{name}.yaml").read_text("utf-8"))
    return data
