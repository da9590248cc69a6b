"""The rule-based error analyst: the cause that the two questions' own words give away, else `unclear`.

It compares words of time and names, no meaning, so it says little and says it plainly. It never
blames the verifier: rules that cannot follow a question cannot know who erred.
"""

from __future__ import annotations

import re
from collections import Counter

from state.roles import AnalyseRequest, CauseReply
from state.vocabulary import Cause, Difference

_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_RELATION = re.compile(r'has the relation "(?:[^"]|"")*" to ')
_BEFORE = re.compile(r"\b(?:before|earlier|until)\b", re.IGNORECASE)
_OF_FINDING = {
    Difference.MISSING: Cause.MISSING_CONSTRAINT,
    Difference.WRONG: Cause.WRONG_CONSTRAINT,
    Difference.REVERSED: Cause.REVERSED_CONSTRAINT,
    Difference.UNNECESSARY: Cause.UNNECESSARY_CONSTRAINT,
}
_AFTER = re.compile(r"\b(?:after|later|since)\b", re.IGNORECASE)


def analyse(request: AnalyseRequest) -> CauseReply:
    """The first cause that can be shown: what a round-trip reader found comes first."""
    for finding in request.findings or ():
        label = finding.partition(":")[0]
        if label in Difference.__members__.values():
            return CauseReply(cause=_OF_FINDING[Difference(label)], reason=finding)
    if request.cannot_tell:
        return CauseReply(cause=Cause.UNCLEAR, reason="The verifier could not follow the question.")
    question = request.question.casefold()
    names = Counter(name.replace('""', '"') for name in _QUOTED.findall(_RELATION.sub(" ", request.template_question)))
    missing = [name for name in names if name.casefold() not in question]
    if missing:
        return CauseReply(cause=Cause.MISSING_CONSTRAINT, reason=f"The question does not name {', '.join(missing)}.")
    if _directions(request.template_question) == _directions(request.question)[::-1] != _directions(request.question):
        return CauseReply(cause=Cause.REVERSED_CONSTRAINT, reason="The words for before and after have changed places.")
    if len(request.verifier_answers) > 1 and request.answer in request.verifier_answers:
        return CauseReply(cause=Cause.MISSING_CONSTRAINT, reason="The answer fits the question, but so do others.")
    if request.answer not in request.verifier_answers:
        return CauseReply(cause=Cause.WRONG_CONSTRAINT, reason="The question leads to another answer, or to none.")
    return CauseReply(cause=Cause.UNCLEAR, reason="The wording of the two questions shows no difference.")


def _directions(text: str) -> tuple[int, int]:
    return len(_BEFORE.findall(text)), len(_AFTER.findall(text))
