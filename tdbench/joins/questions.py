"""Questions with hops: who held an office in the host country during a Games that is named. Paper: TDBench, section 3.

Given are columns that name one row of a join's first table, and what else a dependency of the joined table has on its
left; asked is for a column of the last table. The country and the time are left to be found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from state.errors import ConfigError, did_you_mean
from state.tdbench_config import Dependency, JoinConfig, TdbenchConfig
from state.tdbench_question import Cardinality, Checked, Kind, Question
from tdbench.dependencies.discover import discover
from tdbench.joins.answering import shown_rows
from tdbench.joins.inference import inferred_dependencies
from tdbench.joins.naming import naming_columns, rows_named_once
from tdbench.joins.natural import Join, Part, build_joins, joined_source
from tdbench.joins.overlap import possible, share_time, share_time_for_certain
from tdbench.questions.draws import keys_of
from tdbench.questions.query import question_id
from tdbench.table import END, ROW, START, TemporalTable, quote

_Held = tuple[str, int, "int | None"]
"""What a row of the last table says, its first granule, and the first past it."""


class _Found(NamedTuple):
    """A question's answer, before it is put into words."""

    values: tuple[str, ...]
    """What is given."""
    gold: tuple[_Held, ...]
    others: tuple[_Held, ...]

    @property
    def texts(self) -> set[str]:
        return {text for text, _, _ in self.gold}


@dataclass(frozen=True)
class _Form:
    """What the questions of one query have in common."""

    join: Join
    dependency: Dependency
    """Of the joined table."""
    naming: tuple[str, ...]
    """Columns of its left side that name a row of the first table; the others are of what follows."""
    sql: str

    @property
    def hops(self) -> int:
        """A fact for each table, and one more to find the first where several columns name it together."""
        return len(self.join.parts) + (len(self.naming) > 1)


def join_questions(connection: Any, tables: Mapping[str, TemporalTable], config: TdbenchConfig) -> Iterator[Question]:
    """The questions of all joins of a config, which are made anew in the database: join by join, by hops, then by id.

    The same rows, whatever their order, and settings give the same bytes. The answers of each question are found twice, by one
    query over all and by its own, and have to be the same.

    Raises:
        ConfigError: a join cannot be made, or there is nothing to ask about it.
    """
    for name, join in build_joins(connection, tables, config).items():
        yield from _of_join(connection, join, config.joins[name], config)


def _of_join(connection: Any, join: Join, settings: JoinConfig, config: TdbenchConfig) -> Iterator[Question]:
    asked: dict[int, list[tuple[_Form, _Found]]] = {}
    for form in _forms(connection, join, settings, config):
        found = _worth_asking(_found(connection, form), config.most_answers)
        asked.setdefault(form.hops, []).extend((form, one) for one in found)
    for hops in sorted(asked):
        keys = keys_of((config.seed, form.sql, one.values) for form, one in asked[hops])
        drawn = [asked[hops][place] for place in np.argsort(keys, kind="stable")[: config.most_lookups]]
        yield from sorted((_question(connection, form, one, config) for form, one in drawn), key=lambda question: question.id)


def _forms(connection: Any, join: Join, settings: JoinConfig, config: TdbenchConfig) -> list[_Form]:
    """The queries to ask: each set of columns that names a row, with each dependency that leads from it to the last table."""
    where = f"tdbench.joins.{join.table.name}"
    first, last = join.parts[0], join.parts[-1]
    naming = settings.given or naming_columns(connection, first.table, join.shared)
    if not naming:
        raise ConfigError(f"no one or two columns name a row of {first.table.name}", where=where, remedy="Say under given which do.")
    for column in (column for columns in naming for column in columns):
        if column not in first.table.columns or column in join.shared:
            what = "is shared, and would give the answer's way away" if column in join.shared else f"is no column of {first.table.name}"
            known = [name for name in first.table.columns if name not in join.shared]
            raise ConfigError(f"{column!r} {what}", where=f"{where}.given", remedy=did_you_mean(column, known))
    later = [_dependencies(connection, part.table, config) for part in join.parts[1:]]
    steps = [column for column in join.shared if column in first.table.columns]
    forms = []
    for columns in dict.fromkeys(naming):
        named = [Dependency(determinants=columns, dependent=column) for column in steps]
        for dependency in inferred_dependencies(connection, join, [named, *later]):
            others = [column for column in dependency.determinants if column not in columns]
            is_of_last = dependency.dependent in last.columns.values() and dependency.dependent not in join.shared
            gives_away = set(others) & {*join.shared, *first.columns.values()}
            if is_of_last and not gives_away and len(others) + len(columns) == len(dependency.determinants):
                ordered = Dependency(determinants=(*columns, *others), dependent=dependency.dependent)
                forms.append(_Form(join, ordered, columns, _question_sql(join, ordered)))
    if not forms:
        shared = " + ".join(join.shared)
        what = f"no dependency of {last.table.name} leads from {shared} and up to two columns more to one of its own"
        raise ConfigError(what, where=where, remedy="Declare one of that kind for it, with at most three columns in all when joined.")
    return forms


def _dependencies(connection: Any, table: TemporalTable, config: TdbenchConfig) -> Sequence[Dependency]:
    """Those that a table's config declares, or else those that are found."""
    declared = config.tables[table.name].dependencies if table.name in config.tables else ()
    return declared or [one.dependency for one in discover(connection, table, config.tolerance).temporal]


