"""The paper's own figures as tables, apart from everything that was scored here."""

from __future__ import annotations

from evaluation.pages.tables import Table

PAPER_NOTE = (
    "These figures are the paper's. They were computed on its own benchmark, with references by other models and no stated split or "
    "tokens: they are not to be compared with the tables above row by row, and stand here for orientation alone."
)
"""What must be read before the paper's figures."""


def paper_tables() -> tuple[Table, ...]:
    """Tables 4, 5 and 6 as printed."""
    return ()


def paper_notes() -> tuple[str, ...]:
    """What does not add up in them."""
    return ()
