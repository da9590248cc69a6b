"""The gate that every written question passes before anyone verifies it.

A usable question is one sentence that ends in `?`, names every fixed entity and reference, and shows
nothing of the machinery: no slot, internal id, relation key or fact name. What is wrong is said in
one sentence, which the role is shown when it is asked again.
"""

from __future__ import annotations

import re
import unicodedata

from agents.names import spans, tokens
from graph_sampler.labels import normalise_label
from state.instance import BenchmarkRecord
from state.trace import StructuralStep

_MACHINERY = re.compile(r"\b(?:[fgc][1-9]|tr-\d+|tp-\d+|(?:first|second|third) facts?)\b|\?[abc]\b")
_SECOND_SENTENCE = re.compile(r"(\w*)[.!?]+[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W\d_a-z])")
_ABBREVIATIONS = frozenset((
    "approx", "ca", "capt", "cf", "co", "col", "corp", "dr", "etc", "ft", "gen", "hon", "inc", "jr", "lt", "ltd", "mr", "mrs",
    "ms", "mt", "no", "op", "prof", "rev", "sgt", "sr", "st", "vol", "vs",
))  # fmt: skip
_ID_LIKE = re.compile(r"[\w:/.#-]+")
_HIDDEN = "Name"
_NOT_TEXT = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
_JOINERS = {0x200C: None, 0x200D: None}  # some scripts are spelt with them
_QUESTION_MARKS = "?？؟;⁇⁈⁉︖﹖"
MOST_CHARACTERS = 3000
"""Characters of a question, the names that it must hold aside."""


def required_names(record: BenchmarkRecord) -> list[str]:
    """Labels of what the question must name: fixed ends of the patterns, and both ends of references."""
    ids = [
        end
        for step in record.trace.steps
        if isinstance(step, StructuralStep)
        for end in (step.pattern[0], step.pattern[2])
        if not end.startswith("?")
    ]
    ids += [end for fact in record.trace.references.values() for end in (fact.subject, fact.object)]
    return list(dict.fromkeys(record.labels[end] for end in ids))


def usable_problem(question: str, record: BenchmarkRecord, *, require_names: bool = True) -> str | None:
    """Why a written question cannot be used, or `None`."""
    names = required_names(record)
    text = _without_labels(question.strip(), record)
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
    if found := _MACHINERY.search(text):
        return f"The question holds {found.group()!r}, which means nothing to a reader."
    if found_id := _internal_id(text, record):
        return f"The question holds the internal id {found_id!r}; use the name instead."
    if require_names:
        written = tokens(question)
        missing = [name for name in names if not _is_named(name, question, spans(tokens(name), written))]
        if missing:
            return f"The question must name {', '.join(repr(name) for name in missing)} in full, spelt like this."
    return None


def _is_named(name: str, question: str, found: list[tuple[int, int]]) -> bool:
    if tokens(name).joined:
        return bool(found)
    return normalise_label(name) in normalise_label(question)


def _without_labels(question: str, record: BenchmarkRecord) -> str:
    """The question with a neutral word for each label that holds signs the gate looks for.

    A label is data: `The {Braces}`, `Who?` or `F1` are names, not slots, sentence ends or machinery.
    """
    present = [label for label in record.labels.values() if label in question and _is_risky(label)]
    for label in sorted(present, key=len, reverse=True):
        question = question.replace(label, _HIDDEN)
    return question


def _is_risky(label: str) -> bool:
    return not label.replace(" ", "").isalpha() or "fact" in label


def _is_abbreviation(match: re.Match[str]) -> bool:
    """Whether the full stop belongs to `St.`, `Jr.` or an initial; `!` and `?` always end a sentence."""
    word = match.group(1)
    return "." in match.group() and (len(word) == 1 or word.casefold() in _ABBREVIATIONS)


def _internal_id(text: str, record: BenchmarkRecord) -> str | None:
    for word in _ID_LIKE.findall(text):
        for form in (word, word.rstrip(".:/-")):
            if form in record.labels and record.labels[form] != form and not _is_plain(form):
                return str(form)
    return None


def _is_plain(word: str) -> bool:
    """Whether an id is an English word or a number as well, so that its presence shows nothing."""
    return word.isdigit() or (word.isalpha() and word[1:].islower())
