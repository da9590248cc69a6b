"""The sixty free-English questions: written by hand before the verifier's parser was seen, and frozen."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from graph_sampler.operators import OPERATOR_NAMES
from state.fact import LabelledFact
from state.vocabulary import Template

FILE = Path(__file__).resolve().parents[1] / "data" / "free_questions.jsonl"
FROZEN = "0c4ed1dd6960ad4c6d2575a88d19969de232038bf46d3d782f1245d4261a6a0b"


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def test_the_free_questions_are_the_bytes_that_were_frozen() -> None:
    assert hashlib.sha256(FILE.read_bytes()).hexdigest() == FROZEN


def test_sixty_questions_span_all_operators_and_templates(questions: list[dict[str, Any]]) -> None:
    assert len(questions) == len({question["id"] for question in questions}) == 60
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
