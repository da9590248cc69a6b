"""Whether a reply gives the dates that a question demands, each in its role; the judge that needs no model.

It reads the dates that belong to the gold row named in the reply. A reply that names none is judged by all its
dates, so that T is of the dates alone and AT of both. Paper: TDBench, section 4, time accuracy.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from state.interval import civil_from_days, parse_iso
from state.tdbench_scoring import AnswerClass, AnswerRow, ScoredQuestion, TimeVerdict
from tdbench.scoring.answer_match import AnswerReading, NamedRow, row_name
from tdbench.scoring.date_reading import PartialDate, ReadDate, read_dates
from tdbench.scoring.date_roles import DateRole
from tdbench.scoring.reply_text import normalise_reply

PRECISION = {"year": 1, "month": 2, "day": 3}
"""How many parts of a date count."""
_CLAUSE_END = re.compile(r"[.!?;](?=\s)|\n")


class _Row(NamedTuple):
    row: AnswerRow
    dates: tuple[ReadDate, ...]


def judge_time(reply: str, reading: AnswerReading, question: ScoredQuestion) -> TimeVerdict:
    """The verdict on the dates of a reply.

    A question without an answer is `yes` if and only if the reply says that there is none. Who cannot tell, or says
    nothing, gives no dates. `half` is for questions that demand both dates. Of several rows, those that the reply
    names must all have their dates.

    Args:
        reply: the text.
        reading: what `read_answer` made of it.
        question: what was asked.
    """
    if question.cardinality == "none":
        return TimeVerdict.YES if reading.says_none else TimeVerdict.NO
    if reading.answer in (AnswerClass.UNSURE, AnswerClass.EMPTY):
        return TimeVerdict.NO
    judge = _JUDGES.get(question.relation, _by_roles)
    verdicts = [_best(judge(part, question) for part in same) for same in _rows_of_reply(reply, reading.named, question)]
    if all(verdict is TimeVerdict.YES for verdict in verdicts):
        return TimeVerdict.YES
    is_half = question.time_checked == "both" and question.relation != "join" and any(verdict is not TimeVerdict.NO for verdict in verdicts)
    return TimeVerdict.HALF if is_half else TimeVerdict.NO


def gives_start_of_named(reply: str, reading: AnswerReading, question: ScoredQuestion) -> bool:
    """Whether a reply gives, for each row that it names beside the gold ones, the start of that row."""
    text = normalise_reply(reply)
    dates = _dates_by_name(text, reading.named)
    rows = {row_name(row): [other for other in question.distractors if row_name(other) == row_name(row)] for row in question.distractors}
    named = sorted({place.name for place in reading.named if not place.is_gold})
    return bool(named) and all(any(_by_start(_Row(row, dates[name]), question) is TimeVerdict.YES for row in rows[name]) for name in named)


def reference_text(row: AnswerRow, question: ScoredQuestion) -> str:
    """The demanded dates of a row as a judge that is a model is shown them: to the question's precision, an open end as `present`.

    >>> row = AnswerRow(name="Bo Lind", start="2004-05-03")
    >>> question = ScoredQuestion(
    ...     id="1", question="?", gold=(row,), relation="during", cardinality="unique", time_checked="both", granularity="month"
    ... )
    >>> reference_text(row, question)
    'start: 2004-05, end: present'
    """
    parts = []
    if row.start is not None and question.time_checked != "end":
        parts.append(f"start: {_cut(row.start, question)}")
    if not row.is_end_unknown and question.time_checked != "start":
        parts.append(f"end: {'present' if row.end is None else _cut(row.end, question)}")
    return ", ".join(parts)


def _rows_of_reply(reply: str, named: tuple[NamedRow, ...], question: ScoredQuestion) -> list[list[_Row]]:
    """The gold rows that a reply names, each with its dates, rows of one name together; all rows with all dates if it names none."""
    text = normalise_reply(reply)
    golds = sorted(question.gold, key=lambda row: (row_name(row), row.start or "", row.end or ""))
    said = {place.name for place in named if place.is_gold}
    dates = _dates_by_name(text, named)
    every = tuple(read_dates(text))
    names = sorted(said or {row_name(row) for row in golds})
    return [[_Row(row, dates[name] if said else every) for row in golds if row_name(row) == name] for name in names]


def _dates_by_name(text: str, named: Sequence[NamedRow]) -> dict[str, tuple[ReadDate, ...]]:
    """The dates of each named row: those behind its name, up to the next name; what stands before the first name of a
    clause is that name's, and a clause without names belongs to the last name before it, or the first of all."""
    found: dict[str, list[ReadDate]] = {place.name: [] for place in named}
    breaks = [match.end() for match in _CLAUSE_END.finditer(text)]
    starts = [place.start for place in named]
    for date in read_dates(text):
        before = bisect_right(starts, date.start)
        if not named or (before and date.start < named[before - 1].end):
            continue
        clause = bisect_right(breaks, date.start)
        left = breaks[clause - 1] if clause else 0
        right = breaks[clause] if clause < len(breaks) else len(text)
        follows = before and (named[before - 1].start >= left or before == len(named) or named[before].start >= right)
        found[named[before - 1 if follows else before].name].append(date)
    return {name: tuple(of_name) for name, of_name in found.items()}


