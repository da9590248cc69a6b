"""The seam of a role's call: a typed request goes in, a typed reply and every try come out.

A backend is a *renderer* (typed request -> what is sent) and a *source* (what is sent -> raw reply).
The language model, the rules and the replay differ in these two only; asking again with the error
shown, parsing and recording are the same code for all three.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from agents.pace import FAULTS
from agents.replies import ParsedReply, RawReply, parse_reply
from agents.response_cache import request_key
from state.config import Price
from state.roles import RoleReply, RoleRequest
from state.trajectory import PromptRef, Request, Try, Usage, Visit
from state.vocabulary import Role, TryError

Check = Callable[[RoleReply], str | None]
"""Why a well-formed reply cannot be used, told to the role when it is asked again; `None`: it can."""

FINAL_ERRORS = frozenset({TryError.BAD_REQUEST, TryError.AUTHENTICATION})
"""Errors that the same request would meet again."""
CALL_ERRORS = FAULTS | FINAL_ERRORS
"""Failures of a call; they leave no reply to parse."""
MOST_FAULTS = 6
"""How often a request may fail on a server that answers others, before it is given up."""


class RoleCall(NamedTuple):
    """What came of asking a role once, retries included."""

    reply: RoleReply | None
    """`None`: no usable reply after the retries."""
    tries: tuple[Try, ...]
    prompt: PromptRef | None


class Exchange(NamedTuple):
    """One request on its way to a source."""

    role: Role
    mode: str | None
    typed: RoleRequest
    request: Request
    key: str
    instance_id: str = ""


class Feedback(NamedTuple):
    """What a renderer is told about the tries before: the last reply and why it cannot be used."""

    reply: str | None
    error: TryError
    detail: str


class Renderer(Protocol):
    """Typed request -> what is sent."""

    def __call__(self, role: Role, typed: RoleRequest, mode: str | None, feedback: Sequence[Feedback]) -> tuple[Request, PromptRef | None]:
        """The request as it goes out, and the prompt that made it."""
        ...


class Source(Protocol):
    """What is sent -> raw reply; raises only for what no other request could survive (a refused key)."""

    immediate: bool
    """Whether `fetch` never waits."""

    async def fetch(self, exchange: Exchange, well_formed: Callable[[RawReply], bool]) -> RawReply:
        """One reply; a source with a cache stores it only if `well_formed`."""
        ...

    async def aclose(self) -> None:
        """Closes connections, if there are any."""
        ...


@dataclass(frozen=True)
class Backend:
    """One way to play roles, for one entry of `models`."""

    provider: str
    label: str
    """The model's name, as records name their backend."""
    render: Renderer
    source: Source
    price: Price | None = None
    repeatable: bool = True
    """Whether asking again can help; rules give the same reply every time."""
    asks_anew: bool = False
    """Whether a stored question that does not pass the gate is asked for again: the instances that failed on it are redone."""

    async def ask(
        self,
        role: Role,
        typed: RoleRequest,
        *,
        mode: str | None = None,
        check: Check | None = None,
        earlier: Iterable[Visit] = (),
        retries: int = 0,
        instance_id: str = "",
    ) -> RoleCall:
        """Asks until a usable reply comes, at most `1 + retries` times.

        A busy server or a failed connection is no reply: the same request is sent again without counting,
        and given up only where the server answers others (`MOST_FAULTS`).
        """
        tries: list[Try] = []
        feedback: list[Feedback] = []
        prompt: PromptRef | None = None
        before = [a_try for visit in earlier if visit.role is role for a_try in visit.tries]
        left, faults_left = 1 + (retries if self.repeatable else 0), MOST_FAULTS
        while left and faults_left:
            request, prompt = self.render(role, typed, mode, feedback)
            sample = answered(request, (*before, *tries))
            key = request_key(role, self.provider, request, sample)
            parsed: list[ParsedReply] = []

            def well_formed(raw: RawReply, parsed: list[ParsedReply] = parsed) -> bool:
                parsed[:] = [parse_reply(raw, role)]
                reply = parsed[0].reply
                return reply is not None and not (self.asks_anew and check is not None and check(reply) is not None)

            raw = await self.source.fetch(Exchange(role, mode, typed, request, key, instance_id), well_formed)
            result = parsed[0] if parsed else parse_reply(raw, role)
            problem = check(result.reply) if check is not None and result.reply is not None else None
            error = TryError.UNUSABLE_QUESTION if problem is not None else result.error
            detail = problem if problem is not None else result.detail
            tries.append(self._record(sample, request, key, raw, result, error, detail))
            if error is None:
                return RoleCall(result.reply, tuple(tries), prompt)
            if error in FINAL_ERRORS:
                break
            if error in FAULTS:
                faults_left -= raw.counted
                continue
            left -= 1
            feedback.append(Feedback(raw.text, error, detail))
        return RoleCall(None, tuple(tries), prompt)

    def _record(
        self, sample: int, request: Request, key: str, raw: RawReply, parsed: ParsedReply, error: TryError | None, detail: str
    ) -> Try:
        return Try.model_construct(
            sample=sample,
            request=request,
            request_sha256=key,
            reply_raw=raw.text,
            reply_sha256=None if raw.text is None else hashlib.sha256(raw.text.encode()).hexdigest(),
            finish_reason=raw.finish_reason,
            parsed=None if parsed.reply is None else parsed.reply.model_dump(mode="json"),
            error=error,
            error_detail=detail,
            usage=raw.usage,
            usd=cost(raw.usage, self.price) if raw.usd is None else raw.usd,
            latency_s=raw.latency_s,
            cached=raw.cached,
            counted=raw.counted,
        )


def answered(request: Request, tries: Iterable[Try]) -> int:
    """How many of these tries sent the same request and got a reply.

    A request that met only a refused connection or a busy server does not count: when a killed run is
    resumed it need not meet that again, and the reply that was paid for must be found under its key.
    """
    return sum(1 for a_try in tries if a_try.reply_raw is not None and a_try.request == request)


def cost(usage: Usage, price: Price | None) -> float | None:
    """US dollars for one reply."""
    if price is None:
        return None
    cached_price = price.input if price.cached_input is None else price.cached_input
    fresh = usage.input - usage.cached_input
    return (fresh * price.input + usage.cached_input * cached_price + usage.output * price.output) / 1_000_000
