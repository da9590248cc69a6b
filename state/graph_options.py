"""What single formats of source graphs can be told; a format refuses an option that it does not read."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from state.model_base import Contract


class GraphOptions(Contract):
    """Settings under `graph.options`; each format reads a few of them, as docs/graph_formats.md says."""

    language: str = Field(default="en", pattern=r"^[a-z]{2,3}(-[a-z0-9]+)*$")
    """Language of the labels, where a source has several."""
    relations: tuple[str, ...] = ()
    """Ids of the relations to read; empty for all."""
    precision: Literal["day", "month", "year"] | None = None
    """Precision of the dates of a source that states none; `None`: not known, so a graph of years only."""
    min_year: int | None = None
    """Facts with a bound before this year are dropped and counted; `None` takes the format's own."""
    event_times: bool = True
    """Whether the time of an event becomes a fact of its own, where a source describes events."""
    text_events: bool = False
    """Whether events that are sentences and no names are read too."""
    literal_times: bool = False
    """Whether statements whose value is a time become facts, where a source has them."""
    columns: dict[str, str] = {}
    """Field (`subject`, `relation`, `object`, `start`, ...) -> column or variable, where a source names its own."""
    origin: str | None = Field(default=None, pattern=r"^-?\d{1,6}-\d\d-\d\d$")
    """The day of time index 0, where times are indexes."""
    step: int | None = Field(default=None, ge=1)
    """How much the time index grows in one day, where times are indexes."""
    partial_labels: bool = False
    """Whether labels may cover less than half of the ids; facts without them are dropped and counted."""
