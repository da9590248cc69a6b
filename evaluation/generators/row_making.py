"""Rows from what the cells wrote, and from files of outside systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from baselines.method import Reference
from evaluation.generators.asking import Written
from evaluation.generators.cells import GeneratorCell
from evaluation.generators.datasets import Benchmark
from evaluation.generators.rows import Dataset, Row, RowKind, RowUsage
from evaluation.metrics.predictions import join, read_predictions
from runs.sampling import Note
from state.errors import RunFolderError
from state.trajectory import Try, Visit
from state.vocabulary import Status


def rows_of_cells(written: Sequence[Written], datasets: Sequence[Dataset], folder: str) -> list[Row]:
    """A row for each cell and dataset.

    Args:
        written: the cells and where their questions are.
        datasets: what was asked.
        folder: name of the evaluation's directory, for the rows' addresses.

    Raises:
        RunFolderError: a database is damaged, or lacks a question.
    """
    names = row_models([one.cell for one in written])
    return [row for one, model in zip(written, names, strict=True) for row in _rows_of_cell(one, model, datasets, folder)]


def row_models(cells: Sequence[GeneratorCell]) -> list[str | None]:
    """What each row's model is called: its name on its server, and the config's beside it where two share that."""
    servers = Counter(server for server, _ in {(cell.model, cell.model_key) for cell in cells})
    return [cell.model if cell.model is None or servers[cell.model] == 1 else f"{cell.model} ({cell.model_key})" for cell in cells]


def outside_rows(files: Mapping[str, str], datasets: Sequence[Dataset], benchmarks: Sequence[Benchmark], tell: Note) -> list[Row]:
    """A row for each file of predictions and each dataset; questions for records that are not scored are passed over.

    Raises:
        PredictionsError: a file cannot be read, or an id is missing, unknown or repeated.
    """
    scored = [record.id for dataset in datasets for record in dataset.records]
    others = {record.id for benchmark in benchmarks for record in benchmark.records} - set(scored)
    rows = []
    for name, file in files.items():
        predictions = read_predictions(Path(file))
        kept = [prediction for prediction in predictions if prediction.id not in others]
        if len(kept) < len(predictions):
            tell(f"{file}: {len(predictions) - len(kept)} questions are for records that are not scored here")
        questions = join(kept, scored, where=file)
        for dataset in datasets:
            mine = {record.id: questions[record.id] for record in dataset.records}
            rows.append(Row(name, name, None, RowKind.OUTSIDE, dataset.name, mine))
    return rows


def _rows_of_cell(one: Written, model: str | None, datasets: Sequence[Dataset], folder: str) -> list[Row]:
    cell, rows = one.cell, []
    is_free = isinstance(cell.method, Reference)
    with one.reader.database() as database:
        outcomes = {outcome.instance_id: outcome for outcome in database.outcomes()}
        for dataset in datasets:
            predictions, failed, tries = {}, 0, list[Try]()
            for record in dataset.records:
                outcome = outcomes.get(record.id)
                if outcome is None:
                    raise RunFolderError(
                        "a question is missing", where=f"{database.path}, {record.id}", remedy="Run the same command again."
                    )
                predictions[record.id] = outcome.question if outcome.status is Status.ACCEPTED else ""
                failed += outcome.status is Status.FAILED
                if not is_free:
                    tries += _tries(database.trajectory(record.id).visits)
            rows.append(
                Row(
                    method=cell.method.key,
                    label=cell.method.label,
                    model=model,
                    kind=RowKind.REFERENCE if is_free else RowKind.METHOD,
                    dataset=dataset.name,
                    predictions=predictions,
                    wrote_references=_wrote(cell, dataset),
                    with_path=cell.with_path,
                    usage=_usage(len(dataset.records), tries),
                    failed=failed,
                    address=f"{folder}@{cell.folder}",
                )
            )
    return rows


def _wrote(cell: GeneratorCell, dataset: Dataset) -> bool:
    """Whether this very system wrote a reference of the dataset: of a free row, since a model may use many prompts."""
    name = cell.method.backend if isinstance(cell.method, Reference) else None
    return name is not None and any(record.backend is not None and record.backend.rewriter == name for record in dataset.records)


def _tries(visits: Iterable[Visit]) -> Iterable[Try]:
    return (a_try for visit in visits for a_try in visit.tries)


def _usage(questions: int, tries: Sequence[Try]) -> RowUsage:
    answered = [a_try for a_try in tries if a_try.reply_raw is not None or not a_try.cached]
    costs = [a_try.usd for a_try in answered]
    return RowUsage(
        questions=questions,
        calls=len(answered),
        cached_calls=sum(a_try.cached for a_try in answered),
        input=sum(a_try.usage.input for a_try in answered),
        output=sum(a_try.usage.output for a_try in answered),
        usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        usd_paid=sum(a_try.usd or 0.0 for a_try in answered if not a_try.cached),
    )
