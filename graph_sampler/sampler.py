"""Graph, config and seed -> proved traces as benchmark records. Paper: section 4.2.

Roots are taken in an order drawn from the seed, in rounds that double; after each round the quotas
are filled anew from all proposals, until they are full or the roots are used up; later rounds ask
only for the cells and operators that are still short. Rounds do not
depend on the number of workers, so neither does the outcome. Cost: linear in roots looked at;
memory: proposals (about 0.8 kB each) and the finished lines, packed (about 1.4 kB each).
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple, Protocol, TypeVar

from graph_sampler.encoding import RecordEncoder
from graph_sampler.packed_lines import PackedLines, pack
from graph_sampler.pool_worker import end_with
from graph_sampler.proposals import Proposal, Proposer, Root, RootProposals, Wanted
from graph_sampler.selection import Selection
from graph_sampler.skeleton import Skeleton, rebuild, roots
from graph_sampler.temporal_graph import TemporalGraph
from state.config import Config
from state.coverage import CoverageReport
from state.errors import SamplingError

FIRST_ROUND = 32
CHUNK = 8

A = TypeVar("A")
B = TypeVar("B")
Progress = Callable[[str, int, int], None]
"""`(what, done, total)`, called now and then."""


class Sample(NamedTuple):
    """Finished records, and what they cover."""

    lines: Sequence[bytes]
    """One JSON line a record, without line ends, sorted by id; held packed."""
    coverage: CoverageReport


class Worker:
    """What one process needs to propose and to render."""

    def __init__(self, graph: TemporalGraph, config: Config) -> None:
        self.graph = graph
        self.config = config
        self.encoder = RecordEncoder(graph, config.dataset, config.sampler.seed, package_version())
        self.proposer = Proposer(graph, config, self.encoder)

    def propose(self, chunk: list[tuple[Root, Wanted]]) -> list[RootProposals]:
        """The proposals of some roots in some cells, in their order."""
        return [self.proposer.propose(root, wanted) for root, wanted in chunk]

    def render(self, chunk: list[Proposal]) -> list[tuple[str, bytes]]:
        """Ids and lines of some proposals; those of one skeleton should stand together."""
        found = []
        skeleton: Skeleton | None = None
        for proposal in chunk:
            hops = proposal.spec.hops
            if skeleton is None or skeleton.hops != hops:
                skeleton = rebuild(self.proposer.around, hops, self.config.sampler.caps.max_rows)
            words = self.encoder.verbalise(proposal.spec)
            found.append((proposal.id, self.encoder.encode(proposal.id, proposal.spec, skeleton, words)))
        return found


def _render_packed(worker: Worker, chunk: list[Proposal]) -> list[tuple[str, bytes]]:
    return [(ident, pack(line)) for ident, line in worker.render(chunk)]


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
    settings = config.sampler
    with (workers or local_workers)(graph, config) as (worker, run):
        names, caps = worker.proposer.names, settings.caps
        found_roots = roots(graph, caps.seed_min, caps.seed_max, names.meta_relations, names.meta_entities)
        if not found_roots:
            raise SamplingError(
                f"no root has {caps.seed_min} to {caps.seed_max} candidates",
                where=f"graph {graph.name!r} ({len(graph)} facts)",
                remedy="Widen sampler.caps.seed_min and seed_max, or use a larger graph.",
            )
        ordered = drawn_order(graph, found_roots, settings.seed)
        proposals: list[Proposal] = []
        doubtful = seen = 0
        size, shortfall = FIRST_ROUND, -1
        selection = Selection((), settings)
        while seen < len(ordered):
            wanted = selection.wanted_next
            batch = [(root, wanted) for root in ordered[seen : seen + size]]
            for done, results in enumerate(run(Worker.propose, _chunks(batch, CHUNK)), start=1):
                for result in results:
                    proposals += result.proposals
                    doubtful += result.doubtful
                tell("roots", min(seen + done * CHUNK, len(ordered)), len(ordered))
            seen += len(batch)
            size *= 2
            selection = Selection(proposals, settings)
            if selection.is_complete or (len(selection.chosen) >= settings.target and selection.operator_shortfall == shortfall):
                break
            shortfall = selection.operator_shortfall
        if not selection.chosen:
            raise SamplingError(
                f"none of {len(ordered)} roots gives a trace that satisfies every rule ({doubtful} refused as doubtful)",
                where=f"graph {graph.name!r} ({len(graph)} facts)",
                remedy="Look at 'chronoqg graph inspect': too few facts per entity, or relations typed otherwise than meant.",
            )
        chosen = sorted(selection.chosen, key=lambda proposal: (proposal.spec.hops, proposal.id))
        lines: list[tuple[str, bytes]] = []
        for part in run(_render_packed, _chunks(chosen, 64)):
            lines += part
            tell("records", len(lines), len(chosen))
    lines.sort()
    return Sample(PackedLines([line for _, line in lines]), selection.report(seen, len(ordered), doubtful))


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


def _chunks(items: list[A], size: int) -> list[list[A]]:
    return [items[at : at + size] for at in range(0, len(items), size)]


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

    def __call__(self, function: Callable[[Worker, list[A]], B], chunks: list[list[A]]) -> Iterable[B]:
        """The results, in the order of the chunks."""
        ...


class _HereRun:
    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def __call__(self, function: Callable[[Worker, list[A]], B], chunks: list[list[A]]) -> Iterable[B]:
        return (function(self._worker, chunk) for chunk in chunks)


class _PoolRun:
    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def __call__(self, function: Callable[[Worker, list[A]], B], chunks: list[list[A]]) -> Iterable[B]:
        return self._pool.map(_call, [(function, chunk) for chunk in chunks])


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
        yield here, _PoolRun(pool)
