"""The same LangGraph graph from a recorded trajectory, with nothing but the record to ask.

Every request is rendered again and compared with the record, every stored reply is parsed again,
routing, agreement and leak filter run again, and each visit is compared as soon as it is written.
LangGraph's own replay calls the model again; this one has no client to call with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, NamedTuple

from agents.backends import CALL_ERRORS, Exchange
from agents.crew import Crew
from agents.instance_kind import InstanceKind
from agents.kinds import GRAPH
from agents.replies import RawReply
from agents.request_difference import nearest_difference
from agents.setup import build_crew, table_of
from agents.transitions import VERIFICATION, Table
from agents.workflow import Before, InstanceResult, Workflow, run_instance
from state.any_instance import Instance
from state.config import Config
from state.errors import ReplayMismatch
from state.trajectory import Try, Visit
from state.vocabulary import Node, TryError

_NOT_COMPARED = ("latency_s", "cached", "usd")
_OF_TRY = tuple(name for name in Try.model_fields if name not in _NOT_COMPARED)
_OF_VISIT = tuple(name for name in Visit.model_fields if name != "tries")


class RecordedSource:
    """Serves the recorded replies in order, each only to the very request it once answered."""

    immediate = True

    def __init__(self, instance_id: str = "", visits: Sequence[Visit] = ()) -> None:
        self.begin(instance_id, visits)

    def begin(self, instance_id: str, visits: Sequence[Visit]) -> None:
        """Serves another instance from here on."""
        self._tries = [(visit, number, a_try) for visit in visits for number, a_try in enumerate(visit.tries)]
        self._instance_id = instance_id
        self._next = 0

    async def fetch(self, exchange: Exchange, well_formed: Callable[[RawReply], bool]) -> RawReply:
        """The recorded reply.

        Raises:
            ReplayMismatch: the record has none, or has it for another request, or it was changed.
        """
        if self._next == len(self._tries):
            raise self._unknown(exchange, "end of record", f"the {exchange.role.value} asks once more than the record did")
        visit, number, recorded = self._tries[self._next]
        where = f"visit {visit.seq} ({visit.node.value}), try {number}"
        if visit.role is not exchange.role or visit.mode != exchange.mode:
            raise self._unknown(exchange, where, f"the {exchange.role.value} asks where the record has the {visit.role.value}")
        if exchange.key != recorded.request_sha256 or exchange.request != recorded.request:
            difference = first_difference(_plain(recorded.request), _plain(exchange.request)) or "its hash"
            raise self._unknown(exchange, where, f"the request rendered now is not the recorded one: {difference}")
        self._next += 1
        text = recorded.reply_raw
        sha256 = None if text is None else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        if sha256 != recorded.reply_sha256:
            raise _mismatch(self._instance_id, where, "the stored reply does not have its recorded hash")
        return _as_received(recorded)

    async def aclose(self) -> None:
        """Nothing: there is no connection."""

    def _unknown(self, exchange: Exchange, where: str, what: str) -> ReplayMismatch:
        """A request that is not in the record, shown beside the recorded one that is nearest to it."""
        due_first = [*self._tries[self._next :], *self._tries[: self._next]]
        own = [a_try for visit, _, a_try in due_first if visit.role is exchange.role] or [a_try for _, _, a_try in due_first]
        return _mismatch(self._instance_id, where, what, nearest_difference(exchange.request, [a_try.request for a_try in own]))


class RecordedStart(NamedTuple):
    """The part of a way that was made with another config: all of it before the first visit of a node."""

    node: Node
    """The first node that the later config made."""
    config: Config
    """The config that made what lies before it; its `prompts.path` names the prompts that were used."""


class Replayer:
    """Replays instances of one setup, one after the other, through a graph that is compiled once."""

    def __init__(
        self,
        config: Config,
        *,
        kind: InstanceKind = GRAPH,
        table: Table | None = None,
        start: RecordedStart | None = None,
        verifies_only: bool = False,
    ) -> None:
        """Loads the prompts; `config.prompts.path` must name those that the run used.

        Args:
            config: the setup.
            kind: what the instances are about.
            table: the transitions; by default those of the setup.
            start: what another setup recorded before.
            verifies_only: whether given questions were verified and nothing else was done.

        Raises:
            ConfigError: a prompt is missing or broken, or a role names an unknown model.
        """
        self._source = RecordedSource()
        self._kind = kind
        self._comparison = Comparison("", ())
        crew, before = self._crew(config), None
        if start is not None:
            earlier = self._crew(start.config)
            before = Before(start.node, lambda record: earlier, table_of(start.config))
        self._workflow = Workflow(
            crew, VERIFICATION if verifies_only else table or table_of(config), lambda visit: self._comparison.compare(visit), before
        )

    def _crew(self, config: Config) -> Crew:
        return build_crew(config, lambda name, model: self._source, self._kind)

    def replay(self, record: Instance, visits: Sequence[Visit]) -> InstanceResult:
        """Replays one instance; needs no event loop, since the record answers at once.

        Raises:
            ReplayMismatch: at the first difference from the record.
        """
        self._source.begin(record.id, visits)
        self._comparison = Comparison(record.id, visits)
        result = _at_once(run_instance(record, self._workflow))
        self._comparison.end()
        return result


async def replay_instance(
    record: Instance, visits: Sequence[Visit], config: Config, *, kind: InstanceKind = GRAPH, table: Table | None = None
) -> InstanceResult:
    """Replays one instance; see `Replayer`, which is quicker for many.

    Raises:
        ReplayMismatch: at the first difference from the record.
        ConfigError: a prompt is missing or broken.
    """
    return Replayer(config, kind=kind, table=table).replay(record, visits)


class Comparison:
    """The recorded visits of one instance, compared with those that are written now."""

    def __init__(self, instance_id: str, recorded: Sequence[Visit]) -> None:
        self._instance_id = instance_id
        self._recorded = recorded
        self._compared = 0

    @property
    def is_complete(self) -> bool:
        """Whether every recorded visit has come."""
        return self._compared == len(self._recorded)

    def compare(self, visit: Visit) -> None:
        """Passes if this visit is the next one recorded.

        Raises:
            ReplayMismatch: it is not.
        """
        where = f"visit {visit.seq} ({visit.node.value})"
        if self.is_complete:
            raise _mismatch(self._instance_id, where, "the record ends before it")
        recorded = self._recorded[self._compared]
        if not _is_same(recorded, visit):
            difference = first_difference(_comparable(recorded), _comparable(visit))
            if difference is not None:
                raise _mismatch(self._instance_id, where, difference)
        self._compared += 1

    def end(self) -> None:
        """Passes if nothing more was recorded.

        Raises:
            ReplayMismatch: the record goes on.
        """
        if not self.is_complete:
            left = self._recorded[self._compared]
            where = f"visit {left.seq} ({left.node.value})"
            raise _mismatch(self._instance_id, where, "the record goes on after the instance has ended")


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


def _at_once(work: Coroutine[Any, Any, InstanceResult]) -> InstanceResult:
    """Drives a coroutine that waits for nothing; an event loop of its own would cost a tenth of a replay."""
    try:
        while True:
            work.send(None)
    except StopIteration as end:
        result: InstanceResult = end.value
        return result


def _as_received(recorded: Try) -> RawReply:
    is_failure = recorded.error in CALL_ERRORS  # it leaves no reply to parse again, so the record's word is taken
    return RawReply(
        text=recorded.reply_raw,
        finish_reason=recorded.finish_reason,
        refused=recorded.error is TryError.REFUSED,
        usage=recorded.usage,
        error=recorded.error if is_failure else None,
        detail=recorded.error_detail if is_failure else "",
        latency_s=recorded.latency_s,
        cached=recorded.cached,
        counted=recorded.counted,
    )


def _is_same(recorded: Visit, now: Visit) -> bool:
    """Whether two visits are plainly the same; `False` may still be no difference, once both are JSON."""
    return (
        len(recorded.tries) == len(now.tries)
        and all(getattr(recorded, name) == getattr(now, name) for name in _OF_VISIT)
        and all(
            getattr(one, name) == getattr(other, name) for one, other in zip(recorded.tries, now.tries, strict=True) for name in _OF_TRY
        )
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


def _mismatch(instance_id: str, where: str, what: str, diff: tuple[str, ...] = ()) -> ReplayMismatch:
    return ReplayMismatch(what, where=f"{instance_id}, {where}", diff=diff)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:60]} ... {text[-50:]}"
