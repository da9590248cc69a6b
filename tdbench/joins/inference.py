"""Temporal dependencies that hold on a join because others hold in its parts. Paper: TDBench, section 3.

Two rules. What holds in a part holds on the join: a joined row is valid only while its parts are. And where X ->T Z and
Z + W ->T Y hold, so does X + W ->T Y, if every row has a value of Z; without one, a row would contradict nobody on Z
and might yet do so on Y.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from state.tdbench_config import Dependency
from tdbench.dependencies.discover import MOST_DETERMINANTS
from tdbench.dependencies.encoding import require_columns
from tdbench.joins.natural import Join
from tdbench.table import quote

_Rule = tuple[frozenset[str], str]
"""Left and right side."""


def inferred_dependencies(
    connection: duckdb.DuckDBPyConnection, join: Join, of_parts: Sequence[Sequence[Dependency]]
) -> tuple[Dependency, ...]:
    """What holds on a join, given what holds in its parts: minimal, with at most three columns on the left.

    Args:
        connection: to the database that holds the joined table.
        join: the join.
        of_parts: dependencies of each part, in the parts' own names; where rows break one, they may break what follows from it.

    Returns:
        Short left sides first, then in the order of the joined table's columns.

    Raises:
        ConfigError: a part lacks a column of one of its dependencies.
    """
    rules: set[_Rule] = set()
    for part, dependencies in zip(join.parts, of_parts, strict=True):
        for dependency in dependencies:
            require_columns(part.table, (*dependency.determinants, dependency.dependent))
            left = frozenset(part.columns[column] for column in dependency.determinants)
            _add(rules, (left, part.columns[dependency.dependent]))
    complete = _complete_columns(connection, join)
    is_new = True
    while is_new:
        is_new = False
        steps = [rule for rule in rules if rule[1] in complete]
        for left, right in {(step[0] | (rule[0] - {step[1]}), rule[1]) for step in steps for rule in rules if step[1] in rule[0]}:
            is_new |= _add(rules, (left, right))
    place = {column: number for number, column in enumerate(join.table.columns)}
    made = [Dependency(determinants=tuple(sorted(left, key=place.__getitem__)), dependent=right) for left, right in rules]
    return tuple(sorted(made, key=lambda one: (len(one.determinants), [place[column] for column in (*one.determinants, one.dependent)])))


def _add(rules: set[_Rule], rule: _Rule) -> bool:
    """Takes up a rule unless it is trivial, too long, or follows from a shorter one; those that follow from it go."""
    left, right = rule
    if right in left or len(left) > MOST_DETERMINANTS or any(right == known and part <= left for part, known in rules):
        return False
    rules -= {(part, known) for part, known in rules if right == known and left < part}
    rules.add(rule)
    return True


def _complete_columns(connection: duckdb.DuckDBPyConnection, join: Join) -> frozenset[str]:
    """Columns of the joined table that have a value in every row."""
    counts = ", ".join(f"count({quote(column)})" for column in join.table.columns)
    found = connection.execute(f"SELECT {counts} FROM {quote(join.table.name)}").fetchone() or ()
    return frozenset(column for column, count in zip(join.table.columns, found, strict=True) if count == join.table.rows)
