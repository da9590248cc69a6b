from __future__ import annotations

from tdbench.scoring.paper_figures import notes, published_average, published_rows, published_settings, title


def test_each_printed_gap_is_the_difference_of_its_printed_figures() -> None:
    for row in (*published_rows(), published_average()):
        assert round(row.wikipedia_a - row.wikipedia_at, 1) == row.wikipedia_gap


def test_the_printed_average_is_not_that_of_the_rows_that_are_known() -> None:
    rows = published_rows()
    assert len(rows) == 5 < published_settings().models
    assert abs(sum(row.wikipedia_a for row in rows) / 5 - published_average().wikipedia_a) > 1
    assert "cannot be computed again" in notes()[0]


def test_every_figure_is_a_percentage_and_says_what_it_is() -> None:
    assert title().startswith("Answer accuracy")
    for row in (*published_rows(), published_average()):
        assert all(0 < value < 100 for key, value in row if key != "model")
    settings = published_settings()
    assert (settings.wikipedia_questions, settings.platform_questions) == (6177, 1704)
    assert settings.platform_questions == 3 * (121 + 99 + 148 + 200)
