"""What the verifier makes of a relation's label by itself: its words apart, their forms, and the label as one phrase.

A label that the verifier's lexicon does not list is read by its shape, so that "represented" is found in
"started to represent" and "Make statement" in "made a statement". Paper: section 4.3.2.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agents.offline.verifier_inflection import PAST, bases_of, forms_of
from agents.offline.verifier_lexicon import ENTRIES, OTHER_LABELS, Entry
from agents.offline.verifier_words import FUNCTION
from graph_sampler.labels import normalise_label

_AUXILIARY = frozenset(["is", "was", "are", "were", "has", "have", "had", "be"])
_LINKS = frozenset("at in on for to with from into by of under over against near as through aboard".split())  # noqa: SIM905
_ORDERS = frozenset(
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
_BETWEEN = r"[\s,;:/()'\"_-]+(?:an? |the )?"


class Reading(NamedTuple):
    """What a label says."""

    entry: Entry
    """Its words, listed or derived."""
    phrase: re.Pattern[str] | None
    """The label as one verb phrase in normalised text, where it is not listed and begins with a verb as it stands."""


def words_apart(label: str) -> str:
    """A label, normalised, with its words apart: `wasBornIn`, `<was_born_in>`, the end of `/people/person/was_born_in`."""
    if label.startswith("/") and " " not in label:
        label = label.rsplit("/", 1)[1]
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"[<>_]+", " ", label))
    return normalise_label(" ".join(text.split()))


def read_label(label: str) -> Reading:
    """The words that may speak of the relation with this label; those of the label itself always do."""
    plain = words_apart(label)
    listed = ENTRIES.get(OTHER_LABELS.get(plain, plain))
    words = re.findall(r"\w+", plain)
    while len(words) > 1 and words[0] in _AUXILIARY:
        words = words[1:]
    own = [word for word in words if word not in FUNCTION]
    verbs = _verbs(words)
    entry = listed or Entry("", "become", "", "", "")
    if listed is None and words[:1] == ["member"]:
        entry = ENTRIES["member of"]
    whole = " ".join([entry.whole, *sorted(verbs)])
    return Reading(entry._replace(whole=whole, nouns=" ".join([entry.nouns, *own])), None if listed else _as_phrase(plain))


def _verbs(words: list[str]) -> set[str]:
    """Base forms of the verb that a label begins with: "represented", "lives in", "Consult"."""
    first, following = words[0] if words else "", words[1] if len(words) > 1 else ""
    if first.endswith("ed") or first in PAST:
        return bases_of(first)
    if first.endswith("s") and not first.endswith("ss") and following in _LINKS | {""}:
        return bases_of(first)
    return {first} - FUNCTION if first in _ORDERS and not (following and first in FUNCTION | _OFTEN_NOUNS) else set()


def _as_phrase(plain: str) -> re.Pattern[str] | None:
    head = re.match(r"\w+(?:, \w+)*,? or \w+|\w+", plain)
    if head is None or head[0].split(",")[0].split(" ")[0] not in _ORDERS or not re.search(r"\W\w", plain):
        return None
    if head[0] in _OFTEN_NOUNS and not re.match(rf" (?:{'|'.join(sorted(_LINKS))}|an?|the)\b", plain[head.end() :]):
        return None
    verbs = [word for word in re.findall(r"\w+", head[0]) if word != "or"]
    said = [f"(?:{'|'.join(sorted(map(re.escape, forms_of(verb))))})" for verb in verbs]
    if len(said) > 1:
        said = [*said[:-1], "or", said[-1]]
    rest = [re.escape(word) for word in re.findall(r"\w+", plain[head.end() :])]
    closing = r"\)?" if plain.endswith(")") else ""
    return re.compile(rf"\b{_BETWEEN.join([*said, *rest])}\b{closing}")
