"""KQG-CoT (Liang et al., EMNLP 2023), adapted to time: demonstrations with chains of sub-questions. Paper: section 5.1. One call."""

from __future__ import annotations

import re
from dataclasses import dataclass

from baselines.logical_form import chain, logical_form
from baselines.method import Ask, Decoding, Method, Pool, Write
from baselines.retrieval import needed
from baselines.showing import QUESTION_RULES, after_last, as_line, shown, shown_like
from baselines.support_set import support_set
from baselines.task import Example, Task

SYSTEM = (
    "You turn facts that hold at certain times, with conditions on time and an answer, into one question, by small steps. Each step "
    "adds one look-up, one further fact or one condition on time to a nested expression, and asks a sub-question for what the "
    "expression stands for by then. The sub-questions grow from simple to complex; the last one covers everything and is the "
    f"question. Worked cases come first; the last case is yours. For the last sub-question of yours: {QUESTION_RULES}"
)
CLOSING = (
    "Work on the last case as in the cases before: a line 'Step 1:' with the expression, a line 'Sub-question 1:', and so on, until a "
    "sub-question covers all facts and conditions. Stop after it."
)
CHAIN = Decoding(max_tokens=1024)
"""Room for the longest chains, whose expressions grow with each step."""
_MARK = re.compile(r"sub-?\s?question(?:\s*(?:no\.?\s*|#)?\d+)?[\s*_]*(?:\([^()\n]*\))?[\s*_]*:[*_]*", re.IGNORECASE)


@dataclass(frozen=True)
class KqgCot(Method):
    """The same demonstrations for every task, in the order of their clusters."""

    k: int = 12
    """Demonstrations, one from each cluster of structures."""
    n_init: int = 10
    """Runs of k-means, of which the best is taken."""

    key = "kqg_cot"
    label = "KQG-CoT"
    needs_pool = True

    def __post_init__(self) -> None:
        for name, value in (("k", self.k), ("n_init", self.n_init)):
            if value < 1:
                raise ValueError(f"{name} is {value}; the least is 1")

    @property
    def calls(self) -> tuple[int, int]:
        """Always one: the whole chain is one completion."""
        return 1, 1

    def arranged(self, chosen: list[Example]) -> list[Example]:
        """The demonstrations as they are shown: as the clusters come."""
        return chosen

    def prepare(self, pool: Pool) -> Write:
        """Chooses the demonstrations; only their reference questions are read."""
        chosen = self.arranged(support_set(needed(pool, self.key), self.k, self.n_init))

        async def write(task: Task, ask: Ask) -> str:
            cases = [*(_worked(example, task) for example in chosen), _open(shown(task), task)]
            numbered = [f"=== Case {number} ===\n{case}" for number, case in enumerate(cases, start=1)]
            return after_last(_MARK, await ask("chain", SYSTEM, "\n\n".join([*numbered, CLOSING]), CHAIN))

        return write


def _open(fields: str, task: Task) -> str:
    """A case without its chain; the whole expression is the path in this method's words, so it is shown where the path is."""
    return f"{fields}\n\nWhole expression: {logical_form(task)}" if task.shows_path else fields


def _worked(example: Example, task: Task) -> str:
    shown_as = shown_like(example, task)
    fields = f"{shown_as}\n\nWhole expression: {logical_form(example.task)}" if task.shows_path else shown_as
    steps = [
        f"Step {number}: {link.form}\nSub-question {number}: {as_line(link.question)}"
        for number, link in enumerate(chain(example.task, example.question), start=1)
    ]
    return "\n".join([f"{fields}\n", *steps])


METHOD = KqgCot()
