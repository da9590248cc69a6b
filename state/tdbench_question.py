"""A question about a temporal table, with the rows that answer it. Paper: TDBench, sections 3.2 and 3.3."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from state.interval import Granularity
from state.model_base import Contract
from state.tdbench_config import Dependency, TableName


class AllenRelation(StrEnum):
    """The thirteen relations of a row's interval to a reference, by the names that TDBench gives them."""

    AFTER = "after"
    BEFORE = "before"
    MEET = "meet"
    MET_BY = "met-by"
    OVERLAP = "overlap"
    OVERLAPPED_BY = "overlapped-by"
    EQUAL = "equal"
    START = "start"
    STARTED_BY = "started-by"
    FINISH = "finish"
    FINISHED_BY = "finished-by"
    DURING = "during"
    CONTAIN = "contain"


class Kind(StrEnum):
    """What a question asks of time."""

    RELATION = "relation"
    """Rows whose interval stands in a relation to given dates."""
    NOW = "now"
    """Rows that hold on the as-of day."""
    BASIC = "basic"
    """Rows whenever they hold."""
    JOIN = "join"
    """Rows that hold while a row of another table does, which the question names without its time."""


class Cardinality(StrEnum):
    """How many answers, counted by their texts, a question has."""

    NONE = "none"
    UNIQUE = "unique"
    MULTIPLE = "multiple"


class Checked(StrEnum):
    """Which time of an answering row a reply is to state."""

    START = "start"
    END = "end"
    BOTH = "both"


Bound = Literal["start", "end"]
Comparator = Literal["<", "<=", "=", ">=", ">"]


class DateComparison(Contract):
    """One comparison of a row's bound with a date; a row answers if all of a question's hold."""

    bound: Bound
    """The row's own: `start` its first granule, `end` the first one in which it holds no more."""
    operator: Comparator
    date: str
    """An ISO date in the table's granularity."""


class Reference(Contract):
    """The dates that a question names."""

    start: str
    """ISO: the first granule of an interval, or the one date that is named."""
    end: str | None = None
    """ISO: the first granule past the interval (`strict`), or the second date (`tdbench`); `None`: only one is named."""
    months_back: int = Field(default=0, ge=0)
    """The rows' date lies so many months before `start`."""
    years_back: int = Field(default=0, ge=0)
    """The rows' date lies so many years before `start`."""


class AnswerRow(Contract):
    """A row as a question's reader is shown it."""

    values: dict[str, str]
    """Column -> value, of the column that is asked for."""
    start: str
    """ISO: first granule in which it holds."""
    end: str | None
    """ISO: the end as the table's source says it: the first granule in which the row holds no more, or the last in which
    it holds where ends are inclusive; `None`: no end is known, whatever that means for the table."""


class Question(Contract):
    """A query of a temporal table with its answer, before anybody has put it into English."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*-[0-9a-f]{12}$")]
    """The name of the table or join, and the first 12 hexadecimal digits of the SHA-256 of the query and its parameters."""
    table: TableName
    """Of `kind: join` the name of the join."""
    domain: str
    """Whose figures are told apart in an evaluation."""
    granularity: Granularity
    """The table's unit of time."""
    dependency: Dependency
    """X ->T Y: X is given and Y is asked for."""
    kind: Kind
    relation: AllenRelation | None
    """`None` but for `kind: relation`."""
    semantics: Literal["strict", "tdbench"]
    determinants: dict[str, str]
    """Column of X -> the value that is given."""
    reference: Reference | None
    """`None` for `kind: basic` and `join`; for `now` the as-of day's granule."""
    comparisons: tuple[DateComparison, ...]
    """The temporal condition, as the query states it."""
    sql: str
    """The query, each value a `?`; it gives the asked column, `_start` and `_end` of each row that answers. Of a join
    these are the row's own bounds in the table that it comes from, not those of the overlap."""
    parameters: tuple[str | int, ...]
    """Its values in order; an integer counts granules."""
    gold: tuple[AnswerRow, ...]
    """The rows that answer, by start, end and text."""
    distractors: tuple[AnswerRow, ...]
    """The other rows with the same X, in the same order; of a join, those of the asked table that agree with a gold row
    on all that its facts share or the question gives, such as others in the same office of the same country."""
    cardinality: Cardinality
    time_checked: Checked
    """Of `kind: join` both, of which either will do."""
    hops: int = Field(default=1, ge=1)
    """Facts that a reader puts together."""
    through: tuple[str, ...] = ()
    """Columns of a join that its facts share and that the question does not give, such as the host country."""

    @property
    def answers(self) -> tuple[str, ...]:
        """The texts that answer, each once, in the order of their rows."""
        return tuple(dict.fromkeys(row.values[self.dependency.dependent] for row in self.gold))
