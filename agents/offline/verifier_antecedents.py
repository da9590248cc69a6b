"""Pronouns of a question and all that they may stand for by plain English: every reading counts, not the handiest.

"Who did A praise before it denounced B?" is read with A, too, unless "it" surely means neither a person nor
a thing of A's kind. What is known of kinds comes from the relations of the evidence whose labels are listed
here; of another relation nothing is known, so that everything in it may be meant. Paper: section 4.3.2.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from agents.offline.verifier_labels import words_apart
from agents.offline.verifier_query import Evidence
from agents.offline.verifier_tokens import CLAUSE_BOUNDS, Token, Unreadable
from agents.offline.verifier_words import HAVE, SOMEONE

_SINGULAR = frozenset(["it", "its", "this"])
_PLURAL = frozenset(["they", "them", "their", "these"])
_POSSESSIVE = frozenset(["its", "their"])
_MOST_VARIANTS = 16
_UNNAMED = "unnamed"
"""The noun that stands for "someone or something" and for the "one" that points back."""

_RELATIONS = {
    "person>group": "member of sports team; head coach of; coach of sports team; drove for; member of political party; educated at; "
    "member of legislature; member of band; employer; chief executive of; music director of; chairperson of; plays for; played for; "
    "works at; worked at; graduated from; served in; founded; inducted into",
    "group<person": "head coach; chairperson; founded by; manager",
    "person>prize": "award received; receive award; has won prize; nominated for",
    "person>office": "position held; cabinet office held; elected to; occupation; reigned as; noble title",
    "person>place": "reigned over; head of government of; head of state of; country of citizenship; is citizen of; residence; "
    "place of birth; place of death; was born in; died in",
    "place<person": "head of government; head of state; has head of government",
    "person>person": "spouse; is married to; married to; unmarried partner; created cardinal by; beatified by; canonized by",
    "person>work": "director of film; starred in; author of; created",
    "work<person": "director; directed by; cast member; author",
    "person>role": "portrayed",
    ">work": "released; released album; premiered",
    "work<": "performer",
    "person>vessel": "crew member of; flew aboard; launched on; served on",
    "vessel>vessel": "flown by",
    "place>group": "acceded to",
    "place>event": "host of",
    "event>place": "took place in; held in",
    "place>place": "capital of; country; located in the administrative territorial entity; "
    "contains the administrative territorial entity; contains administrative territorial entity; twinned administrative body",
    "place<place": "capital",
    ">event": "winner of; participant in",
    "event<": "winner; has winner",
    "person>event": "attended; fought at; fought in; conflict; commanded in; played in",
    "event>event": "part of; edition of",
    "place>treaty": "signatory of",
    "person>treaty": "signed",
    "group>group": "acquired",
    "group>product": "introduced product",
    "group>place": "headquarters in; headquarters location",
    "person>degree": "academic degree",
}
"""Kinds of a fact's subject and object; the arrow goes from who does what the label says."""
_KINDS = {label: kinds for kinds, labels in _RELATIONS.items() for label in labels.split("; ")}
_NOUNS = {
    "person": "who whom person people someone somebody man woman player coach artist competitor competitors pope figure",
    "group": "team teams club clubs side band bands company companies organization organizations organisation party parties body school",
    "prize": "award awards prize prizes medal",
    "office": "office offices position positions post posts title titles",
    "place": "place places city cities country countries region regions nation nations state states",
    "event": "event events competition competitions battle battles war wars tournament meeting meetings edition editions match matches",
    "work": "film films movie album albums book books work works",
    "vessel": "ship ships mission missions spacecraft",
}
_KIND_OF_NOUN = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}


def kinds_of_ends(label: str) -> tuple[str, str]:
    """Kinds of the subject and of the object of a relation's facts, by its label as it is spelt; empty where nothing is known."""
    subject, object_ = _KINDS.get(words_apart(label), ">").replace("<", ">").split(">")
    return subject, object_


def kind_of_noun(noun: str) -> str:
    """The kind of thing that a noun says, empty where it says none."""
    return _KIND_OF_NOUN.get(noun, "")


