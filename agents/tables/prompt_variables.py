"""What the prompts of the table roles may show, and which prompts they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import prompts
from agents.prompt_rows import rows_of
from state.table_instance import ShownTable
from state.table_roles import TableAnalyseRequest, TableLeakRewriteRequest, TableReviseRequest, TableVerifyRequest, TranslateRequest
from state.vocabulary import Role

TABLE_PROMPT_FOLDERS: Mapping[Role, str] = {
    Role.REWRITER: "table_rewriter",
    Role.VERIFIER: "table_verifier",
    Role.APPEAL: "table_verifier",
    Role.ERROR_ANALYST: "table_error_analyst",
    Role.REVISER: "table_reviser",
    Role.LEAK_REWRITER: "table_leak_rewriter",
}
"""Whose prompts a role uses; the appeal reads the verifier's."""


def _tables(tables: Sequence[ShownTable]) -> prompts.Rows:
    return prompts.Rows({"table": table.name, "ends": table.ends, "missing end": table.open_end} for table in tables)


def _rows(tables: Sequence[ShownTable]) -> prompts.Rows:
    return rows_of(tables, _objects)


def _objects(tables: Sequence[ShownTable]) -> list[dict[str, Any]]:
    return [
        {"table": table.name, "values": dict(zip(columns, row.values, strict=True)), "start": row.start, "end": row.end}
        for table in tables
        for columns in [columns_told_apart(table.columns)]
        for row in table.rows
    ]


def columns_told_apart(columns: Sequence[str]) -> list[str]:
    """The columns' names, a number after one that stands there already."""
    return [name if (seen := columns[:place].count(name)) == 0 else f"{name} ({seen + 1})" for place, name in enumerate(columns)]


def _analysed(typed: TableAnalyseRequest) -> dict[str, Any]:
    return {
        "sql": typed.sql,
        "glossary": typed.glossary,
        "question": typed.question,
        "unit": typed.unit.value,
        "as_of": typed.as_of,
        "verifier_answers": list(typed.verifier_answers),
        "cannot_tell": typed.cannot_tell,
        "answers": list(typed.answers),
        "tables": _tables(typed.tables),
        "rows": _rows(typed.tables),
    }


def _revised(typed: TableReviseRequest) -> dict[str, Any]:
    appeal = None if typed.appeal_answers is None else list(typed.appeal_answers)
    return {**_analysed(typed), "cause": typed.cause.value, "reason": typed.reason, "appeal_answers": appeal}


TABLE_VARIABLES: Mapping[type[Any], Callable[[Any, str | None], dict[str, Any]]] = {
    TranslateRequest: lambda typed, mode: {
        "sql": typed.sql,
        "glossary": typed.glossary,
        "unit": typed.unit.value,
        "ends": typed.ends,
        "open_end": typed.open_end,
        "as_of": typed.as_of,
        "is_about_now": typed.is_about_now,
        "phrasing": typed.phrasing,
        "phrasings": typed.phrasings,
        "avoid": list(typed.avoid),
    },
    TableVerifyRequest: lambda typed, mode: {
        "question": typed.question,
        "unit": typed.unit.value,
        "as_of": typed.as_of,
        "tables": _tables(typed.tables),
        "rows": _rows(typed.tables),
    },
    TableAnalyseRequest: lambda typed, mode: _analysed(typed),
    TableReviseRequest: lambda typed, mode: _revised(typed),
    TableLeakRewriteRequest: lambda typed, mode: {
        "question": typed.question,
        "sql": typed.sql,
        "glossary": typed.glossary,
        "avoid": list(typed.avoid),
    },
}
"""Type of a request -> `(request, verifier's mode) -> variables`."""
