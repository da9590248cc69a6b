"""`replay --from NODE --live`: recorded histories up to a node, and from there on asked anew with another config."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from agents.addresses import public_address
from agents.fork import ForkedWorkflow, visits_before
from agents.replay import RecordedStart
from agents.rules_backend import LABEL
from agents.setup import build_workflow, check_crew, role_configs, table_of
from agents.transitions import nodes_of
from agents.workflow import InstanceResult
from runs.building import open_cache, usage_lines, with_prompts_of
from runs.config_file import LoadedConfig, check_environment, load_config, load_models
from runs.database import InstanceOutcome, UsageRow
from runs.engine import Agents, work_through
from runs.fork_folder import ForkFolder
from runs.forks import ForkReader, fork_folder, open_run
from runs.kinds import kind_of
from runs.ledger import RunLedger
from runs.rare_collections import rare_collections
from runs.run_folder import CONFIG, RunReader, spent
from runs.run_models import find_modes, with_noted_modes
from runs.show import describe_history
from runs.terminal import Advance, say
from state.any_instance import Instance
from state.errors import ConfigError, RunFolderError, did_you_mean
from state.model_base import FORMAT_VERSION
from state.vocabulary import Node, Status


@dataclass(frozen=True)
class ForkOrder:
    """What the user asked for."""

    run: str
    """The run directory."""
    node: str
    """The first node to ask anew, as it was typed."""
    name: str
    """What to call the fork."""
    instance: str | None
    """An instance's id or the beginning of it; `None` for every finished instance."""
    overrides: Sequence[str] = ()
    """`--set` overrides over the run's config."""
    models_of: str | None = None
    """A config file of the user's whose models take the place of the run's."""
    trust_models: bool = False
    """Whether the models of the run's own config may be asked."""


@dataclass(frozen=True)
class Change:
    """What the fork made of one instance."""

    instance_id: str
    before: InstanceOutcome
    after: InstanceOutcome

    @property
    def is_change(self) -> bool:
        """Whether status, reason or accepted question differ."""
        return _essence(self.before) != _essence(self.after)

    def line(self) -> str:
        """The change as one line."""
        before, after = _words(self.before), _words(self.after)
        if before == after and self.is_change:
            return f"{self.instance_id}: {after}, with another question"
        return f"{self.instance_id}: {before} -> {after}" if self.is_change else f"{self.instance_id}: {after}, as recorded"


@dataclass(frozen=True)
class ForkReport:
    """What a fork came to."""

    address: str
    """`RUN@NAME`."""
    folder: Path
    changes: tuple[Change, ...]
    """The instances that were asked for and reach the node, sorted by id."""
    taken: int
    """How many of them were worked on now; the others were finished before."""
    not_reached: int
    """Finished instances of the run whose record never comes to the node."""
    usage: tuple[UsageRow, ...]
    """What the whole fork used."""
    histories: tuple[tuple[str, ...], ...]
    """The new history, if one instance was asked for."""

    def lines(self) -> list[str]:
        """The report for a person."""
        lines = [line for history in self.histories for line in history]
        changed = [change for change in self.changes if change.is_change]
        lines += [*([""] if lines else []), *(change.line() for change in (self.changes if self.histories else changed))]
        if not self.histories:
            lines.append(f"forked {len(self.changes)} instances: {len(changed)} come out otherwise than recorded")
            lines.append(f"left out {self.not_reached} that never came to the node")
        calls, cached = (sum(getattr(row, name) for row in self.usage) for name in ("calls", "cached_calls"))
        lines.append(f"spent {spent(self.usage):.4f} USD in {calls} calls, {cached} of them from the cache")
        return [*lines, *usage_lines(self.usage)]

    def as_json(self) -> bytes:
        """The report for a machine."""
        data: dict[str, Any] = {
            "format": FORMAT_VERSION,
            "fork": self.address,
            "instances": [
                {"id": change.instance_id, "before": change.before.model_dump(mode="json"), "after": change.after.model_dump(mode="json")}
                for change in self.changes
            ],
            "changed": sum(change.is_change for change in self.changes),
            "not_reached": self.not_reached,
            "failed": self.failed,
            "usd_paid": spent(self.usage),
            "usage": [row.model_dump() for row in self.usage],
        }
        return orjson.dumps(data, option=orjson.OPT_INDENT_2) + b"\n"

    @property
    def failed(self) -> int:
        """How many instances failed."""
        return sum(change.after.status is Status.FAILED for change in self.changes)

    def talk(self, run: str) -> Iterator[str]:
        """What was written, and the command that most likely comes next."""
        yield f"wrote {self.folder}" if self.taken else f"{self.address} was finished before; nothing to do"
        yield f"next: {shlex.join(('chronoqg', 'compare', run, self.address))}"


