"""The checks of one record against its events and the rows of its graph."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from evaluation.audit.text_checks import normalise_question
from evaluation.audit.timelinekgqa.answers import NONE_TEXTS, Expected, expected_answer, named_without_times, ranked_by
from evaluation.audit.timelinekgqa.defects import OF_EVENTS, TimelineDefect, TimelineDefectKind, TimelineFindings, TimelineUnchecked
from evaluation.audit.timelinekgqa.facts import StatedFacts, StatedRow
from evaluation.audit.timelinekgqa.records import EVENTS, Event, Level, TimelineCase
from evaluation.audit.timelinekgqa.relations import Condition, holds, read_conditions, why_false
from evaluation.audit.timelinekgqa.text_checks import blank_of, leak_of, slot_of, unnamed_of, without_labels
from evaluation.audit.timelinekgqa.times import BEGINNING, END, Span, days_in, written
from graph_sampler.labels import normalise_label

_MALFORMED = "an event cannot be read"
_OTHER_TYPE = "not executed: its type is none of the published"
_OTHER_RELATION = "its temporal_relation is none of the published"
_NO_RELATION = "its type compares no relation"
_NO_ENTITY = "it asks for no entity"
_NO_RANK = "it ranks nothing"
_NOT_THERE = "the event that it asks about is no row of the graph's source"
_TYPES = {
    Level.SIMPLE: ("temporal_constrained_retrieval", ("timeline_position_retrieval",)),
    Level.MEDIUM: (
        "timeline_position_retrieval_temporal_constrained_retrieval",
        ("timeline_position_retrieval_timeline_position_retrieval",),
    ),
    Level.COMPLEX: ("timeline_position_retrieval*2+temporal_constrained_retrieval", ("timeline_position_retrieval*3",)),
}
_DAYS = re.compile(r"(\d+) days")


class TimelineAuditor:
    """The checks of one graph over one file; records are given in the order of the file."""

    def __init__(self, facts: StatedFacts) -> None:
        self._facts = facts
        self._seen: dict[bytes, tuple[int, str]] = {}

    def findings(self, case: TimelineCase) -> TimelineFindings:
        """Everything that is wrong with a record, and the checks that could not be made."""
        found = [leak_of(case), blank_of(case), slot_of(case), unnamed_of(case), self._duplicate(case), _of_answer(case), _kind_of(case)]
        unchecked: list[TimelineUnchecked] = []
        if case.malformed:
            found.append(TimelineDefect(TimelineDefectKind.MALFORMED, case.malformed))
            unchecked.append(TimelineUnchecked(OF_EVENTS, _MALFORMED))
        else:
            found.append(_contradiction(case))
            for each in (*_executed(case), *self._on_graph(case)):
                if isinstance(each, TimelineUnchecked):
                    unchecked.append(each)
                else:
                    found.append(each)
        return TimelineFindings([each for each in found if each is not None], unchecked)

    def _duplicate(self, case: TimelineCase) -> TimelineDefect | None:
        """In what a record repeats earlier ones, if it does; from now on it is an earlier one."""
        found = []
        answer = "\0".join(case.answers)
        texts = [("id", case.id), *((name.removeprefix("the "), normalise_question(text)) for name, text in case.questions)]
        for what, text in texts:
            key = hashlib.blake2b(f"{what}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
            first, its_answer = self._seen.setdefault(key, (case.number, answer))
            if text and first != case.number:
                other = ", which has another answer" if what != "id" and its_answer != answer else ""
                found.append(f"the {what} of record {first}{other}")
        return TimelineDefect(TimelineDefectKind.DUPLICATE, f"it has {', '.join(found)}") if found else None

    def _on_graph(self, case: TimelineCase) -> Iterator[TimelineDefect | TimelineUnchecked | None]:
        missing = [event for event in case.events if event.span not in self._facts.spells(*event.labels)]
        if missing:
            why = f"{len(missing)} of {len(case.events)}, the first {_said(missing[0])}"
            yield TimelineDefect(TimelineDefectKind.NOT_IN_GRAPH, why)
        for event in named_without_times(case):
            spells = set() if event in missing else self._facts.spells(*event.labels) - {event.span}
            if spells and case.level is Level.SIMPLE:
                yield TimelineDefect(TimelineDefectKind.NOT_UNIQUE, f"{_said(event)} holds at {len(spells)} other times as well")
            elif spells:
                yield TimelineDefect(TimelineDefectKind.AMBIGUOUS_EVENT, f"{_said(event)} holds at {len(spells)} other times as well")
                break
        if not case.asks_entity:
            kinds: tuple[TimelineDefectKind, ...] = (TimelineDefectKind.NOT_NEEDED,)
            if case.level is not Level.SIMPLE:
                kinds = (TimelineDefectKind.NOT_UNIQUE, *kinds)
            yield TimelineUnchecked(kinds, _NO_ENTITY)
        elif case.events[0] in missing:
            yield TimelineUnchecked((TimelineDefectKind.NOT_UNIQUE, TimelineDefectKind.NOT_NEEDED), _NOT_THERE)
        else:
            yield from self._rivals(case)

    def _rivals(self, case: TimelineCase) -> Iterator[TimelineDefect | TimelineUnchecked | None]:
        """Other entities that fit, and conditions that keep none out."""
        first, others = case.events[0], tuple(event.span for event in case.events[1:])
        conditions = _conditions(case)
        if conditions is None:
            yield TimelineUnchecked((TimelineDefectKind.NOT_UNIQUE, TimelineDefectKind.NOT_NEEDED), _OTHER_RELATION)
            return
        is_object = case.answer_type == "object"
        rows = self._facts.rows(first.predicate, first.subject if is_object else first.object, is_subject=is_object)
        rows = [row for row in rows if row.span.start <= row.span.end]
        named = "the time" if case.level is Level.SIMPLE else "the condition"
        if case.level is Level.SIMPLE:
            fitting = [{row.name for row in rows if row.span == first.span}, {row.name for row in rows}]
        else:
            tests = list(zip(conditions, others, strict=True))
            fitting = [_names(rows, tests), *(_names(rows, tests[:place] + tests[place + 1 :]) for place in range(len(tests)))]
        full = fitting[0]
        own = self._facts.code_of(first.object if is_object else first.subject)
        if own not in full:
            return  # the stated relation is false, which is told by itself
        stated = {own, *map(self._facts.code_of, case.answers)}
        more = sorted(self._facts.names[code] for code in full - stated)
        if more:
            beside = f" and {len(more) - 3} more" if len(more) > 3 else ""
            yield TimelineDefect(TimelineDefectKind.NOT_UNIQUE, f"{', '.join(more[:3])}{beside} fit as well")
        for place, without in enumerate(fitting[1:], start=1):
            if without == full:
                which = named if len(fitting) == 2 else f"condition {place}"
                yield TimelineDefect(TimelineDefectKind.NOT_NEEDED, f"without {which} the same fit: {len(full)} of them")
                break


def _names(rows: list[StatedRow], tests: list[tuple[Condition, Span]]) -> set[int]:
    return {row.name for row in rows if all(holds(condition, row.span, other) for condition, other in tests)}


def _conditions(case: TimelineCase) -> tuple[Condition, ...] | None:
    """The conditions on the first event; none for a simple question, `None` where they cannot be read."""
    if case.level is Level.SIMPLE:
        return ()
    spans = tuple(event.span for event in case.events)
    found = read_conditions(case.relation, spans[0], spans[1:])
    if found and len(found) == 1 and found[0].sign is None and found[0].days is None:
        days = set(map(int, _DAYS.findall(without_labels(case, case.question or ""))))
        if len(days) == 1:  # a question of two events keeps its number of days to itself
            return (found[0]._replace(days=days.pop()),)
    return found


def _executed(case: TimelineCase) -> Iterator[TimelineDefect | TimelineUnchecked | None]:
    """What follows from the events alone."""
    expected = expected_answer(case)
    if expected is None:
        yield TimelineUnchecked((TimelineDefectKind.WRONG_ANSWER,), _OTHER_TYPE)
    elif case.answers and not _fits(case, expected):
        stated = "; ".join(case.answers)
        yield TimelineDefect(TimelineDefectKind.WRONG_ANSWER, f"it states {stated!r}, from its events follows {expected.said!r}")
    if case.level is not Level.SIMPLE and (case.asks_entity or case.answer_type == "relation_allen"):
        conditions = _conditions(case)
        spans = [event.span for event in case.events]
        if conditions is None:
            yield TimelineUnchecked((TimelineDefectKind.FALSE_RELATION,), _OTHER_RELATION)
        else:
            false = (why_false(condition, spans[0], other) for condition, other in zip(conditions, spans[1:], strict=True))
            why = next(filter(None, false), "")
            yield TimelineDefect(TimelineDefectKind.FALSE_RELATION, why) if why else None
    else:
        yield TimelineUnchecked((TimelineDefectKind.FALSE_RELATION,), _NO_RELATION)
    keys = ranked_by(case)
    if keys is None:
        yield TimelineUnchecked((TimelineDefectKind.TIE,), _NO_RANK)
    elif keys.count(keys[0]) > 1:
        yield TimelineDefect(TimelineDefectKind.TIE, f"{keys.count(keys[0])} of {len(keys)} events share the rank")


def _fits(case: TimelineCase, expected: Expected) -> bool:
    """Whether the stated answers are right; of several entities one has to be the event's."""
    return any(expected.fits((answer,)) for answer in case.answers) if case.asks_entity else expected.fits(case.answers)


