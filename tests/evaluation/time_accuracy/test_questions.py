"""What is asked of models, and what the scoring reads of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.answering import answering_variables
from evaluation.time_accuracy.asking import judge_request
from evaluation.time_accuracy.questions import (
    asked_questions,
    draw,
    outside_questions,
    phrasings,
    read_instances,
    scored_question,
    scored_questions,
)
from state.answer_roles import AnswerRequest
from state.errors import RunFolderError
from state.interval import Granularity
from state.table_instance import ShownRow, ShownTable
from state.tdbench_evaluation import AskedQuestion
from tdbench.scoring.outside import read_questions
from tdbench.scoring.score import score_replies, summarise
from tests.composed_tables import INSTANCES, RIGHT, instance, write_run


def test_replies_that_copy_the_rows_are_right_in_every_kind_of_question() -> None:
    questions = scored_questions(INSTANCES)
    summary = summarise(questions, score_replies(questions, RIGHT))
    assert (summary.all.both, summary.all.asked) == (len(INSTANCES), len(INSTANCES))
    assert {relation: tally.asked for relation, tally in summary.relations.items()} == {
        "after": 2, "before": 1, "during": 1, "now": 2, "basic": 1
    }  # fmt: skip


def test_the_other_rows_of_a_thing_are_distractors_but_not_one_of_an_answers_name() -> None:
    assert [row.name for row in scored_question(INSTANCES[0]).distractors] == ["Ana Roy", "Cy Moe"]
    moved = instance(9, "Fenn", ("Jon Abt",))
    again = moved.question.distractors[0].model_copy(update={"values": {"name": "Jon Abt"}})
    changed = moved.model_copy(update={"question": moved.question.model_copy(update={"distractors": (again,)})})
    assert scored_question(changed).distractors == ()


def test_a_missing_end_is_present_or_not_known_as_the_table_says() -> None:
    ongoing = scored_question(instance(7, "Arn", ("Cy Moe",), relation=None, kind="basic", checked="both"))
    unknown = scored_question(instance(7, "Arn", ("Cy Moe",), relation=None, kind="basic", checked="both", open_end="unknown"))
    assert (ongoing.gold[0].is_end_unknown, ongoing.time_checked) == (False, "both")
    assert (unknown.gold[0].is_end_unknown, unknown.time_checked) == (True, "start")


def test_a_question_across_joined_tables_asks_for_the_start_or_the_end() -> None:
    joined = instance(8, "Arn", ("Bo Lind",), relation=None, kind="join", checked="both", hops=2)
    scored = scored_question(joined)
    assert (scored.relation, scored.hops) == ("join", 2)
    request = judge_request(asked_questions([joined])[0], "Bo Lind")
    assert request.demanded == "start or end"
    assert request.answers[0].dates == "start: 1999, end: 2009"


def test_of_the_phrasings_of_a_query_all_are_asked_or_the_first() -> None:
    assert len(phrasings(INSTANCES, "all")) == 7
    first = phrasings(list(reversed(INSTANCES)), "first")
    assert sorted(one.id for one in first) == sorted(one.id for one in INSTANCES if one.phrasing == 1)
    assert len({one.group for one in asked_questions(INSTANCES)}) == 6


def test_a_question_without_rows_shows_nothing_of_the_table_and_one_with_them_all_of_it() -> None:
    closed, opened = (asked_questions(INSTANCES, with_rows=shown)[0].request for shown in (False, True))
    assert closed.tables is None
    assert opened.tables == INSTANCES[0].evidence
    assert closed.as_of == "2020-01-01"


def test_rows_are_shown_with_every_value_though_two_columns_are_called_alike() -> None:
    table = ShownTable(
        name="twins", columns=("name", "name"), ends="inclusive", open_end="unknown",
        rows=(ShownRow(values=("Ana Roy", "Bo Lind"), start="1990", end=None),),
    )  # fmt: skip
    shown = answering_variables(AnswerRequest(question="Who?", tables=(table,), unit=Granularity.YEAR, as_of=None))["rows"]
    assert shown == [
        {"table": "twins", "values": {"name": "Ana Roy", "name (2)": "Bo Lind"}, "from": "1990", "until, which is included": "not known"}
    ]


def test_a_limit_draws_the_same_questions_whatever_their_order() -> None:
    asked = asked_questions(INSTANCES)
    drawn = draw(asked, 3, 5)
    assert draw(list(reversed(asked)), 3, 5) == drawn
    assert draw(asked, 5, 5)[:3] == drawn
    assert {tuple(one.id for one in draw(asked, 3, seed)) for seed in range(20)} != {tuple(one.id for one in drawn)}


def test_a_run_without_questions_about_tables_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="no finished build over temporal tables"):
        read_instances(tmp_path)
    run = write_run(tmp_path / "run")
    assert len(read_instances(run)) == 7
    file = run / "benchmark" / "towns.jsonl"
    file.write_bytes(file.read_bytes() * 2)
    with pytest.raises(RunFolderError, match=r"towns\.jsonl:8: a question of this id came before"):
        read_instances(run)
    file.write_text('{"id": "a", "space_search_process": []}\n')
    with pytest.raises(RunFolderError, match="not about temporal tables"):
        read_instances(run)
    file.write_text('{"id": "a"}\n')
    with pytest.raises(RunFolderError, match=r"towns\.jsonl:1: broken line"):
        read_instances(run)


def test_the_ways_in_which_the_real_dyknow_asks_a_thing_are_one_group(shared_data: Path) -> None:
    questions = outside_questions(read_questions(shared_data / "dyknow" / "qa_generated.json.gz"), None)
    groups = {one.group for one in questions}
    assert 1 < len(groups) < len(questions)
    found: dict[str | None, list[AskedQuestion]] = {}
    for one in questions:
        found.setdefault(one.group, []).append(one)
    by_group = dict(sorted(found.items(), key=lambda pair: -len(pair[1]))[:20])
    assert all(len({one.scored.gold for one in several}) == 1 for several in by_group.values())
    assert len({(one[0].scored.gold, one[0].scored.distractors, one[0].scored.relation) for one in by_group.values()}) == len(by_group)
