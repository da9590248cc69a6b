"""What a record's type asks of its own events, worked out anew as the published program means it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.audit.timelinekgqa.records import Event, Level, TimelineCase
from evaluation.audit.timelinekgqa.relations import SIGNS, relate
from evaluation.audit.timelinekgqa.times import Span, days_in, written, written_length
from graph_sampler.labels import normalise_label

NONE_TEXTS = frozenset(("no answer", "noanswer"))
"""Answers that say that there is none, normalised."""


class Expected(NamedTuple):
    """Every form in which the right answer may be stated."""

    said: str
    """For a person."""
    texts: frozenset[str] = frozenset()
    """Normalised."""
    dates: frozenset[tuple[int, ...]] = frozenset()
    """As days in order."""
    may_be_none: bool = False

    def fits(self, answers: Sequence[str]) -> bool:
        """Whether stated answers are one of these forms; none at all counts as saying that there is none."""
        text = "; ".join(answers)
        if not text or normalise_label(text) in NONE_TEXTS:
            return self.may_be_none
        return normalise_label(text) in self.texts or days_in(text) in self.dates


def expected_answer(case: TimelineCase) -> Expected | None:
    """The right answer of a record whose events can be read; `None` where its type is none of the published.

    Union and intersection are those of the published program, which knows no intersection of a single day and no
    union over a gap; a file that states these as dates is right as well.
    """
    if case.asks_entity:
        name = case.events[0].subject if case.answer_type == "subject" else case.events[0].object
        return Expected(name, frozenset((normalise_label(name),)))
    spans = [event.span for event in case.events]
    if case.level is Level.SIMPLE:
        return _of_one(case.answer_type, spans[0])
    if case.answer_type == "relation_allen":
        return _of_relation(case, spans)
    return _of_several(case, spans)


def _of_one(asked: str, span: Span) -> Expected | None:
    start, end = span
    if asked in ("timestamp_start", "timestamp_end"):
        day = start if asked == "timestamp_start" else end
        return Expected(written(day), dates=frozenset(((day,),)))
    if asked == "timestamp_range":
        return Expected(f"{written(start)} and {written(end)}", dates=frozenset(((start, end),)))
    if asked == "duration":
        return _length(span.days, dates={(start, end), (end, start)})
    return None


def _of_relation(case: TimelineCase, spans: Sequence[Span]) -> Expected | None:
    if len(spans) != 2:
        return None
    true = f"X {relate(*spans)} Y"
    if normalise_label("".join(case.answers)) not in ("true", "false"):
        return Expected(true, frozenset((normalise_label(true),)))
    claimed = [sign for sign in SIGNS if f"X {sign} Y" in (case.question or "")]
    if len(claimed) != 1:
        return None
    verdict = str(f"X {claimed[0]} Y" == true)
    return Expected(verdict, frozenset((verdict.lower(),)))


def _of_several(case: TimelineCase, spans: Sequence[Span]) -> Expected | None:
    operation, lengths = case.relation, [span.days for span in spans]
    if operation in ("intersection", "duration"):
        shared = Span(max(span.start for span in spans), min(span.end for span in spans))
        dates = {tuple(shared)} if shared.start <= shared.end else set()
        said = f"({written(shared.start)}, {written(shared.end)})" if dates else "none"
        length = _length(shared.days, dates) if dates and operation == "duration" else Expected(said, dates=frozenset(dates))
        return length._replace(said=said, may_be_none=shared.start >= shared.end)
    if operation == "union":
        return _union(spans)
    if operation in ("sum", "average"):
        return _length(sum(lengths), parts=len(spans) if operation == "average" else 1)
    if operation == "duration_compare" and case.level is Level.MEDIUM and len(spans) == 2:
        words = ("equals", "equal") if lengths[0] == lengths[1] else ("shorter",) if lengths[0] < lengths[1] else ("longer",)
        return Expected(words[0], frozenset(words))
    keys = ranked_by(case)
    if keys is None:
        return None
    rank = str(1 + sum(key < keys[0] for key in keys))
    return Expected(rank, frozenset((rank,)))


def ranked_by(case: TimelineCase) -> list[int] | None:
    """What the events are ranked by, from the least; `None` where they are not."""
    spans = [event.span for event in case.events]
    if case.relation == "duration_compare" and case.level is Level.COMPLEX:
        return [span.days for span in spans]
    if case.relation == "rank_start_time":
        return [span.start for span in spans]
    return [span.end for span in spans] if case.relation == "rank_end_time" else None


def named_without_times(case: TimelineCase) -> tuple[Event, ...]:
    """The events that the question names by their labels alone, so that another spell would be meant as well."""
    return case.events[1:] if case.asks_entity else case.events


def _union(spans: Sequence[Span]) -> Expected:
    whole, is_gapless = spans[0], True
    for span in spans[1:]:
        is_gapless = is_gapless and whole.end >= span.start and span.end >= whole.start
        whole = Span(min(whole.start, span.start), max(whole.end, span.end))
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    dates = tuple(day for span in merged for day in span)
    said = "; ".join(f"({written(span.start)}, {written(span.end)})" for span in merged)
    return Expected(said, dates=frozenset((dates,)), may_be_none=not is_gapless)


def _length(days: int, dates: set[tuple[int, ...]] | None = None, parts: int = 1) -> Expected:
    """A length in days, or its share; a share in whole days is cut to them, as a length between dates is."""
    whole, rest = divmod(days, parts)
    texts = {written_length(whole), f"{whole} days", f"{whole} day"}
    if rest and rest * 24 % parts == 0:
        texts.add(written_length(whole, rest * 24 // parts))
    return Expected(written_length(whole), frozenset(map(normalise_label, texts)), frozenset(dates or ()))
