"""Zero-shot: facts, path and constraints in, one question out. Paper: section 5.1. One call."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.method import Ask, Method, Pool, Write
from baselines.task import Task

SYSTEM = (
    "You write exam questions about facts that hold at certain times. You are given such facts, the answer, and what "
    "must be true of time for that answer to be the only one. Write one question in plain English."
)


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
            return await ask("write", SYSTEM, f"{shown(task)}\n\nReply with the question alone, on one line.")

        return write


def shown(task: Task) -> str:
    """What the prompting methods show of a task."""
    parts = [f"Facts (subject, relation, object, time):\n{task.facts_text()}"]
    if task.shows_path:
        parts.append(f"Path through the facts, where X, Y and Z stand for whatever fits:\n{task.path_text()}")
    parts.append(f"Conditions on time, all of which the question must state:\n{task.constraints_text()}")
    parts.append(f"Answer, which the question must ask for and must not mention:\n{task.answer_text()}")
    return "\n\n".join(parts)


METHOD = ZeroShot()
