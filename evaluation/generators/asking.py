"""The cells of an evaluation, one after the other: what is finished is not asked again, and one budget holds for all."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from agents.generator import generator_backend
from agents.response_cache import ResponseCache
from agents.workflow import InstanceResult
from baselines.method import Method, Write
from baselines.writing import BROKE, write_question, write_reference
from evaluation.generators.cells import GeneratorCell
from evaluation.generators.datasets import Benchmark
from evaluation.study.folder import StudyFolder
from runs.config_file import LoadedConfig, check_environment
from runs.engine import Agents, work_through
from runs.fork_folder import ForkFolder
from runs.forks import ForkReader
from runs.ledger import RunLedger
from runs.rare_collections import rare_collections
from runs.sampling import Note
from runs.terminal import Advance
from state.errors import ChronoQGError, ConfigError
from state.instance import BenchmarkRecord
from state.vocabulary import Node, Status

MOST_TOLD = 5
"""Kinds of errors in a method that are told of."""


@dataclass(frozen=True)
class Written:
    """A cell and where its questions are."""

    cell: GeneratorCell
    reader: ForkReader


def check_models(loaded: LoadedConfig, cells: Sequence[GeneratorCell]) -> None:
    """Passes if the keys of all models are set and their calls can be held to the budget.

    Raises:
        ConfigError: they are not.
    """
    for cell in cells:
        if cell.model_key is not None:
            check_environment(replace(loaded, config=cell.config), models=[cell.model_key])


def open_cache_for(loaded: LoadedConfig, cells: Sequence[GeneratorCell], *, reads: bool) -> AbstractContextManager[ResponseCache | None]:
    """The cache of an evaluation, if any cell or the reader asks a model."""
    asks = reads or any(cell.model_key is not None for cell in cells)
    return _Cache(Path(loaded.config.cache.path)) if asks else nullcontext()


class _Cache(AbstractContextManager[ResponseCache]):
    def __init__(self, path: Path) -> None:
        self._cache = ResponseCache(path)

    def __enter__(self) -> ResponseCache:
        return self._cache

    def __exit__(self, *_: object) -> None:
        self._cache.close()


def write_cells(
    study: StudyFolder,
    cells: Sequence[GeneratorCell],
    benchmarks: Sequence[Benchmark],
    cache: ResponseCache | None,
    *,
    tell: Note,
    retry_failed: bool = False,
    advance: Advance | None = None,
) -> list[Written]:
    """Has every cell write a question for every record that it has not finished.

    Raises:
        ChronoQGError: a server, a key or the budget stops the evaluation; what is finished is kept.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    written = []
    for number, cell in enumerate(cells, start=1):
        with ForkFolder(study.reader, cell.folder, Node.GENERATE, cell.config) as folder:
            finished, traces = folder.database.finished(), study.reader.trace_file()
            taken = [
                place
                for place, ident in enumerate(traces.ids())
                if ident not in finished or (retry_failed and finished[ident] is Status.FAILED)
            ]
            if taken:
                tell(f"row {number} of {len(cells)}: {cell.name}, {len(taken)} of {len(traces)} questions to write")
                try:
                    _write(study, cell, folder, taken, benchmarks, cache, tell, advance)
                except (KeyboardInterrupt, ChronoQGError):
                    tell(f"{len(folder.database.finished())} questions of {cell.name} are done; the same command goes on")
                    raise
                _tell_of_broken(cell, folder, tell)
            written.append(Written(cell, folder.reader))
    return written


def prepared(cell: GeneratorCell, benchmarks: Sequence[Benchmark]) -> dict[str, Write]:
    """Name of a benchmark -> the method, ready to write for it; each looks at its own benchmark's training part only.

    Raises:
        ConfigError: the method cannot be prepared.
    """
    assert isinstance(cell.method, Method)
    seed, writes = cell.config.evaluate.seed, {}
    for benchmark in benchmarks:
        pool = benchmark.pool(seed, shows_path=cell.shows_path)
        try:
            writes[benchmark.name] = cell.method.prepare(pool)
        except ChronoQGError:
            raise
        except Exception as err:
            what = f"{cell.method.key} cannot be prepared for {benchmark.name}: {type(err).__name__}: {err}"
            raise ConfigError(what, where="evaluate.methods") from err
    return writes


def _tell_of_broken(cell: GeneratorCell, folder: ForkFolder, tell: Note) -> None:
    """Says where a method raised errors of its own, the most frequent first."""
    broken = Counter(outcome.detail for outcome in folder.database.outcomes() if outcome.detail.startswith(BROKE))
    for detail, count in broken.most_common(MOST_TOLD):
        tell(f"{cell.name}: {count} questions failed: {detail}")


def _write(
    study: StudyFolder,
    cell: GeneratorCell,
    folder: ForkFolder,
    taken: Sequence[int],
    benchmarks: Sequence[Benchmark],
    cache: ResponseCache | None,
    tell: Note,
    advance: Advance | None,
) -> None:
    def advance_cell(what: str, done: int, total: int) -> None:
        if advance is not None:
            advance(cell.name, done, total)

    traces, config = study.reader.trace_file(), cell.config
    agents = _free(cell) if cell.model_key is None else _asking(cell, folder, spent_elsewhere(study, cell.folder), benchmarks, cache, tell)
    counts = len(taken), len(traces)
    with rare_collections():
        asyncio.run(work_through(map(traces.record, taken), agents, config.run.concurrency, folder.database, counts, advance_cell))


def _free(cell: GeneratorCell) -> Agents:
    method = cell.method
    assert not isinstance(method, Method)

    async def one(record: BenchmarkRecord) -> InstanceResult:
        await asyncio.sleep(0)  # lets a stop signal through
        return write_reference(record, method)

    async def close() -> None:
        pass

    return Agents(one, close)


def _asking(
    cell: GeneratorCell,
    folder: ForkFolder,
    spent_elsewhere: int,
    benchmarks: Sequence[Benchmark],
    cache: ResponseCache | None,
    tell: Note,
) -> Agents:
    # Imported here: the libraries for a server take a second to load, and free rows need none.
    from agents.model_client import ModelClient
    from agents.model_source import ModelSource

    assert cell.model_key is not None
    config, model = cell.config, cell.config.models[cell.model_key]
    ledger = RunLedger(folder.database, config.models, config.run.budget_usd, tell=tell, spent_elsewhere=spent_elsewhere)
    source = ModelSource(ModelClient(cell.model_key, model, os.environ, ledger=ledger, tell=tell), cache, folder.database)
    backend = generator_backend(cell.model_key, model, source, cell.method_sha256)
    writes: Mapping[str, Write] = prepared(cell, benchmarks)

    async def one(record: BenchmarkRecord) -> InstanceResult:
        write = writes[record.dataset]
        retries = config.agents.retries
        return await write_question(record, write, backend, shows_path=cell.shows_path, retries=retries, most_calls=cell.most_calls)

    return Agents(one, source.aclose)


def spent_elsewhere(study: StudyFolder, fork: str) -> int:
    """Billionths of a US dollar spent in all forks of an evaluation but this one."""
    spent = 0
    for other in study.cells():
        if other.note.name != fork and other.has_agents:
            with other.database() as database:
                spent += database.spent()
    return spent
