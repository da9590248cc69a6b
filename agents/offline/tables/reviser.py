"""The reviser of tables by rules: the query in the phrasing after the one that failed."""

from __future__ import annotations

from agents.offline.tables.rewriter import PHRASINGS, compose
from agents.offline.tables.sql_reader import read_sql
from state.roles import QuestionReply
from state.table_roles import TableReviseRequest


def revise_table(request: TableReviseRequest) -> QuestionReply:
    """Another phrasing of the query; the failed question only tells which one is not to be repeated.

    Raises:
        UnreadableSql: the SQL is not that of a question.
    """
    asked = read_sql(request.sql)
    called = asked.asked.called(request.glossary)
    table = next((one for one in request.tables if called in one.columns), request.tables[0])
    renderings = [
        compose(asked, request.glossary, phrasing, is_inclusive=table.ends == "inclusive", open_end=table.open_end)
        for phrasing in range(1, PHRASINGS + 1)
    ]
    failed = renderings.index(request.question) if request.question in renderings else -1
    return QuestionReply(question=renderings[(failed + 1) % PHRASINGS])
