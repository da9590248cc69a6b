"""Ray as the executor: root shards as tasks over the graph in its object store, the agents on actors, everything else here.

Nothing else in the package imports Ray, and this module does so only when there is work. What is sent to the cluster
holds no key and no address with one; where this command starts the cluster itself, its processes do not inherit
variables that look like keys, and only who has a token made for it can use it.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from agents.workflow import Workflow
from graph_sampler.sampler import Run, Worker, Workers
from graph_sampler.temporal_graph import TemporalGraph
from runs.building import prompt_files
from runs.code_digest import code_digest
from runs.config_identity import plain
from runs.distant_agents import DistantAgents
from runs.engine import Agents
from runs.executors import AgentSetup
from runs.kinds import kind_of
from runs.ray_tasks import AgentActor, Ground, ask_shard, packed, unpacked
from runs.terminal import say
from state.config import Config
from state.errors import ClusterError, ConfigError

A = TypeVar("A")
B = TypeVar("B")

_TASK_RETRIES = 10
"""How often a shard may lose its worker."""
_SHARDS_AHEAD = 8
"""Shards on their way for each processor of the cluster; enough that none waits, and few enough to hold."""
_PATIENCE_S = 60.0
"""After so long without an answer the user is told."""
_LOOKS_SECRET = re.compile(r"key|token|secret|passw|credential|cookie|auth", re.IGNORECASE)
_HAS_USER = re.compile(r"://[^/@\s]+@")


class RayExecutor:
    """A Ray cluster, joined when there is work for it."""

    def __init__(self, address: str | None) -> None:
        """Looks at the address; see `executor_of`.

        Raises:
            ConfigError: it is of Ray Client, or not HOST:PORT.
        """
        self._address = address or os.environ.get("RAY_ADDRESS") or None
        if self._address is not None and self._address not in ("auto", "local") and not re.fullmatch(r"[^/\s]+:\d+", self._address):
            remedy = "Give HOST:PORT, as `ray start` prints it, and run the command on a node of the cluster."
            raise ConfigError(f"{self._address!r} is not an address to join", where="--address", remedy=remedy)
        self._is_connected = False

    def close(self) -> None:
        """Leaves the cluster; one that this command started ends."""
        if self._is_connected:
            import ray

            ray.shutdown()

    @property
    def workers(self) -> Workers:
        """Tasks of the cluster, over the graph in its object store."""
        return self._sampling

    def agents(self, workflow: Workflow, setup: AgentSetup) -> Agents:
        """The agents on actors, one for each processor of the cluster that can be of use."""
        ray = self._connect(setup.config)
        files = prompt_files(setup.config, kind_of(setup.origin))
        concurrency = setup.config.run.concurrency
        actor = ray.remote(AgentActor).options(
            num_cpus=1, max_restarts=-1, max_concurrency=max(1000, 2 * concurrency), scheduling_strategy="SPREAD"
        )
        told = packed((setup._replace(config=without_secrets(setup.config)), files, code_digest()))
        actors = [actor.remote(told) for _ in range(min(concurrency, _processors(ray)))]
        distant = DistantAgents(workflow, actors, say)
        return Agents(distant.run_instance, distant.aclose)

    @contextlib.contextmanager
    def _sampling(self, graph: TemporalGraph, config: Config) -> Iterator[tuple[Worker, Run]]:
        here = Worker(graph, without_secrets(config))
        ray = self._connect(config)
        ground = ray.put(Ground(here, code_digest()))
        task = ray.remote(ask_shard).options(num_cpus=1, max_retries=_TASK_RETRIES)

        def run(function: Callable[[Worker, list[A]], B], chunks: Iterable[list[A]]) -> Iterable[B]:
            return _in_order(ray, lambda chunk: task.remote([ground], packed((function, chunk))), chunks)

        yield here, run

    def _connect(self, config: Config) -> Any:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        starts = self._address in (None, "local")
        if starts:
            os.environ.update({"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"})  # its nodes are named by the loopback address
            os.environ.setdefault("RAY_AUTH_MODE", "token")
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        import ray

        if self._is_connected:
            return ray
        if ":" in (self._address or ""):
            _probe(str(self._address))
        say("starting Ray on this machine" if starts else f"joining the Ray cluster at {self._address}")
        try:
            with _without(secret_variables(config, os.environ)):
                ray.init(
                    address="local" if starts else self._address, include_dashboard=False if starts else None,
                    log_to_driver=False, logging_level="critical", namespace="chronoqg",
                )  # fmt: skip
        except Exception as err:
            what = next((line.strip() for line in str(err).splitlines() if line.strip()), type(err).__name__)
            remedy = "Look at `ray status`; versions of Ray and Python must be the same on every node."
            raise ClusterError(f"Ray cannot be used: {what}", where=self._address or "--executor ray", remedy=remedy) from err
        self._is_connected = True
        return ray


def without_secrets(config: Config) -> Config:
    """The config as a run directory keeps it: without user, password and query of addresses."""
    return Config.model_validate(plain(config))


def secret_variables(config: Config, environ: Mapping[str, str]) -> list[str]:
    """Variables that no worker is to inherit: those that the config reads, and what looks like a secret; Ray's own aside."""
    named = {name for model in config.models.values() for name in (model.api_key_env, *model.headers_env.values()) if name}
    named |= {table.url_env for table in config.tdbench.tables.values() if table.url_env}
    looks = {name for name, value in environ.items() if _LOOKS_SECRET.search(name) or _HAS_USER.search(value)}
    return sorted(name for name in named | looks if name in environ and not name.startswith("RAY_"))


@contextlib.contextmanager
def _without(names: Iterable[str]) -> Iterator[None]:
    hidden = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _probe(address: str) -> None:
    """Passes if somebody listens: Ray itself would end this process otherwise."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except (OSError, OverflowError) as err:
        remedy = "Start one with `ray start --head`, or leave the address out to use this machine."
        raise ClusterError("no Ray cluster answers", where=address, remedy=remedy) from err


def _processors(ray: Any) -> int:
    found = int(ray.cluster_resources().get("CPU", 0))
    if not found:
        raise ClusterError("the cluster has no processors", where="--executor ray", remedy="Start its nodes with --num-cpus of 1 or more.")
    return found


def _in_order(ray: Any, send: Callable[[list[A]], Any], chunks: Iterable[list[A]]) -> Iterator[Any]:
    """The results in the order of the chunks; only so many are on their way."""
    ahead = _SHARDS_AHEAD * _processors(ray)
    on_their_way: deque[Any] = deque()
    for chunk in chunks:
        on_their_way.append(send(chunk))
        if len(on_their_way) >= ahead:
            yield unpacked(_get(ray, on_their_way.popleft()))
    while on_their_way:
        yield unpacked(_get(ray, on_their_way.popleft()))


def _get(ray: Any, reference: Any) -> Any:
    from ray.exceptions import GetTimeoutError, RayError, RayTaskError

    while True:
        try:
            return ray.get(reference, timeout=_PATIENCE_S)
        except GetTimeoutError:
            say("no worker of the cluster has answered for a while; waiting")
        except RayTaskError as err:
            raise err.cause from None
        except RayError as err:
            remedy = "Look at the memory of the nodes; the same command goes on."
            raise ClusterError(f"the cluster lost a shard: {str(err).splitlines()[0]}", where="--executor ray", remedy=remedy) from err
