"""Outcomes of instances -> the final files of a run, with the run's own duplicate step.

Everything here is in id order and depends on nothing but traces, outcomes and config, so that the
files are the same bytes however the work was interrupted or overlapped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from graph_sampler.labels import normalise_label
from runs.database import InstanceOutcome
from runs.json_lines import model_line
from runs.manifest import Counts
from runs.run_folder import Results
from state.config import Config
from state.instance import Backend, BenchmarkRecord, DiscardedRecord, FailedRecord
from state.vocabulary import ConstraintCount, DiscardReason, Status


def assemble(
    records: Iterable[BenchmarkRecord], outcomes: Mapping[str, InstanceOutcome], backend: Backend
) -> tuple[Results, dict[str, str]]:
    """The final files, and duplicate id -> id of the earlier instance with the same normalised question.

    Args:
        records: the sampled records that the run has taken, sorted by id; each has an outcome.
        outcomes: instance id -> what became of it.
        backend: which models made the accepted questions.
    """
    benchmark: dict[ConstraintCount, list[bytes]] = {part: [] for part in ConstraintCount}
    discarded: list[bytes] = []
    failed: list[bytes] = []
    reasons: Counter[str] = Counter()
    first_with: dict[str, str] = {}
    duplicates: dict[str, str] = {}
    taken = 0
    for record in records:
        taken += 1
        outcome = outcomes[record.id]
        if outcome.status is Status.FAILED:
            failed.append(model_line(failed_record(record, outcome)))
            continue
        earlier = None
        if outcome.status is Status.ACCEPTED:
            earlier = first_with.setdefault(normalise_label(outcome.question), record.id)
            if earlier == record.id:
                accepted = record.model_copy(update={"final_question": outcome.question, "backend": backend})
                benchmark[record.constraint_part].append(model_line(accepted))
                continue
            duplicates[record.id] = earlier
        thrown = discarded_record(record, outcome, earlier)
        reasons[thrown.reason] += 1
        discarded.append(model_line(thrown))
    counts = Counts(accepted=sum(map(len, benchmark.values())), discarded=dict(sorted(reasons.items())), failed=len(failed))
    return Results(benchmark=benchmark, discarded=discarded, failed=failed, counts=counts, taken=taken), duplicates


def discarded_record(record: BenchmarkRecord, outcome: InstanceOutcome, duplicate_of: str | None) -> DiscardedRecord:
    """The line of `discarded.jsonl` for an instance."""
    reason, detail = outcome.reason, outcome.detail
    if duplicate_of is not None:
        reason, detail = DiscardReason.DUPLICATE_QUESTION, f"{outcome.question} | the question of {duplicate_of}"
    assert reason is not None, "a discarded instance has a reason"
    return DiscardedRecord.model_construct(
        **{name: getattr(record, name) for name in BenchmarkRecord.model_fields},
        reason=reason,
        detail=detail,
        last_node=outcome.last_node,
    )


def failed_record(record: BenchmarkRecord, outcome: InstanceOutcome) -> FailedRecord:
    """The line of `failed.jsonl` for an instance."""
    fields = {name: getattr(record, name) for name in BenchmarkRecord.model_fields}
    return FailedRecord.model_construct(**fields, detail=outcome.detail, last_node=outcome.last_node)


def backend_of(config: Config) -> Backend:
    """Which models play rewriter and verifier, as records name them."""

    def name(model: str) -> str:
        return config.models[model].model or config.models[model].provider

    return Backend(rewriter=name(config.agents.rewriter.model), verifier=name(config.agents.verifier.model))
