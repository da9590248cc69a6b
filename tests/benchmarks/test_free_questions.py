"""The free-English questions, by two hands that had not seen the verifier's parser when they wrote; frozen."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from graph_sampler.operators import OPERATOR_NAMES
from state.fact import LabelledFact
from state.vocabulary import Template

DATA = Path(__file__).resolve().parents[1] / "data"
FROZEN = {
    "free_questions.jsonl": (60, "0c4ed1dd6960ad4c6d2575a88d19969de232038bf46d3d782f1245d4261a6a0b"),
    "free_questions_2.jsonl": (40, "5f3c9c100a1401a527afd58f840a7023a9e3a5e405a97eb1f63044d8921a3aa6"),
}
"""File -> number of questions and SHA-256."""


@pytest.fixture(params=FROZEN)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def questions(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def test_the_free_questions_are_the_bytes_that_were_frozen(name: str) -> None:
    assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == FROZEN[name][1]


def test_the_questions_span_all_operators_and_templates(name: str, questions: list[dict[str, Any]]) -> None:
    assert len(questions) == len({question["id"] for question in questions}) == FROZEN[name][0]
    assert {operator for question in questions for operator in question["operators"]} == set(OPERATOR_NAMES)
    assert {question["template"] for question in questions} == {template.value for template in Template}


def test_each_question_is_one_sentence_that_hides_its_answer_among_its_evidence(questions: list[dict[str, Any]]) -> None:
    for question in questions:
        text = question["question"]
        assert text.endswith("?")
        assert text.count("?") == 1
        assert question["answer"] not in text
        facts = [LabelledFact.model_validate(fact) for fact in question["evidence"]]
        assert question["answer"] in {label for fact in facts for label in (fact.subject_label, fact.object_label)}


def test_no_question_stands_in_both_files() -> None:
    ids = [json.loads(line)["id"] for name in FROZEN for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    assert len(set(ids)) == len(ids)
