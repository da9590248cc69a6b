"""Two requests side by side: what a person needs to see when a replay meets a request that is not in the record."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, unified_diff

from state.trajectory import Request

MOST_LINES = 40
LONGEST_LINE = 160
"""Longer lines are broken, so that a difference at their end is shown too."""


def nearest_difference(now: Request, recorded: Sequence[Request]) -> tuple[str, ...]:
    """A unified diff from the recorded request that is most like `now`, the first of equals; empty if there is none or it is the same."""
    lines = list(readable(now))
    others = [list(readable(request)) for request in recorded]
    if not others:
        return ()
    nearest = max(others, key=lambda other: SequenceMatcher(None, other, lines, autojunk=False).ratio())
    diff = list(unified_diff(nearest, lines, "recorded", "now", n=2, lineterm=""))
    if len(diff) > MOST_LINES:
        left = len(diff) - MOST_LINES + 1
        diff[MOST_LINES - 1 :] = [f"... {left} more lines"]
    return tuple(diff)


def readable(request: Request) -> Iterator[str]:
    """A request as lines: messages, then model, address, parameters and schema."""
    for message in request.messages:
        yield f"[{message.get('role', '')}]"
        yield from _content(message.get("content", ""))
    yield "[request]"
    yield f"model: {request.model}"
    yield f"address: {request.base_url}"
    for name, value in sorted(request.params_sent.items()):
        yield from _broken(f"{name}: {json.dumps(value, ensure_ascii=False, sort_keys=True)}")
    if request.schema_ is None:
        yield "schema: none"
    else:
        yield "schema:"
        yield from json.dumps(request.schema_, ensure_ascii=False, indent=1, sort_keys=True).split("\n")


def _content(text: str) -> Iterator[str]:
    """The lines of a message; the rules' typed request, one line of JSON, is laid out."""
    if text.startswith("{"):
        with contextlib.suppress(ValueError):
            text = json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    for line in text.split("\n"):
        yield from _broken(line)


def _broken(line: str) -> Iterator[str]:
    """A line in pieces, broken after a blank where there is one; put together they are the line."""
    while len(line) > LONGEST_LINE:
        at = line.rfind(" ", LONGEST_LINE // 2, LONGEST_LINE) + 1 or LONGEST_LINE
        yield line[:at]
        line = line[at:]
    yield line
