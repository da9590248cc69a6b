"""SGSH: skeletons by rules and from replies, the order of exemplars, and the token budget."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.method import Pool
from baselines.methods.sgsh import estimated_tokens, terms
from baselines.retrieval import is_related
from baselines.skeleton import skeleton_in, skeleton_of
from baselines.task import Task, task_of
from baselines.term_weights import TermWeights, likeness
from state.instance import BenchmarkRecord
from tests.bare_generator import method_named, pool_of, prompts_of
from tests.scripted_generator import written


@pytest.fixture(scope="module")
def pool(years_records: list[BenchmarkRecord]) -> Pool:
    return pool_of(years_records[:60])


@pytest.mark.parametrize(
    ("question", "plain", "temporal"),
    [
        ("Who was the mayor of Arn?", "who was _ ?", "who was _ ?"),
        ("Which club did Ana Silva join after 2004?", "which _ did _ ?", "which _ did _ after _ ?"),
        ("Who led Norway?", "who _ ?", "who _ ?"),
        ("In which year did it end?", "in which _ did _ ?", "in which _ did _ ?"),
        ("Of all the clubs, which was the 2nd that Bo joined?", "_ which was _ ?", "_ which was _ 2nd _ ?"),
        ("What club that Bo left is where Ana played?", "what _ is _ ?", "what _ is _ ?"),
        ("During the war, Ana worked for whom?", "_ for whom ?", "during _ for whom ?"),
        ("Name the first winner.", "_ ?", "_ first _ ?"),
        ("", "_ ?", "_ ?"),
        ("谁是市长", "_ ?", "_ ?"),
    ],
)
def test_skeletons_of_training_questions(question: str, plain: str, temporal: str) -> None:
    assert skeleton_of(question) == plain
    assert skeleton_of(question, temporal=True) == temporal


@given(st.text(), st.booleans())
def test_a_skeleton_is_read_as_itself(question: str, temporal: bool) -> None:
    skeleton = skeleton_of(question, temporal=temporal)
    assert skeleton_in(skeleton) == skeleton
    assert skeleton.endswith(" ?")
    assert "_ _" not in skeleton


@pytest.mark.parametrize(
    ("reply", "skeleton"),
    [
        ("Skeleton: **Who was ____ ?**", "who was _ ?"),
        ("The skeleton is:\n`which _ did ___ before ___?`", "which _ did _ before _ ?"),
        ("when did ... ?", "when did _ ?"),
        ("I cannot tell.", "_ ?"),
    ],
)
def test_skeletons_that_a_model_wrote(reply: str, skeleton: str) -> None:
    assert skeleton_in(reply) == skeleton


def test_two_calls_the_second_with_the_skeleton_of_the_first(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    done = written(method_named("sgsh"), years_records[200], pool, "Skeleton: In which ___ was ____?", "In which year was it?")
    assert done.stages == ["skeleton", "question"]
    assert done.temperatures == [0.2, 0.0]
    assert done.result.final_question == "In which year was it?"
    assert done.users[1].count("Skeleton: ") == 17
    assert re.findall(r"Skeleton: (.*)", done.users[1])[-1] == "in which _ was _ ?"
    task = task_of(years_records[200], shows_path=False)
    assert done.users[1].index(task.constraints_text()) < done.users[1].rindex("Skeleton: ")


def _ranked(pool: Pool, task: Task, skeleton: str) -> list[str]:
    """Reference questions from the least to the most similar, each pair compared on its own."""
    listed = [terms(example.task, skeleton_of(example.question)) for example in pool.examples]
    weights = TermWeights(listed)
    asked = weights.of(terms(task, skeleton))
    scored = [
        (-likeness(asked, weights.of(found)), example.task.id, example.question)
        for example, found in zip(pool.examples, listed, strict=True)
        if not is_related(task, example.task)
    ]
    return [question for *_, question in sorted(scored, reverse=True)]


@pytest.mark.parametrize("skeleton", ["who was _ ?", "in which _ did _ ?"])
def test_sixteen_exemplars_the_most_similar_nearest_to_the_task(skeleton: str, years_records: list[BenchmarkRecord], pool: Pool) -> None:
    write = method_named("sgsh").prepare(pool)
    for record in years_records[200:206]:
        task = task_of(record, shows_path=False)
        user = prompts_of(write, task, skeleton)[-1]
        assert re.findall(r"^Question: (.*)", user, re.MULTILINE) == _ranked(pool, task, skeleton)[-16:]


def test_the_skeleton_counts_in_the_likeness(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    write = method_named("sgsh").prepare(pool)
    asked = ("in which _ did _ ?", "whom _ ?")
    shown: dict[str, list[str]] = {skeleton: [] for skeleton in asked}
    for record in years_records[200:210]:
        task = task_of(record, shows_path=False)
        for skeleton in asked:
            shown[skeleton] += re.findall(r"^Skeleton: (.*)", prompts_of(write, task, skeleton)[-1], re.MULTILINE)[:-1]
    for skeleton, other in (asked, asked[::-1]):
        assert shown[skeleton].count(skeleton) > shown[other].count(skeleton)


def test_over_the_budget_the_least_similar_go_first_and_the_task_stays(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    task = task_of(years_records[200], shows_path=False)
    full = _ranked(pool, task, "who was _ ?")[-16:]
    sizes = []
    for budget in (100_000, 1500, 800, 1):
        system, user = prompts_of(method_named("sgsh", budget=budget).prepare(pool), task, "who was _ ?")[-2:]
        kept = re.findall(r"^Question: (.*)", user, re.MULTILINE)
        assert kept == full[len(full) - len(kept) :]
        assert task.facts_text() in user
        assert estimated_tokens(system + user) <= budget or not kept
        sizes.append(len(kept))
    assert sizes[0] == 16
    assert 16 > sizes[1] > sizes[2] > sizes[3] == 0


def test_temporal_skeletons_are_an_option(years_records: list[BenchmarkRecord], pool: Pool) -> None:
    task = task_of(years_records[200], shows_path=False)
    examples = tuple(type(example)(example.task, f"Who was it before riddle {at}?") for at, example in enumerate(pool.examples))
    for option, shape in ((False, "who was _ ?"), (True, "who was _ before _ ?")):
        told = prompts_of(method_named("sgsh", temporal_skeletons=option).prepare(Pool(examples, 7)), task, "who was _ before _ ?")
        assert f"Skeleton: {shape}\nQuestion: " in told[3]
        assert f"Frequent skeletons:\n{shape}\n" in told[1]
        assert ("Words for time" in told[0]) == option
