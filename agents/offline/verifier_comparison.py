"""How two facts compare in time: endpoint comparisons as English says them, and the operator they make.

A phrase such as "joined before she did" compares one endpoint with another. Phrases about the same
two facts add up; where their sum is an operator of the table, it is tested with the table's order of
precedence, so that a one-granule interval is read as the sampler reads it. Paper: section 4.1.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from graph_sampler.operators import BY_NAME, operators_of
from state.vocabulary import Family

Span = tuple[int, int]


class Atom(NamedTuple):
    """`left.end_of sign right.end_of`: one endpoint of the left fact against one of the right."""

    left: str
    """`s` or `e`."""
    sign: str
    """`<`, `=` or `>`."""
    right: str
    """`s` or `e`."""

    def holds(self, x: Span, y: Span) -> bool:
        """Whether it is true of two spans."""
        a, b = x[self.left == "e"], y[self.right == "e"]
        return a < b if self.sign == "<" else a > b if self.sign == ">" else a == b

    def mirrored(self) -> Atom:
        """The same statement with the facts changed over."""
        return Atom(self.right, {"<": ">", ">": "<", "=": "="}[self.sign], self.left)


class Comparison(NamedTuple):
    """An operator of the table, or plain endpoint comparisons that make none."""

    operator: str | None
    atoms: frozenset[Atom] = frozenset()

    def holds(self, x: Span, y: Span) -> bool:
        """Whether it is true of two spans, by the operator table's precedence."""
        if self.operator is None:
            return all(atom.holds(x, y) for atom in self.atoms)
        return _holds(self.operator, x, y)

    def mirrored(self) -> Comparison:
        """The same statement with the facts changed over."""
        if self.operator is not None:
            return Comparison(BY_NAME[self.operator].converse)
        return Comparison(None, frozenset(atom.mirrored() for atom in self.atoms))


def _holds(name: str, x: Span, y: Span) -> bool:
    operator = BY_NAME[name]
    if not operator.holds(*x, *y):
        return False
    for row in operators_of(operator.family):
        if row is operator:
            return True
        if row.holds(*x, *y):
            return False
    return True


_SPANS = [(a, b) for a in range(6) for b in range(a + 1, 6)]
_POINTS = [(a, a) for a in range(6)]
_GRIDS = {
    Family.I_I: [(x, y) for x in _SPANS for y in _SPANS],
    Family.P_I: [(x, y) for x in _POINTS for y in _SPANS],
    Family.I_P: [(x, y) for x in _SPANS for y in _POINTS],
    Family.P_P: [(x, y) for x in _POINTS for y in _POINTS],
}


@lru_cache(maxsize=4096)
def compare(atoms: frozenset[Atom], is_left_point: bool, is_right_point: bool) -> Comparison | None:
    """The comparison that the atoms make between facts of two types, or `None` if they contradict.

    The atoms are matched with the operators by what they say of proper intervals.
    """
    family = Family(f"{'P' if is_left_point else 'I'}-{'P' if is_right_point else 'I'}")
    grid = _GRIDS[family]
    truth = [all(atom.holds(x, y) for atom in atoms) for x, y in grid]
    if not any(truth):
        return None
    for operator in operators_of(family):
        if truth == [operator.holds(*x, *y) for x, y in grid]:
            return Comparison(operator.name)
    return Comparison(None, atoms)
