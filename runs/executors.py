"""Where the work of a run is done: in this process, or by the workers of a Ray cluster; its files are the same bytes."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from agents.workflow import Workflow
from graph_sampler.sampler import Workers
from state.any_instance import Origin
from state.config import Config
from state.errors import ConfigError

if TYPE_CHECKING:
    from runs.engine import Agents

ExecutorName = Literal["local", "ray"]


class AgentSetup(NamedTuple):
    """What a worker needs to know to take instances through the agents."""

    config: Config
    """With the prompts that the run uses, and no `auto` left."""
    origin: Origin


class Executor(Protocol):
    """Does the sampler's and the agents' work elsewhere; where there is none, this process and its own children do it."""

    @property
    def workers(self) -> Workers:
        """Where roots are asked for traces."""
        ...

    def agents(self, workflow: Workflow, setup: AgentSetup) -> Agents:
        """Takes instances through the agents elsewhere.

        Args:
            workflow: this process's own; its sources answer every request, so that money, pace and keys stay here.
            setup: what the workers make theirs of.
        """
        ...


@contextlib.contextmanager
def executor_of(name: ExecutorName, address: str | None = None) -> Iterator[Executor | None]:
    """The executor of a command, for as long as it works; `None` is this process. A cluster is joined when there is work for it.

    Args:
        name: `local` or `ray`.
        address: of a running Ray cluster; `None` for the one that RAY_ADDRESS names, else for one on this machine.

    Raises:
        ConfigError: an address without Ray, one of a kind that does not serve, or Ray is not installed.
    """
    if name == "local":
        if address is not None:
            raise ConfigError("an address means nothing without a cluster", where="--address", remedy="Add --executor ray.")
        yield None
        return
    if importlib.util.find_spec("ray") is None:
        remedy = "Install the extra: pip install -e '.[ray]' in a checkout."
        raise ConfigError("Ray is not installed", where="--executor ray", remedy=remedy)
    from runs.ray_executor import RayExecutor

    executor = RayExecutor(address)
    try:
        yield executor
    finally:
        executor.close()
