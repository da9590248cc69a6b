"""What a loader hands over: one code per cell, each distinct text once, nothing judged yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]


class Interner(dict[str, int]):
    """Gives each distinct text a code, in order of appearance."""

    def __missing__(self, text: str) -> int:
        code = self[text] = len(self)
        return code


class FactBuffer:
    """Collects batches of five text columns as codes; memory grows with the columns, not the text."""

    def __init__(self) -> None:
        self.entities, self.relations, self.times = Interner(), Interner(), Interner()
        self._batches: list[tuple[Codes, ...]] = []

    def add(self, columns: Sequence[Sequence[str]]) -> None:
        """Take one batch of rows as five columns: subject, relation, object, start and end."""
        interners = (self.entities, self.relations, self.entities, self.times, self.times)
        self._batches.append(
            tuple(np.fromiter(map(codes.__getitem__, texts), np.int32, len(texts)) for codes, texts in zip(interners, columns, strict=True))
        )

    def finish(self, malformed: int) -> RawFacts:
        """All rows; the buffer is empty afterwards."""
        self._batches.append((np.empty(0, np.int32),) * 5)
        subject, relation, object_, start, end = (np.concatenate(parts) for parts in zip(*self._batches, strict=True))
        self._batches.clear()
        texts = list(self.entities), list(self.relations), list(self.times)
        return RawFacts(*texts, subject, relation, object_, start, end, malformed)


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


def label_map(batches: Iterable[Sequence[Sequence[str]]]) -> dict[str, str]:
    """Id -> label; an id with several labels keeps the smallest that is not blank, whatever their order.

    Args:
        batches: batches of two columns, ids and labels.
    """
    labels: dict[str, str] = {}
    for ids, texts in batches:
        for identifier, label in zip(ids, texts, strict=True):
            known = labels.setdefault(identifier, label)
            if known is not label and label.strip() and (label < known or not known.strip()):
                labels[identifier] = label
    return labels


def alias_map(batches: Iterable[Sequence[Sequence[str]]]) -> dict[str, set[str]]:
    """Id -> aliases, from batches of two columns, ids and aliases."""
    aliases: dict[str, set[str]] = {}
    for ids, texts in batches:
        for identifier, alias in zip(ids, texts, strict=True):
            aliases.setdefault(identifier, set()).add(alias)
    return aliases
