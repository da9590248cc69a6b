"""The ledger of a run: a hard budget that neither concurrency nor the death of the process can overshoot.

Before a call to a priced model goes out, the most that it can cost is committed to `run.sqlite`; when its
end is known, what it did cost takes that place. A call whose end nobody learned, because the process was
killed or the connection broke, counts as spent in full.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, Decimal

from agents.call_bounds import call_cost_bound, prompt_token_bound, reply_token_bound
from agents.ledger import Call
from runs.database import RunDatabase
from state.config import ModelConfig, Price
from state.errors import BudgetReached, ChronoQGError, ModelCallError
from state.trajectory import Usage

NANO = 1_000_000_000
"""Money is kept in whole billionths of a US dollar, so that sums are exact."""


class RunLedger:
    """Reservations and costs of one run, kept in its database; used within one event loop."""

    def __init__(
        self,
        database: RunDatabase,
        models: Mapping[str, ModelConfig],
        budget_usd: float | None,
        *,
        tell: Callable[[str], None] | None = None,
        spent_elsewhere: int = 0,
    ) -> None:
        """A ledger that begins with what the run has spent before.

        Args:
            database: the run's database.
            models: the entries of `models`, by name.
            budget_usd: the cap; `None` for none.
            tell: is shown a line on a server that uses more than it was allowed.
            spent_elsewhere: billionths of a US dollar that count towards the same cap and stand in other databases.
        """
        self._database = database
        self._models = models
        self._budget = None if budget_usd is None else _nano(Decimal(str(budget_usd)))
        self._spent = database.spent() + spent_elsewhere
        self._reserved: dict[int, tuple[Call, int]] = {}
        self._free = 0
        self._changed = asyncio.Event()
        self._stopped: ChronoQGError | None = None
        self._tell = tell or (lambda line: None)

    @property
    def spent_usd(self) -> float:
        """US dollars spent, calls whose end is not known counted in full."""
        return self._spent / NANO

    async def reserve(self, call: Call) -> int:
        """Commits the most that a call can cost; waits for calls in flight where only they stand in the way.

        Raises:
            BudgetReached: the call does not fit into what is left of the budget.
            ModelCallError: a server used more than its request allowed.
        """
        model = self._models[call.model]
        bound = call_cost_bound(call.request, model)
        most = 0 if bound is None else _nano(bound)
        while True:
            if self._stopped is not None:
                raise self._stopped
            if self._budget is None or self._spent + self._in_flight() + most <= self._budget:
                break
            if not self._reserved:
                self._stopped = self._reached(call, most)
                raise self._stopped
            self._changed.clear()
            await self._changed.wait()
        if model.price is None:  # nothing to reserve: noted once, when it has ended
            self._free -= 1
            ticket = self._free
        else:
            ticket = self._database.begin_call(call.instance_id, call.role, call.request.model, call.request_sha256, most)
        self._reserved[ticket] = (call, most)
        return ticket

    def settle(self, ticket: int, usage: Usage | None, *, charged: bool) -> float | None:
        """Commits how a call ended; what it is taken to have cost in US dollars, `None` without a price."""
        call, most = self._reserved.pop(ticket)
        model = self._models[call.model]
        spent = None
        if model.price is not None:
            spent = 0
            if charged:
                spent = most if usage is None else _nano(_cost(usage, model.price))
            self._spent += spent
        if ticket < 0:
            ticket = self._database.begin_call(call.instance_id, call.role, call.request.model, call.request_sha256, None)
        self._database.end_call(ticket, usage or Usage(), spent)
        self._changed.set()
        if usage is not None:
            self._hold_to_its_word(call, model, usage)
        return None if spent is None else spent / NANO

    def _in_flight(self) -> int:
        return sum(most for _, most in self._reserved.values())

    def _hold_to_its_word(self, call: Call, model: ModelConfig, usage: Usage) -> None:
        """A server that answers at greater length than it was told to makes every reservation worthless."""
        limit, prompt = reply_token_bound(call.request, model), prompt_token_bound(call.request)
        if limit is not None and usage.output > limit:
            what = f"a reply of {usage.output} tokens came back where {limit} were allowed"
        elif usage.input > prompt:
            what = f"{usage.input} prompt tokens were counted where the request holds {prompt} at most"
        else:
            return
        error = ModelCallError(
            what,
            where=f"models.{call.model}",
            remedy="No budget can be kept with such a server: set run.budget_usd to null, or name another model.",
        )
        if self._budget is not None and self._stopped is None:
            self._stopped = error
            self._tell(str(error))

    def _reached(self, call: Call, most: int) -> BudgetReached:
        assert self._budget is not None
        return BudgetReached(
            f"the budget of {self._budget / NANO:g} USD is reached: {self._spent / NANO:.4f} are spent, "
            f"and the {call.role}'s next call to {call.model} may cost {most / NANO:.4f}",
            where="run.budget_usd",
            remedy="What is finished is kept; raise the budget and run the same command to go on.",
        )


def _cost(usage: Usage, price: Price) -> Decimal:
    """US dollars for one reply, exact: a float rounded up could exceed what was reserved by a billionth."""
    dear, output = Decimal(str(price.input)), Decimal(str(price.output))
    cached = dear if price.cached_input is None else Decimal(str(price.cached_input))
    return ((usage.input - usage.cached_input) * dear + usage.cached_input * cached + usage.output * output) / 1_000_000


def _nano(usd: Decimal) -> int:
    return int((usd * NANO).to_integral_value(ROUND_CEILING))
