"""Reads a question in free English into the queries that it may mean. Paper: section 4.3.2."""

from __future__ import annotations

from itertools import pairwise

from agents.offline.verifier_antecedents import every_antecedent
from agents.offline.verifier_coreference import parsed_queries
from agents.offline.verifier_kinds import asks_for_another_kind
from agents.offline.verifier_named_facts import may_be_either_end, says_no_fact
from agents.offline.verifier_query import Evidence, Query
from agents.offline.verifier_reading import best_queries
from agents.offline.verifier_refused_words import refused_word
from agents.offline.verifier_skeletons import Skeleton, skeletons
from agents.offline.verifier_template import hinted_topology
from agents.offline.verifier_tokens import CLAUSE_BOUNDS, Token, Unreadable, cut, tokenise
from agents.offline.verifier_walk import may_be_noun
from agents.offline.verifier_words import SOMEONE

_POINTING = frozenset(["such", "considering", ":", "entity", "entities", "unnamed"])
"""Words that point back, or share out, beyond what the reader by units can tell."""


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
        if refused_word(tokens) or says_no_fact(tokens, evidence) or may_be_either_end(tokens, evidence):
            return []
        names = [token.entities for token in tokens if token.kind == "name"]
        options = skeletons(template, relations, names, evidence)
        readings = [_queries(variant, options, evidence) for variant in every_antecedent(tokens, evidence)]
    except Unreadable:
        return []
    # A pronoun that may mean something of which the evidence says nothing leaves the question open.
    queries = list(dict.fromkeys(query for found in readings for query in found)) if all(readings) else []
    return [] if any(asks_for_another_kind(tokens, query, evidence) for query in queries) else queries


def _queries(tokens: list[Token], options: list[Skeleton], evidence: Evidence) -> list[Query]:
    return parsed_queries(tokens, options, evidence) or ([] if _points_back(tokens) else best_queries(cut(tokens), options, evidence))


def _points_back(tokens: list[Token]) -> bool:
    """Whether words point back to one thing of several, share a verb out, or date a fact by a thing that nothing describes."""
    is_adjunct = False
    for place, (token, following) in enumerate(pairwise(tokens)):
        is_adjunct = token.kind == "connective" or (is_adjunct and token.kind not in CLAUSE_BOUNDS)
        if token.text == "that" and may_be_noun(following):
            return True
        if token.text in _POINTING or (token.kind == "connective" and following.text == "both"):
            return True
        if is_adjunct and token.text in SOMEONE and following.kind != "relative":
            return True
        if is_adjunct and token.text in ("a", "an") and may_be_noun(following) and tokens[place - 1].text != "as":
            described = tokens[place + 2 : place + 3]
            if not described or (described[0].text != "of" and described[0].kind != "relative"):
                return True
    return False
