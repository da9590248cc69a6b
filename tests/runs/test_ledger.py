"""Laws of the ledger: whatever the order of calls, no more is spent than the budget, and nothing is forgotten."""

from __future__ import annotations

import asyncio
import math
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.ledger import Call
from runs.database import RunDatabase
from runs.ledger import RunLedger
from state.config import ModelConfig, Price
from state.errors import BudgetReached, ModelCallError
from state.trajectory import Request, Usage

NANO = 10**9
QUIET = 200
"""Rounds of the event loop after which nothing moves any more: no task here waits for anything but others."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class Plan:
    """One call, and what becomes of it."""

    text: str
    limit: int
    begins: int
    """Rounds of the event loop before it asks for its reservation."""
    lasts: int
    """Rounds between reservation and end."""
    ends: bool
    """Whether its end is ever known; else the process dies first."""
    charged: bool
    usage: Usage | None
    """What the server reports, within what the request allows; `None` if it reports nothing."""

    def call(self, number: int, model: str = "dear") -> Call:
        messages = ({"role": "user", "content": self.text},)
        params = {"max_completion_tokens": self.limit}
        request = Request(messages=messages, schema=None, model="gpt-test", base_url="http://h/v1", params_sent=params)
        return Call(f"i-{number}", "verifier", model, request, f"{number}")


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    text, limit = "x" * draw(st.integers(0, 300)), draw(st.integers(0, 400))
    # One token a byte is the most that any tokenizer makes of a text, so these are within every bound.
    read = draw(st.integers(0, len(text)))
    usage = Usage(input=read, cached_input=draw(st.integers(0, read)), output=draw(st.integers(0, limit)))
    return Plan(
        text, limit, draw(st.integers(0, 4)), draw(st.integers(0, 6)), draw(st.integers(0, 9)) > 0, draw(st.integers(0, 5)) > 0,
        draw(st.sampled_from([usage, usage, usage, None])),
    )  # fmt: skip


def usd(low: int, high: int) -> st.SearchStrategy[float]:
    """Decimals of at most four places, as price lists give them."""
    return st.integers(low, high).map(lambda number: number / 10_000)


prices = st.builds(Price, input=usd(0, 40_000), cached_input=st.none() | usd(0, 50_000), output=usd(0, 90_000))
budgets = st.none() | st.integers(1, 30_000).map(lambda number: number / 1_000_000)


def exact(usage: Usage, price: Price) -> int:
    """Billionths of a US dollar, rounded up once."""
    cached = price.input if price.cached_input is None else price.cached_input
    amounts = ((usage.input - usage.cached_input, price.input), (usage.cached_input, cached), (usage.output, price.output))
    return math.ceil(sum(count * Fraction(str(price)) for count, price in amounts) / 10**6 * NANO)


def reservation(plan: Plan, price: Price) -> int:
    """The most that its request, of one message, allows: a token a byte, 64 around a message, and the limit."""
    params = len(f'{{"max_completion_tokens": {plan.limit}}}')
    dearer = max(Fraction(str(price.input)), Fraction(str(price.cached_input or 0)))
    return math.ceil(((len(plan.text) + params + 64) * dearer + plan.limit * Fraction(str(price.output))) / 10**6 * NANO)


@dataclass
class Account:
    """What the ledger must come to, kept apart from it."""

    budget: int | None
    spent: int = 0
    held: dict[int, int] = field(default_factory=dict)
    waiting: dict[int, int] = field(default_factory=dict)
    refused: list[int] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.spent + sum(self.held.values())

    def check(self, database: RunDatabase) -> None:
        assert database.spent() == self.total
        assert self.budget is None or self.total <= self.budget


async def work_through(account: Account, ledger: RunLedger, database: RunDatabase, calls: list[Plan], price: Price) -> None:
    """One session of a run: all calls at once, until nothing moves any more; then the process dies."""

    async def one(number: int, plan: Plan) -> None:
        most = reservation(plan, price)
        for _ in range(plan.begins):
            await asyncio.sleep(0)
        account.waiting[number] = most
        try:
            ticket = await ledger.reserve(plan.call(number))
        except BudgetReached:
            assert account.budget is not None
            if not account.refused:
                assert not account.held, "a call in flight might have made room"
                assert account.total + most > account.budget
            account.refused.append(account.waiting.pop(number))
            return
        account.held[number] = account.waiting.pop(number)
        account.check(database)
        for _ in range(plan.lasts):
            await asyncio.sleep(0)
        if not plan.ends:
            return
        paid = ledger.settle(ticket, plan.usage, charged=plan.charged)
        reserved = account.held.pop(number)
        spent = 0 if not plan.charged else reserved if plan.usage is None else exact(plan.usage, price)
        assert spent <= reserved
        assert paid == spent / NANO
        account.spent += spent
        account.check(database)

    tasks = [asyncio.create_task(one(number, plan)) for number, plan in enumerate(calls)]
    for _ in range(QUIET):
        await asyncio.sleep(0)
    for task in tasks:
        if task.done():
            task.result()
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if account.waiting:
        assert account.budget is not None
        assert account.held, "a call waits although nothing in flight could make room"
        assert not account.refused
        assert all(account.total + most > account.budget for most in account.waiting.values())


@contextmanager
def new_file() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "run.sqlite"


@contextmanager
def opened(path: Path) -> Iterator[RunDatabase]:
    database = RunDatabase(path, writable=True)
    try:
        yield database
    finally:
        database.close()


@settings(max_examples=30)
@given(st.lists(plans(), max_size=9), st.lists(plans(), max_size=5), prices, budgets)
def test_no_order_of_calls_and_no_death_overshoots_the_budget(
    first: list[Plan], second: list[Plan], price: Price, budget: float | None
) -> None:
    models = {"dear": ModelConfig(provider="openai", model="gpt-test", price=price)}
    account = Account(None if budget is None else int(Fraction(str(budget)) * NANO))
    with new_file() as path:
        for calls in (first, second):
            with opened(path) as database:
                asyncio.run(work_through(account, RunLedger(database, models, budget), database, calls, price))
            account = Account(account.budget, account.total)  # nobody knows any more how the calls in flight ended
            with opened(path) as database:
                account.check(database)
                assert RunLedger(database, models, budget).spent_usd == account.spent / NANO
                assert sum(row.usd_paid for row in database.usage()) == pytest.approx(account.spent / NANO)


CALL = Plan("x" * 100, 50, 0, 0, True, True, Usage(input=100, output=50))
ONE = ModelConfig(provider="openai", model="gpt-test", price=Price(input=1, output=1))
FREE = ModelConfig(provider="openai", model="gpt-free")
MOST = reservation(CALL, Price(input=1, output=1)) / NANO


def with_ledger(
    path: Path, budget: float | None, work: Callable[[RunLedger], Coroutine[Any, Any, Result]], told: list[str] | None = None
) -> Result:
    with opened(path / "run.sqlite") as database:
        tell = None if told is None else told.append
        return asyncio.run(work(RunLedger(database, {"dear": ONE, "free": FREE}, budget, tell=tell)))


async def soon(task: asyncio.Task[int]) -> bool:
    """Whether a task ends without anything else happening."""
    for _ in range(QUIET):
        await asyncio.sleep(0)
    return task.done()


def test_a_waiting_call_goes_out_as_soon_as_another_costs_less_than_was_kept_for_it(tmp_path: Path) -> None:
    async def work(ledger: RunLedger) -> None:
        first, second = [await ledger.reserve(CALL.call(number)) for number in (1, 2)]
        third = asyncio.create_task(ledger.reserve(CALL.call(3)))
        assert not await soon(third)
        ledger.settle(first, None, charged=True)  # costs all that was kept for it: no room yet
        assert not await soon(third)
        ledger.settle(second, Usage(input=1), charged=True)
        assert await soon(third)
        ledger.settle(third.result(), None, charged=False)

    with_ledger(tmp_path, 2 * MOST + 0.000002, work)


def test_a_budget_of_exactly_one_call_admits_it_and_a_billionth_less_does_not(tmp_path: Path) -> None:
    async def work(ledger: RunLedger) -> None:
        ledger.settle(await ledger.reserve(CALL.call(1)), CALL.usage, charged=False)

    with_ledger(tmp_path, MOST, work)
    with pytest.raises(BudgetReached, match=r"run\.budget_usd: the budget of .* is reached: 0\.0000 are spent"):
        with_ledger(tmp_path, round(MOST - 1 / NANO, 9), work)


def test_a_reached_budget_stays_reached_for_smaller_calls_too(tmp_path: Path) -> None:
    async def work(ledger: RunLedger) -> None:
        with pytest.raises(BudgetReached):
            await ledger.reserve(CALL.call(1))
        with pytest.raises(BudgetReached):
            await ledger.reserve(Plan("", 0, 0, 0, True, True, None).call(2))

    with_ledger(tmp_path, MOST / 2, work)


@pytest.mark.parametrize("over", [Usage(input=100, output=51), Usage(input=5000, output=1)])
@pytest.mark.parametrize("budget", [None, 1.0])
def test_a_server_that_takes_more_than_it_may_stops_a_run_with_a_budget_and_no_other(
    tmp_path: Path, over: Usage, budget: float | None
) -> None:
    told: list[str] = []

    async def work(ledger: RunLedger) -> None:
        ledger.settle(await ledger.reserve(CALL.call(1)), CALL.usage, charged=True)
        ledger.settle(await ledger.reserve(CALL.call(2)), over, charged=True)
        ledger.settle(await ledger.reserve(CALL.call(3)), CALL.usage, charged=True)

    if budget is None:
        with_ledger(tmp_path, budget, work, told)
        assert told == []
        return
    with pytest.raises(ModelCallError, match=r"models\.dear: .* No budget can be kept with such a server"):
        with_ledger(tmp_path, budget, work, told)
    assert len(told) == 1
    with opened(tmp_path / "run.sqlite") as database:
        assert database.spent() == sum(usage.input + usage.output for usage in (CALL.usage, over) if usage) * 1000


def test_a_call_that_waits_hears_of_a_server_that_takes_more_than_it_may(tmp_path: Path) -> None:
    async def work(ledger: RunLedger) -> None:
        first = await ledger.reserve(CALL.call(1))
        second = asyncio.create_task(ledger.reserve(CALL.call(2)))
        assert not await soon(second)
        ledger.settle(first, Usage(input=1, output=51), charged=True)
        assert await soon(second)
        second.result()

    with pytest.raises(ModelCallError):
        with_ledger(tmp_path, MOST, work)


def test_calls_to_a_model_without_a_price_are_counted_and_cost_nothing(tmp_path: Path) -> None:
    async def work(ledger: RunLedger) -> list[float | None]:
        tickets = [await ledger.reserve(CALL.call(number, "free")) for number in range(3)]
        return [ledger.settle(ticket, CALL.usage, charged=True) for ticket in tickets[:2]]

    assert with_ledger(tmp_path, None, work) == [None, None]
    with opened(tmp_path / "run.sqlite") as database:
        (row,) = database.usage()
        assert (row.calls, row.open_calls, row.input, row.output, row.usd_paid) == (2, 0, 200, 100, 0.0)
        assert database.spent() == 0
