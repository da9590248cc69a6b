"""`build`: sample if need be, then every instance through the agents, in a directory of the run's own."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

import prompts
from agents.instance_kind import InstanceKind
from agents.kinds import GRAPH
from agents.response_cache import ResponseCache
from agents.rules_backend import LABEL
from agents.setup import build_workflow, check_crew, role_configs
from agents.workflow import InstanceResult, Workflow, run_instance
from runs.config_file import LoadedConfig, check_environment
from runs.database import UsageRow
from runs.engine import Agents, is_finished, number_to_take, run_pending
from runs.executors import AgentSetup, Executor
from runs.kinds import kind_of
from runs.ledger import RunLedger
from runs.manifest import Counts
from runs.rare_collections import rare_collections
from runs.run_folder import COVERAGE, RunFolder, RunReader, spent
from runs.run_models import find_modes
from runs.sampling import Note, sample_into
from runs.terminal import Advance, progress, say
from state.any_instance import Instance
from state.config import Config, PromptsConfig
from state.errors import ChronoQGError
from state.model_base import FORMAT_VERSION

MakeTraces = Callable[[RunFolder, Note, Advance], object]
"""Stores the traces of a run that has none; is told how to talk and to whom to say how far it is."""


@dataclass(frozen=True)
class BuildReport:
    """What a build came to."""

    path: Path
    taken: int
    """Number of traces, in id order, that were taken."""
    sampled: int
    """Number of traces that there are."""
    counts: Counts
    usage: tuple[UsageRow, ...]
    written: tuple[Path, ...]
    """The files written now; none if the run was finished before."""
    an_id: str | None
    """An accepted instance, to try the next command on."""
    target: int | None = None
    """Number of traces that were aimed at; `None` of questions about tables."""

    def lines(self) -> list[str]:
        """The summary for a person."""
        counts = self.counts
        lines = [f"accepted   {counts.accepted} of {self.taken}", f"discarded  {sum(counts.discarded.values())}"]
        lines += [f"  {count:>7}  {reason}" for reason, count in counts.discarded.items()]
        lines.append(f"failed     {counts.failed}")
        calls, cached = (sum(getattr(row, name) for row in self.usage) for name in ("calls", "cached_calls"))
        lines.append(f"spent      {spent(self.usage):.4f} USD in {calls} calls, {cached} of them from the cache")
        return [*lines, *usage_lines(self.usage)]

    def as_data(self) -> dict[str, Any]:
        """The summary as JSON data."""
        return {
            "format": FORMAT_VERSION,
            "run": str(self.path),
            "sampled": self.sampled,
            **({} if self.target is None else {"target": self.target}),
            "taken": self.taken,
            **self.counts.model_dump(),
            "usd_paid": spent(self.usage),
            "usage": [row.model_dump() for row in self.usage],
        }

    def as_json(self) -> bytes:
        """The summary for a machine."""
        return orjson.dumps(self.as_data(), option=orjson.OPT_INDENT_2) + b"\n"

    def talk(self) -> Iterator[str]:
        """What was written, and the command that most likely comes next."""
        if self.written:
            yield f"wrote {', '.join(map(str, self.written))}"
        else:
            yield f"{self.path} was finished before; nothing to do"
        if self.target is not None and self.sampled < self.target:
            yield f"note: {self.sampled} of {self.target} traces were found; {self.path / COVERAGE} says what is short"
        if self.counts.failed:
            # Not the stored config: an address is kept there without its user, password and query.
            yield "next: the same command with --retry-failed"
        elif self.an_id is not None:
            yield f"next: chronoqg show {self.path} {self.an_id}"
        else:
            yield f"next: chronoqg check {self.path}"


def usage_lines(rows: Sequence[UsageRow]) -> Iterator[str]:
    """A table of what each role spent on each model, paid and cached apart; nothing if no server was asked."""
    rows = [row for row in rows if row.model != LABEL]
    if not rows:
        return
    yield ""
    yield f"{'role':<16}{'model':<24}{'calls':>8}{'cached':>8}{'tokens in':>12}{'out':>10}{'USD paid':>12}{'saved':>12}"
    for row in rows:
        counts = f"{row.calls:>8}{row.cached_calls:>8}{row.input:>12}{row.output:>10}{row.usd_paid:>12.4f}{row.usd_saved:>12.4f}"
        yield f"{row.role:<16}{row.model:<24}{counts}"
    if unknown := sum(row.open_calls for row in rows):
        yield f"{unknown} calls were cut off before their end was known; they count with the most that they can have cost"


def build_run(path: Path, loaded: LoadedConfig, *, retry_failed: bool = False, executor: Executor | None = None) -> BuildReport:
    """Makes or continues a run; everything that the user may have got wrong is looked at first.

    Args:
        path: the run directory.
        loaded: the config.
        retry_failed: redo the instances that failed.
        executor: where sampler and agents work; `None` for this machine.

    Raises:
        ChronoQGError: config, graph, directory, cache or server is not as it must be.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    check_environment(loaded)
    with RunFolder(path, loaded) as folder, open_cache(loaded.config) as cache:
        make = partial(sample_into, executor=executor)
        return build_in(folder, cache, make, retry_failed=retry_failed, executor=executor)


