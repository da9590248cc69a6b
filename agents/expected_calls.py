"""The calls of one instance before any is made: how many, and how many tokens, as an interval.

*least*: the question passes at once. *most*: the instance takes the longest way of the transition table,
and each reply can be used at once. *bound*: that way with every call asked again to the end, each reply
as long as its limit, which a cut-off reply doubles. Where one role's words are shown to another they
count there, in *bound*, as many tokens as they had.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from agents.backends import Backend, Feedback
from agents.call_bounds import MESSAGE_TOKENS, prompt_token_bound, reply_token_bound, request_bytes
from agents.crew import Crew, Mode
from agents.expected_graph_calls import GRAPH_OUTLOOK
from agents.kinds import GRAPH, TABLE
from agents.response_cache import request_key
from agents.rules_backend import LABEL
from agents.tables.expected_calls import TABLE_OUTLOOK
from agents.transitions import NODE_ROLES, Table, entry_of, nodes_of
from agents.usual_tokens import Outlook, fewest_tokens, most_tokens
from agents.verifier import player
from state.any_instance import Instance
from state.config import ModelConfig
from state.roles import RoleRequest
from state.trajectory import Request
from state.vocabulary import Node, Outcome, Role, TryError

DETAIL_BYTES = 640
"""Most bytes of what a role is told about an unusable reply, names apart."""
_ESCAPED = 8
"""Most bytes that one byte of a name may take where it is shown with escapes."""

_PASSING = (Outcome.WRITTEN, Outcome.AGREES, Outcome.CLEAN)
_TELLERS: Mapping[Node, tuple[Role, ...]] = {
    Node.REWRITE: (),
    Node.VERIFY: (Role.REWRITER,),
    Node.ANALYSE: (Role.REWRITER, Role.VERIFIER, Role.ROUND_TRIP_READER),
    Node.APPEAL: (Role.REWRITER,),
    Node.REVISE: (Role.REWRITER, Role.VERIFIER, Role.ROUND_TRIP_READER, Role.ERROR_ANALYST, Role.APPEAL),
    Node.VERIFY_REPAIR: (Role.REVISER,),
    Node.LEAK_REWRITE: (Role.REWRITER, Role.REVISER),
    Node.VERIFY_LEAK_REWRITE: (Role.LEAK_REWRITER,),
}
"""Whose words a node's request may hold; for the leak rewriter either's, of which the sum is a bound."""


_OUTLOOKS: Mapping[str, Outlook] = {GRAPH.name: GRAPH_OUTLOOK, TABLE.name: TABLE_OUTLOOK}


class Amount(NamedTuple):
    """Calls and their tokens."""

    calls: int = 0
    prompt: int = 0
    reply: int = 0

    def plus(self, other: Amount) -> Amount:
        """The sum."""
        return Amount(self.calls + other.calls, self.prompt + other.prompt, self.reply + other.reply)


class Stage(NamedTuple):
    """One kind of call."""

    node: Node
    role: Role
    mode: Mode | None
    """The verifier's mode; `None` where there are none."""

    @property
    def name(self) -> str:
        """`verify repair (all)`."""
        return self.node.value.replace("_", " ") + (f" ({self.mode})" if self.mode else "")


class Expected(NamedTuple):
    """What the calls of one stage come to."""

    least: Amount = Amount()
    most: Amount = Amount()
    bound: Amount = Amount()
    """Only its calls mean something where `CallPlan.unbounded` names the stage."""

    def plus(self, other: Expected) -> Expected:
        """The sum."""
        return Expected(self.least.plus(other.least), self.most.plus(other.most), self.bound.plus(other.bound))


class _Tries(NamedTuple):
    """What all tries of a role's call may take, whatever the instance."""

    replies: tuple[int, ...]
    """Longest reply of each try."""
    told: int
    """Most prompt tokens by which one unusable reply lengthens the next request, the reply itself apart."""


