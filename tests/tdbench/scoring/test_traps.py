"""What the published scoring gets wrong, one test each, and names within names."""

from __future__ import annotations

import pytest

from state.tdbench_scoring import RELATIONS, TIME_CHECKED, AnswerClass, AnswerRow, TimeVerdict
from tdbench.scoring.score import score_replies, score_reply, summarise
from tdbench.scoring.time_judge import reference_text
from tests.tdbench.scoring.forty_replies import AFTER, ANA, BO, CY, DI, EK, NONE, NOW, OVERLAP, TWO, YEARS, ask


def test_three_relations_demand_the_start_three_the_end_and_seven_both() -> None:
    demanded = list(TIME_CHECKED.values())
    assert (demanded.count("start"), demanded.count("end"), demanded.count("both")) == (3, 3, 7)
    assert (*TIME_CHECKED, "now", "basic", "join") == RELATIONS


def test_the_bare_first_name_of_a_three_part_name_is_not_the_name() -> None:
    question = ask("q", "after", ANA)
    assert score_reply(question, "Ana, since 1998").answer is AnswerClass.OTHER
    assert score_reply(question, "Ana Roy, since 1998").answer is AnswerClass.OTHER
    assert score_reply(question, "Holt, since 1998").answer is AnswerClass.OTHER
    assert score_reply(question, "A.R. Holt, since 1998").answer is AnswerClass.RIGHT


def test_the_part_of_a_name_before_its_comma_is_not_the_name() -> None:
    question = ask("q", "after", DI)
    assert score_reply(question, "Di Vann").answer is AnswerClass.OTHER
    assert score_reply(question, "the Countess of Arn").answer is AnswerClass.OTHER
    assert score_reply(question, "Di Vann (Countess of Arn)").answer is AnswerClass.RIGHT


def test_a_name_turned_round_its_comma_is_the_name() -> None:
    question = ask("q", "after", AnswerRow(name="Roy, Ana", start="2001"))
    assert score_reply(question, "Ana Roy").answer is AnswerClass.RIGHT


@pytest.mark.parametrize(
    ("gold", "reply"),
    [
        ("Niger", "Nigeria"),
        ("Oman", "Romania"),
        ("Mali", "Somalia"),
        ("Queen", "Queensland"),
        ("Ann Li", "Ann Lindh"),
        ("Henry VII", "Henry VIII"),
        ("Henry Ford", "Henry Ford II"),
        ("Season 1", "Season 10"),
        ("C", "C++"),
        ("J. Smith", "A. Smith"),
        ("Bo Lind", "It was Zed Quill, not Bo Lind"),
        ("!!!", "???"),
    ],
)
def test_another_name_is_not_the_gold_name(gold: str, reply: str) -> None:
    question = ask("q", "after", AnswerRow(name=gold, start="2001"))
    assert score_reply(question, reply).answer is not AnswerClass.RIGHT


@pytest.mark.parametrize(
    ("gold", "reply"),
    [
        ("José Roy", "Jose\u0301 ROY"),
        ("São Tomé", "Sao Tome"),
        ("O'Neill", "O\u2019Neill's"),
        ("Straße 9", "STRASSE 9"),
        ("FC Arn", "F.C. Arn"),
        ("Arn F.C.", "Arn FC"),
        ("Niger", "Ni\u200bger"),
        ("!!!", "The band is !!!"),
        ("Bo Lind", "Nonetheless, **Bo Lind**"),
        ("Bo Lind", "None other than Bo Lind"),
        ("Bo Lind", "Not only the first but Bo Lind"),
        ("Unknown", "Unknown"),
        ("Nobody", "Nobody"),
        ("Bo Lind", "Bo Lind; I am not sure about the exact start date"),
    ],
)
def test_the_same_name_in_other_signs_is_the_gold_name(gold: str, reply: str) -> None:
    question = ask("q", "after", AnswerRow(name=gold, start="2001"), distractors=())
    assert score_reply(question, reply).answer is AnswerClass.RIGHT


