"""What a build from temporal tables covers: `coverage.json` of its run directory."""

from __future__ import annotations

from typing import Literal

from state.model_base import Contract
from state.tdbench_config import Dependency, TableName


class UsedDependency(Contract):
    """A dependency that questions are made of."""

    dependency: Dependency
    """X ->T Y."""
    is_declared: bool
    """Whether the config names it; others were found in the rows."""
    support: int
    """Groups that agree on X and change Y over time."""
    violations: int
    """Pairs of rows that agree on X, share a granule and disagree on Y: a question about them has several answers."""


class TableCoverage(Contract):
    """One table, or a join of some."""

    name: TableName
    """Its name."""
    rows: int
    """Rows that are left after cleaning."""
    dropped: dict[str, int]
    """Reason -> rows dropped in reading; of a join none is listed."""
    content_hash: str
    """Hash of these rows, whatever their order."""
    dependencies: tuple[UsedDependency, ...]
    """What its questions are made of; of a join none is listed."""
    questions: dict[str, dict[str, int]]
    """Relation or kind -> cardinality -> questions taken."""
    left_out: dict[str, int]
    """Reason -> questions that are not asked."""
    idle: int = 0
    """Questions taken of which one comparison could be left out without another answer, so that a phrasing which loses it passes."""
    over_the_limit: int
    """Questions left out by `tdbench.limit`."""

    @property
    def taken(self) -> int:
        """Questions that are taken into English."""
        return sum(count for counts in self.questions.values() for count in counts.values())


class TdbenchCoverage(Contract):
    """All tables of a build."""

    format: Literal[1] = 1
    """Format version."""
    tables: tuple[TableCoverage, ...]
    """In the order of the config, joins last."""
    phrasings: int
    """Of each question."""
