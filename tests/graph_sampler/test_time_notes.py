"""What is told of dates that were cut, refused or never there, with an example of the source's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_sampler.load import load_graph
from runs.sampling import describe_graph
from state.config import GraphConfig
from state.errors import GraphFormatError
from state.interval import Granularity

YEARS = ("Ann Roy,works for,Acme,1990,1995", "Bo Lind,works for,Acme,1991,1993", "Cy Moe,works for,Acme,1991,1994")


def notes(tmp_path: Path, *rows: str, header: bool = False, unit: Granularity = Granularity.YEAR) -> tuple[str, ...]:
    path = tmp_path / "facts.csv"
    path.write_text("\n".join(rows) + "\n")
    _, report = load_graph(GraphConfig(path=str(path), format="table", header=header, granularity=unit))
    assert report.source is not None
    assert describe_graph(report)[1:] == [f"note: {note}" for note in report.source.notes]
    return report.source.notes


def test_days_that_are_cut_to_years_are_told_with_the_way_to_keep_them(tmp_path: Path) -> None:
    days = "Ann Roy,met,Bo Lind,2014-03-05,2014-03-05"
    told = "dates of 1 row are finer than years and were cut to years; read the source with graph.granularity=day to keep them"
    assert notes(tmp_path, days) == (told,)
    assert notes(tmp_path, days, *YEARS) == (f"{told} (and lose 3 with coarser dates)",)
    assert notes(tmp_path, days, unit=Granularity.DAY) == ()
    assert "graph.granularity=month" in notes(tmp_path, "Ann Roy,met,Bo Lind,2014-03,2014-04")[0]
    assert "cut to months" in notes(tmp_path, days, unit=Granularity.MONTH)[0]


def test_years_written_as_their_first_and_last_days_are_not_cut(tmp_path: Path) -> None:
    assert notes(tmp_path, "Ann Roy,met,Bo Lind,2014-01-01,2016-12-31", "Bo Lind,met,Ann Roy,-0044-01-01,-0044-12-31", *YEARS) == ()


def test_a_bad_date_is_shown_with_its_row(tmp_path: Path) -> None:
    (told,) = notes(tmp_path, YEARS[0], "Bo Lind,works for,Acme,1990.0,1993")
    assert told == (
        "a bad date is '1990.0' in the row of 'Bo Lind', 'works for', 'Acme'; dates are read as ISO (1990, 1990-06 or 1990-06-01)"
    )


def test_a_graph_of_bad_dates_is_refused_with_one_of_them_and_not_with_its_header(tmp_path: Path) -> None:
    with pytest.raises(GraphFormatError) as caught:
        notes(tmp_path, "Who,What,Whom,From,To", "Ann Roy,works for,Acme,01/06/1990,1995")
    assert "2 bad date, such as '01/06/1990' in the row of 'Ann Roy', 'works for', 'Acme'. Dates are read as ISO" in str(caught.value)
    assert str(caught.value).endswith("are graph.columns and graph.header right?")


def test_a_header_that_is_read_as_a_fact_is_told(tmp_path: Path) -> None:
    header = "Who,What,Whom,From,To"
    assert notes(tmp_path, header, *YEARS) == ("line 1 looks like a header ('From', 'To' where dates are due): set graph.header=true",)
    assert notes(tmp_path, header, *YEARS, header=True) == ()
