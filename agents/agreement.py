"""Whether the verifier's answers are the gold answer: code, strict, rather misses than accepts.

A false match lets a drifted question into the benchmark; a missed one costs a repair. So a name must
be equal in normal form, or differ by a slip in one long word while no rival stands nearer. The leak
filter errs the other way and shares none of this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Literal, NamedTuple

from rapidfuzz.fuzz import ratio

from agents.names import is_exact, tokens
from graph_sampler.labels import normalise_label
from state.roles import AnswersReply

WHOLE_THRESHOLD = 93.0
"""Least similarity of two names: below it `Henry VII` and `Henry VIII` (95) would be the same but for `is_exact`."""
WORD_THRESHOLD = 94.0
"""Least similarity of two words that differ: one letter more or less in nine (`Canceled`, `Cancelled`)."""

_LEAD_IN = re.compile(
    r"\s*(?:(?:the )?(?:final )?answer(?: is)?\s*:?\s+|(?:nonetheless|nevertheless|however|so|thus|therefore|hence)\s*,\s*)", re.I
)
_ABSTENTION = re.compile(
    r"(?:none|nobody|no one|nothing|unknown|undetermined|n/?a|not (?:known|sure|enough|given|stated|possible)"
    r"|(?:i |it |we )?(?:can ?not|can't|could not|couldn't|do not|don't) (?:be )?(?:tell|determine|determined|know|say|decide|answer)"
    r"|no (?:entity|answer|candidate|such))\b",
    re.I,
)


class Verdict(StrEnum):
    """What a comparison came to; only `match` agrees."""

    MATCH = "match"
    WRONG = "wrong"
    AMBIGUOUS = "ambiguous"
    NONE_FITS = "none fits"
    ABSTAINED = "abstained"
    OTHER_CONSTRAINTS = "other constraints"
    """The round-trip reader read constraints that are not the trace's."""


class Gold(NamedTuple):
    """The answer and the other names among which the verifier chose."""

    label: str
    aliases: Sequence[str]
    rivals: Sequence[str]
    """Labels of all other entities of the evidence."""


def judge(reply: AnswersReply, mode: Literal["all", "single"], gold: Gold) -> Verdict:
    """The verdict on a reply: mode `all` wants the set of named entities to be the gold one exactly."""
    if reply.cannot_tell:
        return Verdict.ABSTAINED
    named = [answer for answer in reply.answers if normalise_label(answer)]
    if not named:
        return Verdict.NONE_FITS
    if mode == "single" and len(named) > 1:
        return Verdict.AMBIGUOUS
    hits = [names_gold(answer, gold) for answer in named]
    if all(hits):
        return Verdict.MATCH
    if any(hits):
        return Verdict.AMBIGUOUS if mode == "single" else Verdict.WRONG
    if all(is_abstention(answer, gold) for answer in named):
        return Verdict.ABSTAINED
    return Verdict.WRONG


def names_gold(answer: str, gold: Gold) -> bool:
    """Whether one answer names the gold entity and no rival as well or better."""
    own = [name for name in (gold.label, *gold.aliases) if normalise_label(name)]
    if any(is_same(answer, rival) for rival in gold.rivals):
        # A name that is a rival's too decides nothing, unless it is spelt as the gold label and not as the rival's.
        return _spelt_as(answer, [gold.label]) and not _spelt_as(answer, gold.rivals)
    if any(is_same(answer, name) for name in own):
        return True
    said = _without_lead_in(answer)
    best = max((closeness(said, name) for name in own), default=0.0)
    return best > 0 and best > max((closeness(said, rival) for rival in gold.rivals), default=0.0)


def is_same(answer: str, name: str) -> bool:
    """Equality of an answer, with or without a lead-in, and a name; `Roy, Ana` is `Ana Roy`."""
    said = _without_lead_in(answer)
    return _equal(answer, name) or _equal(said, name) or _equal(_turned(said), name) or _equal(said, _turned(name))


def same_name(one: str, other: str) -> bool:
    """Whether two names match when there is no rival: the symmetric core of the matcher."""
    return is_same(one, other) or is_same(other, one) or closeness(one, other) > 0


def closeness(one: str, other: str) -> float:
    """Similarity of two unequal names that could be one by a slip of the pen, else 0.

    Word for word: digits, initials and Roman numerals must be equal, a differing pair of words must be
    long and nearly equal, and neither may begin or end with the other (`Dominica`, `Dominican`).
    """
    left, right = tokens(one).words, tokens(other).words
    if not left or len(left) != len(right):
        return 0.0
    for mine, theirs in zip(left, right, strict=True):
        if mine == theirs:
            continue
        if is_exact(mine) or is_exact(theirs) or ratio(mine, theirs) < WORD_THRESHOLD:
            return 0.0
        short, long = sorted((mine, theirs), key=len)
        if long.startswith(short) or long.endswith(short):
            return 0.0
    score = ratio(" ".join(left), " ".join(right))
    return score if score >= WHOLE_THRESHOLD else 0.0


def is_abstention(answer: str, gold: Gold) -> bool:
    """Whether an answer says that there is none; an entity really called `Unknown` is no abstention."""
    if any(_equal(answer, name) for name in (gold.label, *gold.aliases, *gold.rivals)):
        return False
    return bool(_ABSTENTION.match(answer.strip()))


def _without_lead_in(answer: str) -> str:
    return _LEAD_IN.sub("", answer, count=1).strip() or answer


def _turned(name: str) -> str:
    """`Roy, Ana` the other way round; anything else as it stands."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma and "," not in first and first.strip() and last.strip() else name


def _equal(one: str, other: str) -> bool:
    """Equality in normal form, of the text or of its words without a leading article."""
    left, right = normalise_label(one), normalise_label(other)
    if not left or not right:
        return False
    if left == right:
        return True
    words, others = _without_article(tokens(one).words), _without_article(tokens(other).words)
    return bool(words) and words == others


def _without_article(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[1:] if len(words) > 1 and words[0] == "the" and words[1] != "the" else words


def _spelt_as(text: str, names: Iterable[str]) -> bool:
    normal = normalise_label(text)
    return any(normal == normalise_label(name) for name in names)
