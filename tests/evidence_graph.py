"""A record's evidence and references as the brute force reads them."""

from __future__ import annotations

from collections.abc import Collection

from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.interval import parse_iso
from state.trace import Trace
from tests.brute_force_graph import BruteGraph, Fact


def evidence_graph(record: BenchmarkRecord, points: Collection[str] = ()) -> BruteGraph:
    """The evidence alone; `points` are the ids of the point relations."""
    return BruteGraph(parse_iso(record.evidence[0].start)[1], list(map(_read, record.evidence)), {}, {}, points=set(points))


def references_of(trace: Trace) -> dict[str, Fact]:
    """The references of a trace by their names."""
    return {name: _read(fact) for name, fact in trace.references.items()}


def _read(fact: TemporalFact) -> Fact:
    (start, _), (end, _) = parse_iso(fact.start), parse_iso(fact.end)
    return Fact(fact.subject, fact.relation, fact.object, start, end)