def _by_roles(part: _Row, question: ScoredQuestion) -> TimeVerdict:
    """The demanded dates, each in its role."""
    hits = {
        "start": [_has(part, "start", question)],
        "end": [_has(part, "end", question)],
        "both": [_has(part, "start", question), _has(part, "end", question)],
    }[question.time_checked]
    if all(hits):
        return TimeVerdict.YES
    return TimeVerdict.HALF if any(hits) else TimeVerdict.NO


def _by_start(part: _Row, question: ScoredQuestion) -> TimeVerdict:
    """Of a question about now: the start's year, and its month if the reply names one, in any role but an end's."""
    dates = [date for date in part.dates if date.role is not DateRole.END]
    return _yes_or_no(part.row.start is not None and _is_among(part.row.start, dates, question))


def _by_either(part: _Row, question: ScoredQuestion) -> TimeVerdict:
    """Of a join: the start or the end of the row, in any role; a reply that gives neither is wrong."""
    texts = [text for text in (part.row.start, part.row.end) if text is not None]
    return _yes_or_no(
        any(_is_among(text, part.dates, question) for text in texts) or (part.row.end is None and _has(part, "end", question))
    )


_JUDGES: dict[str, Callable[[_Row, ScoredQuestion], TimeVerdict]] = {"now": _by_start, "join": _by_either}
"""The rules that differ from that of the relations."""


def _has(part: _Row, role: Literal["start", "end"], question: ScoredQuestion) -> bool:
    """Whether one date of a row is given in its role; an open end is given as `present`, in any wording."""
    of_role = [date for date in part.dates if date.role == role and not date.is_present]
    if role == "end" and part.row.end is None:
        if part.row.is_end_unknown:
            return False
        says_still = any(date.is_present or date.implies_present for date in part.dates)
        return any(date.is_firm for date in part.dates) or (says_still and not of_role)
    text = part.row.start if role == "start" else part.row.end
    return text is not None and _is_among(text, of_role, question)


def _is_among(text: str, dates: Iterable[ReadDate], question: ScoredQuestion) -> bool:
    gold = _parts(text)[: PRECISION[question.granularity]]
    return any(_agree(gold, reading) for date in dates for reading in date.readings)


def _agree(gold: tuple[int, ...], given: PartialDate) -> bool:
    """Whether two dates agree in all that both give: a month is required only of a reply that names one."""
    return all(theirs is None or ours == theirs for ours, theirs in zip(gold, given, strict=False))


def _parts(text: str) -> tuple[int, ...]:
    granule, granularity = parse_iso(text)
    if granularity == "year":
        return (granule,)
    if granularity == "month":
        return 1970 + granule // 12, granule % 12 + 1
    return civil_from_days(granule)


def _cut(text: str, question: ScoredQuestion) -> str:
    wanted = PRECISION[question.granularity]
    sign, body = ("-", text[1:]) if text.startswith("-") else ("", text)
    return sign + "-".join(body.split("-")[:wanted])


def _best(verdicts: Iterable[TimeVerdict]) -> TimeVerdict:
    return max(verdicts, key=(TimeVerdict.NO, TimeVerdict.HALF, TimeVerdict.YES).index)


def _yes_or_no(is_right: bool) -> TimeVerdict:
    return TimeVerdict.YES if is_right else TimeVerdict.NO
