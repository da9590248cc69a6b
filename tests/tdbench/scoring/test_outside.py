from __future__ import annotations

import gzip
from pathlib import Path

import orjson
import pytest

from state.tdbench_scoring import TimeVerdict
from tdbench.scoring.outside import QuestionsError, RepliesError, read_questions, read_replies
from tdbench.scoring.score import score_replies, summarise
from tdbench.scoring.time_judge import reference_text


def write(path: Path, *lines: object) -> Path:
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else orjson.dumps(line) for line in lines) + b"\n")
    return path


def test_questions_of_json_lines_and_of_csv_are_the_same_questions(tmp_path: Path) -> None:
    lines = write(
        tmp_path / "q.jsonl",
        {"question": "Who led Arn?", "gold": "Bo Lind", "start": "2004-05", "end": "2009-06", "distractors": ["Cy Moe", "Di Vann"], "x": 1},
        {"question": "Who leads it?", "gold": ["Ek Tam", "Fy Os"], "start": ["2018", "2019"], "end": ""},
        {"question": "Who led Bel?", "gold": None, "start": None, "end": None, "distractors": "Cy Moe"},
    )
    table = tmp_path / "q.csv"
    table.write_text(
        '\ufeffquestion,gold,start,end,distractors\n"Who led Arn?",Bo Lind,2004-05,2009-06,Cy Moe|Di Vann\n'
        "Who leads it?,Ek Tam|Fy Os,2018|2019,,\nWho led Bel?,,,,Cy Moe\n",
        "utf-8",
    )
    questions = read_questions(lines)
    assert questions == read_questions(table)
    assert [(question.id, question.relation, question.cardinality, question.time_checked) for question in questions] == [
        ("1", "basic", "unique", "both"),
        ("2", "now", "multiple", "start"),
        ("3", "basic", "none", "both"),
    ]
    assert [row.name for row in questions[0].distractors] == ["Cy Moe", "Di Vann"]


def test_replies_that_repeat_the_rows_score_a_hundred(tmp_path: Path) -> None:
    path = write(
        tmp_path / "q.jsonl",
        {"id": "a", "question": "Who led Arn?", "gold": "Bo Lind", "start": "+2004-05-03T00:00:00Z", "end": "2009-06-30 00:00:00"},
        {"id": "b", "question": "Who ended then?", "gold": "Cy Moe", "start": "", "end": "2014", "relation": "finished-by", "hops": 2},
        {"id": "c", "question": "Who leads it?", "gold": "Ek Tam", "start": "2018-00-00", "end": None, "domain": "people"},
    )
    questions = read_questions(path)
    assert [(question.gold[0].start, question.gold[0].end) for question in questions] == [
        ("2004-05-03", "2009-06-30"),
        (None, "2014"),
        ("2018", None),
    ]
    told = {question.id: f"{question.gold[0].name}, {reference_text(question.gold[0], question)}" for question in questions}
    replies = write(tmp_path / "r.jsonl", *({"id": ident, "reply": told[ident]} for ident in ("c", "a", "b")))
    summary = summarise(questions, score_replies(questions, read_replies(replies, told)))
    assert (summary.all.asked, summary.all.both) == (3, 3)
    assert (summary.hops[2].both, summary.domains["people"].both) == (1, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "q.jsonl:2: not JSON"),
        ([1], "q.jsonl:2: not an object"),
        ({"question": "?"}, "q.jsonl:2: no key 'gold'"),
        ({"question": "?", "gold": "Bo Lind", "start": "May 2004"}, "q.jsonl:2: 'start' is not a date: 'May 2004'"),
        ({"question": "?", "gold": "Bo Lind", "start": "2004-13"}, "q.jsonl:2: 'start' is not a date of the calendar: '2004-13'"),
        ({"question": "?", "gold": "Bo Lind"}, "q.jsonl:2: 'Bo Lind' has neither a start nor an end"),
        ({"question": "?", "gold": "Bo Lind", "start": "2009", "end": "2004"}, "q.jsonl:2: 'Bo Lind' starts after it ends: 2009, 2004"),
        ({"question": "?", "gold": ["A", "B", "C"], "start": ["1", "2"]}, "q.jsonl:2: 'start' has 2 values for 3 names"),
        ({"question": "?", "gold": "A", "start": "2004", "relation": "meets"}, "q.jsonl:2: relation: input should be"),
        ({"question": "?", "gold": "A", "start": "2004", "hops": "many"}, "q.jsonl:2: hops: input should be a valid integer"),
        ({"question": "?", "gold": {"name": "A"}, "start": "2004"}, "q.jsonl:2: 'gold' must be a text"),
        ({"question": "?", "gold": "A", "end": "2004", "relation": "after"}, "q.jsonl:2: a date that a reply must give is not known"),
        ({"id": "1", "question": "?", "gold": "A", "start": "2004"}, "q.jsonl: 1 id given more than once: '1'"),
    ],
)
def test_a_line_that_is_no_question_is_refused_in_one_line_that_names_it(tmp_path: Path, line: object, said: str) -> None:
    path = write(tmp_path / "q.jsonl", {"question": "Who?", "gold": "Bo Lind", "start": "2004"}, line)
    with pytest.raises(QuestionsError) as caught:
        read_questions(path)
    message = str(caught.value).lower()
    assert said.lower() in message
    assert "\n" not in message


