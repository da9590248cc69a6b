"""What a loader met on its way through a source, by the names that all loaders share. Paper: section 4.2.1."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from state.graph_report import ImportCounter, ImportReport

JOINED = "joined_halves"
"""Rows that went into the row of their fact's other half."""
OTHER_RELATION = "other_relation"
"""Rows of relations that `graph.options.relations` leaves out."""
BESIDE_ROWS: dict[str, tuple[str, ...]] = {
    "mmkb": (ImportCounter.LITERAL_OBJECT, ImportCounter.DUPLICATE_EXACT, JOINED, "untimed_beside_timed"),
    "wikidata-sparql": (ImportCounter.MALFORMED, ImportCounter.LITERAL_OBJECT, "object_not_known", OTHER_RELATION),
    "yago4": (ImportCounter.MALFORMED, ImportCounter.LITERAL_OBJECT, "no_time_stated", OTHER_RELATION, JOINED),
    "yago45": (ImportCounter.MALFORMED, ImportCounter.LITERAL_OBJECT, "no_time_stated", OTHER_RELATION, JOINED),
}
"""Layout -> what is counted of rows that never come to cleaning: with the rows that do, each row read stands once.

In layouts that are not here every row comes to cleaning, but for `eventkg` and `wikidata-json`, where a row read is a
line: several make a fact, or one makes many.
"""


class ImportCounters:
    """Collects counts while a source is read.

    A loader counts what never becomes a row of its raw facts (literal objects, deprecated statements,
    ambiguous pairs) and what only it can see. What can be told from the rows themselves (unknown, open,
    coarse, bad and reversed times, exact duplicates, labels that are missing, malformed rows as stated in
    `RawFacts.malformed`) is counted once for all formats after it, so that it must not be counted twice.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._files: list[str] = []
        self._notes: list[str] = []
        self.rows = 0
        """Rows, lines or statements read from fact files so far."""

    def add(self, counter: ImportCounter | str, times: int = 1) -> None:
        """Count something; a name of a format's own is lower case with underscores."""
        self._counts[str(counter)] += int(times)

    def read(self, path: Path, rows: int = 0) -> None:
        """Tell that a file was read, and how many rows of facts it had; label files have none."""
        self._files.append(path.name)
        self.rows += rows

    def note(self, text: str) -> None:
        """Tell the user something about the source, once."""
        if text not in self._notes:
            self._notes.append(text)

    def __getitem__(self, counter: ImportCounter | str) -> int:
        """How often something was counted."""
        return self._counts[str(counter)]

    def report(self, layout: str) -> ImportReport:
        """The counts so far: shared names in their fixed order, then the format's own by name."""
        shared = [str(counter) for counter in ImportCounter]
        own = sorted(self._counts.keys() - set(shared))
        counters = {name: self._counts[name] for name in (*shared, *own) if self._counts[name]}
        return ImportReport(layout=layout, files=tuple(self._files), rows=self.rows, counters=counters, notes=tuple(self._notes))
