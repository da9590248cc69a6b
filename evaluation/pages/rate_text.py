"""Numbers as they are printed: rounded once, half up, and never without what they were counted from."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from evaluation.pages.tables import rounded
from evaluation.statistics.intervals import Rate
from evaluation.verifier.table2 import percent

NOTHING = "-"
"""Printed for what is not known or was not asked; never for 0."""
_ROUNDING = 1e-9
"""Difference of two shares that floats of the same share can have."""


def rate_text(rate: Rate) -> str:
    """Hits and items asked, the rate in percent, and its 95 % interval: `149/284  52.5 [46.7, 58.2]`.

    A weighted rate is not the share of hits: it stands without them, `94.7 [92.6, 96.7], n 378`.
    """
    if rate.value is None or rate.low is None or rate.high is None:
        return NOTHING
    percent_and_interval = f"{rate_percent(rate)} [{share_text(rate.low)}, {share_text(rate.high)}]"
    if abs(rate.value * rate.denominator - rate.numerator) > _ROUNDING * rate.denominator:
        return f"{percent_and_interval}, n {rate.denominator}"
    return f"{rate.numerator}/{rate.denominator}  {percent_and_interval}"


def rate_percent(rate: Rate) -> str:
    """The rate in percent alone, with one decimal; `100` if all were hit."""
    if rate.value is None:
        return NOTHING
    if rate.method == "wilson":
        return percent(rate.numerator, rate.denominator) or NOTHING
    return share_text(rate.value)


def share_text(share: float | None) -> str:
    """A share in percent with one decimal.

    >>> share_text(0.0245), share_text(1.0), share_text(None)
    ('2.5', '100', '-')
    """
    if share is None:
        return NOTHING
    return "100" if share == 1 else points_text(share)


def points_text(difference: float | None) -> str:
    """A difference of two shares in points, with one decimal."""
    return NOTHING if difference is None else rounded(100 * Fraction(repr(difference)))


def usd_text(usd: float | None) -> str:
    """US dollars with cents, and below one dollar with three digits that count.

    >>> usd_text(12.345), usd_text(0.00123456), usd_text(0.0), usd_text(None)
    ('12.35', '0.00123', '0', '-')
    """
    if usd is None:
        return NOTHING
    if usd == 0:
        return "0"
    if usd >= 1:
        return rounded(usd, 2)
    return format(Decimal(f"{usd:.2e}").normalize(), "f")


def p_text(p: float | None) -> str:
    """A p-value with three decimals.

    >>> p_text(0.04217), p_text(0.00001)
    ('0.042', '<0.001')
    """
    if p is None:
        return NOTHING
    return "<0.001" if p < 0.001 else rounded(p, 3)


def whole(number: int | None) -> str:
    """A whole number, without separators."""
    return NOTHING if number is None else str(number)
