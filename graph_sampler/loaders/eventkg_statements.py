"""Facts of EventKG files: one for each relation node, and one for the time of each event.

The lines of a relation node are contiguous, so one node is held at a time. A line that is broken (a raw line break in
a label, a quote in an IRI) is counted and reading goes on at the next one. Paper: section 4.2.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
_MOST_KNOWN = 1 << 17
_LINK, _MENTION = b"LinkRelation", b"CoMentionRelation"
_FUSED = b"event_kg"
"""Graph of the values that the writer chose among those of all sources."""
_UNIT_OF = {Part.BEGIN: Part.BEGIN_UNIT, Part.END: Part.END_UNIT}


class FactSink:
    """Takes facts one by one and keeps the source of each."""

    def __init__(self) -> None:
        self._facts = FactBuffer()
        self._sources: list[Codes] = []
        self._positions: dict[bytes, int] = {}
        # Columns, since a tuple for each row would be one more object that the garbage collector visits.
        self._ids: tuple[list[bytes], list[bytes], list[bytes]] = ([], [], [])
        self._times: tuple[list[str], list[str]] = ([], [])
        self._source: list[int] = []

    def add(self, subject: bytes, relation: bytes, object_: bytes, start: str, end: str, source: bytes) -> None:
        """Take a fact."""
        for column, identifier in zip(self._ids, (subject, relation, object_), strict=True):
            column.append(identifier)
        self._times[0].append(start)
        self._times[1].append(end)
        self._source.append(self._positions.setdefault(source, len(self._positions)) if source else -1)
        if len(self._source) >= _BATCH:
            self._flush()

    def add_all(self, raw: RawFacts, source: bytes) -> None:
        """Take facts that were read before."""
        self._flush()
        texts = (raw.entities, raw.relations, raw.entities, raw.times, raw.times)
        codes = (raw.subject, raw.relation, raw.object, raw.start, raw.end)
        self._facts.add([pa.array(text, pa.string()).take(pa.array(column)) for text, column in zip(texts, codes, strict=True)])
        self._sources.append(np.full(len(raw.subject), self._positions.setdefault(source, len(self._positions)), np.int32))

    def finish(self) -> tuple[RawFacts, Codes]:
        """All facts, and a code for the source of each, -1 where none is stated as in the light edition."""
        self._flush()
        return self._facts.finish(0), np.concatenate([np.empty(0, np.int32), *self._sources]).astype(np.int32)

    def _flush(self) -> None:
        if self._source:
            ids = [pa.array(column, pa.binary()).cast(pa.string()) for column in self._ids]
            self._facts.add([*ids, *(pa.array(column, pa.string()) for column in self._times)])
            self._sources.append(np.array(self._source, np.int32))
            for column in (*self._ids, *self._times, self._source):
                column.clear()


class StatementReader:
    """The lines of one file that say something of interest, each split into three."""

    def __init__(self, path: Path, counters: ImportCounters) -> None:
        self.path = path
        self.vocabulary = Vocabulary()
        self.rows = 0
        """Lines read so far."""
        self._counters = counters

    def statements(self) -> Iterator[tuple[bytes, Part, bytes]]:
        """Subject, what the predicate adds, and the rest of the line with its full stop.

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
            is_whole = block.count(b" .\n") == len(lines) and b"\n@" not in block and block[:1] != b"@"
            broken = 0
            for line in lines if is_whole else self._whole(lines):
                try:
                    subject, predicate, rest = line.split(b" ", 2)
                except ValueError:
                    broken += 1
                    continue
                part = parts.get(predicate)
                if part is None:
                    part = part_of(predicate)
                if part is not nothing:
                    yield subject, part, rest
                elif subject[:1] != b"<":
                    broken += not self._is_named(subject)
            self._counters.add(ImportCounter.MALFORMED, broken)

    def _whole(self, lines: list[bytes]) -> Iterator[bytes]:
        """Lines with a full stop; declarations are kept and the others counted as malformed."""
        for line in lines:
            if line[-2:] == b" ." and line[:1] != b"@":
                yield line
            elif line.strip() and line[:1] != b"#" and not self.vocabulary.declare(line):
                self._counters.add(ImportCounter.MALFORMED)

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
            self.vocabulary.learn_host(terms[0])
            return


