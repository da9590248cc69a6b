"""A reasoning path as a nested expression, its structure, and a chain of sub-questions for it. After KQG-CoT.

The expression is built from the inside: a root look-up, a filter or a step on, a test of time. A look-up names the end
of the fact that is sought: `(look-up subject "drove for" "McLaren")` are those who drove for McLaren.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from baselines.task import FIRST_BY_ORDER, GivenStep, Task, Variable
from graph_sampler.operators import meaning_of, word_of
from prompts import as_data

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s()"]+')
_WORD = re.compile(r"\w+")


class Link(NamedTuple):
    """A step of a chain: the expression so far and the question that it answers."""

    form: str
    question: str


def logical_form(task: Task) -> str:
    """The whole expression, labels as data."""
    return _prefixes(task, as_data, as_data)[-1]


def structure(task: Task) -> str:
    """The expression with placeholders for its labels, numbered as they appear: E1, E2 for entities, R1, R2 for relations.

    One label has one number. Operators, names of facts (`f1`) and ranks stay: they belong to the grammar.
    """
    return _prefixes(task, _numbered("E"), _numbered("R"))[-1]


def form_tokens(form: str) -> list[str]:
    """Symbols and labels of an expression, brackets left out; its length is their number."""
    return _TOKEN.findall(form)


def form_words(form: str) -> list[str]:
    """The same with the words of labels one by one and in lower case, for the likeness of two expressions."""
    return [word for token in form_tokens(form) for word in (_WORD.findall(token.lower()) if token.startswith('"') else [token])]


def chain(task: Task, question: str) -> list[Link]:
    """An expression and a sub-question for each step of the path; the last sub-question is the given one."""
    forms = _prefixes(task, as_data, as_data)
    asked = [_sub_question(step, task) for step in task.steps[:-1]]
    return [Link(*pair) for pair in zip(forms, [*asked, question], strict=True)]


def _prefixes(task: Task, entity: Callable[[str], str], relation: Callable[[str], str]) -> list[str]:
    forms: list[str] = []
    for step in task.steps:
        inner = f" {forms[-1]}" if forms else ""
        forms.append(f"({_head(step)}{inner} {_arguments(step, task, entity, relation)})")
    return forms


_HEADS = {"root": "look-up", "structural_filter": "filter", "forward_transition": "step"}


def _head(step: GivenStep) -> str:
    return _HEADS[step.action] if step.pattern is not None else "rank" if step.rank is not None else "time"


def _arguments(step: GivenStep, task: Task, entity: Callable[[str], str], relation: Callable[[str], str]) -> str:
    if step.pattern is not None:
        subject, name, object_ = step.pattern
        if step.action == "forward_transition":
            return f"{'subject' if _new_end(step, task) == subject else 'object'} {relation(name)}"
        sought, fixed = ("subject", object_) if _is_variable(subject) else ("object", subject)
        return f"{sought} {relation(name)} {entity(fixed)}"
    if step.rank is not None and step.order is not None:
        return f"{step.operator} {step.fact} {step.rank} {step.order.value}"
    if step.right in task.references:
        subject, name, object_ = task.references[step.right]
        return f"{step.operator} {step.fact} (fact {entity(subject)} {relation(name)} {entity(object_)})"
    return f"{step.operator} {step.fact} {step.right}"


def _sub_question(step: GivenStep, task: Task) -> str:
    if step.pattern is not None:
        fact = " - ".join(_NAMES.get(end, end) if _is_variable(end) else as_data(end) for end in step.pattern)
        asks = _NAMES.get(_sought(step, task), "X")
        opening = f"Which {asks} belongs to them by" if step.action == "forward_transition" else f"Which {asks} fits"
        return f"{opening} {fact} ({step.fact})?"
    assert step.operator is not None
    if step.rank is not None and step.order is not None:
        by = meaning_of(step.operator)
        return f"Which of these is number {step.rank} by the {by} of {step.fact}, with the {FIRST_BY_ORDER[by, step.order]} as number 1?"
    right = step.right
    if right in task.references:
        right = " - ".join(map(as_data, task.references[right]))
    word, meaning = word_of(step.operator).value, meaning_of(step.operator)
    return f"For which of these is {as_data(word)} true of {step.fact} and {right}: {step.fact} {meaning}?"


_NAMES = {"?a": "X", "?b": "Y", "?c": "Z"}


def _sought(step: GivenStep, task: Task) -> str:
    assert step.pattern is not None
    if step.action == "forward_transition":
        return _new_end(step, task)
    return step.pattern[0] if _is_variable(step.pattern[0]) else step.pattern[2]


def _new_end(step: GivenStep, task: Task) -> str:
    """The variable that a step on brings in: the one that no earlier step has."""
    assert step.pattern is not None
    earlier: set[str] = set()
    for other in task.steps:
        if other.fact == step.fact and other.pattern == step.pattern:
            break
        if other.pattern is not None:
            earlier.update(end for end in (other.pattern[0], other.pattern[2]) if _is_variable(end))
    return step.pattern[2] if step.pattern[0] in earlier else step.pattern[0]


def _is_variable(end: str) -> bool:
    return isinstance(end, Variable)


def _numbered(sign: str) -> Callable[[str], str]:
    known: dict[str, str] = {}
    return lambda label: known.setdefault(label, f"{sign}{len(known) + 1}")
