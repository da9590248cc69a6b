"""A cleaned graph in one Parquet file: what `chronoqg graph import` writes, read back without cleaning.

Every row belongs to one part: `fact` and `dropped` rows hold codes, `entity` and `relation` rows say in
their order which code stands for which id, `alias` rows name an entity by its code. A part has row groups
of its own, and the columns of the other parts are null there. Times are granules; a bound of a dropped
row that is not known is null. Name, unit, licence, source, content hash and the report are in the file's
metadata. Paper: section 4.2.1.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from graph_sampler.columns import settled
from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.graph_format import Format
from graph_sampler.loaders.impossible_rows import refuse_aliases, refuse_dropped, refuse_facts, refuse_other_part, refuse_unlisted
from graph_sampler.raw_facts import RawFacts, RawLabels
from graph_sampler.temporal_graph import NEG_INF, POS_INF, DroppedFacts, TemporalGraph
from graph_sampler.text_column import TextColumn
from state.config import GraphConfig, Typing, UnknownDates, YearNumbering
from state.errors import ConfigError, GraphFormatError
from state.graph_report import CleaningReport
from state.interval import Granularity
from state.model_base import Contract
from state.vocabulary import RelationType

_MAGIC = b"PAR1"
_KEY, _DIGEST = b"chronoqg.graph", b"chronoqg.graph.sha256"
_VERSION = re.compile(rb'\{"format": ?(\d{1,9})\b')
_GROUP = 1 << 20
_PARTS = ("entity", "alias", "relation", "fact", "dropped")
_BOUNDS = ("start_low", "start_high", "end_low", "end_high")
_SCHEMA = pa.schema(
    [pa.field("part", pa.string()), pa.field("code", pa.int32()), pa.field("id", pa.string()), pa.field("label", pa.string())]
    + [pa.field("type", pa.string()), pa.field("usable", pa.bool_())]
    + [pa.field(name, pa.int32()) for name in ("subject", "relation", "object", "start", "end")]
    + [pa.field(name, pa.int64()) for name in _BOUNDS]
)
_SORTED = ("subject", "code")
_SHORT_OF_MEMORY = ("ZSTD_DCtx create", "launch worker thread", "Cannot allocate memory")
"""What Arrow says where no memory is left and it does not call that an `ArrowMemoryError`."""


class Reading(Contract):
    """The settings that cleaning went by; a config that names such a file may not say otherwise."""

    granularity: Granularity
    """Unit of time."""
    year_numbering: YearNumbering
    """How the source counts years before 1."""
    typing: Typing
    """Bounds of the typing from the data."""
    open_dates: tuple[str, ...]
    """Texts that meant "still holds"."""
    unknown_dates: UnknownDates
    """Texts that meant "not known"."""


class GraphFileHeader(Contract):
    """What a graph file says of itself, in its metadata."""

    format: Literal[1] = 1
    """Version of the layout."""
    name: str
    """Name of the source graph."""
    licence: str | None
    """Licence of the source."""
    source: str | None
    """Where the source comes from."""
    content_hash: str
    """Hash of the cleaned graph."""
    rows: dict[str, int]
    """Rows of each part, in the order in which they stand."""
    reading: Reading
    """How the source was read."""
    report: CleaningReport
    """What the import read, dropped and kept."""


def write_graph(graph: TemporalGraph, account: Callable[[], CleaningReport], config: GraphConfig, sink: Any) -> GraphFileHeader:
    """Write a cleaned graph; the same graph, report and config give the same bytes.

    Args:
        graph: the graph.
        account: gives the report of its import; asked for when the rows are written.
        config: the graph section by which it was read, `year_numbering` set.
        sink: what pyarrow writes to: a path, a stream or a buffer.
    """
    import pyarrow.parquet as pq

    parts = dict(zip(_PARTS, (_entities(graph), _aliases(graph), _relations(graph), _facts(graph), _dropped(graph)), strict=True))
    rows = {part: len(next(iter(columns.values()))) for part, columns in parts.items()}
    repeated = ["part", "type", "relation", "object", "start", "end", *_BOUNDS]
    writer = pq.ParquetWriter(
        sink, _SCHEMA, compression="zstd", use_dictionary=repeated, column_encoding=dict.fromkeys(_SORTED, "DELTA_BINARY_PACKED"),
        write_page_checksum=True,
    )  # fmt: skip
    with writer:
        for part, columns in parts.items():
            for table in _slices(part, columns, rows[part]):
                writer.write_table(table, row_group_size=_GROUP)
        report = account()
        header = GraphFileHeader(
            name=graph.name,
            licence=config.licence,
            source=config.source,
            content_hash=graph.content_hash,
            rows=rows,
            reading=Reading(
                granularity=graph.granularity,
                year_numbering=config.year_numbering or YearNumbering.ASTRONOMICAL,
                typing=config.typing,
                open_dates=config.open_dates,
                unknown_dates=config.unknown_dates,
            ),
            report=report,
        )
        written = header.model_dump_json().encode()
        writer.add_key_value_metadata({_KEY: written, _DIGEST: sha256(written).hexdigest().encode()})
    return header


def _slices(part: str, columns: dict[str, Any], rows: int) -> Iterator[pa.Table]:
    """The rows of a part in pieces of one row group each."""
    for first in range(0, rows, _GROUP):
        size = min(_GROUP, rows - first)
        arrays = [columns[field.name].slice(first, size) if field.name in columns else pa.nulls(size, field.type) for field in _SCHEMA]
        arrays[0] = pa.repeat(part, size)
        yield pa.Table.from_arrays(arrays, schema=_SCHEMA)


def _entities(graph: TemporalGraph) -> dict[str, Any]:
    ids = pa.array(graph.entity_ids, pa.string())
    codes = pa.array(np.arange(len(ids), dtype=np.int32))
    return {"code": codes, "id": ids, "label": pa.array(graph.entity_labels, pa.string()), "usable": pa.array(graph.entity_usable)}


def _aliases(graph: TemporalGraph) -> dict[str, Any]:
    pairs = [(code, alias) for code, aliases in sorted(graph.entity_aliases.items()) for alias in aliases]
    return {"code": pa.array([code for code, _ in pairs], pa.int32()), "label": pa.array([alias for _, alias in pairs], pa.string())}


def _relations(graph: TemporalGraph) -> dict[str, Any]:
    ids = pa.array(graph.relation_ids, pa.string())
    return {
        "code": pa.array(np.arange(len(ids), dtype=np.int32)),
        "id": ids,
        "label": pa.array(graph.relation_labels, pa.string()),
        "type": pa.array([kind.value for kind in graph.relation_types], pa.string()),
    }


def _facts(graph: TemporalGraph) -> dict[str, Any]:
    return {name: pa.array(getattr(graph, name)) for name in ("subject", "relation", "object", "start", "end")}


def _dropped(graph: TemporalGraph) -> dict[str, Any]:
    dropped = graph.dropped
    columns = {name: pa.array(getattr(dropped, name)) for name in ("subject", "relation", "object")}
    for name in _BOUNDS:
        bound = getattr(dropped, name)
        columns[name] = pa.array(bound, mask=(bound == NEG_INF) | (bound == POS_INF))
    return columns


def is_graph_file(path: Path) -> bool:
    """Whether a file is one that `write_graph` made, whatever its name."""
    if not _begins_as_parquet(path):
        return False
    import pyarrow.parquet as pq

    try:
        return _KEY in (pq.read_metadata(path).metadata or {})
    except MemoryError:
        raise
    except (pa.ArrowException, OSError):
        return False


def _begins_as_parquet(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def read_graph(path: Path, config: GraphConfig) -> tuple[TemporalGraph, CleaningReport]:
    """The graph of a file and the report of its import.

    Raises:
        GraphFormatError: the file is damaged, of another version, or no such file.
        ConfigError: the config asks for another reading of the source than the import made.
        MemoryError: the graph does not fit into memory.
    """
    import pyarrow.parquet as pq

    if path.exists() and not _begins_as_parquet(path):
        raise GraphFormatError("no graph file", where=str(path), remedy="chronoqg graph import makes one.")
    try:
        metadata = pq.read_metadata(path, memory_map=True)
        header = _header(metadata.metadata or {}, path)
        _refuse_other_reading(config, header.reading, path)
        if not metadata.schema.to_arrow_schema().equals(_SCHEMA):
            raise ValueError("its columns are not those of a graph file")
        with pq.ParquetFile(path, metadata=metadata, memory_map=True, page_checksum_verification=True, read_dictionary=["part"]) as file:
            graph = _Parts(file, header).graph(config.name or header.name)
            is_as_written = graph.content_hash == header.content_hash
    except FileNotFoundError:
        raise GraphFormatError("no such file", where=str(path)) from None
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError) as err:
        if getattr(err, "errno", None) == errno.ENOMEM or any(said in str(err) for said in _SHORT_OF_MEMORY):
            raise MemoryError(f"while {path} was read") from None
        what = f"the graph file is damaged: {str(err).splitlines()[0] if str(err) else type(err).__name__}"
        raise GraphFormatError(what, where=str(path), remedy="Import it again.") from None
    if not is_as_written:
        raise GraphFormatError("the graph file is damaged: its rows have another hash", where=str(path), remedy="Import it again.")
    return graph, header.report.model_copy(update={"name": graph.name})


def _header(metadata: dict[bytes, bytes], path: Path) -> GraphFileHeader:
    if _KEY not in metadata:
        raise GraphFormatError("no graph file", where=str(path), remedy="chronoqg graph import makes one.")
    written = metadata[_KEY]
    digest = sha256(written).hexdigest().encode()
    if metadata.get(_DIGEST, digest) != digest:
        raise GraphFormatError("the graph file is damaged: its metadata have another hash", where=str(path), remedy="Import it again.")
    try:
        return GraphFileHeader.model_validate_json(written)
    except ValidationError:
        version = _VERSION.match(written)
        is_other = version is not None and version[1] != b"1"
        what = f"a graph file of version {version[1].decode()}, and 1 is read" if version and is_other else "the graph file is damaged"
        raise GraphFormatError(what, where=str(path), remedy="Import the source again with this version.") from None


def _refuse_other_reading(config: GraphConfig, reading: Reading, path: Path) -> None:
    """Passes if every setting of how to read a source is the import's, or was not given.

    A resolved config sets every key, so in it a setting with the default's value counts as not given.
    """
    is_resolved = config.model_fields_set >= GraphConfig.model_fields.keys()
    for key, field in GraphConfig.model_fields.items():
        if key in ("path", "format", "name", "licence", "source"):
            continue
        is_given = key in config.model_fields_set and not (is_resolved and getattr(config, key) == field.default)
        if is_given and getattr(config, key) != getattr(reading, key, field.default):
            settled = getattr(reading, key, None)
            shown = f" as {settled.value}" if isinstance(settled, Enum) else ""
            leave = f"Set graph.{key}={settled.value}" if isinstance(settled, Enum) else "Leave it out"
            remedy = f"{leave}, or import the source again with --set graph.{key}=..."
            raise ConfigError(f"was settled{shown} when {path.name} was imported", where=f"graph.{key}", remedy=remedy)


class _Parts:
    """The parts of a file that was opened with a dictionary for the column `part`, in its row groups."""

    def __init__(self, file: Any, header: GraphFileHeader) -> None:
        self._file, self._header = file, header
        self._groups: dict[str, range] = {}
        first = 0
        for part, rows in header.rows.items():
            groups = -(-rows // _GROUP)
            self._groups[part] = range(first, first + groups)
            first += groups
        if first != file.num_row_groups:
            raise ValueError("its row groups are not those that it names")

    def _read(self, part: str, *names: str) -> list[Any]:
        groups = self._groups[part]
        if not len(groups):
            return [pa.chunked_array([], _SCHEMA.field(name).type) for name in names]
        table = self._file.read_row_groups(list(groups), columns=["part", *names])
        if table.num_rows != self._header.rows[part]:
            raise ValueError(f"{table.num_rows} rows in the part {part!r} where {self._header.rows[part]} are due")
        refuse_other_part(table.column("part"), part)
        if any(table.column(name).null_count for name in names if name not in _BOUNDS):
            raise ValueError(f"a value is missing in the part {part!r}")
        return [table.column(name) for name in names]

    def _codes(self, part: str, sizes: dict[str, int | None]) -> list[npt.NDArray[Any]]:
        """Columns of numbers; those with a size are codes below it."""
        columns = [_numbers(column) for column in self._read(part, *sizes)]
        for (name, size), column in zip(sizes.items(), columns, strict=True):
            if size is not None and len(column) and (column.min() < 0 or column.max() >= size):
                raise ValueError(f"a {name} of a {part} that it does not name")
        return columns

    def graph(self, name: str) -> TemporalGraph:
        entity_codes, ids, entity_labels, usable = self._read("entity", "code", "id", "label", "usable")
        entity_ids = TextColumn.of(ids)
        refuse_unlisted("entity", entity_codes.to_numpy(), entity_ids)
        alias_codes, alias_labels = self._read("alias", "code", "label")
        refuse_aliases(alias_codes.to_numpy(), len(entity_ids))
        relation_codes, relation_ids, relation_labels, kinds = self._read("relation", "code", "id", "label", "type")
        refuse_unlisted("relation", relation_codes.to_numpy(), TextColumn.of(relation_ids))
        types = [RelationType(kind) for kind in kinds.to_pylist()]
        ends = {"subject": len(entity_ids), "relation": len(relation_ids), "object": len(entity_ids)}
        facts = self._codes("fact", ends | {"start": None, "end": None})
        refuse_facts(facts, types)
        subject, relation, object_ = self._codes("dropped", dict(ends))
        start_low, start_high, end_low, end_high = (
            _numbers(pc.fill_null(column, NEG_INF if key.endswith("low") else POS_INF))
            for key, column in zip(_BOUNDS, self._read("dropped", *_BOUNDS), strict=True)
        )
        refuse_dropped((subject, relation, object_, start_low, start_high, end_low, end_high))
        is_point = np.array([kind is RelationType.POINT for kind in types], np.bool_)
        aliases: dict[int, list[str]] = {}
        for code, alias in zip(alias_codes.to_pylist(), alias_labels.to_pylist(), strict=True):
            aliases.setdefault(code, []).append(alias)
        return TemporalGraph(
            granularity=self._header.reading.granularity,
            name=name,
            entity_ids=entity_ids,
            entity_labels=TextColumn.of(entity_labels),
            entity_aliases={code: tuple(labels) for code, labels in aliases.items()},
            relation_ids=relation_ids.to_pylist(),
            relation_labels=relation_labels.to_pylist(),
            relation_types=types,
            entity_usable=usable.to_numpy(),
            subject=facts[0],
            relation=facts[1],
            object=facts[2],
            start=facts[3],
            end=facts[4],
            dropped=DroppedFacts(subject, relation, object_, start_low, start_high, end_low, end_high, settled(is_point[relation])),
        )


def _numbers(column: Any) -> npt.NDArray[Any]:
    """A column without nulls as an array, memory-mapped if it is large."""
    return settled(column.to_numpy())


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    del config, counters
    raise GraphFormatError("an imported graph holds no rows from before cleaning", where=str(paths[0]), remedy="Name the source itself.")


def _looks_like(path: Path, head: bytes) -> str | None:
    del head
    return "its metadata say that chronoqg graph import wrote it" if is_graph_file(path) else None


FORMAT = Format(
    name="chronoqg",
    title="Graph file of chronoqg graph import",
    load=_load,
    looks_like=_looks_like,
    notes="Cleaned already: unit, typing and sentinels are those of the import.",
)
"""The package's own file."""
