"""What the questions of a record show: the answer, a part of it, or what should have been filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluation.audit.timelinekgqa.answers import NONE_TEXTS
from evaluation.audit.timelinekgqa.defects import TimelineDefect, TimelineDefectKind
from evaluation.audit.timelinekgqa.records import Level, TimelineCase
from evaluation.audit.timelinekgqa.times import days_in, worded_days, written
from evaluation.entity_preservation import is_mentioned
from graph_sampler.labels import normalise_label

_SLOT = re.compile(r"\?\?\?|[{}]|\[(?:Timeline Operation|How long)")
_ORDINALS = {"1": ("1st", "first"), "2": ("2nd", "second"), "3": ("3rd", "third")}
_ASIDE = " _label "


def leak_of(case: TimelineCase) -> TimelineDefect | None:
    """The answer, or a part of it, that stands in the question or its paraphrase."""
    for where, text in case.questions:
        part = next(_shown(case, text), None)
        if part is not None:
            return TimelineDefect(TimelineDefectKind.ANSWER_LEAK, f"{where} says {part!r}")
    return None


def _shown(case: TimelineCase, text: str) -> Iterator[str]:
    """The parts of the answer that a text says. Labels of the events may hold a rank or a word by chance."""
    if case.asks_entity:
        yield from (answer for answer in case.answers if len(normalise_label(answer)) > 1 and is_mentioned((answer,), text))
        return
    rest = without_labels(case, text)
    stated = {day for answer in case.answers for day in days_in(answer)}
    told = {*days_in(rest), *worded_days(rest)} if stated else set()
    yield from (written(day) for day in sorted(stated & told))
    for answer in case.answers:
        plain = normalise_label(answer)
        if stated or not plain or plain in NONE_TEXTS or plain in ("true", "false"):
            continue
        asks_rank = case.relation == "duration_compare" and case.level is Level.COMPLEX
        names = (answer, *_ORDINALS.get(plain, ())) if asks_rank else (answer,)
        yield from (name for name in names if is_mentioned((name,), rest))


def blank_of(case: TimelineCase) -> TimelineDefect | None:
    """A question that says nothing."""
    if case.question is None:
        return TimelineDefect(TimelineDefectKind.BLANK_QUESTION, "the question is not there")
    for where, text in case.questions:
        if not normalise_label(text):
            return TimelineDefect(TimelineDefectKind.BLANK_QUESTION, f"{where} is blank")
    return None


def slot_of(case: TimelineCase) -> TimelineDefect | None:
    """What was left unfilled in a question; labels are set aside, since they are data."""
    for where, text in case.questions:
        if found := _SLOT.search(without_labels(case, text)):
            return TimelineDefect(TimelineDefectKind.UNFILLED_SLOT, f"{where} holds {found.group()!r}")
    return None


def unnamed_of(case: TimelineCase) -> TimelineDefect | None:
    """An event's subject or object that the template question lacks; a paraphrase may put it otherwise."""
    if case.question is None:
        return None
    for place, event in enumerate(case.events):
        for role, name in (("subject", event.subject), ("object", event.object)):
            is_asked = place == 0 and case.answer_type == role
            if not is_asked and not is_mentioned((name,), case.question):
                return TimelineDefect(TimelineDefectKind.UNNAMED, f"the question does not say {name!r}, the {role} of event {place + 1}")
    return None


def without_labels(case: TimelineCase, text: str) -> str:
    """The text with the names of the events set aside, longest first."""
    names = {label for event in case.events for label in event.labels if label in text}
    for name in sorted(names, key=lambda each: (-len(each), each)):
        text = text.replace(name, _ASIDE)
    return text
