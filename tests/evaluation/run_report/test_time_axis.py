"""Times as places on a line: order is kept, marks are few, and dates read as dates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.run_report.time_axis import MOST_MARKS, TimeAxis, reading
from state.interval import Granularity, format_granule

GRANULES = st.one_of(st.integers(-50, 50), st.integers(-800, 2100), st.integers(-300_000, 300_000))


@st.composite
def spans(draw: st.DrawFn) -> list[tuple[int, int, str, str]]:
    granularity = draw(st.sampled_from(Granularity))
    base = draw(GRANULES)
    pairs = draw(st.lists(st.tuples(st.integers(0, 400), st.sampled_from((0, 0, 1, 3, 40, 2000))), min_size=1, max_size=6))
    bounds = [(base + start, base + start + length) for start, length in pairs]
    return [(start, end, format_granule(start, granularity), format_granule(end, granularity)) for start, end in bounds]


@given(spans())
def test_every_span_lies_within_the_line_in_the_order_of_time(given_spans: list[tuple[int, int, str, str]]) -> None:
    axis = TimeAxis([(start, end) for _, _, start, end in given_spans])
    ends = [
        (granule, place)
        for first, last, start, end in given_spans
        for granule, place in zip((first, last + 1), axis.span(start, end), strict=True)
    ]
    assert all(0 < place < 1 for _, place in ends)
    places = dict(ends)
    assert [places[granule] for granule, _ in ends] == [place for _, place in ends], "one place for one granule"
    assert sorted(places, key=places.__getitem__) == sorted(places)
    assert len(set(places.values())) == len(places)


@given(spans())
def test_marks_are_few_distinct_and_from_left_to_right(given_spans: list[tuple[int, int, str, str]]) -> None:
    marks = TimeAxis([(start, end) for _, _, start, end in given_spans]).marks()
    assert 1 <= len(marks) <= MOST_MARKS
    assert [mark.place for mark in marks] == sorted({mark.place for mark in marks})
    assert len({mark.text for mark in marks}) == len(marks)
    assert all(0 <= mark.place < 1 for mark in marks)


@pytest.mark.parametrize(
    ("spans_of", "texts"),
    [
        ([("1996", "2003")], ["1996", "1998", "2000", "2002", "2004"]),
        ([("1996", "1996")], ["1995", "1996", "1997"]),
        ([("1996-05-01", "1996-05-02")], ["1996-04-30", "1996-05-01", "1996-05-02", "1996-05-03"]),
        ([("1996-05-01", "1996-08-20")], ["1996-05", "1996-06", "1996-07", "1996-08"]),
        ([("1996-05-01", "2001-08-20")], ["1997", "1998", "1999", "2000", "2001"]),
        ([("-0043", "0014")], ["40 BC", "30 BC", "20 BC", "10 BC", "10"]),
    ],
)
def test_marks_name_the_times_at_which_they_stand(spans_of: list[tuple[str, str]], texts: list[str]) -> None:
    assert [mark.text for mark in TimeAxis(spans_of).marks()] == texts


def test_years_before_the_first_are_bc() -> None:
    assert [reading(text) for text in ("0000", "-0043-03-15", "0009", "+12000")] == ["1 BC", "44 BC-03-15", "9", "12000"]
