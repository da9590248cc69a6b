"""What the verifier makes of a relation's label by itself: its words apart, their forms, and the label as one phrase.

A label that the verifier's lexicon does not list is read by its shape, so that "represented" is found in
"started to represent" and "Make statement" in "made a statement". A text speaks of it only where it says all of
the label's words: "head of" says nothing of "deputy head of". Paper: section 4.3.2.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from agents.offline.verifier_entry import Entry
from agents.offline.verifier_inflection import PAST, bases_of, forms_of
from agents.offline.verifier_lexicon import ENTRIES, OTHER_LABELS
from agents.offline.verifier_words import BECOME, FUNCTION, HAVE
from graph_sampler.labels import normalise_label

_AUXILIARY = frozenset(["is", "was", "are", "were", "has", "have", "had", "be"])
"""Words before the first one of a label that says something."""
LINKS = frozenset("at in on for to with from into by of under over against near as through aboard".split())  # noqa: SIM905
"""Prepositions, with which a label may close."""
_BARE_VERBS = frozenset(
    """
    abduct accede accuse acknowledge apologize appeal arrest assassinate attempt block bring carry coerce complain conduct confiscate
    consider consult cooperate criticize declare decline defend defy demand demonstrate denounce deny deport destroy detain discuss ease
    employ endorse engage expel express fight give grant halt hijack host impose increase investigate join kill make mediate meet
    mobilize negotiate obstruct occupy play praise protest provide rally receive reduce refuse reject release retreat return seize share
    sign surrender threaten torture use veto violate win yield
    """.split()  # noqa: SIM905 - a word list is read more easily in lines
)
"""Verbs with which a label may begin as they stand."""
_OFTEN_NOUNS = frozenset("block fight play protest rally release share veto win yield".split())  # noqa: SIM905
"""Those that are as often nouns, as in `release date`."""
JOINING = LINKS | frozenset(["a", "an", "the"])
"""Words of a label that only join the others."""
_ROLE_IN_A_KIND = re.compile(r"((?:\w+ )?(?:captain|citizen|coach|employee|player) of) (?!the )(.+)")
"""A role in a thing of some kind, which need not be said: `player of club`."""
_BECOMING = rf"(?:(?:{'|'.join(sorted(BECOME))}) (?:an? |the |its |their |his |her )?)?"
"""What may stand before a label as the start of its fact."""
_BETWEEN = r"[\s,;:/()'\"_-]+(?:an? |the )?"
"""What may stand between two words of a label."""


class Reading(NamedTuple):
    """What a label says."""

    entry: Entry
    """Words that speak of it wherever they stand: the listed ones."""
    phrase: re.Pattern[str] | None
    """The label as one verb phrase in normalised text, where it is not listed and begins with a verb as it stands."""
    spoken: tuple[re.Pattern[str], ...] = ()
    """The label in all its words, and the relation named by its label in quotes, where it is not listed."""
    verbs: frozenset[str] = frozenset()
    """Forms of the verb that a label which is not listed begins with."""
    nouns: frozenset[str] = frozenset()
    """Forms of its other words that say something."""


def is_listed(plain: str) -> bool:
    """Whether the lexicon lists a label, given with its words apart."""
    return OTHER_LABELS.get(plain, plain) in ENTRIES


@cache
def is_noun_label(plain: str) -> bool:
    """Whether a label, given with its words apart, is a noun that does not say whose: "head coach", but not "member of team"."""
    words = re.findall(r"\w+", plain)
    is_role = words[:1] == ["member"] or _ROLE_IN_A_KIND.fullmatch(plain) is not None
    is_verb = not words or words[0] in _AUXILIARY or bool(_verbs(words)) or _as_phrase(plain) is not None
    return not is_role and not is_verb and words[-1] not in LINKS


def words_apart(label: str) -> str:
    """A label, normalised, with its words apart: `wasBornIn`, `<was_born_in>`, the end of `/people/person/was_born_in`."""
    if label.startswith("/") and " " not in label:
        label = label.rsplit("/", 1)[1]
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"[<>_]+", " ", label))
    return normalise_label(" ".join(text.split()))


def read_label(label: str) -> Reading:
    """The words that may speak of the relation with this label."""
    plain = words_apart(label)
    listed = ENTRIES.get(OTHER_LABELS.get(plain, plain))
    words = re.findall(r"\w+", plain)
    while len(words) > 1 and words[0] in _AUXILIARY:
        words = words[1:]
    own = [word for word in words if word not in FUNCTION] or words
    verbs = _verbs(words)
    if listed is None and words[:1] == ["member"]:
        listed = ENTRIES["member of"]
    if listed is not None:
        whole = " ".join([listed.whole, *sorted(verbs)])
        return Reading(listed._replace(whole=whole, nouns=" ".join([listed.nouns, *own])), None)
    kind = _ROLE_IN_A_KIND.fullmatch(plain)
    entry = Entry("", "", "", "", kind[2] if kind else "")
    phrase = _as_phrase(plain)
    forms = frozenset(form for verb in verbs for form in forms_of(verb))
    said = _in_quotes(plain) if phrase else (*_in_quotes(plain), _in_all_words(words, forms, kind is not None))
    return Reading(entry, phrase, said, forms, frozenset(form for word in own for form in forms_of(word)))


def _in_quotes(plain: str) -> tuple[re.Pattern[str], ...]:
    words = r"\W+".join(map(re.escape, re.findall(r"\w+", plain)))
    return (re.compile(rf"\b(?:{'|'.join(sorted(HAVE))}) the relation \W*{words}\W+to\b"),) if words else ()


def _in_all_words(words: list[str], verbs: frozenset[str], has_kind: bool) -> re.Pattern[str]:
    """A label's words in order, the verb in any form, a noun also in the plural; only what closes it may be left out."""
    stem, closing = list(words), ""
    if len(stem) > 1 and stem[-1] in LINKS:
        closing = stem.pop()
    said = [f"(?:{'|'.join(sorted(map(re.escape, {word} if word in JOINING else forms_of(word) | {word})))})" for word in stem]
    if verbs:
        said[0] = f"(?:{'|'.join(sorted(map(re.escape, verbs)))})"
    if has_kind:
        place = stem.index("of")
        text = _BETWEEN.join(said[:place]) + rf"(?:{_BETWEEN}{_BETWEEN.join(said[place:])})?"
    else:
        text = _BETWEEN.join(said)
    text += r"\)?"
    if closing in ("of", "by"):
        text += rf"(?: {closing}\b)?"
    elif closing:
        others = "|".join(sorted(LINKS - {closing}))
        text = rf"(?:{text}) {closing}|(?:{text})(?! (?:{others}) @)"
    return re.compile(rf"(?<![\w-]){_BECOMING}(?:{text})(?![\w-])")