def test_a_file_that_is_missing_empty_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_bytes(b"question,gold\n\xff,\xff\n")
    (tmp_path / "other.json").write_bytes(b'{"a": {"b": 3}}')
    for name in ("none.jsonl", "bad.csv", "other.json"):
        with pytest.raises(QuestionsError, match=name.replace(".", r"\.")):
            read_questions(tmp_path / name)
    with pytest.raises(QuestionsError, match="there is no question in it"):
        read_questions(write(tmp_path / "empty.jsonl"))


def test_replies_are_joined_by_id_and_all_that_does_not_line_up_is_counted(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl",
        {"id": "b", "reply": None},
        {"id": 1, "reply": " Bo Lind\u2028"},
        {"id": "b", "reply": "x"},
        {"id": "z", "reply": "y"},
    )
    with pytest.raises(RepliesError) as caught:
        read_replies(path, ["1", "a", "b"])
    assert "1 id missing: 'a'; 1 id not among the questions: 'z'; 1 id given more than once: 'b'" in str(caught.value)
    good = write(tmp_path / "good.jsonl", {"id": "b", "reply": None}, {"id": 1, "reply": "Bo Lind"})
    assert read_replies(good, ["1", "b"]) == {"1": "Bo Lind", "b": ""}
    for line in ({"id": "", "reply": "x"}, {"reply": "x"}, {"id": "1"}, {"id": "1", "reply": ["x"]}, b"x"):
        with pytest.raises(RepliesError, match=r"r\.jsonl:1"):
            read_replies(write(tmp_path / "r.jsonl", line), ["1"])


def _dyknow(*answers: str) -> bytes:
    return gzip.compress(orjson.dumps({"groups": {"Arn": {"leader": {"questions": ["Who leads Arn?"], "answers": list(answers)}}}}))


def test_a_file_of_dyknow_gives_questions_about_now(tmp_path: Path) -> None:
    path = tmp_path / "q.json.gz"
    path.write_bytes(
        _dyknow(
            "Bo Lind |S: +2004-05-00T00:00:00Z |E: +2009-00-00T00:00:00Z",
            "Ek Tam |S: +2018-00-00T00:00:00Z",
            "Ek Tam |S: +1999-00-00T00:00:00Z |E +2001-00-00T00:00:00Z",
            "Cy Moe |E: +1999-01-01T00:00:00Z",
        )
    )
    (question,) = read_questions(path)
    assert (question.id, question.relation, question.domain) == ("groups / Arn / leader / 1", "now", "groups")
    assert [(row.name, row.start, row.end) for row in question.gold] == [("Ek Tam", "2018", None)]
    assert [(row.name, row.start, row.end) for row in question.distractors] == [
        ("Bo Lind", "2004-05", "2009"),
        ("Cy Moe", None, "1999-01-01"),
    ]


def test_what_cannot_be_judged_of_dyknow_is_left_out(tmp_path: Path) -> None:
    for answers in (("Bo Lind |S: +2004-05-00T00:00:00Z |E: +2009-00-00T00:00:00Z",), ("Bo Lind",)):
        path = tmp_path / "q.json.gz"
        path.write_bytes(_dyknow(*answers))
        with pytest.raises(QuestionsError, match="there is no question in it"):
            read_questions(path)


def test_replies_that_copy_the_gold_of_the_real_dyknow_are_all_right(shared_data: Path) -> None:
    questions = read_questions(shared_data / "dyknow" / "qa_generated.json.gz")
    told = {question.id: "; ".join(f"{row.name} ({reference_text(row, question)})" for row in question.gold) for question in questions}
    summary = summarise(questions, score_replies(questions, told))
    assert summary.all.asked > 120
    assert (summary.all.answer_accuracy, summary.all.time_accuracy, summary.all.answer_and_time_accuracy) == (1, 1, 1)
    names_only = {question.id: ", ".join(row.name for row in question.gold) for question in questions}
    bare = summarise(questions, score_replies(questions, names_only)).all
    assert (bare.answer_accuracy, bare.answer_and_time_accuracy, bare.gap) == (1, 0, 1)


def test_verdicts_of_another_judge_take_the_place_of_ours_and_a_missing_one_is_a_miss(tmp_path: Path) -> None:
    path = write(tmp_path / "q.jsonl", *({"question": "Who?", "gold": "Bo Lind", "start": "2004", "end": "2009"} for _ in range(3)))
    questions = read_questions(path)
    replies = {"1": "Bo Lind", "2": "Bo Lind, 2004-2009", "3": "I don't know"}
    scored = score_replies(questions, replies, {"1": TimeVerdict.YES, "3": TimeVerdict.YES})
    assert [verdict.time for verdict in scored] == [TimeVerdict.YES, TimeVerdict.NO, TimeVerdict.NO]
