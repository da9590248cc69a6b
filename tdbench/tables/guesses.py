"""What a config leaves open: which columns are the start and the end, and in which unit the dates are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from state.errors import ConfigError, TableError, did_you_mean
from state.interval import Granularity
from state.tdbench_config import TableConfig
from tdbench.tables.dates import COARSENESS, DateKind, TableDate, read_date
from tdbench.tables.source import SourceTable

PAIRS = (
    ("start", "end"), ("startdate", "enddate"), ("starttime", "endtime"), ("startyear", "endyear"), ("starts", "ends"),
    ("started", "ended"), ("validfrom", "validto"), ("validfrom", "validuntil"), ("from", "to"), ("fromdate", "todate"),
    ("datefrom", "dateto"), ("fromyear", "toyear"), ("from", "until"), ("from", "till"), ("since", "until"), ("since", "till"),
    ("begin", "end"), ("begindate", "enddate"), ("beginning", "end"), ("begins", "ends"), ("start", "finish"), ("start", "stop"),
    ("start", "until"), ("effectivefrom", "effectiveto"), ("effectivedate", "expirydate"), ("tookoffice", "leftoffice"),
    ("termstart", "termend"),
)  # fmt: skip
"""Names of the two columns, without case and signs, the likeliest pair first."""
_STARTS, _ENDS = {start for start, _ in PAIRS}, {end for _, end in PAIRS}
_SIGNS = re.compile(r"[\W_]+")
_BY_NAME, _MOSTLY = 0.5, 0.9
"""Share of the values that must be dates in a column named like a time; in any other, and of the dates that show their unit."""
_SAMPLE = 10_000


@dataclass(frozen=True)
class TimeColumns:
    """The two columns of time, and how they were found."""

    start: str
    end: str
    guesses: tuple[str, ...] = ()


def time_columns(source: SourceTable, config: TableConfig) -> TimeColumns:
    """The declared columns, or those whose names or else whose contents say that they are the two.

    Raises:
        ConfigError: a declared column is not there, or both are one.
        TableError: there are no such columns, or several that might be.
    """
    names = source.cells.column_names
    for key, column in (("start", config.start), ("end", config.end)):
        if column is not None and column not in names:
            raise ConfigError(f"no column {column!r} ({key})", where=source.where, remedy=did_you_mean(column, names))
    if config.start is not None and config.end is not None:
        if config.start == config.end:
            raise ConfigError(f"start and end are both the column {config.start!r}", where=source.where, remedy="Name two columns.")
        return TimeColumns(config.start, config.end)
    open_dates = frozenset(text.lower() for text in config.open_dates)
    shares = {name: date_share(source.cells[name], open_dates) for name in names}
    found = None
    for likely, least in ((_by_name, _BY_NAME), (_by_content, _MOSTLY)):
        starts = [name for name, share in shares.items() if share is not None and share >= least]
        ends = [name for name, share in shares.items() if share is None or share >= least]
        starts, ends = [config.start] if config.start is not None else starts, [config.end] if config.end is not None else ends
        if found := likely(source.cells, starts, ends, config):
            break
    if found is None:
        what = "no interval columns: no two columns, by name and content, are a start and an end"
        have = f"it has {', '.join(map(repr, names))}"
        raise TableError(f"{what}; {have}", where=source.where, remedy="Name them in the config, under start and end.")
    (start, end), why = found
    return TimeColumns(start, end, (f"start {start!r} and end {end!r}, {why}",))


def date_share(column: pa.ChunkedArray, open_dates: frozenset[str]) -> float | None:
    """Share of a column's values that are dates or mean an open end; `None` without values. Long columns are judged by a sample."""
    values = pc.unique(column.drop_null().slice(0, _SAMPLE)).to_pylist()
    if not values:
        return None
    return sum(read_date(value, open_dates).kind is not DateKind.BAD for value in values) / len(values)


def _by_name(cells: pa.Table, starts: list[str], ends: list[str], config: TableConfig) -> tuple[tuple[str, str], str] | None:
    """The likeliest pair of names; or the only start-like one and the only end-like one, a declared column being either."""
    plain_start, plain_end = ({_SIGNS.sub("", name.lower()): name for name in names} for names in (starts, ends))
    why = "by their names"
    if config.start is None and config.end is None:
        for start, end in PAIRS:
            if start in plain_start and end in plain_end:
                return (plain_start[start], plain_end[end]), why
    some_start = starts if config.start is not None else [name for plain, name in plain_start.items() if plain in _STARTS]
    some_end = ends if config.end is not None else [name for plain, name in plain_end.items() if plain in _ENDS]
    some_start, some_end = [name for name in some_start if name != config.end], [name for name in some_end if name != config.start]
    return ((some_start[0], some_end[0]), why) if len(some_start) == len(some_end) == 1 else None


def _by_content(cells: pa.Table, starts: list[str], ends: list[str], config: TableConfig) -> tuple[tuple[str, str], str] | None:
    """The only two columns of dates of which one is never later than the other, and always there where the other is."""
    pairs = [(start, end) for start in starts for end in ends if start != end and _never_later(cells[start], cells[end])]
    return (pairs[0], "the only columns of dates of which one is never later") if len(pairs) == 1 else None


def _never_later(start: pa.ChunkedArray, end: pa.ChunkedArray) -> bool:
    if not 0 < len(end) - end.null_count <= len(start) - start.null_count:
        return False
    later = 0
    for one, other in zip(start.slice(0, _SAMPLE).to_pylist(), end.slice(0, _SAMPLE).to_pylist(), strict=True):
        if other is not None:
            first, last = read_date(one or ""), read_date(other)
            if first.kind is DateKind.DATE and last.kind is DateKind.DATE:
                later += first.first_day > last.last_day
    return not later


def unit_of(dates: Mapping[str, int], read: Mapping[str, TableDate]) -> tuple[Granularity, str]:
    """The unit of the dates, and why: the finest that all have, made coarser if nearly all are the first day of one.

    Args:
        dates: text -> number of cells that hold it.
        read: text -> what it says.
    """
    counts = dict.fromkeys(COARSENESS, 0)
    firsts = dict.fromkeys((Granularity.YEAR, Granularity.MONTH), 0)
    for text, count in dates.items():
        date = read[text]
        if date.kind is DateKind.DATE:
            counts[date.precision] += count
            firsts[Granularity.MONTH] += count * (date.day == 1)
            firsts[Granularity.YEAR] += count * (date.day == date.month == 1)
    total = sum(counts.values())
    if not total:
        return Granularity.DAY, "no dates"
    unit = max((unit for unit, count in counts.items() if count), key=COARSENESS.__getitem__)
    for coarser, day in ((Granularity.YEAR, "1 January"), (Granularity.MONTH, "the first of a month")):
        if COARSENESS[coarser] > COARSENESS[unit] and firsts[coarser] >= _MOSTLY * total:
            return coarser, f"{firsts[coarser]} of {total} dates are {day}"
    if counts[unit] == total:
        return unit, f"all {total} dates are {unit}s"
    return unit, f"{counts[unit]} of {total} dates are no finer"


def known_columns(columns: Iterable[str], known: Iterable[str], key: str, where: str) -> None:
    """Refuses a column of the config that the table lacks.

    Raises:
        ConfigError: the first such column.
    """
    known = list(known)
    for column in columns:
        if column not in known:
            raise ConfigError(f"no column {column!r} ({key})", where=where, remedy=did_you_mean(column, known))
