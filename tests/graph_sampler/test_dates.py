"""Time text: traps A03 to A06."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_sampler.loaders.dates import ABSENT, OPEN, Precision, TimeKind, TimeRange, read_time, with_precision
from graph_sampler.temporal_graph import NEG_INF, POS_INF
from state.config import GraphConfig, YearNumbering
from state.interval import Granularity, days_from_civil, format_granule, parse_granule

YEAR, MONTH, DAY = Granularity.YEAR, Granularity.MONTH, Granularity.DAY
OPEN_DATES = GraphConfig(path="x").open_dates


def year(text: str, **settings: object) -> TimeRange:
    return read_time(text, YEAR, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1996", 1996), ("0476", 476), ("14", 14), ("360-##-##", 360), ("1995-##-##", 1995), ("2005-11-##", 2005), ("2005-11-30", 2005),
        ("+1996-00-00", 1996), ("+2019-11-00T00:00:00Z", 2019), ("-0044-03-15", -44), ("-431", -431), ("0000", 0), ("+12000-01-01", 12000),
        ('"2012-##-##"', 2012), ('"1926-01-01T00:00:00Z"^^xsd:dateTime', 1926), ("2003-01-01 00:00:00", 2003), (" 1996 ", 1996),
        ("1995-XX-XX", 1995),
    ],
)  # fmt: skip
def test_a_time_of_a_year_or_finer_is_cut_to_the_year(text: str, value: int) -> None:
    assert year(text)[:3] == (TimeKind.EXACT, value, value)


@pytest.mark.parametrize("text", ["", "None", "null", "NaN", "####-##-##", "####", "-####", " ", "####-05-##", "?"])
def test_a_wholly_masked_or_missing_time_is_unknown(text: str) -> None:
    assert year(text)[:3] == (TimeKind.UNKNOWN, NEG_INF, POS_INF)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("195#-##-##", 1950, 1959),
        ("19##", 1900, 1999),
        ("19##-##-##", 1900, 1999),
        ("1###", 1000, 1999),
        ("-19##", -1999, -1900),
        ("0##", 0, 99),
    ],
)
def test_a_masked_year_is_a_range_and_never_a_year(text: str, low: int, high: int) -> None:
    assert year(text)[:3] == (TimeKind.COARSE, low, high)


@pytest.mark.parametrize(
    "text",
    [
        "307-13047-09",
        "+1996-02-30",
        "1900-02-29",
        "1999-13-01",
        "1999-00-32",
        "1##5",
        "soon",
        "1996.5",
        "1996-",
        "12345678",
        "２０２０",
        "20 04",
        "1996-5-1-1",
    ],
)
def test_what_is_no_date_of_the_calendar_is_bad(text: str) -> None:
    assert year(text)[:3] == (TimeKind.BAD, NEG_INF, POS_INF)


def test_a_coarser_time_is_the_range_of_its_days() -> None:
    first, last = days_from_civil(1995, 1, 1), days_from_civil(1995, 12, 31)
    assert read_time("1995", DAY)[:3] == (TimeKind.COARSE, first, last)
    february = days_from_civil(1996, 2, 1), days_from_civil(1996, 2, 29)
    assert read_time("1996-02-##", DAY)[:3] == (TimeKind.COARSE, *february)
    assert read_time("1996-02-00", MONTH)[:3] == (TimeKind.EXACT, 313, 313)


def test_a_day_without_its_month_is_only_a_year() -> None:
    assert read_time("1995-##-12", MONTH).kind is TimeKind.COARSE


@pytest.mark.parametrize(
    ("text", "precision", "low", "high"),
    [
        ("+1990-00-00", Precision.DECADE, 1990, 1999),
        ("+1996-00-00", Precision.YEAR, 1996, 1996),
        ("+2019-11-00", Precision.MONTH, 2019, 2019),
        ("+2019-07-04", Precision.YEAR, 2019, 2019),
    ],
)
def test_a_stated_precision_decides_the_width(text: str, precision: Precision, low: int, high: int) -> None:
    assert year(text, precision=precision)[1:3] == (low, high)


def test_a_century_is_not_its_first_or_last_year() -> None:
    found = year("+2000-00-00", precision=Precision.CENTURY)
    assert found.kind is TimeKind.COARSE
    assert found.low <= 1901
    assert found.high >= 2000
    assert year("+1901-00-00", precision=Precision.CENTURY)[1:3] == (1901, 2000)


def test_an_impossible_day_is_bad_at_day_precision() -> None:
    assert year("+1996-02-30", precision=Precision.DAY).kind is TimeKind.BAD


def test_both_numberings_give_one_year_for_44_bc() -> None:
    historical = year("-0044-03-15", numbering=YearNumbering.HISTORICAL)
    astronomical = year("-0043-03-15", numbering=YearNumbering.ASTRONOMICAL)
    assert historical == astronomical
    assert historical.low == -43


def test_there_is_no_year_0_in_historical_numbering() -> None:
    assert year("0000", numbering=YearNumbering.HISTORICAL).kind is TimeKind.BAD
    assert year("0000")[1] == 0
    assert year("-0001", numbering=YearNumbering.HISTORICAL)[1] == 0
    assert year("-00##", numbering=YearNumbering.HISTORICAL)[1:3] == (-98, 0)
    assert year("00##", numbering=YearNumbering.HISTORICAL)[1:3] == (1, 99)


def test_years_sort_by_number_and_not_by_text() -> None:
    assert sorted(["1996", "-44", "44", "0009"], key=lambda text: year(text).low) == ["-44", "0009", "44", "1996"]


@pytest.mark.parametrize("text", ["9999-12-31", "2262-04-11", "3000", "..", "+9999-12-31T00:00:00Z", "9999-12-31 23:59:59"])
def test_a_dummy_of_the_list_is_an_open_end(text: str) -> None:
    assert year(text, open_dates=OPEN_DATES).kind is TimeKind.OPEN


def test_a_planned_date_stays_a_date() -> None:
    assert year("2031-01-01", open_dates=OPEN_DATES)[:3] == (TimeKind.EXACT, 2031, 2031)


def test_only_the_exact_sentinel_is_unknown() -> None:
    assert year("1", unknown_dates=("1",)).kind is TimeKind.UNKNOWN
    assert year("41", unknown_dates=("1",))[1] == 41


@given(st.dates())
def test_days_agree_with_the_standard_calendar(date: datetime.date) -> None:
    found = read_time(date.isoformat(), DAY)
    assert found[:3] == (TimeKind.EXACT, *[date.toordinal() - datetime.date(1970, 1, 1).toordinal()] * 2)


@given(st.integers(-200_000, 200_000), st.sampled_from((YEAR, MONTH, DAY)))
def test_what_the_graph_writes_it_reads_back(granule: int, unit: Granularity) -> None:
    text = format_granule(granule, unit)
    assert read_time(text, unit)[:3] == (TimeKind.EXACT, granule, granule)
    assert parse_granule(text) == granule


@given(
    st.text(max_size=14) | st.from_regex(r"[+-]?[0-9#]{1,6}(-[0-9#]{2}(-[0-9#]{2})?)?", fullmatch=True), st.sampled_from(list(Granularity))
)
def test_any_text_gives_a_sound_range(text: str, unit: Granularity) -> None:
    for numbering in YearNumbering:
        found = read_time(text, unit, numbering)
        assert found.low <= found.high
        assert found.first_day <= found.last_day
        assert (found.kind is TimeKind.EXACT) == (found.low == found.high)


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize("text", ["+1901-05-17", "2000-00-00", "-44", "19##"])
def test_a_precision_within_the_text_is_read_as_one_beside_it(text: str, precision: Precision) -> None:
    assert read_time(with_precision(text, precision), DAY) == read_time(text, DAY, precision=precision)


def test_a_loader_can_say_that_a_bound_is_open_or_that_nothing_is_said() -> None:
    assert year(OPEN).kind is TimeKind.OPEN
    assert year(ABSENT) == TimeRange(TimeKind.UNKNOWN)
    assert year("open").kind is year("absent").kind is TimeKind.BAD
