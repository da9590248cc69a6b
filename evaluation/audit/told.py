"""What every audit tells, whatever its file holds: examples, what was not checked, bad lines and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Protocol

from evaluation.pages.tables import Table, as_text
from state.model_base import Contract

_MOST_BAD_LINES = 20


class BadLine(Contract):
    """A line that is no record."""

    number: int
    """Line of the file, or place in its array, from 1."""
    what: str
    """Why it is none."""


class Share(Contract):
    """How many of how many."""

    hits: int
    of: int
    """Records for which the check could be made."""

    @property
    def percent(self) -> Fraction | None:
        """In percent; `None` of nothing."""
        return Fraction(100 * self.hits, self.of) if self.of else None


class BadLines:
    """Counts lines that are no records, and keeps the first."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[BadLine] = []

    def add(self, line: BadLine) -> None:
        """Counts a line."""
        self.count += 1
        if len(self.first) < _MOST_BAD_LINES:
            self.first.append(line)


class Told(Protocol):
    """What of a report is told."""

    @property
    def records(self) -> int:
        """Records of the file."""
        ...

    @property
    def executed(self) -> int:
        """Those of them that could be executed."""
        ...

    @property
    def bad_line_count(self) -> int:
        """Lines that are no records."""
        ...

    @property
    def bad_lines(self) -> tuple[BadLine, ...]:
        """The first of them."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What speaks against file and source belonging together."""
        ...

    @property
    def kinds(self) -> Sequence[Any]:
        """Kinds of defects, each with its first examples."""
        ...

    @property
    def unchecked(self) -> Sequence[Any]:
        """Checks that could not be made."""
        ...


def told_lines(report: Told, rates: Table, found: int, beside: str = "") -> list[str]:
    """A report for a person.

    Args:
        report: the report.
        rates: its table.
        found: records that have a defect.
        beside: what the verdict says besides.
    """
    return [*(f"note: {note}" for note in report.notes), *as_text(rates), *_details(report), _verdict(report, found, beside)]


def _details(report: Told) -> Iterator[str]:
    for rate in report.kinds:
        yield from (f"{rate.kind}: {row.id} (line {row.number}): {row.why}" for row in rate.examples)
    for each in report.unchecked:
        what = ", ".join(each.kinds) if each.kinds else "in part"
        yield f"not checked for {_records(each.records)} ({what}): {each.reason}"
    yield from (f"bad line {line.number}: {line.what}" for line in report.bad_lines)
    if report.bad_line_count > len(report.bad_lines):
        yield f"bad lines: {report.bad_line_count} in all"


def _verdict(report: Told, found: int, beside: str) -> str:
    verdict = "no defect found" if not found else f"{found} of {report.records} records have a defect"
    unread = f"; lines that are no records: {report.bad_line_count}" if report.bad_line_count else ""
    some = "" if report.executed == report.records else f", {report.executed} of them executed"
    return f"audited {_records(report.records)}{some}: {verdict}{beside}{unread}"


def _records(count: int) -> str:
    return f"{count} {'record' if count == 1 else 'records'}"
