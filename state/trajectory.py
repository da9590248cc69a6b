"""The trajectory: everything the agents did for one instance, in order, replayable."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from state.model_base import Contract
from state.vocabulary import Node, Outcome, Role, TryError


class PromptRef(Contract):
    """Which prompt file a visit used."""

    version: str
    """File stem, e.g. `v1`."""
    sha256: str
    """Content hash of the file."""


class Request(Contract):
    """What was sent, whole; for the rule backend `messages` holds the typed request as one JSON string."""

    messages: tuple[dict[str, str], ...]
    """Role and content of each message."""
    schema_: dict[str, Any] | None = Field(alias="schema")
    """Response schema sent, or `None`."""
    model: str
    """The model's name on its server, or `offline-rules`."""
    base_url: str | None
    """Server address without user, password and query; `None` for the rule backend."""
    params_sent: dict[str, Any]
    """Parameters that went over the wire, nothing that was dropped."""


MOST_TOKENS = 1_000_000_000
"""More tokens than any reply has; a greater number cannot be meant, and might not fit where it is stored."""
_Tokens = Annotated[int, Field(ge=0, le=MOST_TOKENS)]


class Usage(Contract):
    """Token counts of one reply; zero where nothing was reported."""

    input: _Tokens = 0
    """Prompt tokens, cached ones included."""
    cached_input: _Tokens = 0
    """Prompt tokens that the server read from its own cache."""
    output: _Tokens = 0
    """Completion tokens, reasoning included."""
    reasoning: _Tokens = 0
    """Reasoning tokens."""


class Try(Contract):
    """One request and what came of it."""

    sample: int = Field(ge=0)
    """How many identical requests this instance made before."""
    request: Request
    """What was sent."""
    request_sha256: str
    """SHA-256 of the request's canonical JSON with role, provider and sample: the cache key."""
    reply_raw: str | None
    """The reply's text as received; `None` if none came."""
    reply_sha256: str | None
    """SHA-256 of `reply_raw`."""
    finish_reason: str | None
    """As the server gave it."""
    parsed: dict[str, Any] | None
    """The validated reply; `None` if it could not be used."""
    error: TryError | None
    """Why it could not be used; `None` if it could."""
    error_detail: str = ""
    """One line on the error, with no secret in it."""
    usage: Usage
    """Token counts."""
    usd: float | None
    """Cost of the reply; `None` for a model without a price."""
    latency_s: float
    """Wall-clock seconds; left out of golden comparisons."""
    cached: bool
    """Whether the reply came from the cache; left out of golden comparisons."""
    counted: bool = True
    """Whether the try counts against the bound on tries; false where the endpoint was busy or gone."""


class Visit(Contract):
    """One node visit."""

    instance_id: str
    """The instance."""
    seq: int = Field(ge=0)
    """Position in the trajectory, from 0."""
    node: Node
    """The node."""
    role: Role
    """Who did the work."""
    mode: str | None = None
    """Verifier mode of this call's work (`all`, `single`, `roundtrip`); `None` elsewhere."""
    outcome: Outcome
    """What it came to."""
    to: str
    """The node or terminal that the transition table names next."""
    prompt: PromptRef | None
    """The prompt used; `None` for code and for the rule backend."""
    result: dict[str, Any]
    """What the node found: the question written, the answers and comparison, the leaks."""
    tries: tuple[Try, ...]
    """Every try, in order; empty for the leak filter."""


class Trajectory(Contract):
    """All visits of one instance."""

    format: Literal[1] = 1
    """Format version."""
    instance_id: str
    """The instance."""
    visits: tuple[Visit, ...]
    """Visits in order."""
