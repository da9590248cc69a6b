"""What is known of every single question, and the data of an evaluation as they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.generators.failures import NOT_ASKED, Failure
from evaluation.generators.figures import RowName
from evaluation.generators.rows import Dataset, Row
from evaluation.metrics.scores import ItemScores
from state.instance import BenchmarkRecord
from state.model_base import Contract
from state.vocabulary import Template


@dataclass(frozen=True)
class MeasuredRow:
    """A row and what is known of each of its questions, in the order of the dataset's records."""

    row: Row
    """The row."""
    dataset: Dataset
    """Its references."""
    scores: ItemScores | None
    """Every metric of every question; `None` for a row that wrote the references."""
    leaks: NDArray[np.bool_]
    """Whether the question gives its answer away."""
    words: NDArray[np.int64]
    """Blank-separated words."""
    failures: tuple[Failure | None, ...]
    """What the question states otherwise than its trace; `None` where nobody read it."""

    @property
    def name(self) -> RowName:
        """Which generator it is."""
        return name_of(self.row)


class ItemData(Contract):
    """A record as far as an evaluation needs it."""

    id: str
    """The record's id."""
    template: Template
    """Its template."""
    hops: int
    """Its structural facts."""
    operators: tuple[str, ...]
    """One operator name a constraint, in step order."""
    group: str
    """Group of the split, which resampling takes whole."""
    reference: str
    """The question that generated ones are scored against."""


class DatasetData(Contract):
    """The references of a dataset."""

    name: str
    """Its name."""
    source: str
    """The benchmark that it is a part of."""
    items: tuple[ItemData, ...]
    """Its records, sorted by id."""


class RowData(Contract):
    """A row's questions."""

    row: RowName
    """Which generator."""
    dataset: str
    """Name of the dataset."""
    is_self: bool
    """Whether its system wrote the references."""
    questions: tuple[str, ...]
    """One for each item of the dataset, in their order; empty where nothing usable came."""
    failures: tuple[tuple[str, ...], ...]
    """What each states otherwise than its trace; `not asked` where nobody read it."""


class EvaluationData(Contract):
    """What was scored: with the metrics, everything that the summary comes from but usage."""

    format: Literal[1] = 1
    """Format version."""
    datasets: tuple[DatasetData, ...]
    """The references."""
    rows: tuple[RowData, ...]
    """The questions."""


def name_of(row: Row) -> RowName:
    """The generator of a row."""
    return RowName(method=row.method, label=row.label, model=row.model, kind=row.kind, with_path=row.with_path)


def reference_of(record: BenchmarkRecord) -> str:
    """The question that generated ones are scored against.

    Raises:
        ValueError: the record has none.
    """
    if record.final_question is None:
        raise ValueError(f"record {record.id} has no final question to score against")
    return record.final_question


def evaluation_data(datasets: Sequence[Dataset], measured: Sequence[MeasuredRow]) -> EvaluationData:
    """The data of an evaluation."""
    return EvaluationData(
        datasets=tuple(
            DatasetData(
                name=dataset.name,
                source=dataset.source,
                items=tuple(
                    ItemData(
                        id=record.id,
                        template=record.graph_structure,
                        hops=record.hop_count,
                        operators=record.operators,
                        group=dataset.groups[record.id],
                        reference=reference_of(record),
                    )
                    for record in dataset.records
                ),
            )
            for dataset in datasets
        ),
        rows=tuple(
            RowData(
                row=one.name,
                dataset=one.dataset.name,
                is_self=one.row.wrote_references,
                questions=tuple(one.row.predictions[record.id] for record in one.dataset.records),
                failures=tuple((NOT_ASKED,) if found is None else found.labels for found in one.failures),
            )
            for one in measured
        ),
    )
