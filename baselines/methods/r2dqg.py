"""R2DQG (Ren et al., IJCAI 2025), adapted to time and to prompts alone: template, draft, correction. Paper: section 5.1. Three calls."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from baselines.method import Ask, Decoding, Method, Pool, Write
from baselines.post_processing import post_process
from baselines.retrieval import is_related, needed
from baselines.showing import QUESTION_RULES, as_line, shown, shown_like
from baselines.task import Example, Task
from prompts import as_data

TEMPLATE_SYSTEM = (
    "You plan an exam question about facts that hold at certain times. You are given such facts, the conditions on time that single "
    "out one answer, that answer, and the same taken apart by relation. You write a template of the question: a whole question in "
    "which every name of a person, place, work or office is left out and stands as [NAME]. It covers each part and each condition. "
    "Reply with the template alone, on one line."
)
DRAFT_SYSTEM = (
    "You write exam questions about facts that hold at certain times. You are given such facts, the conditions on time that single "
    "out one answer, that answer, and a template in which [NAME] stands for a name that is left out. Solved cases come first; the last "
    f"case is yours. {QUESTION_RULES}"
)
DRAFT_CLOSING = "Write the question of the last case after its template. Reply with the question alone, on one line."
CORRECTION_SYSTEM = (
    "You correct drafts of exam questions about facts that hold at certain times. Compare the draft with the facts, the conditions on "
    "time and the answer; put right what is false, missing, too much or clumsy, and keep the rest as it is. "
    f"{QUESTION_RULES} Reply with the corrected question alone, on one line."
)
ONE_LINE = Decoding()
GAP = "[NAME]"


@dataclass(frozen=True)
class R2dqg(Method):
    """One model plays the template writer, the question writer and the corrector."""

    demonstrations: int = 10
    """Most training instances shown with the draft's prompt, drawn at random for each task."""

    key = "r2dqg"
    label = "R2DQG"
    needs_pool = True

    def __post_init__(self) -> None:
        if self.demonstrations < 1:
            raise ValueError(f"demonstrations is {self.demonstrations}; the least is 1")

    @property
    def calls(self) -> tuple[int, int]:
        """Always three."""
        return 3, 3

    def prepare(self, pool: Pool) -> Write:
        """Looks at the training part only when it draws from it."""
        needed(pool, self.key)

        async def write(task: Task, ask: Ask) -> str:
            plan = f"{shown(task)}\n\nTaken apart by relation:\n{decomposition(task)}\n\nWrite the template."
            template = post_process(await ask("template", TEMPLATE_SYSTEM, plan, ONE_LINE))
            cases = [
                f"{shown_like(example, task)}\n\nTemplate: {as_line(blanked(example))}\nQuestion: {as_line(example.question)}"
                for example in drawn(pool, task, self.demonstrations)
            ]
            last = f"{shown(task)}\n\nTemplate: {as_line(template)}"
            numbered = [f"=== Case {number} ===\n{case}" for number, case in enumerate([*cases, last], start=1)]
            draft = post_process(await ask("draft", DRAFT_SYSTEM, "\n\n".join([*numbered, DRAFT_CLOSING]), ONE_LINE))
            reply = await ask("correction", CORRECTION_SYSTEM, f"{shown(task)}\n\nDraft: {as_line(draft)}", ONE_LINE)
            return reply if post_process(reply) else draft

        return write


def decomposition(task: Task) -> str:
    """A line for each relation: its facts and the conditions that bind them."""
    lines: list[str] = []
    for relation in dict.fromkeys(fact.relation for fact in task.facts):
        names = [fact.name for fact in task.facts if fact.relation == relation]
        bound = [
            str(number)
            for number, constraint in enumerate(task.constraints, start=1)
            if not set(names).isdisjoint((*constraint.left, *constraint.right))
        ]
        lines.append(f"{as_data(relation)}: {', '.join(names)}; conditions: {', '.join(bound) or 'none'}")
    return "\n".join(lines)


def blanked(example: Example) -> str:
    """The reference question with each name of the facts and the answer replaced by `GAP`, longer names first."""
    names = {label for fact in example.task.facts for label in (fact.subject, fact.object)} | {example.task.answer}
    longest_first = sorted((name for name in names if name.strip()), key=lambda name: (-len(name), name))
    pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest_first)
    return re.sub(pattern, lambda _: GAP, example.question) if pattern else example.question


def drawn(pool: Pool, task: Task, count: int) -> list[Example]:
    """So many unrelated examples in a random order that the pool's seed and the task's id decide; fewer if there are no more."""
    rng = random.Random(f"r2dqg {pool.seed} {task.id}")  # noqa: S311 - no secret; a text seeds the same on every machine
    places = list(range(len(pool.examples)))
    found: list[Example] = []
    while places and len(found) < count:
        at = rng.randrange(len(places))
        places[at], places[-1] = places[-1], places[at]
        example = pool.examples[places.pop()]
        if not is_related(task, example.task):
            found.append(example)
    return found


METHOD = R2dqg()
