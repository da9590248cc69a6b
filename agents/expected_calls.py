"""The calls of one instance before any is made: how many, and how many tokens, as an interval.

*least*: the question passes at once. *most*: the instance takes the longest way of the transition table,
and each reply can be used at once. *bound*: that way with every call asked again to the end, each reply
as long as its limit, which a cut-off reply doubles. Where one role's words are shown to another they
count there, in *bound*, as many tokens as they had.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from agents.backends import Backend, Feedback
from agents.call_bounds import MESSAGE_TOKENS, prompt_token_bound, reply_token_bound, request_bytes
from agents.constraint_difference import Finding
from agents.crew import Crew, Mode
from agents.error_analyst import analyse_request
from agents.leak_filter import names_to_avoid
from agents.read_constraints import Bench
from agents.response_cache import request_key
from agents.round_trip import read_request
from agents.rules_backend import LABEL
from agents.transitions import NODE_ROLES, START, Table, entry_of, nodes_of
from agents.usable_question import required_names
from agents.verifier import player
from graph_sampler.execute import execute, structure_of
from state.config import ModelConfig
from state.instance import BenchmarkRecord
from state.pipeline_state import initial_state
from state.roles import AnswersReply, LeakRewriteRequest, ReviseRequest, RewriteRequest, RoleRequest, VerifyRequest
from state.trajectory import Request
from state.vocabulary import Cause, Difference, Node, Outcome, Role, TryError

FEWEST_TOKENS_BYTES = 5.0
"""Bytes a token where a text takes few tokens. A vocabulary of 49,000 words (SmolLM2's) takes 2.8 to 3.9 bytes of our prompts a
token, over 100 requests of the shipped graph; larger vocabularies take more."""
MOST_TOKENS_BYTES = 2.5
"""Bytes a token where a text takes many: a little below the least that was seen. Labels in other scripts may take still fewer."""
QUESTION_SHARE = (0.4, 1.5)
"""Length of a written question, as shares of the template question's."""
CAUSE_TOKENS = (10, 120)
"""Length of the error analyst's whole reply."""
REASON = "The rewritten question says after the end where the assembled question says after the start, so another entity fits it as well. "
"""An analyst's reason of the usual length."""
DETAIL_BYTES = 640
"""Most bytes of what a role is told about an unusable reply, names apart."""
_ESCAPED = 8
"""Most bytes that one byte of a name may take where it is shown with escapes."""
_NAMES_TOLD = 3

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

    def expect(self, record: BenchmarkRecord) -> tuple[Expected, ...]:
        """What one instance comes to, stage by stage.

        Raises:
            ConfigError: a prompt asks for a variable that its role does not get.
        """
        requests: dict[tuple[Role, Mode | None], Request] = {}
        spoken: dict[Role, int | None] = {}
        for stage in self.stages:
            if (stage.role, stage.mode) not in requests:
                has_appeal, has_reader = Role.APPEAL in self._crew.backends, "roundtrip" in self._crew.modes
                typed = typed_request(stage.role, record, has_appeal=has_appeal, has_reader=has_reader)
                requests[stage.role, stage.mode] = request = self._backend(stage.role).render(stage.role, typed, stage.mode, ())[0]
                spoken[stage.role] = self._longest_words(stage, request, typed)
        names = _ESCAPED * sum(len(name.encode()) for name in (*required_names(record), max(record.labels, key=len)))
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

    def first_keys(self, record: BenchmarkRecord) -> tuple[str, ...]:
        """The cache keys of an instance's requests at its first node, one a mode, which are known to the byte."""
        keys = []
        for stage in self.first_stages:
            backend = self._backend(stage.role)
            request, _ = backend.render(stage.role, typed_request(stage.role, record, has_appeal=False), stage.mode, ())
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

    def _expect(self, stage: Stage, request: Request, record: BenchmarkRecord, spoken: Mapping[Role, int | None], names: int) -> Expected:
        if self.is_by_rules(stage.role):
            return Expected(Amount(1 if stage.node in self._passing else 0), Amount(1), Amount(1))
        read, (shortest, longest) = request_bytes(request), _REPLIES[stage.role](record)
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


def fewest_tokens(size: int) -> int:
    """Tokens that so many bytes take at least, if the tokenizer is good at them; 1 for any text."""
    return min(size, max(1, math.floor(size / FEWEST_TOKENS_BYTES)))


def most_tokens(size: int) -> int:
    """Tokens that so many bytes take at most with a usual tokenizer."""
    return math.ceil(size / MOST_TOKENS_BYTES)


def typed_request(role: Role, record: BenchmarkRecord, *, has_appeal: bool, has_reader: bool = False) -> RoleRequest:
    """What a role would be shown of an instance, the template question standing for what others wrote; the rewriter's is exact.

    Of a round-trip reader's findings the trace's own words are there, each constraint under the longest label, and
    every candidate as what its constraints name.
    """
    question = record.raw_question
    if role is Role.REWRITER:
        support = tuple(record.labelled(fact) for fact in record.support_facts)
        return RewriteRequest(template_question=question, support_facts=support, answer=record.answer)
    if role in (Role.VERIFIER, Role.APPEAL):
        evidence = tuple(record.labelled(fact) for fact in record.evidence)
        return VerifyRequest(question=question, evidence=evidence, structure_hint=record.structure_hint)
    if role is Role.ROUND_TRIP_READER:
        return read_request(record, question)
    if role is Role.LEAK_REWRITER:
        avoid = names_to_avoid(record.answer, record.answer_aliases)
        return LeakRewriteRequest(question=question, template_question=question, avoid=avoid)
    named = _labels_of_candidates(record) if has_reader else (record.answer,)
    objection = AnswersReply(answers=named, cannot_tell=False)
    findings = tuple(Finding(Difference.REVERSED, told, "").sentence for told in record.temporal_constraints) if has_reader else None
    analysed = analyse_request(initial_state(record, START) | {"question": question, "objection": objection, "findings": findings})
    if role is Role.ERROR_ANALYST:
        return analysed
    appeal = named if has_appeal else None
    return ReviseRequest(**dict(analysed), cause=Cause.AMBIGUOUS_REFERENCE, reason=REASON, appeal_answers=appeal)


def _labels_of_candidates(record: BenchmarkRecord) -> tuple[str, ...]:
    """What a reader's constraints name at most, whatever they are."""
    candidates = execute(structure_of(record.trace), record.evidence).answers
    return tuple(sorted(record.labels[entity] for entity in candidates))


def _question_tokens(record: BenchmarkRecord) -> tuple[int, int]:
    size, frame = len(record.raw_question.encode()), len(json.dumps({"question": ""}))
    low, high = QUESTION_SHARE
    return fewest_tokens(frame + math.floor(low * size)), most_tokens(frame + math.ceil(high * size))


def _answer_tokens(record: BenchmarkRecord) -> tuple[int, int]:
    """From the answer alone to the answer and the longest of the other names."""
    entities = {end for fact in record.evidence for end in (fact.subject, fact.object)} - {record.answer_id}
    lengths = sorted((len(record.labels[end].encode()) for end in entities), reverse=True)
    frame, answer = len(json.dumps({"answers": [""], "cannot_tell": False})), len(record.answer.encode())
    return fewest_tokens(frame + answer), most_tokens(frame + answer + sum(4 + length for length in lengths[: _NAMES_TOLD - 1]))


def _reading_tokens(record: BenchmarkRecord) -> tuple[int, int]:
    """From one constraint, the shortest, to one more than there are."""
    stated = json.loads(Bench(record).state().model_dump_json())
    lengths = sorted(len(json.dumps(constraint).encode()) for constraint in stated["constraints"])
    frame = len(json.dumps({**stated, "constraints": []}))
    return fewest_tokens(frame + lengths[0]), most_tokens(frame + sum(lengths) + lengths[-1])


_REPLIES: Mapping[Role, Callable[[BenchmarkRecord], tuple[int, int]]] = {
    Role.REWRITER: _question_tokens,
    Role.VERIFIER: _answer_tokens,
    Role.APPEAL: _answer_tokens,
    Role.ERROR_ANALYST: lambda record: CAUSE_TOKENS,
    Role.REVISER: _question_tokens,
    Role.LEAK_REWRITER: _question_tokens,
    Role.ROUND_TRIP_READER: _reading_tokens,
}
"""Fewest and most tokens of a role's usual reply."""
