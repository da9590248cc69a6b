"""`estimate`: what a build would still call and cost, before anything is paid; writes nothing and asks nobody."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from agents.call_bounds import token_cost
from agents.expected_calls import Amount, CallPlan, Expected
from agents.response_cache import ResponseCache
from agents.rules_backend import RulesSource
from agents.setup import build_crew, role_configs, table_of
from graph_sampler.load import load_graph
from graph_sampler.sampler import sample_traces
from runs.building import with_prompts_of
from runs.config_file import LoadedConfig
from runs.config_identity import first_difference, identity
from runs.estimate_report import Cost, EstimateReport, EstimateRow
from runs.kinds import kind_of
from runs.manifest import config_sha256
from runs.run_folder import LOCK, MANIFEST, RunReader, spent
from runs.sampling import describe_graph
from runs.terminal import Advance, progress, say
from state.any_instance import Instance, Origin
from state.config import Config, ModelConfig
from state.errors import ConfigError, RunFolderError
from state.instance import BenchmarkRecord
from state.vocabulary import Node, Status


class _Work(NamedTuple):
    """The instances that a build would take."""

    records: Iterator[Instance]
    left: int
    """How many those are."""
    taken: int
    """How many with those that are finished."""
    usd_spent: float
    """What the run has paid already."""


Sample = Callable[[Config, Advance], Sequence[Instance]]
"""Config -> the instances of a run that has not begun, sorted by id; is told to whom to say how far it is."""


def estimate_run(path: Path, loaded: LoadedConfig, *, retry_failed: bool = False) -> EstimateReport:
    """What `build_run` with the same arguments would call and cost from here on.

    The traces are those of the run directory; where there is none yet they are sampled in memory. No
    variable that holds a key need be set. Cost: some milliseconds an instance.

    Raises:
        ChronoQGError: config, prompts, graph, cache or directory are not as they must be for a build.
    """
    return estimate(path, loaded, "graph", _sampled, retry_failed=retry_failed)


def estimate(path: Path, loaded: LoadedConfig, origin: Origin, sample: Sample, *, retry_failed: bool = False) -> EstimateReport:
    """What a build would call and cost from here on, whatever its instances are made of.

    Args:
        path: its run directory.
        loaded: its config.
        origin: what its instances are made of.
        sample: makes them where there is no run yet.
        retry_failed: whether failed instances are redone.

    Raises:
        ChronoQGError: something is not as it must be for a build.
    """
    config = loaded.config
    reader = _run_of(path, config, origin)
    if reader is not None and reader.manifest.prompts is not None:
        reader.check_prompts()
        config = with_prompts_of(reader, config)
    # The source is never asked: what is wanted of the crew are the requests.
    crew = build_crew(config, lambda name, model: RulesSource({}), kind_of(origin))
    chosen = role_configs(config.agents)
    plan = CallPlan(crew, table_of(config), {role: config.models[its.model] for role, its in chosen.items()})
    with progress() as advance, _is_cached(config, plan) as is_cached:
        work = _not_begun(config, sample, advance) if reader is None else _left_in(reader, config, retry_failed=retry_failed)
        totals, cached = _add_up(plan, work, is_cached, advance)
    unbounded = {stage: chosen[role].model for stage, role in plan.unbounded().items()}
    rows = tuple(
        EstimateRow(
            stage=stage,
            model=chosen[stage.role].model,
            by_rules=plan.is_by_rules(stage.role),
            has_price=config.models[chosen[stage.role].model].price is not None,
            expected=expected,
            usd=_cost(expected, config.models[chosen[stage.role].model]),
            unbounded_by=unbounded.get(stage),
        )
        for stage, expected in zip(plan.stages, totals, strict=True)
    )
    return EstimateReport(
        path=path, config=config, instances=work.left, taken=work.taken, rows=rows, cached_rewrites=cached, usd_spent=work.usd_spent
    )


def _add_up(plan: CallPlan, work: _Work, is_cached: Callable[[Instance], bool], advance: Advance) -> tuple[list[Expected], int]:
    """The sum for every stage, and the number of rewriter calls that the cache will answer; `least` goes without those."""
    totals = [Expected() for _ in plan.stages]
    rewrites = [stage.node is Node.REWRITE for stage in plan.stages]
    cached = 0
    for number, record in enumerate(work.records, start=1):
        is_paid = not is_cached(record)
        cached += not is_paid
        for place, (expected, is_rewrite) in enumerate(zip(plan.expect(record), rewrites, strict=True)):
            needed = expected if is_paid or not is_rewrite else expected._replace(least=Amount())
            totals[place] = totals[place].plus(needed)
        advance("instances estimated", number, work.left)
    return totals, cached


def _cost(expected: Expected, model: ModelConfig) -> Cost:
    return Cost(*(token_cost(amount.prompt, amount.reply, model) for amount in expected))


@contextlib.contextmanager
def _is_cached(config: Config, plan: CallPlan) -> Iterator[Callable[[Instance], bool]]:
    """Whether the cache holds a reply to an instance's first request; a cache that is not there is not made."""
    folder = Path(config.cache.path)
    if plan.is_by_rules(plan.stages[0].role) or not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        yield lambda record: False
        return
    cache = ResponseCache(folder)
    try:
        yield lambda record: cache.get(plan.first_keys(record)[0]) is not None
    finally:
        cache.close()


