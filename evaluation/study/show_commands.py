"""The command that opens one answer of a cell, as the reports print it."""

from __future__ import annotations

import shlex

OPEN = "open with"
"""Heading of the column of commands."""


def open_command(address: str) -> str:
    """What opens an answer of a cell, but for the item's id, as a shell takes it."""
    return f"chronoqg show {shlex.quote(address)}"


def show_command(address: str, item: str) -> str:
    """What opens one answer, as a shell takes it.

    >>> show_command("study@mini", "years-1")
    'chronoqg show study@mini years-1'
    """
    return f"{open_command(address)} {shlex.quote(item)}"
