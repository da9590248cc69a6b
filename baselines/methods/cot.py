"""Zero-shot chain of thought: topology, then time, then the merged question, all in one reply. Paper: section 5.1. One call."""

from __future__ import annotations

import re
from dataclasses import dataclass

from baselines.method import Ask, Decoding, Method, Pool, Write
from baselines.showing import QUESTION_RULES, after_last, shown
from baselines.task import Task

SYSTEM = (
    "You write exam questions about facts that hold at certain times. You are given such facts, the conditions on time that single "
    f"out one answer, and that answer. You think on paper before you write. {QUESTION_RULES}"
)
CLOSING = """Work in three numbered parts.
1. What links the facts: go hop by hop from what the question may name to what it asks for, one line a hop.
2. What time demands: one line a condition, with the fact that it is about and the fact or the order that it is measured by.
3. The question that puts 1 and 2 together, on one line that begins with
Final question:"""
THINKING = Decoding(max_tokens=768)
"""Room for the two parts before the question."""
_MARK = re.compile(r"final\s+question[\s*_\"'”]*:[*_]*", re.IGNORECASE)


@dataclass(frozen=True)
class ChainOfThought(Method):
    """One prompt; the question stands behind a mark at the reply's end."""

    key = "cot"
    label = "Zero-shot CoT"
    sees_path = True

    @property
    def calls(self) -> tuple[int, int]:
        """Always one: the parts are of one completion."""
        return 1, 1

    def prepare(self, pool: Pool) -> Write:
        """Needs no training part."""

        async def write(task: Task, ask: Ask) -> str:
            return after_last(_MARK, await ask("reason", SYSTEM, f"{shown(task)}\n\n{CLOSING}", THINKING))

        return write


METHOD = ChainOfThought()
