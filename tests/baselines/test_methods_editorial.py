"""RoleAgentQG and R2DQG: calls, temperatures, who is shown what, and which text is returned."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Sequence

import pytest

from baselines.method import Pool
from baselines.methods.r2dqg import blanked, decomposition, drawn
from baselines.methods.role_agent_qg import feedback_in, score_in, summary
from baselines.retrieval import is_related
from baselines.task import Example, task_of
from state.instance import BenchmarkRecord
from tests.bare_generator import Talk, method_named, pool_of, prompts_of, talk
from tests.scripted_generator import written

ROUND = ["contributor", "content_editor", "copy_editor", "editor_in_chief"]
BRIEF = "Objective: a club\nFormat: one sentence\nLogic: two facts\nAnything else: no"


@pytest.fixture(scope="module")
def pool(years_records: list[BenchmarkRecord]) -> Pool:
    return pool_of(years_records[:60])


def _replies(verdicts: Sequence[str]) -> list[str]:
    """A brief, then drafts that are numbered by round and the verdicts given."""
    rounds = enumerate(verdicts, start=1)
    texts = [[f"Who drafted {number}?", f"Who checked {number}?", f"Who copied {number}?", verdict] for number, verdict in rounds]
    return [BRIEF, *itertools.chain(*texts)]


def _rounds(record: BenchmarkRecord, pool: Pool, *verdicts: str, **options: object) -> Talk:
    write = method_named("role_agent_qg", **options).prepare(pool)
    return talk(write, task_of(record, shows_path=False), *_replies(verdicts))


@pytest.mark.parametrize("scores", [[4], [3, 5], [1, 1, 4]])
def test_a_round_more_is_four_calls_more(scores: list[int], years_records: list[BenchmarkRecord], pool: Pool) -> None:
    done = written(method_named("role_agent_qg"), years_records[100], pool, *_replies([f"Score: {score}" for score in scores]))
    assert len(done.bodies) == {1: 5, 2: 9, 3: 13}[len(scores)]
    assert done.stages == ["managing_editor", *ROUND * len(scores)]
    assert done.temperatures == [0.3, *[0.5, 0.3, 0.2, 0.0] * len(scores)]
    assert done.result.final_question == f"Who copied {len(scores)}?"


@pytest.mark.parametrize(
    ("scores", "calls", "question"),
    [([2, 3, 1], 13, "Who copied 2?"), ([3, 2, 2], 13, "Who copied 1?"), ([2, 2, 2], 13, "Who copied 3?"), ([1, 5, 5], 9, "Who copied 2?")],
)
def test_without_a_four_the_best_text_is_returned_of_equals_the_last(
    scores: list[int], calls: int, question: str, years_records: list[BenchmarkRecord], pool: Pool
) -> None:
    done = _rounds(years_records[100], pool, *(f"Score: {score}\nFeedback: sharper" for score in scores))
    assert (len(done.stages), done.said) == (calls, question)


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_number_of_rounds_is_an_option(rounds: int, years_records: list[BenchmarkRecord], pool: Pool) -> None:
    method = method_named("role_agent_qg", rounds=rounds)
    assert method.calls == (5, 1 + 4 * rounds)
    assert len(_rounds(years_records[100], pool, *["Score: 1"] * 3, rounds=rounds).stages) == 1 + 4 * rounds


def test_an_unreadable_score_counts_as_three(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    done = _rounds(years_records[100], pool, "Score: 2", "Good work", "Score: 2")
    assert (len(done.stages), done.said) == (13, "Who copied 2?")


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Score: 4", 4), ("**Score:** 5/5", 5), ("score - 2 out of 5", 2), ("Score (1-5): 4", 4), ("Score (1 to 5) = 2", 2),
        ("Score (out of 5): 3", 3), ("Score out of 5: 2", 2), ("Score (/5): 1", 1),
        ("4", 4), ("4/5\nFeedback: none of the 2 facts", 4), ("Score: 4.5", 4.5), ("SCORE\n4", 4),
        ("", 3), ("Score: high", 3), ("Score: 0", 3), ("Score: 10", 3), ("It has 2 faults in 1999.", 3), ("Score: four", 3),
    ],
)  # fmt: skip
def test_scores_are_read_from_many_forms(reply: str, score: float) -> None:
    assert score_in(reply) == score


@pytest.mark.parametrize(
    ("reply", "feedback"),
    [
        ("Score: 2\nFeedback: say when", "say when"),
        ("2\nsay when", "say when"),
        ("Score: 2", ""),
        ("**Feedback:** say when\nmore", "say when"),
    ],
)
def test_feedback_is_one_line(reply: str, feedback: str) -> None:
    assert feedback_in(reply) == feedback


@pytest.mark.parametrize("feedback", [True, False])
def test_feedback_goes_to_the_next_draft_and_has_a_switch(feedback: bool, years_records: list[BenchmarkRecord], pool: Pool) -> None:
    done = _rounds(years_records[100], pool, "Score: 2\nFeedback: say when", "Score: 3\nFeedback: say who", "Score: 4", feedback=feedback)
    drafting = [user for user, stage in zip(done.users, done.stages, strict=True) if stage == "contributor"]
    assert ["say when" in user for user in drafting] == [False, feedback, False]
    assert ["say who" in user for user in drafting] == [False, False, feedback]
    assert ["Who copied 1?" in user for user in drafting] == [False, feedback, False]
    others = [user for user, stage in zip(done.users, done.stages, strict=True) if stage != "contributor"]
    assert not [user for user in others if "say w" in user]


def test_each_role_sees_its_part(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    record = max(years_records[100:], key=lambda record: len(record.support_facts))
    task = task_of(record, shows_path=False)
    assert len(task.facts_text()) > 250
    done = _rounds(record, pool, "Score: 5")
    managing, contributor, content, copy, chief = done.users
    for user in (managing, contributor, chief):
        assert task.facts_text() in user
    for user in (contributor, chief):
        assert "- Objective: a club\n- Format: one sentence\n- Logic: two facts" in user
    assert "Anything else" not in contributor
    assert "Draft by the contributor: Who drafted 1?" in content
    assert f"Facts in short: {summary(task)}\n" in content
    assert len(summary(task)) == 200
    assert task.answer_text() in content
    assert task.constraints_text() in content
    assert copy == "Question: Who checked 1?"
    assert "Question: Who copied 1?" in chief


def test_an_editor_who_says_nothing_usable_changes_nothing(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    task = task_of(years_records[100], shows_path=False)
    assert (
        talk(method_named("role_agent_qg").prepare(pool), task, BRIEF, "Who drafted 1?", "...", "--", "Score: 5").said == "Who drafted 1?"
    )


def test_r2dqg_asks_for_template_draft_and_correction(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    replies = ("Template: Who led [NAME]?", "Draft question: Who led Arn?", "Who led Arn then?")
    done = written(method_named("r2dqg"), years_records[100], pool, *replies)
    assert done.stages == ["template", "draft", "correction"]
    assert done.temperatures == [0.0, 0.0, 0.0]
    assert decomposition(task_of(years_records[100], shows_path=False)) in done.users[0]
    assert done.users[1].count("\nQuestion: ") == 10
    assert re.findall(r"Template: (.*)", done.users[1])[-1].endswith("Who led [NAME]?")
    assert "Draft: Who led Arn?" in done.users[2]
    assert "riddle" not in done.users[0] + done.users[2]
    assert done.result.final_question == "Who led Arn then?"


def test_a_correction_without_a_question_leaves_the_draft(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    task = task_of(years_records[100], shows_path=False)
    assert talk(method_named("r2dqg").prepare(pool), task, "Who led [NAME]?", "Who led Arn?", "...").said == "Who led Arn?"


def test_demonstrations_are_drawn_for_each_task_by_the_seed(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    tasks = [task_of(record, shows_path=False) for record in years_records[100:140]]
    draws = [drawn(pool, task, 10) for task in tasks]
    for task, found in zip(tasks, draws, strict=True):
        assert len({example.task.id for example in found}) == 10
        assert not any(is_related(task, example.task) for example in found)
    assert len({tuple(example.task.id for example in found) for found in draws}) == len(tasks)
    assert len({example.task.id for found in draws for example in found}) > 50
    assert drawn(pool, tasks[0], 10) == draws[0] != drawn(Pool(pool.examples, 8), tasks[0], 10)
    everything = drawn(pool, tasks[0], 1000)
    assert len(everything) == sum(not is_related(tasks[0], example.task) for example in pool.examples)


def test_the_decomposition_names_every_fact_under_its_relation_and_every_condition(years_records: list[BenchmarkRecord]) -> None:
    for record in years_records[:60]:
        task = task_of(record, shows_path=False)
        found = {json.loads(line.split(": ", 1)[0]): line.rsplit(": ", 1) for line in decomposition(task).splitlines()}
        for fact in task.facts:
            assert re.search(rf"\b{fact.name}\b", found[fact.relation][0])
        for number, constraint in enumerate(task.constraints, start=1):
            for fact in task.facts:
                if fact.name in (*constraint.left, *constraint.right):
                    assert re.search(rf"\b{number}\b", found[fact.relation][1])


def test_names_are_blanked_the_longest_first_and_only_whole(years_records: list[BenchmarkRecord]) -> None:
    task = task_of(years_records[100], shows_path=False)
    facts = tuple(dataclasses.replace(task.facts[0], subject=name, object="Arn FC") for name in ("Arn", "Bo (Jr.)"))
    example = Example(dataclasses.replace(task, facts=facts, answer="Cy"), "Did Bo (Jr.) join Arn FC, leave Arn or Arnulf, and meet Cy?")
    assert blanked(example) == "Did [NAME] join [NAME], leave [NAME] or Arnulf, and meet [NAME]?"


def test_the_corrector_sees_no_demonstration_and_the_planner_no_path(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    told = prompts_of(method_named("r2dqg").prepare(pool), task_of(years_records[100], shows_path=False))
    assert ["=== Case" in text for text in told] == [False, False, False, True, False, False]
