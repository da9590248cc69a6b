"""What can be wrong with a record of a benchmark: the kinds that an audit reports. Design: section 10."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class DefectKind(StrEnum):
    """A kind of defect; a record may have several, but one that only follows from another is told once."""

    ANSWER_LEAK = "answer leak"
    NOT_NEEDED = "constraint does not matter"
    AMBIGUOUS_REFERENCE = "ambiguous reference"
    FALSE_OPERATOR = "false operator"
    TIE = "tie"
    NOT_UNIQUE = "not unique"
    UNFILLED_SLOT = "unfilled slot"
    DUPLICATE = "duplicate"
    NOT_IN_GRAPH = "fact not in graph"
    SILENT_EVIDENCE = "evidence cannot reveal a lost constraint"
    CONTRADICTION = "fields contradict one another"
    WRONG_LABEL = "label differs from the graph"
    BLANK_QUESTION = "blank question"


MEANING: dict[DefectKind, str] = {
    DefectKind.ANSWER_LEAK: "the answer's label or an alias stands in a question, at word boundaries",
    DefectKind.NOT_NEEDED: "leaving a constraint or the structural filter out, the whole graph gives the same answer",
    DefectKind.AMBIGUOUS_REFERENCE: "more than one fact is meant by the description of a fact that is compared with",
    DefectKind.FALSE_OPERATOR: "an operator holds for no way in which the graph leads to the answer, by the stored end points",
    DefectKind.TIE: "an ordinal is decided by a tie, or fewer facts are ranked than its rank",
    DefectKind.NOT_UNIQUE: "the trace, executed on the graph, does not give exactly the stated answer, and no kind above says why",
    DefectKind.UNFILLED_SLOT: "a placeholder, an id or a relation's key stands in a question",
    DefectKind.DUPLICATE: "an earlier record has the same id, the same normalised question or the same query",
    DefectKind.NOT_IN_GRAPH: "a fact of the record is not among the graph's cleaned facts",
    DefectKind.SILENT_EVIDENCE: "on the record's own facts a constraint that matters can be lost without a change of the answer",
    DefectKind.CONTRADICTION: "a count, operator, topology or support fact that the record states is not that of its trace and evidence",
    DefectKind.WRONG_LABEL: "an id of the record is called otherwise than in the graph",
    DefectKind.BLANK_QUESTION: "a question of the record is empty or blank",
}
"""Kind -> what it means, in one line."""

EXECUTED = (
    DefectKind.NOT_NEEDED,
    DefectKind.AMBIGUOUS_REFERENCE,
    DefectKind.FALSE_OPERATOR,
    DefectKind.TIE,
    DefectKind.NOT_UNIQUE,
    DefectKind.SILENT_EVIDENCE,
)
"""Kinds that need an executable trace."""


class Defect(NamedTuple):
    """One defect of one record."""

    kind: DefectKind
    why: str
    """What was found, in one line; holds labels of strangers."""


class Unchecked(NamedTuple):
    """Checks of one record that could not be made."""

    kinds: tuple[DefectKind, ...]
    reason: str
    """Why, in words that many records share."""


class Findings(NamedTuple):
    """What the checks of one record came to."""

    defects: list[Defect]
    unchecked: list[Unchecked]
