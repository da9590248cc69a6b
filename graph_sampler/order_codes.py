"""How the bounds of two facts lie to each other, as one number; every operator is a set of such numbers. Paper: section 4.1.

An operator only asks which of two bounds comes first. The four answers make one of 81 codes, so what all operators of a
family say of many pairs is one look into a table, instead of several comparisons for each operator.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graph_sampler.operators import Operator, operators_of
from state.vocabulary import Family

_CODES = 81
NO_PAIR = _CODES
"""A code of which no operator holds: a fact and itself."""


class Meanings(NamedTuple):
    """Where the operators of a family hold."""

    operators: tuple[Operator, ...]
    """In order of precedence."""
    held: NDArray[np.bool_]
    """(operators, codes): where each holds, by precedence."""
    plain: NDArray[np.bool_]
    """(operators, codes): where a reader who knows neither precedence nor granules may think that it holds."""
    starts: NDArray[np.bool_]
    """(operators, codes): where its start is as the operator wants a start, whatever its end."""
    ends: NDArray[np.bool_]
    """(operators, codes): where its end is as the operator wants an end, whatever its start."""


def order_codes(a: Any, b: Any, c: Any, d: Any) -> NDArray[np.int64]:
    """The codes of left facts `[a, b]` and right ones `[c, d]`, arrays of granules that broadcast."""
    codes: NDArray[np.int64] = np.sign(a - c)
    for difference in (a - d, b - c, b - d):
        codes = codes * 3 + np.sign(difference)
    return codes + _CODES // 2


@cache
def meanings(family: Family, shared_granule: bool, plain_reading: bool) -> Meanings:
    """The meanings of a family's operators.

    Args:
        family: a pairwise family.
        shared_granule: whether a plain reader lets two bounds in one granule be in either order.
        plain_reading: whether a plain reader passes over precedence.
    """
    operators = operators_of(family)
    held, plain = (np.zeros((len(operators), _CODES + 1), np.bool_) for _ in range(2))
    # Four granules are enough to show every order of four bounds.
    for a, b, c, d in product(range(4), repeat=4):
        if a > b or c > d:
            continue
        code = int(order_codes(*map(np.int64, (a, b, c, d))))
        tests = [bool(operator.holds(a, b, c, d)) for operator in operators]
        for position, (operator, test) in enumerate(zip(operators, tests, strict=True)):
            mine = test and not any(tests[:position])
            held[position, code] = mine
            if operator.loosely is not None and shared_granule:
                plain[position, code] = operator.loosely(a, b, c, d)
            else:
                plain[position, code] = test if operator.is_boundary and plain_reading else mine
    starts, ends = np.zeros_like(plain), np.zeros_like(plain)
    for a, b, c, d in product(range(4), repeat=4):
        code = int(order_codes(*map(np.int64, (a, b, c, d))))
        for position, operator in enumerate(operators):
            may_hold = operator.loosely if operator.loosely is not None and shared_granule else operator.holds
            starts[position, code] |= any(bool(may_hold(a, other, c, d)) for other in range(-1, 5))
            ends[position, code] |= any(bool(may_hold(other, b, c, d)) for other in range(-1, 5))
    return Meanings(operators, held, plain, starts, ends)
