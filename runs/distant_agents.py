"""The driver's side of agents on Ray actors: it answers their requests, and begins an instance anew where an actor died.

Cache, ledger, pace, model clients and keys are this process's own; an actor is given an instance, hands back each request
and gets its reply. Ray places the actors and restarts those that die.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.backends import Backend, Exchange
from agents.pace import Tell
from agents.replies import RawReply, parse_reply
from agents.workflow import InstanceResult, Workflow
from runs.conversations import Ask, Done, Message, Stopped
from runs.ray_tasks import packed, unpacked
from state.any_instance import Instance
from state.errors import ChronoQGError, ClusterError
from state.roles import QuestionReply

MOST_DEATHS = 5
"""How often an instance may lose its worker before the run stops."""
_PATIENCE_S = 60.0
"""After so long without any worker the user is told."""


@dataclass(eq=False)
class _Actor:
    handle: Any
    load: int = 0
    """Instances that it is given."""
    is_ready: bool = False


class DistantAgents:
    """Takes instances through agents that live on actors; used within one event loop."""

    def __init__(self, workflow: Workflow, actors: Sequence[Any], tell: Tell) -> None:
        """Knows the actors; they are waited for when the first instance comes.

        Args:
            workflow: this process's own, whose sources answer.
            actors: handles of `AgentActor`.
            tell: is shown a line when workers are missing or lost.
        """
        self._workflow = workflow
        self._actors = [_Actor(handle) for handle in actors]
        self._tell = tell
        self._changed = asyncio.Event()
        self._watches: set[asyncio.Task[None]] = set()
        self._unfit: ChronoQGError | None = None

    async def run_instance(self, record: Instance) -> InstanceResult:
        """Takes one instance through the agents on whichever actor has the least to do.

        Raises:
            ChronoQGError: the run cannot go on.
        """
        if not self._watches and not any(actor.is_ready for actor in self._actors):
            for actor in self._actors:
                self._watch(actor)
        for _ in range(MOST_DEATHS):
            actor = await self._take()
            try:
                result = await self._converse(actor, record)
            finally:
                actor.load -= 1
            if result is not None:
                return result
        raise ClusterError(
            f"{MOST_DEATHS} workers died one after the other",
            where=f"instance {record.id}",
            remedy="Look at the memory of the nodes; what is finished is kept, and the same command goes on.",
        )

    async def aclose(self) -> None:
        """Ends the actors and closes the sources' connections."""
        import ray

        for watch in self._watches:
            watch.cancel()
        for actor in self._actors:
            ray.kill(actor.handle)
        await self._workflow.aclose()

    async def _converse(self, actor: _Actor, record: Instance) -> InstanceResult | None:
        """What became of an instance; `None` if its worker died."""
        is_over = False
        try:
            message = await _heard(actor.handle.begin.remote(packed(record)))
            while isinstance(message, Ask):
                raw = await self._answer(message.exchange, record)
                message = await _heard(actor.handle.go_on.remote(record.id, packed(raw)))
            is_over = True
        finally:
            if not is_over:  # stopped, here or by the reply
                actor.handle.drop.remote(record.id)
        if isinstance(message, Done):
            return message.result
        if isinstance(message, Stopped):
            raise message.error
        if message is None and actor.is_ready:
            self._tell("a worker of the cluster died; its instances are begun anew, and what was paid for them is kept")
            actor.is_ready = False
            self._watch(actor)
        return None

    async def _answer(self, exchange: Exchange, record: Instance) -> RawReply:
        backend = self._workflow.crew.backends[exchange.role]
        return await backend.source.fetch(exchange, self._judge(backend, exchange, record))

    def _judge(self, backend: Backend, exchange: Exchange, record: Instance) -> Callable[[RawReply], bool]:
        """What the backend on the actor would say of a reply; said here, a reply is kept also when the actor is dead by then."""
        crew = self._workflow.crew

        def is_well_formed(raw: RawReply) -> bool:
            reply = parse_reply(raw, exchange.role).reply
            if reply is None or not backend.asks_anew or not isinstance(reply, QuestionReply):
                return reply is not None
            return crew.kind.gate(reply.question, record, crew.require_names) is None

        return is_well_formed

    async def _take(self) -> _Actor:
        while True:
            if self._unfit is not None:
                raise self._unfit
            ready = [actor for actor in self._actors if actor.is_ready]
            if ready:
                actor = min(ready, key=lambda one: one.load)
                actor.load += 1
                return actor
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), _PATIENCE_S)
            except TimeoutError:
                self._tell("no worker of the cluster is free yet; waiting")

    def _watch(self, actor: _Actor) -> None:
        task = asyncio.create_task(self._wait_for(actor))
        self._watches.add(task)
        task.add_done_callback(self._watches.discard)

    async def _wait_for(self, actor: _Actor) -> None:
        from ray.exceptions import RayError, RayTaskError

        try:
            await actor.handle.ready.options(max_task_retries=-1).remote()  # waits for a restart
            actor.is_ready = True
        except RayTaskError as error:
            self._unfit = error.cause if isinstance(error.cause, ChronoQGError) else _lost(f"a worker cannot be made: {error.cause!r}")
        except RayError as error:
            self._unfit = _lost(f"a worker cannot be had: {str(error).splitlines()[0]}")
        self._changed.set()


async def _heard(answer: Any) -> Message | None:
    """What an actor hands back; `None` if it died before."""
    from ray.exceptions import NodeDiedError, OutOfMemoryError, RayActorError, WorkerCrashedError

    try:
        message: Message = unpacked(await answer)
    except (RayActorError, WorkerCrashedError, NodeDiedError, OutOfMemoryError):
        return None
    return message


def _lost(what: str) -> ClusterError:
    return ClusterError(what, where="--executor ray", remedy="What is finished is kept; the same command goes on.")
