"""The formats of an export: one function each, from rows to files below a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from evaluation.exports.report import ExportFormat
from runs.splits import PARTS, Part
from state.errors import RunFolderError
from state.instance import BenchmarkRecord
from state.vocabulary import ConstraintCount

CARD = "README.md"
"""The dataset card of `hf`."""


class Row(NamedTuple):
    """A record on its way out."""

    record: BenchmarkRecord
    """The record."""
    line: bytes
    """Its line as the run has it, without the newline."""
    part: Part
    """Its part of the split; `train` where the format has no split."""


class Form(NamedTuple):
    """How a format is written."""

    write: Callable[[Path, Iterable[Row]], None]
    """Writes the rows below an empty folder, in the order in which they come."""
    own: str
    """A regular expression that the paths of its files match."""
    has_split: bool = True
    """Whether its records stand in train, dev and test."""


def _write_parquet(folder: Path, rows: Iterable[Row]) -> None:
    from evaluation.exports.dataset_card import parquet_name
    from evaluation.exports.parquet import ParquetFile

    places = [(kind, part) for kind in ConstraintCount for part in PARTS]
    with ExitStack() as stack:
        files = {place: stack.enter_context(ParquetFile(folder / parquet_name(*place))) for place in places}
        for row in rows:
            files[row.record.constraint_part, row.part].write(row.line)


def _write_lines(folder: Path, rows: Iterable[Row], line_of: Callable[[Row], bytes]) -> None:
    """A file for each of S and M and each part, also where it stays empty."""
    with ExitStack() as stack:
        files = {}
        for kind in ConstraintCount:
            (folder / kind).mkdir()
            for part in PARTS:
                files[kind, part] = stack.enter_context((folder / kind / f"{part}.jsonl").open("wb"))
        for row in rows:
            files[row.record.constraint_part, row.part].write(line_of(row) + b"\n")


def _write_jsonl(folder: Path, rows: Iterable[Row]) -> None:
    _write_lines(folder, rows, lambda row: row.line)


def _write_node_link(folder: Path, rows: Iterable[Row]) -> None:
    from evaluation.exports.support_graph import node_link_line, support_graph

    _write_lines(folder, rows, lambda row: node_link_line(support_graph(row.record, row.part)))


def _write_graphml(folder: Path, rows: Iterable[Row]) -> None:
    from evaluation.exports.support_graph import graphml, support_graph

    for kind in ConstraintCount:
        for part in PARTS:
            (folder / kind / part).mkdir(parents=True)
    for row in rows:
        data = graphml(support_graph(row.record, row.part))
        (folder / row.record.constraint_part / row.part / f"{row.record.id}.graphml").write_bytes(data)


def _write_release(folder: Path, rows: Iterable[Row]) -> None:
    for kind in ConstraintCount:
        (folder / f"{kind}.jsonl").touch()
    for kind, some in groupby(rows, key=lambda row: row.record.constraint_part):
        with (folder / f"{kind}.jsonl").open("wb") as file:
            for row in some:
                file.write(_release_line(row.record) + b"\n")


def _release_line(record: BenchmarkRecord) -> bytes:
    from evaluation.exports.release import release_lines

    try:
        return next(release_lines((record,)))
    except (ValueError, LookupError) as err:
        remedy = "See `chronoqg check`."
        raise RunFolderError("trace, facts, labels and sentences do not belong together", where=record.id, remedy=remedy) from err


_SPLIT_LINES = r"[SM]/(train|dev|test)\.jsonl"

FORMS: Mapping[ExportFormat, Form] = {
    ExportFormat.HF: Form(_write_parquet, r"README\.md|[SM]/(train|validation|test)\.parquet"),
    ExportFormat.JSONL: Form(_write_jsonl, _SPLIT_LINES),
    ExportFormat.GRAPHML: Form(_write_graphml, r"[SM]/(train|dev|test)/[^/]+\.graphml"),
    ExportFormat.NODE_LINK: Form(_write_node_link, _SPLIT_LINES),
    ExportFormat.RELEASE: Form(_write_release, r"[SM]\.jsonl", has_split=False),
}
