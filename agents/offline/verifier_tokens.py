"""Cuts a question in free English into units of one clause or phrase each, every word accounted for.

Names of the evidence are found first (longest match of normalised labels), then temporal phrases,
then the words of the relations at hand; a word that none of these explains makes the question
unreadable. Paper: section 4.3.2.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from agents.offline.verifier_label_marks import mark_whole_labels, mark_words
from agents.offline.verifier_query import Evidence
from agents.offline.verifier_vocabulary import Trigger, vocabulary_of
from agents.offline.verifier_words import (
    ANYTHING,
    AUXILIARIES,
    BE,
    BECOME,
    COMPARATIVES,
    CONNECTIVES,
    ENDS,
    FUNCTION,
    HAVE,
    MARKERS,
    PRONOUNS,
    RELATIVES,
    SPELLS,
    STARTS,
    TYPES,
)  # fmt: skip
from graph_sampler.labels import normalise_label

_PIECE = re.compile(r"\w+|[^\w\s]")
_TOKEN = re.compile(r"<[^>]+>|[@~]\d+|'s\b|\w+(?:-\w+)*|[^\w\s]")
_MARKED = re.compile(r"(\w+?)__(\d+)")
_ALTERNATIVES = re.compile(r"\bsomeone or something\b|\bwho or what\b|^of those (?:that|who|which)\b|^of those (?:@|\w+ed\b).* entity\b")

CLAUSE_BOUNDS = ("comma", "and", "relative", "connective")
"""Kinds of tokens that a clause or phrase stands between."""


class Unreadable(Exception):
    """A word or a construction that the reader does not know."""


@dataclass
class Token:
    """A word, name or marker with what it may mean."""

    kind: str
    """`name`, `relation`, `start`, `end`, `both`, `spell`, `pronoun`, `auxiliary`, `order`, `comparative`, `other`."""
    text: str
    place: int
    entities: frozenset[str] = frozenset()
    triggers: tuple[Trigger, ...] = ()
    is_weak: bool = False
    """Whether a relation's word is also a plain function word, heeded only where no other word names one, or part of a label."""


@dataclass
class Unit:
    """A clause or phrase between two boundaries."""

    connectives: list[str] = field(default_factory=list)
    """Temporal connectives before it, in order, and `and`, `but`, `comma`, `who` among them."""
    tokens: list[Token] = field(default_factory=list)
    is_asking: bool = False
    """Whether the question word stands here."""
    shared: list[tuple[int, str]] = field(default_factory=list)
    """Connectives of earlier units whose right side was left for this one: (unit, connective)."""
    is_mutual: bool = False
    """Whether "in the same year" stands after it with nothing to compare: it joins this fact and the one before."""

    def of(self, *kinds: str) -> list[Token]:
        """Its tokens of some kinds."""
        return [token for token in self.tokens if token.kind in kinds]

    def temporal(self) -> list[str]:
        """Its temporal connectives."""
        return [name for name in self.connectives if name in CONNECTIVES]


def _is_common(words: list[str], types: frozenset[str]) -> bool:
    known = types | FUNCTION | TYPES | RELATIVES | STARTS | ENDS | PRONOUNS | SPELLS
    return all(word in known or not word[0].isalnum() for word in words)


def replace_names(question: str, evidence: Evidence, types: frozenset[str] = frozenset()) -> tuple[str, list[frozenset[str]]]:
    """The normalised question with `@0`, `@1`, ... for the labels found in it, and the ids of each.

    A label of common words only, `types` among them, is a name where it is spelt as one.

    Raises:
        Unreadable: it has signs outside names that stand for names and phrases here.
    """
    text = normalise_label(question)
    pieces = list(_PIECE.finditer(text))
    original = _PIECE.findall(unicodedata.normalize("NFKC", question))
    by_first: dict[str, list[tuple[list[str], str]]] = {}
    words = [piece[0] for piece in pieces]
    for label in evidence.by_label:
        parts = _PIECE.findall(label)
        if parts and parts[0] in words:
            by_first.setdefault(parts[0], []).append((parts, label))
    out: list[str] = []
    names: list[frozenset[str]] = []
    at = last = 0
    while at < len(pieces):
        best: tuple[list[str], str] | None = None
        for parts, label in by_first.get(words[at], ()):
            if words[at : at + len(parts)] == parts and (best is None or len(parts) > len(best[0])):
                is_spelt_as_name = at > 0 and len(original) == len(words) and not original[at].islower()
                if is_spelt_as_name or not _is_common(parts, types):
                    best = (parts, label)
        if best is None:
            at += 1
            continue
        stop = at + len(best[0]) - 1
        out.append(f"{text[last : pieces[at].start()]} @{len(names)} ")
        names.append(frozenset(evidence.by_label[best[1]]))
        last = pieces[stop].end()
        at = stop + 1
    out.append(text[last:])
    if any(sign in re.sub(r" @\d+ $", "", part) for part in out for sign in "@<>~"):
        raise Unreadable("a sign that stands for names and phrases here")
    return re.sub(r"(@\d+) '(?!\w)", r"\1 's", re.sub(r"(@\d+) 's\b", r"\1 's", " ".join("".join(out).split()))), names


