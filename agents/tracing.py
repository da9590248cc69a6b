"""No tracing, whatever the environment says: prompts and replies go nowhere but to the model."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

from langsmith import tracing_context

_RAISING = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")


def untraced() -> AbstractContextManager[None]:
    """A context in which LangChain and LangGraph send no traces."""
    return tracing_context(enabled=False)


def drop_raising_variables() -> None:
    """Takes out of the environment two variables of an older tracer, whose mere presence makes langchain-core raise."""
    for name in _RAISING:
        os.environ.pop(name, None)
