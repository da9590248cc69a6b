"""The rows that a question's verifier is shown: all of the thing asked about, and some of others. Paper: TDBench, section 3.3.

Rows of other things are there so that a question which names the wrong one, or none, is found out.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from state.interval import format_granule
from state.table_instance import ShownRow, ShownTable
from state.tdbench_config import Dependency
from state.tdbench_question import AnswerRow, Question
from tdbench.joins.natural import Join, Part
from tdbench.questions.draws import Keys, keys_of, mixed
from tdbench.table import END, ROW, START, TemporalTable, quote, shown_end
from tdbench.tables.store import TemporalDatabase

_POOL = 512
"""Rows, drawn by the seed, among which those of unrelated things are looked for."""
_KIN = 64
"""Rows, drawn by the seed, kept of each value that names a thing."""


class _Row(NamedTuple):
    key: int
    given: tuple[str, ...]
    asked: str
    start: int
    end: int | None


class RowPicker:
    """Picks what to show of one table for the questions under one dependency.

    Made once for a dependency: one pass over the table; memory grows with the distinct values on its left side.
    """

    def __init__(self, connection: Any, table: TemporalTable, dependency: Dependency, *, seed: int, foils: int) -> None:
        """Reads the table.

        Args:
            connection: to the DuckDB database that holds it.
            table: the table.
            dependency: what names a thing, and what is asked of it.
            seed: of every choice.
            foils: rows of other things to show with a question.
        """
        self._table, self._dependency, self._seed, self._foils = table, dependency, seed, foils
        self._pool: list[_Row] = []
        self._kin: dict[tuple[int, str], list[_Row]] = {}
        if foils:
            self._read(connection)

    def _read(self, connection: Any) -> None:
        names = [*self._dependency.determinants, self._dependency.dependent]
        given = " AND ".join(f"{quote(name)} IS NOT NULL" for name in names)
        columns = ", ".join(map(quote, names))
        found = connection.execute(f"SELECT DISTINCT {columns}, {START}, {END} FROM {quote(self._table.name)} WHERE {given}").fetchall()
        keys = keys_of((self._seed, "foil", *row) for row in found).tolist()
        rows = [_Row(key, row[:-3], row[-3], row[-2], row[-1]) for key, row in zip(keys, found, strict=True)]
        self._pool = heapq.nsmallest(_POOL, rows)
        kin: defaultdict[tuple[int, str], list[_Row]] = defaultdict(list)
        if len(self._dependency.determinants) > 1:
            for row in sorted(rows):
                for place, value in enumerate(row.given):
                    if len(kin[place, value]) < _KIN:
                        kin[place, value].append(row)
        self._kin = dict(kin)

    def shown(self, question: Question) -> ShownTable:
        """The part of the table to be shown with a question, in an order that gives nothing away."""
        given = tuple(question.determinants[name] for name in self._dependency.determinants)
        own = [self._shown(given, row) for row in (*question.gold, *question.distractors)]
        foils = [
            ShownRow(
                values=(*row.given, row.asked),
                start=format_granule(row.start, self._table.granularity),
                end=shown_end(self._table, row.end),
            )
            for row in self._others(question.id, given)
        ]
        glossary = self._table.glossary
        return ShownTable(
            name=self._table.name,
            columns=tuple(glossary[name] for name in (*self._dependency.determinants, self._dependency.dependent)),
            ends=self._table.ends,
            open_end=self._table.open_end,
            rows=shuffled([*own, *foils], self._seed, question.id),
        )

    def _shown(self, given: tuple[str, ...], row: AnswerRow) -> ShownRow:
        return ShownRow(values=(*given, row.values[self._dependency.dependent]), start=row.start, end=row.end)

    def _others(self, question_id: str, given: tuple[str, ...]) -> list[_Row]:
        """Rows of other things: half of them share a part of what names this one, if there are any such."""
        kin = {row for place, value in enumerate(given) for row in self._kin.get((place, value), ()) if row.given != given}
        near = self._drawn(kin, question_id, (self._foils + 1) // 2)
        far = self._drawn({row for row in self._pool if row.given != given and row not in kin}, question_id, self._foils - len(near))
        return near + far

    def _drawn(self, rows: Iterable[_Row], question_id: str, count: int) -> list[_Row]:
        ordered = sorted(rows)
        ranks = ranks_for((row.key for row in ordered), self._seed, question_id)
        return [ordered[place] for place in np.argsort(ranks, kind="stable")[:count].tolist()]


class JoinPicker:
    """Picks what to show of each table of a join, so that its reader has to find the rows that belong together."""

    def __init__(self, connection: Any, join: Join, *, seed: int, foils: int) -> None:
        """Takes what the pictures are made of; `foils` rows of other things are shown of each table."""
        self._connection, self._join, self._seed, self._foils = connection, join, seed, foils
        self._pools: dict[tuple[int, tuple[str, ...]], list[_Line]] = {}

    def shown(self, question: Question) -> tuple[ShownTable, ...]:
        """The part of each table to be shown with a question, in the join's order."""
        return tuple(self._part(place, part, question) for place, part in enumerate(self._join.parts))

    def _part(self, place: int, part: Part, question: Question) -> ShownTable:
        named = {*question.determinants, *self._join.shared, question.dependency.dependent}
        columns = tuple(own for own, joined in part.columns.items() if joined in named)
        own = self._own_rows(place, part, columns, question)
        pool = self._pool(place, part, columns)
        ranks = ranks_for((line.key for line in pool), self._seed, question.id)
        others = [pool[at] for at in np.argsort(ranks, kind="stable").tolist() if pool[at].row not in own]
        glossary = self._join.table.glossary
        return ShownTable(
            name=part.table.name,
            columns=tuple(glossary[part.columns[column]] for column in columns),
            ends=part.table.ends,
            open_end=part.table.open_end,
            rows=shuffled([*own, *(line.row for line in others[: self._foils])], self._seed, question.id),
        )

    def _own_rows(self, place: int, part: Part, columns: Sequence[str], question: Question) -> set[ShownRow]:
        """The rows that the question leads to; of the last table also those that share all but their time with one."""
        joined = self._join.table
        given = " AND ".join(f"j.{quote(column)} = ?" for column in question.determinants)
        if place < len(self._join.parts) - 1:
            same = f"p.{ROW} = j.{part.row_column}"
        else:
            known = {*question.determinants, *self._join.shared}
            same = " AND ".join(f"p.{quote(own)} = j.{quote(name)}" for own, name in part.columns.items() if name in known)
        listed = ", ".join(f"p.{quote(column)}" for column in columns)
        sql = (
            f"SELECT DISTINCT {listed}, p.{START}, p.{END} FROM {quote(joined.name)} AS j, {quote(part.table.name)} AS p"
            f" WHERE {given} AND {same}"
        )
        return {_line(part.table, row) for row in self._connection.execute(sql, list(question.determinants.values())).fetchall()}

    def _pool(self, place: int, part: Part, columns: tuple[str, ...]) -> list[_Line]:
        """Rows of a table drawn by the seed, to be shown beside those that matter."""
        if (place, columns) not in self._pools:
            listed = ", ".join(map(quote, columns))
            given = " AND ".join(f"{quote(column)} IS NOT NULL" for column in columns)
            sql = f"SELECT DISTINCT {listed}, {START}, {END} FROM {quote(part.table.name)} WHERE {given}"
            found = self._connection.execute(sql).fetchall() if self._foils else []
            keys = keys_of((self._seed, "foil", *row) for row in found).tolist()
            drawn = heapq.nsmallest(_POOL, zip(keys, found, strict=True))
            self._pools[place, columns] = [_Line(key, _line(part.table, row)) for key, row in drawn]
        return self._pools[place, columns]


