"""Point, interval or deleted: the type of each relation, from its facts or by hand. Paper: section 4.2.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from state.config import Typing
from state.errors import GraphFormatError
from state.vocabulary import RelationType

_OF_LETTER = {"P": RelationType.POINT, "I": RelationType.INTERVAL, "D": RelationType.DELETED}
_Columns = Sequence[npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class RelationTypes:
    """The type of each relation and what decided it, by relation code."""

    types: list[RelationType]
    reasons: list[str]
    facts: npt.NDArray[np.int64]
    """Facts on which the type was decided."""
    one_granule: npt.NDArray[np.int64]
    """Those with `start == end`."""
    is_point: npt.NDArray[np.bool_]
    is_deleted: npt.NDArray[np.bool_]

    def is_long_point(self, facts: _Columns) -> npt.NDArray[np.bool_]:
        """Which facts of point relations have `start != end`."""
        is_long: npt.NDArray[np.bool_] = self.is_point[facts[1]] & (facts[3] != facts[4])
        return is_long

    def is_kept(self, facts: _Columns) -> npt.NDArray[np.bool_]:
        """Which facts stay in the graph."""
        is_kept: npt.NDArray[np.bool_] = ~self.is_deleted[facts[1]] & ~self.is_long_point(facts)
        return is_kept


def type_relations(
    relation_ids: Sequence[str], facts: _Columns, by_hand: Mapping[str, tuple[str, str]], known: Mapping[str, str], bounds: Typing
) -> RelationTypes:
    """The type of each relation.

    Args:
        relation_ids: ids by code.
        facts: subject, relation, object, start and end of the facts to decide on.
        by_hand: relation id -> letter of the types file and its place.
        known: relations that the types file may name beside `relation_ids`, with labels.
        bounds: the bounds of the share of points.

    Raises:
        GraphFormatError: the types file names a relation that the source lacks.
    """
    codes = set(relation_ids)
    for relation, (_, where) in by_hand.items():
        if relation not in codes and relation not in known:
            near = get_close_matches(relation, sorted(codes | set(known)), n=1)
            raise GraphFormatError(
                f"relation {relation!r} is not in the graph",
                where=where,
                remedy=f"Did you mean {near[0]!r}?" if near else "Relations are named by id.",
            )
    counts = np.bincount(facts[1], minlength=len(relation_ids))
    one_granule = np.bincount(facts[1][facts[3] == facts[4]], minlength=len(relation_ids))
    decided = [
        _decide(int(count), int(points), by_hand.get(relation), bounds)
        for relation, count, points in zip(relation_ids, counts, one_granule, strict=True)
    ]
    types = [kind for kind, _ in decided]
    return RelationTypes(
        types=types,
        reasons=[reason for _, reason in decided],
        facts=counts,
        one_granule=one_granule,
        is_point=np.array([kind is RelationType.POINT for kind in types], dtype=np.bool_),
        is_deleted=np.array([kind is RelationType.DELETED for kind in types], dtype=np.bool_),
    )


def _decide(facts: int, points: int, by_hand: tuple[str, str] | None, bounds: Typing) -> tuple[RelationType, str]:
    if by_hand is not None:
        return _OF_LETTER[by_hand[0]], "set by hand"
    if not facts:
        return RelationType.DELETED, "no usable fact"
    if points >= bounds.point_share * facts:
        return RelationType.POINT, f"share of points at least {bounds.point_share:g}"
    if points <= bounds.interval_share * facts:
        return RelationType.INTERVAL, f"share of points at most {bounds.interval_share:g}"
    return RelationType.DELETED, f"share of points between {bounds.interval_share:g} and {bounds.point_share:g}"
