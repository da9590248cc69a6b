"""The published conditions: what each says of the row that lent its dates, and the calendar under them."""

from __future__ import annotations

import calendar
import datetime
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.interval import Granularity, civil_from_days, days_from_civil, parse_granule
from state.tdbench_config import Dependency, TdbenchConfig
from state.tdbench_question import AllenRelation, Kind, Question
from tdbench.questions.build import build_questions
from tdbench.questions.published import CONDITIONS, Calendar
from tests.tdbench.questions.temporal_tables import Row, hold

NAME = Dependency(determinants=("place",), dependent="name")
FORMS = {
    "after": {"start >"},
    "before": {"end <"},
    "meet": {"end ="},
    "met-by": {"start ="},
    "overlap": {"start < end >= end <="},
    "overlapped-by": {"start >= start <= end >"},
    "equal": {"start >= start <= end >= end <=", "start >= start <="},
    "start": {"start >= start <= end <"},
    "started-by": {"start >= start <="},
    "finish": {"start > end >= end <="},
    "finished-by": {"end >= end <="},
    "during": {"start > end <", "start >= start <="},
    "contain": {"start < end >"},
}
"""Those of the published table; an ongoing row's `start` is the same query as its `equal`."""
ALWAYS_HIT = {"equal", "start", "started-by", "finish", "finished-by"}


