"""YAGO 4 and 4.5: times as statements about statements, `<< s p o >> schema:startDate "1999-05-18"^^xsd:date .`.

Start and end of a fact stand on lines of their own, and are joined on subject, relation and object; the dumps keep one
spell of each. Labels are read in a second pass, for the ids that were seen. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from graph_sampler.loaders.counters import JOINED, OTHER_RELATION, ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.dates import ABSENT
from graph_sampler.loaders.graph_format import Format
from graph_sampler.loaders.label_tables import labels_of_config
from graph_sampler.loaders.rdf_text import Prefixes, cut_date, is_finer, literal_text, name_in_words, read_literal
from graph_sampler.loaders.same_fact import join_bounds
from graph_sampler.loaders.text_lines import decode, read_blocks
from graph_sampler.raw_facts import FactBuffer, RawFacts, RawLabels
from state.config import GraphConfig, YearNumbering
from state.errors import ConfigError, GraphFormatError
from state.graph_report import ImportCounter
from state.interval import Granularity

_TERM = rb'(<[^<>]*>|"[^"\\]*(?:\\.[^"\\]*)*"(?:@[\w-]+|\^\^\S+)?|[^\s"<>]+)'
_STATEMENT = re.compile(rb"\s*<<\s*" + rb"\s+".join([_TERM] * 3) + rb"\s*>>\s+" + _TERM + rb"\s+" + _TERM + rb"\s*\.?\s*")
_STATED = {b"gYear": "year", b"gYearMonth": "month", b"date": "day", b"dateTime": "day"}
_SCHEMA, _SECURE_SCHEMA = b"http://schema.org/", b"https://schema.org/"
"""The address of schema.org's terms, and that of the first files of YAGO 4.5."""
_BOUNDS = {
    _SCHEMA + b"startDate": "start",
    _SCHEMA + b"endDate": "end",
    b"http://yago-knowledge.org/resource/onDate": "point",
}
_SPACES = (
    (b"http://yago-knowledge.org/resource/", "yago:"), (_SCHEMA, "schema:"),
    (b"http://bioschemas.org/", "bioschemas:"), (b"http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"),
)  # fmt: skip
_LABEL = b"http://www.w3.org/2000/01/rdf-schema#label"
_ALIASES = (_SCHEMA + b"alternateName", b"http://www.w3.org/2004/02/skos/core#altLabel")
_ANY_LANGUAGE = b"mul"
"""The language of labels that hold for all."""
_ESCAPED = re.compile(r"_u([0-9A-Fa-f]{4,6})_")
_ITEM_SUFFIX = re.compile(r"_Q\d+\Z")
_SUFFIXES = (".ttl", ".nt", ".ntx", ".nttl", ".tsv")
_BATCH = 1 << 15
_FIELDS = (8, 7)
"""Between tabs: `<<`, subject, relation, object, `>>`, what is stated of them, a literal and a full stop, which older files lack."""
_MOST_KNOWN = 1 << 17


def _loader(has_stated: bool) -> Callable[[list[Path], GraphConfig, ImportCounters], tuple[RawFacts, RawLabels]]:
    def load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
        unstated = config.options.precision or "year"
        if not has_stated and not is_finer(unstated, config.granularity):
            raise ConfigError(
                "the dates of YAGO 4.5 look like days, and those that are years read as 1 January",
                where="graph.granularity",
                remedy=f"Use granularity: {Granularity.YEAR}, or set graph.options.precision if you know better.",
            )
        files = [file for path in paths for file in _files(path)]
        reader = _AnnotationReader(config, counters, None if has_stated else unstated)
        for path in _with_annotations(files):
            reader.read(path)
        if not reader.annotations:
            raise GraphFormatError(
                "no statement about a statement (<< s p o >> ...) in these files",
                where=", ".join(map(str, files)),
                remedy="The times of YAGO 4.5 are in yago-meta, those of YAGO 4 in the annotated facts.",
            )
        halves = reader.facts.finish(0)
        raw = join_bounds(halves, counters)
        counters.add(JOINED, len(halves.subject) - len(raw.subject))
        return raw, _labels(files, raw, config, counters)

    return load


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.is_file() and any(suffix in _SUFFIXES for suffix in file.suffixes))
    if not files:
        raise GraphFormatError("no file of YAGO in this folder", where=str(path), remedy=f"Names end in {', '.join(_SUFFIXES)}.")
    return files


def _with_annotations(files: list[Path]) -> list[Path]:
    """The files that the dumps keep annotations in, by name; all where no name tells."""
    return [file for file in files if any(word in file.name.lower() for word in ("meta", "annotated"))] or files


