"""SGSH (Guo et al., NAACL 2024), adapted to time: first a skeleton, then the question that fills it. Paper: section 5.1. Two calls."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass

from baselines.method import Ask, Decoding, Method, Pool, Write
from baselines.retrieval import is_related, needed
from baselines.showing import QUESTION_RULES, as_line, shown, shown_like
from baselines.skeleton import skeleton_in, skeleton_of
from baselines.task import Task
from baselines.term_weights import TermIndex

SKELETON_SYSTEM = (
    "You foresee the shape of an exam question about facts that hold at certain times, before it is written. Its skeleton has the "
    "question word, with a preposition right before it if there is one, and the first of is, was, are, were, am, do, did and does "
    "after it. Every stretch of other words is one blank, written _. All is in lower case and ends in a question mark, as in: who was _ ?"
)
TEMPORAL_SYSTEM = f"{SKELETON_SYSTEM} Words for time such as before, after, during, while, same, first, last and 2nd stay where they stand."
SKELETON_CLOSING = "Write the skeleton of the question that asks for this answer. Reply with the skeleton alone, on one line."
SYSTEM = (
    "You write exam questions about facts that hold at certain times. You are given such facts, the conditions on time that single "
    "out one answer, that answer, and a skeleton: the question's first words, with a blank for every stretch that is yours to fill. "
    f"Solved cases come first; the last case is yours. {QUESTION_RULES}"
)
CLOSING = "Write the question of the last case; it should follow its skeleton. Reply with the question alone, on one line."
FORESEE = Decoding(temperature=0.2, max_tokens=128)
"""For the skeleton."""
SHAPES_SHOWN = 10
"""Most frequent skeletons of the training part that the first call is shown."""
BYTES_A_TOKEN = 4
"""Of English with a large vocabulary; a budget that holds must not need the model's own tokenizer."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Sgsh(Method):
    """Training questions give exemplars with skeletons by rules; the model gives the skeleton of the task."""

    exemplars: int = 16
    """Most exemplars of the second call."""
    budget: int = 3500
    """Most tokens of the second call's prompt, estimated from its length; the least similar exemplars go first."""
    temporal_skeletons: bool = False
    """Whether skeletons keep words that tell of time."""

    key = "sgsh"
    label = "SGSH"
    needs_pool = True

    def __post_init__(self) -> None:
        for name, value in (("exemplars", self.exemplars), ("budget", self.budget)):
            if value < 1:
                raise ValueError(f"{name} is {value}; the least is 1")

    @property
    def calls(self) -> tuple[int, int]:
        """Always two."""
        return 2, 2

    def prepare(self, pool: Pool) -> Write:
        """Finds the skeletons of the training part by rules and indexes its instances with them."""
        examples = needed(pool, self.key).examples
        skeletons = [skeleton_of(example.question, temporal=self.temporal_skeletons) for example in examples]
        index = TermIndex([terms(example.task, skeleton) for example, skeleton in zip(examples, skeletons, strict=True)])
        counted = sorted(Counter(skeletons).items(), key=lambda entry: (-entry[1], entry[0]))[:SHAPES_SHOWN]
        shapes = "\n".join(as_line(skeleton) for skeleton, _ in counted)
        foresee = TEMPORAL_SYSTEM if self.temporal_skeletons else SKELETON_SYSTEM

        async def write(task: Task, ask: Ask) -> str:
            told = f"Frequent skeletons:\n{shapes}\n\n{shown(task)}\n\n{SKELETON_CLOSING}"
            skeleton = skeleton_in(await ask("skeleton", foresee, told, FORESEE))
            ranked = (place for place in index.ranked(terms(task, skeleton)) if not is_related(task, examples[place].task))
            cases = [
                f"{shown_like(examples[place], task)}\n\n{_shape(skeletons[place])}\nQuestion: {as_line(examples[place].question)}"
                for place in itertools.islice(ranked, self.exemplars)
            ]
            last = f"{shown(task)}\n\n{_shape(skeleton)}"
            return await ask("question", SYSTEM, prompt(cases, last, self.budget))

        return write


def terms(task: Task, skeleton: str) -> list[str]:
    """What two instances are compared by: words of facts and answer, operators, and the skeleton in its order."""
    labels = [word for fact in task.facts for label in (fact.subject, fact.relation, fact.object) for word in _WORD.findall(label.lower())]
    answer = [f"answer {word}" for word in _WORD.findall(task.answer.lower())]
    shape = skeleton.split()
    pairs = [f"skeleton {left} {right}" for left, right in itertools.pairwise(shape)]
    return [*labels, *answer, *task.operators, *(f"skeleton {word}" for word in shape), *pairs]


def prompt(cases: list[str], last: str, budget: int) -> str:
    """The cases in ascending likeness and the task after them.

    Args:
        cases: the most similar first; as many from the front as fit the budget are shown.
        last: the task, which always stays.
        budget: most tokens, the system message included.
    """
    for count in range(len(cases), -1, -1):
        listed = [*reversed(cases[:count]), last]
        numbered = [f"=== Case {number} ===\n{case}" for number, case in enumerate(listed, start=1)]
        text = "\n\n".join([*numbered, CLOSING])
        if estimated_tokens(SYSTEM + text) <= budget:
            break
    return text


def estimated_tokens(text: str) -> int:
    """Tokens of a text by its bytes."""
    return -(-len(text.encode()) // BYTES_A_TOKEN)


def _shape(skeleton: str) -> str:
    return f"Skeleton: {as_line(skeleton)}"


METHOD = Sgsh()
