"""The seam between calls and money: a call is reserved before it is sent and settled when its end is known.

Beside it the seam for what was paid for in vain: replies that no role can use, which no cache holds.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from state.trajectory import Request, Usage


class Call(NamedTuple):
    """One request to a model on its way out."""

    instance_id: str
    """The instance that asks; empty where none does."""
    role: str
    """Who asks."""
    model: str
    """Name of the model's entry in `models`."""
    request: Request
    request_sha256: str
    """The cache key of the request."""


class Ledger(Protocol):
    """Keeps what is paid within what may be paid."""

    async def reserve(self, call: Call) -> int:
        """Notes the most that a call can cost, waiting for calls in flight if there may be room after them; a ticket to settle.

        Raises:
            BudgetReached: the call does not fit into what is left.
            ModelCallError: a server used more than its request allowed, so that no budget can be kept with it.
        """
        ...

    def settle(self, ticket: int, usage: Usage | None, *, charged: bool) -> float | None:
        """Notes how a call ended; returns what it is taken to have cost in US dollars, `None` without a price.

        Args:
            ticket: from `reserve`.
            usage: the tokens that the server reported; `None` if it reported none.
            charged: whether the server may charge for the call; it then costs its usage, or all that was reserved.
        """
        ...


class UnusableReplies(Protocol):
    """Keeps the replies that cannot be used, of instances that have not ended."""

    def keep_unusable(self, instance_id: str, request_sha256: str, reply: str) -> None:
        """Stores a reply under the key of its request, until the instance ends."""
        ...

    def unusable(self, instance_id: str, request_sha256: str) -> str | None:
        """The stored reply; `None` if there is none, or the instance has ended since."""
        ...
