"""The rule-based round-trip reader: question text in, the temporal constraints that it states out.

It reads as the offline verifier does and stops before anything is executed. Facts come without times, so
the reader is given invented ones, which only keep apart what lasts and what is a moment; and without a hint,
so the topology is the least that explains all facts. Where readings state different constraints it cannot tell. Paper: section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Iterable

from agents.offline.verifier_english import read_english
from agents.offline.verifier_query import Evidence, FactRef, Query, Ranking, Term
from agents.offline.verifier_skeletons import skeletons
from agents.offline.verifier_template import read_template
from graph_sampler.labels import normalise_label
from graph_sampler.operators import word_of
from state.fact import LabelledFact
from state.roles import FactDescription, NamedFact, ReadingReply, ReadRequest, StatedConstraint
from state.vocabulary import RankOrder, Template

CANNOT_TELL = ReadingReply(constraints=(), cannot_tell=True)
_FIRST, _LAST = "0001", "0002"


class _Unsaid(Exception):
    """A reading compares end points in a way that no operator does, or with facts that its words do not single out."""


def read_constraints(request: ReadRequest) -> ReadingReply:
    """The constraints that every likely reading of the question states; `cannot_tell` where there are none or several."""
    evidence = Evidence([_timed(fact, request.moments) for fact in request.facts])
    query = read_template(request.question, evidence)
    queries = _in_english(request.question, evidence) if query is None else [query]
    try:
        found = {_stated(reading, evidence) for reading in queries}
    except _Unsaid:
        return CANNOT_TELL
    if len(found) != 1:
        return CANNOT_TELL
    order = sorted(found.pop(), key=lambda constraint: constraint.model_dump_json())
    return ReadingReply(constraints=tuple(order), cannot_tell=False)


def _timed(fact: NamedFact, moments: Iterable[str]) -> LabelledFact:
    """The fact with labels for ids and an invented time."""
    return LabelledFact(
        subject=fact.subject,
        relation=fact.relation,
        object=fact.object,
        start=_FIRST,
        end=_FIRST if fact.relation in moments else _LAST,
        subject_label=fact.subject,
        relation_label=fact.relation,
        object_label=fact.object,
    )


def _in_english(question: str, evidence: Evidence) -> list[Query]:
    relations = sorted(evidence.relation_labels.values())
    quoted = ", ".join('"{}"'.format(label.replace('"', '""')) for label in relations)
    for template in Template:
        if len(relations) <= template.hop_count and _explains_all(template, question, evidence):
            found = read_english(question, f"Topology {template}, {template.hop_count} hops, relations {quoted}.", evidence)
            if found:
                return found
    return []


def _explains_all(template: Template, question: str, evidence: Evidence) -> bool:
    """Whether every fact has its place in a structure of this topology that begins at an entity which the question names."""
    text = normalise_label(question)
    named = [frozenset(entities) for label, entities in evidence.by_label.items() if label and label in text]
    return any(skeleton.penalty == 0 for skeleton in skeletons(template, list(evidence.relations_by_label), named, evidence))


def _stated(query: Query, evidence: Evidence) -> frozenset[StatedConstraint]:
    constraints = []
    for pair in query.pairwise:
        if pair.comparison.operator is None:
            raise _Unsaid
        left, right = (_described(side, query, evidence) for side in (pair.left, pair.right))
        word = word_of(pair.comparison.operator)
        constraints.append(StatedConstraint(operator=word, left=left, right=right, rank=None, order=None))
    constraints += [_ranked(ranking, query, evidence) for ranking in query.rankings]
    return frozenset(constraints)


def _ranked(ranking: Ranking, query: Query, evidence: Evidence) -> StatedConstraint:
    order = RankOrder.DESCENDING if ranking.descending else RankOrder.ASCENDING
    left = _described(FactRef(ranking.hop), query, evidence)
    return StatedConstraint(operator=word_of(f"{ranking.key}_rank"), left=left, right=None, rank=ranking.rank, order=order)


def _described(side: FactRef, query: Query, evidence: Evidence) -> FactDescription:
    if side.hop is None:
        if len(side.facts) != 1:
            raise _Unsaid
        subject, relation, object_, _, _ = evidence.facts[next(iter(side.facts))]
        labels = evidence.labels
        return FactDescription(relation=evidence.relation_labels[relation], subject=labels[subject], object=labels[object_])
    hop = next(hop for hop in query.hops if hop.name == side.hop)
    relation = min(evidence.relation_labels[relation] for relation in hop.relations)
    return FactDescription(relation=relation, subject=_end(hop.subject, evidence), object=_end(hop.object, evidence))


def _end(term: Term, evidence: Evidence) -> str | None:
    return None if term.variable is not None else min((evidence.labels[entity] for entity in term.entities), key=normalise_label)
