"""`chronoqg evaluate --dry-run`: what an evaluation would still call, and what that costs at most; asks nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from agents.backends import Exchange
from agents.call_bounds import call_cost_bound
from agents.generator import generator_backend
from agents.replies import RawReply
from agents.response_cache import ResponseCache
from baselines.method import Method
from baselines.writing import write_question
from evaluation.generators.asking import prepared
from evaluation.generators.cells import GeneratorCell, generator_cells
from evaluation.generators.datasets import Benchmark, all_datasets, read_benchmarks
from evaluation.pages.tables import Table, as_text
from evaluation.study.estimate import existing_cache, finished_in
from runs.config_file import LoadedConfig
from runs.json_lines import pretty_json
from runs.terminal import Advance
from state.instance import BenchmarkRecord
from state.model_base import FORMAT_VERSION

_STUB = "Question: which one is it?\nScore: 5"
"""Stands for every reply: a question, and the best mark of an editor, so that a method takes its shortest way."""


@dataclass(frozen=True)
class RowEstimate:
    """What one row still comes to."""

    name: str
    questions: int
    """Questions that are not written yet."""
    calls: tuple[int, int]
    """Least and most calls for them, retries aside."""
    cached: int
    """Of the least, those whose replies are in the cache."""
    usd: Decimal | None
    """US dollars that the calls left can cost at most if each is asked once; `None` without a price or a bound."""

    def as_row(self) -> tuple[str, ...]:
        """The estimate as cells of a table."""
        cost = "-" if self.usd is None else f"{self.usd:.4f}"
        return (self.name, str(self.questions), str(self.calls[0]), str(self.calls[1]), str(self.cached), cost)


@dataclass(frozen=True)
class EvaluationEstimate:
    """What an evaluation still comes to, row by row."""

    path: Path
    rows: tuple[RowEstimate, ...]
    budget_usd: float | None

    def lines(self) -> list[str]:
        """The estimate for a person."""
        header = ("row", "questions left", "calls, least", "calls, most", "of the least in the cache", "USD at most")
        lines = as_text(Table("estimate", "What is left to ask", header, tuple(row.as_row() for row in self.rows)))
        known = [row.usd for row in self.rows if row.usd is not None]
        if len(known) == len(self.rows):
            lines.append(f"all rows: at most {sum(known, Decimal(0)):.4f} USD")
        else:
            lines.append("a row without a price costs what nobody here knows: give models.NAME.price, 0 for a server of your own")
        lines.append("at most: a token a byte of each prompt, every reply as long as its limit, every way as long as it can be, no retries")
        if self.budget_usd is not None:
            lines.append(f"run.budget_usd stops the evaluation before {self.budget_usd:g} USD are exceeded, all rows together")
        return lines

    def as_json(self) -> bytes:
        """The estimate for a machine; an unknown cost is null."""
        rows = [
            {
                "name": row.name,
                "questions": row.questions,
                "calls": {"least": row.calls[0], "most": row.calls[1]},
                "cached": row.cached,
                "usd_at_most": None if row.usd is None else float(row.usd),
            }
            for row in self.rows
        ]
        return pretty_json({"format": FORMAT_VERSION, "evaluation": str(self.path), "rows": rows, "budget_usd": self.budget_usd})

    def talk(self) -> Iterator[str]:
        """The command that most likely comes next."""
        yield "next: the same command without --dry-run"


class _Counting:
    """Answers every request with the same words, and remembers the requests."""

    immediate = True

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    async def fetch(self, exchange: Exchange, well_formed: Callable[[RawReply], bool]) -> RawReply:
        """The stub."""
        self.exchanges.append(exchange)
        raw = RawReply(text=_STUB, finish_reason="stop")
        well_formed(raw)
        return raw

    async def aclose(self) -> None:
        """Nothing: there is no connection."""


def estimate_evaluation(path: Path, loaded: LoadedConfig, own_run: Path, advance: Advance | None = None) -> EvaluationEstimate:
    """What `evaluate` with the same arguments would still call and cost; no variable that holds a key need be set.

    Raises:
        ChronoQGError: config, runs, cache or directory are not as they must be.
    """
    benchmarks = read_benchmarks(loaded.config, own_run)
    records = [record for dataset in all_datasets(benchmarks, loaded.config.evaluate) for record in dataset.records]
    cells = generator_cells(loaded, benchmarks)
    rows = []
    with ExitStack() as stack:
        cache = existing_cache(loaded.config, stack)
        for number, cell in enumerate(cells, start=1):
            rows.append(_estimate(path, cell, benchmarks, records, cache))
            if advance is not None:
                advance("rows estimated", number, len(cells))
    return EvaluationEstimate(path, tuple(rows), loaded.config.run.budget_usd)


def _estimate(
    path: Path, cell: GeneratorCell, benchmarks: Sequence[Benchmark], records: Sequence[BenchmarkRecord], cache: ResponseCache | None
) -> RowEstimate:
    done = finished_in(path, cell.folder)
    left = [record for record in records if record.id not in done]
    if not isinstance(cell.method, Method) or cell.model_key is None:
        return RowEstimate(cell.name, len(left), (0, 0), 0, Decimal(0))
    model, counting, writes = cell.config.models[cell.model_key], _Counting(), prepared(cell, benchmarks)
    backend = generator_backend(cell.model_key, model, counting, cell.method_sha256)
    most = cell.method.calls[1]
    for record in left:
        asyncio.run(write_question(record, writes[record.dataset], backend, shows_path=cell.shows_path, retries=0, most_calls=most))
    least, longest = len(counting.exchanges), most * len(left)
    bounds = [call_cost_bound(exchange.request, model) for exchange in counting.exchanges]
    cached = 0 if cache is None else sum(cache.get(exchange.key) is not None for exchange in counting.exchanges)
    known = [bound for bound in bounds if bound is not None]
    # A longer way repeats stages, each about as dear as those seen.
    usd = sum(known, Decimal(0)) * longest / max(least, 1) if len(known) == len(bounds) else None
    return RowEstimate(cell.name, len(left), (least, longest), cached, usd)
