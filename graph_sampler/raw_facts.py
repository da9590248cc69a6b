"""What a loader hands over: one code per cell, each distinct text once, nothing judged yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Codes = npt.NDArray[np.int32]


Texts = Any
"""A pyarrow array of strings without nulls: one column of one batch."""


_ENCODED_ROWS = 1 << 21
_BLANKS = " \t\r\n\v\f"


class FactBuffer:
    """Collects batches of five text columns as codes; memory grows with the columns, not the text.

    A batch is encoded in threads while its loader reads the next one; Arrow needs no lock for it.
    """

    def __init__(self) -> None:
        self._encoders = ThreadPoolExecutor(max_workers=2)
        self._texts: list[Sequence[Texts]] = []
        self._rows = 0
        self._batches: list[tuple[Future[Any], ...]] = []

    def add(self, columns: Sequence[Texts]) -> None:
        """Take one batch of rows as five columns: subject, relation, object, start and end."""
        self._texts.append(columns)
        self._rows += len(columns[0])
        if self._rows >= _ENCODED_ROWS:
            self._encode()

    def _encode(self) -> None:
        """Have the rows at hand encoded; few and long batches, since merging costs the sum of their distinct texts."""
        subjects, relations, objects, starts, ends = zip(*self._texts, strict=True)
        texts = (*subjects, *objects), relations, (*starts, *ends)
        self._batches.append(tuple(self._encoders.submit(_encoded, chunks) for chunks in texts))
        self._texts, self._rows = [], 0
        if len(self._batches) > 1:
            wait(self._batches[-2])  # no more than two batches of text at a time

    def finish(self, malformed: int) -> RawFacts:
        """All rows; the buffer cannot be used afterwards."""
        self.add((pa.array([], pa.string()),) * 5)
        self._encode()
        found = [[encoded.result() for encoded in batch] for batch in self._batches]
        self._encoders.shutdown()
        self._batches.clear()
        (entities, ids), (relations, kinds), (times, bounds) = (_unified(chunks) for chunks in zip(*found, strict=True))
        subject, object_ = _halves(ids)
        start, end = _halves(bounds)
        return RawFacts(entities, relations, times, subject, np.concatenate(kinds), object_, start, end, malformed)


def _encoded(chunks: Sequence[Texts]) -> Any:
    return pa.chunked_array(chunks).dictionary_encode().combine_chunks()


def _unified(chunks: Sequence[Any]) -> tuple[list[str], list[Codes]]:
    """Each distinct text once, and the codes of each chunk."""
    unified = pa.chunked_array(chunks).unify_dictionaries()
    codes = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in unified.chunks]
    return unified.chunk(unified.num_chunks - 1).dictionary.to_pylist(), codes


def _halves(batches: Sequence[Codes]) -> tuple[Codes, Codes]:
    """The first halves of all batches, and the second ones."""
    halves = [np.split(batch, 2) for batch in batches]
    first, second = (np.concatenate(half) for half in zip(*halves, strict=True))
    return first, second


@dataclass(frozen=True, slots=True)
class RawFacts:
    """Rows of a source in its own order; the columns hold positions in the lists of texts."""

    entities: list[str]
    relations: list[str]
    times: list[str]
    subject: Codes
    relation: Codes
    object: Codes
    start: Codes
    end: Codes
    malformed: int
    """Rows that do not have exactly the declared columns, and are not among the others."""


@dataclass(slots=True)
class RawLabels:
    """Labels of a source, ids as keys."""

    entities: dict[str, str] | None = None
    """Entity id -> label; `None` where the labels are the ids."""
    relations: dict[str, str] | None = None
    """Relation id -> label; `None` where the labels are the ids."""
    aliases: dict[str, set[str]] = field(default_factory=dict)
    """Entity id -> aliases."""
    entity_file: str = ""
    """Where the entity labels come from, for messages."""
    relation_file: str = ""
    """Where the relation labels come from, for messages."""
    types: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Relation id -> letter of the types file (`P`, `I`, `D`) and where it stands, as `file:line`."""


def renamed(
    raw: RawFacts,
    entity: Callable[[str], str] = str,
    relation: Callable[[str], str] = str,
    time: Callable[[str], str] = str,
) -> RawFacts:
    """The facts with other texts for ids and times; texts that become equal become one.

    Each function sees each distinct text once.
    """
    entities, entity_code = _merged(map(entity, raw.entities))
    relations, relation_code = _merged(map(relation, raw.relations))
    times, time_code = _merged(map(time, raw.times))
    return RawFacts(
        entities, relations, times,
        entity_code[raw.subject], relation_code[raw.relation], entity_code[raw.object], time_code[raw.start], time_code[raw.end],
        raw.malformed,
    )  # fmt: skip


def trimmed(raw: RawFacts) -> RawFacts:
    """The facts without the plain blanks around their ids and times; a no-break space stays, as it may be meant."""
    if not any(map(_has_outer_blank, (raw.entities, raw.relations, raw.times))):
        return raw
    return renamed(raw, *[lambda text: text.strip(_BLANKS)] * 3)


def _has_outer_blank(texts: list[str]) -> bool:
    column = pa.array(texts, pa.large_string())
    is_same = pc.equal(pc.binary_length(column), pc.binary_length(pc.ascii_trim(column, _BLANKS)))
    return not pc.all(is_same).as_py()


def without_unused_ids(raw: RawFacts) -> RawFacts:
    """The facts without the ids that no row has, as a loader leaves them that drops rows after reading."""
    entities, (subject, object_) = _used(raw.entities, raw.subject, raw.object)
    relations, (relation,) = _used(raw.relations, raw.relation)
    return replace(raw, entities=entities, relations=relations, subject=subject, relation=relation, object=object_)


def _used(texts: list[str], *columns: Codes) -> tuple[list[str], list[Codes]]:
    is_used = np.zeros(len(texts), np.bool_)
    for column in columns:
        is_used[column] = True
    if is_used.all():
        return texts, list(columns)
    code = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
    return [texts[position] for position in np.flatnonzero(is_used)], [code[column] for column in columns]


def _merged(texts: Iterable[str]) -> tuple[list[str], Codes]:
    """Each distinct text once, and the new code of each old one."""
    codes: dict[str, int] = {}
    old = [codes.setdefault(text, len(codes)) for text in texts]
    return list(codes), np.array(old, np.int32)


def label_map(batches: Iterable[Sequence[Texts]]) -> dict[str, str]:
    """Id -> label; an id with several labels keeps the smallest that is not blank, whatever their order.

    Args:
        batches: batches of two columns, ids and labels.
    """
    labels: dict[str, str] = {}
    for ids, texts in batches:
        pairs = list(zip(ids.to_pylist(), texts.to_pylist(), strict=True))
        fresh = dict(pairs)
        if len(fresh) == len(pairs) and labels.keys().isdisjoint(fresh):
            labels |= fresh
            continue
        for identifier, label in pairs:
            known = labels.setdefault(identifier, label)
            if known is not label and label.strip() and (label < known or not known.strip()):
                labels[identifier] = label
    return labels


def alias_map(batches: Iterable[Sequence[Texts]]) -> dict[str, set[str]]:
    """Id -> aliases, from batches of two columns, ids and aliases."""
    aliases: dict[str, set[str]] = {}
    for ids, texts in batches:
        for identifier, alias in zip(ids.to_pylist(), texts.to_pylist(), strict=True):
            aliases.setdefault(identifier, set()).add(alias)
    return aliases