class Shower:
    """Picks what to show with any question of some tables and joins."""

    def __init__(self, database: TemporalDatabase, joins: Mapping[str, Join], *, seed: int, foils: int) -> None:
        """Takes the tables and joins, the seed of every choice, and how many rows of other things to show of each table."""
        self._database, self._joins, self._seed, self._foils = database, joins, seed, foils
        self._tables: dict[tuple[str, Dependency], RowPicker] = {}
        self._of_joins: dict[str, JoinPicker] = {}

    def shown(self, question: Question) -> tuple[ShownTable, ...]:
        """The part of each table to be shown with a question."""
        connection, name = self._database.connection, question.table
        if name in self._joins:
            if name not in self._of_joins:
                self._of_joins[name] = JoinPicker(connection, self._joins[name], seed=self._seed, foils=self._foils)
            return self._of_joins[name].shown(question)
        key = name, question.dependency
        if key not in self._tables:
            table = self._database.tables[name]
            self._tables[key] = RowPicker(connection, table, question.dependency, seed=self._seed, foils=self._foils)
        return (self._tables[key].shown(question),)


class _Line(NamedTuple):
    key: int
    row: ShownRow


def _line(table: TemporalTable, row: tuple[Any, ...]) -> ShownRow:
    *values, start, end = row
    return ShownRow(
        values=tuple(value or "" for value in values), start=format_granule(start, table.granularity), end=shown_end(table, end)
    )


def ranks_for(keys: Iterable[int], seed: int, question_id: str) -> Keys:
    """The order in which a question takes rows of some keys: one hash for the question, mixed with each key."""
    own = keys_of([(seed, "rank", question_id)]).view(np.int64)
    return mixed(np.fromiter(keys, dtype=np.uint64), own)


def shuffled(rows: Iterable[ShownRow], seed: int, question_id: str) -> tuple[ShownRow, ...]:
    """Rows that look different, each once, in an order that depends on the seed, the question and the rows alone."""
    ordered = sorted(set(rows), key=_content)
    ranks = keys_of((seed, "order", question_id, *_content(row)) for row in ordered)
    return tuple(ordered[place] for place in np.argsort(ranks, kind="stable").tolist())


def _content(row: ShownRow) -> tuple[Any, ...]:
    return row.values, row.start, row.end or ""
