"""What a layout of source graphs is to the rest: a name, a loader and a way to recognise it. Paper: section 4.2.1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.raw_facts import RawFacts, RawLabels
from state.config import GraphConfig, YearNumbering
from state.interval import Granularity

HEAD_BYTES = 1 << 16
"""How much of a file, unpacked, `looks_like` is shown."""

Load = Callable[[list[Path], GraphConfig, ImportCounters], tuple[RawFacts, RawLabels]]
LooksLike = Callable[[Path, bytes], str | None]


@dataclass(frozen=True, slots=True)
class Format:
    """One layout.

    Times of a loader's raw facts are texts that `graph_sampler.loaders.dates.read_time` reads: ISO dates,
    masks, and what `with_precision`, `OPEN` and `ABSENT` of that module write. A row whose ids are known
    but whose time is not (untimed, one bound only, ambiguous) is handed over with `ABSENT` bounds rather
    than left out: cleaning drops it and keeps it aside for the rule of doubtful instances.
    """

    name: str
    """Value of `graph.format`."""
    title: str
    """What a reader calls it, with its edition."""
    load: Load
    """Paths, the graph section with `year_numbering` set, and the counters -> facts and labels.

    Raises `GraphFormatError` with file and line where the source is refused.
    """
    looks_like: LooksLike
    """Path and first bytes, unpacked (empty for a folder) -> why it looks like this layout, in words, or `None`."""
    year_numbering: YearNumbering = YearNumbering.ASTRONOMICAL
    """How the layout counts years before 1, unless the config says otherwise."""
    granularity: Granularity = Granularity.YEAR
    """The unit that suits the layout; commands that get a bare path take it."""
    settings: frozenset[str] = frozenset()
    """Keys of the graph section that only some layouts read, and this one does: `columns`, `entity_labels`, ..."""
    options: frozenset[str] = frozenset()
    """Keys of `graph.options` that it reads."""
    notes: str = ""
    """What to know before using it: what its times say, and what it cannot say."""
