"""The thirteen relations: laws, the graph's operators, sets of granules, and SQL."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.operators import BY_NAME as OPERATORS
from graph_sampler.operators import relate
from state.interval import ValidInterval
from state.tdbench_question import AllenRelation, Checked
from state.vocabulary import Family
from tdbench.questions.relations import BY_NAME, RELATIONS, OpenEnd, Relation, relation_sql

Span = tuple[int, int | None]

spans = st.builds(lambda start, length: (start, start + length), st.integers(0, 7), st.integers(1, 5))
open_spans = st.builds(lambda start: (start, None), st.integers(0, 7))
meanings = st.sampled_from(["ongoing", "unknown"])


def held(one: Span, other: Span, open_end: OpenEnd = "ongoing") -> list[AllenRelation]:
    return [relation.name for relation in RELATIONS if relation.holds(*one, *other, open_end)]


def by_sets(one: tuple[int, int], other: tuple[int, int]) -> str:
    """The relation as seen from which granules the two have, not from their bounds."""
    a, b = set(range(*one)), set(range(*other))
    if not a & b:
        gap = set(range(min(a | b), max(a | b) + 1)) - a - b
        if min(a) < min(b):
            return "before" if gap else "meet"
        return "after" if gap else "met-by"
    if a == b:
        return "equal"
    if a < b:
        return "start" if min(b) in a else "finish" if max(b) in a else "during"
    if b < a:
        return "started-by" if min(a) in b else "finished-by" if max(a) in b else "contain"
    return "overlap" if min(a) < min(b) else "overlapped-by"


def test_the_table_has_a_row_for_each_relation() -> None:
    assert {relation.name for relation in RELATIONS} == set(AllenRelation)
    assert len(RELATIONS) == 13


def test_three_check_the_start_three_the_end_and_seven_both() -> None:
    counts = {checked: sum(relation.checked is checked for relation in RELATIONS) for checked in Checked}
    assert counts == {Checked.START: 3, Checked.END: 3, Checked.BOTH: 7}


@given(spans, spans)
def test_exactly_one_holds_between_known_ends_and_it_is_the_one_that_sets_of_granules_show(
    one: tuple[int, int], other: tuple[int, int]
) -> None:
    assert held(one, other) == [by_sets(one, other)]
    assert held(one, other, "unknown") == [by_sets(one, other)]


@given(spans | open_spans, spans | open_spans, meanings)
def test_no_two_hold_and_the_converse_holds_the_other_way(one: Span, other: Span, open_end: OpenEnd) -> None:
    found = held(one, other, open_end)
    assert len(found) <= 1
    assert held(other, one, open_end) == [BY_NAME[name].converse for name in found]


@given(open_spans, spans)
def test_an_ongoing_row_stands_in_one_relation_to_dates_and_in_none_that_needs_its_end(one: Span, other: Span) -> None:
    (name,) = held(one, other)
    assert name not in {"meet", "finish", "finished-by", "equal", "before", "overlap", "start", "during"}


@given(open_spans, open_spans)
def test_two_ongoing_rows_stand_in_no_relation(one: Span, other: Span) -> None:
    assert held(one, other) == []


@given(open_spans, spans)
def test_an_unknown_end_leaves_only_relations_that_do_not_read_it(one: Span, other: Span) -> None:
    assert set(held(one, other, "unknown")) <= {"after", "met-by"}


@given(spans, spans)
def test_each_has_the_comparisons_of_its_operator_and_half_the_time_its_meaning(one: tuple[int, int], other: tuple[int, int]) -> None:
    for relation in RELATIONS:
        assert bool(OPERATORS[relation.operator].holds(*one, *other)) is relation.holds(*one, *other)
    (name,) = held(one, other)
    closed = [ValidInterval(start, end - 1) for start, end in (one, other)]
    twin = relate(Family.I_I, *closed).name
    if name in {"equal", "start", "started-by", "finish", "finished-by", "during", "contain"}:
        assert twin == BY_NAME[name].operator
    elif name in {"meet", "before"}:
        assert twin == "I-before-I"
    elif name in {"met-by", "after"}:
        assert twin == "I-after-I"


@settings(max_examples=6)
@given(st.lists(spans | open_spans, min_size=4, max_size=12), meanings)
def test_sql_agrees_with_python_between_all_pairs_of_a_table(rows: list[Span], open_end: OpenEnd) -> None:
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.execute("CREATE TABLE t (place BIGINT, s BIGINT, e BIGINT)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [[place, *row] for place, row in enumerate(rows)])
    conditions = [
        relation_sql(relation, {"start": "a.s", "end": "a.e"}, {"start": "b.s", "end": "b.e"}, open_end) for relation in RELATIONS
    ]
    columns = ", ".join(f"coalesce({condition}, FALSE)" for condition in conditions)
    for left, right, *holds in connection.execute(f"SELECT a.place, b.place, {columns} FROM t AS a, t AS b").fetchall():
        expected = [relation.holds(*rows[left], *rows[right], open_end) for relation in RELATIONS]
        assert holds == expected


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_the_converse_of_a_converse_is_the_relation_itself(relation: Relation) -> None:
    assert BY_NAME[BY_NAME[relation.converse].converse] == relation
    assert OPERATORS[relation.operator].converse == BY_NAME[relation.converse].operator
