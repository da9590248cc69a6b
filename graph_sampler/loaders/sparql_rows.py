"""Rows of SPARQL result files: JSON, CSV and TSV, and the query page's short JSON and simple TSV, told apart by their content.

A cell is a text: an IRI, a literal's value, `_:name` for a blank node, empty where the variable is not bound. A result
that was cut off by a timeout is refused, since what is missing cannot be known. Paper: section 4.2.1.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.rdf_text import literal_text, read_literal
from graph_sampler.loaders.text_lines import read_head, read_lines, read_whole
from state.errors import GraphFormatError
from state.graph_report import ImportCounter

_CUT = "Was the query stopped by a timeout? Run it again with LIMIT, or in parts."
_BLANK_NODE = "_:"
_BARE_BLANK_NODE = re.compile(r"t\d+", re.ASCII)
"""A blank node where the form of the results has no mark for one."""
_LONGEST_HEADER = 1 << 16


class Cell(NamedTuple):
    """What a variable is bound to in a row."""

    text: str = ""
    """Empty where it is not bound."""
    is_literal: bool | None = None
    """`None` where the file does not tell."""


UNBOUND = Cell()
Row = dict[str, Cell]


def read_rows(path: Path, counters: ImportCounters) -> tuple[list[str], Iterator[Row]]:
    """The variables of a file of results, and its rows.

    Raises:
        GraphFormatError: the file is missing, cut off, or no file of results; the rows raise it too.
    """
    start = read_head(path, _LONGEST_HEADER).lstrip()
    if start[:1] in (b"{", b"["):
        return _json_rows(path, counters)
    if start.startswith(b"<"):
        raise GraphFormatError("XML or RDF where a table of results is due", where=str(path), remedy="Ask for JSON, CSV or TSV.")
    if b"\t" in start.partition(b"\n")[0]:
        records = _tsv_records(path, _turtle_cell if start.startswith(b"?") else Cell)
    else:
        records = _tsv_records(path, _turtle_cell) if start.startswith(b"?") else _csv_records(path)
    first = next(records, None)
    if first is None:
        raise GraphFormatError("the file is empty", where=str(path))
    names = [cell.text.removeprefix("?") for cell in first[1]]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise GraphFormatError(f"two columns are called {twice!r}", where=f"{path}, line 1", remedy="Rename one of them.")
    return names, _rows_of_width(path, names, records, counters)


def is_unknown(text: str) -> bool:
    """Whether a bound cell stands for some value that Wikidata does not know."""
    return text.startswith(_BLANK_NODE) or "/.well-known/genid/" in text or _BARE_BLANK_NODE.fullmatch(text) is not None


def _json_rows(path: Path, counters: ImportCounters) -> tuple[list[str], Iterator[Row]]:
    try:
        value = orjson.loads(read_whole(path).removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as err:
        raise GraphFormatError(f"the JSON is cut off or damaged: {err.msg}", where=f"{path}, line {err.lineno}", remedy=_CUT) from None
    if isinstance(value, list):
        rows = _objects(value, counters)
        names = list(dict.fromkeys(name for row in rows for name in row))
        return names, ({name: _plain(text) for name, text in row.items()} for row in rows)
    try:
        names, bindings = list(map(str, value["head"]["vars"])), value["results"]["bindings"]
    except (KeyError, TypeError):
        raise GraphFormatError("not the JSON of SPARQL results", where=str(path), remedy="It has 'head' and 'results'.") from None
    return names, ({name: _bound(cell) for name, cell in row.items()} for row in _objects(bindings, counters))


def _objects(values: Any, counters: ImportCounters) -> list[dict[str, Any]]:
    """The objects of an array; anything else in it is counted as malformed."""
    values = values if isinstance(values, list) else [values]
    rows = [row for row in values if isinstance(row, dict)]
    counters.add(ImportCounter.MALFORMED, len(values) - len(rows))
    return rows


def _plain(value: Any) -> Cell:
    return UNBOUND if value is None else Cell(str(value))


def _bound(cell: Any) -> Cell:
    if not isinstance(cell, dict):
        return _plain(cell)
    text, kind = str(cell.get("value", "")), cell.get("type")
    if kind == "bnode":
        return Cell(_BLANK_NODE + text, False)
    return Cell(text, kind != "uri")


def _csv_records(path: Path) -> Iterator[tuple[int, list[Cell]]]:
    reader = csv.reader((line + "\n" for line, _ in read_lines(path)), strict=True)
    while True:
        try:
            record = next(reader, None)
        except csv.Error as err:
            raise GraphFormatError(f"the CSV is cut off or damaged: {err}", where=f"{path}, line {reader.line_num}", remedy=_CUT) from None
        if record is None:
            return
        if record:
            yield reader.line_num, [Cell(text) for text in record]


def _tsv_records(path: Path, read_cell: Callable[[str], Cell]) -> Iterator[tuple[int, list[Cell]]]:
    for line, number in read_lines(path):
        if line:
            yield number, [read_cell(term) for term in line.split("\t")]


def _turtle_cell(term: str) -> Cell:
    if term.startswith("<") and term.endswith(">"):
        return Cell(term[1:-1], False)
    if term.startswith('"') and (literal := read_literal(term.encode())):
        return Cell(literal_text(literal[0]), True)
    if term.startswith((_BLANK_NODE, "?")) or not term:
        return Cell(term, False)
    return Cell(term, True)


def _rows_of_width(path: Path, names: list[str], records: Iterator[tuple[int, list[Cell]]], counters: ImportCounters) -> Iterator[Row]:
    """The records that have a cell for each variable; the last one has, or the file was cut off."""
    last, is_whole = 1, True
    for number, cells in records:
        is_whole, last = len(cells) == len(names), number
        if is_whole:
            yield dict(zip(names, cells, strict=True))
        else:
            counters.add(ImportCounter.MALFORMED)
    if not is_whole:
        raise GraphFormatError("the results end in a line that is no row", where=f"{path}, line {last}", remedy=_CUT)
