"""Rows of one (subject, relation, object): bounds that stand on lines of their own, and sources that repeat each other.

All work is on the codes of the columns, sorted once, so that memory does not grow with text. Paper: section 4.2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.dates import ABSENT, TimeRange, read_time
from graph_sampler.raw_facts import Codes, RawFacts
from state.config import YearNumbering
from state.graph_report import ImportCounter
from state.interval import Granularity


def keep_rows(raw: RawFacts, rows: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> RawFacts:
    """The raw facts with some of their rows, in the given order."""
    columns = {name: getattr(raw, name)[rows] for name in ("subject", "relation", "object", "start", "end")}
    return replace(raw, **columns)


def join_bounds(raw: RawFacts, counters: ImportCounters) -> RawFacts:
    """One row for each (subject, relation, object) of rows that state one bound or both.

    A bound that a row does not state is `ABSENT` there. Where two rows state different values for one bound, the row
    has no bounds and counts as an ambiguous pairing. Rows come out sorted by their ids' codes.
    """
    if not len(raw.subject):
        return raw
    raw, absent = _with_absent(raw)
    order, first = _groups(raw)
    starts, ends = (_agreed(column[order], first, absent) for column in (raw.start, raw.end))
    ambiguous = (starts < 0) | (ends < 0)
    counters.add(ImportCounter.AMBIGUOUS_PAIRING, int(ambiguous.sum()))
    joined = keep_rows(raw, order[first])
    start, end = (np.where(ambiguous, absent, column).astype(np.int32) for column in (starts, ends))
    return replace(joined, start=start, end=end)


def without_vaguer_copies(raw: RawFacts, source: Codes, counters: ImportCounters) -> RawFacts:
    """The rows without those that another source states more precisely.

    Both bounds of the vaguer row hold the other's (`1996` holds `1996-05-01`; a bound that is not stated holds any),
    and one of them is wider. Rows of one source are spells and stay.

    Args:
        raw: the rows.
        source: (rows,) a code for the source of each, -1 where it is not stated and may be any.
        counters: takes the number of rows left out as `duplicate_other_source`.
    """
    if len(raw.subject) < 2:
        return raw
    order, first = _groups(raw)
    sizes = np.diff(np.append(first, len(order)))
    low, high = (function.reduceat(source[order], first) for function in (np.minimum, np.maximum))
    ranges: dict[int, TimeRange] = {}
    kept = np.ones(len(order), np.bool_)
    for group in np.flatnonzero((sizes > 1) & ((low != high) | (low < 0))):
        rows = order[first[group] : first[group] + sizes[group]].tolist()
        bounds = {row: _ranges(raw, ranges, row) for row in rows}
        for row in rows:
            others = [other for other in rows if source[row] != source[other] or source[row] < 0]
            kept[row] = not any(_is_vaguer(bounds[row], bounds[other]) for other in others)
    counters.add(ImportCounter.DUPLICATE_OTHER_SOURCE, int((~kept).sum()))
    return keep_rows(raw, kept)


def without_timeless_relations(raw: RawFacts, counters: ImportCounters) -> RawFacts:
    """The rows without those of relations of which no row states a bound; the others' rows without bounds stay.

    The rows left out count as untimed.
    """
    is_absent = np.array([text == ABSENT for text in raw.times], dtype=np.bool_)
    has_bound = ~(is_absent[raw.start] & is_absent[raw.end]) if len(raw.times) else np.zeros(len(raw.subject), np.bool_)
    is_timed = np.zeros(len(raw.relations), np.bool_)
    is_timed[raw.relation[has_bound]] = True
    counters.add(ImportCounter.UNTIMED, int((~is_timed[raw.relation]).sum()))
    return keep_rows(raw, is_timed[raw.relation])


def renamed(raw: RawFacts, entities: Sequence[str]) -> RawFacts:
    """The rows under other entity ids; two entities that get one id become one."""
    positions = {identifier: position for position, identifier in enumerate(dict.fromkeys(entities))}
    code = np.array([positions[identifier] for identifier in entities], dtype=np.int32)
    return replace(raw, entities=list(positions), subject=code[raw.subject], object=code[raw.object]) if len(code) else raw


def _with_absent(raw: RawFacts) -> tuple[RawFacts, int]:
    """The rows with `ABSENT` among their times, and its code."""
    if ABSENT in raw.times:
        return raw, raw.times.index(ABSENT)
    return replace(raw, times=[*raw.times, ABSENT]), len(raw.times)


def _groups(raw: RawFacts) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows in the order of (subject, relation, object), and where in that order each new triple begins."""
    order = np.lexsort((raw.object, raw.relation, raw.subject))
    columns = [column[order] for column in (raw.subject, raw.relation, raw.object)]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return order, np.flatnonzero(is_new)


def _agreed(codes: Codes, first: npt.NDArray[np.intp], absent: int) -> npt.NDArray[np.int64]:
    """The one code that a group states, `absent` where it states none, -1 where it states several."""
    stated = codes.astype(np.int64)
    lowest = np.minimum.reduceat(np.where(stated == absent, np.iinfo(np.int64).max, stated), first)
    highest = np.maximum.reduceat(np.where(stated == absent, -1, stated), first)
    return np.where(highest < 0, absent, np.where(lowest == highest, highest, -1))


def _ranges(raw: RawFacts, known: dict[int, TimeRange], row: int) -> tuple[TimeRange, TimeRange]:
    codes = int(raw.start[row]), int(raw.end[row])
    for code in codes:
        if code not in known:
            known[code] = read_time(raw.times[code], Granularity.DAY, YearNumbering.ASTRONOMICAL)
    return known[codes[0]], known[codes[1]]


def _is_vaguer(one: tuple[TimeRange, TimeRange], other: tuple[TimeRange, TimeRange]) -> bool:
    """Whether both bounds of the one hold the other's, and one of them is wider."""
    pairs = list(zip(one, other, strict=True))
    return all(wide.low <= near.low and near.high <= wide.high for wide, near in pairs) and any(
        wide.low < near.low or near.high < wide.high for wide, near in pairs
    )
