"""What written questions state otherwise than their traces. Paper: Figure 7.

A reader lists the conditions on time that a question states, having seen no constraint of the trace; code compares
both lists. Missing: a constraint has no counterpart. Wrong: another operator, or the right one bound to another fact;
one that is turned round is wrong, and is told apart as well. Unnecessary: a condition that the trace does not have,
even if it changes no answer. One question may have several labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from agents.offline.verifier_round_trip import read_constraints
from agents.round_trip import judge_reading, read_request
from evaluation.generators.figures import FailureCounts
from evaluation.generators.rows import Row, RowKey
from evaluation.verifier.strata import drawing_key
from state.instance import BenchmarkRecord
from state.roles import ReadingReply
from state.vocabulary import Difference

CLEAN, UNREAD, NOT_ASKED = "clean", "could not be read", "not asked"
"""What stands in place of labels."""
MOST_READ = 400
"""Questions of a row on a dataset that the offline reader is given; at some milliseconds each it is the slowest part."""


class Failure(NamedTuple):
    """What a question that was given to a reader came to."""

    is_read: bool
    """Whether the reader could make out what it states; it cannot of an empty one."""
    differences: frozenset[Difference]
    """How that differs from the trace; empty: not at all, or it was not read."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The same in words: what differs, `clean`, or `could not be read`."""
        if not self.is_read:
            return (UNREAD,)
        return tuple(one.value for one in Difference if one in self.differences) or (CLEAN,)


class Reader(NamedTuple):
    """Who reads the questions."""

    name: str
    """A model, or `offline-rules`."""
    reply: Callable[[Row, BenchmarkRecord], ReadingReply | None]
    """What it made of the row's question; `None` if it was not asked."""


def records_read(rows: Iterable[Row], *, seed: int, most: int | None = MOST_READ) -> dict[str, frozenset[str]]:
    """Dataset -> ids of the records whose questions are read: the same in all its rows.

    Args:
        rows: all rows.
        seed: decides which records are read where there are more than `most`.
        most: questions of a row on a dataset that are read; `None` for all.
    """
    chosen: dict[str, frozenset[str]] = {}
    for row in rows:
        if row.dataset not in chosen:
            order = sorted(row.predictions, key=lambda ident: drawing_key(seed, ident))
            chosen[row.dataset] = frozenset(order[:most])
    return chosen


def offline_reader(rows: Sequence[Row], *, seed: int, most: int | None = MOST_READ) -> Reader:
    """The rules, of some of each row's questions; the arguments are those of `records_read`."""
    chosen = records_read(rows, seed=seed, most=most)

    def reply(row: Row, record: BenchmarkRecord) -> ReadingReply | None:
        if record.id not in chosen[row.dataset]:
            return None
        return read_constraints(read_request(record, row.predictions[record.id]))

    return Reader("offline-rules", reply)


def reader_of(name: str, readings: Mapping[tuple[RowKey, str], ReadingReply]) -> Reader:
    """A reader that was asked before: its replies by row and record; where there is none, it was not asked.

    Args:
        name: who it is.
        readings: `(row.key, record id) -> reply`; a question without a usable reply is one that it `cannot_tell`.
    """
    return Reader(name, lambda row, record: readings.get((row.key, record.id)))


def failure(row: Row, record: BenchmarkRecord, reader: Reader) -> Failure | None:
    """What the row's question for a record came to; `None` if the reader was not asked."""
    reply = reader.reply(row, record)
    if reply is None:
        return None
    if reply.cannot_tell or not row.predictions[record.id].strip():
        return Failure(False, frozenset())
    return Failure(True, frozenset(found.label for found in judge_reading(reply, record).findings))


def count_failures(failures: Sequence[Failure | None]) -> FailureCounts | None:
    """How often each label was found; `None` if no question was given to the reader."""
    asked = [one for one in failures if one is not None]
    if not asked:
        return None
    read = [one.differences for one in asked if one.is_read]
    return FailureCounts(
        asked=len(asked),
        read=len(read),
        clean=sum(not labels for labels in read),
        missing=sum(Difference.MISSING in labels for labels in read),
        wrong=sum(bool(labels & {Difference.WRONG, Difference.REVERSED}) for labels in read),
        reversed=sum(Difference.REVERSED in labels for labels in read),
        unnecessary=sum(Difference.UNNECESSARY in labels for labels in read),
    )


def pooled(counts: Iterable[FailureCounts | None]) -> FailureCounts | None:
    """The counts of several datasets together; `None` if there are none."""
    there = [one for one in counts if one is not None]
    if not there:
        return None
    return FailureCounts(**{name: sum(getattr(one, name) for one in there) for name in FailureCounts.model_fields})
