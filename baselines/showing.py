"""A task as the text of a prompt, the same words for every method, and what a reply says after a mark."""

from __future__ import annotations

import re
from dataclasses import replace

from baselines.task import Example, Task
from prompts import as_data

QUESTION_RULES = (
    "The question names people, places, works and offices exactly as the facts spell them, and no name that they lack. It says every "
    "condition on time in everyday words, each about the fact that it belongs to, and adds none of its own. It gives no date or year "
    "unless a condition cannot be said without one, and it uses none of the names F1, F2, X, Y and Z. It neither contains nor "
    "spells out the answer."
)
"""What every method's writer is told of a good question."""


def shown(task: Task) -> str:
    """Facts, path where the method may show it, conditions and answer."""
    parts = [f"Facts (subject, relation, object, time):\n{task.facts_text()}"]
    if task.shows_path:
        parts.append(f"Path through the facts, where X, Y and Z stand for whatever fits:\n{task.path_text()}")
    parts.append(f"Conditions on time, in this order:\n{task.constraints_text()}")
    parts.append(f"Answer:\n{task.answer_text()}")
    return "\n\n".join(parts)


def shown_like(example: Example, task: Task) -> str:
    """A training instance with the fields that a task shows."""
    return shown(replace(example.task, shows_path=task.shows_path))


def as_line(text: str) -> str:
    """A question or a draft as one line of a prompt, without quotes around it: what it holds is data.

    Blanks are collapsed and the signs of markup escaped as `prompts.as_data` does; quotes and backslashes stay.
    """
    return re.sub(r'\\(["\\])', r"\1", as_data(" ".join(text.split()))[1:-1])


def after_last(mark: re.Pattern[str], reply: str) -> str:
    """The first line with words after the last mark that has one; the whole reply without such a mark."""
    for found in reversed(list(mark.finditer(reply))):
        following = reply[found.end() :]
        later = mark.search(following)
        lines = (following[: later.start()] if later else following).splitlines()
        for line in lines:
            if any(sign.isalnum() for sign in line):
                return line.strip()
    return reply
