"""Template question -> trace, from the words alone: the proof that text and trace say the same.

Knows nothing of the code that writes the text. It gets label -> ids maps only; a label that
several ids share gives one reading for each choice, wherever it stands (a city and its country may share one).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, Step, TransitionStep
from state.vocabulary import RankOrder, Template

QUOTED = re.compile(r'"((?:[^"]|"")*)"', re.DOTALL)
VARIABLES = {"X": "?a", "Y": "?b", "Z": "?c"}
FACTS = {"first": "f1", "second": "f2", "third": "f3"}
TERM = r"([XYZ]|<\d+>)"
CLAUSE = rf"{TERM} has the relation (<\d+>) to {TERM}"
STRUCTURAL = re.compile(rf"{CLAUSE} \((first|second|third) fact\)")
FACT = r"(the (?:first|second|third) fact|the fact that <\d+> has the relation <\d+> to <\d+>)"
ORDINAL = re.compile(
    r"of all (first|second|third) facts that qualify so far this is the "
    r"(?:(\d+)(?:st|nd|rd|th) )?(earliest|latest|shortest|longest)( to start| to end)?"
)
WORDINGS = {
    "I-equals-I": "L has the same start U and the same end U as R",
    "I-starts-I": "L has the same start U as R but ended earlier",
    "I-started-by-I": "L has the same start U as R but ended later",
    "I-finishes-I": "L has the same end U as R but started later",
    "I-finished-by-I": "L has the same end U as R but started earlier",
    "I-before-I": "L ended in an earlier U than the one in which R started",
    "I-after-I": "L started in a later U than the one in which R ended",
    "I-meets-I": "L ended in the same U in which R started",
    "I-met-by-I": "L started in the same U in which R ended",
    "I-during-I": "L started in a later U and ended in an earlier U than R",
    "I-contains-I": "L started in an earlier U and ended in a later U than R",
    "I-overlaps-I": "L started earlier than R and ended during it, past its start U and before its end U",
    "I-overlapped-by-I": "L ended later than R and started during it, past its start U and before its end U",
    "P-at-start-I": "L happened in the U in which R started",
    "P-at-end-I": "L happened in the U in which R ended",
    "P-before-I": "L happened in an earlier U than the one in which R started",
    "P-after-I": "L happened in a later U than the one in which R ended",
    "P-inside-I": "L happened during R, past its start U and before its end U",
    "I-starts-at-P": "L started in the U in which R happened",
    "I-ends-at-P": "L ended in the U in which R happened",
    "I-after-P": "L started in a later U than the one in which R happened",
    "I-before-P": "L ended in an earlier U than the one in which R happened",
    "I-covers-P": "L started in an earlier U and ended in a later U than the one in which R happened",
    "P-before-P": "L happened in an earlier U than R",
    "P-equals-P": "L happened in the same U as R",
    "P-after-P": "L happened in a later U than R",
}
PAIRWISE = {
    name: re.compile(re.sub(r"\b[LRU]\b", lambda m: FACT if m[0] in "LR" else "(?:year|month|day)", wording))
    for name, wording in WORDINGS.items()
}


class ParsedTrace(NamedTuple):
    """What the words say; every `candidates` is 0, and a reference has no times."""

    template: Template
    answer_variable: str
    steps: tuple[Step, ...]
    references: dict[str, tuple[str, str, str]]


class NotATemplateQuestion(ValueError):
    """The text is not one of our template questions."""


def parse(question: str, entities: Mapping[str, Sequence[str]], relations: Mapping[str, Sequence[str]]) -> list[ParsedTrace]:
    """Every trace that the question can mean, given the ids of each label."""
    labels = [found[1].replace('""', '"') for found in QUOTED.finditer(question)]
    counter = itertools.count()
    skeleton = QUOTED.sub(lambda _: f"<{next(counter)}>", question)
    relation_slots = {int(slot) for slot in re.findall(r"has the relation <(\d+)>", skeleton)}
    choices = [(relations if slot in relation_slots else entities)[label] for slot, label in enumerate(labels)]
    return [_read(skeleton, list(ids)) for ids in itertools.product(*choices)]


def _read(skeleton: str, ids: list[str]) -> ParsedTrace:
    head = _match(re.compile(r"Which entity ([XYZ]) is such that (.*)\?", re.DOTALL), skeleton)

    def resolve(term: str) -> str:
        return VARIABLES.get(term) or ids[int(term[1:-1])]

    steps: list[Step] = []
    references: dict[tuple[str, str, str], str] = {}
    structural_count = constraint_count = 0
    stages = head[2].split("; and ")
    for stage in stages:
        structural, _, temporal = stage.partition(", where ")
        for position, clause in enumerate(structural.split(", and ")):
            found = _match(STRUCTURAL, clause)
            fact, pattern = FACTS[found[4]], (resolve(found[1]), resolve(found[2]), resolve(found[3]))
            structural_count += 1
            kind = RootStep if structural_count == 1 else FilterStep if position else TransitionStep
            steps.append(kind(fact=fact, pattern=pattern, candidates=0))
        for clause in temporal.split(", and ") if temporal else ():
            constraint_count += 1
            steps.append(_temporal(clause, f"c{constraint_count}", resolve, references))
    template = _template(steps)
    return ParsedTrace(template, VARIABLES[head[1]], tuple(steps), {name: triple for triple, name in references.items()})


def _temporal(clause, constraint, resolve, references):  # type: ignore[no-untyped-def]
    if ordinal := ORDINAL.fullmatch(clause):
        fact, rank, superlative, edge = ordinal.groups()
        operator = "duration_rank" if superlative in ("shortest", "longest") else "end_rank" if edge == " to end" else "start_rank"
        order = RankOrder.ASCENDING if superlative in ("earliest", "shortest") else RankOrder.DESCENDING
        return OrdinalStep(constraint=constraint, operator=operator, fact=FACTS[fact], rank=int(rank or 1), order=order, candidates=0)

    def name(phrase: str) -> str:
        if own := re.fullmatch(r"the (first|second|third) fact", phrase):
            return FACTS[own[1]]
        triple = tuple(resolve(term) for term in _match(re.compile(f"the fact that {CLAUSE}"), phrase).groups())
        return references.setdefault(triple, f"g{len(references) + 1}")

    fits = [(operator, match) for operator, wording in PAIRWISE.items() if (match := wording.fullmatch(clause))]
    if len(fits) != 1:
        raise NotATemplateQuestion(f"{len(fits)} operators fit {clause!r}")
    operator, match = fits[0]
    return PairwiseStep(constraint=constraint, operator=operator, left=name(match[1]), right=name(match[2]), candidates=0)


def _template(steps: list[Step]) -> Template:
    kinds = [step.action for step in steps if step.action != "temporal_filter"]
    shapes = {
        ("root",): Template.ONE_HOP,
        ("root", "structural_filter"): Template.BRANCH,
        ("root", "forward_transition"): Template.TWO_HOP,
        ("root", "forward_transition", "forward_transition"): Template.THREE_HOP,
    }
    if tuple(kinds) not in shapes:
        raise NotATemplateQuestion(f"no template has the steps {kinds}")
    return shapes[tuple(kinds)]


def _match(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise NotATemplateQuestion(f"{text!r} does not read as {pattern.pattern!r}")
    return found
