"""The error analyst of tables by rules: what the query, the question and the two sets of answers give away, else `unclear`.

It compares words and names, no meaning, and it never blames the verifier: rules that cannot follow a question cannot
know who erred.
"""

from __future__ import annotations

import re

from agents.names import spans, tokens
from agents.offline.tables.sql_reader import ReadSql, read_sql
from state.interval import Granularity, civil_from_days, parse_iso
from state.roles import CauseReply
from state.table_roles import TableAnalyseRequest
from state.vocabulary import Cause

_EARLIER = re.compile(r"\b(?:before|earlier|until|not after|by)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:later|since|not before|(?<!not )after)\b", re.IGNORECASE)


def analyse_table(request: TableAnalyseRequest) -> CauseReply:
    """The first cause that can be shown: what is not said at all comes first.

    Raises:
        UnreadableSql: the SQL is not that of a question.
    """
    asked = read_sql(request.sql)
    said = tokens(request.question)
    if unsaid := [one.value for one in asked.given if tokens(one.value).joined and not spans(tokens(one.value), said)]:
        return CauseReply(cause=Cause.MISSING_CONSTRAINT, reason=f"The question does not name {', '.join(unsaid)}.")
    if unsaid := [year for year in _years(asked) if year not in said.words]:
        return CauseReply(cause=Cause.MISSING_CONSTRAINT, reason=f"The question does not name the year {', '.join(unsaid)}.")
    if request.cannot_tell:
        return CauseReply(cause=Cause.UNCLEAR, reason="The verifier could not follow the question.")
    if _is_turned(asked, request.question):
        return CauseReply(cause=Cause.REVERSED_CONSTRAINT, reason="Words for earlier and later have changed places.")
    named, right = set(request.verifier_answers), set(request.answers)
    if named > right:
        return CauseReply(cause=Cause.MISSING_CONSTRAINT, reason="The answers fit the question, but so do others.")
    if named < right:
        return CauseReply(cause=Cause.UNNECESSARY_CONSTRAINT, reason="The question leaves answers out.")
    if named != right:
        return CauseReply(cause=Cause.WRONG_CONSTRAINT, reason="The question leads to other answers.")
    return CauseReply(cause=Cause.UNCLEAR, reason="The query and the question show no difference.")


def _years(asked: ReadSql) -> list[str]:
    years = []
    for one in asked.comparisons:
        granule, unit = parse_iso(one.date)
        year = civil_from_days(granule)[0] if unit is Granularity.DAY else 1970 + granule // 12 if unit is Granularity.MONTH else granule
        years.append(str(year) if year > 0 else str(1 - year))
    return list(dict.fromkeys(years))


def _is_turned(asked: ReadSql, question: str) -> bool:
    """Whether the question has as many words for earlier as the query has signs for later, and the other way round."""
    earlier, later = len(_EARLIER.findall(question)), len(_LATER.findall(question))
    less = sum(one.sign in ("<", "<=") for one in asked.comparisons)
    more = sum(one.sign in (">", ">=") for one in asked.comparisons)
    return less != more and (earlier, later) == (more, less)
