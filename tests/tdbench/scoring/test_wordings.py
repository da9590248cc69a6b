"""Wordings that models use, with what a reader takes them to say."""

from __future__ import annotations

import pytest

from state.tdbench_scoring import AlignmentClass, AnswerClass, TimeVerdict
from tdbench.scoring.score import score_reply
from tests.tdbench.scoring.forty_replies import AFTER, EQUAL_OPEN, NONE, NOW, OVERLAP


@pytest.mark.parametrize(
    "reply",
    [
        "The leader was Bo Lind, who served from May 3, 2004, to June 30, 2009.",
        "Bo Lind (start date: May 2004, end date: June 2009)",
        "Bo Lind was the leader. His term began on 3 May 2004 and ended on 30 June 2009.",
        "Bo Lind was leader when the treaty of 1999 was in force; he held office between May 2004 and June 2009",
        "Bo Lind's tenure: 05/03/2004-06/30/2009",
        "In May 2004, Bo Lind assumed office, serving until his resignation on June 30, 2009.",
        "Bo Lind became leader in May 2004 after winning the April 2004 election. He was defeated in the June 2009 election.",
        "Based on my knowledge, the answer is Bo Lind. He took office in 2004 and handed over in 2009.",
        "Bo Lind\n- Start: May 2004\n- End: June 2009",
        '{"answer": "Bo Lind", "start": "2004-05-03", "end": "2009-06-30"}',
        "Bo Lind, 2004-05 to 2009-06",
        "There were no other leaders; Bo Lind, 2004–2009",
        "Bo Lind took office at the beginning of May 2004 and left at the end of June 2009.",
        "I do not have access to real-time data, but Bo Lind led it (2004-2009).",
        "Bo Lind, May 2004 to June 2009. I'm not certain of the exact days.",
    ],
)
def test_both_dates_are_found_in_what_models_write(reply: str) -> None:
    scored = score_reply(OVERLAP, reply)
    assert (scored.answer, scored.time) == (AnswerClass.RIGHT, TimeVerdict.YES)


@pytest.mark.parametrize(
    "rest",
    [
        "(2018–present)",
        "has been leader since September 2018.",
        "took office in September 2018 and is the current leader.",
        "appointed in 2018, incumbent",
        "2018-09 - ongoing",
        "started 2018, end: N/A",
        "; start date: September 1, 2018; end date: still in office as of 2024",
        "started in 2018. As of 2024, he remains in office.",
    ],
)
def test_an_open_end_is_found_in_what_models_write(rest: str) -> None:
    scored = score_reply(EQUAL_OPEN, f"Ek Tam {rest}")
    assert (scored.answer, scored.time) == (AnswerClass.RIGHT, TimeVerdict.YES)


@pytest.mark.parametrize(
    "reply",
    [
        "No leader of Arn started then.",
        "No, there was not.",
        "There wasn't any.",
        "There is no record of a leader starting then.",
        "The office was vacant.",
        "No individual started exactly then; Bo Lind started in May 2004.",
        "Bo Lind started in May 2004, so no one started then.",
        "Cy Moe started in 2009 and Bo Lind in 2004. Final answer: none",
    ],
)
def test_that_there_is_no_answer_is_found_in_what_models_write(reply: str) -> None:
    scored = score_reply(NONE, reply)
    assert (scored.answer, scored.time) == (AnswerClass.RIGHT, TimeVerdict.YES)


@pytest.mark.parametrize("reply", ["Bo Lind, and no one before him", "No one else but Bo Lind", "Ana Roy Holt. Nobody preceded her."])
def test_a_row_that_is_named_first_is_not_taken_back_by_a_later_none(reply: str) -> None:
    assert score_reply(NONE, reply).answer is AnswerClass.DISTRACTOR


@pytest.mark.parametrize(
    ("reply", "alignment"),
    [
        ("I do not have real-time data, but Ek Tam has led it since 2018", AlignmentClass.CORRECT),
        ("I do not have real-time data, but Cy Moe has led it since 2009", AlignmentClass.OUTDATED_RIGHT_TIME),
        ("I do not have real-time data.", AlignmentClass.UNSURE),
        ("My information may be old. Ek Tam, 2018", AlignmentClass.CORRECT),
        ("Ek Tam, who followed Cy Moe in 2018", AlignmentClass.OTHER),
        ("Cy Moe leads it since June 2009; no one has followed", AlignmentClass.OUTDATED_RIGHT_TIME),
        ("Ek Tam, until 2018", AlignmentClass.WRONG_TIME),
        ("Bo Lind from 2004, Cy Moe from 2010", AlignmentClass.OUTDATED_WRONG_TIME),
        ("Zed Quill, since 2018", AlignmentClass.OTHER),
        ("No one leads it now", AlignmentClass.OTHER),
        ("", AlignmentClass.OTHER),
    ],
)
def test_a_reply_about_now_falls_into_its_class(reply: str, alignment: AlignmentClass) -> None:
    assert score_reply(NOW, reply).alignment is alignment


def test_a_question_that_is_not_about_now_has_no_alignment() -> None:
    assert score_reply(AFTER, "Bo Lind").alignment is None