def test_a_distractor_within_the_gold_name_is_not_named_by_it_and_the_other_way_round() -> None:
    long, short = AnswerRow(name="FC Arn B", start="2001"), AnswerRow(name="FC Arn", start="2005")
    assert score_reply(ask("q", "after", long, distractors=(short,)), "FC Arn B").answer is AnswerClass.RIGHT
    assert score_reply(ask("q", "after", short, distractors=(long,)), "FC Arn B").answer is AnswerClass.DISTRACTOR
    assert score_reply(ask("q", "after", short, distractors=(long,)), "FC Arn, before that FC Arn B").answer is AnswerClass.DISTRACTOR


@pytest.mark.parametrize("text", ["No answer.", "None", "no one", "No-one did.", "Nobody", "There was no leader then."])
def test_saying_that_there_is_none_is_right_only_where_there_is_none(text: str) -> None:
    assert score_reply(NONE, text).answer is AnswerClass.RIGHT
    assert score_reply(NONE, text).time is TimeVerdict.YES
    for question in (AFTER, TWO, NOW):
        assert score_reply(question, text).answer is AnswerClass.NO_ANSWER
        assert score_reply(question, text).time is TimeVerdict.NO


@pytest.mark.parametrize("text", ["No one knows.", "No one else than Bo Lind", "Bo Lind, and nobody after him", "Nonetheless 2004"])
def test_words_that_only_begin_like_none_do_not_say_that_there_is_none(text: str) -> None:
    assert score_reply(NONE, text).answer is not AnswerClass.RIGHT


@pytest.mark.parametrize("text", ["Unsure", "I'm not sure.", "I cannot determine this; Bo Lind is only mentioned as a coach", "unknown"])
def test_who_cannot_tell_is_of_a_class_of_his_own(text: str) -> None:
    for question in (AFTER, NONE, TWO, NOW):
        assert score_reply(question, text).answer is AnswerClass.UNSURE


def test_three_of_four_answers_will_do_and_two_of_four_are_partial() -> None:
    question = ask("q", "started-by", BO, CY, DI, EK)
    assert score_reply(question, "Bo Lind, Cy Moe and Ek Tam").answer is AnswerClass.RIGHT
    assert score_reply(question, "Bo Lind and Cy Moe").answer is AnswerClass.PARTIAL
    assert score_reply(TWO, "Cy Moe").answer is AnswerClass.PARTIAL


def test_a_relation_does_not_collect_those_whose_name_holds_its_own() -> None:
    relations = ("start", "started-by", "finish", "finished-by", "overlap", "overlapped-by", "meet", "met-by")
    questions = [ask(relation, relation, BO) for relation in relations]
    summary = summarise(questions, score_replies(questions, {"start": "Bo Lind (May 2004 - June 2009)"}))
    assert {relation: (part.asked, part.both) for relation, part in summary.relations.items()} == {
        relation: (1, int(relation == "start")) for relation in relations
    }


def test_a_half_stays_in_every_denominator_and_counts_only_in_the_loose_figure() -> None:
    questions = [ask(str(place), "overlap", BO) for place in range(4)]
    replies = {"0": "Bo Lind, from May 2004 to June 2009", "1": "Bo Lind, from May 2004", "2": "Unsure"}
    summary = summarise(questions, score_replies(questions, replies))
    for part in (summary.all, summary.relations["overlap"], summary.cardinalities["unique"]):
        assert (part.asked, part.time_yes, part.time_half) == (4, 1, 1)
        assert (part.time_accuracy, part.loose_time_accuracy, part.answer_and_time_accuracy) == (1 / 4, 3 / 8, 1 / 4)
        assert (part.answer_accuracy, part.gap) == (1 / 2, 1 / 4)


def test_a_judge_is_shown_months_of_month_data_and_years_of_year_data() -> None:
    assert reference_text(BO, OVERLAP) == "start: 2004-05, end: 2009-06"
    assert reference_text(BO, YEARS) == "start: 2004, end: 2009"
    assert reference_text(EK, ask("q", "finished-by", EK)) == "end: present"
    assert reference_text(BO, AFTER) == "start: 2004-05"


