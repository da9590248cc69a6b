"""RoleAgentQG (Zhao et al., CIKM 2024), adapted to time: an editorial office of five roles. Paper: section 5.1. Up to 13 calls.

The managing editor sets the brief once. Then, at most three times: the contributor drafts, the content editor and the
copy editor revise, the editor-in-chief scores. What is passed back to the contributor is the score's one line of feedback.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from baselines.method import Ask, Decoding, Method, Pool, Write
from baselines.post_processing import post_process
from baselines.showing import QUESTION_RULES, as_line, shown
from baselines.task import Task

MANAGING_EDITOR = (
    "You are the managing editor of a quiz magazine whose questions are about facts that hold at certain times. For each case you "
    "brief your staff in exactly three short lines: 'Objective:' what the question must ask for, 'Format:' how it must read, and "
    "'Logic:' which facts and conditions on time it must join, and how. You do not write the question, and you do not name the answer."
)
CONTRIBUTOR = (
    "You are a contributor to a quiz magazine. You draft one question from facts that hold at certain times, conditions on time, an "
    f"answer and the managing editor's brief. {QUESTION_RULES} Reply with the question alone, on one line."
)
CONTENT_EDITOR = (
    "You are the content editor of a quiz magazine. You get a colleague's draft, a summary of the facts, the conditions on time and "
    "the answer. You mend whatever disagrees with them: a wrong name or direction, a condition on time that is missing, wrong or too "
    "many, or the answer given away. You leave alone what is right. Reply with the whole question alone, on one line."
)
COPY_EDITOR = (
    "You are the copy editor of a quiz magazine. You mend the grammar and style of a question, so that it is one clear English "
    "sentence. You change neither names nor meaning and drop no condition. Reply with the question alone, on one line."
)
EDITOR_IN_CHIEF = (
    "You are the editor-in-chief of a quiz magazine. You judge a question against its facts, conditions on time and answer: 5 is ready "
    "to print, 4 has blemishes that do no harm, 3 lacks or blurs something, 2 has something wrong, 1 is useless. Reply in two lines: "
    "'Score:' and a whole number from 1 to 5, then 'Feedback:' and one line that tells the contributor what to change."
)
BRIEF = Decoding(temperature=0.3)
DRAFT = Decoding(temperature=0.5)
CONTENT = Decoding(temperature=0.3)
COPY = Decoding(temperature=0.2)
SCORE = Decoding(temperature=0.0)
ACCEPTED = 4
"""Least score that ends the loop."""
UNREADABLE = 3
"""What a reply without a score from 1 to 5 counts as."""
SUMMARY_LENGTH = 200
"""Characters of the facts that the content editor sees."""
_SCALE = re.compile(r"\b1\s*(?:-|–|to)\s*5\b|(?:\bout\s+of|/)\s*5\b")
_SCORE = re.compile(r"\bscore[^\d\n]{0,20}(\d+(?:\.\d+)?)", re.IGNORECASE)
_BARE = re.compile(r"\W*(\d+(?:\.\d+)?)(?:\s*/\s*5)?\W*")
_FEEDBACK = re.compile(r"\bfeedback[\s*_]*:[\s*_]*(?P<said>[^\n]*)", re.IGNORECASE)


@dataclass(frozen=True)
class RoleAgentQg(Method):
    """Five roles, a loop, and the best-scored text if no round is accepted."""

    rounds: int = 3
    """Most rounds of the loop."""
    feedback: bool = True
    """Whether the contributor is shown its last text and the editor-in-chief's feedback on it."""

    key = "role_agent_qg"
    label = "RoleAgentQG"

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ValueError(f"rounds is {self.rounds}; the least is 1")

    @property
    def calls(self) -> tuple[int, int]:
        """The brief, and four calls a round."""
        return 5, 1 + 4 * self.rounds

    def prepare(self, pool: Pool) -> Write:
        """Needs no training part."""

        async def write(task: Task, ask: Ask) -> str:
            brief = _lines(await ask("managing_editor", MANAGING_EDITOR, shown(task), BRIEF))
            case = f"{shown(task)}\n\nBrief of the managing editor:\n{brief}"
            best, best_score, returned = "", 0.0, ""
            for _ in range(self.rounds):
                text = await _revised(task, case + returned, ask)
                verdict = await ask("editor_in_chief", EDITOR_IN_CHIEF, f"{case}\n\nQuestion: {as_line(text)}", SCORE)
                score = score_in(verdict)
                if score >= best_score:  # of equals the last, as if the last were returned
                    best, best_score = text, score
                if score >= ACCEPTED:
                    break
                if self.feedback:
                    said = as_line(feedback_in(verdict)) or "It is not good enough yet."
                    returned = f"\n\nYour last draft, as edited: {as_line(text)}\nFeedback of the editor-in-chief: {said}"
            return best

        return write


async def _revised(task: Task, case: str, ask: Ask) -> str:
    """A draft, after both editors."""
    draft = _question(await ask("contributor", CONTRIBUTOR, case, DRAFT), "")
    parts = [
        f"Draft by the contributor: {as_line(draft)}",
        f"Facts in short: {summary(task)}",
        f"Conditions on time:\n{task.constraints_text()}",
        f"Answer: {task.answer_text()}",
    ]
    content = _question(await ask("content_editor", CONTENT_EDITOR, "\n\n".join(parts), CONTENT), draft)
    return _question(await ask("copy_editor", COPY_EDITOR, f"Question: {as_line(content)}", COPY), content)


def summary(task: Task) -> str:
    """The facts one after the other, cut after `SUMMARY_LENGTH` characters."""
    text = "; ".join(task.facts_text().splitlines())
    return text if len(text) <= SUMMARY_LENGTH else f"{text[: SUMMARY_LENGTH - 1]}…"


def score_in(reply: str) -> float:
    """The score that a reply states, behind the word or as all of a line; `UNREADABLE` if none, or if it is not from 1 to 5.

    >>> score_in("Score (1-5): 4/5"), score_in("Score (out of 5): 2"), score_in("Score: 11"), score_in("Splendid!")
    (4.0, 2.0, 3.0, 3.0)
    """
    text = _SCALE.sub("", reply)
    stated = _SCORE.findall(text) or [found[1] for found in map(_BARE.fullmatch, text.splitlines()) if found]
    score = float(stated[0]) if stated else float(UNREADABLE)
    return score if 1 <= score <= 5 else float(UNREADABLE)


def feedback_in(reply: str) -> str:
    """The line of feedback: what stands behind that word, else the last line without a score."""
    found = _FEEDBACK.search(reply)
    if found:
        return found["said"].strip()
    rest = [line for line in reply.splitlines() if line.strip() and not _SCORE.search(line) and not _BARE.fullmatch(line)]
    return rest[-1].strip() if rest else ""


def _question(reply: str, otherwise: str) -> str:
    return post_process(reply) or otherwise


def _lines(brief: str) -> str:
    """The first three lines of a brief that have words."""
    return "\n".join([f"- {as_line(line)}" for line in brief.splitlines() if any(sign.isalnum() for sign in line)][:3])


METHOD = RoleAgentQg()
