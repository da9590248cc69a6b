"""A record of a TimelineKGQA question file, in whichever of the published spellings."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from evaluation.audit.timelinekgqa.times import Span, read_day

_SPELLINGS = {"timeline_recovery": "timeline_position_retrieval", "constrainted": "constrained", "retrievel": "retrieval"}
"""Earlier spellings of question types in the published files -> the present one."""
_MOST_LITERAL = 100_000


class Level(StrEnum):
    """How many events a question is about: one, two or three."""

    SIMPLE = "simple"
    MEDIUM = "medium"
    COMPLEX = "complex"


EVENTS = {Level.SIMPLE: 1, Level.MEDIUM: 2, Level.COMPLEX: 3}
"""Level -> number of events."""


class Event(NamedTuple):
    """A fact as a record states it."""

    subject: str
    predicate: str
    object: str
    span: Span

    @property
    def labels(self) -> tuple[str, str, str]:
        """Its three texts."""
        return self.subject, self.predicate, self.object


class TimelineCase(NamedTuple):
    """One record under audit."""

    number: int
    """Its line, or its place in the array."""
    id: str
    level: Level
    question_type: str
    """In its present spelling."""
    answer_type: str
    relation: str
    """`temporal_relation`; empty where it has none."""
    question: str | None
    """Made from a template."""
    paraphrase: str | None
    """`None`: it has none."""
    answers: tuple[str, ...]
    """Empty: none is stated."""
    events: tuple[Event, ...]
    """The first is the one that is asked about; empty where one cannot be read."""
    malformed: str
    """Why an event cannot be read; empty if all can."""

    @property
    def asks_entity(self) -> bool:
        """Whether the subject or object of the first event is asked for."""
        return self.answer_type in ("subject", "object")

    @property
    def questions(self) -> tuple[tuple[str, str], ...]:
        """What each text is called, and the text."""
        named = (("the question", self.question), ("the paraphrase", self.paraphrase))
        return tuple((name, text) for name, text in named if text is not None)


def is_timeline_record(value: Any) -> bool:
    """Whether an item looks like a record of this layout."""
    return isinstance(value, Mapping) and "question_level" in value and "events" in value


def read_timeline_case(value: Any, number: int) -> TimelineCase:
    """The case of a parsed item.

    Raises:
        ValueError: it is no such record; the text names the field.
    """
    if not isinstance(value, Mapping):
        raise ValueError("should be an object")
    missing = [key for key in ("question", "answer", "events", "question_level", "question_type", "answer_type") if key not in value]
    if missing:
        raise ValueError(f"it lacks {', '.join(missing)}")
    ident = value.get("id", number)
    if isinstance(ident, bool) or not isinstance(ident, int | str):
        raise ValueError("id: should be a number or text")
    level = _text(value, "question_level") or ""
    if level not in list(Level):
        raise ValueError(f"question_level: should be {', '.join(Level)}")
    events, malformed = _events(_listed(value["events"]))
    question_type = _text(value, "question_type") or ""
    for old, new in _SPELLINGS.items():
        question_type = question_type.replace(old, new)
    return TimelineCase(
        number=number,
        id=str(ident),
        level=Level(level),
        question_type=question_type,
        answer_type=_text(value, "answer_type") or "",
        relation=_text(value, "temporal_relation") or "",
        question=_text(value, "question"),
        paraphrase=_text(value, "paraphrased_question"),
        answers=tuple(text for each in _answers(value["answer"]) if (text := _answer(each))),
        events=events,
        malformed=malformed,
    )


def _text(value: Mapping[str, Any], key: str) -> str | None:
    found = value.get(key)
    if found is None or (isinstance(found, float) and math.isnan(found)):
        return None
    if not isinstance(found, str):
        raise ValueError(f"{key}: should be text")
    return found


def _answers(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _answer(value: Any) -> str:
    """An answer as text; empty for none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return str(int(value)) if float(value).is_integer() else str(value)
    if isinstance(value, str):
        text = value.strip()
        return "" if text.casefold() in ("nan", "none", "null") else text
    raise ValueError("answer: should be text, a number or a list of them")


def _listed(value: Any) -> list[str]:
    """The events, which a table holds as the text of a list. Nothing of that text is executed."""
    if isinstance(value, str):
        if len(value) > _MOST_LITERAL:
            raise ValueError("events: too long")
        try:
            value = list(ast.literal_eval(value)) if value.strip().startswith(("[", "(")) else [value]
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as err:
            raise ValueError("events: should be a list of texts") from err
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("events: should be a list of texts")
    return value


def _events(texts: list[str]) -> tuple[tuple[Event, ...], str]:
    """The events, or none of them and why one is none."""
    found = []
    for place, text in enumerate(texts, start=1):
        parts = text.split("|")
        if len(parts) != 5:
            return (), f"event {place} has {len(parts)} parts instead of 5"
        subject, predicate, object_, start, end = parts
        if not (subject.strip() and predicate.strip() and object_.strip()):
            return (), f"event {place} lacks a subject, predicate or object"
        try:
            span = Span(read_day(start), read_day(end))
        except ValueError as err:
            return (), f"event {place}: {err}"
        if span.start > span.end:
            return (), f"event {place} ends before it starts"
        found.append(Event(subject, predicate, object_, span))
    return tuple(found), "" if found else "it has no events"
