"""An estimate as tables for a person and as JSON for a machine, with the same numbers in both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from agents.expected_calls import Amount, Expected, Stage
from agents.usual_tokens import FEWEST_TOKENS_BYTES, MOST_TOKENS_BYTES
from runs.json_lines import pretty_json
from state.config import Config, ModelConfig
from state.model_base import FORMAT_VERSION

CASES = ("least", "most", "bound")
_UNBOUNDED = "unbounded: no token_limit"


class Cost(NamedTuple):
    """US dollars; 0 for a model without a price."""

    least: Decimal = Decimal(0)
    most: Decimal = Decimal(0)
    bound: Decimal = Decimal(0)


@dataclass(frozen=True)
class EstimateRow:
    """One stage."""

    stage: Stage
    model: str
    """The model's name in the config."""
    by_rules: bool
    """Whether rules play the role: no tokens, no cost."""
    has_price: bool
    expected: Expected
    usd: Cost
    unbounded_by: str | None
    """The model whose missing token limit leaves the stage without a bound; `None`: it has one."""

    @property
    def is_unpriced(self) -> bool:
        """Whether it may cost what nobody knows."""
        return not self.by_rules and not self.has_price


@dataclass(frozen=True)
class EstimateReport:
    """What a build would still come to."""

    path: Path
    config: Config
    instances: int
    """Instances that a build would still take."""
    taken: int
    """These and the finished ones."""
    rows: tuple[EstimateRow, ...]
    cached_rewrites: int
    """Rewriter calls whose reply is in the cache."""
    usd_spent: float
    """What the run has paid already."""

    @property
    def totals(self) -> Expected:
        """The sum over the stages."""
        total = Expected()
        for row in self.rows:
            total = total.plus(row.expected)
        return total

    @property
    def usd(self) -> Cost:
        """The sum over the stages whose model has a price."""
        return Cost(*(sum((cost[place] for cost in (row.usd for row in self.rows)), Decimal(0)) for place in range(len(CASES))))

    @property
    def has_token_bound(self) -> bool:
        """Whether every reply of a model has a limit."""
        return all(row.unbounded_by is None for row in self.rows)

    @property
    def has_cost_bound(self) -> bool:
        """Whether what has a price has a bound."""
        return all(row.unbounded_by is None for row in self.rows if row.has_price)

    @property
    def has_rewriter_model(self) -> bool:
        """Whether the rewriter is a model, so that its requests may be in the cache."""
        return not self.rows[0].by_rules

    def within_budget(self) -> dict[str, bool] | None:
        """Whether each case lies within what is left of the budget; `None` without one."""
        if self.config.run.budget_usd is None:
            return None
        left = Decimal(str(self.config.run.budget_usd)) - Decimal(str(self.usd_spent))
        found = {case: cost <= left for case, cost in zip(CASES, self.usd, strict=True)}
        return found | {"bound": found["bound"] and self.has_cost_bound}

    def hours(self) -> dict[str, tuple[float, ...]]:
        """Model -> fewest hours of each case that its `rpm` and `tpm` allow; infinite where there is no bound."""
        found = {}
        for name, model in self._models().items():
            if model.rpm is not None or model.tpm is not None:
                rows = [row for row in self.rows if row.model == name]
                is_bounded = all(row.unbounded_by is None for row in rows)
                amounts = [[row.expected[place] for row in rows] for place in range(len(CASES))]
                hours = [_hours(model, amount) for amount in amounts]
                found[name] = tuple(hours if is_bounded or model.tpm is None else [*hours[:-1], math.inf])
        return found

    def lines(self) -> list[str]:
        """Two tables and what must be known to read them."""
        return [self._what(), "", *_table(self._calls_and_cost(), 3), "", *_table(self._tokens(), 1), "", *self._notes()]

    def as_json(self) -> bytes:
        """The same for a machine; an unknown number is null."""
        within, spoken = self.within_budget(), self.config.run.budget_usd
        data: dict[str, Any] = {
            "format": FORMAT_VERSION,
            "run": str(self.path),
            "instances": self.instances,
            "finished": self.taken - self.instances,
            "retries": self.config.agents.retries,
            "stages": [
                {
                    "stage": row.stage.name,
                    "role": row.stage.role.value,
                    "mode": row.stage.mode,
                    "model": row.model,
                    "by_rules": row.by_rules,
                    "has_price": row.has_price,
                    "unbounded_by": row.unbounded_by,
                    **_cases(row.expected, row.usd, row.unbounded_by is None, has_cost=not row.is_unpriced),
                }
                for row in self.rows
            ],
            "total": _cases(self.totals, self.usd, self.has_token_bound, has_cost_bound=self.has_cost_bound),
            "without_price": self._without_price(),
            "rewriter_calls_in_cache": self.cached_rewrites if self.has_rewriter_model else None,
            "usd_spent": self.usd_spent,
            "budget_usd": spoken,
            "within_budget": within,
            "hours": {
                name: dict(zip(CASES, (None if math.isinf(h) else h for h in hours), strict=True)) for name, hours in self.hours().items()
            },
            "bytes_per_token": {"least": FEWEST_TOKENS_BYTES, "most": MOST_TOKENS_BYTES, "bound": 1},
        }
        return pretty_json(data)

    def _what(self) -> str:
        finished = self.taken - self.instances
        return f"{self.instances} instances to take" + (f", {finished} of {self.taken} are finished" if finished else "")

    def _calls_and_cost(self) -> Iterator[tuple[str, ...]]:
        yield ("stage", "role", "model", "calls: least", "most", "bound", "USD: least", "most", "bound")
        for row in self.rows:
            calls = (f"{amount.calls:,}" for amount in row.expected)
            yield (row.stage.name, row.stage.role.value, row.model, *calls, *_money_of(row))
        totals = (f"{amount.calls:,}" for amount in self.totals)
        yield ("total", "", "", *totals, *_money(self.usd, is_bounded=self.has_cost_bound))

    def _tokens(self) -> Iterator[tuple[str, ...]]:
        yield ("stage", "prompt tokens: least", "most", "bound", "reply tokens: least", "most", "bound")
        for row in self.rows:
            yield (row.stage.name, *_token_cells(row.expected, is_bounded=row.unbounded_by is None))
        yield ("total", *_token_cells(self.totals, is_bounded=self.has_token_bound))

    def _notes(self) -> Iterator[str]:
        retries = self.config.agents.retries
        yield "least: every question passes at once. most: every instance takes the longest way, each reply usable at first."
        yield (
            f"bound: the longest way, each call asked again {retries} times, each reply as long as its limit (a cut-off one doubles it). "
            "Calls that a broken network loses are sent again and not counted here."
        )
        yield (
            f"Tokens are estimated from bytes: {FEWEST_TOKENS_BYTES:g} bytes a token in least, {MOST_TOKENS_BYTES:g} in most, 1 in bound. "
            "Reasoning tokens are in bound only."
        )
        if self.has_rewriter_model:
            yield f"already in the cache: {self.cached_rewrites} of {self.instances} rewriter calls (left out of least)"
        if all(row.by_rules for row in self.rows):
            yield "No model is called: offline-rules costs nothing."
        unpriced = self._without_price()
        if unpriced:
            yield f"no price, and so not in the total: {', '.join(unpriced)}"
        open_models = sorted({row.unbounded_by for row in self.rows if row.unbounded_by is not None})
        if open_models:
            yield f"no token_limit, and so no bound: {', '.join(open_models)}"
        within = self.within_budget()
        if within is not None:
            told = ", ".join(f"{case} {'within' if is_within else 'NOT within'}" for case, is_within in within.items())
            already = f", of which {self.usd_spent:.4f} USD are spent" if self.usd_spent else ""
            yield f"budget {self.config.run.budget_usd:g} USD{already}: {told}"
            if unpriced or open_models:
                yield "A build keeps a budget only if every model has a price and a token_limit."
        if undecided := [name for name, model in self._models().items() if model.structured_output == "auto"]:
            yield f"One small call more in a new run asks whether a schema is kept to (structured_output: auto): {', '.join(undecided)}"
        for name, hours in self.hours().items():
            model = self.config.models[name]
            rates = [f"{rate:,} {unit} a minute" for rate, unit in ((model.rpm, "requests"), (model.tpm, "tokens")) if rate is not None]
            told = ", ".join(f"{case} {'unbounded' if math.isinf(h) else f'{h:.2f} h'}" for case, h in zip(CASES, hours, strict=True))
            yield f"fewest hours for {name} at {' and '.join(rates)}: {told}"

    def _models(self) -> dict[str, ModelConfig]:
        return {name: self.config.models[name] for name in sorted({row.model for row in self.rows if not row.by_rules})}

    def _without_price(self) -> list[str]:
        return sorted({row.model for row in self.rows if row.is_unpriced})


