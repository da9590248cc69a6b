"""A Parquet file: texts, numbers, dates and timestamps, all read as text."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from state.errors import TableError
from tdbench.tables.source import SourceTable, check_names, number_text, text_table


def read_parquet(path: Path, *, threads: int = 1) -> SourceTable:
    """The file's table.

    Raises:
        TableError: the file cannot be read, a column is no plain one, or a name is refused.
    """
    where = str(path)
    try:
        with pq.ParquetFile(path) as file:
            check_names(file.schema_arrow.names, where)
            table = file.read(use_threads=threads > 1)
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"cannot be read as Parquet: {str(error).partition(chr(10))[0]}", where=where) from error
    columns = [_as_text(column, f"{where}, column {name!r}") for name, column in zip(table.column_names, table.columns, strict=True)]
    return SourceTable("parquet", where, text_table(table.column_names, columns), range(table.num_rows))


def _as_text(column: pa.ChunkedArray, where: str) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _as_text(column.cast(kind.value_type), where)
    if pa.types.is_floating(kind):
        values = (None if value is None else number_text(value) for value in column.to_pylist())
        return pa.chunked_array([pa.array(values, pa.string())])
    if pa.types.is_timestamp(kind):  # as far as the day: nanoseconds do not reach the years that days do
        column = column.cast(pa.timestamp("s", kind.tz), safe=False)
    try:
        text = column.cast(pa.string())
        text.validate(full=True)  # a file may call bytes text that are none
    except pa.ArrowException:
        remedy = "Leave the column out, or write it as text."
        raise TableError(f"values of type {kind} cannot be read as text", where=where, remedy=remedy) from None
    return text
