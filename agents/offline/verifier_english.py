"""Reads a question in free English into the queries that it may mean. Paper: section 4.3.2."""

from __future__ import annotations

from itertools import pairwise

from agents.offline.verifier_coreference import parsed_queries
from agents.offline.verifier_query import Evidence, Query
from agents.offline.verifier_reading import best_queries
from agents.offline.verifier_skeletons import skeletons
from agents.offline.verifier_template import hinted_topology
from agents.offline.verifier_tokens import Token, Unreadable, cut, tokenise
from agents.offline.verifier_walk import may_be_noun


def read_english(question: str, structure_hint: str, evidence: Evidence) -> list[Query]:
    """The likeliest queries of a question; empty if it cannot be read.

    The parser is asked first: it keeps apart what points back to what. The reader by units takes what
    the parser has no rule for.
    """
    hint = hinted_topology(structure_hint)
    if hint is None:
        return []
    template, labels = hint
    relations = [label for label in labels if label in evidence.relations_by_label]
    if len(relations) != len(labels):
        return []
    try:
        tokens = tokenise(question, evidence, frozenset(relations))
        names = [token.entities for token in tokens if token.kind == "name"]
        options = skeletons(template, relations, names, evidence)
        return parsed_queries(tokens, options, evidence) or ([] if _points_back(tokens) else best_queries(cut(tokens), options, evidence))
    except Unreadable:
        return []


def _points_back(tokens: list[Token]) -> bool:
    """Whether words point back to one thing of several, or share a verb out, which the reader by units cannot tell."""
    for token, following in pairwise(tokens):
        if token.text == "that" and may_be_noun(following):
            return True
        if token.text in ("such", "considering", ":") or (token.kind == "connective" and following.text == "both"):
            return True
    return False