def test_a_month_is_required_only_of_a_reply_that_names_one() -> None:
    assert score_reply(OVERLAP, "Bo Lind, from 2004 to 2009").time is TimeVerdict.YES
    assert score_reply(OVERLAP, "Bo Lind, from April 2004 to June 2009").time is TimeVerdict.HALF
    assert score_reply(YEARS, "Bo Lind, from April 2004 to June 2009").time is TimeVerdict.YES
    assert score_reply(NOW, "Ek Tam, 2018").time is TimeVerdict.YES
    assert score_reply(NOW, "Ek Tam, 08/2018").time is TimeVerdict.NO


def test_a_day_is_compared_only_in_day_data_and_only_if_the_reply_names_one() -> None:
    days = ask("q", "overlap", BO, granularity="day")
    assert score_reply(OVERLAP, "Bo Lind, from 4 May 2004 to 30 June 2009").time is TimeVerdict.YES
    assert score_reply(days, "Bo Lind, from 4 May 2004 to 30 June 2009").time is TimeVerdict.HALF
    assert score_reply(days, "Bo Lind, from May 2004 to 30 June 2009").time is TimeVerdict.YES
    assert (
        score_reply(ask("q", "overlap", AnswerRow(name="Bo Lind", start="2004", end="2009")), "Bo Lind, May 2004 - June 2009").time == "yes"
    )


def test_each_of_several_rows_that_are_named_needs_its_own_dates() -> None:
    assert score_reply(TWO, "Cy Moe (from 2009), Di Vann, Countess of Arn (from 2015)").time is TimeVerdict.NO
    both = ask("q", "overlap", BO, CY)
    assert score_reply(both, "Bo Lind (2004-2009), Cy Moe (2009-2014)").time is TimeVerdict.YES
    assert score_reply(both, "Bo Lind (2004-2009), Cy Moe (2010-2015)").time is TimeVerdict.HALF
    assert score_reply(both, "Bo Lind (2009-2014), Cy Moe (2004-2009)").time is TimeVerdict.NO
    joined = ask("q", "join", BO, CY)
    assert score_reply(joined, "Bo Lind (2004), Cy Moe (2011)").time is TimeVerdict.NO


def test_another_row_before_a_none_does_not_take_the_none_back() -> None:
    question = ask("q", "during", BO, text="Who led Arn between 2000 and 2020?")
    assert not score_reply(question, "Ana Roy Holt? No one. Bo Lind").is_right


def test_a_join_whose_time_the_reply_does_not_give_is_wrong_in_time() -> None:
    question = ask("q", "join", AnswerRow(name="Bo Lind", start="2006-02-10", end="2006-02-26"), hops=3)
    assert score_reply(question, "Bo Lind. The date cannot be told.").time is TimeVerdict.NO
    assert score_reply(question, "Bo Lind, in February 2006").time is TimeVerdict.YES
    assert score_reply(question, "Bo Lind, in 2010").time is TimeVerdict.NO


def test_the_dates_of_another_row_are_not_those_of_the_gold_row() -> None:
    question = ask("q", "during", BO, text="Who led Arn between 2000 and 2020?")
    assert score_reply(question, "Cy Moe (2004-2009), Bo Lind (2009-2014)").time is TimeVerdict.NO
    assert score_reply(question, "Cy Moe led it from 2009 to 2014. From 2004 to 2009 it was Bo Lind.").time is TimeVerdict.YES
    assert score_reply(question, "From 2004 to 2009 it was Bo Lind. Cy Moe led it from 2009 to 2014.").time is TimeVerdict.YES


def test_an_open_end_is_right_as_present_and_wrong_with_a_date() -> None:
    question = ask("q", "finish", EK)
    for text in ("2018 - present", "since 2018", "from 2018 to date", "started 2018 and is still in office", "(2018–)", "2018 onwards"):
        assert score_reply(question, f"Ek Tam, {text}").time is TimeVerdict.YES, text
    assert score_reply(question, "The current leader Ek Tam, 2018-2020").time is TimeVerdict.HALF
    assert score_reply(ask("q", "finish", BO), "Bo Lind, from 2004 to present").time is TimeVerdict.HALF