def _hours(model: ModelConfig, amounts: Sequence[Amount]) -> float:
    calls, tokens = sum(amount.calls for amount in amounts), sum(amount.prompt + amount.reply for amount in amounts)
    by_calls = calls / model.rpm if model.rpm is not None else 0.0
    by_tokens = tokens / model.tpm if model.tpm is not None else 0.0
    return max(by_calls, by_tokens) / 60


def _cases(expected: Expected, usd: Cost, is_bounded: bool, *, has_cost: bool = True, has_cost_bound: bool | None = None) -> dict[str, Any]:
    cost_bounded = is_bounded if has_cost_bound is None else has_cost_bound
    return {
        case: {
            "calls": amount.calls,
            "prompt_tokens": amount.prompt if known else None,
            "reply_tokens": amount.reply if known else None,
            "usd": float(cost) if has_cost and (case != "bound" or cost_bounded) else None,
        }
        for case, amount, cost in zip(CASES, expected, usd, strict=True)
        for known in (case != "bound" or is_bounded,)
    }


def _money_of(row: EstimateRow) -> tuple[str, ...]:
    if row.by_rules:
        return ("rules: 0",) * len(CASES)
    if row.is_unpriced:
        return ("no price",) * len(CASES)
    return _money(row.usd, is_bounded=row.unbounded_by is None)


def _money(usd: Cost, *, is_bounded: bool) -> tuple[str, ...]:
    shown = tuple(f"{cost:,.4f}" for cost in usd)
    return shown if is_bounded else (*shown[:-1], _UNBOUNDED)


def _token_cells(expected: Expected, *, is_bounded: bool) -> Iterator[str]:
    for numbers in zip(*((amount.prompt, amount.reply) for amount in expected), strict=True):
        shown = [f"{number:,}" for number in numbers]
        yield from shown if is_bounded else [*shown[:-1], "unbounded"]


def _table(rows: Iterator[tuple[str, ...]], texts: int) -> list[str]:
    """Aligned columns; the first ones hold text, the rest numbers."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place < texts else cell.rjust(width) for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