def _ends(label: str, evidence: Evidence) -> tuple[str, str]:
    """Kinds of the doer and of what it is done to, by a relation's normalised label."""
    spelt = min((evidence.relation_labels[relation] for relation in evidence.related(label)), default=label)
    kinds = _KINDS.get(words_apart(spelt), ">")
    if "<" in kinds:
        patient, doer = kinds.split("<")
        return doer, patient
    doer, patient = kinds.split(">")
    return doer, patient


def _kinds_of(entities: frozenset[str], evidence: Evidence) -> frozenset[str]:
    """The kinds of a named thing, empty where the evidence shows none."""
    found: set[str] = set()
    for subject, relation, object_, _, _ in evidence.facts:
        first, second = kinds_of_ends(evidence.relation_labels[relation])
        found |= ({first} if subject in entities else set()) | ({second} if object_ in entities else set())
    return frozenset({"person"} if "person" in found else found - {""})


def every_antecedent(tokens: list[Token], evidence: Evidence) -> list[list[Token]]:
    """The question once for each way to understand its pronouns, as it stands where they may mean an unknown.

    Raises:
        Unreadable: a pronoun may mean one unknown or another, or too many things.
    """
    options = [found for found in (_options(tokens, place, evidence) for place in range(len(tokens))) if found]
    count = 1
    for _, _, names in options:
        count *= len(names)
    if count > _MOST_VARIANTS:
        raise Unreadable("too many pronouns")
    variants = []
    for chosen in itertools.product(*(names for _, _, names in options)):
        variant = list(tokens)
        for (place, length, _), name in reversed(list(zip(options, chosen, strict=True))):
            if name is not None:
                variant[place : place + length] = [name]
        variants.append([replace(token, place=place) for place, token in enumerate(variant)])
    return variants


def _options(tokens: list[Token], place: int, evidence: Evidence) -> tuple[int, int, list[Token | None]] | None:
    """Place and length of a pronoun with what it may mean, `None` for an unknown; no options where it is no pronoun or clear."""
    token = tokens[place]
    length = _length_of_one(tokens, place)
    if not length and not (token.kind == "pronoun" and token.text in _SINGULAR | _PLURAL and not _is_bound(tokens, place)):
        return None
    wanted = _wanted(tokens, place, max(length, 1), evidence)
    if token.text in _PLURAL and wanted:
        # "Before they divorced", "before they won it": of whom it is told that they are persons.
        return None
    if length:
        # Words that point to an unknown among several are the parser's to resolve.
        unknowns, names = 1, _names(tokens[:place], evidence, wanted, "")
    else:
        unknowns, names = _nearest(tokens, place, evidence, wanted)
    if unknowns + len(names) <= 1:
        return None
    if unknowns > 1 or (names and token.text in _POSSESSIVE):
        raise Unreadable("a pronoun of several things")
    return place, max(length, 1), [*([None] if unknowns else []), *names.values()]


def _nearest(tokens: list[Token], place: int, evidence: Evidence, wanted: frozenset[str]) -> tuple[int, dict[frozenset[str], Token]]:
    """How many unknowns a pronoun may mean, and which names.

    Where its clause says of which kind it is, the nearest clauses with something of that kind go before the
    others, and what is named again right after it is not what it means.
    """
    word = tokens[place].text
    following = itertools.takewhile(lambda token: token.kind != "comma", tokens[place + 1 :])
    again = [token.entities for token in following if token.kind == "name"]
    for start in [other.place for other in reversed(tokens[:place]) if other.kind in ("comma", "and")] if wanted else []:
        pointed = {tuple(nouns) for nouns in _pointing(tokens[start:place]) if _fits(_kind_of(nouns), wanted, word)}
        names = _names(tokens[start:place], evidence, wanted, word)
        if pointed or names:
            return len(pointed), {entities: token for entities, token in names.items() if entities not in again}
    unknowns = sum(_fits(kind, wanted, word) for kind in map(_kind_of, _unknowns(tokens[:place])))
    return unknowns, _names(tokens[:place], evidence, wanted, word)


def _names(tokens: list[Token], evidence: Evidence, wanted: frozenset[str], word: str) -> dict[frozenset[str], Token]:
    """The named things among some words that a pronoun may mean."""
    named = [token for token in tokens if token.kind == "name" and _fits(_kinds_of(token.entities, evidence), wanted, word)]
    return {token.entities: token for token in named}


