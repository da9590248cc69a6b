"""KQG-CoT and KQG-CoT+: logical forms, the choice of demonstrations, their chains and the last sub-question."""

from __future__ import annotations

import dataclasses
import itertools
import re

import pytest

from baselines.clustering import k_means
from baselines.logical_form import chain, form_tokens, form_words, logical_form, structure
from baselines.method import Pool
from baselines.support_set import complexity, support_set
from baselines.task import Example, GivenStep, Task, Variable, task_of
from baselines.term_weights import TermWeights, likeness, ngrams, rows_of
from prompts import as_data
from state.instance import BenchmarkRecord
from state.vocabulary import RankOrder
from tests.bare_generator import method_named, pool_of, prompts_of
from tests.scripted_generator import written


@pytest.fixture(scope="module")
def pool(years_records: list[BenchmarkRecord]) -> Pool:
    return pool_of(years_records[:60])


@pytest.fixture(scope="module")
def tasks(years_records: list[BenchmarkRecord]) -> list[Task]:
    return [task_of(record, shows_path=False) for record in years_records[:60]]


def _task(some: Task, steps: tuple[GivenStep, ...], references: dict[str, tuple[str, str, str]]) -> Task:
    return dataclasses.replace(some, steps=steps, references=references)


@pytest.fixture(scope="module")
def chained(tasks: list[Task]) -> Task:
    """A path with every kind of step, and a name with quotes and brackets."""
    steps = (
        GivenStep("root", "f1", ("Arn", "hosts", Variable("?a"))),
        GivenStep("temporal_filter", "f1", None, "I-before-I", "g1"),
        GivenStep("structural_filter", "f2", (Variable("?a"), "sold to", 'Bo "(x)" Ltd')),
        GivenStep("forward_transition", "f3", (Variable("?b"), "sold to", Variable("?a"))),
        GivenStep("temporal_filter", "f3", None, "P-after-I", "f1"),
        GivenStep("temporal_filter", "f3", None, "start_rank", None, 2, RankOrder.DESCENDING),
    )
    return _task(tasks[0], steps, {"g1": ("Arn", "hosts", "Cy")})


def test_a_form_is_nested_step_by_step(chained: Task) -> None:
    inner = '(time (look-up object "hosts" "Arn") I-before-I f1 (fact "Arn" "hosts" "Cy"))'
    walked = f'(step (filter {inner} subject "sold to" "Bo \\"(x)\\" Ltd") subject "sold to")'
    assert logical_form(chained) == f"(rank (time {walked} P-after-I f3 f1) start_rank f3 2 descending)"


def test_a_structure_has_one_number_a_label_and_keeps_operators(chained: Task) -> None:
    inner = "(time (look-up object R1 E1) I-before-I f1 (fact E1 R1 E2))"
    assert (
        structure(chained) == f"(rank (time (step (filter {inner} subject R2 E3) subject R2) P-after-I f3 f1) start_rank f3 2 descending)"
    )


def test_brackets_and_quotes_within_a_label_are_part_of_its_token(chained: Task) -> None:
    assert form_tokens(logical_form(chained)).count(as_data('Bo "(x)" Ltd')) == 1
    assert len(form_tokens(logical_form(chained))) == len(form_tokens(structure(chained)))
    assert form_words('(look-up object "Sold to" "Arn FC")') == ["look-up", "object", "sold", "to", "arn", "fc"]


def test_a_chain_has_a_step_for_each_step_of_the_path_and_ends_with_the_reference(chained: Task, tasks: list[Task]) -> None:
    links = chain(chained, "Who was it?")
    assert [link.question for link in links] == [
        'Which X fits "Arn" - "hosts" - X (f1)?',
        'For which of these is "before" true of f1 and "Arn" - "hosts" - "Cy": f1 ends in an earlier unit than the right starts?',
        'Which X fits X - "sold to" - "Bo \\"(x)\\" Ltd" (f2)?',
        'Which Y belongs to them by Y - "sold to" - X (f3)?',
        'For which of these is "after" true of f3 and f1: f3 happens in a later unit than the right ends?',
        "Who was it?",
    ]
    for task in [chained, *tasks]:
        links = chain(task, "Who was it?")
        assert len(links) == len(task.steps)
        assert links[-1].form == logical_form(task)
        for shorter, longer in itertools.pairwise(links):
            assert f" {shorter.form} " in longer.form


def test_a_rank_before_the_last_step_is_asked_in_words(tasks: list[Task]) -> None:
    steps = (
        GivenStep("root", "f1", (Variable("?a"), "hosts", "Arn")),
        GivenStep("temporal_filter", "f1", None, "end_rank", None, 1, RankOrder.ASCENDING),
        GivenStep("forward_transition", "f2", (Variable("?a"), "hosts", Variable("?b"))),
    )
    asked = chain(_task(tasks[0], steps, {}), "Who was it?")[1].question
    assert asked == "Which of these is number 1 by the end of f1, with the earliest as number 1?"


