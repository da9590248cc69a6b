"""What a temporal connective between two events says of their endpoints: a list of possible readings.

A bare "before" between intervals means ended before the other started; a word such as "joined" or
"left" on either side narrows that side to one endpoint. An empty list means that the words do not
make sense together. Paper: section 4.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from agents.offline.verifier_comparison import Atom

Reading = frozenset[Atom]


class Side(NamedTuple):
    """One side of a connective."""

    aspect: str | None
    """`s`, `e`, `b` for both, `None` for the whole."""
    is_point: bool
    is_elliptic: bool = False
    """A right side without a verb of its own ("after Cruyff", "before he did")."""
    is_echo: bool = False
    """An elliptic side that repeats the left side's verb ("before he did")."""

    @property
    def is_whole(self) -> bool:
        """Whether it is an interval with no endpoint named."""
        return self.aspect is None and not self.is_point


def _one(*atoms: tuple[str, str, str]) -> list[Reading]:
    return [frozenset(Atom(*atom) for atom in atoms)]


INSIDE = {
    None: (("s", ">", "s"), ("e", "<", "e")),
    "b": (("s", ">", "s"), ("e", "<", "e")),
    "s": (("s", ">", "s"), ("s", "<", "e")),
    "e": (("e", ">", "s"), ("e", "<", "e")),
}
COVERS = (("s", "<", "s"), ("e", ">", "e"))
INTERSECTS = (("s", "<", "e"), ("e", ">", "s"))
OVERLAPS = (("s", "<", "s"), ("e", ">", "s"), ("e", "<", "e"))
OVERLAPPED_BY = (("s", ">", "s"), ("s", "<", "e"), ("e", ">", "e"))
EQUALS = (("s", "=", "s"), ("e", "=", "e"))


def readings(connective: str, left: Side, right: Side) -> list[Reading]:
    """Every reading of `left connective right`."""
    if connective in ("before", "earlier", "prev"):
        return _order(left, right, "<", "e", "s", connective == "earlier")
    if connective in ("after", "later", "then"):
        return _order(left, right, ">", "s", "e", connective == "later")
    return _TABLE[connective](left, right)


def _order(left: Side, right: Side, sign: str, own: str, other: str, is_comparative: bool) -> list[Reading]:
    if left.aspect == "b" or right.aspect == "b":
        if left.aspect == "b" and right.is_elliptic and not right.is_point:
            return _one(("s", sign, "s"), ("e", sign, "e"))
        return _one((own, sign, other))
    end = left.aspect or own
    plain = _one((end, sign, right.aspect or other))
    if right.is_point or right.aspect is not None or not right.is_elliptic or left.aspect is None or left.is_point:
        return plain
    same = _one((end, sign, end))
    return same if is_comparative or right.is_echo else [*same, *(reading for reading in plain if reading not in same)]


def _during(left: Side, right: Side) -> list[Reading]:
    if right.is_whole:
        return _one(*INSIDE["s" if left.is_point else left.aspect])
    return _one(*COVERS) if left.is_whole and right.is_point else []


def _while(left: Side, right: Side) -> list[Reading]:
    if left.is_whole and right.is_whole:
        return [*_one(*INSIDE[None]), *_one(*INTERSECTS)]
    return _during(left, right)


def _same(left: Side, right: Side) -> list[Reading]:
    own = "s" if left.is_point else left.aspect
    other = "s" if right.is_point else right.aspect
    if own is None and other is None:
        return []
    if "b" in (own, other):
        return _one(*EQUALS) if own in ("b", None) and other in ("b", None) and not left.is_point and not right.is_point else []
    if own is not None and other is None:
        # "joined in the same year as Cruyff" repeats the verb; a point has none to give to an interval.
        return _one((own, "=", own)) if right.is_elliptic and not left.is_point else []
    return _one((own, "=", other)) if own is not None and other is not None else []


def _when(left: Side, right: Side) -> list[Reading]:
    if right.is_whole:
        return _while(left, right)
    if left.is_whole:
        end = right.aspect or "s"
        return _one(("s", "<", end), ("e", ">", end)) if end != "b" else []
    return _same(left, right)


def _coincide(left: Side, right: Side) -> list[Reading]:
    return _one(*EQUALS) if left.is_whole and right.is_whole else _same(left, right)


def _until(left: Side, right: Side) -> list[Reading]:
    if left.aspect == "s" or left.is_point or (right.is_elliptic and not right.is_point):
        return []
    return _one(("e", "=", right.aspect or "s")) if right.aspect != "b" else []


def _since(left: Side, right: Side) -> list[Reading]:
    if left.aspect == "e" or left.is_point or (right.is_elliptic and not right.is_point):
        return []
    return _one(("s", "=", right.aspect or "s")) if right.aspect != "b" else []


def _intervals(*options: tuple[tuple[str, str, str], ...]) -> Callable[[Side, Side], list[Reading]]:
    def read(left: Side, right: Side) -> list[Reading]:
        if not (left.is_whole or left.aspect == "b") or right.is_point:
            return []
        return [reading for option in options for reading in _one(*option)]

    return read


def _contains(left: Side, right: Side) -> list[Reading]:
    return _one(*COVERS) if left.is_whole and (right.is_whole or right.is_point) else []


_TABLE: dict[str, Callable[[Side, Side], list[Reading]]] = {
    "during": _during,
    "while": _while,
    "same": _same,
    "at": _same,
    "when": _when,
    "coincide": _coincide,
    "until": _until,
    "since": _since,
    "contains": _contains,
    "equals": lambda left, right: _one(*EQUALS) if not left.is_point and not right.is_point else [],
    "overlap": _intervals(INTERSECTS, OVERLAPS, OVERLAPPED_BY),
    "overlap-start": _intervals(OVERLAPS),
    "overlap-end": _intervals(OVERLAPPED_BY),
}
