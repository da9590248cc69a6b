from __future__ import annotations

from fractions import Fraction

import pytest

from state.tdbench_scoring import AlignmentClass, AnswerClass, TimeVerdict, points
from tdbench.scoring.score import score_reply, summarise, tally
from tests.tdbench.scoring.forty_replies import FORTY, Judged


@pytest.mark.parametrize("judged", FORTY, ids=lambda judged: f"{judged.question.id}: {judged.reply[:50]}")
def test_a_reply_gets_the_verdicts_that_a_person_gave_it(judged: Judged) -> None:
    scored = score_reply(judged.question, judged.reply)
    assert (scored.answer, scored.time, scored.alignment) == (judged.answer, judged.time, judged.alignment)


def test_there_are_forty_and_every_class_is_among_them() -> None:
    assert len(FORTY) == 40
    assert {judged.answer for judged in FORTY} == set(AnswerClass)
    assert {judged.time for judged in FORTY} == set(TimeVerdict)
    assert {judged.alignment for judged in FORTY} >= set(AlignmentClass) - {AlignmentClass.OTHER}


def test_the_figures_of_the_forty_are_those_counted_by_hand() -> None:
    questions = [judged.question.model_copy(update={"id": str(place)}) for place, judged in enumerate(FORTY)]
    scored = [score_reply(question, judged.reply) for question, judged in zip(questions, FORTY, strict=True)]
    summary = summarise(questions, scored)
    right = sum(judged.answer is AnswerClass.RIGHT for judged in FORTY)
    both = sum(judged.answer is AnswerClass.RIGHT and judged.time is TimeVerdict.YES for judged in FORTY)
    assert (right, both) == (25, 15)
    assert summary.all.answer_accuracy == Fraction(25, 40)
    assert summary.all.answer_and_time_accuracy == Fraction(15, 40)
    assert points(summary.all.gap or Fraction(0)) == 25
    assert sum(part.asked for part in summary.relations.values()) == 40
    assert summary.relations["now"] == tally(
        verdict for verdict, judged in zip(scored, FORTY, strict=True) if judged.question.relation == "now"
    )