def build_in(
    folder: RunFolder, cache: ResponseCache | None, make: MakeTraces, *, retry_failed: bool = False, executor: Executor | None = None
) -> BuildReport:
    """Makes or continues the run of a directory that this process owns.

    Args:
        folder: the directory.
        cache: replies that were paid for; `None` if no server is asked.
        make: stores the traces of a run that has none yet.
        retry_failed: redo the instances that failed.
        executor: where the agents work; `None` for this process.

    Raises:
        ChronoQGError: config, source, cache or server is not as it must be.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    check_crew(_with_prompts(folder), kind_of(folder.origin))
    with progress() as advance:
        if folder.reader is None:
            make(folder, say, advance)
        folder.store_prompts(prompt_files(folder.config, kind_of(folder.origin)))
        written: list[Path] = []
        if not is_finished(folder, retry_failed=retry_failed):
            try:
                agents = _agents(folder, cache, executor, retry_failed=retry_failed)
                with rare_collections():
                    written = run_pending(folder, agents, retry_failed=retry_failed, advance=advance)
            except (KeyboardInterrupt, ChronoQGError):
                done, paid = len(folder.database.finished()), spent(folder.database.usage())
                say(f"{done} of {max(done, number_to_take(folder))} instances are done, {paid:.4f} USD spent")
                raise
    return _report(folder, written)


def _agents(folder: RunFolder, cache: ResponseCache | None, executor: Executor | None, *, retry_failed: bool) -> Agents:
    """The agents of a run that this process owns, within the run's budget."""
    database, config = folder.database, _with_prompts(folder)
    ledger = RunLedger(database, config.models, config.run.budget_usd, tell=say)
    config = asyncio.run(find_modes(config, database, ledger, say))
    workflow = build_workflow(
        config,
        kind=kind_of(folder.origin),
        environ=os.environ,
        cache=cache,
        asks_anew=retry_failed,
        ledger=ledger,
        tell=say,
        unusable=database,
    )
    return agents_of(workflow) if executor is None else executor.agents(workflow, AgentSetup(config, folder.origin))


def prompt_files(config: Config, kind: InstanceKind = GRAPH) -> dict[str, bytes]:
    """`<role>/<version>` -> bytes of every prompt file that a language model of the setup is given."""
    files = {}
    for role, chosen in role_configs(config.agents).items():
        if role in kind.prompt_folders and config.models[chosen.model].provider != LABEL:
            name = f"{kind.prompt_folders[role]}/{chosen.prompt}"
            files[name] = (prompt_folder(config) / f"{name}.md").read_bytes()
    return files


def prompt_folder(config: Config) -> Path:
    """Where a config reads its prompts."""
    return prompts.FOLDER if config.prompts.path is None else Path(config.prompts.path)


def with_prompts_of(reader: RunReader, config: Config) -> Config:
    """The config with the run's own prompt files in place of those that it names."""
    return config.model_copy(update={"prompts": PromptsConfig(path=str(reader.prompts_path))})


def _with_prompts(folder: RunFolder) -> Config:
    """The config with the prompts to use: a run that has its own copies goes on with them."""
    reader = folder.reader
    if reader is None or reader.manifest.prompts is None:
        return folder.config
    reader.check_prompts()
    with contextlib.suppress(OSError):
        now = prompt_files(folder.config, kind_of(folder.origin))
        if any((reader.prompts_path / f"{name}.md").read_bytes() != content for name, content in now.items()):
            say("note: a prompt was changed since this run began; the run goes on with its own copy")
    return with_prompts_of(reader, folder.config)


@contextlib.contextmanager
def open_cache(config: Config) -> Iterator[ResponseCache | None]:
    """The cache, if any role needs a server."""
    if all(config.models[chosen.model].provider == LABEL for chosen in role_configs(config.agents).values()):
        yield None
        return
    cache = ResponseCache(Path(config.cache.path))
    try:
        yield cache
    finally:
        cache.close()


def agents_of(workflow: Workflow) -> Agents:
    """What the engine is given of a workflow."""

    async def one(record: Instance) -> InstanceResult:
        return await run_instance(record, workflow)

    return Agents(one, workflow.aclose)


def _report(folder: RunFolder, written: list[Path]) -> BuildReport:
    manifest, reader = folder.manifest, folder.reader
    assert manifest.counts is not None, "the final files are written"
    assert reader is not None, "the traces are written"
    return BuildReport(
        path=folder.path,
        taken=manifest.taken,
        sampled=manifest.traces.count,
        counts=manifest.counts,
        usage=tuple(folder.database.usage()),
        written=tuple(written),
        an_id=reader.first_accepted(),
        target=folder.config.sampler.target if folder.origin == "graph" else None,
    )
