"""What an audit of a TimelineKGQA question file found: the counterpart of an audit report on a graph, of the same shape."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Literal

from evaluation.audit.part_counts import PartCounts, parted_rates
from evaluation.audit.report import write_audit
from evaluation.audit.timelinekgqa.defects import MEANING, REMARKS, TimelineDefectKind, TimelineFindings, TimelineUnchecked
from evaluation.audit.timelinekgqa.facts import StatedFacts
from evaluation.audit.timelinekgqa.records import Level, TimelineCase
from evaluation.audit.told import BadLine, BadLines, Share, told_lines
from evaluation.pages.tables import Table
from runs.json_lines import pretty_json
from state.model_base import Contract

ANY = "any defect"
"""What is counted of a record with one defect at least, remarks apart."""
_WRONG_GRAPH_SHARE = Fraction(1, 2)


class TimelineDefectRow(Contract):
    """One defect of one record."""

    number: int
    """Line of the file, or place in its array or table."""
    id: str
    level: Level
    kind: TimelineDefectKind
    why: str


class LevelRates(Contract):
    """How many of how many records, over the file and by level."""

    all: Share
    levels: dict[Level, Share]
    """For the levels that the file has."""


class TimelineKindRate(Contract):
    """One kind of defect over the file."""

    kind: TimelineDefectKind
    meaning: str
    is_remark: bool
    """Whether it is counted without being a defect of the record."""
    rates: LevelRates
    examples: tuple[TimelineDefectRow, ...]
    """The first records that have it."""


class TimelineUncheckedReason(Contract):
    """A check that could not be made for some records."""

    kinds: tuple[TimelineDefectKind, ...]
    reason: str
    records: int


class TimelineAuditReport(Contract):
    """An audit of one file against one graph."""

    file: str
    file_format: Literal["timelinekgqa"] = "timelinekgqa"
    graph: str
    """Name of the graph."""
    rows: int
    """Rows of its source that have a time."""
    untimed: int
    """Rows left out, a time being unknown or none."""
    records: int
    levels: dict[Level, int]
    any_defect: LevelRates
    kinds: tuple[TimelineKindRate, ...]
    unchecked: tuple[TimelineUncheckedReason, ...]
    executed: int
    """Records whose answer was worked out anew."""
    bad_line_count: int
    bad_lines: tuple[BadLine, ...]
    """The first of them."""
    notes: tuple[str, ...]
    """What speaks against the file and the graph belonging together."""
    defects: tuple[TimelineDefectRow, ...]
    """Every defect and remark, in the order of the file."""
    format: int = 1

    @property
    def is_clean(self) -> bool:
        """Whether every line is a record, some answer was worked out, and nothing has a defect."""
        return not self.any_defect.all.hits and not self.bad_line_count and self.executed > 0

    def lines(self) -> list[str]:
        """The report for a person."""
        sizes = ", ".join(f"{count} {level}" for level, count in self.levels.items())
        rows = f"{self.rows} rows{f' and {self.untimed} without a known time' if self.untimed else ''}"
        caption = f"{self.file}: {self.records} records ({sizes}), format timelinekgqa, against {self.graph}, {rows}"
        return told_lines(self, rate_table(self, caption), self.any_defect.all.hits)

    def as_json(self) -> bytes:
        """The report for a machine; every defect stands in `audit.csv`, here only the examples."""
        return pretty_json(self.model_dump(mode="json", exclude={"defects"}))

    def write(self, folder: Path) -> list[Path]:
        """Writes `audit.json` and `audit.csv`, each whole or not at all; returns their paths.

        Raises:
            RunFolderError: the disk refuses.
        """
        return write_audit(folder, self.as_json(), defect_table(self))


class TimelineTally:
    """Counts records one by one."""

    def __init__(self, examples: int) -> None:
        self.bad = BadLines()
        self.counts = PartCounts(Level)
        self._examples = examples
        self._unchecked: Counter[TimelineUnchecked] = Counter()
        self._defects: list[TimelineDefectRow] = []
        self._not_run = 0

    def add(self, case: TimelineCase, findings: TimelineFindings) -> None:
        """Counts a record."""
        self._unchecked.update(findings.unchecked)
        left_out = {kind for unchecked in findings.unchecked for kind in unchecked.kinds}
        kinds = {defect.kind for defect in findings.defects}
        self._not_run += TimelineDefectKind.WRONG_ANSWER in left_out
        found: set[str] = set(kinds)
        self.counts.add(case.level, found | ({ANY} if kinds - REMARKS else set()), left_out - kinds)
        self._defects += (
            TimelineDefectRow(number=case.number, id=case.id, level=case.level, kind=defect.kind, why=defect.why)
            for defect in findings.defects
        )

    def report(self, file: str, facts: StatedFacts) -> TimelineAuditReport:
        """The report on everything counted."""
        return TimelineAuditReport(
            file=file,
            graph=facts.name,
            rows=len(facts),
            untimed=facts.untimed,
            records=self.counts.records,
            levels=self.counts.sizes,
            any_defect=self._rates(ANY),
            kinds=tuple(
                TimelineKindRate(
                    kind=kind,
                    meaning=MEANING[kind],
                    is_remark=kind in REMARKS,
                    rates=self._rates(kind),
                    examples=tuple([row for row in self._defects if row.kind is kind][: self._examples]),
                )
                for kind in TimelineDefectKind
            ),
            unchecked=tuple(
                TimelineUncheckedReason(kinds=each.kinds, reason=each.reason, records=count)
                for each, count in sorted(self._unchecked.items(), key=lambda pair: (-pair[1], pair[0].reason))
            ),
            executed=self.counts.records - self._not_run,
            bad_line_count=self.bad.count,
            bad_lines=tuple(self.bad.first),
            notes=tuple(self._notes()),
            defects=tuple(self._defects),
        )

    def _rates(self, what: str) -> LevelRates:
        return LevelRates(all=self.counts.share(what), levels=self.counts.shares(what))

    def _notes(self) -> list[str]:
        missing = self.counts.share(TimelineDefectKind.NOT_IN_GRAPH).hits
        if missing <= self.counts.records * _WRONG_GRAPH_SHARE:
            return []
        return [
            f"{missing} of {self.counts.records} records hold facts that the graph does not have: it may not be the one they were made from"
        ]


def rate_table(report: TimelineAuditReport, caption: str) -> Table:
    """Kinds of defects by level; a rate is over the records for which the check could be made."""
    rows = [(f"{rate.kind}{' (no defect)' if rate.is_remark else ''}", rate.rates) for rate in report.kinds]
    rows.append(("at least one defect", report.any_defect))
    return parted_rates(caption, list(report.levels), [(name, rates.all, rates.levels) for name, rates in rows])


def defect_table(report: TimelineAuditReport) -> Table:
    """One row a defect."""
    rows = tuple((str(row.number), row.id, row.level.value, row.kind.value, row.why) for row in report.defects)
    return Table("audit", "Defects", ("line", "id", "level", "kind", "why"), rows)
