"""EventKG dumps of all releases: a folder of `.nq` files, full or light edition, plain or packed.

Two passes: facts from the files of relations and of event times, then labels for the ids that those name. The files of
untimed relations between entities, of links, mentions and types are the bulk of a dump and are not opened.
Paper: section 5.1.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.eventkg_labels import Names, read_property_labels
from graph_sampler.loaders.eventkg_statements import EVENT_OBJECT, EVENT_RELATION, FactSink, read_event_times, read_relations
from graph_sampler.loaders.eventkg_terms import HOST
from graph_sampler.loaders.eventkg_times import Unstated, without_impossible_times
from graph_sampler.loaders.graph_format import Format
from graph_sampler.loaders.rdf_text import name_in_words
from graph_sampler.loaders.same_fact import join_bounds, renamed, without_timeless_relations, without_vaguer_copies
from graph_sampler.raw_facts import RawFacts, RawLabels
from state.config import GraphConfig
from state.errors import GraphFormatError
from state.interval import Granularity

RELATION_FILES = ("relations_other", "relations_events_other", "relations_entities_temporal")
"""Relations with an event, by the name of early and of later releases, and timed relations between entities."""
EVENT_TIME_FILES = ("relations_base", "relations_event_base", "relations_events_base")
"""Times of events; the first has those of other things too."""
NAME_FILES = ("events", "entities", "preferred_labels")
PROPERTY_FILE = "property_labels"
TEXT_EVENT_FILE = "text_events"
DEFAULT_MIN_YEAR = 1000
_READ = frozenset((*RELATION_FILES, *EVENT_TIME_FILES, *NAME_FILES, PROPERTY_FILE, TEXT_EVENT_FILE))
_ARCHIVE = re.compile(r"\.(?:tar(?:\.[a-z0-9]+)?|tgz|zip|7z)\Z", re.IGNORECASE)
_NAME = re.compile(r"([a-z_0-9]+)\.(?:nq|nt|ttl)(?:\.[a-z0-9]+)?\Z", re.IGNORECASE)


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    options = config.options
    files = _files(paths)
    facts = _read_facts(files, config, counters)
    if not len(facts.subject):
        raise GraphFormatError(
            f"no timed relation in {counters.rows:,} lines",
            where=_listed(files, (*RELATION_FILES, *EVENT_TIME_FILES)),
            remedy="Is it a dump of EventKG, and are graph.options.relations ids of its relations?",
        )
    names = Names(facts.entities, options.language)
    for name in (*NAME_FILES, *([TEXT_EVENT_FILE] if options.text_events else [])):
        if name in files:
            names.read(files[name], counters, is_of_sentences=name == TEXT_EVENT_FILE)
    properties = read_property_labels(files[PROPERTY_FILE], options.language, counters) if PROPERTY_FILE in files else {}
    if PROPERTY_FILE not in files:
        counters.note(f"{PROPERTY_FILE}.nq is not there: relations of Wikidata have no labels.")
    counters.add("label_in_other_language", names.in_other_language())
    ids = names.stable_ids(facts.entities)
    labels = RawLabels(
        entities={ids[position]: key[-1] for position, key in sorted(names.labels.items(), reverse=True)},
        relations=_relation_labels(facts.relations, properties),
        aliases={ids[position]: texts for position, texts in names.aliases.items()},
        entity_file=_listed(files, NAME_FILES),
        relation_file=str(files.get(PROPERTY_FILE, paths[0])),
        types=load_types(Path(config.types)) if config.types else {},
    )
    if EVENT_OBJECT.decode() in facts.entities and labels.entities is not None:
        labels.entities.setdefault(EVENT_OBJECT.decode(), "occurrence")
    return renamed(facts, ids), labels


def _read_facts(files: dict[str, Path], config: GraphConfig, counters: ImportCounters) -> RawFacts:
    """The facts of all files, under EventKG's own ids of entities."""
    options = config.options
    unstated: Unstated = options.precision or "year"
    sink = FactSink()
    for name in RELATION_FILES:
        if name in files:
            read_relations(files[name], sink, counters, frozenset(options.relations), unstated)
    if options.event_times and (not options.relations or EVENT_RELATION.decode() in options.relations):
        times = FactSink()
        for name in (*EVENT_TIME_FILES, *([TEXT_EVENT_FILE] if options.text_events else [])):
            if name in files:
                read_event_times(files[name], times, counters, unstated)
        sink.add_all(join_bounds(times.finish()[0], counters), b"event_kg")
    raw, source = sink.finish()
    raw = without_impossible_times(raw, options.min_year if options.min_year is not None else DEFAULT_MIN_YEAR, counters)
    return without_timeless_relations(without_vaguer_copies(raw, source, counters), counters)


