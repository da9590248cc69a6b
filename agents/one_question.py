"""Whether a text is one question in one line, whatever it is about, and which names it lacks.

What a question about a graph or about tables must and must not hold beyond that is each gate's own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from agents.names import spans, tokens
from graph_sampler.labels import normalise_label

_SECOND_SENTENCE = re.compile(r"(\w*)[.!?]+[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W\d_a-z])")
_ABBREVIATIONS = frozenset((
    "approx", "ca", "capt", "cf", "co", "col", "corp", "dr", "etc", "ft", "gen", "hon", "inc", "jr", "lt", "ltd", "mr", "mrs",
    "ms", "mt", "no", "op", "prof", "rev", "sgt", "sr", "st", "vol", "vs",
))  # fmt: skip
_HIDDEN = "Name"
_NOT_TEXT = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
_JOINERS = {0x200C: None, 0x200D: None}  # some scripts are spelt with them
_QUESTION_MARKS = "?？؟;⁇⁈⁉︖﹖"
MOST_CHARACTERS = 3000
"""Characters of a question, the names that it must hold aside."""


def form_problem(text: str, names: Iterable[str]) -> str | None:
    """Why a text is not one question of a usable length, or `None`.

    Args:
        text: the question, stripped, without labels that hold signs looked for here.
        names: what it must name, whose length does not count.
    """
    if any(sign in text for sign in "\n\r\u2028\u2029\x85"):
        return "The question must be one line."
    if any(unicodedata.category(sign) in _NOT_TEXT for sign in text.translate(_JOINERS)):
        return "The question must hold no control or invisible characters."
    if len(text) > MOST_CHARACTERS + sum(map(len, names)):
        return f"The question must be shorter than {MOST_CHARACTERS} characters, names aside."
    if not text.endswith("?"):
        return "The question must end with a question mark."
    if sum(map(text.count, _QUESTION_MARKS)) > 1:
        return "There must be exactly one question."
    if any(not _is_abbreviation(match) for match in _SECOND_SENTENCE.finditer(text)):
        return "The question must be one sentence, with nothing before or after it."
    if "{" in text or "}" in text:
        return "The question holds an unfilled slot in braces."
    return None


def missing_names_problem(question: str, names: Iterable[str]) -> str | None:
    """Which names a question lacks, or `None`."""
    written = tokens(question)
    missing = [name for name in names if not _is_named(name, question, spans(tokens(name), written))]
    if missing:
        return f"The question must name {', '.join(repr(name) for name in missing)} in full, spelt like this."
    return None


def without_labels(question: str, labels: Iterable[str]) -> str:
    """The question with a neutral word for each label that holds signs the gates look for.

    A label is data: `The {Braces}`, `Who?` or `F1` are names, not slots, sentence ends or machinery.
    """
    present = [label for label in labels if label in question and _is_risky(label)]
    for label in sorted(present, key=len, reverse=True):
        question = question.replace(label, _HIDDEN)
    return question


def _is_named(name: str, question: str, found: list[tuple[int, int]]) -> bool:
    if tokens(name).joined:
        return bool(found)
    return normalise_label(name) in normalise_label(question)


def _is_risky(label: str) -> bool:
    return not label.replace(" ", "").isalpha() or "fact" in label


def _is_abbreviation(match: re.Match[str]) -> bool:
    """Whether the full stop belongs to `St.`, `Jr.` or an initial; `!` and `?` always end a sentence."""
    word = match.group(1)
    return "." in match.group() and (len(word) == 1 or word.casefold() in _ABBREVIATIONS)
