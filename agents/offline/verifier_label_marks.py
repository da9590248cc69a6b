"""Where a question says a relation's label: marks that its text gets before it is cut into words.

Paper: section 4.3.2.
"""

from __future__ import annotations

import re
from functools import partial

from agents.offline.verifier_labels import JOINING
from agents.offline.verifier_vocabulary import Trigger
from agents.offline.verifier_words import BECOME, FUNCTION, HAVE

_NAMED_RELATION = re.compile(rf"({'|'.join(sorted(HAVE))}) the relation \W")
"""How a relation is told by its label in quotes."""


def mark_whole_labels(text: str, labels: list[tuple[re.Pattern[str], Trigger]]) -> tuple[str, list[tuple[str, Trigger]]]:
    """The text with `~0`, `~1`, ... for the labels that are said as they stand, and the verb and meaning of each."""
    said: list[tuple[str, Trigger]] = []

    def mark(found: re.Match[str], trigger: Trigger) -> str:
        said.append((re.split(r"\W", found[0], maxsplit=1)[0], trigger))
        return f" ~{len(said) - 1} "

    for pattern, trigger in labels:
        text = pattern.sub(partial(mark, trigger=trigger), text)
    return text, said


def mark_words(text: str, spoken: list[tuple[re.Pattern[str], str]]) -> tuple[str, list[frozenset[str]]]:
    """The text with `__0`, `__1`, ... after the words of labels that are said in all their words, and the relations of each.

    Of labels that overlap the longest is meant: "deputy head" is no head.
    """
    found: dict[tuple[int, int], set[str]] = {}
    for pattern, relation in spoken:
        for match in pattern.finditer(text):
            found.setdefault(match.span(), set()).add(relation)
    chosen: list[tuple[int, int]] = []
    for start, end in sorted(found, key=lambda span: (span[0] - span[1], span)):
        if all(end <= other or start >= stop for other, stop in chosen):
            chosen.append((start, end))
    chosen.sort()
    for place, (start, end) in reversed(list(enumerate(chosen))):
        said = text[start:end]
        if quoted := _NAMED_RELATION.match(said):
            said = f"{quoted[1]}__{place} to"
        else:
            kept = [word for word in re.findall(r"\w+", said) if word not in JOINING | BECOME]
            said = re.sub(r"\w+", partial(_mark, place, bool(kept)), re.sub(r"[()]", " ", said))
        text = text[:start] + said + text[end:]
    return text, [frozenset(found[span]) for span in chosen]


def _mark(place: int, says_more: bool, word: re.Match[str]) -> str:
    """A word of a label with its mark, but for words that only join others where some say more."""
    return word[0] if says_more and word[0] in JOINING & FUNCTION else f"{word[0]}__{place}"
