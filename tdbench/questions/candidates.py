"""Queries that might be asked, many at a time: a temporal condition's form, and columns of the dates in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from state.tdbench_question import Bound, Comparator
from tdbench.questions.draws import Granules, Keys, mixed
from tdbench.questions.rows import OPEN, Rows

Form = tuple[tuple[Bound, Comparator], ...]
"""The comparisons of a condition without their dates."""

MOST_DATES = 4
"""Dates in the longest condition."""


class Proposal(NamedTuple):
    """Queries of one form."""

    relation: int
    """Place in `relations.RELATIONS`; past it: `now` and `basic`."""
    form: Form
    groups: Granules
    """Number of the X of each query."""
    dates: tuple[Granules, ...]
    """The dates of the comparisons; each of shape (queries,)."""
    first: Granules
    """What the question names first."""
    second: Granules | None = None
    """What it names second."""
    months_back: Granules | None = None
    years_back: Granules | None = None

    def where(self, chosen: npt.NDArray[np.bool_]) -> Proposal:
        """Those of the queries for which `chosen` is true."""
        optional = (None if column is None else column[chosen] for column in (self.second, self.months_back, self.years_back))
        dates = tuple(column[chosen] for column in self.dates)
        return Proposal(self.relation, self.form, self.groups[chosen], dates, self.first[chosen], *optional)


@dataclass(frozen=True)
class Pool:
    """Queries of many forms under one dependency, each once; all arrays are of shape (queries,) or begin so."""

    forms: list[Form]
    form: Granules
    """Place in `forms`."""
    relation: Granules
    group: Granules
    dates: Granules
    """Shape (queries, MOST_DATES); 0 past the form's last."""
    named: Granules
    """First and second date that the question names, months and years back; `OPEN` for no second; shape (queries, 4)."""
    rank: Keys
    """A key of the query: the order in which queries are drawn."""

    def __len__(self) -> int:
        return len(self.form)

    def take(self, chosen: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Pool:
        """Some of the queries, in the order given."""
        relation, group, dates, named = (column[chosen] for column in (self.relation, self.group, self.dates, self.named))
        return Pool(self.forms, self.form[chosen], relation, group, dates, named, self.rank[chosen])


def pooled(rows: Rows, proposals: Sequence[Proposal]) -> Pool:
    """All queries that are proposed, each once.

    Of two that say the same in SQL one stays: that of the relation which comes first in the table, then the one
    with the smaller key. So the order of rows does not matter.
    """
    forms = list(dict.fromkeys(proposal.form for proposal in proposals))
    place = {form: index for index, form in enumerate(forms)}

    def column(of: Sequence[Granules | int]) -> Granules:
        filled = (np.broadcast_to(np.asarray(values), len(p.groups)) for p, values in zip(proposals, of, strict=True))
        return np.concatenate([*filled, np.empty(0, dtype=np.int64)]).astype(np.int64)

    def optional(of: Sequence[Granules | None], default: int) -> Granules:
        return column([default if values is None else values for values in of])

    form = column([place[p.form] for p in proposals])
    relation = column([p.relation for p in proposals])
    group = column([p.groups for p in proposals])
    dates = np.stack([column([p.dates[i] if i < len(p.dates) else 0 for p in proposals]) for i in range(MOST_DATES)], axis=1)
    named = np.stack(
        [
            column([p.first for p in proposals]),
            optional([p.second for p in proposals], OPEN),
            optional([p.months_back for p in proposals], 0),
            optional([p.years_back for p in proposals], 0),
        ],
        axis=1,
    )
    form_keys = np.array([_form_key(one) for one in forms], dtype=np.int64)
    rank = mixed(rows.group_keys[group], form_keys[form])
    for values in [*dates.T, relation, *named.T]:
        rank = mixed(rank, values)
    pool = Pool(forms, form, relation, group, dates, named, rank)
    order = np.lexsort([rank, relation, *dates.T, form, group])
    same = np.stack([group, form, *dates.T])[:, order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (same[:, 1:] != same[:, :-1]).any(axis=0)
    return pool.take(order[is_first])


def _form_key(form: Form) -> int:
    """A number for a form that does not depend on which other forms there are."""
    signs = {"<": 1, "<=": 2, "=": 3, ">=": 4, ">": 5}
    number = 0
    for bound, comparator in form:
        number = number * 11 + signs[comparator] + (5 if bound == "end" else 0)
    return number
