"""The rules of the offline backend, one for each role."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

from agents.offline.error_analyst import analyse
from agents.offline.leak_rewriter import leak_rewrite
from agents.offline.reviser import revise
from agents.offline.rewriter import rewrite
from agents.offline.verifier import verify
from agents.offline.verifier_round_trip import read_constraints
from state.roles import RoleReply, VerifyRequest
from state.vocabulary import Role


def _verify(request: VerifyRequest, mode: str | None) -> RoleReply:
    return verify(request, cast(Literal["all", "single"], mode or "all"))


RULES: Mapping[Role, Callable[[Any, str | None], RoleReply]] = {
    Role.REWRITER: lambda request, mode: rewrite(request),
    Role.VERIFIER: _verify,
    Role.APPEAL: _verify,
    Role.ERROR_ANALYST: lambda request, mode: analyse(request),
    Role.REVISER: lambda request, mode: revise(request),
    Role.LEAK_REWRITER: lambda request, mode: leak_rewrite(request),
    Role.ROUND_TRIP_READER: lambda request, mode: read_constraints(request),
}
"""Role -> `(typed request, verifier mode) -> typed reply`."""
