"""The 29 temporal operators: one table, the only place that knows the list; and their names in plain English.

Paper: section 4.1, Table 1. Rows of a family stand in order of precedence, so that exactly one
holds for any two facts even where an interval is one granule long. Bounds are closed and count
granules: two intervals that share their boundary year meet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from state.interval import ValidInterval
from state.vocabulary import Family, OperatorWord, RelationType

Test = Callable[[Any, Any, Any, Any], Any]
"""`(a, b, c, d) -> bool` for left `[a, b]` and right `[c, d]`; also on numpy arrays, elementwise."""


class Operator(NamedTuple):
    """A pairwise operator from a left fact to a right one."""

    name: str
    family: Family
    converse: str
    """The operator that holds from right to left."""
    holds: Test
    """The test of the row; rows above it in its family take precedence."""
    is_equality: bool = False
    """Whether a reference under it fixes the fact's whole span."""
    is_boundary: bool = False
    """Whether it reads a shared boundary granule, which a one-granule interval blurs."""
    loosely: Test | None = None
    """What a reader may take it for who does not count in whole granules; `None`: just `holds`.

    Two things in one granule may be in either order, so `before`, `after` and `inside` let a shared granule in.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels between processes by name."""
        return operator_named, (self.name,)


class Ordinal(NamedTuple):
    """An operator that ranks facts of one name by a key."""

    name: str
    key: Callable[[Any, Any], Any]
    """`(start, end) -> key`; also on numpy arrays."""
    for_points: bool
    """Whether a point relation may be ranked by it."""

    @property
    def family(self) -> Family:
        """Always the ordinal family."""
        return Family.ORDINAL

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels between processes by name."""
        return operator_named, (self.name,)


PAIRWISE: tuple[Operator, ...] = (
    Operator("I-equals-I", Family.I_I, "I-equals-I", lambda a, b, c, d: (a == c) & (b == d), is_equality=True, is_boundary=True),
    Operator(
        "I-starts-I",
        Family.I_I,
        "I-started-by-I",
        lambda a, b, c, d: (a == c) & (b < d),
        is_boundary=True,
        loosely=lambda a, b, c, d: (a == c) & (b <= d),
    ),
    Operator(
        "I-started-by-I",
        Family.I_I,
        "I-starts-I",
        lambda a, b, c, d: (a == c) & (b > d),
        is_boundary=True,
        loosely=lambda a, b, c, d: (a == c) & (b >= d),
    ),
    Operator(
        "I-finishes-I",
        Family.I_I,
        "I-finished-by-I",
        lambda a, b, c, d: (b == d) & (a > c),
        is_boundary=True,
        loosely=lambda a, b, c, d: (b == d) & (a >= c),
    ),
    Operator(
        "I-finished-by-I",
        Family.I_I,
        "I-finishes-I",
        lambda a, b, c, d: (b == d) & (a < c),
        is_boundary=True,
        loosely=lambda a, b, c, d: (b == d) & (a <= c),
    ),
    Operator("I-before-I", Family.I_I, "I-after-I", lambda a, b, c, d: b < c, loosely=lambda a, b, c, d: b <= c),
    Operator("I-after-I", Family.I_I, "I-before-I", lambda a, b, c, d: a > d, loosely=lambda a, b, c, d: a >= d),
    Operator("I-meets-I", Family.I_I, "I-met-by-I", lambda a, b, c, d: b == c, is_boundary=True),
    Operator("I-met-by-I", Family.I_I, "I-meets-I", lambda a, b, c, d: a == d, is_boundary=True),
    Operator(
        "I-during-I", Family.I_I, "I-contains-I", lambda a, b, c, d: (a > c) & (b < d), loosely=lambda a, b, c, d: (a >= c) & (b <= d)
    ),
    Operator(
        "I-contains-I", Family.I_I, "I-during-I", lambda a, b, c, d: (a < c) & (b > d), loosely=lambda a, b, c, d: (a <= c) & (b >= d)
    ),
    Operator(
        "I-overlaps-I",
        Family.I_I,
        "I-overlapped-by-I",
        lambda a, b, c, d: (a < c) & (c < b) & (b < d),
        loosely=lambda a, b, c, d: (a <= c) & (c <= b) & (b <= d),
    ),
    Operator(
        "I-overlapped-by-I",
        Family.I_I,
        "I-overlaps-I",
        lambda a, b, c, d: (c < a) & (a < d) & (d < b),
        loosely=lambda a, b, c, d: (c <= a) & (a <= d) & (d <= b),
    ),
    Operator("P-at-start-I", Family.P_I, "I-starts-at-P", lambda a, b, c, d: a == c, is_boundary=True),
    Operator("P-at-end-I", Family.P_I, "I-ends-at-P", lambda a, b, c, d: a == d, is_boundary=True),
    Operator("P-before-I", Family.P_I, "I-after-P", lambda a, b, c, d: a < c, loosely=lambda a, b, c, d: a <= c),
    Operator("P-after-I", Family.P_I, "I-before-P", lambda a, b, c, d: a > d, loosely=lambda a, b, c, d: a >= d),
    Operator("P-inside-I", Family.P_I, "I-covers-P", lambda a, b, c, d: (c < a) & (a < d), loosely=lambda a, b, c, d: (c <= a) & (a <= d)),
    Operator("I-starts-at-P", Family.I_P, "P-at-start-I", lambda a, b, c, d: a == c, is_boundary=True),
    Operator("I-ends-at-P", Family.I_P, "P-at-end-I", lambda a, b, c, d: b == c, is_boundary=True),
    Operator("I-after-P", Family.I_P, "P-before-I", lambda a, b, c, d: a > c, loosely=lambda a, b, c, d: a >= c),
    Operator("I-before-P", Family.I_P, "P-after-I", lambda a, b, c, d: b < c, loosely=lambda a, b, c, d: b <= c),
    Operator("I-covers-P", Family.I_P, "P-inside-I", lambda a, b, c, d: (a < c) & (c < b), loosely=lambda a, b, c, d: (a <= c) & (c <= b)),
    Operator("P-before-P", Family.P_P, "P-after-P", lambda a, b, c, d: a < c, loosely=lambda a, b, c, d: a <= c),
    Operator("P-equals-P", Family.P_P, "P-equals-P", lambda a, b, c, d: a == c, is_equality=True, is_boundary=True),
    Operator("P-after-P", Family.P_P, "P-before-P", lambda a, b, c, d: a > c, loosely=lambda a, b, c, d: a >= c),
)

ORDINALS: tuple[Ordinal, ...] = (
    Ordinal("start_rank", lambda start, end: start, for_points=True),
    Ordinal("end_rank", lambda start, end: end, for_points=False),
    Ordinal("duration_rank", lambda start, end: end - start, for_points=False),
)


class Wording(NamedTuple):
    """What a word for a comparison means, whether the facts last or are moments."""

    word: OperatorWord
    converse: OperatorWord
    meaning: str
    """By the units of the end points, from the left fact to the right one, as the round-trip reader is told it."""
    lasting: str
    """The operator between two facts that last."""
    from_moment: str | None = None
    """The operator from a moment to a fact that lasts; `None`: it can never hold."""
    to_moment: str | None = None
    """The operator from a fact that lasts to a moment."""
    moments: str | None = None
    """The operator between two moments."""


WORDINGS: tuple[Wording, ...] = (
    Wording(
        OperatorWord.BEFORE, OperatorWord.AFTER, "ends in an earlier unit than the right starts",
        "I-before-I", "P-before-I", "I-before-P", "P-before-P",
    ),
    Wording(
        OperatorWord.AFTER, OperatorWord.BEFORE, "starts in a later unit than the right ends",
        "I-after-I", "P-after-I", "I-after-P", "P-after-P",
    ),
    Wording(
        OperatorWord.EQUALS, OperatorWord.EQUALS, "same start, same end",
        "I-equals-I", moments="P-equals-P",
    ),
    Wording(
        OperatorWord.STARTS, OperatorWord.STARTED_BY, "same start, ends earlier",
        "I-starts-I", "P-at-start-I", "I-starts-at-P", "P-equals-P",
    ),
    Wording(
        OperatorWord.STARTED_BY, OperatorWord.STARTS, "same start, ends later",
        "I-started-by-I", "P-at-start-I", "I-starts-at-P", "P-equals-P",
    ),
    Wording(
        OperatorWord.FINISHES, OperatorWord.FINISHED_BY, "same end, starts later",
        "I-finishes-I", "P-at-end-I", "I-ends-at-P", "P-equals-P",
    ),
    Wording(
        OperatorWord.FINISHED_BY, OperatorWord.FINISHES, "same end, starts earlier",
        "I-finished-by-I", "P-at-end-I", "I-ends-at-P", "P-equals-P",
    ),
    Wording(
        OperatorWord.MEETS, OperatorWord.MET_BY, "ends in the unit in which the right starts",
        "I-meets-I", "P-at-start-I", "I-ends-at-P", "P-equals-P",
    ),
    Wording(
        OperatorWord.MET_BY, OperatorWord.MEETS, "starts in the unit in which the right ends",
        "I-met-by-I", "P-at-end-I", "I-starts-at-P", "P-equals-P",
    ),
    Wording(
        OperatorWord.DURING, OperatorWord.CONTAINS, "starts later, ends earlier",
        "I-during-I", from_moment="P-inside-I",
    ),
    Wording(
        OperatorWord.CONTAINS, OperatorWord.DURING, "starts earlier, ends later",
        "I-contains-I", to_moment="I-covers-P",
    ),
    Wording(
        OperatorWord.OVERLAPS, OperatorWord.OVERLAPPED_BY,
        "starts earlier, ends past the right's first unit and before its last", "I-overlaps-I",
    ),
    Wording(
        OperatorWord.OVERLAPPED_BY, OperatorWord.OVERLAPS,
        "ends later, starts past the right's first unit and before its last", "I-overlapped-by-I",
    ),
)  # fmt: skip
"""Who reads a question says which word its condition comes to and need not know the families.