def split_graph(rest: bytes) -> tuple[bytes, bytes]:
    """Object and graph term of what follows a predicate; the graph is empty in a statement of three terms.

    IRIs of DBpedia may hold blanks and quotes, so the graph is found from the right.
    """
    rest = rest.removesuffix(b" .")
    object_, blank, graph = rest.rpartition(b" ")
    if blank and b'"' not in graph and (graph[:1] == b"<" or (b":" in graph and graph[-1:] != b">")):
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
    nodes = _Nodes(reader.vocabulary, sink, counters, wanted, unstated)
    blank = [b""] * len(Part)
    name, first, more = b"", blank, list[tuple[Part, bytes]]()
    # This loop sees every line of a dump: it keeps lines by what they add and looks into them once the node is whole.
    for subject, part, rest in reader.statements():
        if subject != name:
            if name:
                nodes.finish(first, more)
            name, first = subject, blank.copy()
            if more:
                more = []
        if first[part]:
            more.append((part, rest))
        else:
            first[part] = rest
    if name:
        nodes.finish(first, more)
    counters.read(path, reader.rows)


class _Nodes:
    """Makes facts of relation nodes; what lines of many nodes have in common is read once."""

    def __init__(
        self, vocabulary: Vocabulary, sink: FactSink, counters: ImportCounters, wanted: frozenset[str], unstated: Unstated
    ) -> None:
        self._vocabulary, self._sink, self._counters = vocabulary, sink, counters
        self._wanted, self._unstated = wanted, unstated
        self._relations: dict[bytes, tuple[Relation | None, bytes]] = {}
        self._bounds: dict[tuple[bytes, bytes, bool], str] = {}

    def finish(self, first: list[bytes], more: list[tuple[Part, bytes]]) -> None:
        """Hand a node over as a fact, or count why it is none.

        Args:
            first: the first line of each part, empty where there is none.
            more: the lines of parts that had one already.
        """
        kind = first[Part.TYPE]
        if _LINK in kind or _MENTION in kind:
            return
        relation, source = self._relation(first[Part.RELATION])
        for part, rest in more:
            if part is Part.RELATION:
                other, graph = self._relation(rest)
                if other is not None and (relation is None or other.rank < relation.rank):
                    relation, source = other, graph
        if relation is None or not first[Part.SUBJECT] or not first[Part.OBJECT]:
            self._counters.add("incomplete_relation")
            return
        if self._wanted and relation.id not in self._wanted:
            return
        subject, object_ = self._resource(first[Part.SUBJECT]), self._resource(first[Part.OBJECT])
        if object_ is None or subject is None:
            self._counters.add(ImportCounter.LITERAL_OBJECT)
            return
        start = self._bound(first[Part.BEGIN], first[Part.BEGIN_UNIT], is_end=False)
        end = self._bound(first[Part.END], first[Part.END_UNIT], is_end=True)
        if more and any(part in (Part.BEGIN, Part.END) and _value(rest) != _value(first[part]) for part, rest in more):
            self._counters.add(ImportCounter.AMBIGUOUS_PAIRING)
            start = end = ABSENT
        self._sink.add(subject, relation.id.encode(), object_, start, end, source)

    def _relation(self, rest: bytes) -> tuple[Relation | None, bytes]:
        known = self._relations.get(rest)
        if known is None:
            _make_room(self._relations)
            term, graph = split_graph(rest)
            known = self._relations[rest] = self._vocabulary.relation(term), graph
        return known

    def _resource(self, rest: bytes) -> bytes | None:
        return None if rest[:1] == b'"' else self._vocabulary.resource(rest[: rest.find(b" ")])

    def _bound(self, rest: bytes, unit: bytes, *, is_end: bool) -> str:
        known = self._bounds.get((rest, unit, is_end))
        if known is None:
            if rest and rest[:1] != b'"':
                self._counters.add(ImportCounter.MALFORMED)
                return ABSENT
            _make_room(self._bounds)
            text = read_bound(_value(rest), _unit(unit), is_end, self._unstated) if rest else ABSENT
            known = self._bounds[rest, unit, is_end] = text
        return known


def _make_room(cache: dict[Any, Any]) -> None:
    if len(cache) >= _MOST_KNOWN:
        cache.clear()


def _value(rest: bytes) -> bytes:
    """The value of the literal that a line states."""
    return rest[1 : rest.find(b'"', 1)]


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
                waiting = name, part, _value(object_)
        elif waiting is not None and (reader.vocabulary.resource(subject), part) == (waiting[0], _UNIT_OF[waiting[1]]):
            emit(_unit(rest))
            waiting = None
    emit(b"")
    counters.read(path, reader.rows)
