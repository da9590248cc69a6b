"""What the analyst, the reviser and the leak rewriter of tables make of a question that failed."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.tables.error_analyst import analyse_table
from agents.offline.tables.leak_rewriter import leak_rewrite_table
from agents.offline.tables.reviser import revise_table
from agents.offline.tables.rewriter import PHRASINGS, compose
from agents.offline.tables.rules import TABLE_RULES
from agents.offline.tables.sql_reader import read_sql
from state.interval import Granularity
from state.table_instance import ShownTable
from state.table_roles import TableAnalyseRequest, TableLeakRewriteRequest, TableReviseRequest
from state.vocabulary import Cause, Role

SQL = (
    """SELECT "name", "start", "end" FROM "t" WHERE "country" = 'Arland' AND "role" = 'Chair' """
    """AND "start" > '1990' AND "start" >= '1985'"""
)
WHOLE = "Who was Chair of Arland in a term that began after 1990 and no earlier than 1985?"


def analysed(question: str, named: tuple[str, ...], *, cannot_tell: bool) -> Cause:
    told = {"verifier_answers": named, "cannot_tell": cannot_tell, "answers": ("Ana", "Bo")}
    return analyse_table(TableAnalyseRequest.model_validate({"question": question, **told, **seen()})).cause


def seen() -> dict[str, Any]:
    table = ShownTable(name="t", columns=("country", "role", "name"), ends="exclusive", open_end="unknown", rows=())
    return {"sql": SQL, "glossary": {}, "tables": (table,), "unit": Granularity.YEAR, "as_of": None}


@pytest.mark.parametrize(
    ("question", "named", "cannot_tell", "cause"),
    [
        ("Who was Chair in a term that began after 1990 and no earlier than 1985?", ("Ana",), False, Cause.MISSING_CONSTRAINT),
        ("Who was Chair of Arland in a term that began after 1990?", ("Ana", "Bo"), False, Cause.MISSING_CONSTRAINT),
        (WHOLE, (), True, Cause.UNCLEAR),
        ("Who was Chair of Arland in a term that began before 1990 and before 1985?", ("Cy",), False, Cause.REVERSED_CONSTRAINT),
        (WHOLE, ("Ana", "Bo", "Cy"), False, Cause.MISSING_CONSTRAINT),
        (WHOLE, ("Ana",), False, Cause.UNNECESSARY_CONSTRAINT),
        (WHOLE, ("Ana", "Cy"), False, Cause.WRONG_CONSTRAINT),
    ],
)
def test_the_analyst_names_what_can_be_shown(question: str, named: tuple[str, ...], cannot_tell: bool, cause: Cause) -> None:
    assert analysed(question, named, cannot_tell=cannot_tell) is cause


def test_the_reviser_writes_the_phrasing_after_the_one_that_failed() -> None:
    read = read_sql(SQL)
    ours = [compose(read, {}, phrasing, open_end="unknown") for phrasing in range(1, PHRASINGS + 1)]
    told = {"verifier_answers": (), "cannot_tell": True, "answers": (), "cause": Cause.UNCLEAR, "reason": "", "appeal_answers": None}
    requests = [TableReviseRequest.model_validate({"question": text, **told, **seen()}) for text in (*ours, "Who?")]
    revised = [revise_table(request).question for request in requests]
    assert revised == [*ours[1:], ours[0], ours[0]]


def test_the_leak_rewriter_takes_a_phrasing_without_the_strings_to_avoid() -> None:
    first, second, third = (compose(read_sql(SQL), {}, phrasing) for phrasing in range(1, 4))

    def rewritten(question: str, *avoid: str) -> str:
        return leak_rewrite_table(TableLeakRewriteRequest(question=question, sql=SQL, glossary={}, avoid=avoid)).question

    assert rewritten(first, "Ana") == second
    assert rewritten(first, "served") == third
    assert rewritten("Was it Ana?", "Ana") == first
    assert rewritten(first, "Arland") == second


def test_every_role_of_a_table_has_a_rule() -> None:
    assert set(TABLE_RULES) == {Role.REWRITER, Role.VERIFIER, Role.APPEAL, Role.ERROR_ANALYST, Role.REVISER, Role.LEAK_REWRITER}