def test_structures_do_not_tell_labels(tasks: list[Task]) -> None:
    for task in tasks:
        text = structure(task)
        assert '"' not in text
        assert set(task.operators) <= set(form_tokens(text))
        renamed = dataclasses.replace(task, steps=tuple(_renamed(step) for step in task.steps), references={
            name: (f"x{subject}", f"x{relation}", f"x{object_}") for name, (subject, relation, object_) in task.references.items()
        })  # fmt: skip
        assert structure(renamed) == text
        assert logical_form(renamed) != logical_form(task)


def _renamed(step: GivenStep) -> GivenStep:
    if step.pattern is None:
        return step
    subject, relation, object_ = (end if end.startswith("?") else f"x{end}" for end in step.pattern)
    return dataclasses.replace(step, pattern=(subject, relation, object_))


@pytest.mark.parametrize("k", [1, 4, 12])
def test_one_form_a_cluster_each_the_least_like_those_before(k: int, pool: Pool) -> None:
    chosen = support_set(pool, k, 10)
    structures = sorted({structure(example.task) for example in pool.examples})
    terms = [ngrams(form_tokens(text), 3) for text in structures]
    weights = TermWeights(terms)
    nearest = k_means(rows_of([weights.of(found) for found in terms]), k, n_init=10, seed=pool.seed).nearest()
    assert [structure(example.task) for example in chosen] == [structures[row] for row in nearest]
    groups = [[example for example in pool.examples if structure(example.task) == structures[row]] for row in nearest]
    words = {example.task.id: ngrams(form_words(logical_form(example.task)), 3) for group in groups for example in group}
    weights = TermWeights(list(words.values()))
    vectors = {name: weights.of(found) for name, found in words.items()}
    for at, (group, taken) in enumerate(zip(groups, chosen, strict=True)):
        closeness = {
            example.task.id: max([likeness(vectors[example.task.id], vectors[other.task.id]) for other in chosen[:at]], default=0)
            for example in group
        }
        assert taken.task.id == min(closeness, key=lambda name: (closeness[name], name))
    assert len(chosen) == k


def test_the_choice_does_not_depend_on_the_order_or_the_questions_of_the_pool(pool: Pool) -> None:
    other = Pool(tuple(Example(example.task, "Who?") for example in reversed(pool.examples)), pool.seed)
    assert [example.task for example in support_set(other, 6, 3)] == [example.task for example in support_set(pool, 6, 3)]


def test_plus_has_the_same_demonstrations_in_ascending_complexity(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    task = task_of(years_records[200], shows_path=False)
    questions = []
    for name in ("kqg_cot", "kqg_cot_plus"):
        _, user = prompts_of(method_named(name).prepare(pool), task)
        questions.append(re.findall(r"^Sub-question \d+: (.* riddle .*)", user, re.MULTILINE))
    plain, plus = questions
    by_question = {example.question: example for example in pool.examples}
    assert plain == [example.question for example in support_set(pool, 12, 10)]
    assert plus == sorted(plain, key=lambda question: complexity(by_question[question])) != plain
    sums = [by_question[question].task.hop_count + len(by_question[question].task.constraints) for question in plus]
    assert sums == sorted(sums)


def test_the_same_demonstrations_serve_every_task(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    write = method_named("kqg_cot", k=3).prepare(pool)
    starts = {prompts_of(write, task_of(record, shows_path=False))[1].split("=== Case 4 ===")[0] for record in years_records[200:205]}
    assert len(starts) == 1


def test_the_expression_of_the_task_is_shown_only_with_the_path(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    write = method_named("kqg_cot", k=2).prepare(pool)
    for path in (False, True):
        task = task_of(years_records[200], shows_path=path)
        _, user = prompts_of(write, task)
        last = user.split("=== Case 3 ===")[1]
        assert (logical_form(task) in last) == path
        assert user.count("Whole expression: ") == 3 * path


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("Step 1: (look-up)\nSub-question 1: Which X?\nStep 2: (time)\nSub-question 2: Who led it?", "Who led it?"),
        ("**Sub-question 1:** Which X?\n**Sub-question 2:** Who led it?\nIs this right?", "Who led it?"),
        ("Subquestion 1: Which X?\nSub-question 2:\nWho led it?\n\nSub-question 3:", "Who led it?"),
        ("Sub-question 1: Which X?\nSub-question 2 (the last): Who led it?", "Who led it?"),
        ("Who led it?", "Who led it?"),
    ],
)
def test_the_last_sub_question_is_the_question(reply: str, question: str, years_records: list[BenchmarkRecord], pool: Pool) -> None:
    done = written(method_named("kqg_cot", k=2, n_init=1), years_records[200], pool, reply)
    assert (done.result.final_question, done.temperatures, done.stages) == (question, [0.0], ["chain"])
