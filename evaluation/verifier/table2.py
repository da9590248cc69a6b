"""Table 2 of the paper: verifier accuracy by operator family, from whole hits to printed percentages.

Accuracy is matched / asked over sound template questions; a reply that cannot be used is a miss. Overall is
the micro average; ordinals have no column. Paper: section 4.3.2, Table 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

from state.model_base import Contract
from state.vocabulary import Family

PAIRWISE = (Family.I_I, Family.P_I, Family.I_P, Family.P_P)
"""The columns, in the paper's order."""


class Table2Row(Contract):
    """One verifier."""

    name: str
    """The verifier, or the cell."""
    hits: tuple[int, ...]
    """Matched questions by family, in the order of the table's families."""
    asked: tuple[int, ...]
    """Questions asked, likewise."""
    percents: tuple[str | None, ...]
    """Printed accuracy in percent, likewise; `None` where nothing was asked."""
    overall_hits: int
    """Matched questions of all families."""
    overall_asked: int
    """Questions asked of all families."""
    overall_percent: str | None
    """Printed micro average in percent; `None` if nothing was asked."""


class Table2(Contract):
    """The whole table."""

    families: tuple[Family, ...]
    """The columns before `Overall`."""
    rows: tuple[Table2Row, ...]
    """One for each verifier."""


def percent(hits: int, asked: int) -> str | None:
    """A share in percent with one decimal, halves up, and `100` if all were hit, as the paper prints it; `None` if nothing was asked.

    >>> percent(149, 284), percent(1, 2000), percent(40, 40)
    ('52.5', '0.1', '100')
    """
    if not asked:
        return None
    if hits == asked:
        return "100"
    return str((Decimal(100 * hits) / Decimal(asked)).quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))


def table2_row(name: str, hits: Sequence[int], asked: Sequence[int]) -> Table2Row:
    """The row of one verifier.

    Args:
        name: the verifier.
        hits: matched questions, in the order of `PAIRWISE`.
        asked: questions asked, likewise.
    """
    return Table2Row(
        name=name,
        hits=tuple(hits),
        asked=tuple(asked),
        percents=tuple(percent(hit, size) for hit, size in zip(hits, asked, strict=True)),
        overall_hits=sum(hits),
        overall_asked=sum(asked),
        overall_percent=percent(sum(hits), sum(asked)),
    )


def table2(sizes: Sequence[int], hits: Mapping[str, Sequence[int]]) -> Table2:
    """The table of verifiers that were all asked the same questions.

    Args:
        sizes: questions asked, in the order of `PAIRWISE`.
        hits: verifier -> matched questions, likewise; the rows keep this order.
    """
    return Table2(families=PAIRWISE, rows=tuple(table2_row(name, of_name, sizes) for name, of_name in hits.items()))
