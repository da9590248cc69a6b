from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.interval import Granularity, format_granule
from tdbench.tables.dates import DateKind, TableDate, read_date


@given(st.dates(), st.sampled_from(["{}", "{} 00:00:00", "{}T23:59:59Z", "{} 12:30:00.123456+00:00"]))
def test_a_day_is_read_with_and_without_a_time_of_day(day: datetime.date, pattern: str) -> None:
    date = read_date(pattern.format(day.isoformat()))
    assert (date.kind, date.precision, date.first_day, date.last_day) == (
        DateKind.DATE, Granularity.DAY, (day - datetime.date(1970, 1, 1)).days, (day - datetime.date(1970, 1, 1)).days,
    )  # fmt: skip
    assert date.granule(Granularity.YEAR) == day.year
    assert read_date(day.strftime("%Y%m%d").rjust(8, "0")) == date


@given(st.integers(1, 9998), st.integers(1, 12))
def test_months_and_years_span_their_days_and_are_no_days(year: int, month: int) -> None:
    date, whole = read_date(f"{year:04d}-{month:02d}"), read_date(f"{year:04d}")
    after = datetime.date(year + month // 12, month % 12 + 1, 1)
    assert date.last_day + 1 == (after - datetime.date(1970, 1, 1)).days
    assert whole.last_day - whole.first_day in (364, 365)
    assert date.granule(Granularity.DAY) is None
    assert whole.granule(Granularity.MONTH) is None
    granule = date.granule(Granularity.MONTH)
    assert granule is not None
    assert format_granule(granule, Granularity.MONTH) == f"{year:04d}-{month:02d}"


@pytest.mark.parametrize("text", ["", "NULL", "None", "nan", "NaN", "NaT"])
def test_texts_for_nothing_are_no_dates_and_no_errors(text: str) -> None:
    assert read_date(text).kind is DateKind.NONE


@pytest.mark.parametrize("text", ["9999-12-31", "9999-12-31 00:00:00", "Present", "NOW"])
def test_texts_for_a_missing_end_are_told_from_dates(text: str) -> None:
    assert read_date(text, {"9999-12-31", "present", "now"}).kind is DateKind.OPEN


@pytest.mark.parametrize("text", ["1996-02-30", "19960230", "31/12/1996", "about 1996", "96", "12000", "1996-13", "1996-5-1", "１９９６"])
def test_what_is_no_date_of_the_calendar_is_not_mended(text: str) -> None:
    assert read_date(text).kind is DateKind.BAD


def test_years_written_as_numbers_with_a_point_are_read() -> None:
    assert read_date("1996.0") == read_date("1996") == TableDate(DateKind.DATE, Granularity.YEAR, 1996)
    assert read_date("-0043").year == -43
    assert read_date("+12000").year == 12000
