"""Few-shot: demonstrations retrieved by the types of the temporal constraints. Paper: section 5.1. One call."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.method import Ask, Method, Pool, Write
from baselines.retrieval import ConstraintIndex, needed
from baselines.showing import QUESTION_RULES, as_line, shown, shown_like
from baselines.task import Task

SYSTEM = (
    "You write exam questions about facts that hold at certain times. You are given such facts, the conditions on time that single "
    f"out one answer, and that answer. Solved cases come first; the last case is yours. {QUESTION_RULES}"
)
CLOSING = "Write the question of the last case in the manner of the others. Reply with it alone, on one line."


@dataclass(frozen=True)
class FewShot(Method):
    """One prompt with solved cases before the task, the most similar one last."""

    k: int = 3
    """Most demonstrations; there are fewer where the training part has no more that are unrelated to the task."""

    key = "few_shot"
    label = "Few-shot"
    sees_path = True
    needs_pool = True

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k is {self.k}; few-shot needs at least one demonstration")

    @property
    def calls(self) -> tuple[int, int]:
        """Always one."""
        return 1, 1

    def prepare(self, pool: Pool) -> Write:
        """Sorts the training part by its constraints."""
        index = ConstraintIndex(needed(pool, self.key))

        async def write(task: Task, ask: Ask) -> str:
            found = reversed(index.most_similar(task, self.k))
            cases = [f"{shown_like(example, task)}\n\nQuestion: {as_line(example.question)}" for example in found]
            numbered = [f"=== Case {number} ===\n{case}" for number, case in enumerate([*cases, shown(task)], start=1)]
            return await ask("write", SYSTEM, "\n\n".join([*numbered, CLOSING]))

        return write


METHOD = FewShot()
