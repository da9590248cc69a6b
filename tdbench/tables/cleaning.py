"""A source's text rows -> the rows of a temporal table: half-open, whole granules, every row kept or counted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from state.errors import TableError
from state.interval import Granularity
from state.tdbench_config import TableConfig
from tdbench.table import END, ROW, START, TemporalTable, aside, quote
from tdbench.tables.dates import DateKind, TableDate, read_date
from tdbench.tables.guesses import known_columns, time_columns, unit_of
from tdbench.tables.report import RowDrop, TableReport
from tdbench.tables.source import SourceTable, called, shown

_EXAMPLES = 3
_LONGEST_EXAMPLE = 120

# c0, c1, ... stand for the source's own columns while it is cleaned, so that no name of the source meets one of ours; and
# what is ours in the database begins with an underscore, as no table of a config does.
_JUDGE = """
    CREATE TEMP TABLE _judged AS
    SELECT place, start_text, end_text, {own}, s.granule AS first, e.granule + {inclusive} AS past,
        CASE WHEN past IS NOT NULL THEN greatest(past, first + 1) END AS last,  -- greatest() alone takes no notice of NULL
        CASE
            WHEN s.kind IN ('none', 'open') THEN 'NO_START'
            WHEN s.kind = 'bad' OR e.kind = 'bad' THEN 'BAD_DATE'
            WHEN s.granule IS NULL OR (e.kind = 'date' AND e.granule IS NULL) THEN 'COARSE'
            WHEN e.kind = 'date' AND s.first_day > e.last_day THEN 'REVERSED'
            WHEN {keyless} THEN 'NO_KEY'
        END AS reason
    FROM _source JOIN _dates s ON s.text = start_text JOIN _dates e ON e.text = end_text
"""
_COPIES = """
    UPDATE _judged SET reason = 'DUPLICATE' WHERE place IN (
        SELECT place FROM _judged WHERE reason IS NULL
        QUALIFY row_number() OVER (PARTITION BY {own}, first, last ORDER BY place) > 1
    )
"""
_KEEP = """
    CREATE TABLE {table} AS
    SELECT place AS {row}, {named}, first AS {start}, last AS {end}
    FROM _judged WHERE reason IS NULL ORDER BY place
"""
_ASIDE = """
    CREATE OR REPLACE TABLE {aside} AS SELECT {named} FROM _judged WHERE reason IS NOT NULL AND reason != 'DUPLICATE' ORDER BY place
"""
_CONTENT = """
    SELECT sha256(coalesce(string_agg(line, '' ORDER BY line), ''))
    FROM (SELECT md5(concat_ws(',', {values})) AS line FROM {table})
