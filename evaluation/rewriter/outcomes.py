"""What a cell of a study of the rewriter made of its instances, read from its database and trajectories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluation.entity_preservation import entity_names, is_mentioned
from evaluation.study.asking import Answered, cell_usage, check_history
from runs.database import InstanceOutcome
from state.errors import RunFolderError
from state.instance import BenchmarkRecord
from state.rewriter_study import RewriterCell, RewriterInstance, RewriterOutcome, Spent
from state.trajectory import Try, Visit
from state.vocabulary import Node, Outcome, Role, Status


def rewriter_instance(record: BenchmarkRecord) -> RewriterInstance:
    """What a study keeps of a record."""
    return RewriterInstance(
        id=record.id,
        families=record.families,
        template=record.graph_structure,
        part=record.constraint_part,
        raw_question=record.raw_question,
        entities=tuple(names for names in entity_names(record) if is_mentioned(names, record.raw_question)),
    )


def rewriter_cell(answered: Answered, instances: Sequence[RewriterInstance], address: str) -> RewriterCell:
    """The outcomes of a cell, in the order of the instances.

    Cost: one trajectory is read for each instance.

    Raises:
        RunFolderError: an instance is not finished, or the cell's database is damaged.
    """
    cell, reader = answered
    outcomes = []
    with reader.database() as database:
        for instance in instances:
            outcome = database.outcome(instance.id)
            if outcome is None:
                raise RunFolderError(
                    "an instance of the study is not finished", where=f"{address}, {instance.id}", remedy="Run the same command again."
                )
            visits = database.trajectory(instance.id).visits
            check_history(outcome.status, visits, f"{address}, {instance.id}")
            outcomes.append(rewriter_outcome(outcome, visits))
        usage = cell_usage(database.usage())
    return RewriterCell(
        name=cell.name,
        model=cell.model,
        model_key=cell.model_key,
        prompt=cell.prompt,
        address=address,
        outcomes=tuple(outcomes),
        usage=usage,
    )


def rewriter_outcome(outcome: InstanceOutcome, visits: Sequence[Visit]) -> RewriterOutcome:
    """What the visits of one instance come to."""
    own = [a_try for visit in visits if visit.role is Role.REWRITER for a_try in visit.tries]
    first = [visit for visit in visits if visit.node is Node.VERIFY]
    return RewriterOutcome(
        instance=outcome.instance_id,
        status=outcome.status,
        reason=outcome.reason,
        last_node=outcome.last_node,
        # Every mode, not the last: a reading that is asked for after a disagreement may agree.
        passed_at_first=bool(first) and all(visit.outcome is Outcome.AGREES for visit in first),
        rewriter_errors=tuple(a_try.error for a_try in own if a_try.error is not None),
        calls=sum(1 for visit in visits if visit.tries),
        was_revised=_wrote(visits, Role.REVISER),
        was_leak_rewritten=_wrote(visits, Role.LEAK_REWRITER),
        final_question=outcome.question if outcome.status is Status.ACCEPTED else None,
        spent=_spent(a_try for visit in visits for a_try in visit.tries),
        rewriter_spent=_spent(own),
    )


def _wrote(visits: Iterable[Visit], role: Role) -> bool:
    return any(visit.role is role and visit.outcome is Outcome.WRITTEN for visit in visits)


def _spent(tries: Iterable[Try]) -> Spent:
    tries = list(tries)
    prices = [a_try.usd for a_try in tries if a_try.usd is not None]
    has_gap = any(a_try.usd is None and (a_try.usage.input or a_try.usage.output) for a_try in tries)
    return Spent(
        input_tokens=sum(a_try.usage.input for a_try in tries),
        output_tokens=sum(a_try.usage.output for a_try in tries),
        usd=None if has_gap or not prices else sum(prices),
    )
