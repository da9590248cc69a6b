"""Corpus BLEU-4 of groups of questions: by hops and constraints, and by operator. Paper: Figures 5 and 6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from evaluation.generators.figures import Constraints, HeatCell, Heatmap, OperatorBar, OperatorBars, RowName
from evaluation.metrics.bleu import WIDTH, corpus_bleu
from graph_sampler.operators import ORDINALS, PAIRWISE
from state.instance import BenchmarkRecord
from state.vocabulary import Family

LEAST = 20
"""Questions below which a cell of the heatmap stays blank."""
HOPS = (1, 2, 3)
CONSTRAINTS: tuple[Constraints, ...] = get_args(Constraints)
OPERATORS: tuple[tuple[str, Family], ...] = (*((one.name, one.family) for one in PAIRWISE), *((one.name, one.family) for one in ORDINALS))
"""The 29 operators with their families, in the order of the operator table."""


class Scored(NamedTuple):
    """Records and what BLEU counts of the questions that a row wrote for them."""

    records: Sequence[BenchmarkRecord]
    """The records."""
    counts: NDArray[np.int64]
    """(records, 10): BLEU's counts."""


def constraints_of(record: BenchmarkRecord) -> Constraints:
    """How many temporal constraints it has, more than two being one group."""
    return CONSTRAINTS[min(record.temporal_constraint_count, 3) - 1]


def heatmap(row: RowName, source: str, parts: Sequence[Scored]) -> Heatmap:
    """Figure 5 for a row on one source.

    Args:
        row: the row.
        source: the source.
        parts: its datasets.
    """
    members: dict[tuple[int, Constraints], list[NDArray[np.int64]]] = {}
    for records, counts in parts:
        for record, own in zip(records, counts, strict=True):
            members.setdefault((record.hop_count, constraints_of(record)), []).append(own)
    return Heatmap(
        row=row,
        source=source,
        cells=tuple(_cell(hops, constraints, members.get((hops, constraints), [])) for hops in HOPS for constraints in CONSTRAINTS),
    )


def operator_bars(row: RowName, constraints: Constraints | None, parts: Sequence[Scored]) -> OperatorBars:
    """Figure 6 for a row: a question counts once for each of its distinct operators.

    Args:
        row: the row.
        constraints: only questions of so many constraints; `None` for all. Ordinals mostly stand in questions of several
            constraints, which are harder: among equal numbers that does not look like a matter of the operator.
        parts: all datasets.
    """
    sums = {name: np.zeros(WIDTH, dtype=np.int64) for name, _ in OPERATORS}
    numbers = dict.fromkeys(sums, 0)
    for records, counts in parts:
        for record, own in zip(records, counts, strict=True):
            if constraints is None or constraints == constraints_of(record):
                for name in set(record.operators):
                    sums[name] += own
                    numbers[name] += 1
    return OperatorBars(
        row=row,
        constraints=constraints,
        bars=tuple(
            OperatorBar(operator=name, family=family, n=numbers[name], bleu4=corpus_bleu(sums[name]) if numbers[name] else None)
            for name, family in OPERATORS
        ),
    )


def _cell(hops: int, constraints: Constraints, members: Sequence[NDArray[np.int64]]) -> HeatCell:
    bleu4 = corpus_bleu(np.sum(members, axis=0)) if len(members) >= LEAST else None
    return HeatCell(hops=hops, constraints=constraints, n=len(members), bleu4=bleu4)
