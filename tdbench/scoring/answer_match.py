"""What a reply answers: names of the gold rows, of others, nothing, or that it cannot tell. Paper: TDBench, section 4.

A name counts where its words stand one after another on word boundaries, in normal form. Only whole names count:
neither the first name of a person nor the part of a name before a comma is the name. Where one known name lies
within another, the longer one is meant. The matcher rather misses a right answer than takes a wrong one for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from graph_sampler.labels import normalise_label
from state.tdbench_scoring import AnswerClass, AnswerRow, ScoredQuestion
from tdbench.scoring.date_reading import names_a_span
from tdbench.scoring.reply_text import normalise_reply

ENOUGH = 3
"""Of three or more answers, this many will do."""

_WORD = re.compile(r"[^\W_]+(?:\+\+|#)?")
_DENIED = re.compile(r"(?:\bnot(?! only)|\brather than|\binstead of|\bnor|n't(?: be)?)(?: \w+)? ?\Z")
_ANOTHER = re.compile(r" (?:ii|iii|iv|vii|viii|ix|jr|sr|junior|senior)\b")
_UNSURE = re.compile(
    r"\bunsure\b|\b(?:i am|i'm|it is) uncertain\b|\b(?:not|n't)(?: \w+)? (?:sure|certain|aware)\b"
    r"|\b(?:i|we) (?:do not|don't) (?:actually |currently )?(?:know|have|recall|remember|possess)\b"
    r"|\b(?:can ?not|can't|could not|couldn't|unable to|impossible to) (?:be )?(?:reliably |definitively |accurately )?"
    r"(?:answer|confirm|decide|determine|determined|find|give|identify|know|provide|say|tell|verify)"
    r"|\b(?:no|not enough|insufficient|lack of) (?:\w+ )?(?:information|data|knowledge|context)\b"
)
_UNKNOWN = re.compile(r"\W*(?:(?:the )?answer(?: is)?:? )?(?:unknown|undetermined|not known|n/a)\b")
_LIVE = re.compile(r".{0,40}?\b(?:real[- ]time|live|up[- ]to[- ]date|current|latest|most recent|recent)\b")
_OF_TIME = re.compile(r"[^.;\n]{0,60}?\b(?:dates?|days?|when|months?|years?|times?|start|end|exact|precise)\b")
_NO_ANSWER = re.compile(
    r"\b(?:no answer|none|nobody|no[ -]one|no (?:person|individual|people|team|club|leader|country|organi[sz]ation|company|row"
    r"|record|match|holder|such \w+)|there (?:is|was|were|are|has been|have been) (?:no|not any|none)"
    r"|there (?:was|were|is|are)(?: not|n't)(?= any| one|[.,;]|\Z)"
    r"|(?:was|is|were|stood|fell|left|remained) vacant)(?!\w)(?! (?:else|other|but|except|besides|knows?|apart|definit\w+|clear|single))"
)

_SO = re.compile(r"(?:\b(?:so|therefore|thus|hence|consequently)(?: that)?,?|\banswer(?: is|:)+)(?: the answer is:?)? ?\Z")


class NamedRow(NamedTuple):
    """A place in a reply where a row is named."""

    start: int
    """Offset in the normalised reply."""
    end: int
    """Offset behind the name."""
    is_gold: bool
    """Whether it is a gold row's name."""
    name: str
    """The row's name in normal form; rows of the same name are one."""


class AnswerReading(NamedTuple):
    """What a reply answers, and where it names what."""

    answer: AnswerClass
    """Its class."""
    named: tuple[NamedRow, ...]
    """The names in it, in order."""
    says_none: bool
    """Whether it says that there is no answer, before it names anything or as its conclusion."""


def read_answer(reply: str, question: ScoredQuestion) -> AnswerReading:
    """The class of a reply. It does not depend on the order of the gold rows or of the others.

    In order: no text is `empty`; who cannot tell is `unsure`, whatever he names; who says that there is no answer is
    right of a question without one, and of no other; and then the names decide. With one answer, another row's name
    is wrong, except where the question is about `during` and names a span of time. With several, all must be named,
    or three of three or more, and no other. Who says "not X" has not named X as an answer, but a row that is no
    answer is wrong in any place.
    """
    text = normalise_reply(reply)
    named = find_names(text, question)
    if not text:
        return AnswerReading(AnswerClass.EMPTY, named, False)
    # Names of other rows excuse nothing where there is an answer: one more of them must never make a reply right.
    telling = tuple(place for place in named if place.is_gold) if question.gold else named
    if _is_unsure(text, telling, named):
        return AnswerReading(AnswerClass.UNSURE, named, False)
    says_none = _says_none(text, telling)
    answer = _by_names(named, says_none, question)
    if answer is AnswerClass.NO_ANSWER and named and not _says_none(text, named):
        answer = AnswerClass.DISTRACTOR
    return AnswerReading(answer, named, says_none)


