"""Outcomes of instances -> the final files of a run, with the run's own duplicate step.

Everything here is in id order and depends on nothing but traces, outcomes and config, so that the
files are the same bytes however the work was interrupted or overlapped. One record is held at a time;
of the others only the accepted questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from graph_sampler.labels import normalise_label
from runs.database import InstanceOutcome
from runs.json_lines import model_line
from runs.manifest import Counts
from state.any_instance import Instance, Origin
from state.config import Config
from state.instance import Backend, BenchmarkRecord, DiscardedRecord, FailedRecord
from state.table_instance import DiscardedTableInstance, FailedTableInstance, TableInstance
from state.vocabulary import ConstraintCount, DiscardReason, Status

Part = ConstraintCount | Literal["all"]
"""A part of a benchmark; questions about tables have one, `all`."""
PARTS: dict[Origin, tuple[Part, ...]] = {"graph": tuple(ConstraintCount), "tables": ("all",)}
"""The parts of a benchmark, by what it is made of."""
Group = Part | Literal[Status.DISCARDED, Status.FAILED]
"""Which of the final files: a part of the benchmark, or those thrown away or failed."""


class Results:
    """The lines of the final files; what is known of all of them is whole once the lines are used up."""

    def __init__(self, records: Iterable[Instance], outcome_of: Callable[[str], InstanceOutcome | None], backend: Backend) -> None:
        """Takes what the lines are made of.

        Args:
            records: the sampled records that the run has taken, sorted by id; each has an outcome.
            outcome_of: instance id -> what became of it.
            backend: which models made the accepted questions.
        """
        self.taken = 0
        """Number of traces, in id order, that the files cover."""
        self.duplicates: dict[str, str] = {}
        """Instance id -> id of the earlier instance with the same normalised question."""
        self._records = records
        self._outcome_of = outcome_of
        self._backend = backend
        self._first_with: dict[str, str] = {}
        self._in_group: Counter[Group] = Counter()
        self._reasons: Counter[str] = Counter()

    def lines(self) -> Iterator[tuple[Group, bytes]]:
        """Each instance's file and its line there, sorted by id; to be asked for once."""
        for record in self._records:
            outcome = self._outcome_of(record.id)
            assert outcome is not None, "every instance that was taken is finished"
            group, line = self._line(record, outcome)
            self.taken += 1
            self._in_group[group] += 1
            yield group, line

    @property
    def counts(self) -> Counts:
        """What became of the instances."""
        accepted = sum(self._in_group[part] for parts in PARTS.values() for part in parts)
        return Counts(accepted=accepted, discarded=dict(sorted(self._reasons.items())), failed=self._in_group[Status.FAILED])

    def _line(self, record: Instance, outcome: InstanceOutcome) -> tuple[Group, bytes]:
        if outcome.status is Status.FAILED:
            return Status.FAILED, model_line(failed_record(record, outcome))
        earlier = None
        if outcome.status is Status.ACCEPTED:
            earlier = self._first_with.setdefault(normalise_label(outcome.question), record.id)
            if earlier == record.id:
                accepted = record.model_copy(update={"final_question": outcome.question, "backend": self._backend})
                return part_of(record), model_line(accepted)
            self.duplicates[record.id] = earlier
        thrown = discarded_record(record, outcome, earlier)
        self._reasons[thrown.reason] += 1
        return Status.DISCARDED, model_line(thrown)


def part_of(record: Instance) -> Part:
    """The part of the benchmark that an instance belongs to."""
    return record.constraint_part if isinstance(record, BenchmarkRecord) else "all"


def discarded_record(record: Instance, outcome: InstanceOutcome, duplicate_of: str | None) -> DiscardedRecord | DiscardedTableInstance:
    """The line of `discarded.jsonl` for an instance."""
    reason, detail = outcome.reason, outcome.detail
    if duplicate_of is not None:
        reason, detail = DiscardReason.DUPLICATE_QUESTION, f"{outcome.question} | the question of {duplicate_of}"
    assert reason is not None, "a discarded instance has a reason"
    why: dict[str, Any] = {"reason": reason, "detail": detail, "last_node": outcome.last_node}
    if isinstance(record, TableInstance):
        return DiscardedTableInstance.model_construct(**_fields(record), **why)
    return DiscardedRecord.model_construct(**_fields(record), **why)


def failed_record(record: Instance, outcome: InstanceOutcome) -> FailedRecord | FailedTableInstance:
    """The line of `failed.jsonl` for an instance."""
    why: dict[str, Any] = {"detail": outcome.detail, "last_node": outcome.last_node}
    if isinstance(record, TableInstance):
        return FailedTableInstance.model_construct(**_fields(record), **why)
    return FailedRecord.model_construct(**_fields(record), **why)


def _fields(record: Instance) -> dict[str, Any]:
    return {name: getattr(record, name) for name in type(record).model_fields}


def backend_of(config: Config) -> Backend:
    """Which models play rewriter and verifier, as records name them."""

    def name(model: str) -> str:
        return config.models[model].model or config.models[model].provider

    return Backend(rewriter=name(config.agents.rewriter.model), verifier=name(config.agents.verifier.model))