def fork_run(order: ForkOrder, advance: Advance | None = None) -> ForkReport:
    """Makes or continues a fork; everything that the user may have got wrong is looked at before a model is asked.

    Raises:
        ChronoQGError: run, name, node, config, cache or server is not as it must be.
        ReplayMismatch: the recorded part of an instance does not come out as recorded.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    reader = open_run(order.run)
    if isinstance(reader, ForkReader):
        raise RunFolderError("a fork cannot be forked", where=order.run, remedy=f"Fork {reader.path}, with the same --set and --config.")
    fork_folder(reader.path, order.name)
    node = _node(order.node)
    loaded = _config(reader, order)
    config = loaded.config
    if node not in nodes_of(table_of(config)):
        raise ConfigError(f"the fork's config has no {node.value}", where="--from", remedy="Set agents.appeal.model, or fork elsewhere.")
    kind = kind_of(reader.manifest.origin)
    check_crew(config, kind)
    _ask_for_trust(loaded, order)
    check_environment(loaded)
    ids, not_reached = _instances(reader, node, order.instance)
    with ForkFolder(reader, order.name, node, config) as folder, open_cache(config) as cache:
        finished = folder.database.finished()
        pending = [ident for ident in ids if ident not in finished]
        if pending:
            recorded, mine = with_prompts_of(reader, reader.config().config), with_prompts_of(folder.reader, config)
            ledger = RunLedger(folder.database, mine.models, mine.run.budget_usd, tell=say)
            mine = asyncio.run(find_modes(mine, folder.database, ledger, say))
            live = build_workflow(mine, kind=kind, environ=os.environ, cache=cache, ledger=ledger, tell=say, unusable=folder.database)
            with reader.database() as parent:
                start = RecordedStart(node, with_noted_modes(recorded, parent))
                forked = ForkedWorkflow(live, start)

                async def one(record: Instance) -> InstanceResult:
                    before = visits_before(node, parent.trajectory(record.id).visits)
                    assert before is not None, "only instances that reach the node are taken"
                    return await forked.run(record, before)

                numbers = {ident: number for number, ident in enumerate(reader.instances().ids())}
                records = (reader.instances().record(numbers[ident]) for ident in pending)
                agents = Agents(one, forked.aclose)
                counts = len(pending), len(ids)
                with rare_collections():
                    asyncio.run(work_through(records, agents, config.run.concurrency, folder.database, counts, advance))
        return _report(reader, folder, ids, len(pending), not_reached, with_history=order.instance is not None)


def _node(typed: str) -> Node:
    known = [node.value for node in Node if node not in (Node.GENERATE, Node.ANSWER, Node.JUDGE)]  # which are an evaluation's
    if typed not in known:
        raise ConfigError(f"there is no node {typed!r}", where="--from", remedy=did_you_mean(typed, known))
    return Node(typed)


def _config(reader: RunReader, order: ForkOrder) -> LoadedConfig:
    """The run's config with the models, the budget and the overrides that are the user's own."""
    if order.models_of is None:
        return load_config(reader.path / CONFIG, order.overrides)
    models, run = load_models(order.models_of)
    budget = "null" if run.budget_usd is None else f"{run.budget_usd:.12f}"
    say(f"models and budget are those of {order.models_of}; its agents play no part, --set agents.ROLE.model=NAME swaps one")
    return load_config(reader.path / CONFIG, [f"run.budget_usd={budget}", *order.overrides], models=models)


def _ask_for_trust(loaded: LoadedConfig, order: ForkOrder) -> None:
    """Passes if the user's own word stands behind every model that is asked over a network.

    A stranger's run could name a server of its own together with a variable that holds the user's key.

    Raises:
        ConfigError: a model comes from the run's config, and the user did not say that it may be asked.
    """
    config = loaded.config
    used = {chosen.model for chosen in role_configs(config.agents).values()}
    foreign = [name for name in sorted(used) if config.models[name].provider != LABEL and ("models", name) not in loaded.overridden]
    if order.models_of is not None or not foreign:
        return
    for name in foreign:
        model = config.models[name]
        variables = [*filter(None, [model.api_key_env]), *sorted(model.headers_env.values())]
        sent = f"sends what {', '.join(variables)} holds" if variables else "sends no key"
        say(f"models.{name}: {model.model} at {public_address(model.base_url)}, {sent}")
    if not order.trust_models:
        raise ConfigError(
            f"the fork would ask models that the run's own config names: {', '.join(foreign)}",
            where=str(loaded.file),
            remedy="Name your own with --config FILE, or say --trust-config if these are servers that may have your key.",
        )


def _instances(reader: RunReader, node: Node, instance: str | None) -> tuple[list[str], int]:
    """The finished instances to fork, sorted by id, and how many others never came to the node."""
    wanted = None if instance is None else reader.instance(instance).id
    with reader.database() as database:
        finished = sorted(database.finished())
        if wanted is not None and wanted not in finished:
            raise RunFolderError("the instance is not finished", where=f"{reader.path}, {wanted}", remedy="Continue the run first.")
        asked = finished if wanted is None else [wanted]
        ids = [ident for ident in asked if visits_before(node, database.trajectory(ident).visits) is not None]
    if wanted is not None and not ids:
        raise RunFolderError(f"the instance never came to {node.value}", where=f"{reader.path}, {wanted}", remedy="See `chronoqg show`.")
    if not ids:
        raise RunFolderError(f"no finished instance of the run ever came to {node.value}", where=str(reader.path))
    return ids, len(asked) - len(ids)


def _report(reader: RunReader, folder: ForkFolder, ids: Sequence[str], taken: int, not_reached: int, *, with_history: bool) -> ForkReport:
    database = folder.database
    changes, histories = [], []
    with reader.database() as parent:
        for ident in ids:
            before, after = parent.outcome(ident), database.outcome(ident)
            assert before is not None, "only finished instances are taken"
            assert after is not None, "the fork has gone through all of them"
            changes.append(Change(ident, before, after))
            if with_history:
                histories.append((ident, *describe_history(database.trajectory(ident))))
    return ForkReport(
        address=folder.address,
        folder=folder.path,
        changes=tuple(changes),
        taken=taken,
        not_reached=not_reached,
        usage=tuple(database.usage()),
        histories=tuple(histories),
    )


def _essence(outcome: InstanceOutcome) -> tuple[object, ...]:
    return outcome.status, outcome.reason, outcome.question


def _words(outcome: InstanceOutcome) -> str:
    return f"{outcome.status.value}: {outcome.reason.value}" if outcome.reason is not None else outcome.status.value
