"""What a question may say of the relations at hand, ready to be looked for in it: listed words, and labels in all their words.

Paper: section 4.3.2.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agents.offline.verifier_inflection import forms_of, phrases_of
from agents.offline.verifier_labels import read_label
from agents.offline.verifier_query import Evidence


class Trigger(NamedTuple):
    """What a word says of one relation."""

    relation: str
    """Normalised relation label."""
    aspect: str | None
    """`s` where the word means the fact's start, `e` its end, `None` the fact as a whole."""
    is_verb: bool


class Vocabulary(NamedTuple):
    """What may be said of the relations at hand."""

    phrases: dict[str, list[tuple[tuple[str, ...], tuple[Trigger, ...]]]]
    """By first word, longest first."""
    types: frozenset[str]
    """Nouns for kinds of things."""
    labels: list[tuple[re.Pattern[str], Trigger]]
    """Labels that are said as they stand, longest first."""
    spoken: list[tuple[re.Pattern[str], str]]
    """Labels that are not listed, in all their words, each with its relation."""
    own: dict[str, dict[str, frozenset[Trigger]]]
    """What the words of such a label say within it, by relation and form."""


def vocabulary_of(relations: frozenset[str], evidence: Evidence) -> Vocabulary:
    """What may be said of the relations with these normalised labels."""
    by_label = evidence.relations_by_label
    return _made(
        frozenset(
            (label, min(evidence.relation_labels[name] for name in by_label[label]) if label in by_label else label) for label in relations
        )
    )


@lru_cache(maxsize=512)
def _made(relations: frozenset[tuple[str, str]]) -> Vocabulary:
    """The words for some relations, each given by its normalised label and one as it is spelt."""
    phrases: dict[tuple[str, ...], set[Trigger]] = {}
    types: set[str] = set()
    labels: list[tuple[re.Pattern[str], Trigger]] = []
    spoken: list[tuple[re.Pattern[str], str]] = []
    own: dict[str, dict[str, frozenset[Trigger]]] = {}
    for relation, spelt in relations:
        entry, whole_label, all_words, verbs, nouns = read_label(spelt)
        for words, aspect, is_verb in [
            (entry.whole, None, True), (entry.start, "s", True), (entry.end, "e", True), (entry.nouns, None, False),
        ]:  # fmt: skip
            for base in words.split():
                for phrase in phrases_of(base):
                    phrases.setdefault(phrase, set()).add(Trigger(relation, aspect, is_verb))
        for base in entry.types.split():
            types |= forms_of(base)
        if whole_label is not None:
            labels.append((whole_label, Trigger(relation, None, True)))
        spoken += [(pattern, relation) for pattern in all_words]
        own[relation] = {
            form: frozenset(Trigger(relation, None, is_verb) for is_verb, forms in ((True, verbs), (False, nouns)) if form in forms)
            for form in verbs | nouns
        }
    by_first: dict[str, list[tuple[tuple[str, ...], tuple[Trigger, ...]]]] = {}
    for phrase, triggers in phrases.items():
        by_first.setdefault(phrase[0], []).append((phrase, tuple(sorted(triggers, key=str))))
    for found in by_first.values():
        found.sort(key=lambda pair: -len(pair[0]))
    labels.sort(key=lambda pair: (-len(pair[0].pattern), pair[0].pattern))
    return Vocabulary(by_first, frozenset(types), labels, spoken, own)
