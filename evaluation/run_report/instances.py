"""The instances of a run as its report reads them: one after another, each with its fate and its history.

A fate is what the run's files say of an instance, the duplicate step included. One is held at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from runs.comparing import ACCEPTED, FATES
from runs.database import InstanceOutcome, RunDatabase
from runs.manifest import Counts
from runs.run_folder import MANIFEST, RunReader, outcomes_by_id
from runs.study_items import item_file
from state.errors import RunFolderError
from state.instance import BenchmarkRecord
from state.trajectory import Visit
from state.vocabulary import DiscardReason, Outcome, Status

NOT_FINISHED = "not finished"
"""The fate of an instance that the agents have not finished, or never took up."""
ALL_FATES = (*FATES, NOT_FINISHED)
"""What can have become of an instance."""
DUPLICATE = f"{Status.DISCARDED.value}: {DiscardReason.DUPLICATE_QUESTION.value}"


class ReportedInstance(NamedTuple):
    """An instance, what became of it, and how."""

    record: BenchmarkRecord
    """The sampled record; it has no final question."""
    fate: str
    """One of `ALL_FATES`."""
    question: str | None
    """The accepted question; `None` unless accepted."""
    detail: str
    """What spoke against it; empty if accepted or not finished."""
    visits: tuple[Visit, ...]
    """What the agents did, in order."""

    @property
    def last_written(self) -> str | None:
        """The question that an agent wrote last, accepted or not; `None` if none was written."""
        written = [visit.result.get("question") for visit in self.visits if visit.outcome is Outcome.WRITTEN]
        return written[-1] if written and isinstance(written[-1], str) else None


def open_reported(path: Path) -> RunReader:
    """The run directory of a report.

    Raises:
        RunFolderError: the directory is no run's, or its manifest is damaged.
    """
    reader = RunReader(path)
    if reader.manifest.study is not None or item_file(path).exists():
        remedy = "It has a report of its own, study.html or evaluation.html."
        raise RunFolderError("this is a study's directory, and reports are of runs", where=str(path), remedy=remedy)
    return reader


def reported_instances(reader: RunReader) -> Iterator[ReportedInstance]:
    """Every sampled instance, sorted by id.

    Cost: a trajectory is read for each.

    Raises:
        RunFolderError: a file is damaged, or the files contradict one another.
    """
    traces, counts = reader.trace_file(), reader.manifest.counts
    if len(traces) != reader.manifest.traces.count:
        raise RunFolderError("the manifest counts other traces", where=str(traces.path))
    found: Counter[str] = Counter()
    with reader.database() if reader.has_agents else nullcontext() as database:
        outcomes = {} if database is None else outcomes_by_id(database)
        for record in traces.records():
            instance = _instance(record, outcomes.pop(record.id, None), database, has_ended=counts is not None)
            found[instance.fate] += 1
            yield instance
    if outcomes:
        raise RunFolderError(f"{min(outcomes)} was worked on, but is not among the traces", where=str(reader.path))
    if counts is not None and counts != _counts(found):
        raise RunFolderError("the outcomes are not those that the manifest counts", where=str(reader.path / MANIFEST))


def _instance(
    record: BenchmarkRecord, outcome: InstanceOutcome | None, database: RunDatabase | None, *, has_ended: bool
) -> ReportedInstance:
    if outcome is None or database is None:
        return ReportedInstance(record, NOT_FINISHED, None, "", ())
    visits = database.trajectory(record.id).visits
    if outcome.status is Status.ACCEPTED:
        # The duplicate step is one of the whole run: while a run is not through, its last result is out of date.
        earlier = database.duplicate_of(record.id) if has_ended else None
        if earlier is not None:
            return ReportedInstance(record, DUPLICATE, None, f"{outcome.question} | the question of {earlier}", visits)
        return ReportedInstance(record, ACCEPTED, outcome.question, "", visits)
    fate = outcome.status.value if outcome.reason is None else f"{outcome.status.value}: {outcome.reason.value}"
    return ReportedInstance(record, fate, None, outcome.detail, visits)


def _counts(found: Counter[str]) -> Counts:
    reasons = {reason.value: found[f"{Status.DISCARDED.value}: {reason.value}"] for reason in DiscardReason}
    return Counts(
        accepted=found[ACCEPTED],
        discarded={reason: count for reason, count in sorted(reasons.items()) if count},
        failed=found[Status.FAILED.value],
    )
