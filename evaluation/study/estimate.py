"""`chronoqg study … --dry-run`: what a study would still ask and what that may cost; writes nothing and asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from agents.call_bounds import token_cost
from agents.expected_calls import Amount, CallPlan, Expected
from agents.response_cache import ResponseCache
from agents.rules_backend import RulesSource
from agents.setup import build_crew, role_configs, table_of
from agents.transitions import VERIFICATION
from evaluation.pages.tables import Table, as_text
from evaluation.study.cells import Cell
from evaluation.study.folder import Asked
from runs.forks import FORK, ForkReader, fork_folder
from runs.json_lines import pretty_json
from runs.run_folder import MANIFEST, RunReader
from runs.terminal import Advance
from state.config import Config, ModelConfig
from state.instance import BenchmarkRecord
from state.model_base import FORMAT_VERSION
from state.vocabulary import Node, Role

CASES = ("least", "most", "bound")


@dataclass(frozen=True)
class CellEstimate:
    """What one cell still comes to."""

    name: str
    questions: int
    """Instances that it has not finished."""
    cached: int
    """Of these, the ones whose first calls are all in the cache, or will be when an earlier cell has asked them."""
    calls: tuple[int, int, int]
    """Calls that are left in each case; the cached ones count in `bound` alone."""
    usd: tuple[Decimal, Decimal, Decimal] | None
    """US dollars in each case; `None`: a model has no price."""
    is_bounded: bool
    """Whether every reply of a model has a limit."""

    def as_row(self) -> tuple[str, ...]:
        """The estimate as cells of a table."""
        costs = ("-",) * 3 if self.usd is None else tuple(f"{cost:.4f}" for cost in self.usd)
        if not self.is_bounded:
            costs = (*costs[:2], "no token_limit")
        return (self.name, str(self.questions), str(self.cached), *map(str, self.calls), *costs)


@dataclass(frozen=True)
class StudyEstimate:
    """What a study still comes to, cell by cell."""

    path: Path
    questions: int
    """Instances that each cell is asked."""
    cells: tuple[CellEstimate, ...]
    budget_usd: float | None

    def lines(self) -> list[str]:
        """The estimate for a person."""
        header = ("cell", "questions left", "in the cache", *(f"calls, {case}" for case in CASES), *(f"USD, {case}" for case in CASES))
        table = Table("estimate", "What is left to ask", header, tuple(cell.as_row() for cell in self.cells))
        lines = [f"{self.questions} questions for each cell", *as_text(table)]
        priced = [cell.usd for cell in self.cells if cell.usd is not None]
        if len(priced) == len(self.cells):
            least, most, bound = (sum(costs, Decimal(0)) for costs in zip(*priced, strict=True))
            lines += ["", f"all cells: {least:.4f} to {most:.4f} USD, never above {bound:.4f} where every reply has a limit"]
        else:
            lines += ["", "a cell without a price costs what nobody here knows: give models.NAME.price, 0 for a server of your own"]
        lines.append("least and most: each reply is usable at once; tokens, and the way through the agents, are as few or as many as usual")
        lines.append("bound: nothing is in the cache, every call is asked again to the end, and every reply is as long as its limit")
        if self.budget_usd is not None:
            cap = f"run.budget_usd stops the study before {self.budget_usd:g} USD are exceeded, all cells together"
            lines.append(f"{cap}; {_fits(priced, self.budget_usd)}" if len(priced) == len(self.cells) else cap)
        return lines

    def talk(self) -> Iterator[str]:
        """The command that most likely comes next."""
        yield "next: the same command without --dry-run"

    def as_json(self) -> bytes:
        """The estimate for a machine; an unknown number is null."""
        cells: list[dict[str, Any]] = [
            {
                "name": cell.name,
                "questions": cell.questions,
                "cached": cell.cached,
                "calls": dict(zip(CASES, cell.calls, strict=True)),
                "usd": None if cell.usd is None else {case: float(cost) for case, cost in zip(CASES, cell.usd, strict=True)},
                "is_bounded": cell.is_bounded,
            }
            for cell in self.cells
        ]
        data = {
            "format": FORMAT_VERSION,
            "study": str(self.path),
            "questions": self.questions,
            "cells": cells,
            "budget_usd": self.budget_usd,
        }
        return pretty_json(data)


def _fits(priced: Sequence[tuple[Decimal, Decimal, Decimal]], budget_usd: float) -> str:
    sums = [sum(costs, Decimal(0)) for costs in zip(*priced, strict=True)]
    return ", ".join(
        f"{case} {'within' if cost <= Decimal(str(budget_usd)) else 'NOT within'}" for case, cost in zip(CASES, sums, strict=True)
    )


def estimate_study(path: Path, cells: Sequence[Cell], make: Callable[[], Asked], advance: Advance | None = None) -> StudyEstimate:
    """What the cells of a study would still call and cost; the records are those of its directory, or made in memory.

    No variable that holds a key need be set. Cost: some milliseconds for each record and cell.

    Raises:
        ChronoQGError: config, prompts, graph, cache or directory are not as they must be.
    """
    records = list(RunReader(path).traces()) if (path / MANIFEST).exists() else list(make().records)
    found = []
    asked_before: set[str] = set()
    for number, cell in enumerate(cells, start=1):
        found.append(_estimate(path, cell, records, asked_before))
        if advance is not None:
            advance("cells estimated", number, len(cells))
    return StudyEstimate(path, len(records), tuple(found), cells[0].config.run.budget_usd)


def _estimate(path: Path, cell: Cell, records: Iterable[BenchmarkRecord], asked_before: set[str]) -> CellEstimate:
    """What one cell comes to, after the cells whose first requests are in `asked_before`; its own are added."""
    config = cell.config
    models = {role: config.models[chosen.model] for role, chosen in role_configs(config.agents).items()}
    table = VERIFICATION if cell.node is Node.VERIFY else table_of(config)
    # The sources are never asked: what is wanted of the crew are the requests.
    plan = CallPlan(build_crew(config, lambda name, model: RulesSource({})), table, models)
    done = finished_in(path, cell.folder)
    totals = [Expected() for _ in plan.stages]
    questions = cached = 0
    with ExitStack() as stack:
        cache = existing_cache(config, stack)
        for record in records:
            if record.id in done:
                continue
            questions += 1
            keys = plan.first_keys(record)
            has = [key in asked_before or (cache is not None and cache.get(key) is not None) for key in keys]
            asked_before.update(keys)
            cached += all(has)
            for place, (stage, expected) in enumerate(zip(plan.stages, plan.expect(record), strict=True)):
                if stage in plan.first_stages and has[plan.first_stages.index(stage)]:
                    expected = expected._replace(least=Amount(), most=Amount())
                totals[place] = totals[place].plus(expected)
    asked = [(stage, total) for stage, total in zip(plan.stages, totals, strict=True) if not plan.is_by_rules(stage.role)]
    has_price = all(models[stage.role].price is not None for stage, _ in asked)
    return CellEstimate(
        name=cell.name,
        questions=questions,
        cached=cached,
        calls=_sum_calls(total for _, total in asked),
        usd=_sum_costs(asked, models) if has_price else None,
        is_bounded=not plan.unbounded(),
    )


def finished_in(path: Path, fork: str) -> set[str]:
    """Ids of the instances that a fork of a study's directory has finished; none if it was never begun."""
    if not (fork_folder(path, fork) / FORK).exists():
        return set()
    reader = ForkReader(path, fork)
    if not reader.has_agents:
        return set()
    with reader.database() as database:
        return set(database.finished())


def existing_cache(config: Config, stack: ExitStack) -> ResponseCache | None:
    """The cache, unless there is none: an estimate makes no folder."""
    folder = Path(config.cache.path)
    if not folder.is_dir() or not any(folder.iterdir()):
        return None
    cache = ResponseCache(folder)
    stack.callback(cache.close)
    return cache


def _sum_calls(totals: Iterable[Expected]) -> tuple[int, int, int]:
    least = most = bound = 0
    for total in totals:
        least, most, bound = least + total.least.calls, most + total.most.calls, bound + total.bound.calls
    return least, most, bound


def _sum_costs(asked: Sequence[tuple[Any, Expected]], models: dict[Role, ModelConfig]) -> tuple[Decimal, Decimal, Decimal]:
    sums = [Decimal(0)] * 3
    for stage, total in asked:
        for place, amount in enumerate(total):
            sums[place] += token_cost(amount.prompt, amount.reply, models[stage.role])
    return sums[0], sums[1], sums[2]
