"""Counts of defects over a file whose records fall into parts: how many of how many, over all and part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from evaluation.audit.told import Share
from evaluation.pages.tables import Table, rounded

Part = TypeVar("Part", bound=str)
"""What the records of a file are told apart by, such as a level or a number of answers."""


class PartCounts(Generic[Part]):
    """Counts records, what each has, and what could not be looked for in it."""

    def __init__(self, parts: Iterable[Part]) -> None:
        """Takes the parts in the order in which they are shown."""
        self.records = 0
        self._parts = tuple(parts)
        self._sizes: Counter[Part] = Counter()
        self._hits: Counter[tuple[str, Part]] = Counter()
        self._left_out: Counter[tuple[str, Part]] = Counter()

    def add(self, part: Part, found: Iterable[str], left_out: Iterable[str]) -> None:
        """Counts a record: what it has, and what could not be looked for and was not found either."""
        self.records += 1
        self._sizes[part] += 1
        for what in found:
            self._hits[what, part] += 1
        for what in left_out:
            self._left_out[what, part] += 1

    @property
    def sizes(self) -> dict[Part, int]:
        """Records of each part that the file has."""
        return {part: self._sizes[part] for part in self._parts if self._sizes[part]}

    def shares(self, what: str) -> dict[Part, Share]:
        """How many records of each part have it, of those in which it could be looked for."""
        return {part: Share(hits=self._hits[what, part], of=size - self._left_out[what, part]) for part, size in self.sizes.items()}

    def share(self, what: str) -> Share:
        """The same over the whole file."""
        shares = self.shares(what).values()
        return Share(hits=sum(share.hits for share in shares), of=sum(share.of for share in shares))


def parted_rates(caption: str, parts: Sequence[Part], rows: Iterable[tuple[str, Share, Mapping[Part, Share]]]) -> Table:
    """Kinds of defects by part; a rate is over the records for which the check could be made."""
    cells = []
    for name, every, by_part in rows:
        shares = [every, *(by_part[part] for part in parts)]
        cells.append((name, str(every.of), *(cell for share in shares for cell in (str(share.hits), rounded(share.percent)))))
    header = ("defect", "of", *(cell for part in ("all", *map(str, parts)) for cell in (part, f"{part} %")))
    return Table("rates", caption, header, tuple(cells))
