"""A model's pace on its own, in a time that passes only when nothing else is left to do."""

from __future__ import annotations

import asyncio
import itertools
import random
import selectors
from collections.abc import Callable, Collection, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.pace import LONGEST_PAUSE_S, Pace
from agents.replies import RawReply
from state.config import ModelConfig
from state.errors import ModelCallError
from state.trajectory import Usage
from state.vocabulary import TryError

OK = RawReply(text="{}")
UNUSABLE = RawReply(text="no JSON")
BUSY = RawReply(text=None, error=TryError.RATE_LIMITED, detail="status 429: slow down")
BROKEN = RawReply(text=None, error=TryError.SERVER_ERROR, detail="status 500: oops")
HUNG = RawReply(text=None, error=TryError.TIMEOUT, detail="no whole reply", answered=False)
CUT = RawReply(text=None, error=TryError.CONNECTION, detail="ServerDisconnectedError", answered=False)
REFUSED = RawReply(text=None, error=TryError.CONNECTION, detail="ConnectionRefusedError", reached=False)


class StillTime(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        self.now = 1000.0
        loop = self

        class Jump(selectors.DefaultSelector):
            def select(self, timeout: float | None = None) -> Any:
                if timeout is None:
                    raise AssertionError("everything waits, and nothing will ever happen")
                loop.now += max(timeout, 0.0)
                return super().select(0)

        super().__init__(Jump())

    def time(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.pace.time", SimpleNamespace(monotonic=lambda: asyncio.get_running_loop().time()))


def in_still_time(work: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=StillTime) as runner:
        return runner.run(work)


def now() -> float:
    return asyncio.get_running_loop().time()


class Server:
    """Requests that keep a pace; what each gets, and when it was sent, is the test's to say and to see."""

    def __init__(self, answer: Callable[[int], RawReply], *, takes_s: float = 1.0, poison: Collection[str] = (), **bounds: Any) -> None:
        self.told: list[str] = []
        self.config = ModelConfig(provider="openai", model="m", **bounds)
        self.pace = Pace("models.m", self.config, tell=self.told.append)
        self.answer = answer
        self.takes_s = takes_s
        self.poison = poison
        """Requests that can never succeed."""
        self.sent: list[float] = []
        self.at_once: list[int] = []
        """Requests in flight, itself included, each time that one is sent."""
        self.limits: list[int] = []
        """The limit after each request."""
        self.in_flight = 0

    async def send(self, key: str) -> tuple[RawReply, bool]:
        """One request; its reply, and whether a failure counts against it."""
        began = await self.pace.enter()
        try:
            number = len(self.sent)
            self.sent.append(now())
            self.in_flight += 1
            self.at_once.append(self.in_flight)
            try:
                raw = BROKEN if key in self.poison else self.answer(number)
                await asyncio.sleep(0.0 if not raw.reached else self.takes_s)
            finally:
                self.in_flight -= 1
            counted = self.pace.learn(began, raw, key)
        finally:
            self.pace.leave()
        self.limits.append(self.pace.at_once)
        return raw, counted

    async def until_answered(self, key: str) -> int:
        """How often a request was sent before it was answered."""
        for times in range(1, 10_000):
            raw, _ = await self.send(key)
            if raw.error is None:
                return times
        raise AssertionError("never answered")


def in_turn(*replies: RawReply) -> Callable[[int], RawReply]:
    return lambda number: replies[min(number, len(replies) - 1)]


def gaps(times: list[float]) -> list[float]:
    return [round(after - before, 6) for before, after in itertools.pairwise(times)]


async def one_after_another(server: Server, count: int) -> None:
    for number in range(count):
        await server.send(f"{number}")


def test_requests_a_minute_are_spaced_evenly() -> None:
    async def go() -> list[float]:
        server = Server(lambda number: OK, rpm=30, concurrency=8)
        await asyncio.gather(*(server.send(f"{number}") for number in range(10)))
        return server.sent

    assert gaps(in_still_time(go())) == [2.0] * 9


def test_tokens_a_minute_are_spaced_by_what_the_replies_used() -> None:
    async def go() -> list[float]:
        server = Server(lambda number: OK._replace(usage=Usage(input=80, output=20)), tpm=600, concurrency=1)
        await one_after_another(server, 4)
        return server.sent

    assert gaps(in_still_time(go())) == [11.0] * 3, "a second for the request, ten for its hundred tokens"


@pytest.mark.parametrize("concurrency", [1, 4, 16])
def test_tokens_a_minute_hold_on_the_whole_at_any_concurrency(concurrency: int) -> None:
    async def go() -> float:
        server = Server(lambda number: OK._replace(usage=Usage(input=80, output=20)), tpm=6000, concurrency=concurrency)
        began = now()
        await asyncio.gather(*(server.send(f"{number}") for number in range(200)))
        return now() - began

    assert in_still_time(go()) >= (200 - concurrency) * 100 / 6000 * 60


def test_the_pause_that_a_server_asks_for_is_kept_by_every_request_and_capped() -> None:
    async def go() -> list[float]:
        replies = in_turn(BUSY._replace(retry_after_s=7.0), BROKEN._replace(retry_after_s=3.0), BUSY._replace(retry_after_s=9999.0), OK)
        server = Server(replies, takes_s=0.0)
        await one_after_another(server, 5)
        return server.sent

    assert gaps(in_still_time(go())) == [7.0, 3.0, LONGEST_PAUSE_S, 0.0]


def test_a_pause_covers_the_requests_that_wait_for_their_turn() -> None:
    async def go() -> list[float]:
        server = Server(in_turn(BUSY._replace(retry_after_s=7.0), OK), concurrency=1)
        await asyncio.gather(*(server.send(f"{number}") for number in range(3)))
        return server.sent

    assert gaps(in_still_time(go())) == [8.0, 1.0]


@pytest.mark.parametrize("fault", [BUSY, BROKEN, HUNG, CUT, REFUSED])
def test_where_a_server_names_no_pause_it_doubles_up_to_a_minute(fault: RawReply) -> None:
    async def go() -> list[float]:
        server = Server(in_turn(*[fault] * 10, OK), takes_s=0.0, patience_s=1e6)
        await server.until_answered("one")
        return server.sent

    assert gaps(in_still_time(go())) == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


def test_a_pause_of_zero_is_no_leave_to_ask_without_end() -> None:
    async def go() -> list[float]:
        server = Server(in_turn(*[BUSY._replace(retry_after_s=0.0)] * 3, OK), takes_s=0.0)
        await server.until_answered("one")
        return server.sent

    assert gaps(in_still_time(go())) == [0.5, 1.0, 2.0]


def test_failures_of_one_wave_halve_the_concurrency_once() -> None:
    async def go() -> tuple[list[int], list[int]]:
        server = Server(lambda number: BUSY if number < 8 or 12 <= number < 14 else OK, concurrency=8)
        await asyncio.gather(*(server.until_answered(f"{number}") for number in range(100)))
        return server.at_once, server.limits

    at_once, limits = in_still_time(go())
    assert at_once[:8] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert limits[:8] == [4] * 8
    assert max(at_once[8:12]) == 4
    assert limits[-1] == max(at_once[-8:]) == 8, "it recovers to what the config allows"
    assert max(at_once) == 8


def test_a_lost_connection_does_not_lower_the_concurrency() -> None:
    async def go() -> list[int]:
        server = Server(in_turn(CUT, OK), concurrency=8)
        await asyncio.gather(*(server.until_answered(f"{number}") for number in range(8)))
        return server.limits

    assert in_still_time(go()) == [8] * 9


def test_a_request_that_fails_alone_counts_and_is_not_taken_for_a_server_that_is_gone() -> None:
    async def go() -> tuple[list[bool], list[str]]:
        server = Server(lambda number: BROKEN, takes_s=0.0)
        return [(await server.send("one"))[1] for _ in range(8)], server.told

    counted, told = in_still_time(go())
    assert counted == [True] * 8
    assert told == []


@pytest.mark.parametrize("fault", [BROKEN, HUNG, CUT])
def test_a_request_that_fails_among_others_that_succeed_counts(fault: RawReply) -> None:
    async def go() -> tuple[list[bool], list[str]]:
        server = Server(lambda number: fault if number % 2 == 0 else OK, takes_s=0.0)
        counted = []
        for _ in range(8):
            counted.append((await server.send("bad"))[1])
            await server.send("good")
        return counted, server.told

    assert in_still_time(go()) == ([True] * 8, [])


def test_requests_that_failed_while_others_were_answered_are_not_taken_for_a_server_that_is_gone() -> None:
    """Two of eight can never succeed; the other six end, and nothing is left to show that the server is well."""

    async def go() -> tuple[list[list[bool]], list[str]]:
        server = Server(lambda number: OK, poison=("bad", "worse"))

        async def bad(key: str) -> list[bool]:
            return [(await server.send(key))[1] for _ in range(8)]

        well = [server.until_answered(f"{number}") for number in range(6)]
        counts, *_ = await asyncio.gather(asyncio.gather(bad("bad"), bad("worse")), *well)
        return counts, server.told

    counts, told = in_still_time(go())
    assert counts == [[True] * 8] * 2
    assert told == []


def test_too_many_requests_never_count() -> None:
    async def go() -> list[bool]:
        server = Server(lambda number: BUSY, takes_s=0.0, patience_s=1e6)
        return [(await server.send(f"{number % 3}"))[1] for number in range(30)]

    assert in_still_time(go()) == [False] * 30


def test_a_refused_connection_means_at_once_that_the_server_is_gone() -> None:
    async def go() -> tuple[bool, list[str], int]:
        server = Server(in_turn(REFUSED, OK), concurrency=8)
        _, counted = await server.send("one")
        return counted, list(server.told), server.pace.at_once

    counted, told, at_once = in_still_time(go())
    assert (counted, at_once) == (False, 1)
    assert told == ["models.m does not answer (ConnectionRefusedError); waiting for it, one request at a time, gives up after 900 s"]


@pytest.mark.parametrize("fault", [REFUSED, BROKEN, HUNG, CUT])
def test_a_server_that_is_gone_is_asked_one_at_a_time_and_its_absence_and_return_are_each_told_once(fault: RawReply) -> None:
    async def go() -> tuple[Server, list[int]]:
        server = Server(lambda number: fault if number < 20 else OK, concurrency=8)
        return server, await asyncio.gather(*(server.until_answered(f"{number}") for number in range(12)))

    server, times = in_still_time(go())
    assert sum(times) == 20 + 12
    assert max(server.at_once[8:21]) == 1
    assert max(server.at_once[21:]) > 1
    assert len(server.told) == 2
    assert "does not answer" in server.told[0]
    assert "answers again after" in server.told[1]


def test_a_reply_that_was_on_its_way_when_the_server_went_does_not_show_that_it_is_back() -> None:
    async def go() -> list[str]:
        server = Server(lambda number: REFUSED if 0 < number < 6 else OK, concurrency=2, takes_s=1.0)
        await asyncio.gather(server.until_answered("slow"), server.until_answered("late"))
        return server.told

    told = in_still_time(go())
    assert [line.partition("answer")[2][:3] for line in told] == [" (C", "s a"], told


def test_requests_that_had_their_turn_before_the_server_went_also_wait_for_one_another() -> None:
    """Three wait out a pause with a turn in hand when the fourth finds nobody there."""

    async def go() -> list[int]:
        server = Server(lambda number: BUSY._replace(retry_after_s=30.0) if number == 0 else REFUSED if number < 12 else OK, concurrency=8)
        await asyncio.gather(*(server.until_answered(f"{number}") for number in range(8)))
        return server.at_once

    at_once = in_still_time(go())
    assert at_once[:8] == list(range(1, 9))
    assert max(at_once[8:13]) == 1


def test_patience_ends_for_the_request_in_flight_and_for_all_that_wait() -> None:
    async def go() -> tuple[list[Any], Server, float]:
        server = Server(lambda number: REFUSED, concurrency=4, patience_s=100)
        began = now()
        ends = await asyncio.gather(*(server.until_answered(f"{number}") for number in range(12)), return_exceptions=True)
        with pytest.raises(ModelCallError):
            await server.send("later")
        return ends, server, now() - began

    ends, server, took = in_still_time(go())
    assert [type(end) for end in ends] == [ModelCallError] * 12
    assert "no reply for 1" in str(ends[0])
    assert "run the same command" in str(ends[0])
    assert 100 < took <= 100 + 60 + 1
    assert len(server.told) == 1


def test_patience_is_counted_from_the_last_answer() -> None:
    async def go() -> int:
        # Never a hundred seconds without an answer, though most of ten thousand are spent waiting.
        server = Server(lambda number: OK if number % 5 == 4 else BUSY._replace(retry_after_s=20.0), patience_s=100, takes_s=0.0)
        return sum([await server.until_answered(f"{number}") for number in range(100)])

    assert in_still_time(go()) == 500


def test_a_refusal_that_every_request_would_meet_ends_those_that_wait_at_once() -> None:
    async def go() -> tuple[list[Any], int, float]:
        server = Server(in_turn(BUSY._replace(retry_after_s=90.0), OK), concurrency=4, takes_s=1.0)
        began = now()
        tasks = [asyncio.create_task(server.until_answered(f"{number}")) for number in range(8)]
        await asyncio.sleep(5.0)
        server.pace.stop(ModelCallError("the key is refused"))
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        return ends, len(server.sent), now() - began

    ends, sent, took = in_still_time(go())
    assert sent == 4
    assert [end for end in ends if isinstance(end, int)] == [1, 1, 1]
    assert sum(isinstance(end, ModelCallError) for end in ends) == 5
    assert took < 10, "nobody sits out the pause"


FAULTS = (BUSY, BUSY._replace(retry_after_s=3.0), BROKEN, HUNG, CUT, REFUSED, OK, UNUSABLE, OK._replace(usage=Usage(input=50, output=50)))


@given(
    outcomes=st.lists(st.sampled_from(FAULTS), max_size=60),
    requests=st.integers(min_value=1, max_value=30),
    concurrency=st.integers(min_value=1, max_value=9),
    rpm=st.sampled_from([None, 60, 6000]),
    tpm=st.sampled_from([None, 6000]),
    leaving=st.lists(st.tuples(st.integers(min_value=0, max_value=29), st.floats(min_value=0, max_value=300)), max_size=8),
)
@example(outcomes=[REFUSED] * 40, requests=30, concurrency=9, rpm=None, tpm=None, leaving=[(number, 5.0) for number in range(8)])
def test_whatever_comes_back_the_limit_keeps_its_bounds_and_everybody_is_answered(
    outcomes: list[RawReply], requests: int, concurrency: int, rpm: int | None, tpm: int | None, leaving: list[tuple[int, float]]
) -> None:
    """Some requests give up in the middle, waiting or on their way; no turn is lost by it."""

    async def go() -> None:
        server = Server(in_turn(*outcomes, OK), concurrency=concurrency, rpm=rpm, tpm=tpm, patience_s=1e9)
        tasks = [asyncio.create_task(server.until_answered(f"{number}")) for number in range(requests)]
        cancelled = {number % requests for number, _ in leaving}

        async def leave(number: int, after_s: float) -> None:
            await asyncio.sleep(after_s)
            tasks[number % requests].cancel()

        await asyncio.gather(*(leave(number, after_s) for number, after_s in leaving))
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        for number, end in enumerate(ends):
            assert isinstance(end, int) or (number in cancelled and isinstance(end, asyncio.CancelledError))
        assert all(1 <= limit <= concurrency for limit in server.limits)
        assert max(server.at_once) <= concurrency
        # As many turns are left as there were: so many more requests are in flight together.
        server.answer, before = (lambda number: OK), len(server.at_once)
        await asyncio.gather(*(server.send(f"more {number}") for number in range(8 * concurrency * concurrency)))
        assert server.pace.at_once == concurrency
        before = len(server.at_once)
        await asyncio.gather(*(server.send(f"last {number}") for number in range(concurrency)))
        if rpm is None and tpm is None:
            assert server.at_once[before:] == list(range(1, concurrency + 1))

    in_still_time(go())


@given(seed=st.integers(min_value=0, max_value=10_000), concurrency=st.integers(min_value=1, max_value=8))
def test_no_more_are_admitted_than_the_limit_of_that_moment_allows(seed: int, concurrency: int) -> None:
    rng = random.Random(seed)

    async def go() -> None:
        server = Server(lambda number: rng.choice(FAULTS) if number < 40 else OK, concurrency=concurrency, patience_s=1e9)
        admit, over = server.pace.enter, []

        async def enter() -> float:
            began = await admit()
            if server.in_flight + 1 > server.pace.at_once:
                over.append((server.in_flight + 1, server.pace.at_once))
            return began

        server.pace.enter = enter  # type: ignore[method-assign]
        await asyncio.gather(*(server.until_answered(f"{number}") for number in range(12)))
        assert over == []

    in_still_time(go())
