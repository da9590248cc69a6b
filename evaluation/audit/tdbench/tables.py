"""The tables that published questions were made from, every row of them as its file has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from state.errors import ConfigError, TableError
from state.interval import Granularity
from state.tdbench_config import TableConfig
from tdbench.tables.csv_file import read_csv
from tdbench.tables.dates import NO_VALUE, DateKind, TableDate, read_date
from tdbench.tables.guesses import time_columns, unit_of
from tdbench.tables.parquet_file import read_parquet
from tdbench.tables.source import SourceTable

FAR = 2**62
"""Stands for an open end: past every date."""
TIMES = ("start", "end")
"""The two bounds of a row."""
_FILES = (".csv", ".csv.gz")


class Span(NamedTuple):
    """When a row holds, in the table's granules, half-open."""

    first: int
    past: int
    """`FAR` where it has no end."""


@dataclass(frozen=True)
class PublishedTable:
    """A table as its file has it: no row is left out."""

    name: str
    names: frozenset[str]
    """What a query may call it, in lower case: its name, its file's and its folder's."""
    columns: tuple[str, ...]
    """Its own columns, without the two of time."""
    start_column: str
    end_column: str
    unit: Granularity
    cells: Sequence[tuple[str | None, ...]]
    """The own columns of each row."""
    start: Sequence[int | None]
    """Days from 1970-01-01."""
    end: Sequence[int | None]
    spans: Sequence[Span | None]
    """`None` for a row without a start, or whose end is before it."""
    is_open_past_all: bool
    """Whether an open end lies past every date; else it stands in no comparison."""
    place: int
    """Number of the table in the database."""

    @cached_property
    def known(self) -> Mapping[str, int | Literal["start", "end"]]:
        """Column in lower case -> its place, or which bound it is."""
        own: dict[str, int | Literal["start", "end"]] = {name.lower(): place for place, name in enumerate(self.columns)}
        return own | {self.start_column.lower(): "start", self.end_column.lower(): "end"}

    @cached_property
    def last_day(self) -> int | None:
        """The last date in it."""
        return max((day for day in (*self.start, *self.end) if day is not None), default=None)

    def shown(self, row: int, columns: Sequence[str]) -> tuple[str | int | None, ...]:
        """A row's values; a bound is its day."""
        return tuple(self._value(row, self.known[column.lower()]) for column in columns)

    def _value(self, row: int, column: int | Literal["start", "end"]) -> str | int | None:
        if column == "start":
            return self.start[row]
        return self.end[row] if column == "end" else self.cells[row][column]

    def stated(self, column: str, text: str | None) -> str | int | None:
        """A stated value in the form in which `shown` gives it."""
        bare = None if text is None or text.strip() in NO_VALUE else text.strip()
        if bare is None or self.known.get(column) not in TIMES:
            return bare
        date = read_date(bare)
        return date.first_day if date.kind is DateKind.DATE else bare


def open_published(path: Path) -> tuple[list[PublishedTable], list[str]]:
    """The tables of a CSV file, or of all CSV files below a folder, and which files of a folder are no tables.

    Raises:
        TableError: there is no such file, it is refused, or no file of the folder is a table.
    """
    if path.is_file():
        return [_table(0, path, path.stem, TableConfig(path=str(path)))], []
    if not path.is_dir():
        raise TableError("no such file or folder", where=str(path), remedy="Name a CSV file, a folder of them or a config.")
    files = sorted(file for file in path.rglob("*") if file.name.lower().endswith(_FILES) and file.is_file())
    tables: list[PublishedTable] = []
    notes: list[str] = []
    for file in files:
        try:
            name = file.name[: -len(".gz")] if file.name.lower().endswith(".gz") else file.name
            tables.append(_table(len(tables), file, Path(name).stem, TableConfig(path=str(file))))
        except TableError as err:
            notes.append(f"left out: {err}")
    if not tables:
        raise TableError("no CSV file in this folder is a table with a start and an end", where=str(path))
    return tables, notes


def configured(tables: Mapping[str, TableConfig]) -> list[PublishedTable]:
    """The tables of a config.

    Raises:
        ConfigError: it has none, or one is neither CSV nor Parquet.
        TableError: a file is refused.
    """
    if not tables:
        raise ConfigError("no tables", where="tdbench.tables", remedy="Define them there, or give --tables a folder of CSV files.")
    made = []
    for place, (name, config) in enumerate(tables.items()):
        if config.path is None or config.source in ("sqlite", "postgres"):
            raise ConfigError("published questions are audited on files", where=f"tdbench.tables.{name}", remedy="Name a CSV file.")
        made.append(_table(place, Path(config.path), name, config))
    return made


def _table(place: int, path: Path, name: str, config: TableConfig) -> PublishedTable:
    is_parquet = config.source == "parquet" or path.suffix.lower() in (".parquet", ".pq")
    source: SourceTable = read_parquet(path) if is_parquet else read_csv(path)
    times = time_columns(source, config)
    own = [column for column in source.cells.column_names if column not in (times.start, times.end)]
    if not own:
        raise TableError("no column beside those of time", where=str(path))
    folder = path.resolve().parent.name
    open_dates = frozenset(text.lower() for text in config.open_dates)
    texts = [[text or "" for text in source.cells[column].to_pylist()] for column in (times.start, times.end)]
    read = {text: read_date(text, open_dates) for text in {*texts[0], *texts[1]}}
    unit = config.granularity or unit_of(Counter(chain.from_iterable(texts)), read)[0]
    starts, ends = ([read[text] for text in column] for column in texts)
    return PublishedTable(
        name=name,
        names=frozenset((name.lower(), path.name.split(".")[0].lower(), folder.lower())),
        columns=tuple(own),
        start_column=times.start,
        end_column=times.end,
        unit=unit,
        cells=list(zip(*(source.cells[column].to_pylist() for column in own), strict=True)),
        start=[_day_of(date) for date in starts],
        end=[_day_of(date) for date in ends],
        spans=[_span(start, end, unit, inclusive=config.ends == "inclusive") for start, end in zip(starts, ends, strict=True)],
        is_open_past_all=config.open_end == "ongoing",
        place=place,
    )


def _day_of(date: TableDate) -> int | None:
    return date.first_day if date.kind is DateKind.DATE else None


def _span(start: TableDate, end: TableDate, unit: Granularity, *, inclusive: bool) -> Span | None:
    first = start.granule(unit) if start.kind is DateKind.DATE else None
    if first is None or end.kind is DateKind.BAD:
        return None
    if end.kind is not DateKind.DATE:
        return Span(first, FAR)
    past = end.granule(unit)
    return None if past is None or past < first else Span(first, max(past + inclusive, first + 1))
