"""What became of a source's rows: each is kept, or dropped for one reason, and what was guessed is said."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal

from pydantic import Field, model_validator

from state.interval import Granularity
from state.model_base import Contract


class RowDrop(StrEnum):
    """Why a source's row is not in the table; the first reason in this order counts."""

    MALFORMED = "not as many values as columns"
    NO_START = "no start"
    BAD_DATE = "unparsable date"
    COARSE = "coarser than the granularity"
    REVERSED = "start after end"
    NO_KEY = "no value in a key column"
    DUPLICATE = "exact duplicate"


class TableReport(Contract):
    """Counts of what was read, dropped and kept; `rows == kept + sum(dropped)`."""

    format: Literal[1] = 1
    """Version of this model."""
    name: str
    """The table's name."""
    source: Literal["csv", "parquet", "sqlite", "postgres"]
    """Kind of source."""
    where: str
    """The file, or the variable of the address, and the table in it."""
    rows: int = Field(ge=0)
    """Rows of the source."""
    kept: int = Field(ge=0)
    """Rows of the table."""
    dropped: dict[RowDrop, int]
    """Reason -> rows dropped for it; every reason has an entry."""
    examples: dict[RowDrop, tuple[str, ...]]
    """Reason -> the first few such rows, for those that occur."""
    zero_length: int = Field(ge=0)
    """Rows kept that had no length in the granularity and were made one granule long."""
    open_ends: int = Field(ge=0)
    """Rows kept whose end is missing."""
    start_column: str
    """What the source calls the start."""
    end_column: str
    """What the source calls the end."""
    ends: Literal["exclusive", "inclusive"]
    """Whether a row held still in the granule of its end, in the source; in the table it does not."""
    granularity: Granularity
    """Unit of time."""
    keys: tuple[str, ...]
    """Columns in which every row kept has a value."""
    guesses: tuple[str, ...]
    """What the config leaves open: what was taken, and why."""
    content: str
    """Hash of the rows kept, whatever their order: another one means other data."""

    @model_validator(mode="after")
    def _counts_every_row(self) -> TableReport:
        if self.rows != self.kept + sum(self.dropped.values()):
            raise ValueError("rows are neither kept nor dropped, or both")
        return self

    def lines(self) -> Iterator[str]:
        """The report in plain lines, what is zero left out."""
        yield f"{self.name}: {self.kept} of {self.rows} rows, in {self.granularity}s, from {self.where}"
        yield from (f"  {guess}" for guess in self.guesses)
        for reason, count in self.dropped.items():
            if count:
                yield f"  dropped, {reason}: {count}; {'; '.join(self.examples[reason])}"
        if self.zero_length:
            yield f"  made one {self.granularity} long: {self.zero_length}"
        if self.open_ends:
            yield f"  without an end: {self.open_ends}"