def mark_phrases(text: str) -> str:
    """The text with temporal phrases replaced by `<...>` in capitals, which no later pattern can match."""
    for pattern, replacement in MARKERS:
        text = pattern.sub(replacement, text)
    return text


def _without_alternatives(text: str) -> str:
    """The text with "unnamed" for what may be someone or something, and for the "one" that points back to it."""
    if not _ALTERNATIVES.search(text):
        return text
    for pattern, word in ANYTHING:
        text = pattern.sub(word, text)
    return text


def tokenise(question: str, evidence: Evidence, relations: frozenset[str]) -> list[Token]:
    """The question's tokens, without the question mark.

    Raises:
        Unreadable: a word is not known, or the text does not end as one question.
    """
    phrases, types, labels, spoken, own = vocabulary_of(relations, evidence)
    text, names = replace_names(question, evidence, types)
    if not text.endswith("?") or "?" in text[:-1] or "\x00" in text:
        raise Unreadable("not one question")
    if "__" in text:
        raise Unreadable("a sign that stands for labels here")
    text, said = mark_whole_labels(_without_alternatives(text[:-1]), labels)
    text, spans = mark_words(text, spoken)
    words = _TOKEN.findall(mark_phrases(text))
    tokens: list[Token] = []
    at = 0
    while at < len(words):
        if words[at].startswith("~"):
            verb, trigger = said[int(words[at][1:])]
            tokens.append(Token("relation", verb, len(tokens), triggers=(trigger,)))
            at += 1
            continue
        if marked := _MARKED.fullmatch(words[at]):
            tokens.append(_label_word(marked[1], len(tokens), spans[int(marked[2])], own))
            at += 1
            continue
        token, length = _token(words, at, len(tokens), names, phrases, types)
        if token is None:
            parts = words[at].split("-")
            if len(parts) == 1:
                raise Unreadable(words[at])
            words[at : at + 1] = parts
            continue
        if token.text in ("married", "wed") and token.kind == "relation" and any(t.text in BE for t in tokens[-2:]):
            token.triggers = tuple(Trigger(trigger.relation, None, False) for trigger in token.triggers)
        tokens.append(token)
        at += length
    refused = _refused_qualifiers(tokens, frozenset(form for forms in own.values() for form in forms))
    if refused:
        raise Unreadable(refused)
    return tokens


def _refused_qualifiers(tokens: Sequence[Token], own: frozenset[str]) -> str | None:
    """Why words that change what a label says, or say a part of one, make a question unreadable; `None` where there are none.

    That is "acting head", "leader of" where the relation is "opposition leader of", and conditions joined by "or".
    """
    for place, token in enumerate(tokens):
        before, after = tokens[max(place - 1, 0)], tokens[min(place + 1, len(tokens) - 1)]
        if token.kind == "type" and token.text in own and (after.text == "of" or before.text in BE | BECOME):
            return "a part of a label"
        if token.kind != "other" or token.is_weak:
            continue
        if token.text == "acting" and after.text != "as":
            return "a qualifier"
        if token.text == "or" and after.text != "another" and not (_is_plain_noun(before) and _is_plain_noun(after)):
            return "conditions of which one is enough"
    return None


def _is_plain_noun(token: Token) -> bool:
    return token.kind in ("type", "relation") and not any(trigger.is_verb for trigger in token.triggers)


def _label_word(word: str, place: int, relations: frozenset[str], own: dict[str, dict[str, frozenset[Trigger]]]) -> Token:
    """A word of a label that is said in all its words."""
    if word in BECOME:
        triggers = frozenset(Trigger(relation, "s", True) for relation in relations)
    elif word in HAVE:
        triggers = frozenset(Trigger(relation, None, True) for relation in relations)
    else:
        triggers = frozenset(trigger for relation in relations for trigger in own[relation].get(word, ()))
    if not triggers:
        return Token("other", word, place, is_weak=True)
    is_verb = any(trigger.is_verb for trigger in triggers) and word not in SPELLS
    weak = word in BECOME or (not is_verb and (word in FUNCTION or word in TYPES or word in SPELLS))
    return Token("relation", word, place, triggers=tuple(sorted(triggers, key=str)), is_weak=weak)


