"""Whether a report accounts for each row that was read, once."""

from __future__ import annotations

from graph_sampler.loaders.counters import BESIDE_ROWS
from state.graph_report import CleaningReport


def is_complete(report: CleaningReport) -> bool:
    """Whether the rows read are the facts, the rows dropped and those that never came to cleaning."""
    assert report.source is not None
    beside = sum(report.source.counters.get(name, 0) for name in BESIDE_ROWS.get(report.source.layout, ()))
    return report.source.rows == report.facts + sum(report.dropped.values()) + beside
