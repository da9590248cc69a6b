"""How many questions the tables of the published program give, beside the counts that it shipped."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

import pytest

from state.interval import Granularity
from state.tdbench_config import Dependency, TdbenchConfig
from state.tdbench_question import Cardinality, Kind, Question
from tdbench.questions.answering import answered
from tdbench.questions.build import build_questions
from tests.tdbench.questions.temporal_tables import Held, as_set, brute_force, read_csv

TABLES = {
    "leaders": ("dyknow/dyknow_leaders.csv", Granularity.DAY, ("Country", "Role"), "Name"),
    "athletes": ("dyknow/dyknow_sports.csv", Granularity.YEAR, ("Name", "Sport"), "Team"),
    "organisations": ("dyknow/dyknow_organizations.csv", Granularity.YEAR, ("Organization_name", "Organization_type", "Role"), "Name"),
    "law": ("legal/legal.csv", Granularity.YEAR, ("Country", "Law_type"), "Legality"),
    "heritage": ("culture/culture.csv", Granularity.YEAR, ("Heritage_element",), "Status_Inscribed_or_Proclaimed"),
    "films": ("movie/movie.csv", Granularity.DAY, ("Title",), "Director"),
}
REASONING = {"none": 150, "unique": 150, "multiple": 150}
SHIPPED = {
    "leaders": (78, REASONING),
    "athletes": (25, REASONING),
    "organisations": (22, {**REASONING, "multiple": 110}),
    "law": (121, None),
}
"""Alignment questions, and reasoning questions by cardinality."""


def questions_of(shared_data: Path, name: str, semantics: Literal["strict", "tdbench"]) -> tuple[Held, list[Question]]:
    file, unit, determinants, dependent = TABLES[name]
    held = read_csv(shared_data / "tdbench" / "dataset" / "crafted" / file, unit, name)
    dependency = Dependency(determinants=determinants, dependent=dependent)
    config = TdbenchConfig(semantics=semantics, as_of="2025-05-04")
    return held, list(build_questions(held.connection, held.table, [dependency], config))


@pytest.mark.parametrize("name", SHIPPED)
def test_the_counts_that_were_shipped_come_out(shared_data: Path, name: str) -> None:
    _, questions = questions_of(shared_data, name, "tdbench")
    now, reasoning = SHIPPED[name]
    assert sum(question.kind is Kind.NOW for question in questions) == now
    found = Counter(str(question.cardinality) for question in questions if question.kind is Kind.RELATION)
    if reasoning is not None:
        assert found["none"] == found["unique"] == 150
        assert abs(found["multiple"] - reasoning["multiple"]) <= 10


@pytest.mark.slow
def test_heritage_has_one_alignment_question_for_each_element_of_which_one_was_shipped_twice(shared_data: Path) -> None:
    _, questions = questions_of(shared_data, "heritage", "tdbench")
    assert sum(question.kind is Kind.NOW for question in questions) == 469 - 1


@pytest.mark.slow
def test_films_have_one_for_each_title_but_the_one_with_too_many_directors(shared_data: Path) -> None:
    held, questions = questions_of(shared_data, "films", "tdbench")
    titles = {row.values[held.table.columns.index("Title")] for row in held.rows}
    assert len(titles) == 148
    assert sum(question.kind is Kind.NOW for question in questions) == 148 - 1


@pytest.mark.slow
@pytest.mark.parametrize("semantics", ["strict", "tdbench"])
@pytest.mark.parametrize("name", TABLES)
def test_all_answers_of_the_shared_tables_are_found_again(shared_data: Path, name: str, semantics: Literal["strict", "tdbench"]) -> None:
    held, questions = questions_of(shared_data, name, semantics)
    assert len({question.id for question in questions}) == len(questions)
    for question in questions:
        assert (as_set(question.gold), as_set(question.distractors)) == brute_force(held, question)
        assert answered(held.connection, held.table, question) == (question.gold, question.distractors)
        if question.kind is Kind.RELATION:
            everything = {text for text, _, _ in as_set(question.gold) | as_set(question.distractors)}
            assert set(question.answers) != everything


@pytest.mark.slow
def test_strict_mode_asks_the_leaders_in_every_relation_with_an_answer(shared_data: Path) -> None:
    _, questions = questions_of(shared_data, "leaders", "strict")
    answered_in = {question.relation for question in questions if question.cardinality is Cardinality.UNIQUE}
    assert len(answered_in - {None}) == 13
