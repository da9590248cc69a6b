"""The template question itself: how close the references stay to it. Free, and exempt from what generators may see."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.method import Reference
from state.instance import BenchmarkRecord


@dataclass(frozen=True)
class TemplateQuestion(Reference):
    """Copies the template question."""

    key = "template"
    label = "Template question"

    def write(self, record: BenchmarkRecord) -> str:
        """The record's raw question."""
        return record.raw_question


METHOD = TemplateQuestion()
