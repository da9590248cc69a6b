"""The published relations between two events: a sign for each, and the word that its question says.

Thirteen hold between two spans of more than one day; a single day only ever starts, ends, is within or equals
another event, or lies before or after it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from evaluation.audit.timelinekgqa.times import Span

_BY_BOUNDS = {
    (0, 0): "=", (0, -1): "s", (0, 1): "si", (1, 0): "f", (-1, 0): "fi", (1, -1): "d", (-1, 1): "di", (-1, -1): "o", (1, 1): "oi",
}  # fmt: skip
_WORDS = {
    "<": "before", ">": "after", "m": "meets", "mi": "metby", "=": "equal", "s": "starts", "si": "startedby", "f": "finishes",
    "fi": "finishedby", "o": "during", "oi": "during", "d": "during", "di": "during",
}  # fmt: skip
_OF_A_POINT = {"startedby": "starts", "finishedby": "finishes"}
_SIGN = re.compile(r"X\s*(<|>|=|[a-z]{1,2})\s*Y", re.IGNORECASE)
_LENGTH = re.compile(r"duration_(?:(\d+) days )?([a-z]+)")
SIGNS = tuple(_WORDS)
"""All thirteen."""


class Condition(NamedTuple):
    """What a record says of the first event against another one."""

    sign: str | None
    """`None` where only the word is stated."""
    word: str
    days: int | None = None
    """How long before or after, where that is stated."""


def relate(x: Span, y: Span) -> str:
    """The sign of the one relation that holds."""
    if x.end < y.start:
        return "<"
    if x.start > y.end:
        return ">"
    if not x.is_point and not y.is_point and (x.end == y.start or x.start == y.end):
        return "m" if x.end == y.start else "mi"
    return _BY_BOUNDS[_sign(x.start - y.start), _sign(x.end - y.end)]


def word_for(x: Span, y: Span) -> str:
    """The word that the published questions use for how the first span lies to the second."""
    word = _WORDS[relate(x, y)]
    return _OF_A_POINT.get(word, word) if y.is_point else word


def gap(x: Span, y: Span) -> int:
    """Days between two events of which one lies before the other."""
    return abs(x.end - y.start) if relate(x, y) == "<" else abs(y.end - x.start)


def holds(condition: Condition, x: Span, y: Span) -> bool:
    """Whether two events lie as the question says: by its word, and by its number of days."""
    return word_for(x, y) == condition.word and (condition.days is None or gap(x, y) == condition.days)


def read_conditions(text: str, x: Span, others: tuple[Span, ...]) -> tuple[Condition, ...] | None:
    """The conditions of a `temporal_relation`, one for each event but the first; `None` where it is none of the published.

    A sign's word depends on the events, since a point has no end of its own to be finished by.
    """
    parts = text.split("&")
    if len(parts) != len(others):
        return None
    found = []
    for part, other in zip(parts, others, strict=True):
        if match := _SIGN.fullmatch(part.strip()):
            sign = match.group(1).lower()
            if sign not in _WORDS:
                return None
            word = _OF_A_POINT.get(_WORDS[sign], _WORDS[sign]) if other.is_point else _WORDS[sign]
            found.append(Condition(sign, word))
        elif (match := _LENGTH.fullmatch(part.strip())) and match.group(2) in _WORDS.values():
            found.append(Condition(None, match.group(2), None if match.group(1) is None else int(match.group(1))))
        else:
            return None
    return tuple(found)


def why_false(condition: Condition, x: Span, y: Span) -> str:
    """In what a condition does not hold; empty where it does."""
    sign, word = relate(x, y), word_for(x, y)
    if condition.sign is not None and condition.sign != sign:
        return f"it says X {condition.sign} Y, and X {sign} Y holds"
    if condition.word != word:
        return f"it says {condition.word}, and {word} holds"
    if condition.days is not None and condition.days != gap(x, y):
        return f"it says {condition.days} days, and it is {gap(x, y)}"
    return ""


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
