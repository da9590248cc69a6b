"""A, T and AT of a set of replies, and of each part of it. Paper: TDBench, section 4.

Every question asked is in the denominator of all three, of all parts alike: a reply without a verdict on its time, or
that cannot tell, is a miss. A part is looked up by its whole name, so `start` holds no `started-by`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from state.tdbench_scoring import (
    RELATIONS,
    AlignmentClass,
    AnswerClass,
    ScoredQuestion,
    ScoredReply,
    ScoreSummary,
    Tally,
    TimeVerdict,
)
from tdbench.scoring.alignment import align
from tdbench.scoring.answer_match import read_answer
from tdbench.scoring.time_judge import judge_time

Part = TypeVar("Part", str, int)

RULES = "answer:whole-names|time:roles"
"""What the signature says of the deterministic rules; it changes when a rule does that moves a figure."""
CARDINALITIES = ("none", "unique", "multiple")
"""In the order in which they are shown."""


def score_reply(question: ScoredQuestion, reply: str, time: TimeVerdict | None = None) -> ScoredReply:
    """The verdicts on one reply.

    Args:
        question: what was asked.
        reply: what came back; empty if nothing did.
        time: another judge's verdict on the dates; `None` for the deterministic judge. It is not asked where the
            answer alone decides: of a question without an answer, and of a reply that cannot tell.
    """
    reading = read_answer(reply, question)
    by_answer = question.cardinality == "none" or reading.answer in (AnswerClass.UNSURE, AnswerClass.EMPTY)
    verdict = judge_time(reply, reading, question) if time is None or by_answer else time
    alignment = align(reply, reading, verdict, question) if question.relation == "now" else None
    return ScoredReply(id=question.id, answer=reading.answer, time=verdict, alignment=alignment)


def score_replies(
    questions: Iterable[ScoredQuestion], replies: Mapping[str, str], times: Mapping[str, TimeVerdict] | None = None
) -> tuple[ScoredReply, ...]:
    """The verdicts on every question, in the questions' order.

    Args:
        questions: what was asked.
        replies: reply by id; a question without one has an empty reply.
        times: verdicts of another judge by id; `None` for the deterministic judge. A reply without a verdict, as
            where the other judge could not be read, gives no dates.
    """
    return tuple(
        score_reply(question, replies.get(question.id, ""), None if times is None else times.get(question.id, TimeVerdict.NO))
        for question in questions
    )


def summarise(questions: Sequence[ScoredQuestion], scored: Iterable[ScoredReply], *, judge: str = "deterministic") -> ScoreSummary:
    """A, T and AT of all and of each relation, cardinality, number of hops and domain.

    Args:
        questions: what was asked.
        scored: the verdict on each of them, in any order.
        judge: who judged the dates, for the signature.

    Raises:
        KeyError: a question has no verdict.
    """
    verdicts = {verdict.id: verdict for verdict in scored}
    pairs = [(question, verdicts[question.id]) for question in questions]
    return ScoreSummary(
        all=tally(verdict for _, verdict in pairs),
        relations=_parts(pairs, lambda question: question.relation, RELATIONS),
        cardinalities=_parts(pairs, lambda question: question.cardinality, CARDINALITIES),
        hops=_parts(pairs, lambda question: question.hops, sorted({question.hops for question in questions})),
        domains=_parts(pairs, lambda question: question.domain, sorted({question.domain for question in questions})),
        signature=f"tdbench_a_t_at|{RULES}|judge:{judge}|n:{len(pairs)}",
    )


def tally(scored: Iterable[ScoredReply]) -> Tally:
    """The counts over some replies."""
    verdicts = list(scored)
    return Tally(
        asked=len(verdicts),
        right=sum(verdict.is_right for verdict in verdicts),
        time_yes=sum(verdict.time is TimeVerdict.YES for verdict in verdicts),
        time_half=sum(verdict.time is TimeVerdict.HALF for verdict in verdicts),
        both=sum(verdict.is_right_in_time for verdict in verdicts),
        answers={kind: sum(verdict.answer is kind for verdict in verdicts) for kind in AnswerClass},
        alignment={kind: sum(verdict.alignment is kind for verdict in verdicts) for kind in AlignmentClass},
    )


def _parts(
    pairs: Sequence[tuple[ScoredQuestion, ScoredReply]], part_of: Callable[[ScoredQuestion], Part], order: Sequence[Part]
) -> dict[Part, Tally]:
    found = {part: [verdict for question, verdict in pairs if part_of(question) == part] for part in order}
    return {part: tally(verdicts) for part, verdicts in found.items() if verdicts}
