"""A generic table of facts: TSV, CSV, JSON Lines or Parquet, one or several files, and its label tables.

Columns are named by name or by position; cells are ids with label tables beside them, or labels that
are the ids too. Paper: section 4.2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.graph_format import Format
from graph_sampler.loaders.label_tables import labels_of_config
from graph_sampler.loaders.tables import column_positions, kind_by_content, open_table
from graph_sampler.loaders.text_lines import PACKED
from graph_sampler.raw_facts import FactBuffer, RawFacts, RawLabels, trimmed
from state.config import GraphConfig


def load_table(paths: Sequence[Path], config: GraphConfig) -> tuple[RawFacts, RawLabels]:
    """Facts of one or several tables, without the blanks around their cells, and the labels of the config's label tables.

    Raises:
        GraphFormatError: a file is missing or refused, or lacks a column.
    """
    facts, malformed = FactBuffer(), 0
    for path in paths:
        reader = open_table(path, config.table, header=config.header)
        for batch in reader.batches(column_positions(reader, path, config.columns.model_dump(), "graph.columns")):
            facts.add(batch)
        malformed += reader.malformed
    return trimmed(facts.finish(malformed)), labels_of_config(config)


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    facts, labels = load_table(paths, config)
    for path in paths:
        counters.read(path)
    counters.rows = len(facts.subject) + facts.malformed
    labels.types = load_types(Path(config.types)) if config.types else {}
    return facts, labels


def _looks_like(path: Path, head: bytes) -> str | None:
    """A tab-separated text of five columns, or a table whose name tells its kind."""
    if path.is_dir():
        return None
    if kind_by_content(path):
        return "it is a Parquet file"
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in PACKED]
    if suffixes and suffixes[-1] in (".csv", ".jsonl", ".ndjson", ".parquet", ".pq"):
        return f"its name ends in {suffixes[-1]}"
    line, end, _ = head.partition(b"\n")
    return "line 1 has five columns between tabs" if end and line.count(b"\t") == 4 else None


FORMAT = Format(
    name="table",
    title="Generic table (TSV, CSV, JSON Lines or Parquet)",
    load=_load,
    looks_like=_looks_like,
    settings=frozenset(("table", "header", "columns", "entity_labels", "relation_labels", "entity_aliases")),
    options=frozenset(("partial_labels",)),
    notes="Columns, label files, sentinels and year numbering are what the config says. Blanks around a cell are dropped.",
)
"""Any table of facts, as the config describes it."""
