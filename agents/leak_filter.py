"""Whether a question gives its answer away: code, lenient towards leaks, rather rejects a clean one.

A rejected question costs one call more; a passed leak spoils the benchmark. The matcher of answers
errs the other way and shares nothing of this but the tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from agents.names import Tokens, is_exact, spans, tokens
from agents.usable_question import required_names
from graph_sampler.labels import normalise_label
from state.pipeline_state import GraphState, NodeResult, Work
from state.vocabulary import LeakKind, Outcome, Role

FUZZY_FROM = 10
"""Letters of a name from which one edit in every ten is still the name."""

_PARTICLES = frozenset((
    "al", "bin", "da", "de", "del", "della", "den", "der", "di", "do", "dos", "du", "el", "ibn", "la", "le", "mac", "o", "st",
    "ten", "ter", "van", "von", "y", "zu",
))  # fmt: skip
_NOT_PERSONS = frozenset((
    "a", "academy", "agency", "airlines", "airport", "alliance", "an", "army", "assembly", "association", "award", "awards",
    "band", "bank", "building", "cathedral", "championship", "championships", "city", "club", "college", "committee", "company",
    "conference", "congress", "corporation", "council", "cup", "department", "district", "division", "empire", "fc",
    "federation", "festival", "foundation", "games", "government", "group", "hospital", "inc", "institute", "international",
    "island", "islands", "kingdom", "league", "library", "ltd", "medal", "ministry", "mission", "mr", "museum", "national",
    "olympics", "open", "orchestra", "organisation", "organization", "palace", "parliament", "party", "prize", "province",
    "records", "region", "republic", "river", "school", "senate", "series", "society", "stadium", "state", "states", "station",
    "symphony", "team", "the", "theater", "theatre", "tournament", "trophy", "union", "united", "university", "village", "war",
    "world",
))  # fmt: skip
"""Words of institutions, places, events and titles; none that is a common surname as well, such as `Hall` or `West`."""


class Leak(NamedTuple):
    """One way in which the answer stands in the question."""

    kind: LeakKind
    name: str
    """The name of the answer, or the part of it, that was found."""


def leak_filter(state: GraphState) -> NodeResult:
    """The node: scans the question as it stands."""
    record = state["record"]
    question = state["question"]
    return leak_result(question, find_leaks(question, record.answer, record.answer_aliases, required_names(record)))


def leak_result(question: str, leaks: Sequence[Leak]) -> NodeResult:
    """What the leaks of a question come to: only without any is it cleared."""
    result = {"leaks": [{"kind": leak.kind.value, "name": leak.name} for leak in leaks]}
    if not leaks:
        return NodeResult(Outcome.CLEAN, {"cleared": question, "leaks": ()}, (Work(Role.LEAK_FILTER, Outcome.CLEAN, result),))
    told = "; ".join(f"{leak.kind.value} {leak.name!r}" for leak in leaks)
    update = {"leaks": tuple(dict.fromkeys(leak.name for leak in leaks)), "detail": f"{question} | the question holds the answer: {told}"}
    return NodeResult(Outcome.LEAKS, update, (Work(Role.LEAK_FILTER, Outcome.LEAKS, result),))


def find_leaks(question: str, answer: str, aliases: Iterable[str], names: Iterable[str] = ()) -> list[Leak]:
    """Every leak of an answer in a question that must hold `names`.

    A fuzzy find and a part of a person's name do not count within a name that the question must hold
    (spouses share surnames); the label and the aliases count everywhere.
    """
    text = tokens(question)
    leaks = []
    for kind, name in [(LeakKind.LABEL, answer), *((LeakKind.ALIAS, alias) for alias in aliases)]:
        if _is_name(name) and _holds(question, text, name):
            leaks.append(Leak(kind, name))
    if leaks:
        return leaks
    free = _words_outside(text, names)
    for name in (answer, *aliases):
        if _fuzzy(tokens(name), free):
            leaks.append(Leak(LeakKind.FUZZY, name))
    surname = surname_of(answer)
    if surname and _stands_in(tokens(surname).words, free) and _written_as_name(question, surname):
        leaks.append(Leak(LeakKind.NAME_PART, surname))
    return leaks


def names_to_avoid(answer: str, aliases: Sequence[str]) -> tuple[str, ...]:
    """What a question must not hold: label, aliases and a person's surname."""
    surname = surname_of(answer)
    return tuple(dict.fromkeys(name for name in (answer, *aliases, surname or "") if _is_name(name)))


def surname_of(label: str) -> str | None:
    """The last word of a label that looks like a person's name, else `None`.

    A record does not say what kind of thing its answer is. Two to five words, each with a capital, an
    initial or a particle, and none that names an institution, place or event, is taken for a person.
    """
    words = unicodedata.normalize("NFKC", label).split()
    if not 2 <= len(words) <= 5:
        return None
    for word in words:
        plain = word.strip(".,'’").casefold()
        if plain in _PARTICLES:
            continue
        if not word[:1].isupper() or any(sign.isdigit() for sign in word) or plain in _NOT_PERSONS:
            return None
    last = words[-1].strip(".,")
    if last.casefold() in ("jr", "sr", "ii", "iii", "iv") and len(words) > 2:
        last = words[-2].strip(".,")
    return last if len(last) > 2 and not is_exact(normalise_label(last)) else None


def _is_name(name: str) -> bool:
    return len(normalise_label(name)) > 1


def _holds(question: str, text: Tokens, name: str) -> bool:
    wanted = tokens(name)
    if wanted.joined:
        return bool(spans(wanted, text))
    return normalise_label(name) in normalise_label(question)  # a name of signs only, such as `!!!`


def _words_outside(text: Tokens, names: Iterable[str]) -> list[str]:
    """The words of a question, an empty one in place of each required name."""
    hidden = bytearray(len(text.joined))
    for name in names:
        for start, end in spans(tokens(name), text):
            hidden[start:end] = b"\x01" * (end - start)
    words, at = [], 0
    for word in text.words:
        words.append("" if hidden[at] else word)
        at += len(word)
    return words


def _fuzzy(name: Tokens, words: list[str]) -> bool:
    """Whether a window of words is the name but for one edit in every ten letters."""
    allowed = len(name.joined) // FUZZY_FROM
    if not allowed:
        return False
    size = len(name.words)
    exact = [word for word in name.words if is_exact(word)]
    for length in {max(1, size - 1), size, size + 1}:
        for at in range(len(words) - length + 1):
            window = words[at : at + length]
            if "" in window or [word for word in window if is_exact(word)] != exact:
                continue
            if Levenshtein.distance("".join(window), name.joined, score_cutoff=allowed) <= allowed:
                return True
    return False


def _stands_in(wanted: tuple[str, ...], words: list[str]) -> bool:
    """Whether these words stand one after the other."""
    return any(tuple(words[at : at + len(wanted)]) == wanted for at in range(len(words) - len(wanted) + 1))


def _written_as_name(question: str, surname: str) -> bool:
    """Whether the surname stands with a capital: the verb in `who may` is not Theresa May."""
    wanted = tokens(surname).words[0]
    pieces = re.split(r"[^\w'’]+", unicodedata.normalize("NFKC", question))
    return any(piece[:1].isupper() and wanted in tokens(piece).words for piece in pieces)
