"""The pairwise operators as comparisons of single moments, and how they turn around.

An interval has the moments `start` and `end`; what happened at a point is its `state`.
"""

from __future__ import annotations

from typing import NamedTuple


class Comparison(NamedTuple):
    """A moment of one fact lies before, in or after the granule of a moment of another."""

    moment: str
    sign: str
    other_moment: str


def _read(text: str) -> tuple[Comparison, ...]:
    names = {"s": "start", "e": "end", "p": "state"}
    return tuple(Comparison(names[part[0]], part[1], names[part[2]]) for part in text.split())


COMPARISONS: dict[str, tuple[Comparison, ...]] = {
    "I-equals-I": _read("s=s e=e"),
    "I-starts-I": _read("s=s e<e"),
    "I-started-by-I": _read("s=s e>e"),
    "I-finishes-I": _read("s>s e=e"),
    "I-finished-by-I": _read("s<s e=e"),
    "I-before-I": _read("e<s"),
    "I-after-I": _read("s>e"),
    "I-meets-I": _read("e=s"),
    "I-met-by-I": _read("s=e"),
    "I-during-I": _read("s>s e<e"),
    "I-contains-I": _read("s<s e>e"),
    "I-overlaps-I": _read("s<s e>s e<e"),
    "I-overlapped-by-I": _read("s>s s<e e>e"),
    "P-at-start-I": _read("p=s"),
    "P-at-end-I": _read("p=e"),
    "P-before-I": _read("p<s"),
    "P-after-I": _read("p>e"),
    "P-inside-I": _read("p>s p<e"),
    "I-starts-at-P": _read("s=p"),
    "I-ends-at-P": _read("e=p"),
    "I-after-P": _read("s>p"),
    "I-before-P": _read("e<p"),
    "I-covers-P": _read("s<p e>p"),
    "P-before-P": _read("p<p"),
    "P-equals-P": _read("p=p"),
    "P-after-P": _read("p>p"),
}

_TURNED = {"<": ">", ">": "<", "=": "="}
_ORDER = {"start": 0, "state": 0, "end": 1}


def turn_around(comparisons: tuple[Comparison, ...]) -> tuple[Comparison, ...]:
    """The same comparisons told from the other fact, its beginning first."""
    turned = [Comparison(other, _TURNED[sign], moment) for moment, sign, other in comparisons]
    return tuple(sorted(turned, key=lambda part: (_ORDER[part.moment], part.sign == "<")))
