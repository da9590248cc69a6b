"""Which rows answer each of many queries: once in arrays, and once more by DuckDB, which has to agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tdbench.questions.candidates import MOST_DATES, Pool
from tdbench.questions.draws import Granules
from tdbench.questions.query import condition_sql
from tdbench.questions.relations import COMPARATORS
from tdbench.questions.rows import Rows
from tdbench.table import ROW, quote

PAIRS_AT_ONCE = 2_000_000
"""Pairs of a query and a row that are looked at together: some 100 MB."""


class Hits(NamedTuple):
    """Pairs of a query and a row that answers it, by query, then by row."""

    query: Granules
    row: Granules


def evaluate(rows: Rows, pool: Pool) -> Hits:
    """The rows that answer each query; in memory for two million pairs at a time."""
    found = [Hits(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))]
    found += [_evaluate(rows, pool, *span) for span in _spans(rows, pool)]
    return Hits(np.concatenate([hits.query for hits in found]), np.concatenate([hits.row for hits in found]))


def _spans(rows: Rows, pool: Pool) -> Iterator[tuple[int, int]]:
    sizes = np.diff(rows.firsts)[pool.group]
    upto = np.cumsum(sizes)
    begin = 0
    while begin < len(pool):
        before = upto[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(upto, before + PAIRS_AT_ONCE, side="right")))
        yield begin, end
        begin = end


def _evaluate(rows: Rows, pool: Pool, begin: int, end: int) -> Hits:
    group = pool.group[begin:end]
    sizes = np.diff(rows.firsts)[group]
    query = np.repeat(np.arange(begin, end), sizes)
    row = np.arange(len(query)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(rows.firsts[group], sizes)
    is_hit = np.zeros(len(query), dtype=bool)
    form_of_pair = pool.form[query]
    for number in np.unique(pool.form[begin:end]).tolist():
        at = np.flatnonzero(form_of_pair == number)
        holds = np.ones(len(at), dtype=bool)
        for place, (bound, comparator) in enumerate(pool.forms[number]):
            own = (rows.start if bound == "start" else rows.end)[row[at]]
            holds &= COMPARATORS[comparator](own, pool.dates[query[at], place])
            if bound == "end" and rows.table.open_end == "unknown":
                holds &= rows.is_ended[row[at]]
        is_hit[at] = holds
    return Hits(query[is_hit], row[is_hit])


def evaluate_in_sql(connection: Any, rows: Rows, pool: Pool) -> Hits:
    """The same by one join in the database, whose conditions are the text of the queries that will be asked."""
    table, dependency = rows.table, rows.dependency
    if not len(pool):
        return evaluate(rows, pool)
    values = list(zip(*(rows.determinants[group] for group in pool.group.tolist()), strict=True))
    columns: dict[str, Any] = {f"x{i}": pa.array(column, pa.string()) for i, column in enumerate(values)}
    columns |= {f"d{i}": pool.dates[:, i] for i in range(MOST_DATES)}
    columns |= {"query": np.arange(len(pool)), "form": pool.form}
    cases = []
    for number in np.unique(pool.form).tolist():
        dates = [f"asked.d{i}" for i in range(len(pool.forms[number]))]
        cases.append(f"WHEN {number} THEN {condition_sql(pool.forms[number], dates, table.open_end, 'held.') or 'TRUE'}")
    equal = " AND ".join(f"held.{quote(name)} = asked.x{i}" for i, name in enumerate(dependency.determinants))
    connection.register("_asked", pa.table(columns))
    try:
        found = connection.execute(
            f"SELECT asked.query, held.{ROW} FROM _asked AS asked JOIN {quote(table.name)} AS held ON {equal} "
            f"WHERE held.{quote(dependency.dependent)} IS NOT NULL AND CASE asked.form {' '.join(cases)} END"
        ).fetchnumpy()
    finally:
        connection.unregister("_asked")
    place_of_row = np.argsort(rows.place)
    row = place_of_row[np.searchsorted(rows.place[place_of_row], found[ROW])]
    order = np.lexsort([row, found["query"]])
    return Hits(found["query"][order].astype(np.int64), row[order].astype(np.int64))
