"""Wikidata's JSON: statements whose qualifiers state a time, and labels for the ids that they name.

Two passes over the files: statements, then labels of objects and properties. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.dates import ABSENT, OPEN
from graph_sampler.loaders.graph_format import Format
from graph_sampler.loaders.label_tables import labels_of_config
from graph_sampler.loaders.wikidata_entities import Entity, as_map, as_maps, line_id, read_entities
from graph_sampler.loaders.wikidata_times import time_text
from graph_sampler.raw_facts import FactBuffer, RawFacts, RawLabels
from state.config import GraphConfig, YearNumbering
from state.errors import GraphFormatError
from state.graph_report import ImportCounter

START, END, POINT = "P580", "P582", "P585"
EVENT_RELATION, EVENT_OBJECT = "P793", "Q1190554"
"""`significant event` and `occurrence`: under these the time of an event becomes a fact."""
_OWN_LABELS = {EVENT_RELATION: "significant event", EVENT_OBJECT: "occurrence"}
_NOT_EXACT = ("P1319", "P1326")
"""Earliest and latest date."""
_CIRCUMSTANCES, _CIRCA = "P1480", "Q5727902"
_ANY_LANGUAGE = "mul"
_BATCH = 1 << 15
_SUFFIXES = (".json", ".ndjson", ".jsonl")
_HEAD = re.compile(rb'\s*\[?\s*\{\s*"(?:entities|type|id|pageid)"\s*:')
_SORTED_HEAD = re.compile(rb'\s*\[?\s*\{\s*"(?:aliases|claims|datatype|labels|descriptions)"\s*:')


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    files = [file for path in paths for file in _files(path)]
    names = _Names(config.options.language)
    reader = _StatementReader(config, counters, names)
    for path in files:
        reader.read(path)
    raw = reader.facts.finish(0)
    labels = labels_of_config(config)
    wanted = {identifier for identifier in (*raw.entities, *raw.relations) if identifier not in names.labels}
    for path in files if wanted else ():
        names.read(path, wanted, counters)
    known = {**_OWN_LABELS, **names.labels}
    entities, relations = (
        {identifier: known[identifier] for identifier in ids if identifier in known} for ids in (raw.entities, raw.relations)
    )
    labels.entities, labels.relations = {**entities, **(labels.entities or {})}, {**relations, **(labels.relations or {})}
    labels.aliases = {**names.aliases, **labels.aliases}
    labels.entity_file = labels.entity_file or str(files[0])
    labels.relation_file = labels.relation_file or str(files[0])
    labels.types = load_types(Path(config.types)) if config.types else {}
    return raw, labels


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.is_file() and any(suffix in _SUFFIXES for suffix in file.suffixes))
    if not files:
        raise GraphFormatError("no JSON file in this folder", where=str(path), remedy=f"Names end in {', '.join(_SUFFIXES)}.")
    return files


class _StatementReader:
    """Collects the facts of files."""

    def __init__(self, config: GraphConfig, counters: ImportCounters, names: _Names) -> None:
        self.facts = FactBuffer()
        self._counters, self._names = counters, names
        self._wanted = frozenset(config.options.relations)
        self._has_events = config.options.event_times and (not self._wanted or EVENT_RELATION in self._wanted)
        self._has_times = config.options.literal_times
        self._numbering = config.year_numbering or YearNumbering.HISTORICAL
        self._rows: list[tuple[str, str, str, str, str]] = []
        times = [START, END, POINT] if not self._wanted or self._has_events else []
        needles = [f'"{identifier}"'.encode() for identifier in sorted({*self._wanted, *times})]
        self._needles = [b'"time"'] if self._has_times and not self._wanted else needles

    def read(self, path: Path) -> None:
        """Add the facts of a file."""
        needles, lines = self._needles, 0

        def is_wanted(line: bytes) -> bool:
            nonlocal lines
            lines += 1
            return any(needle in line for needle in needles)

        for entity in read_entities(path, self._counters, is_wanted):
            self._take(entity)
        self._flush()
        self._counters.read(path, lines)

    def _take(self, entity: Entity) -> None:
        subject, before = entity.get("id"), len(self._rows)
        if not isinstance(subject, str) or not subject.startswith("Q"):
            return
        claims = as_map(entity.get("claims") or entity.get("statements"))
        for relation, statements in claims.items():
            if relation in (START, END, POINT) or (self._wanted and relation not in self._wanted):
                continue
            self._take_relation(subject, relation, as_maps(statements))
        if self._has_events and claims.keys() & {START, END, POINT}:
            self._take_event(subject, claims)
        if len(self._rows) > before:
            self._names.take(entity)
        if len(self._rows) >= _BATCH:
            self._flush()

    def _take_relation(self, subject: str, relation: str, statements: list[dict[str, Any]]) -> None:
        """Add the statements of one property, those without a time only beside others with one, or where they are asked for."""
        qualified = [(statement, as_map(statement.get("qualifiers"))) for statement in statements]
        is_timed = any(part in qualifiers for _, qualifiers in qualified for part in (START, END, POINT))
        if self._has_times and statements and _kind(statements[0]) == "time":
            self._take_times(subject, relation, statements)
            return
        if not is_timed and not self._wanted:
            self._counters.add(ImportCounter.UNTIMED, len(statements))
            return
        for statement, qualifiers in qualified:
            if statement.get("rank") == "deprecated":
                self._counters.add(ImportCounter.DEPRECATED)
                continue
            object_ = _item(statement)
            if object_ is None:
                is_literal = as_map(statement.get("mainsnak")).get("snaktype") == "value"
                self._counters.add(ImportCounter.LITERAL_OBJECT if is_literal else "object_not_known")
                continue
            self._rows.append((subject, relation, object_, *self._bounds(qualifiers)))

    def _take_times(self, subject: str, relation: str, statements: list[dict[str, Any]]) -> None:
        """Add a point for each time of the best rank, as a fact about an occurrence."""
        for statement in _best(statements):
            text = self._text(as_map(statement.get("mainsnak")), OPEN)
            self._rows.append((subject, relation, EVENT_OBJECT, text, text))

    def _take_event(self, subject: str, claims: Mapping[str, Any]) -> None:
        """Add the time of an event, which it states as an item does its start, end or point in time."""
        snaks = {
            part: [as_map(statement.get("mainsnak")) for statement in _best(as_maps(claims.get(part)))] for part in (START, END, POINT)
        }
        self._rows.append((subject, EVENT_RELATION, EVENT_OBJECT, *self._bounds({part: found for part, found in snaks.items() if found})))

    def _bounds(self, qualifiers: Mapping[str, Any]) -> tuple[str, str]:
        """Start and end; both absent where the qualifiers do not say which value belongs to which, or are not exact."""
        found: dict[str, set[str]] = {}
        for part, when_none in ((START, OPEN), (END, OPEN), (POINT, ABSENT)):
            texts = {self._text(snak, when_none) for snak in as_maps(qualifiers.get(part))}
            if texts:
                found[part] = texts
        if not found:
            return ABSENT, ABSENT
        if any(len(texts) > 1 for texts in found.values()) or (POINT in found and len(found) > 1):
            self._counters.add(ImportCounter.AMBIGUOUS_PAIRING)
            return ABSENT, ABSENT
        circumstances = (_item({"mainsnak": snak}) for snak in as_maps(qualifiers.get(_CIRCUMSTANCES)))
        if any(part in qualifiers for part in _NOT_EXACT) or _CIRCA in circumstances:
            self._counters.add("not_exact")
            return ABSENT, ABSENT
        start, end = ((found.get(POINT) or found.get(part) or {ABSENT}) for part in (START, END))
        return min(start), min(end)

    def _text(self, snak: Mapping[str, Any], when_none: str) -> str:
        """Time text of a snak: no value means that there is no such bound, some value that it is not known."""
        kind = snak.get("snaktype")
        if kind == "value":
            return time_text(as_map(snak.get("datavalue")).get("value"), self._counters, self._numbering)
        return when_none if kind == "novalue" else ABSENT

    def _flush(self) -> None:
        if self._rows:
            self.facts.add([pa.array(column, pa.string()) for column in zip(*self._rows, strict=True)])
            self._rows.clear()


class _Names:
    """Labels and aliases of the entities taken."""

    def __init__(self, language: str) -> None:
        self.labels: dict[str, str] = {}
        self.aliases: dict[str, set[str]] = {}
        self._languages = (language, _ANY_LANGUAGE)

    def take(self, entity: Entity) -> None:
        """Keep the entity's label in the language, else the one for all languages, and its aliases in both."""
        identifier, labels, aliases = entity["id"], as_map(entity.get("labels")), as_map(entity.get("aliases"))
        for language in self._languages:
            label = as_map(labels.get(language)).get("value")
            if isinstance(label, str):
                self.labels.setdefault(identifier, label)
            for alias in as_maps(aliases.get(language)):
                if isinstance(text := alias.get("value"), str):
                    self.aliases.setdefault(identifier, set()).add(text)

    def read(self, path: Path, wanted: Iterable[str], counters: ImportCounters) -> None:
        """Keep the names of the wanted entities of a file."""
        ids = frozenset(wanted)

        def is_wanted(line: bytes) -> bool:
            found = line_id(line)
            return found is None or found in ids or b'"entities"' in line[:20]

        for entity in read_entities(path, ImportCounters(), is_wanted):
            if entity.get("id") in ids:
                self.take(entity)
        counters.read(path)


