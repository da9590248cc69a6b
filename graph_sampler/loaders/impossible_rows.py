"""Rows of a graph file that no import writes, although their hash may be right: told before a graph is made of them.

Everything else takes the order of facts, ids and bounds for granted and would find wrong answers without it.
Paper: none; a tool of the graph file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from graph_sampler.sorting import are_ascending
from graph_sampler.text_column import TextColumn
from state.vocabulary import RelationType

_AT_ONCE = 1 << 16
"""Rows that are compared at once; so few stay in the processor's cache."""
Columns = Sequence[npt.NDArray[Any]]


def refuse_other_part(column: Any, part: str) -> None:
    """Passes if the rows of a part say that they belong to it; the column is one with a dictionary.

    Raises:
        ValueError: one says otherwise.
    """
    for chunk in column.chunks:
        if chunk.null_count or chunk.dictionary.to_pylist() != [part]:
            raise ValueError(f"among the rows of the part {part!r} are some of another")


def refuse_unlisted(part: str, codes: npt.NDArray[Any], ids: TextColumn) -> None:
    """Passes if each id has its place for a code, and ids ascend by code point, none twice.

    Raises:
        ValueError: they do not.
    """
    if not np.array_equal(codes, np.arange(len(codes))):
        raise ValueError(f"the codes of the part {part!r} are not the places of its rows")
    texts: Any = pa.array(ids)
    if len(ids) > 1 and not pc.all(pc.less(texts.slice(0, len(ids) - 1), texts.slice(1))).as_py():
        raise ValueError(f"the ids of the part {part!r} do not ascend")


def refuse_aliases(codes: npt.NDArray[Any], entities: int) -> None:
    """Passes if aliases name entities of the file, in their order.

    Raises:
        ValueError: they do not.
    """
    if len(codes) and (codes[0] < 0 or codes[-1] >= entities or (codes[1:] < codes[:-1]).any()):
        raise ValueError("the codes of the part 'alias' do not ascend among those of the entities")


def refuse_facts(facts: Columns, types: Sequence[RelationType]) -> None:
    """Passes if facts ascend, none twice, each with an interval that its relation may have.

    Args:
        facts: subject, relation, object, start and end; the first three are known codes.
        types: of each relation.

    Raises:
        ValueError: they do not.
    """
    _refuse_unordered("fact", facts)
    _, relation, _, start, end = facts
    if (start > end).any():
        raise ValueError("a fact ends before it starts")
    for kind, what in ((RelationType.DELETED, "a fact of a deleted relation"), (RelationType.POINT, "a fact of points with an interval")):
        is_kind = np.array([each is kind for each in types], np.bool_)
        if is_kind.any() and (is_kind[relation] if kind is RelationType.DELETED else is_kind[relation] & (start != end)).any():
            raise ValueError(what)


def refuse_dropped(rows: Columns) -> None:
    """Passes if dropped rows ascend, none twice, and no bound is above its partner.

    Args:
        rows: subject, relation, object, and the two bounds of start and of end.

    Raises:
        ValueError: they do not.
    """
    _refuse_unordered("dropped", rows)
    for low, high in (rows[3:5], rows[5:7]):
        if (low > high).any():
            raise ValueError("a lower bound of a dropped row is above the upper one")


def _refuse_unordered(part: str, rows: Columns) -> None:
    for first in range(0, len(rows[0]), _AT_ONCE):
        if not are_ascending([column[first : first + _AT_ONCE + 1] for column in rows]):
            raise ValueError(f"the rows of the part {part!r} do not ascend")