def _of_answer(case: TimelineCase) -> TimelineDefect | None:
    """An answer that is not there, is no time at all, or says that there is none."""
    text = "; ".join(case.answers)
    if not text:
        return TimelineDefect(TimelineDefectKind.NO_ANSWER, "the answer is empty")
    if normalise_label(text) in NONE_TEXTS:
        return TimelineDefect(TimelineDefectKind.SAYS_NONE, f"it states {text!r}")
    unbounded = {BEGINNING, END}.intersection(days_in(text)) if not case.asks_entity else set()
    if unbounded or (not case.asks_entity and normalise_label(text) == "forever"):
        return TimelineDefect(TimelineDefectKind.UNBOUNDED, f"it states {text!r}")
    return None


def _kind_of(case: TimelineCase) -> TimelineDefect | None:
    """An answer that is not of the kind that the question asks for."""
    text = "; ".join(case.answers)
    asks_length = case.answer_type == "duration" or (case.answer_type == "relation_duration" and case.relation == "duration")
    if asks_length and days_in(text):
        return TimelineDefect(TimelineDefectKind.OTHER_KIND, f"a duration is asked for, and it states {text!r}")
    if case.relation == "duration_compare" and case.level is Level.COMPLEX and text.isdecimal():
        return TimelineDefect(TimelineDefectKind.OTHER_KIND, f"which event is asked for, and it states the rank {text}")
    return None


def _contradiction(case: TimelineCase) -> TimelineDefect | None:
    """What a record states of itself twice, and not alike."""
    why = ""
    count = EVENTS[case.level]
    of_entities, of_times = _TYPES[case.level]
    if len(case.events) != count:
        why = f"a {case.level} question has {len(case.events)} events instead of {count}"
    elif len(set(case.events)) < count:
        why = "one event stands there twice"
    elif case.question_type not in (of_entities, *of_times):
        why = f"question_type {case.question_type!r} is none of a {case.level} question"
    elif (case.question_type == of_entities) != case.asks_entity:
        why = f"question_type {case.question_type!r} does not ask for {case.answer_type!r}"
    return TimelineDefect(TimelineDefectKind.CONTRADICTION, why) if why else None


def _said(event: Event) -> str:
    start, end = written(event.span.start), written(event.span.end)
    return f"({', '.join(event.labels)}, {start if event.span.is_point else f'{start} to {end}'})"
