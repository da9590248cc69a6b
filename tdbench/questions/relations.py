"""The thirteen relations between half-open intervals as one table, which Python, numpy and SQL all read.

Paper: TDBench, section 3.2. Each is a conjunction of comparisons of bounds, the same as those of the graph's
operators between two facts that last (`graph_sampler.operators`); only what an end counts differs. There it is the
last granule, here the first one past it: a half-open `meet` has nothing in common where a closed one shares a
granule, so `[1, 3)` and `[3, 5)` meet here while their closed twins `[1, 2]` and `[3, 4]` are `I-before-I`. `equal`,
`start`, `finish`, `during` and their converses hold between the same facts in both. Half-open intervals are
never empty, so no order of precedence is needed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from state.tdbench_question import AllenRelation, Bound, Checked, Comparator

OpenEnd = Literal["ongoing", "unknown"]

COMPARATORS: dict[Comparator, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, "=": operator.eq, ">=": operator.ge, ">": operator.gt,
}  # fmt: skip
"""What each sign does to two numbers, or to two arrays of them."""


class BoundTest(NamedTuple):
    """A comparison of a bound of a row with a bound of what it is compared with."""

    bound: Bound
    comparator: Comparator
    other: Bound


class Relation(NamedTuple):
    """A row of the table."""

    name: AllenRelation
    converse: AllenRelation
    """The relation from the reference to the row."""
    operator: str
    """The graph's operator with the same comparisons."""
    checked: Checked
    """The time that a reply to a question with this relation is to state."""
    tests: tuple[BoundTest, ...]
    """All hold."""

    def holds(self, start: int, end: int | None, other_start: int, other_end: int | None, open_end: OpenEnd = "ongoing") -> bool:
        """Whether it holds from `[start, end)` to `[other_start, other_end)`.

        An end of `None` lies past every date if it is ongoing, though how far is not known: two such ends
        are neither equal nor in any order. An unknown end stands in no comparison at all.
        """
        own, other = {"start": start, "end": end}, {"start": other_start, "end": other_end}
        return all(_compares(own[test.bound], test.comparator, other[test.other], open_end) for test in self.tests)


def _compares(left: int | None, comparator: Comparator, right: int | None, open_end: OpenEnd) -> bool:
    if (left is None or right is None) and (open_end == "unknown" or left is right):
        return False
    far = math.inf
    return bool(COMPARATORS[comparator](far if left is None else left, far if right is None else right))


def _relation(name: str, converse: str, operator_name: str, checked: str, *tests: str) -> Relation:
    return Relation(AllenRelation(name), AllenRelation(converse), operator_name, Checked(checked), tuple(map(_test, tests)))


def _test(text: str) -> BoundTest:
    bound, comparator, other = text.split()
    return BoundTest(bound, comparator, other)  # type: ignore[arg-type]


RELATIONS: tuple[Relation, ...] = (
    _relation("after", "before", "I-after-I", "start", "start > end"),
    _relation("before", "after", "I-before-I", "end", "end < start"),
    _relation("meet", "met-by", "I-meets-I", "end", "end = start"),
    _relation("met-by", "meet", "I-met-by-I", "start", "start = end"),
    _relation("overlap", "overlapped-by", "I-overlaps-I", "both", "start < start", "end > start", "end < end"),
    _relation("overlapped-by", "overlap", "I-overlapped-by-I", "both", "start > start", "start < end", "end > end"),
    _relation("equal", "equal", "I-equals-I", "both", "start = start", "end = end"),
    _relation("start", "started-by", "I-starts-I", "both", "start = start", "end < end"),
    _relation("started-by", "start", "I-started-by-I", "start", "start = start", "end > end"),
    _relation("finish", "finished-by", "I-finishes-I", "both", "start > start", "end = end"),
    _relation("finished-by", "finish", "I-finished-by-I", "end", "start < start", "end = end"),
    _relation("during", "contain", "I-during-I", "both", "start > start", "end < end"),
    _relation("contain", "during", "I-contains-I", "both", "start < start", "end > end"),
)
"""In the order in which the published program asks them."""

BY_NAME: dict[AllenRelation, Relation] = {relation.name: relation for relation in RELATIONS}


def comparison_sql(
    left: str, comparator: Comparator, right: str, open_end: OpenEnd, *, left_may_be_open: bool, right_may_be_open: bool = False
) -> str:
    """A comparison of two SQL expressions, true exactly where the Python one is; elsewhere false or NULL.

    Args:
        left: an expression for a bound of a row.
        comparator: the sign between them.
        right: an expression for a date: a column or a `?`.
        open_end: what NULL means.
        left_may_be_open: whether `left` is an end, which may be NULL.
        right_may_be_open: whether `right` is one.
    """
    plain = f"{left} {comparator} {right}"
    if open_end == "unknown":
        return plain
    if left_may_be_open and comparator in (">", ">="):
        also = f" AND {right} IS NOT NULL" if right_may_be_open else ""
        return f"({plain} OR {left} IS NULL{also})"
    if right_may_be_open and comparator in ("<", "<="):
        return f"({plain} OR {right} IS NULL AND {left} IS NOT NULL)"
    return plain


def relation_sql(relation: Relation, own: dict[Bound, str], other: dict[Bound, str], open_end: OpenEnd) -> str:
    """The condition under which a relation holds between two pairs of SQL columns, whose ends may be NULL."""
    return " AND ".join(
        comparison_sql(
            own[test.bound], test.comparator, other[test.other], open_end,
            left_may_be_open=test.bound == "end", right_may_be_open=test.other == "end",
        )
        for test in relation.tests
    )  # fmt: skip
