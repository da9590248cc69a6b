"""Labels beside and below a figure: none lies over another, none is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.pages.charts import spread, wrapped
from runs.terminal import shown

HEIGHTS = st.floats(0.1, 0.6)


@given(st.lists(st.tuples(st.floats(0, 10), HEIGHTS), max_size=24))
def test_spread_labels_keep_their_order_and_do_not_overlap(labels: list[tuple[float, float]]) -> None:
    labels.sort(reverse=True)
    wanted, heights = [want for want, _ in labels], [height for _, height in labels]
    places = spread(wanted, heights, 0, 10)
    for place in range(len(places) - 1):
        assert places[place] - places[place + 1] >= (heights[place] + heights[place + 1]) / 2 - 1e-9
    assert all(place + height / 2 <= 10 + 1e-9 for place, height in zip(places, heights, strict=True))
    if sum(heights) <= 10:
        assert all(place - height / 2 >= -1e-9 for place, height in zip(places, heights, strict=True))


def test_labels_with_room_stay_where_they_are_wanted() -> None:
    assert spread([8, 5, 2], [1, 1, 1], 0, 10) == [8, 5, 2]


@given(st.text(max_size=120), st.integers(4, 30))
def test_a_wrapped_label_has_few_short_lines(label: str, width: int) -> None:
    lines = wrapped(label, width, 3).split("\n")
    assert len(lines) <= 3
    assert all(len(line) <= width for line in lines)


@given(st.text("abc/+ -", max_size=40))
def test_a_label_that_fits_loses_nothing_but_blanks(label: str) -> None:
    assert wrapped(label, 50, 3).replace("\n", "").replace(" ", "") == shown(label).replace(" ", "")


def test_a_long_label_is_cut_with_dots() -> None:
    assert wrapped("x" * 5000, 10, 2) == "xxxxxxxxxx\nxxxxxxxxx…"
