"""What a model that answers time-sensitive questions is shown, and what a model that judges its answers is. Paper: TDBench, section 4.

The answerer's request holds nothing of the answer; the judge's holds the answer, and nothing of other verdicts.
"""

from __future__ import annotations

from typing import Literal

from state.interval import Granularity
from state.model_base import Contract
from state.table_instance import ShownTable
from state.tdbench_scoring import TimeVerdict


class AnswerRequest(Contract):
    """What a model is asked."""

    question: str
    """The question."""
    tables: tuple[ShownTable, ...] | None
    """Rows from which to answer; `None`: from what the model knows."""
    unit: Granularity
    """Unit to which dates are wanted."""
    as_of: str | None
    """The day that now means; `None` if nobody says."""


class GoldAnswer(Contract):
    """An answer as a judge is shown it."""

    name: str
    """What answers."""
    aliases: tuple[str, ...]
    """Other full names of it."""
    dates: str
    """Its dates, as far as they are demanded, such as `start: 2004-05, end: present`."""


class JudgeRequest(Contract):
    """What a judge sees of an answer."""

    question: str
    """The question."""
    answers: tuple[GoldAnswer, ...]
    """The right answers with their dates; none if there is none."""
    others: tuple[str, ...]
    """Names that do not answer, though they might be taken to."""
    demanded: Literal["start", "end", "both", "start or end", "none"]
    """Which of the dates the reply must give."""
    reply: str
    """What the model wrote."""


class VerdictReply(Contract):
    """A judge's reply."""

    answer: TimeVerdict
    """Whether the reply answers rightly; `half`: it names some of several answers, too few."""
    time: TimeVerdict
    """Whether the demanded dates stand in the reply, each in its role; `half`: one of two."""


AnswerRoleRequest = AnswerRequest | JudgeRequest
