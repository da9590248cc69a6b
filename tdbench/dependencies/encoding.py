"""A table's columns as small numbers, which is how dependencies are checked and found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from state.errors import ConfigError, did_you_mean
from tdbench.table import END, ROW, START, TemporalTable, quote

Codes = NDArray[np.int64]
"""Whole numbers, one a row."""


@dataclass(frozen=True)
class EncodedRows:
    """Rows in the order of their source; equal text has an equal number, a later time a greater one."""

    rows: Codes
    """`_row` of each."""
    starts: Codes
    """Place of each start among all times of the table, from 0."""
    ends: Codes
    """The same of the ends; the number of times, which is after all, for a row without end."""
    instants: Codes
    """All times of the table, ascending, as granules."""
    values: dict[str, Codes]
    """Column -> number of each row's text, from 0; -1 for none."""
    sizes: dict[str, int]
    """Column -> how many texts it has."""

    def __len__(self) -> int:
        return len(self.rows)

    def is_complete(self, column: str) -> bool:
        """Whether every row has a value there."""
        return bool((self.values[column] >= 0).all())

    def granule(self, place: int) -> int | None:
        """The granule at a place among the times; `None` after all of them."""
        return int(self.instants[place]) if place < len(self.instants) else None


def require_columns(table: TemporalTable, columns: Iterable[str]) -> None:
    """Refuses columns that a dependency cannot name.

    Raises:
        ConfigError: the table has no column of such a name, or it is one of time.
    """
    for column in columns:
        if column not in table.columns:
            raise ConfigError(
                f"no dependency can name {column!r}: it is not a column of the table, or one of time",
                where=f"tdbench.tables.{table.name}.dependencies",
                remedy=did_you_mean(column, table.columns),
            )


def encode(connection: duckdb.DuckDBPyConnection, table: TemporalTable, columns: Iterable[str]) -> EncodedRows:
    """The named columns, and the times, of all rows.

    Raises:
        ConfigError: the table has no column of such a name.
    """
    columns = tuple(columns)
    require_columns(table, columns)
    source = f"FROM {quote(table.name)} ORDER BY {quote(ROW)}"
    # This goes first: `execute` takes the place of a result that a caller has not read to its end, `sql` refuses beside one.
    times = connection.execute(f"SELECT {quote(ROW)}, {quote(START)}, {quote(END)} {source}").fetchnumpy()
    read = connection.sql(f"SELECT {', '.join(map(quote, columns))} {source}").to_arrow_table()
    starts, ends = times[START].astype(np.int64), np.ma.filled(times[END].astype(np.int64), 0)
    is_open = np.ma.getmaskarray(times[END])
    instants = np.unique(np.concatenate([starts, ends[~is_open]]))
    values, sizes = {}, {}
    for column in columns:
        text = read[column].combine_chunks().dictionary_encode()
        values[column] = text.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        sizes[column] = len(text.dictionary)
    return EncodedRows(
        rows=times[ROW].astype(np.int64),
        starts=np.searchsorted(instants, starts),
        ends=np.where(is_open, len(instants), np.searchsorted(instants, ends)),
        instants=instants,
        values=values,
        sizes=sizes,
    )
