"""Results of SPARQL queries on Wikidata: a row is a fact, its fields are variables that the config names.

Dates of such results say nothing of their precision unless the query asked for it. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from graph_sampler.loaders.counters import OTHER_RELATION, ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.dates import ABSENT, Precision, with_precision
from graph_sampler.loaders.graph_format import Format
from graph_sampler.loaders.label_tables import labels_of_config
from graph_sampler.loaders.rdf_text import cut_date, is_finer
from graph_sampler.loaders.sparql_rows import UNBOUND, Cell, Row, is_unknown, read_rows
from graph_sampler.raw_facts import FactBuffer, RawFacts, RawLabels
from state.config import GraphConfig
from state.errors import ConfigError, GraphFormatError, did_you_mean
from state.graph_report import ImportCounter

_USUAL = {
    "subject": ("subject", "item", "person"),
    "relation": ("relation", "property", "prop"),
    "object": ("object", "value"),
    "start": ("start", "startTime", "start_time"),
    "end": ("end", "endTime", "end_time"),
    "point": ("point", "pointInTime", "date", "time"),
}
"""Field -> variables that it is looked for under where the config does not name one."""
_FACT = ("subject", "relation", "object")
_TIMES = ("start", "end", "point")
_FIELDS = (*_FACT, *_TIMES, *(f"{field}_label" for field in _FACT), *(f"{field}_precision" for field in _TIMES))
_ID = re.compile(r"(?:https?://www\.wikidata\.org/(?:entity|wiki|prop(?:/(?:direct|statement|qualifier))?)/(?:Property:)?)?([QP]\d+)")
_ITEM_CELL = re.compile(rb"[\n,\t\"]http://www\.wikidata\.org/entity/Q\d")
_PRECISIONS = {"11": "day", "10": "month", "9": "year", "8": "decade", "7": "century"}
_BATCH = 1 << 15


class _Columns:
    """The variable of each field in one file, and the fields that are one text for all rows."""

    def __init__(self, named: Mapping[str, str], names: Sequence[str], path: Path) -> None:
        self.variables: dict[str, str] = {}
        self.constants: dict[str, str] = {}
        for field in _FIELDS:
            name = named.get(field)
            if name is None:
                self._look_for(field, names)
            elif name.removeprefix("?") in names:
                self.variables[field] = name.removeprefix("?")
            elif field == "relation_label" or (field == "relation" and _ID.fullmatch(name)):
                self.constants[field] = name
            else:
                what = f"no variable {name!r} (graph.options.columns.{field})"
                raise GraphFormatError(what, where=f"{path}, line 1", remedy=did_you_mean(name, names))
        missing = [field for field in _FACT if field not in self.variables and field not in self.constants]
        if missing or not self.variables.keys() & set(_TIMES):
            field = missing[0] if missing else "start"
            raise GraphFormatError(
                f"no variable for the {field}: there are {', '.join(names) or 'none'}",
                where=f"{path}, line 1",
                remedy=f"Name it under graph.options.columns.{field}"
                + (", or a property such as P39 if all rows have one." if field == "relation" else "."),
            )

    def _look_for(self, field: str, names: Sequence[str]) -> None:
        base, _, part = field.partition("_")
        usual = [f"{self.variables[base]}{part.capitalize()}"] if part and base in self.variables else _USUAL.get(field, ())
        found = next((name for name in usual if name in names), None)
        if found:
            self.variables[field] = found

    def cell(self, row: Row, field: str) -> Cell:
        """What a row has for a field."""
        if field in self.constants:
            return Cell(self.constants[field])
        return row.get(self.variables.get(field, ""), UNBOUND)


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    unknown = sorted(config.options.columns.keys() - set(_FIELDS))
    if unknown:
        raise ConfigError(f"no field {unknown[0]!r}", where="graph.options.columns", remedy=did_you_mean(unknown[0], _FIELDS))
    facts, labels = FactBuffer(), labels_of_config(config)
    entities: dict[str, str] = {}
    relations: dict[str, str] = {}
    for path in paths:
        malformed = counters[ImportCounter.MALFORMED]
        names, rows = read_rows(path, counters)
        columns = _Columns(config.options.columns, names, path)
        _check_precision(columns, config, path)
        number = 0
        for batch in _batches(rows):
            number += len(batch)
            found = [fact for row in batch if (fact := _fact(row, columns, config, counters)) is not None]
            facts.add([pa.array([fact[position] for fact in found], pa.string()) for position in range(5)])
            for row in batch:
                _take_labels(row, columns, entities, relations)
        counters.read(path, number + counters[ImportCounter.MALFORMED] - malformed)
    labels.entities, labels.relations = {**entities, **(labels.entities or {})}, {**relations, **(labels.relations or {})}
    labels.entity_file = labels.entity_file or str(paths[0])
    labels.relation_file = labels.relation_file or str(paths[0])
    labels.types = load_types(Path(config.types)) if config.types else {}
    return facts.finish(0), labels


def _check_precision(columns: _Columns, config: GraphConfig, path: Path) -> None:
    """Passes if the dates can be as fine as the graph."""
    unstated = config.options.precision or "year"
    is_stated = any(f"{field}_precision" in columns.variables for field in _TIMES)
    if not is_stated and not is_finer(unstated, config.granularity):
        raise ConfigError(
            f"the dates in {path.name} do not state their precision, so they may be years",
            where="graph.granularity",
            remedy="Use granularity: year, name the variable of the precision under graph.options.columns, or set graph.options.precision.",
        )


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch


def _fact(row: Row, columns: _Columns, config: GraphConfig, counters: ImportCounters) -> tuple[str, str, str, str, str] | None:
    """A row as a fact, `None` where it is none."""
    subject, relation, object_ = (columns.cell(row, field) for field in _FACT)
    if is_unknown(object_.text) or not object_.text:
        counters.add("object_not_known")
        return None
    if object_.is_literal or (object_.is_literal is None and not _ID.fullmatch(object_.text) and "://" not in object_.text):
        counters.add(ImportCounter.LITERAL_OBJECT)
        return None
    times = {field: _time(row, field, columns, config, counters) for field in _TIMES if columns.cell(row, field).text}
    if "point" in times and len(times) > 1:
        counters.add(ImportCounter.AMBIGUOUS_PAIRING)
        times = {}
    start, end = (times.get("point") or times.get(field) or ABSENT for field in ("start", "end"))
    relation_id = _short(relation.text)
    if config.options.relations and relation_id not in config.options.relations:
        counters.add(OTHER_RELATION)
        return None
    return _short(subject.text), relation_id, _short(object_.text), start, end


def _time(row: Row, field: str, columns: _Columns, config: GraphConfig, counters: ImportCounters) -> str:
    text = columns.cell(row, field).text
    if is_unknown(text):
        return ABSENT
    stated = columns.cell(row, f"{field}_precision").text
    precision = _PRECISIONS.get(stated, stated) or config.options.precision or "year"
    if precision in ("12", "13", "14"):
        precision = "day"
    if precision in ("decade", "century"):
        year = cut_date(text, "year")
        return with_precision(year, Precision(precision)) if year else f"no time: {text[:40]}"
    if precision not in ("day", "month", "year"):
        counters.add("coarser_than_century")
        return ABSENT
    return cut_date(text, precision) or f"no time: {text[:40]}"


def _take_labels(row: Row, columns: _Columns, entities: dict[str, str], relations: dict[str, str]) -> None:
    """Keep the labels of a row; of several for one id the smallest."""
    for field, labels in (("subject", entities), ("object", entities), ("relation", relations)):
        identifier, label = _short(columns.cell(row, field).text), columns.cell(row, f"{field}_label").text
        if identifier and label.strip():
            labels[identifier] = min(label, labels.get(identifier, label))


def _short(text: str) -> str:
    """`Q17` for the address of an item or property, anything else as it is."""
    match = _ID.fullmatch(text)
    return match[1] if match else text


def _looks_like(path: Path, head: bytes) -> str | None:
    if path.is_dir():
        return None
    text = head.lstrip()
    if text.startswith(b"{") and b'"vars"' in text[:4096] and b'"head"' in text[:4096]:
        return "it has the head of SPARQL results"
    line = text.partition(b"\n")[0]
    if line.startswith(b"?") and all(name.startswith(b"?") for name in line.strip().split(b"\t")):
        return "line 1 names variables, each with a question mark"
    has_items = _ITEM_CELL.search(head, len(line), 4096) is not None
    return "line 2 holds addresses of Wikidata's items" if has_items and (b"," in line or b"\t" in line) else None


FORMAT = Format(
    name="wikidata-sparql",
    title="SPARQL results on Wikidata (JSON, CSV or TSV)",
    load=_load,
    looks_like=_looks_like,
    settings=frozenset(("entity_labels", "relation_labels", "entity_aliases")),
    options=frozenset(("columns", "relations", "precision", "partial_labels")),
    notes=(
        "Dates have no precision unless the query asks for it and graph.options.columns names it; without, they are years. "
        "A missing bound may be open or unknown. A results file is held in memory while it is JSON."
    ),
)
"""SPARQL results; years before 1 are counted astronomically in RDF."""
