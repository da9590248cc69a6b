"""An invented request for each role, to show what a prompt looks like once it is filled in; nobody in it exists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import prompts
from agents.answering import answering_variables
from agents.constraint_difference import Finding
from agents.prompt_renderer import variables
from runs.table_prompt_examples import TABLE_EXAMPLES
from state.answer_roles import AnswerRequest, GoldAnswer, JudgeRequest
from state.fact import LabelledFact
from state.interval import Granularity
from state.roles import (
    AnalyseRequest,
    LeakRewriteRequest,
    NamedFact,
    ReadRequest,
    ReviseRequest,
    RewriteRequest,
    RoleRequest,
    VerifyRequest,
)
from state.table_instance import ShownRow, ShownTable
from state.vocabulary import Cause, Difference


def _fact(number: int, subject: str, start: str, end: str) -> LabelledFact:
    labels = {"subject_label": subject, "relation_label": "head of", "object_label": "Fenn Mill"}
    return LabelledFact(subject=f"Q{number}", relation="P1", object="Q9", start=start, end=end, **labels)


_CONSTRAINT = (
    'the first fact started in a later year than the one in which the fact that "Lea Orr" has the relation "head of" to "Fenn Mill" ended'
)
_TEMPLATE_QUESTION = f'Which entity X is such that X has the relation "head of" to "Fenn Mill" (first fact), where {_CONSTRAINT}?'
_ANSWER = "Jon Abt"
_SUPPORT = (_fact(1, "Lea Orr", "1988", "1993"), _fact(2, _ANSWER, "1995", "2001"))
_EVIDENCE = (_fact(3, "Ida Wick", "1990", "1997"), *_SUPPORT)
_READ = "(?, head of, Fenn Mill) overlapped by (Lea Orr, head of, Fenn Mill)"
_ANALYSED = {
    "template_question": _TEMPLATE_QUESTION,
    "question": "Who was head of Fenn Mill when Lea Orr left?",
    "verifier_answers": ("Ida Wick",),
    "cannot_tell": False,
    "answer": _ANSWER,
    "evidence": _EVIDENCE,
    "findings": (Finding(Difference.WRONG, f"I-after-I: {_CONSTRAINT}", _READ).sentence,),
}
_VERDICT = {
    "cause": Cause.WRONG_CONSTRAINT,
    "reason": "Assembled: began in a later year than Lea Orr ended. Rewritten: was there when she ended, which lets in Ida Wick.",
    "appeal_answers": None,
}
_EXAMPLES: Mapping[str, tuple[RoleRequest, str | None]] = {
    "rewriter": (RewriteRequest(template_question=_TEMPLATE_QUESTION, support_facts=_SUPPORT, answer=_ANSWER), None),
    "verifier": (
        VerifyRequest(
            question="Who became head of Fenn Mill after Lea Orr had left?",
            evidence=_EVIDENCE,
            structure_hint='Topology A -> B, 1 hop, relations "head of".',
        ),
        "all",
    ),
    "error_analyst": (AnalyseRequest.model_validate(_ANALYSED), None),
    "reviser": (ReviseRequest.model_validate(_ANALYSED | _VERDICT), None),
    "round_trip_reader": (
        ReadRequest(
            question="Who became head of Fenn Mill after Lea Orr had left?",
            facts=tuple(NamedFact(subject=name, relation="head of", object="Fenn Mill") for name in ("Ida Wick", _ANSWER, "Lea Orr")),
            moments=(),
        ),
        "roundtrip",
    ),
    "leak_rewriter": (
        LeakRewriteRequest(
            question=f"Which head of Fenn Mill, {_ANSWER}, came after Lea Orr had left?",
            template_question=_TEMPLATE_QUESTION,
            avoid=(_ANSWER,),
        ),
        None,
    ),
    **TABLE_EXAMPLES,
}
"""Folder of prompts -> request and verifier's mode."""

_HEADS = ShownTable(
    name="heads",
    columns=("works", "head"),
    ends="exclusive",
    open_end="ongoing",
    rows=(
        ShownRow(values=("Fenn Mill", "Lea Orr"), start="1988", end="1993"),
        ShownRow(values=("Fenn Mill", _ANSWER), start="1995", end=None),
    ),
)
_AFTER = "Who became head of Fenn Mill after 1993?"
_ANSWERING: Mapping[str, RoleRequest] = {
    "table_answerer": AnswerRequest(question=_AFTER, tables=(_HEADS,), unit=Granularity.YEAR, as_of="2001-06-01"),
    "table_judge": JudgeRequest(
        question=_AFTER,
        answers=(GoldAnswer(name=_ANSWER, aliases=(), dates="start: 1995"),),
        others=("Lea Orr",),
        demanded="start",
        reply=f"{_ANSWER}, from 1995 to the present.",
    ),
}
"""Folder of prompts -> request, of the roles of an evaluation on temporal tables."""


def example_messages(prompt: prompts.Prompt) -> tuple[dict[str, str], ...]:
    """The system and the user message that a prompt's role would be sent.

    A role without an example of its own is shown each variable that the prompt declares, by the same name
    from the others or as a placeholder.

    Raises:
        ConfigError: the prompt's variables are not its role's.
    """
    if prompt.role in _ANSWERING:
        return prompts.render(prompt, answering_variables(_ANSWERING[prompt.role]))
    if prompt.role in _EXAMPLES:
        return prompts.render(prompt, variables(*_EXAMPLES[prompt.role]))
    known: dict[str, Any] = {}
    for typed, mode in _EXAMPLES.values():
        known |= variables(typed, mode)
    return prompts.render(prompt, {name: known.get(name, f"an example of {name}") for name in prompt.variables})
