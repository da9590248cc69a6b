"""Dates of EventKG dumps: widened ends taken back by their unit, and those that cannot be meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from state.graph_report import DropReason
from tests.eventkg_dumps import (
    counters,
    dated,
    facts,
    folder,
    load,
)


@pytest.mark.parametrize(
    ("start", "end", "unit", "told"),
    [
        ("1999-01-01", "2004-12-31", "time:unitYear", ("1999", "2004")),
        ("1999-06-01", "1999-06-30", "time:unitMonth", ("1999-06", "1999-06")),
        ("1999-02-01", "1999-03-03", "time:unitMonth", ("1999-02", "1999-02")),
        ("2000-02-01", "2000-03-02", "time:unitMonth", ("2000-02", "2000-02")),
        ("1999-03-01", "1999-03-31", "time:unitMonth", ("1999-03", "1999-03")),
        ("1999-03-02", "1999-03-03", "time:unitDay", ("1999-03-02", "1999-03-03")),
        ("10000-01-01", "10001-12-31", "time:unitYear", ("+10000", "+10001")),
        ("1990-01-01", "1999-12-31", "schema:unitDecade", None),
        ("1901-01-01", "1901-12-31", "schema:unitCentury", None),
        ("1999-01-01", "2004-12-31", "", ("1999", "2004")),
        ("0044-01-01", "0014-12-31", "time:unitYear", None),
        ("1910-01-01", "1999-12-31", "time:unitDay", ("1910-01-01", "1999-12-31")),
        ("2000-01-01", "2999-12-31", "time:unitDay", None),
        ("2004-01-01", "1999-12-31", "time:unitYear", None),
    ],
)
@pytest.mark.parametrize(("granularity", "width"), [("day", 10), ("month", 7), ("year", 4)])
def test_a_widened_date_is_taken_back_to_its_unit(
    start: str, end: str, unit: str, told: tuple[str, str] | None, granularity: str, width: int, tmp_path: Path
) -> None:
    path = folder(tmp_path, {"relations_entities_temporal": dated(90, start, end, unit)})
    graph, report = load(path, granularity)
    is_told = told is not None and len(told[0].removeprefix("+10").rjust(4, "0")) >= width
    bounds = [tuple(bound if bound[0] == "+" else bound[:width] for bound in told)] if is_told and told else []
    assert [row[3:] for row in facts(graph) if row[0] == "event_1"] == bounds
    assert (report.rows, report.kept_aside) == (4, 0 if is_told else 1)


@pytest.mark.parametrize(
    ("start", "end", "unit", "counter"),
    [
        ("0044-01-01", "0014-12-31", "time:unitYear", {"bad_era_possible": 1}),
        ("2000-01-01", "2999-12-31", "time:unitDay", {"suspect_span": 1}),
        ("1999-01-01", "1999-12-31", "time:unitYear", {}),
    ],
)
def test_dates_that_cannot_be_meant_are_counted_and_stay_doubtful(
    start: str, end: str, unit: str, counter: dict[str, int], tmp_path: Path
) -> None:
    graph, report = load(folder(tmp_path, {"relations_entities_temporal": dated(90, start, end, unit)}))
    assert {name: count for name, count in counters(report).items() if name != "untimed"} == counter
    assert len(graph.dropped) == 1
    assert bool(graph.dropped.start_low[0] < -(10**6)) is bool(counter)


@pytest.mark.parametrize(
    ("start", "end", "unit", "meant"),
    [
        ("1990-01-01", "1999-12-31", "schema:unitDecade", (1990, 1999)), ("1900-01-01", "1999-12-31", "schema:unitDecade", (1900, 1909)),
        ("2000-01-01", "2999-12-31", "schema:unitDecade", (2000, 2009)), ("2010-01-01", "2019-12-31", "schema:unitDecade", (2010, 2019)),
        ("1900-01-01", "1999-12-31", "schema:unitCentury", (1801, 1900)), ("2000-01-01", "2999-12-31", "schema:unitCentury", (1901, 2000)),
        ("1901-01-01", "1901-12-31", "schema:unitCentury", (1901, 2000)),
    ],
)  # fmt: skip
def test_a_decade_or_century_kept_aside_leaves_room_for_all_that_it_may_mean(
    start: str, end: str, unit: str, meant: tuple[int, int], tmp_path: Path
) -> None:
    path = folder(tmp_path, {"relations_entities_temporal": dated(90, start, end, unit)})
    dropped = load(path, "year")[0].dropped
    assert len(dropped) == 1
    assert dropped.start_low[0] <= meant[0] <= dropped.start_high[0]
    assert dropped.end_low[0] <= meant[1] <= dropped.end_high[0]
    assert -(10**6) < dropped.start_low[0] < dropped.end_high[0] < 10**6


def test_a_graph_of_antiquity_can_be_asked_for(tmp_path: Path) -> None:
    path = folder(tmp_path, {"relations_entities_temporal": dated(90, "0312-01-01", "0337-12-31", "time:unitYear")})
    graph, _ = load(path, "year", min_year=1)
    assert ("event_1", "P54", "entity_2", "0312", "0337") in facts(graph)


def test_dates_without_a_unit_are_years_unless_the_config_says_more(tmp_path: Path) -> None:
    path = folder(tmp_path, {"relations_entities_temporal": dated(90, "1999-05-01", "2000-05-07", "")})
    assert load(path)[1].dropped == {DropReason.COARSE: 1}
    assert ("event_1", "P54", "entity_2", "1999-05-01", "2000-05-07") in facts(load(path, precision="day")[0])
