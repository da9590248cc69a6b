"""Template question -> what it asks, read from its text alone. Paper: section 4.3.1.

The offline rewriter sees no trace; this is all it knows of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from state.errors import ModelReplyError

_QUOTED = re.compile(r'"((?:[^"]|"")*)"', re.DOTALL)
_FACTS = {"first": 1, "second": 2, "third": 3}
_TERM = r"([XYZ]|<\d+>)"
_CLAUSE = rf"{_TERM} has the relation (<\d+>) to {_TERM}"
_STRUCTURAL = re.compile(rf"{_CLAUSE} \((first|second|third) fact\)")
_QUESTION = re.compile(r"Which entity ([XYZ]) is such that (.*)\?")
_FACT = r"the (?:(first|second|third) fact|fact that " + _CLAUSE + ")"
_ORDINAL = re.compile(
    r"of all (first|second|third) facts that qualify so far this is the "
    r"(?:(\d+)(?:st|nd|rd|th) )?(earliest|latest|shortest|longest)( to start| to end)?"
)
_UNIT = "(?P<unit>year|month|day)"
_WORDINGS = {
    "I-equals-I": "has the same start {u} and the same end {u} as {y}",
    "I-starts-I": "has the same start {u} as {y} but ended earlier",
    "I-started-by-I": "has the same start {u} as {y} but ended later",
    "I-finishes-I": "has the same end {u} as {y} but started later",
    "I-finished-by-I": "has the same end {u} as {y} but started earlier",
    "I-before-I": "ended in an earlier {u} than the one in which {y} started",
    "I-after-I": "started in a later {u} than the one in which {y} ended",
    "I-meets-I": "ended in the same {u} in which {y} started",
    "I-met-by-I": "started in the same {u} in which {y} ended",
    "I-during-I": "started in a later {u} and ended in an earlier {u} than {y}",
    "I-contains-I": "started in an earlier {u} and ended in a later {u} than {y}",
    "I-overlaps-I": "started earlier than {y} and ended during it, past its start {u} and before its end {u}",
    "I-overlapped-by-I": "ended later than {y} and started during it, past its start {u} and before its end {u}",
    "P-at-start-I": "happened in the {u} in which {y} started",
    "P-at-end-I": "happened in the {u} in which {y} ended",
    "P-before-I": "happened in an earlier {u} than the one in which {y} started",
    "P-after-I": "happened in a later {u} than the one in which {y} ended",
    "P-inside-I": "happened during {y}, past its start {u} and before its end {u}",
    "I-starts-at-P": "started in the {u} in which {y} happened",
    "I-ends-at-P": "ended in the {u} in which {y} happened",
    "I-after-P": "started in a later {u} than the one in which {y} happened",
    "I-before-P": "ended in an earlier {u} than the one in which {y} happened",
    "I-covers-P": "started in an earlier {u} and ended in a later {u} than the one in which {y} happened",
    "P-before-P": "happened in an earlier {u} than {y}",
    "P-equals-P": "happened in the same {u} as {y}",
    "P-after-P": "happened in a later {u} than {y}",
}


def _compile(wording: str) -> re.Pattern[str]:
    pattern = _FACT + " " + wording.replace("{y}", _FACT).replace("{u}", _UNIT, 1)
    return re.compile(pattern.replace("{u}", "(?P=unit)"))


_PAIRWISE = {operator: _compile(wording) for operator, wording in _WORDINGS.items()}


@dataclass(frozen=True)
class Variable:
    """One of the letters that stand for what is asked or passed on the way."""

    letter: str


@dataclass(frozen=True)
class Name:
    """A label, as the graph spells it."""

    label: str


Term = Variable | Name


@dataclass(frozen=True)
class Fact:
    """Subject, relation label and object; `number` is 0 for a reference."""

    subject: Term
    relation: str
    object: Term
    number: int = 0


@dataclass(frozen=True)
class Pairwise:
    """An operator between two facts."""

    operator: str
    left: Fact
    right: Fact


@dataclass(frozen=True)
class Ordinal:
    """A rank among the facts left so far."""

    operator: str
    fact: Fact
    rank: int
    from_smallest: bool
    is_point: bool = False
    """Whether the fact is told to have happened rather than to have started."""


@dataclass
class Stage:
    """One to two facts on one variable, and the conditions on them in order."""

    facts: list[Fact] = field(default_factory=list)
    pairwise: list[Pairwise] = field(default_factory=list)
    ordinal: Ordinal | None = None


@dataclass(frozen=True)
class Asked:
    """What a template question asks."""

    variable: Variable
    stages: tuple[Stage, ...]
    unit: str


class UnreadableTemplate(ModelReplyError):
    """The text is not a template question."""


def read_template(text: str) -> Asked:
    """What a template question asks.

    Raises:
        UnreadableTemplate: the text is not in the words of a template question.
    """
    labels = [found[1].replace('""', '"') for found in _QUOTED.finditer(text)]
    slots = iter(range(len(labels)))
    skeleton = _QUOTED.sub(lambda _: f"<{next(slots)}>", text)
    return _Reader(labels).question(skeleton)


class _Reader:
    def __init__(self, labels: list[str]) -> None:
        self.labels = labels
        self.facts: dict[int, Fact] = {}
        self.unit = "year"

    def question(self, skeleton: str) -> Asked:
        head = _whole(_QUESTION, skeleton)
        stages = tuple(self._stage(part) for part in head[2].split("; and "))
        return Asked(Variable(head[1]), stages, self.unit)

    def _stage(self, text: str) -> Stage:
        stage = Stage()
        structural, _, temporal = text.partition(", where ")
        for clause in structural.split(", and "):
            found = _whole(_STRUCTURAL, clause)
            fact = self._fact(found[1], found[2], found[3], _FACTS[found[4]])
            self.facts[fact.number] = fact
            stage.facts.append(fact)
        for clause in temporal.split(", and ") if temporal else ():
            self._constraint(clause, stage)
        return stage

    def _constraint(self, clause: str, stage: Stage) -> None:
        if ordinal := _ORDINAL.fullmatch(clause):
            number, rank, superlative, edge = ordinal.groups()
            is_duration = superlative in ("shortest", "longest")
            operator = "duration_rank" if is_duration else "end_rank" if edge == " to end" else "start_rank"
            from_smallest, is_point = superlative in ("earliest", "shortest"), not is_duration and edge is None
            stage.ordinal = Ordinal(operator, self.facts[_FACTS[number]], int(rank or 1), from_smallest, is_point)
            return
        for operator, pattern in _PAIRWISE.items():
            if found := pattern.fullmatch(clause):
                self.unit = found.groupdict().get("unit") or self.unit
                words = found.groups()
                left, right = (self._named_fact(words[0:4]), self._named_fact(_right_groups(found)))
                stage.pairwise.append(Pairwise(operator, left, right))
                return
        raise UnreadableTemplate("a condition of the template question is in unknown words", remedy="sample the traces again")

    def _named_fact(self, groups: tuple[str | None, ...]) -> Fact:
        number, subject, relation, object_ = groups
        if number is not None:
            return self.facts[_FACTS[number]]
        assert subject is not None
        assert relation is not None
        assert object_ is not None
        return self._fact(subject, relation, object_, 0)

    def _fact(self, subject: str, relation: str, object_: str, number: int) -> Fact:
        return Fact(self._term(subject), self.labels[int(relation[1:-1])], self._term(object_), number)

    def _term(self, text: str) -> Term:
        return Name(self.labels[int(text[1:-1])]) if text.startswith("<") else Variable(text)


def _right_groups(found: re.Match[str]) -> tuple[str | None, ...]:
    unit = found.re.groupindex.get("unit")
    groups = [group for index, group in enumerate(found.groups(), 1) if index != unit]
    return tuple(groups[4:8])


def _whole(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise UnreadableTemplate("the text is not a template question", remedy="sample the traces again")
    return found
