"""Zero-shot, chain of thought and few-shot: layout of the prompts, and what is taken from the reply."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest

from baselines.method import Pool
from baselines.retrieval import ConstraintIndex
from baselines.showing import as_line
from baselines.task import Task, task_of
from state.instance import BenchmarkRecord
from tests.bare_generator import method_named, pool_of, prompts_of
from tests.scripted_generator import written


@pytest.fixture(scope="module")
def pool(years_records: list[BenchmarkRecord]) -> Pool:
    return pool_of(years_records[:100])


def test_zero_shot_asks_once_at_temperature_zero(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    done = written(method_named("zero_shot"), years_records[200], pool, 'Here you are: "Who led it?"')
    assert (done.temperatures, done.result.final_question) == ([0.0], "Who led it?")
    assert done.bodies[0]["max_completion_tokens"] == 256


def test_chain_of_thought_takes_the_question_behind_its_mark(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    reply = "1. Which facts? Two.\n2. Is F1 before F2?\n**Final question:** Who led it?\nThis asks: is it good?"
    done = written(method_named("cot"), years_records[200], pool, reply)
    assert (done.temperatures, done.result.final_question) == ([0.0], "Who led it?")
    assert done.bodies[0]["max_completion_tokens"] == 768
    assert done.users[0].endswith("Final question:")


def test_a_question_on_the_line_after_the_mark_is_found(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    done = written(method_named("cot"), years_records[200], pool, "Final question:\n\nWho led it?\n\nFinal question:")
    assert done.result.final_question == "Who led it?"


def _likeness(task: Task, other: Task) -> tuple[bool, float, bool, bool, bool]:
    """The order of retrieval written out: equal operators, Jaccard, families, template, hops."""
    union, common, left = list(task.operators), 0, list(task.operators)
    for operator in other.operators:
        if operator in left:
            left.remove(operator)
            common += 1
        else:
            union.append(operator)
    families = [sorted(constraint.family for constraint in each.constraints) for each in (task, other)]
    return (
        sorted(task.operators) == sorted(other.operators),
        common / len(union),
        families[0] == families[1],
        task.template == other.template,
        task.hop_count == other.hop_count,
    )


def test_retrieval_is_in_the_order_of_likeness_and_leaves_related_ones_out(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    index = ConstraintIndex(pool)
    left_out = 0
    for record in years_records[:130:5]:
        task = task_of(record, shows_path=False)
        facts = {(fact.subject, fact.relation, fact.object, fact.start, fact.end) for fact in task.facts}
        allowed = [
            example
            for example in pool.examples
            if example.task.id != task.id
            and example.task.answer != task.answer
            and {(fact.subject, fact.relation, fact.object, fact.start, fact.end) for fact in example.task.facts} != facts
        ]
        found = index.most_similar(task, 1000)
        assert Counter(example.task.id for example in found) == Counter(example.task.id for example in allowed)
        assert [_likeness(task, example.task) for example in found] == sorted(
            (_likeness(task, example.task) for example in allowed), reverse=True
        )
        assert index.most_similar(task, 3) == found[:3]
        left_out += len(pool.examples) - len(allowed)
    assert left_out > 20  # more than the 20 that are in the pool themselves


def test_equally_like_ones_are_drawn_by_the_seed(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    task = task_of(years_records[200], shows_path=False)
    orders = [ConstraintIndex(Pool(pool.examples, seed)).most_similar(task, 1000) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert [_likeness(task, example.task) for example in orders[0]] == [_likeness(task, example.task) for example in orders[2]]
    shuffled = ConstraintIndex(Pool(tuple(reversed(pool.examples)), 1)).most_similar(task, 1000)
    assert shuffled == orders[0]


def test_an_answer_in_another_spelling_is_the_same_answer(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    example = pool.examples[0]
    task = dataclasses.replace(task_of(years_records[200], shows_path=False), answer=example.task.answer.upper())
    assert task.answer != example.task.answer
    assert example not in ConstraintIndex(pool).most_similar(task, 1000)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_few_shot_shows_k_cases_the_most_similar_right_before_the_task(k: int, years_records: list[BenchmarkRecord], pool: Pool) -> None:
    record = years_records[200]
    done = written(method_named("few_shot", k=k), record, pool, "Question: Who led it?")
    assert (done.result.final_question, done.temperatures) == ("Who led it?", [0.0])
    task = task_of(record, shows_path=True)
    best = ConstraintIndex(pool).most_similar(task, k)
    places = [done.users[0].index(f"Question: {example.question}") for example in best]
    assert places == sorted(places, reverse=True)
    assert places[0] < done.users[0].index(task.facts_text())
    assert done.users[0].count("\nQuestion: ") == k
    assert f"=== Case {k + 1} ===" in done.users[0]


def test_three_cases_are_the_default_and_each_shows_what_the_task_shows(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    assert method_named("few_shot") == method_named("few_shot", k=3)
    write, record = method_named("few_shot").prepare(pool), years_records[200]
    for path in (False, True):
        _, user = prompts_of(write, task_of(record, shows_path=path))
        assert user.count("Facts (subject, relation, object, time):") == user.count("Answer:") == user.count("Conditions on time") == 4
        assert user.count("asked for: ") == 4 * path


def test_a_line_of_a_prompt_keeps_quotes_and_letters_and_loses_breaks_and_markup() -> None:
    assert as_line('Who\nsang "Ça \\ va"\u2028in <b>1999</b>?') == 'Who sang "Ça \\ va" in \\u003cb>1999\\u003c/b>?'
    assert as_line("  ") == ""
