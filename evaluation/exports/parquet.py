"""Records as rows of Parquet, and back: the way there and back is the identity.

Columns must be the same in every file, so what a record keys by id or by kind becomes a list: `labels` and
`references` a list of entries, `steps` a list of one struct in which what a step lacks is null. The schema is
written out below and never inferred; an empty file has it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from state.errors import RunFolderError
from state.instance import BenchmarkRecord

ROWS = 500
"""Rows of a row group, and so the most records of a file that are held at once."""

_TEXT = pa.string()
_TEXTS = pa.list_(pa.string())
_FACT = (("subject", _TEXT), ("relation", _TEXT), ("object", _TEXT), ("start", _TEXT), ("end", _TEXT))
_STEP = pa.struct(
    [
        ("action", _TEXT),
        ("fact", _TEXT),
        ("pattern", _TEXTS),
        ("constraint", _TEXT),
        ("operator", _TEXT),
        ("left", _TEXT),
        ("right", _TEXT),
        ("rank", pa.int64()),
        ("order", _TEXT),
        ("candidates", pa.int64()),
    ]
)
SCHEMA = pa.schema(
    [
        ("id", _TEXT),
        ("dataset", _TEXT),
        ("graph_structure", _TEXT),
        ("hop_count", pa.int64()),
        ("space_search_process", _TEXTS),
        ("temporal_constraints", _TEXTS),
        ("temporal_constraint_count", pa.int64()),
        ("raw_question", _TEXT),
        ("final_question", _TEXT),
        ("answer", _TEXT),
        ("answer_id", _TEXT),
        ("answer_aliases", _TEXTS),
        ("families", _TEXTS),
        ("operators", _TEXTS),
        ("backend", pa.struct([("rewriter", _TEXT), ("verifier", _TEXT)])),
        (
            "trace",
            pa.struct(
                [
                    ("template", _TEXT),
                    ("answer_variable", _TEXT),
                    ("steps", pa.list_(_STEP)),
                    ("references", pa.list_(pa.struct([("name", _TEXT), *_FACT]))),
                ]
            ),
        ),
        ("support_facts", pa.list_(pa.struct(_FACT))),
        ("evidence", pa.list_(pa.struct(_FACT))),
        ("structure_hint", _TEXT),
        ("labels", pa.list_(pa.struct([("id", _TEXT), ("label", _TEXT)]))),
        (
            "provenance",
            pa.struct([("source", _TEXT), ("content_hash", _TEXT), ("seed", pa.int64()), ("root", _TEXT), ("version", _TEXT)]),
        ),
        ("format", pa.int64()),
    ]
)
"""The columns, in the order of a record's keys."""


class ParquetFile:
    """A Parquet file in the making, ended by the end of a `with` block; the same lines give the same bytes."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = pq.ParquetWriter(path, SCHEMA, compression="zstd", version="2.6")
        self._lines: list[bytes] = []

    def write(self, line: bytes) -> None:
        """Adds a record, given as a valid line of JSON."""
        self._lines.append(line)
        if len(self._lines) == ROWS:
            self._flush()

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._lines:
            rows = [row_of(orjson.loads(line)) for line in self._lines]
            try:
                batch = pa.RecordBatch.from_pylist(rows, schema=SCHEMA)
            except pa.ArrowException as err:  # numbers as text and the like, which reading a record lets pass
                what = f"a value is not of its column's type: {str(err).splitlines()[0]}"
                raise RunFolderError(what, where=f"records {rows[0]['id']} to {rows[-1]['id']}", remedy="See `chronoqg check`.") from err
            self._writer.write_batch(batch, row_group_size=ROWS)
            self._lines = []


def row_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as JSON has it -> its row; what a step or a record lacks is filled with nulls by the schema."""
    trace = record["trace"]
    references = [{"name": name, **fact} for name, fact in trace["references"].items()]
    labels = [{"id": ident, "label": label} for ident, label in record["labels"].items()]
    return {**record, "trace": {**trace, "references": references}, "labels": labels}


def record_of(row: Mapping[str, Any]) -> BenchmarkRecord:
    """A row, as pyarrow or the `datasets` library gives it -> its record.

    Raises:
        ValueError: the row is no record's.
    """
    trace = dict(row["trace"])
    trace["steps"] = [{key: value for key, value in step.items() if value is not None} for step in trace["steps"]]
    trace["references"] = {fact["name"]: {key: fact[key] for key, _ in _FACT} for fact in trace["references"]}
    labels = {entry["id"]: entry["label"] for entry in row["labels"]}
    return BenchmarkRecord.model_validate({**row, "trace": trace, "labels": labels})


def read_parquet(paths: Path | Sequence[Path]) -> Iterator[BenchmarkRecord]:
    """The records of one or several files, in order, a row group at a time.

    Raises:
        RunFolderError: a file is missing, is no Parquet or holds something else.
    """
    for path in [paths] if isinstance(paths, Path) else paths:
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=ROWS):
                    yield from map(record_of, _rows(batch))
        except (OSError, pa.ArrowException, KeyError, ValueError, TypeError) as err:
            raise RunFolderError("cannot be read as records in Parquet", where=str(path), remedy="Export the run anew.") from err


def _rows(batch: pa.RecordBatch) -> Iterable[dict[str, Any]]:
    rows: list[dict[str, Any]] = batch.to_pylist()
    return rows