class _Terms:
    """Ids of one file's terms."""

    def __init__(self) -> None:
        self.prefixes = Prefixes()
        self._known: dict[bytes, str | None] = {}
        self._bounds: dict[bytes, str] = {}

    def iri(self, term: bytes) -> bytes | None:
        """The IRI of a term; `None` for a literal or a prefix that was not declared."""
        iri = self.prefixes.iri(term)
        return _SCHEMA + iri.removeprefix(_SECURE_SCHEMA) if iri and iri.startswith(_SECURE_SCHEMA) else iri

    def bound(self, predicate: bytes) -> str:
        """`start`, `end` or `point`, empty for an annotation that is no time."""
        if predicate not in self._bounds:
            if len(self._bounds) >= _MOST_KNOWN:
                self._bounds.clear()
            self._bounds[predicate] = _BOUNDS.get(self.iri(predicate) or b"", "")
        return self._bounds[predicate]

    def undeclared(self, line: bytes) -> str:
        """A prefix that a statement about a statement uses and the file has not declared; empty where there is none."""
        terms = re.findall(rb"(?:^|\s)([^\s\"<>:]*:)\S", line)
        return next((term.decode("utf-8", "replace") for term in terms if term != b"_:" and self.prefixes.iri(term) is None), "")

    def id(self, term: bytes) -> str | None:
        """A short id such as `yago:Ana_Roy`; `None` for a literal or a prefix that was not declared."""
        if term not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            iri = None if term.startswith(b'"') else self.iri(term)
            self._known[term] = None if iri is None else _short(iri)
        return self._known[term]


def _short(iri: bytes) -> str:
    for space, prefix in _SPACES:
        if iri.startswith(space):
            return prefix + iri.removeprefix(space).decode("utf-8", "replace")
    return iri.decode("utf-8", "replace")


class _AnnotationReader:
    """Collects one row for each annotation that states a bound; the other bound is absent."""

    def __init__(self, config: GraphConfig, counters: ImportCounters, unstated: str | None) -> None:
        self.facts = FactBuffer()
        self.annotations = 0
        """Statements about statements met so far."""
        self._wanted = frozenset(config.options.relations)
        self._counters, self._unstated = counters, unstated
        self._times: dict[bytes, str] = {}
        self._columns: tuple[list[str], ...] = ([], [], [], [], [])

    def read(self, path: Path) -> None:
        """Add the rows of a file; lines that are no statement about a statement are passed over."""
        terms, rows = _Terms(), 0
        for block, first in read_blocks(path):
            if not block.isascii():
                decode(block, path, first)
            for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), first):
                if line[:2] == b"<<":
                    if not rows and self._unstated is None and not line[2:].lstrip().startswith(b"<"):
                        raise GraphFormatError(
                            "names with prefixes, as in YAGO 4.5", where=f"{path}, line {number}", remedy="Set graph.format: yago45."
                        )
                    if not rows and (unknown := terms.undeclared(line)):
                        raise GraphFormatError(
                            f"the prefix {unknown} is not declared",
                            where=f"{path}, line {number}",
                            remedy="A dump declares its prefixes in its first lines: has the file lost them?",
                        )
                    rows += 1
                    self._take(line, terms)
                elif line[:1] in (b"@", b"P", b"p", b"B", b"b"):
                    terms.prefixes.declare(line)
            if len(self._columns[0]) >= _BATCH:
                self._flush()
        self._flush()
        self.annotations += rows
        self._counters.read(path, rows)

    def _take(self, line: bytes, terms: _Terms) -> None:
        fields = line.split(b"\t")
        if len(fields) in _FIELDS and fields[0] == b"<<" and fields[4] == b">>":
            triple, (predicate, literal) = fields[1:4], fields[5:7]
        elif match := _STATEMENT.fullmatch(line):
            *triple, predicate, literal = match.groups()
        else:
            self._counters.add(ImportCounter.MALFORMED)
            return
        bound = terms.bound(predicate)
        if not bound:
            self._counters.add("no_time_stated")
            return
        subject, relation, object_ = map(terms.id, triple)
        if object_ is None and triple[2].startswith(b'"'):
            self._counters.add(ImportCounter.LITERAL_OBJECT)
        elif subject is None or relation is None or object_ is None:
            self._counters.add(ImportCounter.MALFORMED)
        elif not self._wanted or relation in self._wanted:
            text = self._time(literal)
            start, end = (ABSENT if bound == "end" else text), (ABSENT if bound == "start" else text)
            for column, cell in zip(self._columns, (subject, relation, object_, start, end), strict=True):
                column.append(cell)
        else:
            self._counters.add(OTHER_RELATION)

    def _time(self, term: bytes) -> str:
        """The time text of a literal, no finer than its datatype and, where that says little, than the setting.

        A blank node stands for a date that is not known.
        """
        if term.startswith(b"_:"):
            return ABSENT
        known = self._times.get(term)
        if known is None:
            if len(self._times) >= _MOST_KNOWN:
                self._times.clear()
            value, _, datatype = read_literal(term) or (b"", b"", b"")
            name = datatype[max(datatype.rfind(b"#"), datatype.rfind(b":")) + 1 :].removesuffix(b">")
            text = literal_text(value)
            stated = _STATED.get(name, "day")
            precision = stated if self._unstated is None or is_finer(self._unstated, stated) else self._unstated
            known = self._times[term] = cut_date(text, precision) or f"no time: {text[:40]}"
        return known

    def _flush(self) -> None:
        if self._columns[0]:
            self.facts.add([pa.array(column, pa.string()) for column in self._columns])
            for column in self._columns:
                column.clear()


