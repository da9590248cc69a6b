"""The figures of a study of the rewriter, made from its data by one pure function. Paper: sections 4.3.1 and 5, Table 8."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from agents.pace import FAULTS
from evaluation.entity_preservation import NamedPair, entity_preservation
from evaluation.length_reduction import Pair, length_reduction
from evaluation.rewriter.comparisons import MEASURES, compare_cells, recommend
from evaluation.rewriter.fates import AT_ONCE, ON_APPEAL, fate_of
from evaluation.rewriter.figures import (
    Cost,
    DiscardCount,
    ErrorCount,
    FailureCount,
    GroupFigures,
    Grouping,
    Measure,
    RewriterComparison,
    RewriterFigures,
    RewriterRecommendation,
)
from evaluation.statistics.intervals import Rate, package_version, wilson_rate
from state.model_base import Contract
from state.rewriter_study import RewriterCell, RewriterInstance, RewriterOutcome, RewriterStudy, Spent
from state.vocabulary import ConstraintCount, DiscardReason, Family, Node, Status, Template, TryError


class RewriterSummary(Contract):
    """Everything that the tables and figures of a study of the rewriter print."""

    format: Literal[1] = 1
    """Format version."""
    study: Literal["rewriter"] = "rewriter"
    """Which study."""
    dataset: str
    """Name of the dataset."""
    source: str
    """Where the traces come from."""
    seed: int
    """Seed of the sample."""
    chronoqg: str
    """Version of this package."""
    instances: int
    """Instances of the sample."""
    cells: tuple[RewriterFigures, ...]
    """The grid, in the order of the config."""
    comparisons: tuple[RewriterComparison, ...]
    """Every two cells, in the order of the grid."""
    recommendation: RewriterRecommendation
    """Which cell to take."""
    notes: tuple[str, ...]
    """What a reader must know before the numbers: the study's own notes, then what the summary found."""


class Taken(NamedTuple):
    """An instance and what became of it in a cell."""

    instance: RewriterInstance
    outcome: RewriterOutcome


_GROUPINGS: dict[Grouping, tuple[tuple[str, ...], Callable[[RewriterInstance], Iterable[str]]]] = {
    "part": (tuple(ConstraintCount), lambda instance: (instance.part,)),
    "family": (tuple(Family), lambda instance: instance.families),
    "template": (tuple(Template), lambda instance: (instance.template,)),
}
"""How instances are grouped: all kinds in order, and those of an instance."""


def summarise_rewriter_study(study: RewriterStudy) -> RewriterSummary:
    """The summary of a study; the same study gives the same summary, whatever its cells found in the cache.

    Cost: linear in instances x cells, and in instances for each pair of cells.

    Raises:
        ValueError: a cell does not have one outcome for each instance of the study.
    """
    cells = tuple(_figures(cell, _taken(cell, study.instances)) for cell in study.cells)
    comparisons = compare_cells(study.cells)
    return RewriterSummary(
        dataset=study.dataset,
        source=study.source,
        seed=study.seed,
        chronoqg=package_version(),
        instances=len(study.instances),
        cells=cells,
        comparisons=comparisons,
        recommendation=recommend(cells, comparisons),
        notes=(*study.notes, *_notes(cells)),
    )


def _taken(cell: RewriterCell, instances: Sequence[RewriterInstance]) -> list[Taken]:
    outcomes = {outcome.instance: outcome for outcome in cell.outcomes}
    if len(outcomes) != len(cell.outcomes) or outcomes.keys() != {instance.id for instance in instances}:
        raise ValueError(f"cell {cell.name!r} does not have one outcome for each instance of the study")
    return [Taken(instance, outcomes[instance.id]) for instance in sorted(instances, key=lambda instance: instance.id)]


