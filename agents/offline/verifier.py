"""The rule-based verifier: question text in, every entity that fits out, or "cannot tell".

It reads the final question alone (template register or free English), executes what it understood on
the evidence, and abstains rather than guess: where a word stays unexplained, or where readings that
are equally good name different entities. It shares no code with the rewriter. Paper: section 4.3.2.
"""

from __future__ import annotations

from typing import Literal

from agents.offline.verifier_english import read_english
from agents.offline.verifier_execute import Undecided, execute
from agents.offline.verifier_query import Evidence
from agents.offline.verifier_template import read_template
from state.roles import AnswersReply, VerifyRequest

CANNOT_TELL = AnswersReply(answers=(), cannot_tell=True)


def verify(request: VerifyRequest, mode: Literal["all", "single"]) -> AnswersReply:
    """Every entity of the evidence that fits the question, by label, in order of label.

    An entity whose label another one shares is listed for itself. In mode `single` only the first is
    named. `cannot_tell` means that the question could not be read, or that its readings disagree.
    """
    evidence = Evidence(request.evidence)
    query = read_template(request.question, evidence)
    queries = read_english(request.question, request.structure_hint, evidence) if query is None else [query]
    try:
        answers = {execute(reading, evidence) for reading in queries}
    except Undecided:
        return CANNOT_TELL
    if len(answers) != 1:
        return CANNOT_TELL
    labels = sorted(evidence.labels[entity] for entity in answers.pop())
    return AnswersReply(answers=tuple(labels[:1] if mode == "single" else labels), cannot_tell=False)
