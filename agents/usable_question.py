"""The gate that every written question about a graph passes before anyone verifies it.

A usable question is one sentence that ends in `?`, names every fixed entity and reference, and shows
nothing of the machinery: no slot, internal id, relation key or fact name. What is wrong is said in
one sentence, which the role is shown when it is asked again.
"""

from __future__ import annotations

import re

from agents.one_question import form_problem, missing_names_problem, without_labels
from state.instance import BenchmarkRecord
from state.trace import StructuralStep

_MACHINERY = re.compile(r"\b(?:[fgc][1-9]|tr-\d+|tp-\d+|(?:first|second|third) facts?)\b|\?[abc]\b")
_ID_LIKE = re.compile(r"[\w:/.#-]+")


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
    text = without_labels(question.strip(), record.labels.values())
    if problem := form_problem(text, names):
        return problem
    if found := _MACHINERY.search(text):
        return f"The question holds {found.group()!r}, which means nothing to a reader."
    if found_id := _internal_id(text, record):
        return f"The question holds the internal id {found_id!r}; use the name instead."
    return missing_names_problem(question, names) if require_names else None


def _internal_id(text: str, record: BenchmarkRecord) -> str | None:
    for word in _ID_LIKE.findall(text):
        for form in (word, word.rstrip(".:/-")):
            if form in record.labels and record.labels[form] != form and not _is_plain(form):
                return str(form)
    return None


def _is_plain(word: str) -> bool:
    """Whether an id is an English word or a number as well, so that its presence shows nothing."""
    return word.isdigit() or (word.isalpha() and word[1:].islower())