def _question_sql(join: Join, dependency: Dependency) -> str:
    """The query of one question: of the joined table's rows, those of the last table that they are made of."""
    last = join.parts[-1]
    asked = f"{last.alias}.{quote(last.own(dependency.dependent))}"
    tests = [f"j.{quote(column)} = ?" for column in dependency.determinants] + [f"{asked} IS NOT NULL"]
    source = f"{quote(join.table.name)} AS j JOIN {quote(last.table.name)} AS {last.alias} ON {last.alias}.{ROW} = j.{last.row_column}"
    bounds = f"{last.alias}.{START}, {last.alias}.{END}"
    return (
        f"SELECT DISTINCT {asked} AS {quote(dependency.dependent)}, {bounds} FROM {source} WHERE {' AND '.join(tests)}"
        f" ORDER BY {bounds} NULLS LAST, {asked}"
    )


def _found(connection: Any, form: _Form) -> Iterator[_Found]:
    """What is given and what answers, where each row that may answer does so for certain."""
    first, last = form.join.parts[0], form.join.parts[-1]
    context = [column for column in last.columns.values() if column in {*form.join.shared, *form.dependency.determinants}]
    holders = _holders(connection, last, context, form.dependency.dependent)
    answers: dict[tuple[str, ...], dict[int, bool]] = {}
    contexts: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for values, of_last, row, is_certain in _possible_rows(connection, form, context, rows_named_once(first.table, form.naming)):
        known = answers.setdefault(values, {})
        known[row] = known.get(row, False) or is_certain
        contexts.setdefault(values, set()).add(of_last)
    for values, rows in answers.items():
        if all(rows.values()):
            every = {row: held for one in contexts[values] for row, held in holders.get(one, {}).items()}
            gold = {held for row, held in every.items() if row in rows}
            yield _Found(values, _in_order(gold), _in_order(set(every.values()) - gold))


def _possible_rows(
    connection: Any, form: _Form, context: Sequence[str], named: str
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], int, bool]]:
    """Given values, context, row of the last table and whether it overlaps for certain, for each combination that may overlap."""
    parts, columns = form.join.parts, form.dependency.determinants
    last = parts[-1]
    sources = [_source(parts, column) for column in columns]
    tests = " AND ".join([
        share_time([possible(part.table, part.alias) for part in parts]),
        *(f"{source} IS NOT NULL" for source in (*sources, f"{last.alias}.{quote(last.own(form.dependency.dependent))}")),
        f"{parts[0].alias}.{ROW} IN ({named})",
    ])  # fmt: skip
    chosen = [*sources, *(f"{last.alias}.{quote(last.own(column))}" for column in context), f"{last.alias}.{ROW}"]
    chosen.append(share_time_for_certain([part.table for part in parts], [part.alias for part in parts]))
    for row in connection.execute(f"SELECT DISTINCT {', '.join(chosen)} {joined_source(parts, tests)}").fetchall():
        yield row[: len(columns)], row[len(columns) : -2], row[-2], row[-1]


def _source(parts: Sequence[Part], column: str) -> str:
    """The expression of a column of the joined table, of the first part that has it."""
    part = next(part for part in parts if column in part.columns.values())
    return f"{part.alias}.{quote(part.own(column))}"


def _holders(connection: Any, last: Part, context: Sequence[str], dependent: str) -> dict[tuple[str, ...], dict[int, _Held]]:
    """The rows of the last table by what their questions have in common: row -> what it says, and when."""
    chosen = ", ".join([ROW, *(quote(last.own(column)) for column in [dependent, *context]), START, END])
    found: dict[tuple[str, ...], dict[int, _Held]] = {}
    for row, text, *own, start, end in connection.execute(f"SELECT {chosen} FROM {quote(last.table.name)}").fetchall():
        if text is not None:
            found.setdefault(tuple(own), {})[row] = (text, start, end)
    return found


def _worth_asking(found: Iterator[_Found], most_answers: int) -> Iterator[_Found]:
    """Those with few answers that are not all who ever held: else the time of the first table's row would not matter."""
    for one in found:
        if len(one.texts) <= most_answers and one.texts != one.texts | {text for text, _, _ in one.others}:
            yield one


def _in_order(rows: set[_Held]) -> tuple[_Held, ...]:
    return tuple(sorted(rows, key=lambda row: (row[1], row[2] is None, row[2] or 0, row[0])))


def _question(connection: Any, form: _Form, found: _Found, config: TdbenchConfig) -> Question:
    """The question, whose own query gives the same answer.

    Raises:
        AssertionError: it does not, which is a fault of this program.
    """
    table, dependency = form.join.table, form.dependency
    if set(connection.execute(form.sql, found.values).fetchall()) != set(found.gold):
        raise AssertionError(f"{table.name}: a question's answers by its own query and by one over all differ")
    return Question(
        id=question_id(table.name, form.sql, found.values),
        table=table.name,
        domain=table.domain,
        granularity=table.granularity,
        dependency=dependency,
        kind=Kind.JOIN,
        relation=None,
        semantics=config.semantics,
        determinants=dict(zip(dependency.determinants, found.values, strict=True)),
        reference=None,
        comparisons=(),
        sql=form.sql,
        parameters=found.values,
        gold=shown_rows(form.join, dependency.dependent, found.gold),
        distractors=shown_rows(form.join, dependency.dependent, found.others),
        cardinality=Cardinality.UNIQUE if len(found.texts) == 1 else Cardinality.MULTIPLE,
        time_checked=Checked.BOTH,
        hops=form.hops,
        through=form.join.shared,
    )