def find_names(text: str, question: ScoredQuestion) -> tuple[NamedRow, ...]:
    """Where a normalised reply names rows, in its order; a name within a longer known one is not named there.

    A name that a gold row and another have in common is the gold row's.
    """
    found: dict[tuple[int, int], NamedRow] = {}
    for is_gold, rows in ((True, question.gold), (False, question.distractors)):
        for row in sorted(rows, key=lambda row: row.name):
            for start, end in _places(text, row):
                if not (is_gold and _ANOTHER.match(text, end)):
                    found.setdefault((start, end), NamedRow(start, end, is_gold, row_name(row)))
    kept, reach = [], 0
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if end > reach:  # else it lies within one that begins no later
            reach = end
            kept.append(found[start, end])
    return tuple(place for place in kept if not (place.is_gold and _DENIED.search(text[max(0, place.start - 40) : place.start])))


@lru_cache(maxsize=65536)
def row_name(row: AnswerRow) -> str:
    """A row's name in normal form."""
    return normalise_label(row.name)


def is_interval_phrased(question: ScoredQuestion) -> bool:
    """Whether a question is about `during` and names a span of time, which others' terms may well touch."""
    return question.relation == "during" and names_a_span(normalise_reply(question.question))


def _by_names(named: Iterable[NamedRow], says_none: bool, question: ScoredQuestion) -> AnswerClass:
    gold = {place.name for place in named if place.is_gold}
    has_distractor = any(not place.is_gold for place in named)
    if not question.gold:
        return AnswerClass.RIGHT if says_none else AnswerClass.DISTRACTOR if has_distractor else AnswerClass.OTHER
    if says_none:
        return AnswerClass.NO_ANSWER
    if has_distractor and not (question.cardinality == "unique" and gold and is_interval_phrased(question)):
        return AnswerClass.DISTRACTOR
    if not gold:
        return AnswerClass.OTHER
    wanted = len({row_name(row) for row in question.gold})
    return AnswerClass.RIGHT if len(gold) >= min(wanted, ENOUGH) else AnswerClass.PARTIAL


def _is_unsure(text: str, telling: tuple[NamedRow, ...], named: tuple[NamedRow, ...]) -> bool:
    """Whether a reply says that it cannot tell. Who names a row can, though he does not know its dates or the latest news."""
    if (opening := _UNKNOWN.match(text)) and not _is_name(opening.end() - 1, telling):
        return True
    for cue in _UNSURE.finditer(text):
        of_time = any(place.end <= cue.start() for place in telling) and _OF_TIME.match(text, cue.end())
        of_news = named and _LIVE.match(text, cue.start(), cue.end() + 40)
        if not of_time and not of_news and not _is_name(cue.start(), telling):
            return True
    return False


def _says_none(text: str, telling: tuple[NamedRow, ...]) -> bool:
    """Whether a reply says that there is no answer: before it names a row, or as what it concludes."""
    cues = [cue.start() for cue in _NO_ANSWER.finditer(text) if not _is_name(cue.start(), telling)]
    first = min((place.start for place in telling), default=len(text))
    return any(cue < first or _SO.search(text, 0, cue) for cue in cues)


def _is_name(offset: int, named: Iterable[NamedRow]) -> bool:
    return any(place.start <= offset < place.end for place in named)


def _places(text: str, row: AnswerRow) -> list[tuple[int, int]]:
    names = [name for name in (row.name, *row.aliases) if all(word in text for word in _words(name))]
    return [match.span() for name in names for pattern in _patterns(name) for match in pattern.finditer(text)]


@lru_cache(maxsize=65536)
def _words(name: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(normalise_label(name)))


@lru_cache(maxsize=65536)
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    """What finds a name: its words in order, little more than signs between them; `Roy, Ana` also as `Ana Roy`."""
    normal = normalise_label(name)
    words = _words(name)
    if not words:
        return (re.compile(rf"(?<!\S){re.escape(normal)}(?!\S)"),) if normal else ()
    orders: list[tuple[str, ...]] = [words]
    last, comma, first = normal.partition(",")
    if comma and "," not in first and _words(first) and _words(last):
        orders.append((*_words(first), *_words(last)))
    return tuple(re.compile(r"(?<![^\W_])" + r"[^\w\n;!?]{0,3}".join(map(re.escape, order)) + r"(?![^\W_]|\+\+|#)") for order in orders)
