"""Rows of evidence as a prompt's data block shows them, made once for all roles that are shown the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import prompts

_MOST_RENDERED = 256
_rendered: dict[int, tuple[Sequence[Any], prompts.Rows]] = {}


def rows_of(shown: Sequence[Any], as_objects: Callable[[Sequence[Any]], list[dict[str, Any]]]) -> prompts.Rows:
    """The rows of what is shown; a sequence must always come with the same function."""
    known = _rendered.get(id(shown))
    if known is None or known[0] is not shown:
        if len(_rendered) >= _MOST_RENDERED:
            _rendered.clear()
        known = _rendered[id(shown)] = (shown, prompts.Rows(as_objects(shown)))
    return known[1]
