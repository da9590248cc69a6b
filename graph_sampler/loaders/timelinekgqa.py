"""TimelineKGQA's `unified_kg_*.csv`: text labels, start and end, and the words for times without bound.

Comma-separated with a header, and JSON inside quoted cells, which is not read; or the same as one JSON array of
objects. Paper: section 4.2.1.
"""

from __future__ import annotations

from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.dates import OPEN, Precision, with_precision
from graph_sampler.loaders.graph_format import HEAD_BYTES, Format
from graph_sampler.loaders.records import CsvReader, JsonArrayReader
from graph_sampler.loaders.tables import column_positions
from graph_sampler.loaders.text_lines import read_head
from graph_sampler.raw_facts import FactBuffer, RawFacts, RawLabels, renamed
from state.config import GraphConfig
from state.errors import GraphFormatError
from state.interval import Granularity

_COLUMNS: dict[str, str | int] = {
    "subject": "subject", "relation": "predicate", "object": "object", "start": "start_time", "end": "end_time",
}  # fmt: skip
_UNBOUNDED = frozenset(("beginning of time", "end of time"))


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    facts, malformed = FactBuffer(), 0
    for path in paths:
        if path.is_dir():
            raise GraphFormatError("a folder where a table is due", where=str(path), remedy="Name one unified_kg_*.csv of it.")
        is_json = read_head(path, HEAD_BYTES).lstrip().startswith(b"[")
        reader, rows = JsonArrayReader(path) if is_json else CsvReader(path, header=True), 0
        if twice := [name for name in _COLUMNS.values() if reader.names is not None and reader.names.count(str(name)) > 1]:
            raise GraphFormatError(f"two columns are called {twice[0]!r}", where=f"{path}, line 1", remedy="Rename one of them.")
        for batch in reader.batches(column_positions(reader, path, _COLUMNS, "format timelinekgqa")):
            facts.add(batch)
            rows += len(batch[0])
        counters.read(path, rows + reader.malformed)
        malformed += reader.malformed
    stated = config.options.precision

    def bound(text: str) -> str:
        if text.strip().casefold() in _UNBOUNDED:
            return OPEN
        return with_precision(text, Precision(stated)) if stated else text

    raw = facts.finish(malformed)
    dates = [text for text in raw.times if text.strip() and text.strip().casefold() not in _UNBOUNDED]
    if dates and not stated and config.granularity is not Granularity.YEAR and all(text.endswith("-01-01") for text in dates):
        counters.note("All times are on 1 January, which mostly means a whole year: set graph.options.precision: year.")
    labels = RawLabels(types=load_types(Path(config.types)) if config.types else {})
    return renamed(raw, time=bound), labels


def _looks_like(path: Path, head: bytes) -> str | None:
    del path
    if head.lstrip().startswith(b"[") and all(f'"{name}"'.encode() in head for name in _COLUMNS.values()):
        return "its objects have subject, predicate, object, start_time and end_time"
    line = head.partition(b"\n")[0].removesuffix(b"\r")
    names = {name.strip().strip(b'"') for name in line.split(b",")}
    wanted = {str(name).encode() for name in _COLUMNS.values()}
    return "its header names subject, predicate, object, start_time and end_time" if wanted <= names else None


FORMAT = Format(
    name="timelinekgqa",
    title="TimelineKGQA table (unified_kg_*.csv or .json)",
    load=_load,
    looks_like=_looks_like,
    options=frozenset(("precision",)),
    notes="`beginning of time` and `end of time` are open bounds. The Cron variant writes years as 1 January on both sides: "
    "use granularity year, or graph.options.precision: year.",
)
"""The layout of TimelineKGQA's unified tables."""
