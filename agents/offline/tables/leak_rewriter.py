"""The leak rewriter of tables by rules: another phrasing of the query, if one is free of the answers."""

from __future__ import annotations

from itertools import product

from agents.names import spans, tokens
from agents.offline.tables.rewriter import PHRASINGS, compose
from agents.offline.tables.sql_reader import read_sql
from state.roles import QuestionReply
from state.table_roles import TableLeakRewriteRequest


def leak_rewrite_table(request: TableLeakRewriteRequest) -> QuestionReply:
    """The first of our phrasings without the strings to avoid, else another one than the question.

    How ends are meant is not in the request: it is taken as in the question, if that is one of ours.

    Raises:
        UnreadableSql: the SQL is not that of a question.
    """
    asked = read_sql(request.sql)
    sets = [
        [compose(asked, request.glossary, phrasing, is_inclusive=is_inclusive, open_end=open_end) for phrasing in range(1, PHRASINGS + 1)]
        for is_inclusive, open_end in product((False, True), ("ongoing", "unknown"))
    ]
    renderings = next((ours for ours in sets if request.question in ours), sets[0])
    others = [text for text in renderings if text != request.question]
    clean = (text for text in others if not any(spans(tokens(name), tokens(text)) for name in request.avoid))
    return QuestionReply(question=next(clean, others[0]))
