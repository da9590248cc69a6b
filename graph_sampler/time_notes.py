"""What a source's dates lost or were refused for, in words: cut to the unit, no date, a header read as a fact."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from graph_sampler.loaders.dates import TimeKind
from graph_sampler.raw_facts import RawFacts
from state.interval import Granularity

Bools = npt.NDArray[np.bool_]

ISO = "dates are read as ISO (1990, 1990-06 or 1990-06-01)"
"""What a date may look like."""
_SHORTEST = {Granularity.YEAR: 365, Granularity.MONTH: 28, Granularity.DAY: 0}
"""Days below which a time is finer than a unit."""
_LONGEST = {Granularity.MONTH: 31, Granularity.DAY: 1}
"""Days above which a time is coarser than a unit."""
_CODE = {Granularity.YEAR: "M8[Y]", Granularity.MONTH: "M8[M]"}
_LONGEST_TEXT = 40


def are_cut(ranges: npt.NDArray[Any], unit: Granularity) -> Bools:
    """Which times are finer than the unit and within it, those at its edge aside: 1 January may be how a source writes a year."""
    is_cut: Bools = (ranges[:, 0] == TimeKind.EXACT) & (ranges[:, 4] - ranges[:, 3] + 1 < _SHORTEST[unit])
    first, after = (ranges[is_cut, column].astype("M8[D]") + (column == 4) for column in (3, 4))
    is_cut[is_cut] = ~(_begins(first, unit) | _begins(after, unit))
    return is_cut


def _begins(days: npt.NDArray[Any], unit: Granularity) -> Bools:
    """Which days are the first of a granule."""
    if unit is Granularity.DAY:
        return np.ones(len(days), np.bool_)
    begins: Bools = days.astype(_CODE[unit]).astype("M8[D]") == days
    return begins


def finest_unit(ranges: npt.NDArray[Any]) -> Granularity:
    """The unit of the finest of some times."""
    return Granularity.DAY if (ranges[:, 3] == ranges[:, 4]).any() else Granularity.MONTH


def are_coarser(ranges: npt.NDArray[Any], unit: Granularity) -> Bools:
    """Which known times are coarser than the unit."""
    coarser: Bools = (ranges[:, 0] == TimeKind.EXACT) & (ranges[:, 4] - ranges[:, 3] + 1 > _LONGEST[unit])
    return coarser


def cut_note(rows: int, unit: Granularity, finer: Granularity, coarser: int) -> str:
    """How many rows lost something of their dates, and how to keep it."""
    loses = f" (and lose {coarser:,} with coarser dates)" if coarser else ""
    return (
        f"dates of {rows:,} row{'s' * (rows != 1)} are finer than {unit.value}s and were cut to {unit.value}s; "
        f"read the source with graph.granularity={finer.value} to keep them{loses}"
    )


def bad_example(raw: RawFacts, is_bad_start: Bools, is_bad_end: Bools) -> str:
    """The first bad date of the source, of those with a digit if there are any, and its row; empty without one.

    Args:
        raw: the rows.
        is_bad_start: which of its times are no starts.
        is_bad_end: which are no ends.
    """
    if not (is_bad_start.any() or is_bad_end.any()):
        return ""
    is_bad = is_bad_start[raw.start] | is_bad_end[raw.end]
    if not is_bad.any():
        return ""
    # A header's names are no dates either; what has a digit tells more.
    is_telling = is_bad_start | is_bad_end
    is_telling[is_telling] = [any(sign.isdigit() for sign in raw.times[place]) for place in np.flatnonzero(is_telling)]
    telling = is_bad & (is_telling[raw.start] | is_telling[raw.end])
    row = int((telling if telling.any() else is_bad).argmax())
    text = raw.times[raw.start[row] if is_bad_start[raw.start[row]] else raw.end[row]]
    ids = raw.entities[raw.subject[row]], raw.relations[raw.relation[row]], raw.entities[raw.object[row]]
    return f"{_short(text)!r} in the row of {', '.join(repr(_short(each)) for each in ids)}"


def header_note(raw: RawFacts, is_bad_start: Bools, is_bad_end: Bools) -> str:
    """What to set if the first row of a table holds names in place of its dates, while most others hold dates; else empty."""
    if not len(raw.start) or not (is_bad_start[raw.start[0]] and is_bad_end[raw.end[0]]):
        return ""
    names = raw.times[raw.start[0]], raw.times[raw.end[0]]
    is_bad = is_bad_start[raw.start] | is_bad_end[raw.end]
    if 2 * int(is_bad.sum()) > len(is_bad) or any(sign.isdigit() for name in names for sign in name):
        return ""
    shown = ", ".join(dict.fromkeys(repr(_short(name)) for name in names))
    return f"line 1 looks like a header ({shown} where dates are due): set graph.header=true"


def _short(text: str) -> str:
    """A text as its source has it, without a precision that its loader put behind it, cut where it is long."""
    text = text.rpartition(" <")[0] if text.endswith(">") and " <" in text else text
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
