"""What a process of a Ray cluster runs for the sampler: it makes its worker once, then answers shards of roots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from graph_sampler.sampler import Worker
from graph_sampler.temporal_graph import TemporalGraph
from runs.code_digest import refuse_other_code
from state.config import Config


class Ground(NamedTuple):
    """What all shards of one sample stand on; in the object store its columns are read where they lie."""

    graph: TemporalGraph
    config: Config
    code: str
    """The digest of the driver's own code."""


_made: tuple[str, Worker] | None = None


def ask_shard(ground: list[Any], function: Callable[[Worker, list[Any]], Any], chunk: list[Any]) -> Any:
    """A function of the worker over some roots, or some proposals.

    Args:
        ground: the reference of a `Ground`, in a list so that Ray does not load it anew for each shard.
        function: what to ask.
        chunk: what of.

    Raises:
        ClusterError: this process runs other code than the driver.
    """
    global _made
    import ray

    [reference] = ground
    if _made is None or _made[0] != reference.hex():
        held: Ground = ray.get(reference)
        refuse_other_code(held.code)
        _made = reference.hex(), Worker(held.graph, held.config)
    return function(_made[1], chunk)
