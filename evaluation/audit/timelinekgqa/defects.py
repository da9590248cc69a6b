"""What can be wrong with a record of a TimelineKGQA question file."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class TimelineDefectKind(StrEnum):
    """A kind of defect; a record may have several."""

    ANSWER_LEAK = "answer leak"
    NO_ANSWER = "no answer stated"
    WRONG_ANSWER = "answer does not follow"
    FALSE_RELATION = "false relation"
    NOT_UNIQUE = "several answers"
    NOT_NEEDED = "condition does not matter"
    AMBIGUOUS_EVENT = "ambiguous event"
    TIE = "tie"
    NOT_IN_GRAPH = "fact not in graph"
    UNBOUNDED = "unbounded answer"
    MALFORMED = "malformed event"
    CONTRADICTION = "fields contradict one another"
    UNNAMED = "event not named"
    UNFILLED_SLOT = "unfilled slot"
    DUPLICATE = "duplicate"
    BLANK_QUESTION = "blank question"
    SAYS_NONE = "says that there is none"
    OTHER_KIND = "answer of another kind"


MEANING: dict[TimelineDefectKind, str] = {
    TimelineDefectKind.ANSWER_LEAK: "the answer, or a date, rank or word that is a part of it, stands in a question",
    TimelineDefectKind.NO_ANSWER: "the answer is null, empty or not a number",
    TimelineDefectKind.WRONG_ANSWER: "what the record's type asks of its own events, worked out anew, is not the answer",
    TimelineDefectKind.FALSE_RELATION: "temporal_relation, or a number of days in it, does not hold between the events",
    TimelineDefectKind.NOT_UNIQUE: "on the graph other answers fit as well",
    TimelineDefectKind.NOT_NEEDED: "without a temporal condition the graph gives the same answers",
    TimelineDefectKind.AMBIGUOUS_EVENT: "an event that is named without its times has several in the graph",
    TimelineDefectKind.TIE: "the rank is shared with another event",
    TimelineDefectKind.NOT_IN_GRAPH: "an event is no row of the graph's source",
    TimelineDefectKind.UNBOUNDED: "the answer, or a part of it, is the beginning or the end of time",
    TimelineDefectKind.MALFORMED: "an event is not subject, predicate, object, start and end, or ends before it starts",
    TimelineDefectKind.CONTRADICTION: "level, types and number of events do not go together, or an event stands there twice",
    TimelineDefectKind.UNNAMED: "the template question lacks the subject or object of an event that it asks about",
    TimelineDefectKind.UNFILLED_SLOT: "a placeholder stands in a question",
    TimelineDefectKind.DUPLICATE: "an earlier record has the same id or one of the questions",
    TimelineDefectKind.BLANK_QUESTION: "a question is there and says nothing, or the template question is not there",
    TimelineDefectKind.SAYS_NONE: "the answer says that there is none",
    TimelineDefectKind.OTHER_KIND: "a duration is answered with two dates, or which one is the longest with a rank",
}
"""Kind -> what it means, in one line."""

REMARKS = frozenset((TimelineDefectKind.SAYS_NONE, TimelineDefectKind.OTHER_KIND))
"""Counted like defects, and no defect of a record by themselves: the published program means them so."""
OF_EVENTS = (
    TimelineDefectKind.WRONG_ANSWER,
    TimelineDefectKind.FALSE_RELATION,
    TimelineDefectKind.NOT_UNIQUE,
    TimelineDefectKind.NOT_NEEDED,
    TimelineDefectKind.AMBIGUOUS_EVENT,
    TimelineDefectKind.TIE,
    TimelineDefectKind.NOT_IN_GRAPH,
)
"""Kinds that need events that can be read."""


class TimelineDefect(NamedTuple):
    """One defect of one record."""

    kind: TimelineDefectKind
    why: str
    """What was found, in one line; holds texts of strangers."""


class TimelineUnchecked(NamedTuple):
    """Checks of one record that could not be made."""

    kinds: tuple[TimelineDefectKind, ...]
    reason: str
    """Why, in words that many records share."""


class TimelineFindings(NamedTuple):
    """What the checks of one record came to."""

    defects: list[TimelineDefect]
    unchecked: list[TimelineUnchecked]
