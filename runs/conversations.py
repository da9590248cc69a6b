"""The agents in another process than the one that pays: a worker's side of every instance.

A worker takes an instance through the agents until a role has to be asked, hands that request back, and
goes on when it is given the reply. Whoever drives it owns cache, ledger, pace and keys; a worker knows none
of them. A conversation lives in its worker's memory only: with a worker that dies it is begun anew, and finds
the replies of before where the driver keeps them.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from agents.backends import Exchange, Source
from agents.replies import RawReply
from agents.rules_backend import LABEL, RulesSource
from agents.setup import workflow_over
from agents.workflow import InstanceResult, Workflow, run_instance
from runs.code_digest import refuse_other_code
from runs.engine import crashed
from runs.executors import AgentSetup
from runs.kinds import kind_of
from runs.rare_collections import collect_rarely
from state.any_instance import Instance
from state.config import ModelConfig, PromptsConfig
from state.errors import ChronoQGError


class Ask(NamedTuple):
    """A role has to be asked: the worker waits for the reply."""

    exchange: Exchange


class Done(NamedTuple):
    """The instance has ended."""

    result: InstanceResult


class Stopped(NamedTuple):
    """The run cannot go on."""

    error: ChronoQGError


class Forgotten(NamedTuple):
    """The worker knows nothing of the instance: it was started anew since."""


Message = Ask | Done | Stopped | Forgotten
"""What a worker hands back."""


class Conversations:
    """A worker: any number of instances on their way, each known by its id."""

    def __init__(self, setup: AgentSetup, prompt_files: Mapping[str, bytes], code: str) -> None:
        """Keeps what it is told; the agents are made when they are first needed.

        Args:
            setup: the run's setup; nothing secret is in it.
            prompt_files: `<role>/<version>` -> bytes of every prompt of the setup, wherever the driver keeps them.
            code: the digest of the driver's own code.
        """
        self._setup = setup
        self._prompt_files = prompt_files
        self._code = code
        self._going: dict[str, _Conversation] = {}

    async def ready(self) -> None:
        """Passes once the worker is fit to work.

        Raises:
            ClusterError: it runs other code than the driver.
        """
        refuse_other_code(self._code)
        assert self._workflow.crew.backends, "the agents are made here, not when the first instance comes"
        collect_rarely()

    async def begin(self, record: Instance) -> Message:
        """Begins an instance, anew if need be; returns the first request, or how it ended without any."""
        await self.drop(record.id)
        self._going[record.id] = _Conversation(record, self._workflow)
        return await self._heard(record.id)

    async def go_on(self, instance_id: str, raw: RawReply) -> Message:
        """Hands over the reply to an instance's last request; returns the next one, or how it ended."""
        if instance_id not in self._going:
            return Forgotten()
        self._going[instance_id].replies.put_nowait(raw)
        return await self._heard(instance_id)

    async def drop(self, instance_id: str) -> None:
        """Forgets an instance that will not be gone on with."""
        if instance_id in self._going:
            self._going.pop(instance_id).task.cancel()

    async def _heard(self, instance_id: str) -> Message:
        message = await self._going[instance_id].messages.get()
        if not isinstance(message, Ask):
            self._going.pop(instance_id, None)
        return message

    async def _ask(self, exchange: Exchange) -> RawReply:
        conversation = self._going[exchange.instance_id]
        conversation.messages.put_nowait(Ask(exchange))
        return await conversation.replies.get()

    @cached_property
    def _workflow(self) -> Workflow:
        config, origin = self._setup
        kind = kind_of(origin)

        def source(name: str, model: ModelConfig) -> Source:
            return RulesSource(kind.rules) if model.provider == LABEL else _DistantSource(self._ask)

        with tempfile.TemporaryDirectory() as folder:
            for name, content in self._prompt_files.items():
                path = Path(folder, f"{name}.md")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            return workflow_over(config.model_copy(update={"prompts": PromptsConfig(path=folder)}), source, kind=kind)


class _Conversation:
    """One instance on its way."""

    def __init__(self, record: Instance, workflow: Workflow) -> None:
        self.messages: asyncio.Queue[Message] = asyncio.Queue()
        self.replies: asyncio.Queue[RawReply] = asyncio.Queue()
        self.task = asyncio.create_task(self._run(record, workflow))

    async def _run(self, record: Instance, workflow: Workflow) -> None:
        try:
            message: Message = Done(await run_instance(record, workflow))
        except ChronoQGError as error:
            message = Stopped(error)
        except Exception as error:
            message = Done(crashed(error))
        self.messages.put_nowait(message)


class _DistantSource:
    """Asks the driver, which has the reply kept, or pays for it, and judges whether to keep it."""

    immediate = False

    def __init__(self, ask: Callable[[Exchange], Awaitable[RawReply]]) -> None:
        self._ask = ask

    async def fetch(self, exchange: Exchange, well_formed: Callable[[RawReply], bool]) -> RawReply:
        return await self._ask(exchange)

    async def aclose(self) -> None:
        """Nothing: the connections are the driver's."""
