"""`chronoqg tdbench evaluate --dry-run`: what is left to ask, and what that costs at most; asks nobody, writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path

from agents.answering import MOST_TOKENS
from agents.call_bounds import call_cost_bound
from agents.response_cache import ResponseCache, request_key
from agents.rules import RULES
from agents.rules_backend import RulesSource
from evaluation.generators.estimate import EvaluationEstimate, RowEstimate
from evaluation.study.estimate import existing_cache
from evaluation.time_accuracy.asking import Item, answer_items, cell_backend, judge_request
from evaluation.time_accuracy.cells import Cell, judge_of
from evaluation.time_accuracy.folder import finished_in
from evaluation.time_accuracy.study import plan, replies_key
from runs.config_file import LoadedConfig
from state.tdbench_evaluation import AskedQuestion
from state.vocabulary import Role

_BYTES = 8
"""Bytes that a token of an answer is taken to have where a judge is shown an answer that nobody has given yet."""


def estimate_tables(path: Path, loaded: LoadedConfig, own_run: Path) -> EvaluationEstimate:
    """What `evaluate_tables` with the same arguments would still call and cost; no variable that holds a key need be set.

    Raises:
        ChronoQGError: config, questions, replies, cache or directory are not as they must be.
    """
    cells, judge, source, outside = plan(loaded, own_run)
    rows = []
    with ExitStack() as stack:
        cache = existing_cache(loaded.config, stack)
        rows += [_estimate(path, cell, answer_items(source.asked), cache, cell.name) for cell in cells]
        if judge is not None:
            for cell in cells:
                longest = "x" * _BYTES * (cell.model.token_limit or MOST_TOKENS[Role.ANSWERER])
                replies = dict.fromkeys((question.id for question in source.asked), longest)
                rows.append(_judging(path, judge_of(judge, cell.name, cell.folder), source.asked, replies, cache))
            for name, texts in outside.items():
                rows.append(_judging(path, judge_of(judge, name, replies_key(texts)), source.asked, texts, cache))
    return EvaluationEstimate(path, tuple(rows), loaded.config.run.budget_usd)


def _judging(
    path: Path, cell: Cell, questions: Sequence[AskedQuestion], replies: dict[str, str], cache: ResponseCache | None
) -> RowEstimate:
    items = [Item(one.id, judge_request(one, replies[one.id])) for one in questions if replies[one.id].strip()]
    return _estimate(path, cell, items, cache, f"judge of {cell.name}")


def _estimate(path: Path, cell: Cell, items: Sequence[Item], cache: ResponseCache | None, name: str) -> RowEstimate:
    done = finished_in(path, cell.folder)
    left = [item for item in items if item.id not in done]
    backend = cell_backend(cell, RulesSource(RULES))  # never asked: what is wanted are the requests
    requests = [backend.render(cell.role, item.request, None, ())[0] for item in left]
    known = {request_key(cell.role, backend.provider, request, 0) for request in requests}
    cached = 0 if cache is None else sum(cache.get(key) is not None for key in known)
    bounds = [call_cost_bound(request, cell.model) for request in requests]
    priced = [bound for bound in bounds if bound is not None]
    usd = sum(priced, Decimal(0)) if len(priced) == len(bounds) else None
    return RowEstimate(name, len(left), (len(left), len(left)), cached, usd)
