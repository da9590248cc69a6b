"""Graph, config and seed -> proved traces as benchmark records. Paper: section 4.2.

Roots are taken in an order drawn from the seed, in rounds that double; after each round the quotas
are filled anew from all proposals, until they are full or the roots are used up; later rounds ask
only for the cells and operators that are still short. Rounds do not depend on the number of workers,
so neither does the outcome. Cost: linear in roots looked at; memory: about 70 bytes a proposal and 60
a record, the rest lies in temporary files; and what each worker remembers near its roots, which is bounded.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from graph_sampler.encoding import RecordEncoder
from graph_sampler.pool_worker import end_with
from graph_sampler.proposal_store import Batch, Identified, ProposalStore, condense, id_number, unpack_block
from graph_sampler.proposals import Proposer, Root, Wanted
from graph_sampler.selection import Selection
from graph_sampler.skeleton import Skeleton, rebuild, roots
from graph_sampler.spool import Spool, SpooledLines, pack
from graph_sampler.temporal_graph import TemporalGraph
from state.config import Config, SamplerConfig
from state.coverage import CoverageReport
from state.errors import SamplingError

FIRST_ROUND = 32
CHUNK = 8
RENDERED_TOGETHER = 64
TASKS_AHEAD = 16
"""Tasks for each process that are sent before their results are asked for."""

A = TypeVar("A")
B = TypeVar("B")
Progress = Callable[[str, int, int], None]
"""`(what, done, total)`, called now and then."""


class Sample(NamedTuple):
    """Finished records, and what they cover."""

    lines: Sequence[bytes]
    """One JSON line a record, without line ends, sorted by id; they lie in a temporary file."""
    coverage: CoverageReport


class Worker:
    """What one process needs to propose and to render."""

    def __init__(self, graph: TemporalGraph, config: Config) -> None:
        graph.build_indexes()  # before the worker is forked or sent
        self.graph = graph
        self.config = config
        self.encoder = RecordEncoder(graph, config.dataset, config.sampler.seed, package_version())
        self.proposer = Proposer(graph, config, self.encoder)

    def propose(self, chunk: list[tuple[Root, Wanted]]) -> Batch:
        """The proposals of some roots in some cells, in their order."""
        return condense([self.proposer.propose(root, wanted) for root, wanted in chunk], self.config.sampler.seed)

    def render(self, chunk: Iterable[Identified]) -> list[tuple[str, bytes]]:
        """Ids and lines of some traces; those of one skeleton should stand together."""
        found = []
        skeleton: Skeleton | None = None
        for identifier, spec in chunk:
            if skeleton is None or skeleton.hops != spec.hops:
                skeleton = rebuild(self.proposer.around, spec.hops, self.config.sampler.caps.max_rows)
            found.append((identifier, self.encoder.encode(identifier, spec, skeleton, self.encoder.verbalise(spec))))
        return found

    def render_chosen(self, chunk: list[Chosen]) -> list[tuple[str, bytes]]:
        """Ids and packed lines of what was chosen of some roots."""
        found = []
        for block, places in chunk:
            traces = unpack_block(block)
            chosen = sorted((traces[place] for place in places), key=lambda trace: (trace[1].hops, trace[0]))
            found += [(identifier, pack(line)) for identifier, line in self.render(chosen)]
        return found


Chosen = tuple[bytes, list[int]]
"""The packed traces of one root, and the places of those that were chosen."""


def sample_traces(graph: TemporalGraph, config: Config, progress: Progress | None = None, workers: Workers | None = None) -> Sample:
    """The sample that the config asks for; a shortfall is reported, never filled with something else.

    Args:
        graph: the cleaned graph.
        config: what is asked for.
        progress: is told how far it is.
        workers: where roots are asked; `None` for processes of this machine. The outcome is the same.

    Raises:
        SamplingError: the graph has no root in range, or no root proposes a trace.
        ConfigError: a quota names an unknown template or operator.
    """
    tell = progress or (lambda what, done, total: None)
    with (workers or local_workers)(graph, config) as (worker, run):
        store = ProposalStore(_ordered_roots(worker))
        selection = _ask_roots(store, config.sampler, run, tell)
        coverage, chosen = selection.report(), selection.chosen
        if not chosen:
            raise SamplingError(
                f"none of {len(store.roots)} roots gives a trace that satisfies every rule ({store.doubtful} refused as doubtful)",
                where=f"graph {graph.name!r} ({len(graph)} facts)",
                remedy="Look at 'chronoqg graph inspect': too few facts per entity, or relations typed otherwise than meant.",
            )
        del selection  # what it counted by is not needed while lines are written
        return Sample(_written(store, chosen, run, tell), coverage)


def _ordered_roots(worker: Worker) -> list[Root]:
    """All roots of the graph, in the order in which they are asked."""
    graph, settings, names = worker.graph, worker.config.sampler, worker.proposer.names
    caps = settings.caps
    found = roots(graph, caps.seed_min, caps.seed_max, names.meta_relations, names.meta_entities)
    if not found:
        raise SamplingError(
            f"no root has {caps.seed_min} to {caps.seed_max} candidates",
            where=f"graph {graph.name!r} ({len(graph)} facts)",
            remedy="Widen sampler.caps.seed_min and seed_max, or use a larger graph.",
        )
    return drawn_order(graph, found, settings.seed)


def _ask_roots(store: ProposalStore, settings: SamplerConfig, run: Run, tell: Progress) -> Selection:
    """Fills the store in rounds that double, until the quotas are full, more roots do not help or none is left."""
    ordered, size, shortfall = store.roots, FIRST_ROUND, -1
    selection = Selection(store, settings)
    while store.asked < len(ordered):
        wanted = selection.wanted_next
        batch = [(root, wanted) for root in ordered[store.asked : store.asked + size]]
        for found in run(Worker.propose, _chunks(batch, CHUNK)):
            store.add(found)
            tell("roots", store.asked, len(ordered))
        size *= 2
        del selection  # before the next one takes as much memory
        selection = Selection(store, settings)
        if selection.is_complete or (len(selection.chosen) >= settings.target and selection.operator_shortfall == shortfall):
            break
        shortfall = selection.operator_shortfall
    return selection


def _written(store: ProposalStore, chosen: list[int], run: Run, tell: Progress) -> SpooledLines:
    """The lines of the chosen proposals, by id."""
    spool = Spool()
    ids, places = array("Q"), array("q")
    for part in run(Worker.render_chosen, _chosen(store, chosen)):
        for identifier, line in part:
            ids.append(id_number(identifier))
            places.extend(spool.put(line))
        tell("records", len(ids), len(chosen))
    return SpooledLines(spool, np.array(places).reshape(-1, 2)[np.argsort(np.array(ids))])


def _chosen(store: ProposalStore, positions: list[int]) -> Iterator[list[Chosen]]:
    """What was chosen, root by root, about so many at a time."""
    rows = store.rows[np.sort(np.array(positions, np.int64))]
    chunk: list[Chosen] = []
    size = 0
    for block, group in groupby(zip(rows["block"].tolist(), rows["place"].tolist(), strict=True), key=itemgetter(0)):
        chunk.append((store.block(block), [place for _, place in group]))
        size += len(chunk[-1][1])
        if size >= RENDERED_TOGETHER:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def package_version() -> str:
    """The installed version; `0+unknown` in a tree that is not installed."""
    try:
        return version("chronoqg")
    except PackageNotFoundError:
        return "0+unknown"


def drawn_order(graph: TemporalGraph, found: list[Root], seed: int) -> list[Root]:
    """The roots in the order in which they are asked, drawn from the seed."""

    def place(root: Root) -> bytes:
        relation, is_subject, fixed = root
        text = f"{seed}|{graph.relation_ids[relation]}|{is_subject}|{graph.entity_ids[fixed]}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

    return sorted(found, key=place)


def _chunks(items: list[A], size: int) -> Iterator[list[A]]:
    return (items[at : at + size] for at in range(0, len(items), size))


_worker: Worker | None = None


def _start(parent: int, worker: Worker) -> None:
    global _worker
    end_with(parent)
    _worker = worker


def _call(task: tuple[Callable[[Worker, list[Any]], Any], list[Any]]) -> Any:
    function, chunk = task
    assert _worker is not None, "the pool's initializer ran"
    return function(_worker, chunk)


class Run(Protocol):
    """Maps chunks in order over all processes."""

    def __call__(self, function: Callable[[Worker, list[A]], B], chunks: Iterable[list[A]]) -> Iterable[B]:
        """The results, in the order of the chunks."""
        ...


class _HereRun:
    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def __call__(self, function: Callable[[Worker, list[A]], B], chunks: Iterable[list[A]]) -> Iterable[B]:
        return (function(self._worker, chunk) for chunk in chunks)


class _PoolRun:
    def __init__(self, pool: ProcessPoolExecutor, processes: int) -> None:
        self._pool = pool
        self._most_ahead = TASKS_AHEAD * processes

    def __call__(self, function: Callable[[Worker, list[A]], B], chunks: Iterable[list[A]]) -> Iterable[B]:
        ahead: deque[Future[B]] = deque()
        try:
            for chunk in chunks:
                ahead.append(self._pool.submit(_call, (function, chunk)))
                if len(ahead) >= self._most_ahead:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        except BrokenProcessPool:
            raise SamplingError(
                "a sampling process was killed, most likely because memory ran out",
                where="sampler.workers",
                remedy="Ask for fewer sampler.workers, or give it more memory.",
            ) from None


Workers = Callable[[TemporalGraph, Config], AbstractContextManager[tuple[Worker, Run]]]
"""Makes a worker of this process, and a function that maps chunks in order over all processes."""


@contextmanager
def local_workers(graph: TemporalGraph, config: Config) -> Iterator[tuple[Worker, Run]]:
    """A worker of this process, and a function that maps chunks in order over all processes."""
    here = Worker(graph, config)
    if config.sampler.workers == 1:
        yield here, _HereRun(here)
        return
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    # A forked process takes the worker over as it is: graph and indexes stand in memory once for all.
    with ProcessPoolExecutor(config.sampler.workers, context, _start, (os.getpid(), here)) as pool:
        yield here, _PoolRun(pool, config.sampler.workers)
