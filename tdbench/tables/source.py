"""A source's table as text, before anything is made of it, and the names that its catalogue gives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from state.errors import TableError
from tdbench.table import END, ROW, START
from tdbench.tables.dates import NO_VALUE

SourceKind = Literal["csv", "parquet", "sqlite", "postgres"]


@dataclass(frozen=True)
class SourceTable:
    """A table as its source has it."""

    kind: SourceKind
    where: str
    """For reports and errors: the file, or the variable of the address, and the table in it."""
    cells: pa.Table
    """Text columns, trimmed, NULL where the source has nothing."""
    rows: Sequence[int]
    """Place of each row in the source, from 0, rising."""
    malformed: tuple[tuple[int, str], ...] = ()
    """Place and text of the rows that have not as many values as there are columns."""
    notes: tuple[str, ...] = ()
    """What was guessed in reading."""


def check_names(names: Sequence[str], where: str) -> None:
    """Refuses names that SQL cannot tell apart, and ours.

    Raises:
        TableError: a name occurs twice, whatever its case, is one of ours, is empty, or holds a NUL.
    """
    seen: dict[str, str] = {}
    for place, name in enumerate(names, start=1):
        if not name or "\0" in name:
            what = f"column {place} has no name" if not name else f"column {place} has a NUL in its name"
            raise TableError(what, where=where, remedy="Name it; a file that is text must be UTF-8.")
        if name.lower() in (ROW, START, END):
            raise TableError(f"a column is called {name!r}, which is a name of ours", where=where, remedy="Rename it, or leave it out.")
        if name.lower() in seen:
            what = f"columns {seen[name.lower()]!r} and {name!r} cannot be told apart"
            raise TableError(what, where=where, remedy="Rename one; SQL takes no notice of case.")
        seen[name.lower()] = name


def tidy(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column trimmed, with NULL for the texts that mean nothing."""
    trimmed = pc.utf8_trim_whitespace(column.cast(pa.string()))
    return pc.if_else(pc.is_in(trimmed, pa.array(NO_VALUE)), None, trimmed)


def text_table(names: Sequence[str], columns: Iterable[pa.ChunkedArray]) -> pa.Table:
    """Named text columns, tidy."""
    return pa.table([tidy(column) for column in columns], names=list(names))


def in_order_of_content(cells: pa.Table) -> pa.Table:
    """Rows sorted: those of a database have no order, and the same rows are to give the same table."""
    return cells.sort_by([(name, "ascending") for name in cells.column_names])


def number_text(value: float) -> str | None:
    """A float as text, whole numbers without a point; `None` for no number."""
    if math.isnan(value):
        return None
    return str(int(value)) if value.is_integer() else repr(value)


def only_table(wanted: str | None, known: Sequence[str], where: str) -> str:
    """The one of the catalogue's tables that the config means, by its whole name or by what follows the schema.

    Raises:
        TableError: none or several are meant.
    """
    listed = ", ".join(shown(name) for name in sorted(known))
    if wanted is None:
        if len(known) == 1:
            return known[0]
        what = f"{len(known)} tables, and the config does not say which" if known else "no table in this database"
        raise TableError(what, where=where, remedy=f"Set table to one of {listed}." if known else "")
    meant = [name for name in known if name == wanted] or [name for name in known if name.partition(".")[2] == wanted]
    if len(meant) != 1:
        what = f"{len(meant)} tables are called {wanted!r}" if meant else f"no table {wanted!r}"
        raise TableError(what, where=where, remedy=f"Known: {listed}.")
    return meant[0]


def shown(text: str) -> str:
    """A source's text as part of one line."""
    return text if text.isprintable() else repr(text)


def called(column: str) -> str:
    r"""What a question calls a column that the config has no word for.

    >>> called("head_of\n state")
    'head of state'
    """
    visible = "".join(sign if sign.isprintable() else " " for sign in column.replace("_", " "))
    return " ".join(visible.split()) or column


def as_text(value: Any, where: str) -> str | None:
    """A database's value as text.

    Raises:
        TableError: it is a run of bytes that is no text.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise TableError(
                "a value is a run of bytes that is no text", where=where, remedy="Leave its column out, with a view."
            ) from None
    return str(value)