"""


@dataclass(frozen=True)
class _Dates:
    """The texts of the two time columns, read once each."""

    read: dict[str, TableDate]
    counts: dict[str, int]

    @classmethod
    def of(cls, starts: pa.ChunkedArray, ends: pa.ChunkedArray, open_dates: tuple[str, ...]) -> _Dates:
        lower = frozenset(text.lower() for text in open_dates)
        counts: dict[str, int] = {}
        for column in (starts, ends):
            for pair in pc.value_counts(column).to_pylist():
                counts[pair["values"]] = counts.get(pair["values"], 0) + pair["counts"]
        return cls({text: read_date(text, lower) for text in counts}, counts)

    def as_arrow(self, granularity: Granularity) -> pa.Table:
        dates = [date if date.kind is DateKind.DATE else None for date in self.read.values()]
        return pa.table({
            "text": pa.array(self.read, pa.string()),
            "kind": pa.array([str(date.kind) for date in self.read.values()], pa.string()),
            "granule": pa.array([date and date.granule(granularity) for date in dates], pa.int64()),
            "first_day": pa.array([date and date.first_day for date in dates], pa.int64()),
            "last_day": pa.array([date and date.last_day for date in dates], pa.int64()),
        })  # fmt: skip


def load(connection: duckdb.DuckDBPyConnection, name: str, source: SourceTable, config: TableConfig) -> tuple[TemporalTable, TableReport]:
    """Makes the table `name` of a source.

    Raises:
        ConfigError: the config names a column that the source lacks.
        TableError: the columns of time cannot be found, or no row is left.
    """
    times = time_columns(source, config)
    own = [column for column in source.cells.column_names if column not in (times.start, times.end)]
    keys = config.keys or tuple(dict.fromkeys(column for rule in config.dependencies for column in rule.determinants))
    known_columns(keys, own, "keys" if config.keys else "dependencies", source.where)
    known_columns((rule.dependent for rule in config.dependencies), own, "dependencies", source.where)
    known_columns(config.glossary, own, "glossary", source.where)
    if not own:
        raise TableError(
            "no column beside those of time", where=source.where, remedy="A row must say what holds from its start to its end."
        )
    starts, ends = (pc.fill_null(source.cells[column], "") for column in (times.start, times.end))
    dates = _Dates.of(starts, ends, config.open_dates)
    granularity, why = (config.granularity, "") if config.granularity else unit_of(dates.counts, dates.read)
    guesses = (*source.notes, *times.guesses, *((f"unit {granularity}: {why}",) if why else ()))
    stand_ins = {column: f"c{place}" for place, column in enumerate(own)}
    staged = {"place": pa.array(source.rows, pa.int64()), "start_text": starts, "end_text": ends}
    connection.register("_source", pa.table(staged | {stand_in: source.cells[column] for column, stand_in in stand_ins.items()}))
    connection.register("_dates", dates.as_arrow(granularity))
    listed = ", ".join(stand_ins.values())
    keyless = " OR ".join(f"{stand_ins[key]} IS NULL" for key in keys) or "false"
    connection.execute(_JUDGE.format(own=listed, inclusive=int(config.ends == "inclusive"), keyless=keyless))
    connection.execute(_COPIES.format(own=listed))
    named = ", ".join(f"{stand_in} AS {quote(column)}" for column, stand_in in stand_ins.items())
    parts = {"table": quote(name), "row": quote(ROW), "start": quote(START), "end": quote(END)}
    connection.execute(_KEEP.format(named=named, **parts))
    connection.execute(_ASIDE.format(named=named, aside=quote(aside(name))))
    dropped, examples = _drops(connection, source, stand_ins)
    kept, zero_length, open_ends = _one(
        connection, "SELECT count(*), count(*) FILTER (past <= first), count(*) FILTER (past IS NULL) FROM _judged WHERE reason IS NULL"
    )
    values = [f"coalesce(strlen({column}) || ':' || {column}, '-')" for column in (quote(column) for column in own)]
    values += [f"coalesce({quote(column)}::VARCHAR, '-')" for column in (START, END)]
    (content,) = _one(connection, _CONTENT.format(values=", ".join(values), table=quote(name)))
    connection.execute("DROP TABLE _judged")
    connection.unregister("_source")
    connection.unregister("_dates")
    report = TableReport(
        name=name, source=source.kind, where=source.where, rows=source.cells.num_rows + len(source.malformed), kept=kept,
        dropped=dropped, examples=examples, zero_length=zero_length, open_ends=open_ends, start_column=times.start,
        end_column=times.end, ends=config.ends, granularity=granularity, keys=keys, guesses=guesses, content=content,
    )  # fmt: skip
    if not kept:
        reasons = ", ".join(f"{count} {reason}" for reason, count in dropped.items() if count) or "it has none"
        raise TableError(f"no row is left: {reasons}", where=source.where, remedy="Look at the columns of time and the granularity.")
    glossary = {column: config.glossary.get(column, called(column)) for column in own}
    table = TemporalTable(
        name=name, columns=tuple(own), start_column=times.start, end_column=times.end, granularity=granularity,
        open_end=config.open_end, rows=kept, glossary=glossary, domain=config.domain or name, ends=config.ends,
    )  # fmt: skip
    return table, report


def _drops(
    connection: duckdb.DuckDBPyConnection, source: SourceTable, stand_ins: dict[str, str]
) -> tuple[dict[RowDrop, int], dict[RowDrop, tuple[str, ...]]]:
    """Reason -> rows dropped, and the first few of them."""
    counts = dict(connection.execute("SELECT reason, count(*) FROM _judged WHERE reason IS NOT NULL GROUP BY reason").fetchall())
    dropped = {reason: counts.get(reason.name, 0) for reason in RowDrop} | {RowDrop.MALFORMED: len(source.malformed)}
    examples = {}
    if source.malformed:
        examples[RowDrop.MALFORMED] = tuple(_example(place, text) for place, text in source.malformed[:_EXAMPLES])
    for reason in RowDrop:
        if counts.get(reason.name):
            query = (
                f"SELECT place, start_text, end_text, {', '.join(stand_ins.values())} FROM _judged WHERE reason = ? ORDER BY place LIMIT ?"
            )
            rows = connection.execute(query, [reason.name, _EXAMPLES]).fetchall()
            examples[reason] = tuple(
                _example(place, f"{start!r} to {end!r}", *(value for value in own if value is not None)) for place, start, end, *own in rows
            )
    return dropped, examples


def _example(place: int, *values: str) -> str:
    """A row as one line, cut to a length; its place counts from 0."""
    text = ", ".join(map(shown, values))
    return f"row {place}: {text if len(text) <= _LONGEST_EXAMPLE else text[: _LONGEST_EXAMPLE - 1] + '…'}"


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    row = connection.execute(query).fetchone()
    assert row is not None
    return tuple(row)