def _verbs(words: list[str]) -> set[str]:
    """Base forms of the verb that a label begins with: "represented", "lives in", "Consult"."""
    first, following = words[0] if words else "", words[1] if len(words) > 1 else ""
    if first.endswith("ed") or first in PAST:
        return bases_of(first)
    if first.endswith("s") and not first.endswith("ss") and following in LINKS | {""}:
        return bases_of(first)
    return {first} - FUNCTION if first in _BARE_VERBS and not (following and first in FUNCTION | _OFTEN_NOUNS) else set()


def _as_phrase(plain: str) -> re.Pattern[str] | None:
    head = re.match(r"\w+(?:, \w+)*,? or \w+|\w+", plain)
    if head is None or head[0].split(",")[0].split(" ")[0] not in _BARE_VERBS or not re.search(r"\W\w", plain):
        return None
    if head[0] in _OFTEN_NOUNS and not re.match(rf" (?:{'|'.join(sorted(LINKS))}|an?|the)\b", plain[head.end() :]):
        return None
    verbs = [word for word in re.findall(r"\w+", head[0]) if word != "or"]
    said = [f"(?:{'|'.join(sorted(map(re.escape, forms_of(verb))))})" for verb in verbs]
    if len(said) > 1:
        said = [*said[:-1], "or", said[-1]]
    rest = [re.escape(word) for word in re.findall(r"\w+", plain[head.end() :])]
    closing = r"\)?" if plain.endswith(")") else ""
    return re.compile(rf"\b{_BETWEEN.join([*said, *rest])}\b{closing}")
