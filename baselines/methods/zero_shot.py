"""Zero-shot: facts, path and constraints in, one question out. Paper: section 5.1. One call."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.method import Ask, Method, Pool, Write
from baselines.showing import QUESTION_RULES, shown
from baselines.task import Task

SYSTEM = (
    "You write exam questions about facts that hold at certain times. You are given such facts, the conditions on time that single "
    f"out one answer, and that answer. Write the one plain English question that it answers. {QUESTION_RULES}"
)
CLOSING = "Write the question that asks for this answer. Reply with the question alone, on one line."


@dataclass(frozen=True)
class ZeroShot(Method):
    """One prompt, one question."""

    key = "zero_shot"
    label = "Zero-shot"
    sees_path = True

    @property
    def calls(self) -> tuple[int, int]:
        """Always one."""
        return 1, 1

    def prepare(self, pool: Pool) -> Write:
        """Needs no training part."""

        async def write(task: Task, ask: Ask) -> str:
            return await ask("write", SYSTEM, f"{shown(task)}\n\n{CLOSING}")

        return write


METHOD = ZeroShot()
