from __future__ import annotations

from collections.abc import Callable
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from state.tdbench_scoring import RELATIONS, TIME_CHECKED, AnswerClass, AnswerRow, ScoredQuestion, TimeVerdict
from tdbench.scoring.date_reading import MONTHS
from tdbench.scoring.score import score_replies, score_reply, summarise
from tests.tdbench.scoring.forty_replies import EVERYBODY, FORTY, Judged, ask

YEARS = st.integers(1800, 2030)
DATES = st.tuples(YEARS, st.integers(1, 12), st.integers(1, 28))
Date = tuple[int, int, int]


def _name(month: int) -> str:
    return MONTHS[month - 1].capitalize()


FORMATS: tuple[Callable[[Date], str], ...] = (
    lambda date: f"{date[0]}",
    lambda date: f"{date[0]}-{date[1]:02d}",
    lambda date: f"{date[0]}-{date[1]:02d}-{date[2]:02d}",
    lambda date: f"{date[0]}/{date[1]:02d}/{date[2]:02d}",
    lambda date: f"{date[1]:02d}/{date[0]}",
    lambda date: f"{date[1]:02d}/{date[2]:02d}/{date[0]}",
    lambda date: f"{date[2]}.{date[1]}.{date[0]}",
    lambda date: f"{_name(date[1])} {date[0]}",
    lambda date: f"{date[2]} {_name(date[1])} {date[0]}",
    lambda date: f"{date[2]} {_name(date[1])[:3]} {date[0]}",
    lambda date: f"{_name(date[1])} {date[2]}, {date[0]}",
    lambda date: f"{date[0]}-{date[1]:02d}-{date[2]:02d}T00:00:00Z",
)
SENTENCES = (
    "{name}, from {start} to {end}",
    "{name}. Start date: {start}. End date: {end}.",
    "{name} ({start} – {end})",
    "{name} took office in {start} and left in {end}.",
    "{name}\nStart: {start}\nEnd: {end}",
    "From {start} until {end} it was {name}.",
    "In {start} {name} was appointed, and in {end} {name} resigned.",
    "It was {name}, between {start} and {end}",
    "{name}: {start} (start), {end} (end)",
)
BOTH_DATES = sorted(relation for relation, checked in TIME_CHECKED.items() if checked == "both")


def _iso(date: Date) -> str:
    return f"{date[0]:04d}-{date[1]:02d}-{date[2]:02d}"


@given(
    DATES,
    st.one_of(st.none(), DATES),
    st.sampled_from(FORMATS),
    st.sampled_from(SENTENCES),
    st.sampled_from(RELATIONS),
    st.sampled_from(("year", "month", "day")),
    st.sampled_from(("Bo Lind", "Ana Roy Holt", "FC Arn 04", "Łódź United F.C.", "Di Vann, Countess of Arn")),
)
def test_a_reply_that_repeats_gold_with_its_dates_is_right(
    start: Date, end: Date | None, form: Callable[[Date], str], sentence: str, relation: str, granularity: str, name: str
) -> None:
    if end is not None:
        start, end = sorted((start, end))
    row = AnswerRow(name=name, start=_iso(start), end=_iso(end) if end else None)
    question = ask("q", relation, row, distractors=(), granularity=granularity)
    reply = sentence.format(name=name, start=form(start), end=form(end) if end else "present")
    scored = score_reply(question, reply)
    assert (scored.answer, scored.time) == (AnswerClass.RIGHT, TimeVerdict.YES), reply


@given(DATES, DATES, st.sampled_from(FORMATS), st.sampled_from(SENTENCES), st.sampled_from(BOTH_DATES))
def test_swapping_the_roles_of_the_two_dates_is_wrong(
    one: Date, other: Date, form: Callable[[Date], str], sentence: str, relation: str
) -> None:
    assume(one[0] != other[0])
    start, end = sorted((one, other))
    question = ask("q", relation, AnswerRow(name="Bo Lind", start=_iso(start), end=_iso(end)), distractors=())
    reply = sentence.format(name="Bo Lind", start=form(end), end=form(start))
    assert score_reply(question, reply).time is TimeVerdict.NO


NAMES = st.sampled_from(("Bo", "Lind", "Ana", "Roy", "Moe", "FC", "Arn", "B", "II", "Nobody"))
SOME_NAME = st.lists(NAMES, min_size=1, max_size=3).map(" ".join)
WORDS = st.lists(
    st.one_of(SOME_NAME, st.sampled_from(("not", "None", ".", "unsure", "since 2004", "no one", "I don't know", "the date", ",", "2009"))),
    max_size=8,
).map(" ".join)


@given(SOME_NAME, st.lists(SOME_NAME, max_size=3), SOME_NAME, WORDS, st.booleans())
def test_one_more_distractor_never_makes_a_wrong_answer_right(gold: str, others: list[str], more: str, reply: str, spans: bool) -> None:
    text = "Who led Arn between 2004 and 2009?" if spans else "Who led Arn?"

    def right(names: list[str]) -> bool:
        question = ask("q", "during", AnswerRow(name=gold, start="2004"), distractors=names, text=text)
        return score_reply(question, reply).is_right

    assert right(others) >= right([*others, more])


@settings(max_examples=40)
@given(st.sampled_from(FORTY), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(judged: Judged, rng: Random) -> None:
    question, reply = judged.question, judged.reply
    gold, distractors = list(question.gold), list(question.distractors)
    rng.shuffle(gold)
    rng.shuffle(distractors)
    shuffled = question.model_copy(update={"gold": tuple(gold), "distractors": tuple(distractors)})
    assert score_reply(shuffled, reply) == score_reply(question, reply)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(FORTY), min_size=1, max_size=12))
def test_the_parts_add_up_to_the_whole_and_no_accuracy_passes_another(chosen: list[Judged]) -> None:
    questions: list[ScoredQuestion] = []
    replies = {}
    for place, judged in enumerate(chosen):
        questions.append(judged.question.model_copy(update={"id": str(place)}))
        replies[str(place)] = judged.reply
    summary = summarise(questions, score_replies(questions, replies))
    for parts in (summary.relations, summary.cardinalities, summary.hops, summary.domains):
        for figure in ("asked", "right", "time_yes", "time_half", "both"):
            assert sum(getattr(part, figure) for part in parts.values()) == getattr(summary.all, figure)
    whole = summary.all
    assert whole.answer_and_time_accuracy is not None
    assert whole.answer_accuracy is not None
    assert whole.time_accuracy is not None
    assert whole.loose_time_accuracy is not None
    assert whole.answer_and_time_accuracy <= min(whole.answer_accuracy, whole.time_accuracy)
    assert whole.time_accuracy <= whole.loose_time_accuracy
    assert whole.gap == whole.answer_accuracy - whole.answer_and_time_accuracy


@given(st.text(max_size=60))
def test_any_reply_at_all_gets_a_verdict(reply: str) -> None:
    for relation in ("now", "join", "during"):
        score_reply(ask("q", relation, EVERYBODY[1]), reply)
