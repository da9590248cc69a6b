"""What a sample covers: wanted against found, for each cell and each operator."""

from __future__ import annotations

from typing import Literal

from state.model_base import Contract
from state.vocabulary import ConstraintCount, Family, Template


class CellCoverage(Contract):
    """One template with single or multiple constraints."""

    template: Template
    """The template."""
    part: ConstraintCount
    """S or M."""
    wanted: int
    """Records aimed at."""
    found: int
    """Records selected."""
    proposed: int
    """Distinct proved traces to choose from."""

    @property
    def shortfall(self) -> int:
        """Records missing."""
        return max(0, self.wanted - self.found)


class OperatorCoverage(Contract):
    """One operator over all cells."""

    operator: str
    """The operator."""
    family: Family
    """Its family."""
    wanted: int
    """Least number of records with it."""
    found: int
    """Records selected with it."""
    proposed: int
    """Distinct proved traces with it."""
    by_cell: dict[str, int | None]
    """`"A -> B S"` -> records; `None` where it cannot exist by construction."""

    @property
    def shortfall(self) -> int:
        """Records missing."""
        return max(0, self.wanted - self.found)


class CoverageReport(Contract):
    """The coverage of one sample."""

    format: Literal[1] = 1
    """Format version."""
    target: int
    """Records aimed at."""
    found: int
    """Records selected."""
    roots_seen: int
    """Roots from which traces were proposed."""
    roots_total: int
    """Roots that the graph has."""
    doubtful: int
    """Traces refused because a dropped fact could change them."""
    cells: tuple[CellCoverage, ...]
    """Each cell."""
    operators: tuple[OperatorCoverage, ...]
    """Each operator."""