def reigns(unit: Granularity) -> list[Row]:
    """Sixty places with two rows each that follow one another, the later one sometimes open."""
    length, out = {Granularity.YEAR: 1, Granularity.MONTH: 12, Granularity.DAY: 365}[unit], []
    for place in range(60):
        first = (30 * length if unit is not Granularity.YEAR else 2000) + place * 7 % (9 * length)
        change = first + 1 + place * 11 * max(1, length // 12) % (9 * length)
        out.append(Row((f"P{place}", "Ana"), first, change))
        out.append(Row((f"P{place}", "Bo"), change, None if place % 5 == 0 else change + 1 + place * 13 % (5 * length)))
    return out


def asked(unit: Granularity, as_of: str = "2024-05-15") -> dict[str, list[Question]]:
    held = hold(reigns(unit), ("place", "name"), unit=unit)
    config = TdbenchConfig(semantics="tdbench", as_of=as_of, per_relation=10_000, per_cardinality=100_000)
    found = defaultdict(list)
    for question in build_questions(held.connection, held.table, [NAME], config):
        if question.kind is Kind.RELATION:
            found[str(question.relation)].append(question)
    return found


@pytest.fixture(scope="module", params=list(Granularity))
def questions(request: pytest.FixtureRequest) -> dict[str, list[Question]]:
    return asked(request.param)


def test_each_relation_has_a_condition_and_is_asked_in_the_published_forms(questions: dict[str, list[Question]]) -> None:
    assert set(CONDITIONS) == set(AllenRelation) == set(questions)
    for relation, found in questions.items():
        assert {" ".join(f"{one.bound} {one.operator}" for one in question.comparisons) for question in found} == FORMS[relation]


def test_some_conditions_hold_of_the_row_that_lent_the_dates_whenever_its_end_is_known(questions: dict[str, list[Question]]) -> None:
    for relation in ALWAYS_HIT:
        # An ongoing row's `equal` and `finish` say nothing of its end; the others read one that is known, or none.
        known = [question for question in questions[relation] if len(question.comparisons) > 2 or relation in ("started-by", "finished-by")]
        assert known, relation
        assert all(question.gold for question in known), relation


def test_meet_and_met_by_are_asked_with_and_without_an_answer(questions: dict[str, list[Question]]) -> None:
    for relation in ("meet", "met-by"):
        hits = sum(bool(question.gold) for question in questions[relation])
        assert 0.3 < hits / len(questions[relation]) < 0.8


def check_the_step_back(question: Question) -> None:
    assert question.reference is not None
    time, back = parse_granule(question.reference.start), question.reference.months_back
    if question.granularity is Granularity.DAY:
        year, month, day = civil_from_days(time)
        year, month = (year * 12 + month - 1 - back) // 12, (year * 12 + month - 1 - back) % 12 + 1
        expected = days_from_civil(year, month, min(day, calendar.monthrange(year, month)[1]))
    else:
        expected = time - (back if question.granularity is Granularity.MONTH else question.reference.years_back)
    assert parse_granule(question.comparisons[0].date) == expected
    assert 1 <= back <= 12 if question.granularity is not Granularity.YEAR else 1 <= question.reference.years_back <= 5


def test_the_date_of_meet_is_the_named_one_less_the_named_months_or_years(questions: dict[str, list[Question]]) -> None:
    for question in questions["meet"] + questions["met-by"]:
        check_the_step_back(question)


@pytest.mark.parametrize("first", ["2004-02-29", "2003-12-31"])
def test_a_step_back_leads_to_the_last_days_of_months_too(first: str) -> None:
    start = parse_granule(first)
    rows = [Row((f"P{place}", name), begin, begin + 700) for place in range(60) for name, begin in (("Ana", start), ("Bo", start + 900))]
    held = hold(rows, ("place", "name"), unit=Granularity.DAY)
    config = TdbenchConfig(semantics="tdbench", per_relation=1000, relations=("met-by",))
    found = [question for question in build_questions(held.connection, held.table, [NAME], config) if question.relation]
    assert len({question.reference.months_back for question in found if question.reference}) > 5
    for question in found:
        check_the_step_back(question)


def test_two_dates_of_a_condition_never_cross(questions: dict[str, list[Question]]) -> None:
    for question in (question for found in questions.values() for question in found):
        assert question.reference is not None
        if question.reference.end is not None:
            assert parse_granule(question.reference.start) <= parse_granule(question.reference.end)
        for one, other in pairwise(question.comparisons):
            if one.bound == other.bound:
                assert parse_granule(one.date) <= parse_granule(other.date)


def test_a_month_or_a_year_is_whole(questions: dict[str, list[Question]]) -> None:
    for question in questions["started-by"]:
        first, last = (one.date for one in question.comparisons)
        if question.granularity is Granularity.DAY:
            assert first[:7] == last[:7]
            assert first.endswith("-01")
            assert int(last[8:]) == calendar.monthrange(int(last[:4]), int(last[5:7]))[1]
        else:
            assert first == last


def test_during_and_contain_of_days_are_cut_at_new_year(questions: dict[str, list[Question]]) -> None:
    of_days = [question for question in questions["during"] if question.granularity is Granularity.DAY]
    cut = [question.comparisons for question in of_days if len(question.comparisons) == 2 and question.comparisons[0].operator == ">"]
    assert bool(cut) == bool(of_days)
    for start, end in cut:
        assert start.date.endswith("-01-01")
        assert end.date.endswith("-12-31")


@pytest.mark.parametrize("as_of", ["2004-05-15", "2010-01-01"])
@pytest.mark.parametrize("unit", [Granularity.YEAR, Granularity.MONTH])
def test_no_condition_depends_on_what_comes_after_the_as_of_day(unit: Granularity, as_of: str) -> None:
    found = asked(unit, as_of)
    for question in (question for relation in found for question in found[relation]):
        assert all(one.date <= as_of[: len(one.date)] for one in question.comparisons)
    for relation in ("before", "overlap", "start"):
        latest = max(question.comparisons[-1].date for question in found[relation])
        assert latest == as_of[: len(latest)], "an upper date past that day is cut, not left out"


def test_without_an_as_of_day_no_end_stands_in_for_an_open_one() -> None:
    held = hold([Row(("P", "Ana"), 1990, None), Row(("P", "Bo"), 1985, 1988)], ("place", "name"))
    config = TdbenchConfig(semantics="tdbench", per_relation=1000)
    found = [question for question in build_questions(held.connection, held.table, [NAME], config) if question.relation is not None]
    assert all(question.reference is not None for question in found)
    late = [question for question in found if question.relation in {"overlap", "overlapped-by", "before", "contain"}]
    assert late
    assert all(one.date <= "1990" for question in late for one in question.comparisons)


@given(st.integers(-200_000, 200_000), st.integers(-400, 400))
def test_months_of_days_are_those_of_the_calendar(day: int, months: int) -> None:
    unit, time = Calendar(Granularity.DAY), np.array([day])
    year, month, of_month = civil_from_days(day)
    total = year * 12 + month - 1 + months
    there = days_from_civil(total // 12, total % 12 + 1, 1)
    last = days_from_civil((total + 1) // 12, (total + 1) % 12 + 1, 1) - 1
    assert unit.moved(time, np.array([months])).tolist() == [min(there + of_month - 1, last)]
    assert unit.first(time).tolist() == [days_from_civil(year, month, 1)]
    assert unit.first_of_year(time).tolist() == [days_from_civil(year, 1, 1)]
    assert unit.last_of_year(time).tolist() == [days_from_civil(year, 12, 31)]


def test_a_calendar_of_months_and_of_years_ends_its_years_in_december() -> None:
    months, years = Calendar(Granularity.MONTH), Calendar(Granularity.YEAR)
    assert months.first_of_year(np.array([-1, 0, 11, 12])).tolist() == [-12, 0, 0, 12]
    assert months.last_of_year(np.array([-1, 0, 11, 12])).tolist() == [-1, 11, 11, 23]
    assert months.moved_years(np.array([5]), 2).tolist() == [29]
    assert years.moved_years(np.array([5]), 2).tolist() == [7]
    assert years.first_of_year(np.array([5])).tolist() == years.last_of_year(np.array([5])).tolist() == [5]
    assert Calendar(Granularity.DAY).moved(
        np.array([(datetime.date(2004, 1, 31) - datetime.date(1970, 1, 1)).days]), np.array([1])
    ).tolist() == [(datetime.date(2004, 2, 29) - datetime.date(1970, 1, 1)).days]
