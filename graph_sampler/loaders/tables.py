"""Opened tables of any kind: TSV, CSV, JSON Lines or Parquet, and where their columns stand. Paper: section 4.2.1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from graph_sampler.loaders.records import CsvReader, JsonLinesReader
from graph_sampler.loaders.text_lines import PACKED, TsvReader, read_head
from graph_sampler.raw_facts import Texts
from state.errors import GraphFormatError, did_you_mean

KINDS = {
    ".tsv": "tsv", ".txt": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
"""File ending -> kind of table."""
_LINE = 1 << 12
"""How much of a table is looked at for the sign that parts its columns."""


class Reader(Protocol):
    """An opened table."""

    malformed: int
    names: list[str] | None
    """Names of the columns; `None` where the table has none."""
    width: int

    def batches(self, positions: Sequence[int]) -> Iterator[list[Texts]]:
        """Batches of the columns at the positions."""


def open_table(path: Path, kind: str | None, *, header: bool) -> Reader:
    """The table's reader, by its kind or by the file's name.

    Raises:
        GraphFormatError: the file is missing or refused, or its name does not tell its kind.
    """
    if path.is_dir():
        raise GraphFormatError("a folder where a table file is due", where=str(path), remedy="Name its files.")
    suffixes = [suffix for suffix in path.suffixes if suffix.lower() not in PACKED]
    kind = kind or kind_by_content(path) or KINDS.get(suffixes[-1].lower() if suffixes else "")
    if kind == "tsv":
        return TsvReader(path, header=header)
    if kind == "csv":
        return CsvReader(path, header=header)
    if kind == "jsonl":
        return JsonLinesReader(path)
    if kind == "parquet":
        from graph_sampler.loaders.parquet import ParquetReader  # only those who need it pay for its import

        return ParquetReader(path)
    raise GraphFormatError("the file's name does not tell its kind", where=str(path), remedy="Set graph.table=tsv, csv, parquet or jsonl.")


def kind_by_content(path: Path) -> str | None:
    """`parquet` where the first bytes say so, whatever the name."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            return "parquet" if stream.read(4) == b"PAR1" else None
    except OSError:
        return None


def column_positions(reader: Reader, path: Path, columns: dict[str, str | int], key: str) -> list[int]:
    """The positions of the declared columns; `key` is where the config declares them.

    Raises:
        GraphFormatError: the table has no such column.
    """
    positions = []
    for field, column in columns.items():
        where = f"{path}, line 1"
        if isinstance(column, str):
            if reader.names is None:
                remedy = f"Set header: true, or give {key}.{field} a position."
                raise GraphFormatError(f"no column {column!r}: the columns have no names", where=where, remedy=remedy)
            if column not in reader.names:
                raise GraphFormatError(f"no column {column!r} ({key}.{field})", where=where, remedy=did_you_mean(column, reader.names))
            column = reader.names.index(column)
        if not 0 <= column < reader.width:
            some = f"{reader.width} column{'s' * (reader.width != 1)}"
            what = f"{some}, and {key}.{field} is at position {column} (counted from 0)"
            remedy = _other_separator(path) if reader.width < 2 else f"Give {key}.{field} the column that it stands in"
            if reader.width > 1:
                remedy += ": where rows have one time, start and end are the same column." if field in ("start", "end") else "."
            raise GraphFormatError(what, where=where, remedy=remedy)
        positions.append(column)
    return positions


def _other_separator(path: Path) -> str:
    """What to do about a table that seems to have one column."""
    line = read_head(path, _LINE).partition(b"\n")[0].removesuffix(b"\r")
    if not line.strip():
        return "Line 1 is blank: delete it."
    named = next((f"{sign.decode()!r} instead, so save the file" for sign in (b";", b"|") if sign in line), "neither, so save the file")
    kinds = "Columns of graph.table=csv are parted by commas, those of graph.table=tsv by tabs (jsonl and parquet are the other kinds)"
    other = b"," in line or b"\t" in line
    return f"{kinds}; set the one that fits." if other else f"{kinds}; line 1 has {named} with commas or tabs."
