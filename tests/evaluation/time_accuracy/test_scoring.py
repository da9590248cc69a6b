"""Figures from replies: counted by hand, the same by both judges where they say the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from evaluation.time_accuracy.figures import RowFigures
from evaluation.time_accuracy.judging import judged_reply
from evaluation.time_accuracy.questions import asked_questions, phrasings
from evaluation.time_accuracy.scoring import Evaluation, Row, evaluate_rows
from evaluation.time_accuracy.tables import reference_note, summary_tables
from state.answer_roles import VerdictReply
from state.tdbench_scoring import AlignmentClass, AnswerClass, TimeVerdict
from tdbench.scoring.score import score_reply
from tests.composed_tables import INSTANCES, RIGHT

QUESTIONS = sorted(asked_questions(phrasings(INSTANCES, "first")), key=lambda one: one.id)
ALL = sorted(asked_questions(INSTANCES), key=lambda one: one.id)
MIXED = {
    **RIGHT,
    "mayors-000000000001.1": "Bo Lind, from 2001 to 2009.",
    "mayors-000000000003.1": "Bo Lind, from 1999 to 2009.",
    "mayors-000000000004.1": "I cannot tell.",
    "mayors-000000000005.1": "",
}
"""Of six: a wrong date, an outdated mayor, unsure, nothing, and two right in all."""


def yes(time: TimeVerdict = TimeVerdict.YES) -> VerdictReply:
    return VerdictReply(answer=TimeVerdict.YES, time=time)


def row(name: str, texts: Mapping[str, str], verdicts: Mapping[str, VerdictReply] | None = None) -> Row:
    return Row(name, "asked", "m", "v1", texts, verdicts=verdicts)


def scored(*rows: Row, judge: str = "rules", questions: object = None) -> Evaluation:
    return evaluate_rows(QUESTIONS if questions is None else ALL, rows, source="run", available=7, judge=judge, seed=0)


def shares(figures: RowFigures, place: int = 0) -> tuple[int, int, int, int]:
    """Questions, and those right in A, T and AT."""
    tally = figures.judged[place].whole.tally
    return tally.asked, tally.right, tally.time_yes, tally.both


def test_every_question_is_in_every_denominator() -> None:
    (figures,) = scored(row("m", MIXED)).summary.rows
    assert shares(figures) == (6, 3, 2, 2)
    whole = figures.judged[0].whole
    assert (whole.a.numerator, whole.gap.numerator, whole.at.denominator) == (3, 1, 6)
    assert whole.a.method == "wilson"
    assert whole.loose_t.low is not None
    assert whole.tally.answers[AnswerClass.UNSURE] == whole.tally.answers[AnswerClass.EMPTY] == 1
    assert whole.tally.alignment[AlignmentClass.OUTDATED_RIGHT_TIME] == 1
    for by in ("kind", "relation", "cardinality", "hops", "domain"):
        assert sum(part.tally.asked for part in figures.judged[0].of(by)) == 6  # type: ignore[arg-type]


def test_rows_are_compared_on_the_questions_that_only_one_has_right() -> None:
    found = {one.measure: one for one in scored(row("all", RIGHT), row("some", MIXED)).summary.comparisons}
    assert (found["AT"].only_first, found["AT"].only_second, found["AT"].p, found["AT"].test) == (4, 0, 0.125, "exact McNemar")
    assert found["A"].only_first == 3


def test_phrasings_of_one_query_are_drawn_and_flipped_together() -> None:
    evaluation = scored(row("all", RIGHT), row("some", MIXED), questions=ALL)
    assert {one.test for one in evaluation.summary.comparisons} == {"sign flip over queries"}
    assert evaluation.summary.rows[1].judged[0].whole.at.method == "wider of bootstrap and MOVER"
    assert "7 questions are phrasings of 6 queries" in " ".join(evaluation.summary.notes)


def test_a_judge_who_says_what_the_rules_say_agrees_wholly() -> None:
    rules = {one.id: score_reply(one.scored, MIXED[one.id]) for one in QUESTIONS}
    verdicts = {
        ident: VerdictReply(answer=TimeVerdict.YES if one.is_right else TimeVerdict.NO, time=one.time)
        for ident, one in rules.items()
        if one.answer is not AnswerClass.EMPTY
    }
    (figures,) = scored(row("m", MIXED, verdicts), judge="big").summary.rows
    assert figures.agreement is not None
    assert (figures.agreement.time.judged, figures.agreement.time.share, figures.agreement.answer.kappa) == (5, 1, 1)
    assert shares(figures, 0) == shares(figures, 1)
    assert figures.unjudged == 0


def test_a_reply_without_a_verdict_is_a_miss_by_the_judge_and_counted() -> None:
    verdicts = {one.id: yes() for one in QUESTIONS if one.id != "mayors-000000000002.1"}
    (figures,) = scored(row("m", RIGHT, verdicts), judge="big").summary.rows
    assert (shares(figures, 0), shares(figures, 1), figures.unjudged) == ((6, 6, 6, 6), (6, 5, 5, 5), 1)
    assert figures.judged[1].signature != figures.judged[0].signature


def test_a_judge_who_could_not_be_read_is_told_and_neither_shown_as_nought_nor_compared() -> None:
    judged = {one.id: yes() for one in QUESTIONS}
    mute = replace(row("mute", RIGHT, {}), judge_failure="judge: schema: no JSON\nat all")
    summary = scored(mute, row("few", RIGHT, {QUESTIONS[0].id: yes()}), row("n", RIGHT, judged), judge="big").summary
    assert {(one.first, one.second) for one in summary.comparisons if one.judge == "big"} == {("few", "n")}
    assert "mute, by big: 6 of 6 verdicts could not be read; the first: judge: schema: no JSON at all. It counts as not judged." in (
        summary.notes
    )
    made = summary_tables(summary)
    by_judge = [cells[:3] for cells in made["scores"].rows if cells[1] != "rules"]
    assert by_judge[0] == ("mute", "big (6 of 6 verdicts could not be read)", "not judged")
    assert by_judge[1][1] == "big (5 of 6 verdicts could not be read)"
    assert by_judge[2][1] == "big"
    assert {cells[0] for cells in made["all_scores"].rows if cells[1] == "big"} == {"few", "n"}
    assert {cells[1] for cells in made["answers"].rows} == {"rules"}


def test_a_constant_reply_is_scored_beside_the_models_and_named_where_one_is_not_above_it() -> None:
    poor, good = {one.id: "no answer" for one in QUESTIONS}, row("good", RIGHT)
    summary = scored(row("poor", poor), good).summary
    constant = summary.always_no_answer
    assert constant is not None
    assert constant == summary.rows[0].judged[0].whole
    assert constant.tally.both == 1
    (cells,) = summary_tables(summary)["reference"].rows
    assert cells[1].startswith("1/6")
    note = reference_note(summary)
    assert note is not None
    assert note.endswith("AT 16.7 % on these questions: poor is not clearly above it.")
    assert reference_note(scored(good).summary) is None


@pytest.mark.parametrize(
    ("ident", "reply", "verdict", "answer", "time", "alignment"),
    [
        ("mayors-000000000002.1", "Bo Lind", yes(TimeVerdict.HALF), "right", "half", None),
        ("mayors-000000000001.1", "Bo Lind", yes(TimeVerdict.HALF), "right", "no", None),
        ("mayors-000000000003.1", "Cy Moe", yes(TimeVerdict.NO), "right", "no", "right answer, wrong time"),
        ("mayors-000000000003.1", "Cy Moe, from 2009", VerdictReply(answer=TimeVerdict.NO, time=TimeVerdict.YES), "other", "yes", "other"),
        ("mayors-000000000003.1", "Bo Lind, from 1999", VerdictReply(answer=TimeVerdict.NO, time=TimeVerdict.NO), "distractor", "no",
         "outdated, right time"),
        ("mayors-000000000005.1", "nobody did", yes(TimeVerdict.NO), "right", "yes", None),
        ("mayors-000000000006.1", "Ana Roy", VerdictReply(answer=TimeVerdict.HALF, time=TimeVerdict.YES), "partial", "yes", None),
        ("mayors-000000000006.1", "Cy Moe", VerdictReply(answer=TimeVerdict.HALF, time=TimeVerdict.NO), "distractor", "no", None),
        ("mayors-000000000006.1", "Cy Moe", None, "distractor", "no", None),
        ("mayors-000000000006.1", "", yes(), "empty", "no", None),
    ],
)  # fmt: skip
def test_a_judges_words_become_the_rules_classes(
    ident: str, reply: str, verdict: VerdictReply | None, answer: str, time: str, alignment: str | None
) -> None:
    question = next(one.scored for one in QUESTIONS if one.id == ident)
    found = judged_reply(question, score_reply(question, reply), verdict)
    assert (found.answer.value, found.time.value, found.alignment) == (answer, time, alignment)


def test_every_table_has_its_cells_and_the_paper_is_in_none_of_them() -> None:
    verdicts = {one.id: yes() for one in QUESTIONS}
    made = summary_tables(scored(row("m", MIXED, verdicts), row("n", RIGHT, verdicts), judge="big").summary)
    for table in made.values():
        assert all(len(cells) == len(table.header) for cells in table.rows), table.name
        assert not any("GPT-3.5" in cell for cells in table.rows for cell in cells)
    assert {table.name for table in made.values() if not table.rows} == {"costs"}
