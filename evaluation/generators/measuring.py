"""Measures every question of every row: metrics, leak, length, and what it states otherwise than its trace.

Many questions are measured by several processes, which changes nothing but the time it takes.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.leak_filter import find_leaks
from agents.usable_question import required_names
from evaluation.generators.failures import Failure, Reader, failure
from evaluation.generators.items import MeasuredRow, reference_of
from evaluation.generators.rows import Dataset, Row, RowKind
from evaluation.metrics.scores import ItemScores
from graph_sampler.pool_worker import end_with
from state.instance import BenchmarkRecord

CHUNK = 250
"""Questions that a process measures at a time."""
FEW = 4000
"""Up to so many questions, other processes are not worth their start."""
_MOST_NAMED = 5
"""Ids named in an error."""
_ORDER = (RowKind.METHOD, RowKind.OUTSIDE, RowKind.REFERENCE)


class Chunk(NamedTuple):
    """Some questions of a row."""

    row: int
    """Place of the row."""
    start: int
    """Place of the first record."""


class Measured(NamedTuple):
    """What is known of some questions of a row."""

    scores: ItemScores | None
    """Every metric; `None` for a row that wrote the references."""
    leaks: NDArray[np.bool_]
    """Whether it gives its answer away."""
    words: NDArray[np.int64]
    """Blank-separated words."""
    failures: tuple[Failure | None, ...]
    """What it states otherwise than its trace."""


class Bench(NamedTuple):
    """What is measured, the same in every process."""

    rows: tuple[tuple[Row, Dataset], ...]
    """The rows with their references."""
    reader: Reader | None
    """Who reads the questions."""

    def measure(self, chunk: Chunk) -> Measured:
        """What is known of the questions of a chunk."""
        row, dataset = self.rows[chunk.row]
        records = dataset.records[chunk.start : chunk.start + CHUNK]
        questions = [row.predictions[record.id] for record in records]
        pairs = zip(questions, map(reference_of, records), strict=True)
        return Measured(
            scores=None if row.wrote_references else ItemScores.of(pairs),
            leaks=np.array([_leaks(question, record) for question, record in zip(questions, records, strict=True)], dtype=bool),
            words=np.array([len(question.split()) for question in questions], dtype=np.int64),
            failures=tuple(None if self.reader is None else failure(row, record, self.reader) for record in records),
        )


_bench: Bench | None = None
"""What this process measures, if it is a worker."""


def measure_rows(
    datasets: Sequence[Dataset], rows: Sequence[Row], reader: Reader | None, *, workers: int | None = None
) -> tuple[MeasuredRow, ...]:
    """Every row measured: methods first, then outside rows, then reference rows, each in the order given.

    Cost: about a millisecond a question, and what the reader takes.

    Args:
        datasets: the references.
        rows: the rows.
        reader: who reads the questions; `None` for nobody.
        workers: processes; `None`: as many as there are processors, or one for few questions.

    Raises:
        ValueError: two datasets or two rows are called the same, a row is of no dataset, or its ids are not the dataset's.
    """
    by_name = {dataset.name: dataset for dataset in datasets}
    if len(by_name) != len(datasets):
        raise ValueError("two datasets have the same name")
    if len({row.key for row in rows}) != len(rows):
        raise ValueError("two rows have the same dataset, method, model and kind")
    for row in rows:
        if row.dataset not in by_name:
            raise ValueError(f"row {row.label!r} is of no dataset given: {row.dataset!r}")
        check_ids(row, by_name[row.dataset])
    ordered = sorted(rows, key=lambda row: _ORDER.index(row.kind))
    bench = Bench(tuple((row, by_name[row.dataset]) for row in ordered), reader)
    chunks = [Chunk(place, start) for place, (_, dataset) in enumerate(bench.rows) for start in range(0, len(dataset.records), CHUNK)]
    if workers is None:
        workers = 1 if sum(len(row.predictions) for row in rows) <= FEW else os.cpu_count() or 1
    parts: list[list[Measured]] = [[] for _ in ordered]
    for chunk, measured in zip(chunks, _all_measured(bench, chunks, workers), strict=True):
        parts[chunk.row].append(measured)
    return tuple(_joined(*bench.rows[place], own) for place, own in enumerate(parts))


def check_ids(row: Row, dataset: Dataset) -> None:
    """Refuses a row that has not exactly one question for each record.

    Raises:
        ValueError: ids are missing or too many; some are named.
    """
    wanted = {record.id for record in dataset.records}
    for what, ids in (("no question for", wanted - row.predictions.keys()), ("questions for unknown ids", row.predictions.keys() - wanted)):
        if ids:
            named = ", ".join(sorted(ids)[:_MOST_NAMED])
            raise ValueError(f"row {row.label!r} on {dataset.name}: {what} {len(ids)} of {len(wanted)} records: {named}")


def _all_measured(bench: Bench, chunks: Sequence[Chunk], workers: int) -> Iterable[Measured]:
    """The chunks in their order, measured by so many processes."""
    if workers == 1 or len(chunks) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(bench.measure, chunks)
        return
    context = multiprocessing.get_context("fork")  # the rows come along without being copied
    with ProcessPoolExecutor(min(workers, len(chunks)), context, _start, (os.getpid(), bench)) as pool:
        yield from pool.map(_measure, chunks)


def _start(parent: int, bench: Bench) -> None:
    global _bench
    end_with(parent)
    _bench = bench


def _measure(chunk: Chunk) -> Measured:
    assert _bench is not None, "the pool's initializer ran"
    return _bench.measure(chunk)


def _joined(row: Row, dataset: Dataset, parts: Sequence[Measured]) -> MeasuredRow:
    scores = [part.scores for part in parts if part.scores is not None]
    counts, means = ([getattr(one, name) for one in (ItemScores.of([]), *scores)] for name in ("counts", "means"))
    return MeasuredRow(
        row=row,
        dataset=dataset,
        scores=None if row.wrote_references else ItemScores(np.concatenate(counts), np.concatenate(means)),
        leaks=np.concatenate([np.zeros(0, dtype=bool), *(part.leaks for part in parts)]),
        words=np.concatenate([np.zeros(0, dtype=np.int64), *(part.words for part in parts)]),
        failures=tuple(found for part in parts for found in part.failures),
    )


def _leaks(question: str, record: BenchmarkRecord) -> bool:
    return bool(question.strip()) and bool(find_leaks(question, record.answer, record.answer_aliases, required_names(record)))