def _dumps_below(path: Path) -> list[Path]:
    """Folders within a folder, as unpacking leaves them, that hold timed relations between entities."""
    found = (file.parent for depth in ("*", "*/*") for file in path.glob(f"{depth}/relations_entities_temporal.*"))
    return sorted(set(found)) if path.is_dir() else []


def _files(paths: list[Path]) -> dict[str, Path]:
    """The dump's files by name, without the previews."""
    found: dict[str, Path] = {}
    for path in paths:
        if not path.exists():
            raise GraphFormatError("no such file or folder", where=str(path))
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            match = _NAME.match(file.name)
            if match is None or match[1].lower() not in _READ or not file.is_file():
                continue
            other = found.setdefault(match[1].lower(), file)
            if other != file:
                raise GraphFormatError(f"two files of one name: {other.name} and {file.name}", where=str(path), remedy="Keep one.")
    if not found.keys() & {*RELATION_FILES, *EVENT_TIME_FILES}:
        raise GraphFormatError(
            "no file of an EventKG dump that holds facts",
            where=", ".join(map(str, paths)),
            remedy=next((f"Name {folder}." for path in paths for folder in _dumps_below(path)), "")
            or next((f"Unpack {path.name} and name its folder." for path in paths if _ARCHIVE.search(path.name)), "")
            or f"One of these is due: {', '.join(f'{name}.nq' for name in (*RELATION_FILES, *EVENT_TIME_FILES))}.",
        )
    if not found.keys() & set(NAME_FILES):
        raise GraphFormatError(
            "the files with labels are missing", where=", ".join(map(str, paths)), remedy="Put events.nq and entities.nq beside the others."
        )
    return found


def _relation_labels(ids: Iterable[str], properties: dict[str, str]) -> dict[str, str]:
    """Labels of relations: as the dump states them, else the words of their names."""
    labels = {}
    for identifier in ids:
        label = properties.get(identifier) or _own_words(identifier)
        if label:
            labels[identifier] = label
    if EVENT_RELATION.decode() in ids:
        labels.setdefault(EVENT_RELATION.decode(), "significant event")
    return labels


def _own_words(identifier: str) -> str:
    """The words of a relation's name; a property of Wikidata and an address have none."""
    if re.fullmatch(r"P\d+", identifier) or "://" in identifier:
        return ""
    return name_in_words(identifier.rpartition(":")[2])


def _listed(files: dict[str, Path], names: Iterable[str]) -> str:
    return ", ".join(str(files[name]) for name in names if name in files)


def _looks_like(path: Path, head: bytes) -> str | None:
    if path.is_dir():
        names = {match[1].lower() for file in path.iterdir() if (match := _NAME.match(file.name))}
        facts = sorted(names & {*RELATION_FILES, *EVENT_TIME_FILES})
        return f"the folder holds {facts[0]}.nq" if facts and names & set(NAME_FILES) else None
    return "its names begin with EventKG's address" if HOST.removeprefix(b"http://") in head.lower() else None


FORMAT = Format(
    name="eventkg",
    title="EventKG dump (releases 1.1 to 3.3, full or light)",
    load=_load,
    looks_like=_looks_like,
    granularity=Granularity.DAY,
    options=frozenset(("language", "relations", "precision", "min_year", "event_times", "text_events", "partial_labels")),
    notes=(
        "An open end, an unknown one and none are all written as nothing. Years before 1 lose their sign, so facts before "
        f"min_year ({DEFAULT_MIN_YEAR}) have no usable time. Release 1.1 states no precision: its dates count as years unless "
        "graph.options.precision says otherwise."
    ),
)
"""EventKG's dumps; checked against the code that writes and reads them, not yet tried on a downloaded release."""
