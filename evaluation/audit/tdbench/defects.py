"""What can be wrong with a record of a published question file."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class TableDefectKind(StrEnum):
    """A kind of defect; a record may have several."""

    REFUSED = "query refused"
    WRONG_ANSWERS = "stated answers differ"
    WRONG_DISTRACTORS = "stated distractors differ"
    NOT_NEEDED = "condition does not matter"
    TIE = "tie"
    TOO_MANY = "more than five answers"
    WRONG_CLASS = "wrong answer class"
    DUPLICATE = "duplicate"
    FUTURE = "date to come"
    BROKEN_DEPENDENCY = "dependency broken"
    ANSWER_LEAK = "answer leak"
    BLANK_QUESTION = "blank question"
    OUTER_BLANKS = "blanks around a question"
    LOOSE_RELATION = "weaker than its relation"


MEANING: dict[TableDefectKind, str] = {
    TableDefectKind.REFUSED: "the query is no SELECT of the published dialect over a table and columns that are known; it was not run",
    TableDefectKind.WRONG_ANSWERS: "the query, run anew on the table, gives other rows than correct_rows",
    TableDefectKind.WRONG_DISTRACTORS: "incorrect_rows are not the other rows that agree on what is given",
    TableDefectKind.NOT_NEEDED: "without its temporal condition the query has the same answers",
    TableDefectKind.TIE: "a LIMIT cuts between rows that its ORDER BY puts side by side",
    TableDefectKind.TOO_MANY: "correct_rows hold more than five different answers",
    TableDefectKind.WRONG_CLASS: "qtype says none, unique or multiple, and correct_rows hold another number of different answers",
    TableDefectKind.DUPLICATE: "an earlier record has the same query or one of the questions",
    TableDefectKind.FUTURE: "the condition compares with a date past the as-of day",
    TableDefectKind.BROKEN_DEPENDENCY: "a row that answers and another with what is given hold at one time and differ in what is asked",
    TableDefectKind.ANSWER_LEAK: "a question says the name of an answer, at word boundaries",
    TableDefectKind.BLANK_QUESTION: "a question is empty or blank",
    TableDefectKind.OUTER_BLANKS: "a question begins or ends with blanks or line ends",
    TableDefectKind.LOOSE_RELATION: "the condition does not look at a bound that the relation it is named after needs: others hold, too",
}
"""Kind -> what it means, in one line."""

EXECUTED = (
    TableDefectKind.WRONG_ANSWERS,
    TableDefectKind.WRONG_DISTRACTORS,
    TableDefectKind.NOT_NEEDED,
    TableDefectKind.TIE,
    TableDefectKind.FUTURE,
    TableDefectKind.BROKEN_DEPENDENCY,
    TableDefectKind.LOOSE_RELATION,
)
"""Kinds that need a query that can be run."""
OF_QUESTIONS = (TableDefectKind.ANSWER_LEAK, TableDefectKind.BLANK_QUESTION, TableDefectKind.OUTER_BLANKS)
"""Kinds that need questions."""
REMARKS = frozenset((TableDefectKind.LOOSE_RELATION,))
"""Counted like defects, and no defect of a record by themselves."""


class TableDefect(NamedTuple):
    """One defect of one record."""

    kind: TableDefectKind
    why: str
    """What was found, in one line; holds texts of strangers."""


class TableUnchecked(NamedTuple):
    """Checks of one record that could not be made."""

    kinds: tuple[TableDefectKind, ...]
    reason: str
    """Why, in words that many records share."""


class TableFindings(NamedTuple):
    """What the checks of one record came to."""

    defects: list[TableDefect]
    unchecked: list[TableUnchecked]
