"""Columns of a Parquet file as texts. Paper: section 4.2.1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graph_sampler.raw_facts import Texts
from state.errors import GraphFormatError

_BATCH = 1 << 16


class ParquetReader:
    """An opened Parquet file; whole numbers, dates and timestamps are read as their text."""

    def __init__(self, path: Path) -> None:
        """Read the schema.

        Raises:
            GraphFormatError: there is no such file, or it is no Parquet file.
        """
        self.path = path
        self.malformed = 0
        """Always 0: every row of a Parquet file has all columns."""
        try:
            self._file = pq.ParquetFile(path)
        except FileNotFoundError:
            raise GraphFormatError("no such file", where=str(path)) from None
        except (pa.ArrowException, OSError) as err:
            what = f"no Parquet file, or one that is cut short or damaged: {str(err).splitlines()[0]}"
            raise GraphFormatError(what, where=str(path)) from None
        self.names: list[str] | None = list(self._file.schema_arrow.names)
        self.width = len(self._file.schema_arrow)

    def batches(self, positions: Sequence[int]) -> Iterator[list[Texts]]:
        """Batches of the columns at the positions.

        Raises:
            GraphFormatError: a column holds neither texts nor numbers nor dates, or the file is damaged.
        """
        schema = self._file.schema_arrow
        names = [schema.names[position] for position in positions]
        try:
            for batch in self._file.iter_batches(batch_size=_BATCH, columns=sorted(set(names))):
                yield [self._texts(batch.column(name), name) for name in names]
        except (pa.ArrowException, OSError) as err:
            raise GraphFormatError(f"cannot be read: {str(err).splitlines()[0]}", where=str(self.path)) from None

    def _texts(self, column: Any, name: str) -> Texts:
        kind = column.type
        if pa.types.is_dictionary(kind):
            return self._texts(column.dictionary_decode(), name)
        if pa.types.is_floating(kind):
            # Missing years turn a column of whole numbers into floats in many writers.
            column = pc.if_else(pc.is_finite(column), column, None)
            if pc.all(pc.equal(pc.floor(column), column)).as_py() is not False:
                column = column.cast(pa.int64())
        is_known = (
            pa.types.is_string(kind), pa.types.is_large_string(kind), pa.types.is_string_view(kind), pa.types.is_null(kind),
            pa.types.is_integer(kind), pa.types.is_floating(kind), pa.types.is_date(kind), pa.types.is_timestamp(kind),
        )  # fmt: skip
        if not any(is_known):
            raise GraphFormatError(f"column {name!r} holds {kind}", where=str(self.path), remedy="Texts, numbers or dates are due.")
        return pc.fill_null(column.cast(pa.string()), "")
