"""The rows of a table under one dependency, as arrays: what has the same X lies together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from state.interval import format_granule
from state.tdbench_config import Dependency
from state.tdbench_question import AnswerRow
from tdbench.questions.draws import Granules, Keys, keys_of
from tdbench.table import END, ROW, START, TemporalTable, quote, shown_end

OPEN = np.iinfo(np.int64).max
"""Stands for a missing end: past every date."""


@dataclass(frozen=True)
class Rows:
    """Rows in order of X, start, end and Y; a row without X or Y says nothing and is left out."""

    table: TemporalTable
    dependency: Dependency
    place: Granules
    """`_row` of each."""
    start: Granules
    end: Granules
    """`OPEN` where there is none."""
    texts: list[str]
    """Y of each."""
    answer: Granules
    """A number for each text."""
    group: Granules
    """Number of the X of each row."""
    firsts: Granules
    """Where each X begins, and at the end the count of rows; shape (groups + 1,)."""
    determinants: list[tuple[str, ...]]
    """The values of each X."""
    group_keys: Keys
    """A key of each X under the seed, the table and the dependency."""

    @cached_property
    def is_ended(self) -> npt.NDArray[np.bool_]:
        """Whether the end is a date."""
        return np.asarray(self.end != OPEN, dtype=np.bool_)

    @cached_property
    def answers_of_group(self) -> Granules:
        """Different texts under each X."""
        pairs = np.unique(np.stack([self.group, self.answer]), axis=1)
        return np.bincount(pairs[0], minlength=len(self.determinants)).astype(np.int64)

    @cached_property
    def _made(self) -> dict[tuple[str, int, int], AnswerRow]:
        return {}

    def shown(self, places: Iterable[int]) -> tuple[AnswerRow, ...]:
        """The rows at some places as a reader sees them, those that look the same once."""
        unit, column = self.table.granularity, self.dependency.dependent
        keys = dict.fromkeys((self.texts[place], int(self.start[place]), int(self.end[place])) for place in places)
        for text, start, end in keys:
            if (text, start, end) not in self._made:
                until = shown_end(self.table, None if end == OPEN else end)
                self._made[text, start, end] = AnswerRow(values={column: text}, start=format_granule(start, unit), end=until)
        return tuple(self._made[key] for key in keys)


class Lenders(NamedTuple):
    """The rows whose bounds lend dates to questions, as columns; each of shape (lenders,)."""

    start: Granules
    end: Granules
    """`OPEN` where there is none."""
    is_ended: npt.NDArray[np.bool_]
    group: Granules
    keys: Keys
    """A key of each under the seed."""


MOST_LENDERS = 50_000
"""Rows that lend dates; of a larger table they are drawn."""
MOST_PAIRS = 200_000_000
"""Pairs of a query and a row that answers are looked for in: fewer rows lend dates where many rows have one X."""
QUERIES_OF_ROW = 26
"""Queries that one row lends dates to: two of each relation."""


def lenders_of(rows: Rows, seed: int) -> Lenders:
    """All rows that look different, or in a large table as many of them as are affordable, in an order drawn by the seed."""
    values = [rows.determinants[group] for group in rows.group.tolist()]
    about = (seed, rows.table.name, rows.dependency.determinants, rows.dependency.dependent)
    columns = zip(values, rows.texts, rows.start.tolist(), rows.end.tolist(), strict=True)
    keys, chosen = np.unique(keys_of((*about, *column) for column in columns), return_index=True)
    sizes = np.diff(rows.firsts)[rows.group[chosen]]
    affordable = max(1, int(np.searchsorted(np.cumsum(sizes * QUERIES_OF_ROW), MOST_PAIRS, side="right")))
    chosen, keys = chosen[: min(affordable, MOST_LENDERS)], keys[: min(affordable, MOST_LENDERS)]
    return Lenders(rows.start[chosen], rows.end[chosen], rows.is_ended[chosen], rows.group[chosen], keys)


def read_rows(connection: Any, table: TemporalTable, dependency: Dependency, seed: int) -> Rows:
    """The rows of a table in a DuckDB connection, for questions under a dependency."""
    names = [*dependency.determinants, dependency.dependent]
    columns = ", ".join(map(quote, names))
    given = " AND ".join(f"{quote(name)} IS NOT NULL" for name in names)
    order = ", ".join([*map(quote, dependency.determinants), START, f"{END} NULLS LAST", quote(dependency.dependent), ROW])
    sql = f"SELECT {ROW}, {START}, {END}, {columns} FROM {quote(table.name)} WHERE {given} ORDER BY {order}"
    found = connection.execute(sql).fetchall()
    codes: dict[str, int] = {}
    texts = [row[-1] for row in found]
    determinants, firsts = [], []
    for values, members in groupby(range(len(found)), key=lambda index: found[index][3:-1]):
        determinants.append(values)
        firsts.append(next(members))
    sizes = np.diff([*firsts, len(found)])
    about = (seed, table.name, dependency.determinants, dependency.dependent)
    return Rows(
        table=table,
        dependency=dependency,
        place=np.array([row[0] for row in found], dtype=np.int64),
        start=np.array([row[1] for row in found], dtype=np.int64),
        end=np.array([OPEN if row[2] is None else row[2] for row in found], dtype=np.int64),
        texts=texts,
        answer=np.array([codes.setdefault(text, len(codes)) for text in texts], dtype=np.int64),
        group=np.repeat(np.arange(len(determinants)), sizes).astype(np.int64),
        firsts=np.array([*firsts, len(found)], dtype=np.int64),
        determinants=determinants,
        group_keys=keys_of((*about, values) for values in determinants),
    )
