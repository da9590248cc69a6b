"""What a reply to a question about now comes to. Paper: TDBench, section 4, temporal alignment."""

from __future__ import annotations

from state.tdbench_scoring import AlignmentClass, AnswerClass, ScoredQuestion, TimeVerdict
from tdbench.scoring.answer_match import AnswerReading
from tdbench.scoring.time_judge import gives_start_of_named


def align(reply: str, reading: AnswerReading, time: TimeVerdict, question: ScoredQuestion) -> AlignmentClass:
    """The class of a reply to a question about now.

    Outdated is a reply that names another row and no gold one; its time is right if it gives that row's start. A
    reply that names both is neither outdated nor right.
    """
    if reading.answer is AnswerClass.RIGHT:
        return AlignmentClass.CORRECT if time is TimeVerdict.YES else AlignmentClass.WRONG_TIME
    if reading.answer is AnswerClass.UNSURE:
        return AlignmentClass.UNSURE
    if reading.answer is AnswerClass.DISTRACTOR and not any(place.is_gold for place in reading.named):
        right_time = gives_start_of_named(reply, reading, question)
        return AlignmentClass.OUTDATED_RIGHT_TIME if right_time else AlignmentClass.OUTDATED_WRONG_TIME
    return AlignmentClass.OTHER
