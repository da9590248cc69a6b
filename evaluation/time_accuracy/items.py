"""What `evaluation.json` of an evaluation on temporal tables holds: every question, every reply, every verdict."""

from __future__ import annotations

from typing import Literal

from state.model_base import Contract
from state.tdbench_evaluation import AskedQuestion
from state.tdbench_scoring import ScoredReply


class RowItem(Contract):
    """One reply with all verdicts on it."""

    id: str
    """The question's id."""
    reply: str
    """The text; empty if there is none."""
    rules: ScoredReply
    """The rules' verdicts."""
    judge: ScoredReply | None
    """The judge's; `None` without one."""


class ScoredRow(Contract):
    """A row's replies with their verdicts."""

    name: str
    """The row."""
    replies: tuple[RowItem, ...]
    """One for each question, in the questions' order."""


class EvaluationData(Contract):
    """`evaluation.json`: the questions and every row's replies."""

    format: Literal[1] = 1
    """Format version."""
    questions: tuple[AskedQuestion, ...]
    """What was asked."""
    rows: tuple[ScoredRow, ...]
    """What came back."""