def _kind(statement: Mapping[str, Any]) -> str | None:
    kind = as_map(as_map(statement.get("mainsnak")).get("datavalue")).get("type")
    return kind if isinstance(kind, str) else None


def _item(statement: Mapping[str, Any]) -> str | None:
    """Id of the item that is a statement's value, `None` for another value or none."""
    value = as_map(as_map(as_map(statement.get("mainsnak")).get("datavalue")).get("value"))
    if value.get("entity-type", "item") != "item":
        return None
    identifier, number = value.get("id"), value.get("numeric-id")
    if isinstance(identifier, str):
        return identifier
    return f"Q{number}" if isinstance(number, int) else None


def _best(statements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The preferred statements, or the normal ones where none is preferred."""
    preferred = [statement for statement in statements if statement.get("rank") == "preferred"]
    return preferred or [statement for statement in statements if statement.get("rank") != "deprecated"]


def _looks_like(path: Path, head: bytes) -> str | None:
    if path.is_dir():
        return None
    has_parts = any(key in head for key in (b'"labels"', b'"claims"', b'"descriptions"'))
    is_entity = has_parts and (_HEAD.match(head) or (_SORTED_HEAD.match(head) and (b'"snaktype"' in head or b'"language"' in head)))
    return "it begins like an entity of Wikidata's JSON" if is_entity else None


FORMAT = Format(
    name="wikidata-json",
    title="Wikidata JSON (the dump, or entities one a line)",
    load=_load,
    looks_like=_looks_like,
    year_numbering=YearNumbering.HISTORICAL,
    settings=frozenset(("entity_labels", "relation_labels", "entity_aliases")),
    options=frozenset(("language", "relations", "event_times", "literal_times", "partial_labels")),
    notes=(
        "Statements between items with P580, P582 or P585; deprecated ones are left out. An end without a value is open, some value "
        "is unknown. Dates that are not exact have no usable time. A statement without a time is kept, as doubtful, where the item "
        "has another of that property with one, or where graph.options.relations names its property."
    ),
)
"""Wikidata's JSON."""