def _labels(files: Iterable[Path], raw: RawFacts, config: GraphConfig, counters: ImportCounters) -> RawLabels:
    """Labels of the config's tables, of the files, and, where neither has one, of the names themselves."""
    labels = labels_of_config(config)
    best: dict[str, tuple[bool, str]] = {}
    wanted = frozenset(raw.entities)
    paths = list(files)
    for path in paths:
        _read_labels(path, wanted, config.options.language.encode(), best, labels.aliases)
    found = {identifier: text for identifier, (_, text) in best.items()}
    from_names = {identifier: read_entity_name(identifier) for identifier in raw.entities if identifier not in found}
    from_names = {identifier: name for identifier, name in from_names.items() if name}
    counters.add("label_from_name", sum(identifier not in (labels.entities or {}) for identifier in from_names))
    relations = {identifier: name_in_words(identifier.rpartition(":")[2]) for identifier in raw.relations if "://" not in identifier}
    labels.entities = {**from_names, **found, **(labels.entities or {})}
    labels.relations = {**relations, **(labels.relations or {})}
    labels.entity_file = labels.entity_file or str(paths[0])
    labels.relation_file = labels.relation_file or str(paths[0])
    labels.types = load_types(Path(config.types)) if config.types else {}
    return labels


def _read_labels(
    path: Path, wanted: frozenset[str], language: bytes, labels: dict[str, tuple[bool, str]], aliases: dict[str, set[str]]
) -> None:
    """Take the labels and aliases of the wanted ids; those of the language before those for all, and of several the smallest."""
    terms, tag, other_tag, tab = _Terms(), b'"@' + language, b'"@' + _ANY_LANGUAGE, b"\t"
    for block, first in read_blocks(path):
        if not block.isascii():
            decode(block, path, first)
        for line in block.split(b"\n"):
            if tag not in line and other_tag not in line:
                if line[:1] in (b"@", b"P", b"p", b"B", b"b"):
                    terms.prefixes.declare(line)
                continue
            pieces = line.replace(tab, b" ", 2).split(b" ", 2)
            predicate = terms.iri(pieces[1]) if len(pieces) == 3 else None
            if predicate is None or (predicate != _LABEL and predicate not in _ALIASES):
                continue
            identifier, literal = terms.id(pieces[0]), read_literal(pieces[2])
            if literal is None or identifier not in wanted or literal[1] not in (language, _ANY_LANGUAGE):
                continue
            text = literal_text(literal[0])
            if predicate == _LABEL:
                key = literal[1] != language, text
                labels[identifier] = min(key, labels.get(identifier, key))
            else:
                aliases.setdefault(identifier, set()).add(text)


def read_entity_name(identifier: str) -> str:
    """The words of an entity's id: `yago:Ana_Roy_Q17` is `Ana Roy`; empty where the id is no name."""
    if not identifier.startswith("yago:"):
        return ""
    name = _ITEM_SUFFIX.sub("", identifier.removeprefix("yago:"))
    name = _ESCAPED.sub(lambda match: chr(min(int(match[1], 16), 0x10FFFF)), name)
    return unquote(name).replace("_", " ").strip()


def _recogniser(has_prefixes: bool) -> Callable[[Path, bytes], str | None]:
    def looks_like(path: Path, head: bytes) -> str | None:
        if path.is_dir():
            names = [file.name for file in path.iterdir() if "yago" in file.name.lower() and any(s in _SUFFIXES for s in file.suffixes)]
            told = [name for name in names if ("meta" in name.lower() if has_prefixes else "annotated" in name.lower())]
            return f"the folder holds {sorted(told)[0]}" if told else None
        line = next((line for line in head.split(b"\n") if line[:2] == b"<<"), b"")
        if not line or line[2:].lstrip().startswith(b"<") is has_prefixes:
            return None
        return "it has statements about statements, its names " + ("with prefixes" if has_prefixes else "in full")

    return looks_like


_SETTINGS = frozenset(("entity_labels", "relation_labels", "entity_aliases"))
_OPTIONS = ("language", "relations", "partial_labels")
YAGO_4 = Format(
    name="yago4",
    title="YAGO 4 (annotated facts, RDF-star)",
    load=_loader(has_stated=True),
    looks_like=_recogniser(has_prefixes=False),
    settings=_SETTINGS,
    options=frozenset(_OPTIONS),
    notes="The datatype of a date is its precision. A missing bound may be open or unknown. One spell for each fact: where the file "
    "has two, their dates cannot be told apart.",
)
"""YAGO 4."""
YAGO_45 = Format(
    name="yago45",
    title="YAGO 4.5 (meta facts, Turtle with tabs)",
    load=_loader(has_stated=False),
    looks_like=_recogniser(has_prefixes=True),
    year_numbering=YearNumbering.ASTRONOMICAL,
    settings=_SETTINGS,
    options=frozenset((*_OPTIONS, "precision")),
    notes=(
        "Dates are written as days, months as their first day, and years as their 1 January or, in later files, as years, so a "
        "graph of years is what they can give. One spell for each fact; facts of alumni have no end. A missing bound may be open or "
        "unknown."
    ),
)
"""YAGO 4.5."""
