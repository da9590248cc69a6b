"""A way whose beginning is recorded: up to a node the record answers, from its first visit on another crew does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from agents.crew import Crew
from agents.replay import Comparison, RecordedSource, RecordedStart
from agents.setup import build_crew, table_of
from agents.workflow import Before, InstanceResult, Workflow, run_instance
from state.any_instance import Instance
from state.errors import ReplayMismatch
from state.trajectory import Visit
from state.vocabulary import Node


def visits_before(node: Node, visits: Sequence[Visit]) -> tuple[Visit, ...] | None:
    """The visits before the first of a node; `None` if the way never came to it."""
    before = tuple(takewhile(lambda visit: visit.node is not node, visits))
    return before if len(before) < len(visits) else None


class _Open(NamedTuple):
    crew: Crew
    comparison: Comparison


class ForkedWorkflow:
    """A live workflow that begins where the records of a run leave it; any number of instances share it."""

    def __init__(self, live: Workflow, start: RecordedStart) -> None:
        """Compiles the graph.

        Args:
            live: asks from the first visit of the node on.
            start: what lies before it.

        Raises:
            ConfigError: a prompt of the recorded part is missing or broken.
        """
        self._live = live
        self._node = start.node
        self._crew = build_crew(start.config, lambda name, model: RecordedSource(), live.crew.kind)
        self._open: dict[str, _Open] = {}
        before = Before(start.node, lambda record: self._open[record.id].crew, table_of(start.config))
        self._workflow = Workflow(live.crew, live.table, self._compare, before)

    async def run(self, record: Instance, before: Sequence[Visit]) -> InstanceResult:
        """Takes an instance through its recorded visits, which are checked as in a replay, and on from there.

        Raises:
            ReplayMismatch: the recorded part does not come out as recorded.
            ChronoQGError: as the live workflow's.
        """
        source = RecordedSource(record.id, before)
        backends = {role: replace(backend, source=source) for role, backend in self._crew.backends.items()}
        self._open[record.id] = _Open(replace(self._crew, backends=backends), Comparison(record.id, before))
        try:
            result = await run_instance(record, self._workflow)
        finally:
            opened = self._open.pop(record.id)
        opened.comparison.end()
        if visits_before(self._node, result.visits) is None:
            raise ReplayMismatch(f"the recorded part does not lead to {self._node.value}", where=record.id)
        return result

    async def aclose(self) -> None:
        """Closes the live sources' connections."""
        await self._live.aclose()

    def _compare(self, visit: Visit) -> None:
        comparison = self._open[visit.instance_id].comparison
        if not comparison.is_complete:
            comparison.compare(visit)
