"""Where a question says a relation's label in all its words, and what by itself changes the meaning of a label.

Paper: section 4.3.2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from agents.offline.verifier_labels import JOINING
from agents.offline.verifier_words import BE, BECOME, FUNCTION, HAVE

if TYPE_CHECKING:
    from agents.offline.verifier_tokens import Token

_NAMED_RELATION = re.compile(rf"({'|'.join(sorted(HAVE))}) the relation \W")
"""How a relation is told by its label in quotes."""


def _mark(place: int, says_more: bool, word: re.Match[str]) -> str:
    return word[0] if says_more and word[0] in JOINING & FUNCTION else f"{word[0]}__{place}"


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
            said = re.sub(r"\w+", partial(_mark, place, bool(kept)), said)
        text = text[:start] + said + text[end:]
    return text, [frozenset(found[span]) for span in chosen]


def refuse_qualifiers(tokens: Sequence[Token], own: frozenset[str]) -> str | None:
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
