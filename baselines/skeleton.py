"""The skeleton of a question, e.g. `who was _ ?`, and of which kind it is. After SGSH; the rules are ours in its spirit.

Kept are the question word with a preposition right before it, and the first auxiliary after it; every run of other
words is one blank. Skeletons are in lower case.
"""

from __future__ import annotations

import re

BLANK = "_"
QUESTION_WORDS = frozenset({"who", "whom", "whose", "what", "which", "when", "where", "why", "how"})
AUXILIARIES = frozenset({"is", "was", "are", "were", "am", "do", "did", "does"})
PREPOSITIONS = frozenset(
    {"about", "after", "against", "among", "at", "before", "between", "by", "during", "for", "from", "in", "into", "of", "on", "since"}
    | {"through", "to", "under", "until", "with", "within"}
)
TEMPORAL_CUES = frozenset(
    {"before", "after", "during", "while", "same", "first", "last", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"}
    | {"ninth", "tenth"}
)
"""What temporal skeletons keep besides, with ordinals in digits (`2nd`)."""
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_TOKEN = re.compile(r"\w+(?:['’.\-]\w+)*")


def skeleton_of(question: str, *, temporal: bool = False) -> str:
    """The skeleton of a question.

    The question word is the last one, unless the first or second word is one; without any, all is blank.

    >>> skeleton_of("Which club did Ana Silva join after 2004?")
    'which _ did _ ?'
    >>> skeleton_of("Which club did Ana Silva join after 2004?", temporal=True)
    'which _ did _ after _ ?'

    Args:
        question: any text.
        temporal: whether words that tell of time stay as well.
    """
    words = _TOKEN.findall(question.lower())
    kept = _frame(words)
    if temporal:
        kept |= {at for at, word in enumerate(words) if word in TEMPORAL_CUES or _ORDINAL.fullmatch(word)}
    return _with_blanks([word if at in kept else BLANK for at, word in enumerate(words)])


def skeleton_in(reply: str) -> str:
    """The skeleton that a model wrote: the last line with a blank or a question mark, in one spelling; all blank without one.

    >>> skeleton_in("Skeleton: **Who was ____ before ___?**")
    'who was _ before _ ?'
    """
    lines = [line for line in reply.splitlines() if BLANK in line or "?" in line]
    if not lines:
        return f"{BLANK} ?"
    text = re.sub(r"^[^:]*skeleton[^:]*:", "", lines[-1].lower())
    return _with_blanks(re.findall(r"_+|\.{3,}|…|" + _TOKEN.pattern.replace(r"\w", r"[^\W_]"), text))


def _frame(words: list[str]) -> set[int]:
    """Places of question word, preposition and auxiliary."""
    found = [at for at, word in enumerate(words) if word in QUESTION_WORDS]
    if not found:
        return set()
    asking = found[0] if found[0] < 2 else found[-1]
    kept = {asking}
    if asking and words[asking - 1] in PREPOSITIONS:
        kept.add(asking - 1)
    kept.update([at for at in range(asking + 1, len(words)) if words[at] in AUXILIARIES][:1])
    return kept


def _with_blanks(words: list[str]) -> str:
    merged: list[str] = []
    for word in words:
        sign = word if any(letter.isalnum() for letter in word) else BLANK
        if sign != BLANK or merged[-1:] != [BLANK]:
            merged.append(sign)
    return " ".join([*(merged or [BLANK]), "?"])
