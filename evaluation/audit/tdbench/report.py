"""What an audit of a published question file found: the counterpart of an audit report on a graph, of the same shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

from evaluation.audit.part_counts import PartCounts, parted_rates
from evaluation.audit.report import write_audit
from evaluation.audit.tdbench.defects import EXECUTED, MEANING, REMARKS, TableDefectKind, TableFindings, TableUnchecked
from evaluation.audit.tdbench.records import Part, TableCase
from evaluation.audit.told import BadLine, BadLines, Share, told_lines
from evaluation.pages.tables import Table
from runs.json_lines import pretty_json
from state.model_base import Contract

ANY = "any defect"
"""What is counted of a record with one defect at least, remarks apart."""
ANY_BUT_BLANKS = "any but blanks"
"""The same, blanks around a question apart."""
_WRONG_TABLE_SHARE = Fraction(1, 2)


class TableDefectRow(Contract):
    """One defect of one record."""

    number: int
    """Line of the file, or place in its array."""
    id: str
    part: Part
    kind: TableDefectKind
    why: str


class PartRates(Contract):
    """How many of how many records, over the file and by part."""

    all: Share
    parts: dict[Part, Share]
    """For the parts that the file has."""


class TableKindRate(Contract):
    """One kind of defect over the file."""

    kind: TableDefectKind
    meaning: str
    is_remark: bool
    """Whether it is counted without being a defect of the record."""
    rates: PartRates
    examples: tuple[TableDefectRow, ...]
    """The first records that have it."""


class TableUncheckedReason(Contract):
    """A check that could not be made for some records."""

    kinds: tuple[TableDefectKind, ...]
    reason: str
    records: int


class TableAuditReport(Contract):
    """An audit of one file against some tables."""

    file: str
    file_format: Literal["tdbench"] = "tdbench"
    tables: tuple[str, ...]
    """Their names."""
    records: int
    parts: dict[Part, int]
    any_defect: PartRates
    any_but_blanks: PartRates
    """Records with a defect other than blanks around a question."""
    kinds: tuple[TableKindRate, ...]
    unchecked: tuple[TableUncheckedReason, ...]
    executed: int
    """Records whose query was run on a table."""
    bad_line_count: int
    bad_lines: tuple[BadLine, ...]
    """The first of them."""
    notes: tuple[str, ...]
    """What speaks against the file and the tables belonging together."""
    defects: tuple[TableDefectRow, ...]
    """Every defect and remark, in the order of the file."""
    format: int = 1

    @property
    def is_clean(self) -> bool:
        """Whether every line is a record, some query was run, and nothing has a defect."""
        return not self.any_defect.all.hits and not self.bad_line_count and self.executed > 0

    def lines(self) -> list[str]:
        """The report for a person."""
        sizes = ", ".join(f"{count} {part}" for part, count in self.parts.items())
        caption = f"{self.file}: {self.records} records ({sizes}), format tdbench, against {', '.join(self.tables)}"
        found = self.any_defect.all.hits
        beside = f", {self.any_but_blanks.all.hits} beside blanks around a question" if found else ""
        return told_lines(self, rate_table(self, caption), found, beside)

    def as_json(self) -> bytes:
        """The report for a machine; every defect stands in `audit.csv`, here only the examples."""
        return pretty_json(self.model_dump(mode="json", exclude={"defects"}))

    def write(self, folder: Path) -> list[Path]:
        """Writes `audit.json` and `audit.csv`, each whole or not at all; returns their paths.

        Raises:
            RunFolderError: the disk refuses.
        """
        return write_audit(folder, self.as_json(), defect_table(self))


class TableTally:
    """Counts records one by one."""

    def __init__(self, examples: int) -> None:
        self.bad = BadLines()
        self.counts = PartCounts(Part)
        self._examples = examples
        self._unchecked: Counter[TableUnchecked] = Counter()
        self._defects: list[TableDefectRow] = []
        self._not_run = 0

    def add(self, case: TableCase, findings: TableFindings) -> None:
        """Counts a record."""
        self._unchecked.update(findings.unchecked)
        left_out = {kind for unchecked in findings.unchecked for kind in unchecked.kinds}
        kinds = {defect.kind for defect in findings.defects}
        self._not_run += left_out.issuperset(EXECUTED)
        found: set[str] = set(kinds)
        found |= {ANY} if kinds - REMARKS else set()
        found |= {ANY_BUT_BLANKS} if kinds - REMARKS - {TableDefectKind.OUTER_BLANKS} else set()
        self.counts.add(case.part, found, left_out - kinds)
        self._defects += (
            TableDefectRow(number=case.number, id=case.id, part=case.part, kind=defect.kind, why=defect.why) for defect in findings.defects
        )

    def report(self, file: str, tables: Sequence[str], notes: Sequence[str] = ()) -> TableAuditReport:
        """The report on everything counted."""
        return TableAuditReport(
            file=file,
            tables=tuple(tables),
            records=self.counts.records,
            parts=self.counts.sizes,
            any_defect=self._rates(ANY),
            any_but_blanks=self._rates(ANY_BUT_BLANKS),
            kinds=tuple(
                TableKindRate(
                    kind=kind,
                    meaning=MEANING[kind],
                    is_remark=kind in REMARKS,
                    rates=self._rates(kind),
                    examples=tuple([row for row in self._defects if row.kind is kind][: self._examples]),
                )
                for kind in TableDefectKind
            ),
            unchecked=tuple(
                TableUncheckedReason(kinds=each.kinds, reason=each.reason, records=count)
                for each, count in sorted(self._unchecked.items(), key=lambda pair: (-pair[1], pair[0].reason))
            ),
            executed=self.counts.records - self._not_run,
            bad_line_count=self.bad.count,
            bad_lines=tuple(self.bad.first),
            notes=(*notes, *self._notes()),
            defects=tuple(self._defects),
        )

    def _rates(self, what: str) -> PartRates:
        return PartRates(all=self.counts.share(what), parts=self.counts.shares(what))

    def _notes(self) -> list[str]:
        wrong, of = self.counts.share(TableDefectKind.WRONG_ANSWERS).hits, self.counts.records
        if wrong <= of * _WRONG_TABLE_SHARE:
            return []
        return [f"{wrong} of {of} records state other answers than the tables give: they may not be the ones they were made from"]


def rate_table(report: TableAuditReport, caption: str) -> Table:
    """Kinds of defects by part; a rate is over the records for which the check could be made."""
    rows = [(f"{rate.kind}{' (no defect)' if rate.is_remark else ''}", rate.rates) for rate in report.kinds]
    rows += [("at least one defect", report.any_defect), ("beside blanks around a question", report.any_but_blanks)]
    return parted_rates(caption, list(report.parts), [(name, rates.all, rates.parts) for name, rates in rows])


def defect_table(report: TableAuditReport) -> Table:
    """One row a defect."""
    rows = tuple((str(row.number), row.id, row.part.value, row.kind.value, row.why) for row in report.defects)
    return Table("audit", "Defects", ("line", "id", "part", "kind", "why"), rows)