def _figures(cell: RewriterCell, taken: Sequence[Taken]) -> RewriterFigures:
    outcomes = [of_one.outcome for of_one in taken]
    accepted = [of_one for of_one in taken if of_one.outcome.status is Status.ACCEPTED]
    finals = [(of_one.instance.raw_question, of_one.outcome.final_question or "", of_one.instance.entities) for of_one in accepted]
    errors = _errors(outcomes)
    unusable, calls = sum(error.tries for error in errors if not error.is_fault), sum(outcome.calls for outcome in outcomes)
    return RewriterFigures(
        name=cell.name,
        model=cell.model,
        model_key=cell.model_key,
        prompt=cell.prompt,
        address=cell.address,
        instances=len(taken),
        accepted=_rate("accepted", taken, len(taken)),
        first_pass=_rate("first verification", taken, len(taken)),
        accepted_at_once=sum(fate_of(outcome) == AT_ONCE for outcome in outcomes),
        accepted_on_appeal=sum(fate_of(outcome) == ON_APPEAL for outcome in outcomes),
        groups=tuple(_groups(taken)),
        discarded=tuple(
            DiscardCount(reason=reason, instances=count)
            for reason in DiscardReason
            if (count := sum(outcome.reason is reason for outcome in outcomes))
        ),
        failed=tuple(
            FailureCount(node=node, instances=count)
            for node in Node
            if (count := sum(outcome.status is Status.FAILED and outcome.last_node is node for outcome in outcomes))
        ),
        revised=sum(outcome.was_revised for outcome in outcomes),
        revised_accepted=sum(of_one.outcome.was_revised for of_one in accepted),
        leak_rewritten=sum(outcome.was_leak_rewritten for outcome in outcomes),
        leak_rewritten_accepted=sum(of_one.outcome.was_leak_rewritten for of_one in accepted),
        errors=errors,
        unusable=unusable,
        unusable_per_instance=_per(unusable, len(taken)),
        calls=calls,
        calls_per_instance=_per(calls, len(taken)),
        length=length_reduction(Pair(raw, final) for raw, final, _ in finals),
        preservation=entity_preservation((NamedPair(*final) for final in finals), names="labels+aliases-of-the-answer"),
        rewriter_cost=_cost([outcome.rewriter_spent for outcome in outcomes], len(accepted)),
        pipeline_cost=_cost([outcome.spent for outcome in outcomes], len(accepted)),
    )


def _rate(measure: Measure, taken: Sequence[Taken], instances: int, group: str = "all") -> Rate:
    hits = sum(MEASURES[measure](of_one.outcome) for of_one in taken)
    return wilson_rate(hits, len(taken), stem=f"rewriter {measure}|group:{group}", excluded=instances - len(taken))


def _groups(taken: Sequence[Taken]) -> Iterator[GroupFigures]:
    for grouping, (kinds, kinds_of) in _GROUPINGS.items():
        for kind in kinds:
            members = [of_one for of_one in taken if kind in kinds_of(of_one.instance)]
            if members:
                name = f"{grouping} {kind}"
                yield GroupFigures(
                    grouping=grouping,
                    group=kind,
                    accepted=_rate("accepted", members, len(taken), name),
                    first_pass=_rate("first verification", members, len(taken), name),
                )


def _errors(outcomes: Sequence[RewriterOutcome]) -> tuple[ErrorCount, ...]:
    tries = Counter(error for outcome in outcomes for error in outcome.rewriter_errors)
    instances = Counter(error for outcome in outcomes for error in set(outcome.rewriter_errors))
    return tuple(
        ErrorCount(kind=kind, is_fault=kind in FAULTS, tries=tries[kind], instances=instances[kind]) for kind in TryError if tries[kind]
    )


def _cost(spent: Sequence[Spent], accepted: int) -> Cost:
    input_tokens, output_tokens = sum(one.input_tokens for one in spent), sum(one.output_tokens for one in spent)
    prices = [one.usd for one in spent if one.usd is not None]
    has_gap = any(one.usd is None and (one.input_tokens or one.output_tokens) for one in spent)
    usd = None if has_gap or not prices else sum(sorted(prices))
    return Cost(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        tokens_per_instance=_per(input_tokens + output_tokens, len(spent)),
        tokens_per_accepted=_per(input_tokens + output_tokens, accepted),
        usd=usd,
        usd_per_instance=None if usd is None else _per(usd, len(spent)),
        usd_per_accepted=None if usd is None else _per(usd, accepted),
    )


def _per(total: float, number: int) -> float | None:
    return total / number if number else None


def _notes(cells: Sequence[RewriterFigures]) -> Iterator[str]:
    if unpriced := [cell.name for cell in cells if cell.pipeline_cost.usd is None]:
        yield f"without a price for all replies: {', '.join(unpriced)}"
    for cell in cells:
        if failed := sum(count.instances for count in cell.failed):
            yield f"{failed} of {cell.instances} instances of {cell.name} failed; each counts as not accepted"
