"""Facts of EventKG files: one for each relation node, and one for the time of each event.

The lines of a relation node are contiguous, so one node is held at a time. A line that is broken (a raw line break in
a label, a quote in an IRI) is counted and reading goes on at the next one. Paper: section 4.2.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.dates import ABSENT
from graph_sampler.loaders.eventkg_terms import Part, Relation, Vocabulary
from graph_sampler.loaders.eventkg_times import Unstated, read_bound
from graph_sampler.loaders.text_lines import decode, read_blocks
from graph_sampler.raw_facts import Codes, FactBuffer, RawFacts
from state.errors import GraphFormatError
from state.graph_report import ImportCounter

EVENT_RELATION = b"P793"
"""Wikidata's `significant event`, under which the time of an event becomes a fact."""
EVENT_OBJECT = b"Q1190554"
"""Wikidata's `occurrence`, the object of that fact."""
_BATCH = 1 << 15
_RELATION_TYPE = b"/schema/Relation>"
_OTHER_TYPES = (b"LinkRelation", b"CoMentionRelation")
_FUSED = b"event_kg"
"""Graph of the values that the writer chose among those of all sources."""
_UNIT_OF = {Part.BEGIN: Part.BEGIN_UNIT, Part.END: Part.END_UNIT}


class FactSink:
    """Takes facts one by one and keeps the source of each."""

    def __init__(self) -> None:
        self._facts = FactBuffer()
        self._sources: list[Codes] = []
        self._positions: dict[bytes, int] = {}
        self._rows: list[tuple[bytes, bytes, bytes, str, str, int]] = []

    def add(self, subject: bytes, relation: bytes, object_: bytes, start: str, end: str, source: bytes) -> None:
        """Take a fact."""
        self._rows.append((subject, relation, object_, start, end, self._positions.setdefault(source, len(self._positions))))
        if len(self._rows) >= _BATCH:
            self._flush()

    def add_all(self, raw: RawFacts, source: bytes) -> None:
        """Take facts that were read before."""
        self._flush()
        texts = (raw.entities, raw.relations, raw.entities, raw.times, raw.times)
        codes = (raw.subject, raw.relation, raw.object, raw.start, raw.end)
        self._facts.add([pa.array(text, pa.string()).take(pa.array(column)) for text, column in zip(texts, codes, strict=True)])
        self._sources.append(np.full(len(raw.subject), self._positions.setdefault(source, len(self._positions)), np.int32))

    def finish(self) -> tuple[RawFacts, Codes]:
        """All facts, and a code for the source of each."""
        self._flush()
        return self._facts.finish(0), np.concatenate([np.empty(0, np.int32), *self._sources]).astype(np.int32)

    def _flush(self) -> None:
        if self._rows:
            *columns, sources = zip(*self._rows, strict=True)
            ids = [pa.array(column, pa.binary()).cast(pa.string()) for column in columns[:3]]
            self._facts.add([*ids, *(pa.array(column, pa.string()) for column in columns[3:])])
            self._sources.append(np.array(sources, np.int32))
            self._rows.clear()


class StatementReader:
    """The lines of one file that say something of interest, each split into three."""

    def __init__(self, path: Path, counters: ImportCounters) -> None:
        self.path = path
        self.vocabulary = Vocabulary()
        self.rows = 0
        """Lines read so far."""
        self._counters = counters

    def statements(self) -> Iterator[tuple[bytes, Part, bytes]]:
        """Subject, what the predicate adds, and the rest of the line up to the full stop.

        Raises:
            GraphFormatError: the file is missing, damaged, not UTF-8, or its first line is no statement.
        """
        parts, part_of = self.vocabulary.parts, self.vocabulary.part
        nothing = Part.NOTHING
        for block, first in read_blocks(self.path):
            if not block.isascii():
                decode(block, self.path, first)
            if b"\r" in block:
                block = block.replace(b"\r\n", b"\n")
            lines = block.removesuffix(b"\n").split(b"\n")
            self.rows += len(lines)
            if first == 1:
                self._check_first(lines)
            broken = 0
            for line in lines:
                pieces = line.split(b" ", 2)
                if len(pieces) == 3 and line[-2:] == b" ." and line[:1] != b"@":
                    part = parts.get(pieces[1])
                    if part is None:
                        part = part_of(pieces[1])
                    if part is not nothing:
                        yield pieces[0], part, pieces[2][:-2]
                    elif line[:1] != b"<":
                        broken += not self._is_named(pieces[0])
                elif line.strip() and line[:1] != b"#" and not self.vocabulary.declare(line):
                    broken += 1
            self._counters.add(ImportCounter.MALFORMED, broken)

    def _is_named(self, term: bytes) -> bool:
        return self.vocabulary.iri(term) is not None

    def _check_first(self, lines: list[bytes]) -> None:
        """Passes if the first line that is no declaration has three or four terms and a full stop."""
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith(b"#") or self.vocabulary.declare(line):
                continue
            terms = line.split(b" ", 2)
            if len(terms) < 3 or not line.endswith(b" .") or self.vocabulary.iri(terms[0]) is None or self.vocabulary.iri(terms[1]) is None:
                raise GraphFormatError(
                    "not a statement of three or four terms with a full stop",
                    where=f"{self.path}, line {number}",
                    remedy="EventKG's files have one statement a line; is it one of them?",
                )
            return


