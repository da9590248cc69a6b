"""One model's pace: how many requests at a time and a minute, and when to wait for a server that is busy or gone.

A server that says "too many" or lets a request time out is asked less at a time, and more again as it
answers. A server that is gone is asked by one request at a time, at growing intervals, and nothing is
lost meanwhile; only after the model's patience does the run stop, to be continued later.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable

from agents.replies import RawReply
from state.config import ModelConfig
from state.errors import ChronoQGError, ModelCallError
from state.vocabulary import TryError

FAULTS = frozenset((TryError.RATE_LIMITED, TryError.SERVER_ERROR, TryError.CONNECTION, TryError.TIMEOUT))
"""Failures after which the same request may well succeed."""
LONGEST_PAUSE_S = 120.0
"""Longest wait before a busy server is asked again, whatever it says itself."""

_LONGEST_BACKOFF_S = 60.0
_WORTH_TELLING_S = 5.0
_FAULTS_OF_A_SERVER_THAT_IS_GONE = 4

Tell = Callable[[str], None]
"""Shows the user one line."""


class Pace:
    """The turns of one model's requests; used within one event loop."""

    def __init__(self, where: str, config: ModelConfig, *, backoff_s: float = 0.5, tell: Tell | None = None) -> None:
        """A pace that begins at the config's full concurrency.

        Args:
            where: how messages name the model.
            config: the model's bounds.
            backoff_s: first pause where the server names none; it doubles with each further failure.
            tell: is shown pauses and their end.
        """
        self.stopped: ChronoQGError | None = None
        """Why no further request can be sent; raised for each that waits."""
        self._stop = asyncio.Event()
        self._where = where
        self._config = config
        self._backoff_s = backoff_s
        self._tell = tell or (lambda line: None)
        self._limit = float(config.concurrency)
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._next_slot = 0.0
        self._not_before = 0.0
        self._wave_began = float("-inf")
        self._waves = 0
        self._faults = 0
        self._failing: set[str] = set()
        """Requests that have failed since the server last answered one."""
        self._failed_alone: set[str] = set()
        """Requests that failed while the server answered others; that they fail again says nothing of the server."""
        self._silent_since: float | None = None
        self._is_down = False
        self._went_down = 0.0
        self._has_succeeded = False

    @property
    def at_once(self) -> int:
        """How many requests may be in flight now."""
        return 1 if self._is_down else max(1, int(self._limit))

    @property
    def has_succeeded(self) -> bool:
        """Whether any request was answered with a reply."""
        return self._has_succeeded

    async def enter(self) -> float:
        """Waits for this request's turn; returns when it began, for `learn`. `leave` must follow.

        Raises:
            ChronoQGError: no further request can succeed.
        """
        ahead = False
        while True:
            await self._take_turn(ahead=ahead)
            try:
                await self._wait_for_slot()
                self._raise_if_stopped()
            except BaseException:
                self.leave()
                raise
            if self._in_flight <= self.at_once:
                return time.monotonic()
            self.leave()  # the limit fell while this one waited with a turn in hand
            ahead = True

    def leave(self) -> None:
        """Ends a turn."""
        self._in_flight -= 1
        self._admit()

    def learn(self, began: float, raw: RawReply, key: str) -> bool:
        """Takes note of what came of a request; whether the request itself may be to blame for a failure.

        Raises:
            ModelCallError: the server has given nothing but failures for longer than the model's patience.
        """
        now = time.monotonic()
        if raw.error not in FAULTS:
            self._answered(now, began, raw, key)
            return True
        self._has_failed(now, began, raw, key)
        assert self._silent_since is not None
        if now - self._silent_since > self._config.patience_s:
            what = f"no reply for {now - self._silent_since:.0f} s; the last failure: {raw.detail}"
            self.stop(ModelCallError(what, where=self._where, remedy="What is finished is kept; run the same command when it is back."))
            self._raise_if_stopped()
        return raw.reached and not self._is_down and raw.error is not TryError.RATE_LIMITED

    def stop(self, error: ChronoQGError) -> None:
        """Lets no further request through."""
        self.stopped = self.stopped or error
        self._stop.set()
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_exception(error)

    def _answered(self, now: float, began: float, raw: RawReply, key: str) -> None:
        self._has_succeeded = self._has_succeeded or raw.error is None
        if self._config.tpm is not None:
            tokens = raw.usage.input + raw.usage.output
            self._next_slot = max(now, self._next_slot) + tokens * 60.0 / self._config.tpm
        self._failed_alone.discard(key)
        if self._is_down and began <= self._went_down:  # it was on its way, and does not show that the server is back
            self._silent_since = now
            return
        if self._is_down and self._silent_since is not None:
            self._tell(f"{self._where} answers again after {now - self._silent_since:.0f} s")
        else:
            self._failed_alone |= self._failing - {key}
        self._is_down = False
        self._silent_since = None
        self._waves = self._faults = 0
        self._failing.clear()
        if raw.error is None:
            self._limit = min(float(self._config.concurrency), self._limit + 1.0 / self._limit)
        self._admit()

    def _has_failed(self, now: float, began: float, raw: RawReply, key: str) -> None:
        """Requests that were on their way together and fail together count as one wave of failure."""
        self._faults += 1
        self._silent_since = now if self._silent_since is None else self._silent_since
        if raw.error is not TryError.RATE_LIMITED:
            self._failing.add(key)
        pause = raw.retry_after_s or 0.0
        if began >= self._wave_began:
            self._wave_began = now
            pause = pause or min(self._backoff_s * 2.0**self._waves, _LONGEST_BACKOFF_S)
            self._waves = min(self._waves + 1, 16)
            if raw.error is not TryError.CONNECTION:
                self._limit = max(1.0, self._limit / 2)
        pause = min(pause, LONGEST_PAUSE_S)
        is_longer = now + pause > self._not_before + _WORTH_TELLING_S
        self._not_before = max(self._not_before, now + pause)
        is_gone = not raw.reached or (self._faults >= _FAULTS_OF_A_SERVER_THAT_IS_GONE and len(self._failing - self._failed_alone) > 1)
        if is_gone and not self._is_down:
            self._is_down, self._went_down = True, now
            patience = f"gives up after {self._config.patience_s:.0f} s"
            self._tell(f"{self._where} does not answer ({raw.detail}); waiting for it, one request at a time, {patience}")
        elif raw.error is TryError.RATE_LIMITED and is_longer and pause >= _WORTH_TELLING_S:
            self._tell(f"{self._where} is busy ({raw.detail}); pausing {pause:.0f} s, then {self.at_once} at a time")

    def _admit(self) -> None:
        while self._waiting and self._in_flight < self.at_once:
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_flight += 1
                turn.set_result(None)

    async def _take_turn(self, *, ahead: bool) -> None:
        """Waits until fewer requests than the limit have a turn; behind those that wait, or `ahead` of them."""
        if not ahead and not self._waiting and self._in_flight < self.at_once:
            self._in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        if ahead:
            self._waiting.appendleft(turn)
            self._admit()
        else:
            self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.leave()
            raise

    async def _wait_for_slot(self) -> None:
        """Keeps `rpm` and `tpm`, and the pause that a busy server asked for."""
        now = time.monotonic()
        slot = max(now, self._next_slot)
        if self._config.rpm is not None:
            self._next_slot = slot + 60.0 / self._config.rpm
        while (pause := max(slot, self._not_before) - time.monotonic()) > 0 and self.stopped is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._stop.wait()

    def _raise_if_stopped(self) -> None:
        if self.stopped is not None:
            raise self.stopped
