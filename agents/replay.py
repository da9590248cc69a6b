"""The same LangGraph graph from a recorded trajectory, with nothing but the record to ask.

Every request is rendered again and compared with the record, every stored reply is parsed again,
routing, agreement and leak filter run again, and each visit is compared as soon as it is written.
LangGraph's own replay calls the model again; this one has no client to call with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.backends import Exchange
from agents.replies import RawReply
from agents.setup import build_crew, table_of
from agents.transitions import Table
from agents.workflow import InstanceResult, Workflow, run_instance
from state.config import Config
from state.errors import ReplayMismatch
from state.instance import BenchmarkRecord
from state.trajectory import Try, Visit
from state.vocabulary import TryError

CALL_ERRORS = frozenset(
    (TryError.RATE_LIMITED, TryError.SERVER_ERROR, TryError.CONNECTION, TryError.TIMEOUT, TryError.BAD_REQUEST, TryError.AUTHENTICATION)
)
"""Failures of a call; they leave no reply to parse again, so the record's word is taken."""

_NOT_COMPARED = ("latency_s", "cached", "usd")


class RecordedSource:
    """Serves the recorded replies in order, each only to the very request it once answered."""

    immediate = True

    def __init__(self, instance_id: str, visits: Sequence[Visit]) -> None:
        self._tries = [(visit, number, a_try) for visit in visits for number, a_try in enumerate(visit.tries)]
        self._instance_id = instance_id
        self._next = 0

    async def fetch(self, exchange: Exchange, well_formed: Callable[[RawReply], bool]) -> RawReply:
        """The recorded reply.

        Raises:
            ReplayMismatch: the record has none, or has it for another request, or it was changed.
        """
        if self._next == len(self._tries):
            raise _mismatch(self._instance_id, "end of record", f"the {exchange.role.value} asks once more than the record did")
        visit, number, recorded = self._tries[self._next]
        self._next += 1
        where = f"visit {visit.seq} ({visit.node.value}), try {number}"
        if visit.role is not exchange.role or visit.mode != exchange.mode:
            raise _mismatch(self._instance_id, where, f"the {exchange.role.value} asks where the record has the {visit.role.value}")
        if exchange.key != recorded.request_sha256 or exchange.request != recorded.request:
            difference = first_difference(_plain(recorded.request), _plain(exchange.request)) or "its hash"
            raise _mismatch(self._instance_id, where, f"the request rendered now is not the recorded one: {difference}")
        text = recorded.reply_raw
        sha256 = None if text is None else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        if sha256 != recorded.reply_sha256:
            raise _mismatch(self._instance_id, where, "the stored reply does not have its recorded hash")
        return _as_received(recorded)

    async def aclose(self) -> None:
        """Nothing: there is no connection."""


async def replay_instance(
    record: BenchmarkRecord, visits: Sequence[Visit], config: Config, *, table: Table | None = None
) -> InstanceResult:
    """Replays one instance; `config.prompts.path` must name the prompts that the run used.

    Raises:
        ReplayMismatch: at the first difference from the record.
        ConfigError: a prompt is missing or broken.
    """
    written = 0

    def compare(visit: Visit) -> None:
        nonlocal written
        if written == len(visits):
            raise _mismatch(record.id, f"visit {visit.seq} ({visit.node.value})", "the record ends before it")
        recorded = visits[written]
        written += 1
        difference = first_difference(_comparable(recorded), _comparable(visit))
        if difference is not None:
            raise _mismatch(record.id, f"visit {visit.seq} ({visit.node.value})", difference)

    source = RecordedSource(record.id, visits)
    workflow = Workflow(build_crew(config, lambda name, model: source), table or table_of(config), compare)
    result = await run_instance(record, workflow)
    if written != len(visits):
        left = visits[written]
        raise _mismatch(record.id, f"visit {left.seq} ({left.node.value})", "the record goes on after the instance has ended")
    return result


def first_difference(recorded: Any, now: Any, path: str = "") -> str | None:
    """Where two plain values first differ, in words."""
    if isinstance(recorded, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys((*recorded, *now)):
            found = first_difference(recorded.get(key), now.get(key), f"{path}.{key}" if path else str(key))
            if found is not None:
                return found
        return None
    if isinstance(recorded, list | tuple) and isinstance(now, list | tuple) and len(recorded) == len(now):
        found_in = (first_difference(one, other, f"{path}[{index}]") for index, (one, other) in enumerate(zip(recorded, now, strict=True)))
        return next((found for found in found_in if found is not None), None)
    if recorded == now:
        return None
    return f"{path or 'value'} was {_short(recorded)} and is {_short(now)}"


def _as_received(recorded: Try) -> RawReply:
    refused = recorded.error is TryError.REFUSED
    error = recorded.error if recorded.error in CALL_ERRORS else None
    detail = recorded.error_detail if error is not None else ""
    return RawReply(
        text=recorded.reply_raw,
        finish_reason=recorded.finish_reason,
        refused=refused,
        usage=recorded.usage,
        error=error,
        detail=detail,
        latency_s=recorded.latency_s,
        cached=recorded.cached,
        counted=recorded.counted,
    )


def _plain(model: Any) -> dict[str, Any]:
    plain: dict[str, Any] = model.model_dump(mode="json", by_alias=True)
    return plain


def _comparable(visit: Visit) -> dict[str, Any]:
    plain = _plain(visit)
    for a_try in plain["tries"]:
        for name in _NOT_COMPARED:
            a_try.pop(name)
    return plain


def _mismatch(instance_id: str, where: str, what: str) -> ReplayMismatch:
    return ReplayMismatch(what, where=f"{instance_id}, {where}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:60]} ... {text[-50:]}"