def _token(
    words: list[str], at: int, place: int, names: list[frozenset[str]], phrases: Any, types: frozenset[str]
) -> tuple[Token | None, int]:
    word = words[at]
    if word.startswith("@"):
        return Token("name", word, place, entities=names[int(word[1:])]), 1
    if word.startswith("<"):
        return _marker(word[1:-1].lower(), place), 1
    for phrase, triggers in phrases.get(word, ()):
        if tuple(words[at : at + len(phrase)]) == phrase:
            is_verb = any(trigger.is_verb for trigger in triggers) and word not in SPELLS
            plain = word in FUNCTION or (not is_verb and (word in TYPES or word in SPELLS or word in types))
            weak = len(phrase) == 1 and plain
            if len(phrase) > 1 or word not in AUXILIARIES:
                return Token("relation", word, place, triggers=triggers, is_weak=weak), len(phrase)
    for kind, known in [
        ("start", STARTS), ("end", ENDS), ("spell", SPELLS), ("relative", RELATIVES), ("auxiliary", AUXILIARIES),
        ("pronoun", PRONOUNS), ("type", types), ("type", TYPES),
    ]:  # fmt: skip
        if word in known:
            return Token("relative" if word == "that" else kind, word, place), 1
    if word in (",", ";"):
        return Token("comma", word, place), 1
    if word in ("and", "but"):
        return Token("and", word, place), 1
    return (Token("other", word, place), 1) if word in FUNCTION or word == "'s" else (None, 1)


def _marker(name: str, place: int) -> Token:
    if name == "both":
        return Token("both", name, place)
    if name in COMPARATIVES:
        return Token("comparative", name, place)
    if name.startswith("ord:"):
        return Token("order", name, place)
    if name in CONNECTIVES:
        return Token("connective", name, place)
    raise Unreadable(name)


_CONTENT = ("name", "relation", "start", "end", "both", "spell", "comparative")


def cut(tokens: list[Token]) -> list[Unit]:
    """The units of the question in order; an empty unit passes its boundaries on to the next.

    Raises:
        Unreadable: no question word, or a connective with nothing after it.
    """
    units = [Unit()]
    for token in tokens:
        following = tokens[token.place + 1 : token.place + 3]
        if token.kind == "auxiliary" and any(t.kind == "order" for t in following) and _has_content(units[-1]):
            units.append(Unit(["comma"]))
        if token.kind in CLAUSE_BOUNDS:
            name = {"comma": "comma", "relative": "who"}.get(token.kind, token.text)
            _close(units, name)
            units[-1].connectives.append(name)
            if token.kind == "relative" and token.text != "that":
                units[-1].connectives[-1] = "who"
                units[-1].tokens.append(Token("relative", token.text, token.place))
        else:
            units[-1].tokens.append(token)
    last = units[-1]
    if not _has_content(last) and not last.of("order"):
        if len(units) > 1 and last.temporal() and set(last.temporal()) <= {"then", "prev"}:
            units[-2].connectives += last.temporal()
            last.connectives = []
        elif len(units) > 1 and last.temporal() == ["same"] and not last.shared:
            units[-2].is_mutual = True
            last.connectives = []
        if last.temporal() or last.shared:
            raise Unreadable("a connective leads nowhere")
        units.pop()
    if not units:
        raise Unreadable("no clause")
    _find_question_word(units, tokens)
    _hand_on_ranks(units)
    return units


def _hand_on_ranks(units: list[Unit]) -> None:
    """Moves a rank to the clause that says what is ranked: "founded the first company that he bought"."""
    for unit, following in pairwise(units):
        tail = unit.tokens[-2:]
        if following.connectives[:1] == ["who"] and len(tail) == 2 and tail[0].kind == "order" and tail[1].kind == "type":
            unit.tokens.remove(tail[0])
            following.tokens.append(tail[0])


def _close(units: list[Unit], boundary: str) -> None:
    """Starts a new unit unless the last one says nothing yet."""
    last = units[-1]
    if _has_content(last):
        units.append(Unit())
        return
    waiting = last.temporal()
    if waiting == ["same"] and boundary in ("comma", "but") and not last.of("pronoun") and len(units) > 1:
        units[-2].is_mutual = True
        last.connectives = [name for name in last.connectives if name != "same"]
    elif waiting and boundary in ("and", "but", "comma") and not last.of("pronoun") and len(units) > 1:
        last.shared += [(len(units) - 2, name) for name in waiting]
        last.connectives = [name for name in last.connectives if name not in CONNECTIVES]


def _has_content(unit: Unit) -> bool:
    return bool(unit.of(*_CONTENT)) or bool(unit.temporal() and unit.of("pronoun", "auxiliary"))


def _find_question_word(units: list[Unit], tokens: list[Token]) -> None:
    asking = [token for token in tokens if token.kind == "relative" and token.text != "that"]
    if not asking:
        raise Unreadable("no question word")
    is_fronted = asking[0].place > 2
    chosen = asking[0]
    if is_fronted:
        after_comma = [t for t in asking if any(p.kind == "comma" for p in tokens[max(0, t.place - 2) : t.place])]
        chosen = after_comma[-1] if after_comma else asking[0]
    is_found = False
    for unit in units:
        is_found = is_found or any(token.place == chosen.place for token in unit.tokens)
        # "Who, after she left, was ...": the question goes on after the adjunct.
        if is_found and not set(unit.temporal()) - {"then", "prev"}:
            unit.is_asking = True
            return
    raise Unreadable("the question word asks nothing")
