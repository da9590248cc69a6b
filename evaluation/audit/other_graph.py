"""Whether a file was made from another graph than the one it is audited on, told before any record is accused of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from evaluation.audit.cases import Case
from evaluation.audit.known_graph import KnownGraph
from evaluation.audit.reading import AuditError
from state.interval import Granularity, parse_iso

LOOKED_AT = 20
"""How many of a file's first records are looked at."""
_LEAST_DAY = 1_000_000
"""Integers of released files from here on are days such as 19960317, and no years."""
_LEAST_MONTH = 10_000
"""From here on they are months such as 199603."""


def refuse_other_graph(cases: Sequence[Case], known: KnownGraph, path: Path) -> None:
    """Passes if some of a file's first records may be about this graph.

    Raises:
        AuditError: all have times in another unit than the graph, or say that they come from another graph and have
            facts that it lacks.
    """
    graph = known.graph
    if not cases:
        return
    units = set().union(*(_units(case) for case in cases))
    if len(units) == 1 and graph.granularity not in units:
        unit = units.pop()
        what = f"these records are by {unit.value}, and this graph is by {graph.granularity.value}"
        raise AuditError(what, where=str(path), remedy=f"Set graph.granularity={unit.value}, or import the graph by {unit.value}.")
    hashes = {case.content_hash for case in cases}
    if None in hashes or graph.content_hash in hashes:
        return
    if all(None in known.find_all(case.facts) for case in cases):
        theirs = min(filter(None, hashes))
        what = f"these records were sampled from another graph, with content hash {theirs[:12]}, and this one, {graph.content_hash[:12]}, "
        raise AuditError(f"{what}lacks their facts", where=str(path), remedy="Name that graph, read with the settings of its run.")


def _units(case: Case) -> set[Granularity]:
    """The units in which a record states the times of its facts."""
    return set(_known_units(time for fact in case.facts for time in fact[3:]))


def _known_units(times: Iterable[str | int]) -> Iterable[Granularity]:
    for time in times:
        if isinstance(time, str):
            try:
                yield parse_iso(time)[1]
            except ValueError:
                continue
        elif isinstance(time, int):
            size = abs(time)
            yield Granularity.DAY if size >= _LEAST_DAY else Granularity.MONTH if size >= _LEAST_MONTH else Granularity.YEAR