def split_graph(rest: bytes) -> tuple[bytes, bytes]:
    """Object and graph term of what follows a predicate; the graph is empty in a statement of three terms.

    IRIs of DBpedia may hold blanks and quotes, so the graph is found from the right.
    """
    object_, blank, graph = rest.rpartition(b" ")
    if blank and (graph[:1] == b"<" or (b":" in graph and graph[-1:] not in b'">')) and object_[-1:] != b"\\":
        return object_, graph
    return rest, b""


def read_relations(path: Path, sink: FactSink, counters: ImportCounters, wanted: frozenset[str], unstated: Unstated) -> None:
    """Add a fact for each relation node of a file.

    A node has one type, subject and object, one or several relations (one for each source, of which Wikidata's
    comes before YAGO's and DBpedia's), and at most one begin and one end.

    Raises:
        GraphFormatError: as `StatementReader.statements`.
    """
    reader = StatementReader(path, counters)
    node = _Node(reader.vocabulary, sink, counters, wanted, unstated)
    for subject, part, rest in reader.statements():
        if subject != node.name:
            node.finish()
            node.begin(subject)
        node.add(part, rest)
    node.finish()
    counters.read(path, reader.rows)


class _Node:
    """The relation node whose lines are being read."""

    def __init__(
        self, vocabulary: Vocabulary, sink: FactSink, counters: ImportCounters, wanted: frozenset[str], unstated: Unstated
    ) -> None:
        self._vocabulary, self._sink, self._counters = vocabulary, sink, counters
        self._wanted, self._unstated = wanted, unstated
        self.begin(b"")

    def begin(self, name: bytes) -> None:
        """Forget the last node."""
        self.name = name
        self._ends: dict[Part, bytes] = {}
        self._relation: Relation | None = None
        self._is_other = False
        self._source = b""
        self._dates: dict[Part, list[tuple[bytes, bytes]]] = {}

    def add(self, part: Part, rest: bytes) -> None:
        """Take one line of the node."""
        if part is Part.SUBJECT or part is Part.OBJECT:
            object_, graph = split_graph(rest)
            self._ends[part] = object_
            self._source = self._source or graph
        elif part is Part.BEGIN or part is Part.END:
            if rest[:1] == b'"':
                self._dates.setdefault(part, []).append((rest[1 : rest.find(b'"', 1)], b""))
            else:
                self._counters.add(ImportCounter.MALFORMED)
        elif part is Part.BEGIN_UNIT or part is Part.END_UNIT:
            dates = self._dates.get(Part.BEGIN if part is Part.BEGIN_UNIT else Part.END)
            if dates and not dates[-1][1]:
                dates[-1] = dates[-1][0], _unit(rest)
        elif part is Part.RELATION:
            term, graph = split_graph(rest)
            relation = self._vocabulary.relation(term)
            if relation is not None and (self._relation is None or relation.rank < self._relation.rank):
                self._relation, self._source = relation, graph or self._source
        elif part is Part.TYPE:
            self._is_other = any(name in rest for name in _OTHER_TYPES)

    def finish(self) -> None:
        """Hand the node over as a fact, or count why it is none."""
        if not self.name or self._is_other:
            return
        relation = self._relation
        if relation is None or len(self._ends) < 2:
            self._counters.add("incomplete_relation", bool(self._ends or relation))
            return
        if self._wanted and relation.id not in self._wanted:
            return
        subject, object_ = (self._vocabulary.resource(self._ends[part]) for part in (Part.SUBJECT, Part.OBJECT))
        if object_ is None or subject is None:
            self._counters.add(ImportCounter.LITERAL_OBJECT)
            return
        if any(len(set(dates)) > 1 for dates in self._dates.values()):
            self._counters.add(ImportCounter.AMBIGUOUS_PAIRING)
            self._dates = {}
        start, end = (
            read_bound(*self._dates[part][0], part is Part.END, self._unstated) if part in self._dates else ABSENT
            for part in (Part.BEGIN, Part.END)
        )
        self._sink.add(subject, relation.id.encode(), object_, start, end, self._source)


def _unit(rest: bytes) -> bytes:
    """Local name of the unit that a line names."""
    term = split_graph(rest)[0]
    return term[max(term.rfind(b"#"), term.rfind(b"/"), term.rfind(b":")) + 1 :].removesuffix(b">")


def read_event_times(path: Path, sink: FactSink, counters: ImportCounters, unstated: Unstated) -> None:
    """Add one row for each begin and each end of an event that a file states, fused ones only; the other bound is absent.

    Raises:
        GraphFormatError: as `StatementReader.statements`.
    """
    reader = StatementReader(path, counters)
    is_all_events = "event_base" in path.name or "text_events" in path.name
    waiting: tuple[bytes, Part, bytes] | None = None

    def emit(unit: bytes) -> None:
        if waiting is not None:
            bound = read_bound(waiting[2], unit, waiting[1] is Part.END, unstated)
            pair = (bound, ABSENT) if waiting[1] is Part.BEGIN else (ABSENT, bound)
            sink.add(waiting[0], EVENT_RELATION, EVENT_OBJECT, *pair, _FUSED)

    for subject, part, rest in reader.statements():
        if part in (Part.BEGIN, Part.END):
            emit(b"")
            waiting = None
            object_, graph = split_graph(rest)
            name = reader.vocabulary.resource(subject)
            if name and (is_all_events or name.startswith(b"event_")) and reader.vocabulary.graph(graph) in (_FUSED, b""):
                waiting = name, part, object_[1 : object_.find(b'"', 1)]
        elif waiting is not None and (reader.vocabulary.resource(subject), part) == (waiting[0], _UNIT_OF[waiting[1]]):
            emit(_unit(rest))
            waiting = None
    emit(b"")
    counters.read(path, reader.rows)
