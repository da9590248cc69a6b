"""The verdicts of a judge that is a model, in the classes in which the rules give theirs. Paper: TDBench, section 4.

A model says yes, half or no, and only yes is right. What kind of wrong answer a reply is, it does not say: there the
rules' class stays, unless that is `right`. Whoever has no reply is not judged; a reply without a verdict, as where the judge could not be
read, is a miss in A and T.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from state.answer_roles import VerdictReply
from state.tdbench_scoring import AlignmentClass, AnswerClass, JudgeAgreement, ScoredQuestion, ScoredReply, TimeVerdict
from tdbench.scoring.agreement import agreement

_SAYS = {True: TimeVerdict.YES, False: TimeVerdict.NO}


class Agreements(NamedTuple):
    """How far a judge and the rules agree on the replies that the judge has a verdict on."""

    answer: JudgeAgreement
    """On whether the answer is right."""
    time: JudgeAgreement
    """On the dates."""


def judged_reply(question: ScoredQuestion, by_rules: ScoredReply, verdict: VerdictReply | None) -> ScoredReply:
    """The verdicts on one reply with the judge's in place of the rules'.

    Args:
        question: what was asked.
        by_rules: what the rules say.
        verdict: what the judge says; `None` without one.
    """
    if by_rules.answer is AnswerClass.EMPTY:
        return by_rules
    wrong: AnswerClass = AnswerClass.OTHER if by_rules.answer is AnswerClass.RIGHT else by_rules.answer
    if verdict is None:
        return _scored(question, by_rules, wrong, TimeVerdict.NO)
    answer: AnswerClass = AnswerClass.RIGHT if verdict.answer is TimeVerdict.YES else wrong
    if question.cardinality == "none":
        return _scored(question, by_rules, answer, _SAYS[answer is AnswerClass.RIGHT])
    may_be_half = question.time_checked == "both" and question.relation != "join"
    time = TimeVerdict.NO if verdict.time is TimeVerdict.HALF and not may_be_half else verdict.time
    return _scored(question, by_rules, answer, time)


def agreements(
    questions: Iterable[ScoredQuestion], rules: Mapping[str, ScoredReply], judged: Mapping[str, ScoredReply], verdicts: Iterable[str]
) -> Agreements:
    """How far the two agree.

    Args:
        questions: what was asked.
        rules: the rules' verdicts by id.
        judged: the judge's, in the same classes.
        verdicts: ids of the replies that the judge has a verdict on.
    """
    replied = [question.id for question in questions if rules[question.id].answer is not AnswerClass.EMPTY]
    said = set(verdicts)
    both = [ident for ident in replied if ident in said]
    return Agreements(
        answer=agreement(
            {ident: _SAYS[rules[ident].is_right] for ident in replied}, {ident: _SAYS[judged[ident].is_right] for ident in both}
        ),
        time=agreement({ident: rules[ident].time for ident in replied}, {ident: judged[ident].time for ident in both}),
    )


def _scored(question: ScoredQuestion, by_rules: ScoredReply, answer: AnswerClass, time: TimeVerdict) -> ScoredReply:
    alignment = None
    if question.relation == "now":
        if answer is AnswerClass.RIGHT:
            alignment = AlignmentClass.CORRECT if time is TimeVerdict.YES else AlignmentClass.WRONG_TIME
        elif by_rules.alignment in (AlignmentClass.CORRECT, AlignmentClass.WRONG_TIME):
            alignment = AlignmentClass.OTHER
        else:
            alignment = by_rules.alignment
    return ScoredReply(id=question.id, answer=answer, time=time, alignment=alignment)
