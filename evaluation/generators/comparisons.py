"""Intervals of the main metrics, and each row beside its baseline, on the same resamples of split groups.

A row's baseline is the first row of its model that has scores; of a row without a model, such as an outside one, the
first of all. Reference rows are no competitors: they have intervals, but are set beside nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from evaluation.generators.figures import Comparison, Score
from evaluation.generators.items import MeasuredRow
from evaluation.generators.rows import Dataset, RowKey, RowKind
from evaluation.metrics.scores import PRIMARY, SIGNATURES, ItemScores, measure
from evaluation.statistics.paired_bootstrap import Sums, compare, estimate, resampled_sums
from evaluation.statistics.paired_tests import ALPHA, holm


class Tested(NamedTuple):
    """What resampling says of a row."""

    scores: Mapping[str, Score]
    """Main metric -> the row's score with its interval."""
    comparisons: tuple[Comparison, ...]
    """The main metrics beside the row's baseline."""


def tested_rows(dataset: Dataset, measured: Sequence[MeasuredRow], *, seed: int, resamples: int) -> dict[RowKey, Tested]:
    """The rows of a dataset that have scores, resampled alike.

    Args:
        dataset: the dataset.
        measured: its rows.
        seed: seed of resampling.
        resamples: how often to draw.
    """
    scored = {str(place): (one, one.scores) for place, one in enumerate(measured) if one.scores is not None}
    if not scored or not dataset.records:
        return {}
    statistics = {key: scores.statistics() for key, (_, scores) in scored.items()}
    groups = [dataset.groups[record.id] for record in dataset.records]
    sums = resampled_sums(statistics, groups, seed=seed, resamples=resamples, name=dataset.name)
    rivals = {key: one for key, (one, _) in scored.items() if one.row.kind is not RowKind.REFERENCE}
    baselines = {key: _baseline(one, rivals) for key, one in rivals.items()}
    pairs = {key: baseline for key, baseline in baselines.items() if baseline != key}
    tests = {metric: _adjusted(metric, pairs, rivals, sums) for metric in PRIMARY}
    return {
        one.row.key: Tested(
            {metric: _score(metric, scores, sums[key]) for metric in PRIMARY},
            tuple(tests[metric][key] for metric in PRIMARY if key in pairs),
        )
        for key, (one, scores) in scored.items()
    }


def _baseline(one: MeasuredRow, rivals: Mapping[str, MeasuredRow]) -> str:
    """The key of the row that it is set beside; its own if it is the first of its model, or of all and has none."""
    alike = (key for key, other in rivals.items() if one.row.model is None or other.row.model == one.row.model)
    return next(alike)


def _score(metric: str, scores: ItemScores, sums: Sums) -> Score:
    found = estimate(sums, partial(measure, metric))
    value = getattr(scores.corpus(), metric)  # summed exactly, whatever the groups
    return Score(
        metric=metric, value=value, low=found.low, high=found.high, signature=f"{SIGNATURES[metric](len(scores))}|{found.signature}"
    )


def _adjusted(metric: str, pairs: Mapping[str, str], rivals: Mapping[str, MeasuredRow], sums: Mapping[str, Sums]) -> dict[str, Comparison]:
    """The comparisons of one metric; p-values adjusted over all of them."""
    found = {key: compare(sums[key], sums[baseline], partial(measure, metric)) for key, baseline in pairs.items()}
    p_values = iter(holm([one.p for one in found.values() if one.p is not None]))
    made = {}
    for key, one in found.items():
        p_holm = None if one.p is None else next(p_values)
        made[key] = Comparison(
            metric=metric,
            baseline=rivals[pairs[key]].name,
            difference=one.value,
            low=one.low,
            high=one.high,
            p=one.p,
            p_holm=p_holm,
            told_apart=None if p_holm is None else p_holm <= ALPHA,
            signature=f"{metric}|{one.signature}|holm:{len(found)}",
        )
    return made
