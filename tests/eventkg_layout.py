"""A small graph written in the layout of EventKG's dumps, in each of its three syntaxes.

The layout is composed from a description of the dumps' writer; no line comes from a published file. The package's
graph of days lies in this layout beside the plain one; `python -m tests.eventkg_layout FOLDER` writes it anew.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from state.interval import is_leap

DAYS = Path(__file__).resolve().parents[1] / "graph_sampler" / "data" / "days"
EVENT_OBJECTS = {"launched-on", "fought-at", "commanded-in", "attended-conference", "played-in"}
EVENT_SUBJECTS = {"edition-of", "held-in"}
SPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#", "xsd": "http://www.w3.org/2001/XMLSchema#",
    "sem": "http://semanticweb.cs.vu.nl/2009/11/sem/", "dcterms": "http://purl.org/dc/terms/", "time": "http://www.w3.org/2006/time#",
    "wdt": "http://www.wikidata.org/prop/direct/", "wd": "http://www.wikidata.org/entity/", "skos": "http://www.w3.org/2004/02/skos/core#",
    "yago": "http://yago-knowledge.org/resource/", "dbo": "http://dbpedia.org/ontology/",
}  # fmt: skip
MONTH_END = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
Fact = tuple[str, str, str, str, str]


@dataclass
class Layout:
    """Which of the three syntaxes, and how the host is spelled."""

    syntax: str = "full"
    """`early` (prefixes, relative IRIs, four terms), `full` (N-Quads) or `light` (N-Triples)."""
    host: str = "http://eventKG.l3s.uni-hannover.de/"

    def term(self, name: str) -> str:
        """`rdf:type`, `schema:Relation`, `resource:event_1` or `graph:wikidata` as this syntax has it."""
        prefix, _, local = name.partition(":")
        if self.syntax == "early":
            own = {"resource": f"<{local}>", "schema": f"eventKG-s:{local}", "graph": f"eventKG-g:{local}"}
            return own.get(prefix, name)
        return f"<{SPACES[prefix]}{local}>" if prefix in SPACES else f"<{self.host}{prefix}/{local}>"

    def head(self) -> str:
        if self.syntax != "early":
            return ""
        spaces = SPACES | {"eventKG-s": f"{self.host}schema/", "eventKG-g": f"{self.host}graph/"}
        return "".join(f"@prefix {name}: <{space}> .\n" for name, space in spaces.items()) + f"@base <{self.host}resource/> .\n\n"

    def line(self, subject: str, predicate: str, object_: str, graph: str = "") -> str:
        """One statement; an object that begins with a quote is a literal as it stands."""
        object_ = object_.replace("xsd:date", self.term("xsd:date")) if object_.startswith('"') else self.term(object_)
        terms = [self.term(subject), self.term(predicate), object_]
        if graph and self.syntax != "light":
            terms.append(self.term(f"graph:{graph}"))
        return " ".join((*terms, ".")) + "\n"


@dataclass
class Graph:
    """What is written."""

    facts: Sequence[Fact]
    labels: Mapping[str, str]
    relations: Mapping[str, str]
    aliases: Sequence[tuple[str, str]] = ()
    events: frozenset[str] = frozenset()
    items: Mapping[str, str] = field(default_factory=dict)
    """Resource -> Wikidata item."""


def quoted(text: str, tag: str = "") -> str:
    """A literal with the dumps' incomplete escaping: backslash and quote only."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + f'"{tag}'


def widened(time: str, *, is_end: bool) -> tuple[str, str]:
    """Date and unit as EventKG's writer states a year, month or day; the end of a February goes wrong as it does there."""
    year, *rest = time.split("-")
    if len(rest) == 2:
        return time, "time:unitDay"
    if not rest:
        return f"{year}-{'12-31' if is_end else '01-01'}", "time:unitYear"
    month = int(rest[0])
    if is_end and month == 2:
        return f"{year}-03-{'02' if is_leap(int(year)) else '03'}", "time:unitMonth"
    return f"{year}-{month:02d}-{MONTH_END[month - 1] if is_end else 1:02d}", "time:unitMonth"


