"""The rules of the offline backend for questions about temporal tables, one for each role."""

from __future__ import annotations

from collections.abc import Mapping

from agents.offline.tables.error_analyst import analyse_table
from agents.offline.tables.leak_rewriter import leak_rewrite_table
from agents.offline.tables.reviser import revise_table
from agents.offline.tables.rewriter import translate
from agents.offline.tables.verifier import answer_from_rows
from agents.rules_backend import Rule
from state.vocabulary import Role

TABLE_RULES: Mapping[Role, Rule] = {
    Role.REWRITER: lambda request, mode: translate(request),
    Role.VERIFIER: lambda request, mode: answer_from_rows(request),
    Role.APPEAL: lambda request, mode: answer_from_rows(request),
    Role.ERROR_ANALYST: lambda request, mode: analyse_table(request),
    Role.REVISER: lambda request, mode: revise_table(request),
    Role.LEAK_REWRITER: lambda request, mode: leak_rewrite_table(request),
}
"""Role -> `(typed request, verifier mode) -> typed reply`; tables have no modes, every value that fits is named."""
