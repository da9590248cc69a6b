"""What the scoring of replies to time-sensitive questions takes and gives. Paper: TDBench, section 4.

Counts and exact fractions only: whoever shows a figure adds the interval.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field, model_validator

from state.interval import parse_iso
from state.model_base import Contract

AllenName = Literal[
    "after", "before", "meet", "met-by", "overlap", "overlapped-by", "equal", "start", "started-by", "finish", "finished-by",
    "during", "contain",
]  # fmt: skip
"""The thirteen relations as the paper calls them."""
RelationName = Literal[
    "after", "before", "meet", "met-by", "overlap", "overlapped-by", "equal", "start", "started-by", "finish", "finished-by",
    "during", "contain", "now", "basic", "join",
]  # fmt: skip
"""A relation, or the kind of a question that has none: who holds it now, a plain lookup, a lookup across joined tables."""
RELATIONS: tuple[RelationName, ...] = get_args(RelationName)
"""All of them in the order in which they are shown; a figure is looked up by the whole name, never by a part of it."""
TimeChecked = Literal["start", "end", "both"]
"""Which dates of the gold row a reply must give."""
TIME_CHECKED: dict[AllenName, TimeChecked] = {
    "after": "start",
    "before": "end",
    "meet": "end",
    "met-by": "start",
    "overlap": "both",
    "overlapped-by": "both",
    "equal": "both",
    "start": "both",
    "started-by": "start",
    "finish": "both",
    "finished-by": "end",
    "during": "both",
    "contain": "both",
}
"""The temporal reference that each relation demands: three times the start, three times the end, seven times both."""
Cardinality = Literal["none", "unique", "multiple"]
"""How many answers a question has."""


class AnswerClass(StrEnum):
    """What a reply answers; only `right` counts in A."""

    RIGHT = "right"
    PARTIAL = "partial"
    """Some of several answers, but too few."""
    DISTRACTOR = "distractor"
    """It names another row of the table."""
    NO_ANSWER = "no answer"
    """It says that there is none, although there is one."""
    UNSURE = "unsure"
    """It says that it cannot tell."""
    EMPTY = "empty"
    """There is no reply."""
    OTHER = "other"
    """It names nothing that is known."""


class TimeVerdict(StrEnum):
    """Whether the demanded dates stand in a reply, each in its role."""

    YES = "yes"
    HALF = "half"
    """One of two demanded dates; it counts 0 in T and AT, and 1/2 in the loose T."""
    NO = "no"


class AlignmentClass(StrEnum):
    """What a reply to a question about now comes to; the first two count in A, the first alone in AT."""

    CORRECT = "correct"
    WRONG_TIME = "right answer, wrong time"
    OUTDATED_RIGHT_TIME = "outdated, right time"
    """It names an earlier row, with the start of that row."""
    OUTDATED_WRONG_TIME = "outdated, wrong time"
    UNSURE = "unsure"
    OTHER = "other"


class AnswerRow(Contract):
    """A row of a table that answers a question, or might be taken to."""

    name: str = Field(pattern=r"\S")
    """What a reply must say."""
    aliases: tuple[str, ...] = ()
    """Other full names of the same thing; parts of a name are none."""
    start: str | None = None
    """ISO year, month or day of the start; `None` if it is not known."""
    end: str | None = None
    """ISO year, month or day of the end as a reader is shown it; `None`: the row holds still, a reply must say so."""
    is_end_unknown: bool = False
    """Whether nobody knows until when the row held; `end` is `None` then and means nothing."""

    @model_validator(mode="after")
    def _dates_are_dates(self) -> AnswerRow:
        for text in (self.start, self.end):
            if text is not None:
                parse_iso(text)
        if self.is_end_unknown and self.end is not None:
            raise ValueError("an end that is given is known")
        return self


def _row_of_name(value: object) -> object:
    return {"name": value, "is_end_unknown": True} if isinstance(value, str) else value


class ScoredQuestion(Contract):
    """What of a question the scoring reads."""

    id: str = Field(min_length=1)
    """Replies are joined to it."""
    question: str
    """The text as asked; whether it names a span of time is read off it."""
    gold: tuple[AnswerRow, ...]
    """The rows that answer it; none if there is no answer."""
    distractors: tuple[Annotated[AnswerRow, BeforeValidator(_row_of_name)], ...] = ()
    """Rows of the same thing that do not answer it; a bare name is a row of unknown dates."""
    relation: RelationName
    """What the question asks."""
    cardinality: Cardinality
    """How many answers it has."""
    time_checked: TimeChecked
    """The dates that a reply must give; of a question about now it is the start, of a join either will do."""
    granularity: Literal["year", "month", "day"] = "day"
    """To what precision a date must agree, if the reply is that precise; a coarser gold date is not read beyond its own."""
    hops: int = Field(default=1, ge=1)
    """Facts to be combined."""
    domain: str = "all"
    """Whose figures are told apart."""

    @model_validator(mode="after")
    def _can_be_judged(self) -> ScoredQuestion:
        if (self.cardinality == "none") != (not self.gold):
            raise ValueError("a question without an answer has no gold row, any other has one")
        if self.relation == "now" and self.time_checked != "start":
            raise ValueError("of a question about now the start is checked")
        for row in self.gold:
            has_start, has_end = row.start is not None, not row.is_end_unknown
            needed = {"start": has_start, "end": has_end, "both": has_start and has_end}[self.time_checked]
            if not (needed or (self.relation == "join" and (has_start or row.end is not None))):
                raise ValueError("a date that a reply must give is not known")
        return self


class ScoredReply(Contract):
    """The verdicts on one reply."""

    id: str
    """Id of the question."""
    answer: AnswerClass
    """What it answers."""
    time: TimeVerdict
    """Whether it gives the demanded dates."""
    alignment: AlignmentClass | None
    """Of a question about now, what the two come to; `None` of others."""

    @property
    def is_right(self) -> bool:
        """Whether it counts in A."""
        return self.answer is AnswerClass.RIGHT

    @property
    def is_right_in_time(self) -> bool:
        """Whether it counts in AT."""
        return self.is_right and self.time is TimeVerdict.YES


class Tally(Contract):
    """A, T and AT over some questions, as counts; every question asked is in each denominator."""

    asked: int = Field(ge=0)
    """Questions."""
    right: int = Field(ge=0)
    """Right answers."""
    time_yes: int = Field(ge=0)
    """Replies with the demanded dates, whatever they answer."""
    time_half: int = Field(ge=0)
    """Replies with one of two."""
    both: int = Field(ge=0)
    """Right answers with the demanded dates."""
    answers: dict[AnswerClass, int]
    """Replies of each class; every class has its count."""
    alignment: dict[AlignmentClass, int]
    """Questions about now, of each class."""

    @model_validator(mode="after")
    def _adds_up(self) -> Tally:
        if sum(self.answers.values()) != self.asked or self.answers.get(AnswerClass.RIGHT, 0) != self.right:
            raise ValueError("the classes do not add up")
        if self.time_yes + self.time_half > self.asked or self.both > min(self.right, self.time_yes):
            raise ValueError("more hits than questions")
        return self

    @property
    def answer_accuracy(self) -> Fraction | None:
        """A; `None` if nothing was asked."""
        return self._share(self.right)

    @property
    def time_accuracy(self) -> Fraction | None:
        """T: half counts as nothing."""
        return self._share(self.time_yes)

    @property
    def loose_time_accuracy(self) -> Fraction | None:
        """T in which half counts one half."""
        return self._share(Fraction(2 * self.time_yes + self.time_half, 2))

    @property
    def answer_and_time_accuracy(self) -> Fraction | None:
        """AT."""
        return self._share(self.both)

    @property
    def gap(self) -> Fraction | None:
        """A - AT: right answers with wrong dates, as a share."""
        return self._share(self.right - self.both)

    def _share(self, hits: int | Fraction) -> Fraction | None:
        return Fraction(hits) / self.asked if self.asked else None


class ScoreSummary(Contract):
    """A, T and AT of a set of replies, of all and of each part; a part that nothing was asked of is left out."""

    all: Tally
    """All questions."""
    relations: dict[RelationName, Tally]
    """By relation, in the order of `RELATIONS`."""
    cardinalities: dict[Cardinality, Tally]
    """By number of answers."""
    hops: dict[int, Tally]
    """By hops, in order."""
    domains: dict[str, Tally]
    """By domain, in alphabetical order."""
    signature: str
    """How the figures were made; figures with different signatures are not compared."""


class JudgeAgreement(Contract):
    """How often two judges say the same of the same replies."""

    judged: int = Field(ge=0)
    """Replies that both have a verdict on."""
    agreed: int = Field(ge=0)
    """Same verdict."""
    left_out: int = Field(ge=0)
    """Replies that only one of them has a verdict on, such as one that could not be read."""
    table: dict[TimeVerdict, dict[TimeVerdict, int]]
    """Replies by the verdict of the first judge, then of the second."""

    @property
    def share(self) -> Fraction | None:
        """Share of same verdicts; `None` if nothing was judged."""
        return Fraction(self.agreed, self.judged) if self.judged else None

    @property
    def kappa(self) -> Fraction | None:
        """Cohen's kappa; `None` if nothing was judged, or if chance alone makes them agree always."""
        if not self.judged:
            return None
        rows = {verdict: sum(self.table[verdict].values()) for verdict in TimeVerdict}
        columns = {verdict: sum(self.table[first][verdict] for first in TimeVerdict) for verdict in TimeVerdict}
        chance = Fraction(sum(rows[verdict] * columns[verdict] for verdict in TimeVerdict), self.judged**2)
        return None if chance == 1 else (Fraction(self.agreed, self.judged) - chance) / (1 - chance)


def points(share: Fraction) -> Decimal:
    """A share in points of a hundred with one decimal, halves up, exactly.

    >>> points(Fraction(1, 2000)), points(Fraction(251, 1000))
    (Decimal('0.1'), Decimal('25.1'))
    """
    return Decimal((2000 * share.numerator + share.denominator) // (2 * share.denominator)) / 10
