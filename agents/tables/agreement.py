"""Whether the verifier's answers are the right ones, as sets: code, strict, rather misses than accepts.

Names are compared as those of a graph's entities are: equal in normal form, or a slip in one long word while no other
name among the rows stands nearer. Times that are told beside a name are no part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agents.agreement import Gold, Verdict, is_abstention, is_same, names_gold
from agents.names import tokens
from graph_sampler.labels import normalise_label
from state.roles import AnswersReply
from state.table_instance import TableInstance

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_OF_NOW = frozenset(("present", "now", "today", "ongoing", "current", "currently"))
_TIME_WORDS = _OF_NOW | {
    *_MONTHS, *(month[:3] for month in _MONTHS), "sept", "bc", "bce", "ad", "ce", "from", "since", "until", "till", "to", "and", "in",
    "on", "of", "the", "as", "still", "through", "start", "started", "began", "end", "ended", "null", "open", "unknown",
}  # fmt: skip
_CUT = re.compile(r"[(\[,:;\u2012-\u2015]|(?:(?<=\d)|(?<=\s))-|\s(?=(?:from|since|in|until)\b)", re.IGNORECASE)
_CUT_SIGNS = " -([,:;\u2012\u2013\u2014\u2015"
_WORD = re.compile(r"\w+")
_MOST_CUT = 300
"""Characters of an answer beyond which nobody has told a time beside a name."""


def judge_set(reply: AnswersReply, answers: Sequence[str], others: Iterable[str]) -> Verdict:
    """The verdict on a reply: each right answer named by one of its own, and nothing else named.

    Args:
        reply: the verifier's.
        answers: the right ones; empty: nothing answers, and nothing may be named.
        others: the other names among which the verifier chose.
    """
    if reply.cannot_tell:
        return Verdict.ABSTAINED
    golds = _golds(answers, others)
    named = _distinct(reply.answers, golds)
    if not named or not golds:
        return _of_none(named, golds)
    matches = [_match(answer, golds) for answer in named]
    hit = [match for match in matches if match is not None]
    if len(hit) == len(named) == len(golds) == len(set(hit)):
        return Verdict.MATCH
    return Verdict.ABSTAINED if all(is_abstention(answer, gold) for answer in named for gold in golds) else Verdict.WRONG


def other_names(instance: TableInstance) -> list[str]:
    """Every value among the rows shown, sorted; `judge_set` tells the answers apart from them."""
    asked = instance.question.dependency.dependent
    shown = {value for table in instance.evidence for row in table.rows for value in row.values}
    return sorted(shown | {row.values[asked] for row in instance.question.distractors})


def without_times(answer: str) -> str:
    """An answer without the times that are told after the name: `Jane Roe (2004-2009)` is `Jane Roe`."""
    while len(answer) <= _MOST_CUT:
        cuts = [found.start() for found in _CUT.finditer(answer)]
        cut = next((cut for cut in reversed(cuts) if answer[:cut].strip() and _tells_time(answer[cut:])), None)
        if cut is None:
            break
        answer = answer[:cut].strip().rstrip(_CUT_SIGNS)
    return answer


def _tells_time(tail: str) -> bool:
    """Whether a text is of dates alone, and of a year or the present at least."""
    words = [word.casefold() for word in _WORD.findall(tail)]
    return all(word.isdigit() or word in _TIME_WORDS for word in words) and any(
        word in _OF_NOW or (word.isdigit() and 3 <= len(word) <= 4) for word in words
    )


def _of_none(named: Sequence[str], golds: Sequence[Gold]) -> Verdict:
    """The verdict where nobody is named or nothing answers."""
    if not named:
        return Verdict.NONE_FITS if golds else Verdict.MATCH
    return Verdict.ABSTAINED if all(is_abstention(answer, Gold("", (), ())) for answer in named) else Verdict.WRONG


def _golds(answers: Sequence[str], others: Iterable[str]) -> list[Gold]:
    """The right answers, those that are one name in several spellings as one, each with all other names as its rivals."""
    groups: list[list[str]] = []
    for answer in answers:
        own = next((group for group in groups if any(_is_one(answer, name) for name in group)), None)
        if own is None:
            groups.append([answer])
        else:
            own.append(answer)
    strangers = [name for name in others if not any(_is_one(name, answer) for answer in answers)]
    return [
        Gold(group[0], group[1:], [*strangers, *(name for other in groups if other is not group for name in other)]) for group in groups
    ]


def _distinct(answers: Iterable[str], golds: Sequence[Gold]) -> list[str]:
    """What was named, without times and repetitions."""
    known = [name for gold in golds[:1] for name in (gold.label, *gold.aliases, *gold.rivals)]
    named: list[str] = []
    for answer in answers:
        name = answer if any(is_same(answer, other) for other in known) else without_times(answer)
        if normalise_label(name) and not any(_is_one(name, other) for other in named):
            named.append(name)
    return named


def _match(answer: str, golds: Sequence[Gold]) -> int | None:
    return next((place for place, gold in enumerate(golds) if names_gold(answer, gold)), None)


def _is_one(one: str, other: str) -> bool:
    """Whether two texts are one name; most share no word, which is seen at once."""
    words, others = tokens(one).words, tokens(other).words
    if words and others and set(words).isdisjoint(others):
        return False
    return is_same(one, other) or is_same(other, one)
