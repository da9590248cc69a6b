"""Invented requests for the roles that put questions about tables into English; nobody in them exists."""

from __future__ import annotations

from collections.abc import Mapping

from state.interval import Granularity
from state.roles import RoleRequest
from state.table_instance import ShownRow, ShownTable
from state.table_roles import (
    TableAnalyseRequest,
    TableLeakRewriteRequest,
    TableReviseRequest,
    TableVerifyRequest,
    TranslateRequest,
)
from state.vocabulary import Cause

_SQL = (
    'SELECT "person", "from_year", "to_year" FROM "mill_heads" '
    "WHERE \"mill\" = 'Fenn Mill' AND \"from_year\" > '1990' AND \"to_year\" > '1997'"
)
_GLOSSARY = {"person": "head", "mill": "mill", "from_year": "start", "to_year": "end"}
_ANSWER = "Jon Abt"
_ROWS = (("Ida Wick", "1990", "1997"), (_ANSWER, "1995", "2001"), ("Lea Orr", "1988", "1993"))
_TABLES = (
    ShownTable(
        name="mill_heads",
        columns=("mill", "head"),
        ends="exclusive",
        open_end="ongoing",
        rows=tuple(ShownRow(values=("Fenn Mill", name), start=start, end=end) for name, start, end in _ROWS),
    ),
)
_QUESTION = "Who became head of Fenn Mill after 1990 and had not left by 1997?"
_ANALYSED = {
    "sql": _SQL,
    "glossary": _GLOSSARY,
    "question": "Who was head of Fenn Mill from 1990 on and had not left before 1997?",
    "verifier_answers": ("Ida Wick", _ANSWER),
    "cannot_tell": False,
    "answers": (_ANSWER,),
    "tables": _TABLES,
    "unit": Granularity.YEAR,
    "as_of": "2020",
}
_VERDICT = {
    "cause": Cause.WRONG_CONSTRAINT,
    "reason": "Query: began after 1990. Question: from 1990 on, which lets in Ida Wick.",
    "appeal_answers": None,
}
TABLE_EXAMPLES: Mapping[str, tuple[RoleRequest, str | None]] = {
    "table_rewriter": (
        TranslateRequest(
            sql=_SQL,
            glossary=_GLOSSARY,
            unit=Granularity.YEAR,
            ends="exclusive",
            open_end="ongoing",
            as_of="2020",
            is_about_now=False,
            phrasing=1,
            phrasings=3,
            avoid=(_ANSWER,),
        ),
        None,
    ),
    "table_verifier": (TableVerifyRequest(question=_QUESTION, tables=_TABLES, unit=Granularity.YEAR, as_of="2020"), "all"),
    "table_error_analyst": (TableAnalyseRequest.model_validate(_ANALYSED), None),
    "table_reviser": (TableReviseRequest.model_validate(_ANALYSED | _VERDICT), None),
    "table_leak_rewriter": (
        TableLeakRewriteRequest(
            question=f"Which head of Fenn Mill, {_ANSWER}, came after 1990 and had not left by 1997?",
            sql=_SQL,
            glossary=_GLOSSARY,
            avoid=(_ANSWER, "Abt"),
        ),
        None,
    ),
}
"""Folder of prompts -> request and verifier's mode."""