def _fits(kinds: frozenset[str], wanted: frozenset[str], word: str) -> bool:
    if (word in _SINGULAR and kinds == {"person"}) or (word in _PLURAL and kinds and kinds != {"person"}):
        return False
    return not kinds or not wanted or bool(kinds & wanted)


def _kind_of(nouns: list[str]) -> frozenset[str]:
    """The kind that the nouns of a phrase say, empty where they say none."""
    return frozenset([_KIND_OF_NOUN[noun] for noun in reversed(nouns) if noun in _KIND_OF_NOUN][:1])


def _length_of_one(tokens: list[Token], place: int) -> int:
    """How many words "that one", "the other one" or "that other one" takes here; 0 where there is none, or "the one" was said before."""
    words = [token.text for token in tokens[place : place + 3]]
    length = 3 if words[:2] in (["the", "other"], ["that", "other"]) else 2
    if words[0] not in ("that", "the") or words[length - 1 : length] != [_UNNAMED] or words[:2] == ["the", _UNNAMED]:
        return 0
    chosen = [token.text for token in tokens[:place]]
    return 0 if any(chosen[at : at + 3] == ["take", "the", "one"] for at in range(len(chosen))) else length


def _is_bound(tokens: list[Token], place: int) -> bool:
    """Whether it is the clause's own subject ("had among its players"), has a noun ("these teams"), or is what happened ("after it")."""
    before = [token.text for token in tokens[max(0, place - 2) : place]]
    following = tokens[place + 1 : place + 2]
    if tokens[place].text in ("this", "these") and following and following[0].kind == "type":
        return True
    if tokens[place - 1].kind == "connective" and (not following or following[0].kind in CLAUSE_BOUNDS):
        return True
    return tokens[place].text in _POSSESSIVE and len(before) == 2 and before[0] in HAVE


def _wanted(tokens: list[Token], place: int, length: int, evidence: Evidence) -> frozenset[str]:
    """The kinds that the words of its clause ask for; empty where they ask for none."""
    before = list(itertools.takewhile(lambda token: token.kind not in CLAUSE_BOUNDS, reversed(tokens[:place])))
    after = list(itertools.takewhile(lambda token: token.kind not in CLAUSE_BOUNDS, tokens[place + length :]))
    is_subject = not any(token.kind == "relation" and any(trigger.is_verb for trigger in token.triggers) for token in before)
    is_passive = any(token.text in ("was", "were", "be", "been", "being") for token in after if is_subject)
    is_doer = (is_subject and not is_passive and tokens[place].text not in _POSSESSIVE) or bool(before and before[0].text == "by")
    is_before = is_subject or tokens[place].text in _POSSESSIVE
    spoken = [token for token in (after if is_before else before) if token.kind == "relation"]
    found = {_ends(trigger.relation, evidence)[0 if is_doer else 1] for token in spoken for trigger in token.triggers}
    return frozenset() if "" in found else frozenset(found)


def _nouns(tokens: list[Token]) -> list[str]:
    """The nouns with which some words begin."""
    return [token.text for token in itertools.takewhile(lambda token: token.kind in ("type", "relation"), tokens[:3])]


def _pointing(tokens: list[Token]) -> Iterator[list[str]]:
    """The nouns of "that team" and "the other team"."""
    for place, token in enumerate(tokens):
        is_other = [other.text for other in tokens[place + 1 : place + 2]] == ["other"]
        if token.text == "that" or (token.text == "the" and is_other):
            nouns = _nouns(tokens[place + 1 + is_other :])
            if nouns and (tokens[place + 1 + is_other].kind == "type" or nouns[0] in _KIND_OF_NOUN):
                yield [*(["other"] if is_other else []), *nouns]


def _unknowns(tokens: list[Token]) -> Iterator[list[str]]:
    """The nouns of each unknown that was brought in so far."""
    for place, token in enumerate(tokens):
        nouns = _nouns(tokens[place + 1 :])
        if token.text in SOMEONE:
            yield [token.text]
        elif place == 0 and token.text in ("which", "what", "who", "whom"):
            yield [token.text, *nouns]
        elif place == 1 and [other.text for other in tokens[:2]] == ["of", "the"]:
            yield nouns
        elif place and token.text in ("a", "an", "another") and nouns:
            is_thing = tokens[place + len(nouns)].kind == "type" or nouns[-1] in _KIND_OF_NOUN
            if is_thing:
                yield nouns
