"""What a process of a Ray cluster runs: shards of roots for the sampler, and an actor for the agents.

What goes to and fro is pickled here, by the standard library: Ray's own pickling, made for functions that no module
holds, takes forty times as long over a trajectory.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

from graph_sampler.sampler import Worker
from runs.code_digest import refuse_other_code
from runs.conversations import Conversations


class Ground(NamedTuple):
    """What all shards of one sample stand on; in the object store its columns and indexes are read where they lie."""

    worker: Worker
    code: str
    """The digest of the driver's own code."""


_loaded: tuple[str, Worker] | None = None


def ask_shard(on: list[Any], asked: bytes) -> bytes:
    """What a function of the worker finds for some roots, or some proposals; pickled, as is what is asked.

    Args:
        on: the reference of a `Ground`, in a list so that Ray does not load it anew for each shard.
        asked: the function, and its argument.

    Raises:
        ClusterError: this process runs other code than the driver.
    """
    global _loaded
    import ray

    [reference] = on
    if _loaded is None or _loaded[0] != reference.hex():
        ground: Ground = ray.get(reference)
        refuse_other_code(ground.code)
        _loaded = reference.hex(), ground.worker
    function: Callable[[Worker, Any], Any]
    function, chunk = unpacked(asked)
    return packed(function(_loaded[1], chunk))


class AgentActor:
    """`Conversations` on an actor; what they take and give is pickled."""

    def __init__(self, told: bytes) -> None:
        """Takes what `Conversations` are told."""
        self._conversations = Conversations(*unpacked(told))

    async def ready(self) -> None:
        """Passes once the worker is fit to work; see `Conversations.ready`."""
        await self._conversations.ready()

    async def begin(self, record: bytes) -> bytes:
        """See `Conversations.begin`."""
        return packed(await self._conversations.begin(unpacked(record)))

    async def go_on(self, instance_id: str, raw: bytes) -> bytes:
        """See `Conversations.go_on`."""
        return packed(await self._conversations.go_on(instance_id, unpacked(raw)))

    async def drop(self, instance_id: str) -> None:
        """See `Conversations.drop`."""
        await self._conversations.drop(instance_id)


def packed(value: object) -> bytes:
    """The value on its way to another process."""
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def unpacked(data: bytes) -> Any:
    """The value that another process of the same command packed."""
    return pickle.loads(data)  # noqa: S301