def _sampled(config: Config, advance: Advance) -> list[BenchmarkRecord]:
    """The traces of a run over a graph that has not begun."""
    graph, report = load_graph(config.graph)
    for line in describe_graph(report):
        say(line)
    return [BenchmarkRecord.model_validate_json(line) for line in sample_traces(graph, config, progress=advance).lines[: config.run.limit]]


def _not_begun(config: Config, sample: Sample, advance: Advance) -> _Work:
    instances = sample(config, advance)[: config.run.limit]
    return _Work(iter(instances), len(instances), len(instances), 0.0)


def _left_in(reader: RunReader, config: Config, *, retry_failed: bool) -> _Work:
    """The traces of a run that has, without the finished ones."""
    count, limit = reader.manifest.traces.count, config.run.limit
    taken = count if limit is None else max(min(limit, count), reader.manifest.taken)
    done: set[str] = set()
    usd_spent = 0.0
    if reader.has_agents:
        with reader.database() as database:
            done = {ident for ident, status in database.finished().items() if not (retry_failed and status is Status.FAILED)}
            usd_spent = spent(database.usage())
    ids: Iterable[str] = islice(reader.instances().ids(), taken)
    left = sum(ident not in done for ident in ids)
    return _Work((record for record in islice(reader.instances().records(), taken) if record.id not in done), left, taken, usd_spent)


def _run_of(path: Path, config: Config, origin: Origin) -> RunReader | None:
    """The run that a build would go on with; refuses what a build would refuse, but claims nothing."""
    if path.exists() and not path.is_dir():
        raise RunFolderError("the run directory cannot be written: it is a file", where=str(path), remedy="Choose another --out.")
    names = {entry.name for entry in path.iterdir()} if path.exists() else set()
    if MANIFEST not in names:
        if names and LOCK not in names:
            raise RunFolderError("the directory is not empty and not a run directory", where=str(path), remedy="Choose another --out.")
        return None
    reader = RunReader(path)
    if reader.manifest.origin != origin or reader.manifest.config_sha256 != config_sha256(config, origin):
        key = None
        with contextlib.suppress(ConfigError):
            key = first_difference(identity(config, origin), identity(reader.config().config, origin))
        raise RunFolderError(
            f"the run directory belongs to another config{f' ({key} differs)' if key else ''}",
            where=str(path),
            remedy="Choose another --out, or delete the directory.",
        )
    return reader