def time_lines(layout: Layout, subject: str, start: str, end: str, graph: str = "") -> Iterator[str]:
    """Lines of the bounds that are not empty, each with its unit."""
    for time, predicate, unit_of in ((start, "sem:hasBeginTimeStamp", "startUnitType"), (end, "sem:hasEndTimeStamp", "endUnitType")):
        if time:
            date, unit = widened(time, is_end=unit_of == "endUnitType")
            yield layout.line(subject, predicate, quoted(date, "^^xsd:date"), graph)
            yield layout.line(subject, f"schema:{unit_of}", unit, graph)


def relation_lines(layout: Layout, facts: Iterable[Fact]) -> Iterator[str]:
    for number, (subject, relation, object_, start, end) in enumerate(facts):
        node = f"resource:{'eventkg_' if layout.syntax == 'early' else ''}relation_{number}"
        yield layout.line(node, "rdf:type", "schema:Relation", "wikidata")
        yield layout.line(node, "rdf:subject", f"resource:{subject}", "wikidata")
        yield layout.line(node, "rdf:object", f"resource:{object_}", "wikidata")
        yield layout.line(node, "sem:roleType", relation_term(relation), "wikidata")
        yield from time_lines(layout, node, start, end, "wikidata")


def relation_term(relation: str) -> str:
    if relation.partition(":")[0] in ("yago", "dbo"):
        return relation
    return f"wdt:{relation}" if re.fullmatch(r"P\d+", relation) else f"schema:{relation}"


def name_lines(layout: Layout, graph: Graph, ids: Iterable[str], kind: str) -> Iterator[str]:
    aliases: dict[str, list[str]] = {}
    for identifier, alias in graph.aliases:
        aliases.setdefault(identifier, []).append(alias)
    for identifier in ids:
        subject = f"resource:{identifier}"
        yield layout.line(subject, "rdf:type", kind, "event_kg")
        if identifier in graph.items:
            yield layout.line(subject, "owl:sameAs", f"wd:{graph.items[identifier]}", "wikidata")
        if identifier in graph.labels:
            yield layout.line(subject, "rdfs:label", quoted(graph.labels[identifier], "@en"), "wikidata")
        for alias in aliases.get(identifier, ()):
            yield layout.line(subject, "dcterms:alternative", quoted(alias, "@en"), "wikidata")


def files(graph: Graph, layout: Layout) -> dict[str, str]:
    """Name -> content of the files that hold the graph."""
    ids = dict.fromkeys(identifier for fact in graph.facts for identifier in (fact[0], fact[2]))
    with_event = [fact for fact in graph.facts if fact[0] in graph.events or fact[2] in graph.events]
    without = [fact for fact in graph.facts if fact[0] not in graph.events and fact[2] not in graph.events]
    lines = {
        "events.nq": name_lines(layout, graph, sorted(ids.keys() & graph.events), "sem:Event"),
        "entities.nq": name_lines(layout, graph, sorted(ids.keys() - graph.events), "sem:Actor"),
        "property_labels.nq": (
            layout.line(relation_term(relation), "rdfs:label", quoted(label, "@en"), "wikidata")
            for relation, label in sorted(graph.relations.items())
        ),
        "relations_other.nq" if layout.syntax == "early" else "relations_events_other.nq": relation_lines(layout, with_event),
        "relations_entities_temporal.nq": relation_lines(layout, without),
    }
    return {name: layout.head() + "".join(content) for name, content in lines.items()}


def write(folder: Path, graph: Graph, layout: Layout | None = None, *, is_packed: bool = False) -> Path:
    """Write the graph's files into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files(graph, layout or Layout()).items():
        path = folder / (f"{name}.gz" if is_packed else name)
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0) if is_packed else text.encode())
    return folder


def days() -> Graph:
    """The package's graph of days."""

    def rows(name: str) -> list[list[str]]:
        return [line.split("\t") for line in (DAYS / name).read_text(encoding="utf-8").splitlines()]

    facts = [(row[0], row[1], row[2], row[3], row[4]) for row in rows("full.txt")]
    events = {fact[2] for fact in facts if fact[1] in EVENT_OBJECTS} | {fact[0] for fact in facts if fact[1] in EVENT_SUBJECTS}
    return Graph(
        facts=facts,
        labels={row[0]: row[1] for row in rows("wd_id2entity_text.txt")},
        relations={row[0]: row[1] for row in rows("wd_id2relation_text.txt")},
        aliases=[(row[0], row[1]) for row in rows("wd_id2entity_aliases.txt")],
        events=frozenset(events),
    )


if __name__ == "__main__":
    write(Path(sys.argv[1]), days(), is_packed=True)
