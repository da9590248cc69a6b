"""TimelineKGQA's `unified_kg_*.csv`: text labels, start and end, and the words for times without bound.

Comma-separated with a header, and JSON inside quoted cells, which is not read. Paper: section 4.2.1.
"""

from __future__ import annotations

from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.dates import OPEN, Precision, with_precision
from graph_sampler.loaders.graph_format import Format
from graph_sampler.loaders.records import CsvReader
from graph_sampler.loaders.tables import column_positions
from graph_sampler.raw_facts import FactBuffer, RawFacts, RawLabels, renamed
from state.config import GraphConfig
from state.errors import GraphFormatError

_COLUMNS: dict[str, str | int] = {
    "subject": "subject", "relation": "predicate", "object": "object", "start": "start_time", "end": "end_time",
}  # fmt: skip
_UNBOUNDED = frozenset(("beginning of time", "end of time"))


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    facts, malformed = FactBuffer(), 0
    for path in paths:
        if path.is_dir():
            raise GraphFormatError("a folder where a table is due", where=str(path), remedy="Name its unified_kg_*.csv.")
        reader, rows = CsvReader(path, header=True), 0
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

    labels = RawLabels(types=load_types(Path(config.types)) if config.types else {})
    return renamed(facts.finish(malformed), time=bound), labels


def _looks_like(path: Path, head: bytes) -> str | None:
    del path
    line = head.partition(b"\n")[0].removesuffix(b"\r")
    names = {name.strip().strip(b'"') for name in line.split(b",")}
    wanted = {str(name).encode() for name in _COLUMNS.values()}
    return "its header names subject, predicate, object, start_time and end_time" if wanted <= names else None


FORMAT = Format(
    name="timelinekgqa",
    title="TimelineKGQA table (unified_kg_*.csv)",
    load=_load,
    looks_like=_looks_like,
    options=frozenset(("precision",)),
    notes="`beginning of time` and `end of time` are open bounds. The Cron variant writes years as 1 January on both sides: "
    "use granularity year, or graph.options.precision: year.",
)
"""The layout of TimelineKGQA's unified tables."""