A moment has no middle and no length, so words that differ only there mean one thing of it; of a word and
its converse for a shared bound (`starts`, `started by`) either is taken.
"""

RANK_WORDS: dict[OperatorWord, str] = {
    OperatorWord.START_RANK: "start_rank", OperatorWord.END_RANK: "end_rank", OperatorWord.DURATION_RANK: "duration_rank",
}  # fmt: skip

_MOMENT_MEANINGS: dict[str, str] = {
    "P-at-start-I": "happens in the unit in which the right starts",
    "P-at-end-I": "happens in the unit in which the right ends",
    "P-before-I": "happens in an earlier unit than the right starts",
    "P-after-I": "happens in a later unit than the right ends",
    "P-inside-I": "happens past the right's first unit and before its last",
    "I-starts-at-P": "starts in the unit of the right",
    "I-ends-at-P": "ends in the unit of the right",
    "I-after-P": "starts in a later unit than the right",
    "I-before-P": "ends in an earlier unit than the right",
    "I-covers-P": "starts in an earlier unit and ends in a later unit than the right",
    "P-before-P": "happens in an earlier unit",
    "P-equals-P": "happens in the same unit",
    "P-after-P": "happens in a later unit",
    "start_rank": "start",
    "end_rank": "end",
    "duration_rank": "duration",
}
"""What holds where a fact is a moment, and what an ordinal ranks by."""

BY_NAME: dict[str, Operator] = {operator.name: operator for operator in PAIRWISE}
ORDINAL_BY_NAME: dict[str, Ordinal] = {ordinal.name: ordinal for ordinal in ORDINALS}
OPERATOR_NAMES: tuple[str, ...] = tuple(BY_NAME) + tuple(ORDINAL_BY_NAME)

_BY_FAMILY: dict[Family, tuple[Operator, ...]] = {
    family: tuple(operator for operator in PAIRWISE if operator.family is family) for family in Family
}
_FAMILY_OF_TYPES: dict[tuple[RelationType, RelationType], Family] = {
    (RelationType.INTERVAL, RelationType.INTERVAL): Family.I_I,
    (RelationType.POINT, RelationType.INTERVAL): Family.P_I,
    (RelationType.INTERVAL, RelationType.POINT): Family.I_P,
    (RelationType.POINT, RelationType.POINT): Family.P_P,
}


def operator_named(name: str) -> Operator | Ordinal:
    """The row of the table with this name."""
    return BY_NAME[name] if name in BY_NAME else ORDINAL_BY_NAME[name]


_TURNED = {"P-before-I": "P-after-I", "P-at-start-I": "P-at-end-I", "I-before-P": "I-after-P", "I-starts-at-P": "I-ends-at-P"}
_OPPOSITES = _TURNED | {after: before for before, after in _TURNED.items()}
_OPPOSITES |= {row.name: row.converse for row in PAIRWISE if BY_NAME[row.converse].family is row.family and row.converse != row.name}


def opposite_of(name: str) -> str | None:
    """The operator of the same family that turns a comparison round: the converse, or between point and interval the same turned in time.

    `None` for one that is its own opposite (`I-equals-I`) or has none (`P-inside-I`).
    """
    return _OPPOSITES.get(name)


def family_of(left: RelationType, right: RelationType) -> Family:
    """The family of the operators between facts of two relation types, neither deleted."""
    return _FAMILY_OF_TYPES[left, right]


def operators_of(family: Family) -> tuple[Operator, ...]:
    """The rows of a pairwise family in order of precedence."""
    return _BY_FAMILY[family]


def relate(family: Family, x: ValidInterval, y: ValidInterval) -> Operator:
    """The one operator of a pairwise family that holds from `x` to `y`.

    Bounds are closed; a point is an interval with equal ends. Where several tests are true (a
    one-granule interval), the first row of the table wins.

    Paper: section 4.1.
    """
    for operator in operators_of(family):
        if operator.holds(x.start, x.end, y.start, y.end):
            return operator
    raise ValueError(f"no operator of {family} holds from {x} to {y}; is one a point of a point relation?")


_WORDINGS: dict[OperatorWord, Wording] = {wording.word: wording for wording in WORDINGS}
_WORDS: dict[str, OperatorWord] = {}
for _wording in reversed(WORDINGS):  # of several words for one operator the first in the table is its own
    _WORDS |= {name: _wording.word for name in (_wording.lasting, _wording.from_moment, _wording.moments) if name}
_WORDS |= {name: _WORDINGS[_WORDS[BY_NAME[name].converse]].converse for name in BY_NAME if name not in _WORDS}
_WORDS |= {name: word for word, name in RANK_WORDS.items()}


def word_of(name: str) -> OperatorWord:
    """The plain word for an operator or ordinal."""
    return _WORDS[name]


def meaning_of(name: str) -> str:
    """What an operator says of its left fact, seen from the right one, in units; of an ordinal what it ranks by."""
    return _MOMENT_MEANINGS.get(name) or _WORDINGS[word_of(name)].meaning


def operator_said(word: OperatorWord, left_is_moment: bool, right_is_moment: bool) -> str:
    """The operator that a word for a comparison comes to between facts of two kinds.

    Where it can never hold between them it is the one between facts that last, which then never holds either
    but where a moment is a one-granule interval.
    """
    wording = _WORDINGS[word]
    if left_is_moment:
        found = wording.moments if right_is_moment else wording.from_moment
    else:
        found = wording.to_moment if right_is_moment else wording.lasting
    return found or wording.lasting
