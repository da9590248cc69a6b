"""Questions about small tables: gold answers, what is asked and what is not, and that the same comes out each time."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.errors import ConfigError
from state.interval import Granularity, parse_granule, to_granule
from state.tdbench_config import Dependency, TdbenchConfig
from state.tdbench_question import AllenRelation, Cardinality, Kind, Question
from tdbench.questions.answering import answered
from tdbench.questions.build import build_questions
from tdbench.questions.query import parameters_of, question_id, readable_sql
from tdbench.questions.relations import BY_NAME
from tests.tdbench.questions.temporal_tables import Held, Row, as_set, brute_force, hold, small_rows

NAME = Dependency(determinants=("place", "office"), dependent="name")
AS_OF = "2004-06-30"

SUCCESSION = [
    Row(("P", "mayor", "Ana"), 1990, 1994),
    Row(("P", "mayor", "Bo"), 1994, 1999),
    Row(("P", "mayor", "Cy"), 2000, 2003),
    Row(("P", "mayor", "Di"), 2003, None),
    Row(("Q", "mayor", "Eli"), 1985, 1997),
    Row(("Q", "mayor", "Fay"), 1995, 2001),
    Row(("Q", "mayor", "Ana"), 2001, 2012),
    Row(("Q", "judge", "Gus"), 1991, None),
]


def build(held: Held, dependency: Dependency = NAME, **settings: Any) -> list[Question]:
    config = TdbenchConfig.model_validate({"as_of": AS_OF, **settings})
    return list(build_questions(held.connection, held.table, [dependency], config))


def as_bytes(questions: list[Question]) -> bytes:
    return b"\n".join(question.model_dump_json().encode() for question in questions)


units = {
    Granularity.YEAR: small_rows(),
    Granularity.MONTH: small_rows(firsts=st.integers(360, 420), longest=30),
    Granularity.DAY: small_rows(firsts=st.integers(11_000, 12_500), longest=900),
}


def check_against_brute_force(data: st.DataObject, unit: Granularity, semantics: str, open_end: Any) -> None:
    held = hold(data.draw(units[unit]), unit=unit, open_end=open_end)
    for question in build(held, semantics=semantics, per_relation=3, most_answers=3):
        gold, others = brute_force(held, question)
        assert (as_set(question.gold), as_set(question.distractors)) == (gold, others)
        assert answered(held.connection, held.table, question) == (question.gold, question.distractors)
        assert question.parameters == parameters_of(question)
        texts = {text for text, _, _ in gold}
        assert set(question.answers) == texts
        assert len(texts) <= 3
        assert question.cardinality is (Cardinality.NONE, Cardinality.UNIQUE, Cardinality.MULTIPLE)[min(len(texts), 2)]
        if question.kind is Kind.RELATION:
            assert texts != {text for text, _, _ in gold | others}, "the condition changes nothing"


any_case = given(
    st.data(), st.sampled_from(list(Granularity)), st.sampled_from(["strict", "tdbench"]), st.sampled_from(["ongoing", "unknown"])
)


@settings(max_examples=4)
@any_case
def test_the_answers_are_those_that_reading_row_by_row_and_asking_again_give(
    data: st.DataObject, unit: Granularity, semantics: str, open_end: Any
) -> None:
    check_against_brute_force(data, unit, semantics, open_end)


@pytest.mark.slow
@settings(max_examples=150)
@any_case
def test_the_answers_of_many_tables_are_those_that_reading_row_by_row_gives(
    data: st.DataObject, unit: Granularity, semantics: str, open_end: Any
) -> None:
    check_against_brute_force(data, unit, semantics, open_end)


@settings(max_examples=6)
@given(small_rows(), st.sampled_from(["ongoing", "unknown"]))
def test_strict_answers_stand_in_the_relation_to_the_reference_and_no_other_row_does(rows: list[Row], open_end: Any) -> None:
    held = hold(rows, open_end=open_end)
    for question in build(held, per_relation=3):
        if question.kind is not Kind.RELATION:
            continue
        assert question.relation
        assert question.reference
        assert question.reference.end
        reference = parse_granule(question.reference.start), parse_granule(question.reference.end)
        relation = BY_NAME[question.relation]
        for row, expected in [(row, True) for row in question.gold] + [(row, False) for row in question.distractors]:
            end = None if row.end is None else parse_granule(row.end)
            assert relation.holds(parse_granule(row.start), end, *reference, open_end) is expected


def test_every_relation_and_cardinality_is_asked_of_a_table_with_some_of_each() -> None:
    found = Counter((question.relation, question.cardinality) for question in build(hold(SUCCESSION)))
    assert {relation for relation, _ in found} == {*AllenRelation, None}
    assert {cardinality for _, cardinality in found} == set(Cardinality)


@pytest.mark.parametrize("semantics", ["strict", "tdbench"])
def test_ids_differ_and_name_the_query(semantics: str) -> None:
    questions = build(hold(SUCCESSION), semantics=semantics)
    assert len({question.id for question in questions}) == len(questions) > 30
    assert all(question.id == question_id("offices", question.sql, question.parameters) for question in questions)
    assert len({(question.sql, question.parameters) for question in questions}) == len(questions)


@pytest.mark.parametrize("semantics", ["strict", "tdbench"])
def test_the_order_of_rows_and_repeated_rows_change_nothing(semantics: str) -> None:
    expected = as_bytes(build(hold(SUCCESSION), semantics=semantics, per_relation=4, per_cardinality=20))
    for seed in range(3):
        rows = [*SUCCESSION, SUCCESSION[seed]]
        random.Random(seed).shuffle(rows)
        assert as_bytes(build(hold(rows), semantics=semantics, per_relation=4, per_cardinality=20)) == expected


def test_a_seed_gives_the_same_bytes_everywhere_and_another_seed_others() -> None:
    held = hold(SUCCESSION)
    digest = hashlib.sha256(as_bytes(build(held))).hexdigest()
    assert digest[:16] == "79c1314625aeb399"
    assert as_bytes(build(held, seed=1)) != as_bytes(build(held))


def test_no_reference_reaches_past_the_as_of_day_or_without_one_past_the_last_date() -> None:
    for as_of, last in ((AS_OF, 2004), (None, 2012)):
        questions = [question for question in build(hold(SUCCESSION), as_of=as_of) if question.kind is Kind.RELATION]
        assert questions
        assert max(parse_granule(question.reference.end) for question in questions if question.reference and question.reference.end) <= last


@settings(max_examples=6)
@given(st.lists(st.integers(2005, 2015), min_size=12, max_size=12), small_rows(), st.sampled_from(["strict", "tdbench"]))
def test_however_what_is_ongoing_ends_after_the_as_of_day_it_changes_no_answer(ends: list[int], rows: list[Row], semantics: str) -> None:
    rows = [row for row in rows if row.start <= 2004 and (row.end is None or row.end <= 2004)]
    held, later = hold(rows), hold([row._replace(end=row.end or end) for row, end in zip(rows, ends, strict=False)])
    for question in build(held, semantics=semantics, per_relation=3):
        gold, _ = answered(later.connection, later.table, question)
        assert {(*row.values.values(), row.start) for row in gold} == {(*row.values.values(), row.start) for row in question.gold}


def test_a_question_is_read_back_as_it_was_written() -> None:
    for question in build(hold(SUCCESSION), per_relation=2):
        assert Question.model_validate_json(question.model_dump_json()) == question


def test_a_table_that_ends_before_1970_is_asked_without_an_as_of_day() -> None:
    rows = [Row(("P", "mayor", name), start, start + 40) for name, start in (("Ana", -900), ("Bo", -860), ("Cy", -800))]
    questions = build(hold(rows, unit=Granularity.DAY), as_of=None)
    assert {question.cardinality for question in questions} == set(Cardinality)
    assert max(parse_granule(one.date) for question in questions for one in question.comparisons) <= -760


def test_limits_hold_for_each_relation_with_a_cardinality_each_cardinality_and_the_answers() -> None:
    held = hold(SUCCESSION)
    questions = [question for question in build(held, per_relation=2, per_cardinality=9, most_answers=2) if question.relation]
    assert max(Counter((question.relation, question.cardinality) for question in questions).values()) == 2
    assert max(Counter(question.cardinality for question in questions).values()) == 9
    assert max(len(question.answers) for question in questions) == 2
    turns = Counter(question.relation for question in questions if question.cardinality is Cardinality.UNIQUE)
    assert len(turns) == 9, "relations take turns before any has a second"
    lookups = Counter(question.kind for question in build(held, most_lookups=1))
    assert lookups[Kind.NOW] == lookups[Kind.BASIC] == 1


def test_now_asks_what_holds_on_the_as_of_day_and_nothing_reads_the_clock() -> None:
    rows = [
        Row(("P", "mayor", "Ana"), 1990, 2004),
        Row(("P", "mayor", "Bo"), 2004, 2031),
        Row(("P", "mayor", "Cy"), 2031, None),
        Row(("Q", "mayor", "Di"), 2000, None),
        Row(("R", "mayor", "Eli"), 2000, 2003),
    ]
    found = {question.determinants["place"]: question for question in build(hold(rows)) if question.kind is Kind.NOW}
    assert {place: question.answers for place, question in found.items()} == {"P": ("Bo",), "Q": ("Di",)}
    assert found["P"].reference is not None
    assert found["P"].reference.start == "2004"
    unknown = [question for question in build(hold(rows, open_end="unknown")) if question.kind is Kind.NOW]
    assert [question.answers for question in unknown] == [("Bo",)]
    assert [question for question in build(hold(rows), as_of=None) if question.kind is Kind.NOW] == []


def test_an_as_of_day_falls_into_the_month_of_a_table_of_months() -> None:
    may = to_granule(Granularity.MONTH, 2004, 5)
    held = hold([Row(("P", "mayor", "Ana"), may, may + 1), Row(("P", "mayor", "Bo"), may + 1, None)], unit=Granularity.MONTH)
    for day, answer in (("2004-05-31", "Ana"), ("2004-06-01", "Bo")):
        assert [question.answers for question in build(held, as_of=day) if question.kind is Kind.NOW] == [(answer,)]


def test_values_are_bound_and_names_are_quoted() -> None:
    columns = ('pl"ace', "office'); DROP TABLE offices; --", 'na"me')
    nasty = "x' OR 1=1; DROP TABLE offices; --"
    rows = [Row((nasty, '"', value), start, start + 3) for start, value in ((1990, nasty), (1995, "Bo"), (1999, "Cy"))]
    held = hold(rows, columns)
    questions = build(held, Dependency(determinants=columns[:2], dependent=columns[2]))
    assert {question.kind for question in questions} == {Kind.BASIC, Kind.RELATION}
    for question in questions:
        assert nasty not in question.sql
        assert '"pl""ace" = ?' in question.sql
        assert answered(held.connection, held.table, question) == (question.gold, question.distractors)
        assert "'x'' OR 1=1; DROP TABLE offices; --'" in readable_sql(question, held.table)
    assert held.connection.execute("SELECT count(*) FROM offices").fetchone() == (3,)


def test_a_readable_query_has_dates_and_the_names_of_the_source() -> None:
    held = hold(SUCCESSION)
    question = next(question for question in build(held) if question.relation is AllenRelation.OVERLAP)
    start, end, later = (one.date for one in question.comparisons)
    assert start == end
    assert readable_sql(question, held.table) == (
        f"""SELECT "name", "from", "until" FROM "offices" WHERE "place" = '{question.determinants["place"]}' AND "office" = 'mayor' """
        f"""AND "from" < '{start}' AND "until" > '{start}' AND "until" < '{later}'"""
    )


@pytest.mark.parametrize("rows", [[], [Row((None, "mayor", "Ana"), 1990, 1999)], [Row(("P", "mayor", None), 1990, 1999)]])
def test_rows_that_say_nothing_give_no_question(rows: list[Row]) -> None:
    assert build(hold(rows)) == []
    assert build(hold(rows), semantics="tdbench", as_of=None) == []


def test_a_dependency_named_twice_is_asked_once() -> None:
    held, config = hold(SUCCESSION), TdbenchConfig(as_of=AS_OF)
    assert list(build_questions(held.connection, held.table, [NAME, NAME], config)) == build(held)


def test_rows_are_shown_by_start_then_end_with_an_open_end_last_as_a_query_gives_them() -> None:
    rows = [Row(("P", "mayor", name), 1990, end) for name, end in (("Ana", None), ("Bo", 1999), ("Cy", 1995), ("Di", None))]
    held = hold(rows)
    (question,) = (question for question in build(held) if question.kind is Kind.BASIC)
    assert question.answers == ("Cy", "Bo", "Ana", "Di")
    assert answered(held.connection, held.table, question) == (question.gold, ())


def test_no_dependency_gives_no_question() -> None:
    held = hold(SUCCESSION)
    assert list(build_questions(held.connection, held.table, [], TdbenchConfig())) == []


def test_only_the_relations_that_are_named_are_asked() -> None:
    questions = build(hold(SUCCESSION), relations=["meet", "contain"])
    assert {question.relation for question in questions} == {None, AllenRelation.MEET, AllenRelation.CONTAIN}


@pytest.mark.parametrize(
    ("settings", "dependency", "said"),
    [
        ({"relations": ["meets"]}, NAME, "no relation 'meets'. Did you mean 'meet'?"),
        ({"as_of": "today"}, NAME, "tdbench.as_of: not an ISO time: 'today'. Give a day"),
        ({"as_of": "2004"}, NAME, "'2004' is no day"),
        ({}, Dependency(determinants=("plase",), dependent="name"), "the table has no column 'plase'. Did you mean 'place'?"),
        ({}, Dependency(determinants=("place",), dependent="_end"), "the table has no column '_end'"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(settings: dict[str, Any], dependency: Dependency, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        build(hold(SUCCESSION), dependency, **settings)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
