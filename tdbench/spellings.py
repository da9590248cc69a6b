"""Values of one column that read the same but are spelt differently: letter case, blanks, accents, Unicode forms.

To SQL they are different things, to any reader one. So a question that names one of them leaves out what is told of the
other, and nobody can tell from its text.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from graph_sampler.labels import normalise_label, shared_label_count
from tdbench.joins.natural import Join
from tdbench.table import TemporalTable, aside, quote

Spellings = tuple[str, ...]
"""Values that read the same, in order."""


def reading_of(text: str) -> str:
    """The form in which two values read the same; a value of which nothing would be left stands for itself."""
    return normalise_label(text) or text


def table_spellings(connection: Any, table: TemporalTable, column: str) -> tuple[Spellings, ...]:
    """The values of a column that read the same as another one, each set in order; those of rows dropped in reading are among them."""
    return _alike(connection, [(table, column)])


def join_spellings(connection: Any, join: Join, column: str) -> tuple[Spellings, ...]:
    """The same of a column of a joined table: the values of all tables that have it, taken together."""
    own = ((part.table, name) for part in join.parts for name, joined in part.columns.items() if joined == column)
    return _alike(connection, list(own))


def spelt_apart(found: Mapping[str, tuple[Spellings, ...]]) -> str:
    """How many values of each column read the same as another, with a pair of them; empty if none does."""
    told = []
    for column, sets in found.items():
        if sets:
            one, other = sets[0][:2]
            told.append(f"{sum(map(len, sets))} in {column}, as {_shown(one, other)} and {_shown(other, one)}")
    return "; ".join(told)


def _alike(connection: Any, columns: Iterable[tuple[TemporalTable, str]]) -> tuple[Spellings, ...]:
    parts = (
        f"SELECT {quote(column)} AS value FROM {quote(name)} WHERE {quote(column)} IS NOT NULL"
        for table, column in columns
        for name in (table.name, aside(table.name))
    )
    values = [value for (value,) in connection.execute(" UNION ".join(parts)).fetchall()]
    if not shared_label_count(values):
        return ()
    by_reading: defaultdict[str, list[str]] = defaultdict(list)
    for value in sorted(values):
        by_reading[reading_of(value)].append(value)
    return tuple(tuple(one) for one in by_reading.values() if len(one) > 1)


def _shown(text: str, other: str) -> str:
    """A value in quotes, in ASCII where it would look the same as the other."""
    looks_same = unicodedata.normalize("NFC", text) == unicodedata.normalize("NFC", other)
    return ascii(text) if looks_same else repr(text)
