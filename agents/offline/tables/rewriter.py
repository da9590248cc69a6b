"""The rewriter of tables by rules: the SQL of a question -> English. Paper: TDBench, section 3.3."""

from __future__ import annotations

from collections.abc import Mapping

from agents.names import spans, tokens
from agents.offline.tables.frames import Fixed, frame, meanwhile
from agents.offline.tables.sql_reader import Comparison, ReadSql, UnreadableSql, read_sql
from agents.offline.tables.time_clauses import at, clause, date_words
from agents.offline.tables.windows import window
from state.interval import parse_iso
from state.roles import QuestionReply
from state.table_roles import TranslateRequest

PHRASINGS = 3
"""Phrasings that differ; higher numbers begin again with the first."""


def translate(request: TranslateRequest) -> QuestionReply:
    """The query in English, exactly; the same request always gives the same words.

    Where our own words would name an answer, the next phrasing is taken.

    Raises:
        UnreadableSql: the SQL is not that of a question.
    """
    asked = read_sql(request.sql)
    is_inclusive = request.ends == "inclusive"
    renderings = [
        compose(asked, request.glossary, request.phrasing + step, is_inclusive=is_inclusive, open_end=request.open_end)
        for step in range(PHRASINGS)
    ]
    clean = (text for text in renderings if not any(spans(tokens(name), tokens(text)) for name in request.avoid))
    return QuestionReply(question=next(clean, renderings[0]))


def compose(asked: ReadSql, glossary: Mapping[str, str], phrasing: int, *, is_inclusive: bool = False, open_end: str = "ongoing") -> str:
    """A read query in one of the phrasings.

    Args:
        asked: the query.
        glossary: column -> what a question calls it; others keep their names.
        phrasing: from 1.
        is_inclusive: whether a row still holds in the granule of its end.
        open_end: what a missing end means.

    Raises:
        UnreadableSql: it joins tables in a way that no question does.
    """
    place = (phrasing - 1) % PHRASINGS
    own = [Fixed(one.column.called(glossary), one.value) for one in asked.given if one.column.table == asked.asked.table]
    if asked.shared:
        others = [Fixed(one.column.called(glossary), one.value) for one in asked.given if one.column.table != asked.asked.table]
        if asked.comparisons or not others:
            raise UnreadableSql("the SQL joins tables for another question than what holds meanwhile", remedy="build the questions again")
        return meanwhile(asked.asked.called(glossary), own, [column.called(glossary) for column in asked.shared], others)[place] + "?"
    words = frame(asked.asked.called(glossary), own)
    if not asked.comparisons:
        return f"{words.always[place]}?"
    if moment := _moment(asked.comparisons, is_inclusive=is_inclusive):
        before, after = words.before_as_of[place], words.after_as_of[place]
        date = date_words(moment) if before else at(moment)
        text = f"{before}{date}{after}?"
        return text[0].upper() + text[1:]
    start = window(one for one in asked.comparisons if one.bound == "start")
    end = window(one for one in asked.comparisons if one.bound == "end")
    return words.timed[place] + clause(start, end, words.voices[place], has_open_ends=open_end == "ongoing") + "?"


def _moment(comparisons: tuple[Comparison, ...], *, is_inclusive: bool) -> str | None:
    """The granule in which rows are to hold, if the comparisons say just that, else `None`."""
    if [(one.bound, one.sign in ("<=", ">", ">=")) for one in comparisons] != [("start", True), ("end", True)]:
        return None
    start, end = comparisons
    first, last = parse_iso(start.date)[0], parse_iso(end.date)[0] + (end.sign == ">") - (not is_inclusive)
    return start.date if start.sign == "<=" != end.sign and first == last and parse_iso(start.date)[1] is parse_iso(end.date)[1] else None