class CallPlan:
    """The calls that a crew would make, stage by stage; asks nobody."""

    def __init__(self, crew: Crew, table: Table, models: Mapping[Role, ModelConfig]) -> None:
        self._crew = crew
        self._models = models
        self._outlook = _OUTLOOKS[crew.kind.name]
        self.stages = tuple(
            Stage(node, player(role, mode), mode)
            for node in nodes_of(table)
            if (role := NODE_ROLES[node]) is not Role.LEAK_FILTER
            for mode in (crew.modes if role in (Role.VERIFIER, Role.APPEAL) else (None,))
        )
        self.first_stages = tuple(stage for stage in self.stages if stage.node is entry_of(table))
        self._passing = passing_way(table)
        self._tries: dict[Role, _Tries | None] = {}

    def is_by_rules(self, role: Role) -> bool:
        """Whether a role is played without any model."""
        return self._backend(role).provider == LABEL

    def expect(self, record: Instance) -> tuple[Expected, ...]:
        """What one instance comes to, stage by stage.

        Raises:
            ConfigError: a prompt asks for a variable that its role does not get.
        """
        requests: dict[tuple[Role, Mode | None], Request] = {}
        spoken: dict[Role, int | None] = {}
        for stage in self.stages:
            if (stage.role, stage.mode) not in requests:
                typed = self._outlook.request(stage.role, record, self._crew)
                requests[stage.role, stage.mode] = request = self._backend(stage.role).render(stage.role, typed, stage.mode, ())[0]
                spoken[stage.role] = self._longest_words(stage, request, typed)
        names = _ESCAPED * sum(len(name.encode()) for name in self._outlook.names(record))
        return tuple(self._expect(stage, requests[stage.role, stage.mode], record, spoken, names) for stage in self.stages)

    def unbounded(self) -> dict[Stage, Role]:
        """The stages whose tokens nothing bounds, and the role whose model has no token limit; known after the first instance."""
        open_roles = {role for role, tries in self._tries.items() if tries is None}
        found = {}
        for stage in self.stages:
            culprit = next((role for role in (stage.role, *_TELLERS[stage.node]) if role in open_roles), None)
            if culprit is not None and not self.is_by_rules(stage.role):
                found[stage] = culprit
        return found

    def first_keys(self, record: Instance) -> tuple[str, ...]:
        """The cache keys of an instance's requests at its first node, one a mode, which are known to the byte."""
        keys = []
        for stage in self.first_stages:
            backend = self._backend(stage.role)
            request, _ = backend.render(stage.role, self._outlook.request(stage.role, record, self._crew), stage.mode, ())
            keys.append(request_key(stage.role, backend.provider, request, 0))
        return tuple(keys)

    def _backend(self, role: Role) -> Backend:
        return self._crew.backends[role]

    def _longest_words(self, stage: Stage, request: Request, typed: RoleRequest) -> int | None:
        """Most tokens of what a role says in the end; `None`: nothing bounds it. Rules say less than they were shown."""
        role = stage.role
        if self.is_by_rules(role):
            return request_bytes(request)
        if role not in self._tries:
            self._tries[role] = self._all_tries(stage, typed)
        tries = self._tries[role]
        return None if tries is None else tries.replies[-1]

    def _all_tries(self, stage: Stage, typed: RoleRequest) -> _Tries | None:
        """Rendered for real, each try after cut-off replies: those double the limit."""
        cut = Feedback(None, TryError.TRUNCATED, "x" * DETAIL_BYTES)
        role, render = stage.role, self._backend(stage.role).render
        requests = [render(role, typed, stage.mode, [cut] * before)[0] for before in range(1 + self._crew.retries)]
        replies = [reply_token_bound(request, self._models[role]) for request in requests]
        bounded = tuple(reply for reply in replies if reply is not None)
        if len(bounded) < len(replies):
            return None
        told = prompt_token_bound(requests[1]) - prompt_token_bound(requests[0]) if self._crew.retries else 0
        return _Tries(bounded, told + MESSAGE_TOKENS)

    def _expect(self, stage: Stage, request: Request, record: Instance, spoken: Mapping[Role, int | None], names: int) -> Expected:
        if self.is_by_rules(stage.role):
            return Expected(Amount(1 if stage.node in self._passing else 0), Amount(1), Amount(1))
        read, (shortest, longest) = request_bytes(request), self._outlook.reply_tokens(stage.role, record)
        limit = reply_token_bound(request, self._models[stage.role])
        if limit is not None:
            shortest, longest = min(shortest, limit), min(longest, limit)
        least = Amount(1, fewest_tokens(read), shortest) if stage.node in self._passing else Amount()
        return Expected(least, Amount(1, most_tokens(read), longest), self._bound(stage, request, spoken, names))

    def _bound(self, stage: Stage, request: Request, spoken: Mapping[Role, int | None], names: int) -> Amount:
        """Both at once, though a try can only do one: a reply that is cut off, and one that is shown with its error."""
        tries = self._tries[stage.role]
        number = 1 + self._crew.retries
        if tries is None:
            return Amount(number)
        first = prompt_token_bound(request) + sum(spoken.get(role) or 0 for role in _TELLERS[stage.node])
        shown = sum((number - 1 - place) * (reply + tries.told + names) for place, reply in enumerate(tries.replies))
        return Amount(number, number * first + shown, sum(tries.replies))


def passing_way(table: Table) -> frozenset[Node]:
    """The nodes that an instance visits if everything goes well."""
    way: list[Node] = []
    at: object = entry_of(table)
    while isinstance(at, Node):
        way.append(at)
        at = next(to for outcome in _PASSING if (to := table.get((way[-1], outcome))) is not None)
    return frozenset(way)
