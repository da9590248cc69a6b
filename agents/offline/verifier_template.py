"""Reads a question in the rigid template register: numbered facts, quoted names, exact clauses.

Written apart from the module that makes such questions. Anything that is not exactly in the register
is left to the reader of free English. Paper: section 4.3.1.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agents.offline.verifier_comparison import Comparison
from agents.offline.verifier_query import Evidence, FactRef, Hop, Pairwise, Query, Ranking, Term
from graph_sampler.labels import normalise_label
from state.vocabulary import Template

_MARK = "\x00"
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_FACT = {"first": "f1", "second": "f2", "third": "f3"}
_VARIABLE = {"X": "?a", "Y": "?b", "Z": "?c"}
_X = r"(?P<x>the (?:first|second|third) fact)"
_Y = rf"(?P<y>the (?:first|second|third) fact|the fact that {_MARK}\d+ has the relation {_MARK}\d+ to {_MARK}\d+)"
_U = r"(?:year|month|day)"

_CLAUSES: dict[str, str] = {
    "I-equals-I": "X has the same start U and the same end U as Y",
    "I-starts-I": "X has the same start U as Y but ended earlier",
    "I-started-by-I": "X has the same start U as Y but ended later",
    "I-finishes-I": "X has the same end U as Y but started later",
    "I-finished-by-I": "X has the same end U as Y but started earlier",
    "I-before-I": "X ended in an earlier U than the one in which Y started",
    "I-after-I": "X started in a later U than the one in which Y ended",
    "I-meets-I": "X ended in the same U in which Y started",
    "I-met-by-I": "X started in the same U in which Y ended",
    "I-during-I": "X started in a later U and ended in an earlier U than Y",
    "I-contains-I": "X started in an earlier U and ended in a later U than Y",
    "I-overlaps-I": "X started earlier than Y and ended during it, past its start U and before its end U",
    "I-overlapped-by-I": "X ended later than Y and started during it, past its start U and before its end U",
    "P-at-start-I": "X happened in the U in which Y started",
    "P-at-end-I": "X happened in the U in which Y ended",
    "P-before-I": "X happened in an earlier U than the one in which Y started",
    "P-after-I": "X happened in a later U than the one in which Y ended",
    "P-inside-I": "X happened during Y, past its start U and before its end U",
    "I-starts-at-P": "X started in the U in which Y happened",
    "I-ends-at-P": "X ended in the U in which Y happened",
    "I-after-P": "X started in a later U than the one in which Y happened",
    "I-before-P": "X ended in an earlier U than the one in which Y happened",
    "I-covers-P": "X started in an earlier U and ended in a later U than the one in which Y happened",
    "P-before-P": "X happened in an earlier U than Y",
    "P-equals-P": "X happened in the same U as Y",
    "P-after-P": "X happened in a later U than Y",
}
_PATTERNS = [
    (name, re.compile("".join({"X": _X, "U": _U, "Y": _Y}.get(part, part) for part in re.split(r"\b([XUY])\b", text))))
    for name, text in _CLAUSES.items()
]
_ORDINAL = re.compile(
    r"of all (?P<fact>first|second|third) facts that qualify so far this is the (?:(?P<rank>\d+)(?:st|nd|rd|th) )?"
    r"(?:(?P<side>earliest|latest)(?: to (?P<end>start|end))?|(?P<length>shortest|longest))"
)
_TERM = rf"[XYZ]|{_MARK}\d+"
_STRUCTURE = re.compile(
    rf"(?P<subject>{_TERM}) has the relation (?P<relation>{_MARK}\d+) to (?P<object>{_TERM}) \((?P<name>first|second|third) fact\)"
)
_QUESTION = re.compile(r"Which entity (?P<answer>[XYZ]) is such that (?P<body>.*)\?", re.DOTALL)


class _Unknown(Exception):
    """The text is not in the template register, or names what the evidence does not hold."""


class _Clauses(NamedTuple):
    evidence: Evidence
    names: list[str]

    def label(self, mark: str) -> str:
        return self.names[int(mark[1:])]

    def entities(self, mark: str) -> frozenset[str]:
        found = self.evidence.named(self.label(mark))
        if not found:
            raise _Unknown
        return found

    def relations(self, mark: str) -> frozenset[str]:
        found = self.evidence.related(self.label(mark))
        if not found:
            raise _Unknown
        return found

    def term(self, text: str) -> Term:
        return Term(_VARIABLE[text]) if text in _VARIABLE else Term(None, self.entities(text))

    def side(self, text: str) -> FactRef:
        if _MARK not in text:
            return FactRef(_FACT[text.split()[1]])
        subject, relation, object_ = re.findall(rf"{_MARK}\d+", text)
        facts = self.evidence.matching(self.entities(subject), self.relations(relation), self.entities(object_))
        return FactRef(None, frozenset(facts))

    def hop(self, text: str) -> Hop:
        match = _STRUCTURE.fullmatch(text)
        if match is None:
            raise _Unknown
        relations = self.relations(match["relation"])
        return Hop(_FACT[match["name"]], self.term(match["subject"]), relations, self.term(match["object"]))

    def temporal(self, text: str) -> Pairwise | Ranking:
        match = _ORDINAL.fullmatch(text)
        if match is not None:
            key = "duration" if match["length"] else match["end"] or "start"
            descending = (match["length"] or match["side"]) in ("latest", "longest")
            return Ranking(_FACT[match["fact"]], key, int(match["rank"] or 1), descending)
        for name, pattern in _PATTERNS:
            match = pattern.fullmatch(text)
            if match is not None:
                return Pairwise(self.side(match["x"]), self.side(match["y"]), Comparison(name))
        raise _Unknown


def read_template(question: str, evidence: Evidence) -> Query | None:
    """The query of a question in the template register, or `None` if it is not wholly in that register."""
    names: list[str] = []

    def mark(match: re.Match[str]) -> str:
        names.append(match[1].replace('""', '"'))
        return f"{_MARK}{len(names) - 1}"

    text = " ".join(_QUOTED.sub(mark, question.replace(_MARK, "")).split())
    whole = _QUESTION.fullmatch(text)
    if whole is None:
        return None
    clauses = _Clauses(evidence, names)
    hops: list[Hop] = []
    temporal: list[Pairwise | Ranking] = []
    sizes: list[int] = []
    try:
        for stage in whole["body"].split("; and "):
            structural, _, conditions = stage.partition(", where ")
            found = [clauses.hop(part) for part in structural.split(", and ")]
            sizes.append(len(found))
            hops += found
            temporal += [clauses.temporal(part) for part in conditions.split(", and ") if conditions]
    except _Unknown:
        return None
    pairwise = tuple(part for part in temporal if isinstance(part, Pairwise))
    rankings = tuple(part for part in temporal if isinstance(part, Ranking))
    query = Query(tuple(hops), len(sizes) > 1, _VARIABLE[whole["answer"]], pairwise, rankings)
    return query if is_well_formed(query, sizes) else None


def is_well_formed(query: Query, stage_sizes: list[int]) -> bool:
    """Whether hops, variables and constraints fit one of the four templates."""
    names = [hop.name for hop in query.hops]
    if names != ["f1", "f2", "f3"][: len(names)]:
        return False
    fixed = [sum(term.variable is None for term in (hop.subject, hop.object)) for hop in query.hops]
    variables = [{term.variable for term in (hop.subject, hop.object)} - {None} for hop in query.hops]
    if query.is_chain:
        chain = [{"?a"}, {"?a", "?b"}, {"?b", "?c"}][: len(names)]
        shape = variables == chain and fixed == [1, 0, 0][: len(names)] and stage_sizes == [1] * len(names)
        answer = ["?a", "?b", "?c"][len(names) - 1]
    else:
        shape = all(found == {"?a"} for found in variables) and set(fixed) == {1} and len(names) <= 2
        answer = "?a"
    sides = [side.hop for constraint in query.pairwise for side in (constraint.left, constraint.right)]
    known = all(name is None or name in names for name in sides) and all(ranking.hop in names for ranking in query.rankings)
    return shape and known and query.answer == answer and all(constraint.left.hop for constraint in query.pairwise)


def hinted_topology(structure_hint: str) -> tuple[Template, list[str]] | None:
    """Topology and normalised relation labels that the hint names, or `None` if it names no known topology."""
    match = re.match(r"Topology (.*?), \d+ hops?, relations (.*)\.\s*\Z", structure_hint, re.DOTALL)
    if match is None or match[1] not in {template.value for template in Template}:
        return None
    return Template(match[1]), [normalise_label(label.replace('""', '"')) for label in _QUOTED.findall(match[2])]
