"""From a table and its dependencies to questions with gold answers. Paper: TDBench, sections 3.1 to 3.3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from state.errors import ConfigError, did_you_mean
from state.interval import Granularity, civil_from_days, format_granule, parse_iso, to_granule
from state.tdbench_config import Dependency, TdbenchConfig
from state.tdbench_question import (
    AllenRelation,
    Bound,
    Cardinality,
    Checked,
    Comparator,
    DateComparison,
    Kind,
    Question,
    Reference,
)  # fmt: skip
from tdbench.questions.candidates import Pool, Proposal, pooled
from tdbench.questions.draws import Granules
from tdbench.questions.evaluate import Hits, evaluate, evaluate_in_sql
from tdbench.questions.published import published_proposals
from tdbench.questions.query import question_id, question_sql
from tdbench.questions.references import horizon_of, strict_proposals
from tdbench.questions.relations import RELATIONS
from tdbench.questions.rows import OPEN, Rows, lenders_of, read_rows
from tdbench.questions.selection import BASIC, NOW, answer_counts, balanced, may_be_asked
from tdbench.table import TemporalTable

_CARDINALITIES = (Cardinality.NONE, Cardinality.UNIQUE, Cardinality.MULTIPLE)


class _Asked(NamedTuple):
    """The queries of one dependency that may be asked, with their answers counted."""

    rows: Rows
    pool: Pool
    counts: Granules


def build_questions(connection: Any, table: TemporalTable, dependencies: Sequence[Dependency], config: TdbenchConfig) -> Iterator[Question]:
    """The questions of one table: basic lookups, `now`, then the relations in order, by id.

    The same rows, whatever their order, dependencies and settings give the same bytes. The answers of each question are
    found twice, in arrays and by DuckDB, and have to be the same.

    Args:
        connection: to a DuckDB database that holds the table.
        table: the table; its missing ends mean what it says of them.
        dependencies: what is asked for given what; they are taken as they are, whether the rows keep them or not.
        config: which relations in which sense, how many questions, the as-of day and the seed.

    Raises:
        ConfigError: a dependency names a column that the table has not, a relation is unknown, or the as-of day is no day.
    """
    asked = wanted_relations(config.relations)
    as_of = as_of_granule(config.as_of, table.granularity)
    _check_columns(table, dependencies)
    parts = [_askable(read_rows(connection, table, one, config.seed), asked, as_of, config) for one in dict.fromkeys(dependencies)]
    if not parts:
        return
    owner = np.repeat(np.arange(len(parts)), [len(part.pool) for part in parts])
    relation = np.concatenate([part.pool.relation for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    kept = balanced(relation, counts, np.concatenate([part.pool.rank for part in parts]), config)
    offsets = np.cumsum([0, *(len(part.pool) for part in parts)])
    made: list[Question] = []
    for number, part in enumerate(parts):
        pool = part.pool.take(kept[owner[kept] == number] - offsets[number])
        made += _questions(part.rows, pool, verified_hits(connection, part.rows, pool), config)
    order = {Kind.BASIC: 0, Kind.NOW: 1, Kind.RELATION: 2}
    place = {relation.name: index for index, relation in enumerate(RELATIONS)}
    made.sort(key=lambda one: (order[one.kind], -1 if one.relation is None else place[one.relation], one.id))
    yield from made


def wanted_relations(names: Sequence[str]) -> frozenset[int]:
    """Places in the table of relations of those that are named; all of them if none is.

    Raises:
        ConfigError: there is no such relation.
    """
    known = {str(relation.name): place for place, relation in enumerate(RELATIONS)}
    for name in names:
        if name not in known:
            raise ConfigError(f"no relation {name!r}", where="tdbench.relations", remedy=did_you_mean(name, known))
    return frozenset(known[name] for name in names) if names else frozenset(known.values())


def as_of_granule(day: str | None, unit: Granularity) -> int | None:
    """The granule that holds the as-of day; `None` without one.

    Raises:
        ConfigError: it is no day of the calendar.
    """
    if day is None:
        return None
    try:
        days, given = parse_iso(day)
    except ValueError as error:
        raise ConfigError(str(error), where="tdbench.as_of", remedy="Give a day as YYYY-MM-DD.") from error
    if given is not Granularity.DAY:
        raise ConfigError(f"{day!r} is no day", where="tdbench.as_of", remedy="Give a day as YYYY-MM-DD.")
    return to_granule(unit, *civil_from_days(days))


def _check_columns(table: TemporalTable, dependencies: Sequence[Dependency]) -> None:
    for dependency in dependencies:
        for name in (*dependency.determinants, dependency.dependent):
            if name not in table.columns:
                where = f"tdbench.tables.{table.name}.dependencies"
                raise ConfigError(f"the table has no column {name!r}", where=where, remedy=did_you_mean(name, table.columns))


def _askable(rows: Rows, asked: frozenset[int], as_of: int | None, config: TdbenchConfig) -> _Asked:
    """All queries under a dependency that are worth asking."""
    pool = pooled(rows, _proposals(rows, asked, as_of, config))
    counts = answer_counts(rows, pool, evaluate(rows, pool))
    places = may_be_asked(rows, pool, counts, config.most_answers)
    return _Asked(rows, pool.take(places), counts[places])


def _proposals(rows: Rows, asked: frozenset[int], as_of: int | None, config: TdbenchConfig) -> list[Proposal]:
    groups = np.arange(len(rows.determinants), dtype=np.int64)
    proposals = [Proposal(BASIC, (), groups, (), np.full(len(groups), OPEN))]
    if as_of is not None:
        today = np.full(len(groups), as_of, dtype=np.int64)
        proposals.append(Proposal(NOW, (("start", "<="), ("end", ">")), groups, (today, today), today))
    lenders, horizon = lenders_of(rows, config.seed), horizon_of(rows, as_of)
    if config.semantics == "strict":
        return proposals + strict_proposals(rows.table, lenders, asked, horizon)
    return proposals + published_proposals(rows.table, lenders, asked, as_of, horizon)


def verified_hits(connection: Any, rows: Rows, pool: Pool) -> Hits:
    """The rows that answer each query, found in arrays and by DuckDB.

    Raises:
        AssertionError: the two differ, which is a fault of this program.
    """
    hits, again = evaluate(rows, pool), evaluate_in_sql(connection, rows, pool)
    if not (np.array_equal(hits.query, again.query) and np.array_equal(hits.row, again.row)):
        raise AssertionError(f"{rows.table.name}: a query's answers in arrays and in the database differ")
    return hits


def _questions(rows: Rows, pool: Pool, hits: Hits, config: TdbenchConfig) -> Iterator[Question]:
    table, dependency = rows.table, rows.dependency
    compared, referred = cache(partial(_comparison, table.granularity)), cache(partial(_reference, table.granularity))
    sql = [question_sql(table, dependency, form) for form in pool.forms]
    bounds = np.searchsorted(hits.query, np.arange(len(pool) + 1)).tolist()
    answering, firsts = hits.row.tolist(), rows.firsts.tolist()
    columns = (pool.form, pool.relation, pool.group, pool.dates, pool.named)
    for index, (form, relation, group, dates, named) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        gold = answering[bounds[index] : bounds[index + 1]]
        is_gold = set(gold)
        others = [row for row in range(firsts[group], firsts[group + 1]) if row not in is_gold]
        x = rows.determinants[group]
        used = dates[: len(pool.forms[form])]
        answers = {rows.texts[row] for row in gold}
        parameters = (*x, *used)
        kind, name, checked = _asks(relation)
        yield Question(
            id=question_id(table.name, sql[form], parameters),
            table=table.name,
            domain=table.domain,
            granularity=table.granularity,
            dependency=dependency,
            kind=kind,
            relation=name,
            semantics=config.semantics,
            determinants=dict(zip(dependency.determinants, x, strict=True)),
            reference=referred(*named),
            comparisons=tuple(compared(*test, date) for test, date in zip(pool.forms[form], used, strict=True)),
            sql=sql[form],
            parameters=parameters,
            gold=rows.shown(gold),
            distractors=rows.shown(others),
            cardinality=_CARDINALITIES[min(len(answers), 2)],
            time_checked=checked,
        )


def _comparison(unit: Granularity, bound: Bound, operator: Comparator, granule: int) -> DateComparison:
    return DateComparison(bound=bound, operator=operator, date=format_granule(granule, unit))


def _reference(unit: Granularity, first: int, second: int, months_back: int, years_back: int) -> Reference | None:
    if first == OPEN:
        return None
    end = None if second == OPEN else format_granule(second, unit)
    return Reference(start=format_granule(first, unit), end=end, months_back=months_back, years_back=years_back)


def _asks(relation: int) -> tuple[Kind, AllenRelation | None, Checked]:
    if relation == NOW:
        return Kind.NOW, None, Checked.START
    if relation == BASIC:
        return Kind.BASIC, None, Checked.BOTH
    return Kind.RELATION, RELATIONS[relation].name, RELATIONS[relation].checked
