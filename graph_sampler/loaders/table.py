"""A generic table of facts: TSV, CSV, JSON Lines or Parquet, one or several files, and its label tables.

Columns are named by name or by position; cells are ids with label tables beside them, or labels that
are the ids too. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.graph_format import Format
from graph_sampler.loaders.records import CsvReader, JsonLinesReader
from graph_sampler.loaders.text_lines import TsvReader
from graph_sampler.raw_facts import FactBuffer, RawFacts, RawLabels, Texts, alias_map, label_map
from state.config import GraphConfig, LabelTable
from state.errors import GraphFormatError, did_you_mean

_KINDS = {
    ".tsv": "tsv", ".txt": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_PACKED = (".gz", ".gzip")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Reader(Protocol):
    """An opened table."""

    malformed: int
    names: list[str] | None
    """Names of the columns; `None` where the table has none."""
    width: int

    def batches(self, positions: Sequence[int]) -> Iterator[list[Texts]]:
        """Batches of the columns at the positions."""


def load_table(paths: Sequence[Path], config: GraphConfig) -> tuple[RawFacts, RawLabels]:
    """Facts of one or several tables, and the labels of the config's label tables.

    Raises:
        GraphFormatError: a file is missing or refused, or lacks a column.
    """
    facts, malformed = FactBuffer(), 0
    for path in paths:
        reader = open_table(path, config.table, header=config.header)
        for batch in reader.batches(_positions(reader, path, config.columns.model_dump(), "graph.columns")):
            facts.add(batch)
        malformed += reader.malformed
    entity_labels, relation_labels, aliases = config.entity_labels, config.relation_labels, config.entity_aliases
    labels = RawLabels(
        entities=_labels(entity_labels, "graph.entity_labels") if entity_labels else None,
        relations=_labels(relation_labels, "graph.relation_labels", split_case=True) if relation_labels else None,
        aliases=alias_map(_pairs(aliases, "graph.entity_aliases")) if aliases else {},
        entity_file=entity_labels.path if entity_labels else "",
        relation_file=relation_labels.path if relation_labels else "",
    )
    return facts.finish(malformed), labels


def open_table(path: Path, kind: str | None, *, header: bool) -> Reader:
    """The table's reader, by its kind or by the file's name.

    Raises:
        GraphFormatError: the file is missing or refused, or its name does not tell its kind.
    """
    if path.is_dir():
        raise GraphFormatError("a folder where a table file is due", where=str(path), remedy="A folder is read with graph.format: cronkg.")
    suffixes = [suffix for suffix in path.suffixes if suffix.lower() not in _PACKED]
    kind = kind or _KINDS.get(suffixes[-1].lower() if suffixes else "")
    if kind == "tsv":
        return TsvReader(path, header=header)
    if kind == "csv":
        return CsvReader(path, header=header)
    if kind == "jsonl":
        return JsonLinesReader(path)
    if kind == "parquet":
        from graph_sampler.loaders.parquet import ParquetReader  # only those who need it pay for its import

        return ParquetReader(path)
    raise GraphFormatError("the file's name does not tell its kind", where=str(path), remedy="Set graph.table: tsv, csv, parquet or jsonl.")


def _positions(reader: Reader, path: Path, columns: dict[str, str | int], key: str) -> list[int]:
    """The positions of the declared columns."""
    positions = []
    for field, column in columns.items():
        where = f"{path}, line 1"
        if isinstance(column, str):
            if reader.names is None:
                remedy = f"Set header: true, or give {key}.{field} a position."
                raise GraphFormatError(f"no column {column!r}: the columns have no names", where=where, remedy=remedy)
            if column not in reader.names:
                raise GraphFormatError(f"no column {column!r} ({key}.{field})", where=where, remedy=did_you_mean(column, reader.names))
            column = reader.names.index(column)
        if not 0 <= column < reader.width:
            what = f"{reader.width} columns, and {key}.{field} is at position {column} (counted from 0)"
            raise GraphFormatError(what, where=where)
        positions.append(column)
    return positions


def _pairs(table: LabelTable, key: str) -> Iterator[list[Texts]]:
    path = Path(table.path)
    known = any(suffix.lower() in _KINDS for suffix in path.suffixes)
    reader = open_table(path, None if known else "tsv", header=table.header)
    return reader.batches(_positions(reader, path, {"id": table.id, "label": table.label}, key))


def _labels(table: LabelTable, key: str, *, split_case: bool = False) -> dict[str, str]:
    labels = label_map(_pairs(table, key))
    if table.style == "text":
        return labels
    return {identifier: read_name(label, split_case=split_case) for identifier, label in labels.items()}


def read_name(name: str, *, split_case: bool) -> str:
    """A name as words: angle brackets go, underscores are blanks, `wasBornIn` may become `was born in`."""
    name = name.strip().removeprefix("<").removesuffix(">").replace("_", " ")
    return _CAMEL.sub(" ", name).lower() if split_case else name


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
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in _PACKED]
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
    notes="Columns, label files, sentinels and year numbering are what the config says.",
)
"""Any table of facts, as the config describes it."""
