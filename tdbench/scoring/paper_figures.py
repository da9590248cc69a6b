"""The published figures, as data to stand beside a user's. Nothing here was measured by this program.

Paper: TDBench, the main table of temporal alignment, and what its text says of the setting.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from state.model_base import Contract


class PublishedRow(Contract):
    """One model's figures, in percent and points, as printed."""

    model: str
    """The model, or `average`."""
    wikipedia_a: float
    """A on the tables from Wikipedia."""
    wikipedia_at: float
    """AT there."""
    wikipedia_gap: float
    """A - AT there, in points."""
    law_at: float
    """AT on same-sex marriage laws."""
    heritage_at: float
    """AT on intangible heritage."""
    netflix_at: float
    """AT on films."""


class PublishedSettings(Contract):
    """How the paper measured, and how well its own parts did."""

    temperature: float
    """Of every model."""
    models: int
    """Models that the printed average is over."""
    wikipedia_questions: int
    """Questions from Wikipedia's tables."""
    platform_questions: int
    """Questions from other sources."""
    translator_accuracy: float
    """Percent of questions that say what their SQL asks, as judged by hand."""
    time_judge_accuracy: float
    """Percent of the model judge's verdicts on time that are right, as judged by hand."""
    dyknow_alignment_f1: float
    """F1 of time accuracy on DyKnow's questions against verdicts by hand."""


def title() -> str:
    """What the figures show."""
    return str(_data()["title"])


def notes() -> tuple[str, ...]:
    """What about them does not fit together or is not known, a sentence or two each."""
    return tuple(_data()["notes"])


def published_rows() -> tuple[PublishedRow, ...]:
    """The five models that are known, in the table's order.

    >>> [(row.model, row.wikipedia_gap) for row in published_rows()][0]
    ('GPT-3.5', 25.1)
    """
    return tuple(PublishedRow.model_validate(row) for row in _data()["rows"])


def published_average() -> PublishedRow:
    """The printed average over eight models."""
    return PublishedRow.model_validate(_data()["average"])


def published_settings() -> PublishedSettings:
    """The figures that stand in the text."""
    return PublishedSettings.model_validate(_data()["settings"])


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(files("tdbench.scoring").joinpath("paper_figures.yaml").read_text("utf-8"))
    return data
