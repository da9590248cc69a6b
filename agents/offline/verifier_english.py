"""Reads a question in free English into the queries that it may mean. Paper: section 4.3.2."""

from __future__ import annotations

from agents.offline.verifier_query import Evidence, Query
from agents.offline.verifier_reading import best_queries
from agents.offline.verifier_skeletons import skeletons
from agents.offline.verifier_template import hinted_topology
from agents.offline.verifier_tokens import Unreadable, cut, tokenise


def read_english(question: str, structure_hint: str, evidence: Evidence) -> list[Query]:
    """The likeliest queries of a question; empty if it cannot be read."""
    hint = hinted_topology(structure_hint)
    if hint is None:
        return []
    template, labels = hint
    relations = [label for label in labels if label in evidence.relations_by_label]
    if len(relations) != len(labels):
        return []
    try:
        units = cut(tokenise(question, evidence, frozenset(relations)))
    except Unreadable:
        return []
    names = [token.entities for unit in units for token in unit.of("name")]
    return best_queries(units, skeletons(template, relations, names, evidence), evidence)
