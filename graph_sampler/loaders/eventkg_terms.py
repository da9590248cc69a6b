"""The vocabulary of EventKG dumps and what a term of a line stands for, in both syntaxes and both spellings of the host.

Up to V2.0 the files have prefixes, relative IRIs and a fourth term; from V2.1 on they have full IRIs; the host is
`eventKG...` or `eventkg...`. A `Vocabulary` belongs to one file and remembers every predicate and relation that it
was asked for, so that a line costs one look-up. Paper: section 4.2.1.
"""

from __future__ import annotations

from enum import IntEnum

from graph_sampler.loaders.rdf_text import Prefixes

HOST = b"http://eventkg.l3s.uni-hannover.de/"
RESOURCE = HOST + b"resource/"
SCHEMA = HOST + b"schema/"
GRAPH = HOST + b"graph/"
_OPENING = b"<" + RESOURCE
_RDF = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_SEM = b"http://semanticweb.cs.vu.nl/2009/11/sem/"
_DCTERMS = b"http://purl.org/dc/terms/"
_ITEM = b"http://www.wikidata.org/entity/Q"
_FOREIGN = (b"<http://yago-knowledge.org/", b"<http://dbpedia.org/")
_MOST_KNOWN = 1 << 16


class Part(IntEnum):
    """What a predicate adds to its subject; the first eight in the order of a node's lines."""

    NOTHING = 0
    TYPE = 1
    SUBJECT = 2
    OBJECT = 3
    RELATION = 4
    BEGIN = 5
    BEGIN_UNIT = 6
    END = 7
    END_UNIT = 8
    LABEL = 9
    ALIAS = 10
    DESCRIPTION = 11
    SAME_AS = 12
    PREFERRED_LABEL = 13


_PARTS = {
    _RDF + b"type": Part.TYPE,
    _RDF + b"subject": Part.SUBJECT,
    _RDF + b"object": Part.OBJECT,
    _SEM + b"roleType": Part.RELATION,
    _SEM + b"hasBeginTimeStamp": Part.BEGIN,
    _SEM + b"hasEndTimeStamp": Part.END,
    SCHEMA + b"startUnitType": Part.BEGIN_UNIT,
    SCHEMA + b"endUnitType": Part.END_UNIT,
    b"http://www.w3.org/2000/01/rdf-schema#label": Part.LABEL,
    _DCTERMS + b"alternative": Part.ALIAS,
    _DCTERMS + b"description": Part.DESCRIPTION,
    b"http://www.w3.org/2002/07/owl#sameAs": Part.SAME_AS,
    b"http://www.w3.org/2004/02/skos/core#prefLabel": Part.PREFERRED_LABEL,
}
_SPACES = (
    (b"http://www.wikidata.org/prop/direct/", 0, ""),
    (b"http://yago-knowledge.org/resource/", 1, "yago:"),
    (b"http://dbpedia.org/ontology/", 2, "dbo:"),
    (b"http://schema.org/", 3, "schema:"),
    (SCHEMA, 4, ""),
    (RESOURCE, 4, ""),
)
"""Space of a relation, its rank where a node has relations of several sources, and how the id of one begins."""
_OTHER_RANK = 5


class Relation:
    """A relation as a node names it."""

    __slots__ = ("id", "rank")

    def __init__(self, iri: bytes) -> None:
        for space, rank, shown in _SPACES:
            if iri.startswith(space):
                self.rank, self.id = rank, shown + iri.removeprefix(space).decode("utf-8", "replace")
                return
        self.rank, self.id = _OTHER_RANK, iri.decode("utf-8", "replace")


class Vocabulary:
    """Terms of one file."""

    def __init__(self) -> None:
        self._prefixes = Prefixes()
        self.parts: dict[bytes, Part] = {}
        """What the predicates met so far stand for, by their term."""
        self._relations: dict[bytes, Relation] = {}
        self._host = HOST

    def learn_host(self, subject: bytes) -> None:
        """Take the address before `resource/` in a file's first subject for the project's: it is a setting of the writer."""
        host, found, _ = (self._prefixes.iri(subject) or b"").partition(b"resource/")
        if found and host.count(b"/") == HOST.count(b"/") and not subject.startswith(_FOREIGN):
            self._host = host.lower()

    def declare(self, line: bytes) -> bool:
        """Whether the line declares a prefix or the base."""
        return self._prefixes.declare(line)

    def iri(self, term: bytes) -> bytes | None:
        """The IRI of a term, the project's host in lower case; `None` for a literal or a prefix that was not declared."""
        iri = self._prefixes.iri(term)
        if iri is not None and iri[: len(self._host)].lower() == self._host:
            return HOST + iri[len(self._host) :]
        return iri

    def part(self, predicate: bytes) -> Part:
        """What a predicate adds."""
        known = self.parts.get(predicate)
        if known is None:
            if len(self.parts) >= _MOST_KNOWN:  # a damaged file has predicates without end
                self.parts.clear()
            known = self.parts[predicate] = _PARTS.get(self.iri(predicate) or b"", Part.NOTHING)
        return known

    def relation(self, term: bytes) -> Relation | None:
        """The relation that a term names; `None` for a literal."""
        known = self._relations.get(term)
        if known is None and (iri := self.iri(term)):
            if len(self._relations) >= _MOST_KNOWN:
                self._relations.clear()
            known = self._relations[term] = Relation(iri)
        return known

    def resource(self, term: bytes) -> bytes | None:
        """The local name of a resource of EventKG, the IRI of anything else; `None` for a literal."""
        if term[: len(_OPENING)].lower() == _OPENING and term.endswith(b">"):
            return term[len(_OPENING) : -1]
        iri = self.iri(term)
        return iri and (iri.removeprefix(RESOURCE) or None)

    def item(self, term: bytes) -> bytes | None:
        """The Wikidata item that a term names, as `Q17`."""
        iri = self.iri(term)
        if iri is None or not iri.startswith(_ITEM) or not iri[len(_ITEM) :].isdigit():
            return None
        return b"Q" + iri[len(_ITEM) :]

    def graph(self, term: bytes) -> bytes:
        """The local name of a graph, such as `wikidata`; empty without one."""
        iri = self.iri(term)
        return iri.removeprefix(GRAPH) if iri and iri.startswith(GRAPH) else b""
