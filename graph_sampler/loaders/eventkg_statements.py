"""Facts of EventKG files: one for each relation node, and one for the time of each event.

The lines of a relation node are contiguous, so one node is held at a time. A line that is broken (a raw line break in
a label, a quote in an IRI) is counted and reading goes on at the next one. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.dates import ABSENT
from graph_sampler.loaders.eventkg_lines import StatementReader, split_graph
from graph_sampler.loaders.eventkg_terms import Part, Relation, Vocabulary
from graph_sampler.loaders.eventkg_times import Unstated, read_bound
from graph_sampler.raw_facts import Codes, FactBuffer, RawFacts
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
_TYPE, _SUBJECT, _OBJECT, _RELATION, _BEGIN, _BEGIN_UNIT, _END, _END_UNIT = map(int, list(Part)[1:9])
"""Positions of the parts of a node: names of this module are found faster than members of an enumeration."""


def _line(predicate: bytes) -> bytes:
    """Pattern of a further line of a node, which keeps what follows the predicate."""
    return rb"\1 <" + predicate + rb"> ([^\n]* \.)\n"


_NODE = re.compile(
    rb"^(<[^ \n]*>) <http://www\.w3\.org/1999/02/22-rdf-syntax-ns#type> ([^\n]* \.)\n"
    + _line(rb"http://www\.w3\.org/1999/02/22-rdf-syntax-ns#subject")
    + _line(rb"http://www\.w3\.org/1999/02/22-rdf-syntax-ns#object")
    + rb"((?:\1 <http://semanticweb\.cs\.vu\.nl/2009/11/sem/roleType> [^\n]* \.\n)+)"
    + b"".join(
        rb"(?:" + _line(predicate) + rb")?"
        for predicate in (
            rb"http://semanticweb\.cs\.vu\.nl/2009/11/sem/hasBeginTimeStamp", rb"[^>\n]*/schema/startUnitType",
            rb"http://semanticweb\.cs\.vu\.nl/2009/11/sem/hasEndTimeStamp", rb"[^>\n]*/schema/endUnitType",
        )
    )
    + rb"(?!\1 )",
    re.MULTILINE,
)  # fmt: skip
"""A node with its lines in the usual order and full IRIs: faster than its lines one by one, with the same outcome."""
_LONGEST_NODE = 1 << 26
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
        self._ids[0].append(subject)
        self._ids[1].append(relation)
        self._ids[2].append(object_)
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


def read_relations(path: Path, sink: FactSink, counters: ImportCounters, wanted: frozenset[str], unstated: Unstated) -> None:
    """Add a fact for each relation node of a file.

    A node has one type, subject and object, one or several relations (one for each source, of which Wikidata's
    comes before YAGO's and DBpedia's), and at most one begin and one end.

    Raises:
        GraphFormatError: as `StatementReader.statements`.
    """
    reader = StatementReader(path, counters)
    nodes = _Nodes(reader.vocabulary, sink, counters, wanted, unstated)
    for block in whole_nodes(reader.blocks()):
        done = 0
        for match in _NODE.finditer(block):
            if match.start() > done:
                between = block[done : match.start()]
                if between[between.rfind(b"\n", 0, -1) + 1 :].startswith(match[1] + b" "):
                    continue  # the node began before: its lines are in another order
                _read_lines(reader.split(between), nodes)
            nodes.finish(*_lines_of(match))
            done = match.end()
        if done < len(block):
            _read_lines(reader.split(block[done:]), nodes)
    counters.read(path, reader.rows)


def whole_nodes(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks cut anew, so that no node lies in two of them."""
    rest = b""
    for block in blocks:
        block = rest + block
        cut = _last_node(block) if len(block) < _LONGEST_NODE else len(block)
        rest = block[cut:]
        if cut:
            yield block[:cut]
    if rest:
        yield rest


def _last_node(block: bytes) -> int:
    """Where the lines of the last subject begin."""
    start = block.rfind(b"\n", 0, -1) + 1
    subject = block[start : block.find(b" ", start) + 1]
    while start:
        before = block.rfind(b"\n", 0, start - 1) + 1
        if not block.startswith(subject, before):
            break
        start = before
    return start


def _lines_of(match: re.Match[bytes]) -> tuple[list[bytes], list[tuple[Part, bytes]]]:
    """What each part of a node says, first lines and further ones."""
    first = [b"", *match.groups(b"")[1:]]
    relation, *others = (line.split(b" ", 2)[2] for line in first[_RELATION].removesuffix(b"\n").split(b"\n"))
    first[_RELATION] = relation
    return first, [(Part.RELATION, other) for other in others]


def _read_lines(statements: Iterable[tuple[bytes, Part, bytes]], nodes: _Nodes) -> None:
    """Hand over nodes line by line, whatever the order of their lines."""
    blank = [b""] * len(Part)
    name, first, more = b"", blank, list[tuple[Part, bytes]]()
    for subject, part, rest in statements:
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
        kind = first[_TYPE]
        if _LINK in kind or _MENTION in kind:
            return
        relation, source = self._relation(first[_RELATION])
        for part, rest in more:
            if part is Part.RELATION:
                other, graph = self._relation(rest)
                if other is not None and (relation is None or other.rank < relation.rank):
                    relation, source = other, graph
        if relation is None or not first[_SUBJECT] or not first[_OBJECT]:
            self._counters.add("incomplete_relation")
            return
        if self._wanted and relation.id not in self._wanted:
            return
        subject, object_ = self._resource(first[_SUBJECT]), self._resource(first[_OBJECT])
        if object_ is None or subject is None:
            self._counters.add(ImportCounter.LITERAL_OBJECT)
            return
        start = self._bound(first[_BEGIN], first[_BEGIN_UNIT], is_end=False)
        end = self._bound(first[_END], first[_END_UNIT], is_end=True)
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
    is_all_events = any(name in path.name for name in ("event_base", "events_base", "text_events"))
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
