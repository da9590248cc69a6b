"""What an audit found: rates and examples by kind, as data, as a table and as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from evaluation.audit.cases import Case, FileFormat
from evaluation.audit.defects import EXECUTED, MEANING, DefectKind, Findings, Unchecked
from evaluation.audit.told import BadLine, BadLines, Share, told_lines
from evaluation.pages.tables import Table, as_csv, rounded
from graph_sampler.temporal_graph import TemporalGraph
from runs.json_lines import pretty_json, refuse_unwritable, write_together
from state.model_base import Contract
from state.vocabulary import ConstraintCount

JSON_FILE, CSV_FILE = "audit.json", "audit.csv"
_WRONG_GRAPH_SHARE = Fraction(1, 2)


class DefectRow(Contract):
    """One defect of one record."""

    number: int
    """Line of the file, or place in its array."""
    id: str
    part: ConstraintCount
    kind: DefectKind
    why: str


class KindRate(Contract):
    """One kind of defect over the file."""

    kind: DefectKind
    meaning: str
    all: Share
    single: Share
    """Of the records with one temporal constraint."""
    multi: Share
    """Of those with more."""
    examples: tuple[DefectRow, ...]
    """The first records that have it."""


class AnyDefect(Contract):
    """Records with at least one defect."""

    all: Share
    single: Share
    multi: Share


class UncheckedReason(Contract):
    """A check that could not be made for some records."""

    kinds: tuple[DefectKind, ...]
    """What was not looked for at all; empty if only a part of a check is meant."""
    reason: str
    records: int


class AuditReport(Contract):
    """An audit of one file against one graph."""

    file: str
    file_format: FileFormat
    graph: str
    """Name of the graph."""
    graph_hash: str
    """Its content hash."""
    records: int
    single: int
    """Records with one temporal constraint."""
    multi: int
    any_defect: AnyDefect
    kinds: tuple[KindRate, ...]
    unchecked: tuple[UncheckedReason, ...]
    executed: int
    """Records whose trace could be executed on the graph."""
    bad_line_count: int
    bad_lines: tuple[BadLine, ...]
    """The first of them."""
    notes: tuple[str, ...]
    """What speaks against the file and the graph belonging together."""
    defects: tuple[DefectRow, ...]
    """Every defect, in the order of the file."""
    format: int = 1

    @property
    def is_clean(self) -> bool:
        """Whether every line is a record, something could be executed, and nothing has a defect."""
        return not self.defects and not self.bad_line_count and self.executed > 0

    def lines(self) -> list[str]:
        """The report for a person."""
        size = f"{self.records} records ({self.single} S, {self.multi} M), format {self.file_format}, against {self.graph}"
        return told_lines(self, rate_table(self, f"{self.file}: {size}"), self.any_defect.all.hits)

    def as_json(self) -> bytes:
        """The report for a machine; every defect stands in `audit.csv`, here only the examples."""
        return pretty_json(self.model_dump(mode="json", exclude={"defects"}))

    def write(self, folder: Path) -> list[Path]:
        """Writes `audit.json` and `audit.csv`, each whole or not at all; returns their paths.

        Raises:
            RunFolderError: the disk refuses.
        """
        return write_audit(folder, self.as_json(), defect_table(self))


class Tally:
    """Counts records one by one."""

    def __init__(self, examples: int) -> None:
        self.records = 0
        self.bad = BadLines()
        self._examples = examples
        self._parts: Counter[ConstraintCount] = Counter()
        self._hits: Counter[tuple[DefectKind, ConstraintCount]] = Counter()
        self._any: Counter[ConstraintCount] = Counter()
        self._left_out: Counter[tuple[DefectKind, ConstraintCount]] = Counter()
        self._unchecked: Counter[Unchecked] = Counter()
        self._defects: list[DefectRow] = []
        self._hashes: Counter[str | None] = Counter()
        self._left_out_of_execution = 0

    def add(self, case: Case, findings: Findings) -> None:
        """Counts a record."""
        self.records += 1
        self._parts[case.part] += 1
        self._hashes[case.content_hash] += 1
        for unchecked in findings.unchecked:
            self._unchecked[unchecked] += 1
        left_out = {kind for unchecked in findings.unchecked for kind in unchecked.kinds}
        kinds = {defect.kind for defect in findings.defects}
        self._left_out_of_execution += left_out.issuperset(EXECUTED)
        for kind in left_out - kinds:
            self._left_out[kind, case.part] += 1
        for kind in kinds:
            self._hits[kind, case.part] += 1
        self._any[case.part] += bool(kinds)
        self._defects += (
            DefectRow(number=case.number, id=case.id, part=case.part, kind=defect.kind, why=defect.why) for defect in findings.defects
        )

    def report(self, file: str, form: FileFormat, graph: TemporalGraph) -> AuditReport:
        """The report on everything counted."""
        single, multi = (self._parts[part] for part in (ConstraintCount.SINGLE, ConstraintCount.MULTI))
        return AuditReport(
            file=file,
            file_format=form,
            graph=graph.name,
            graph_hash=graph.content_hash,
            records=self.records,
            single=single,
            multi=multi,
            any_defect=AnyDefect(
                all=Share(hits=sum(self._any.values()), of=self.records),
                single=Share(hits=self._any[ConstraintCount.SINGLE], of=single),
                multi=Share(hits=self._any[ConstraintCount.MULTI], of=multi),
            ),
            kinds=tuple(map(self._rate, DefectKind)),
            unchecked=tuple(
                UncheckedReason(kinds=each.kinds, reason=each.reason, records=count)
                for each, count in sorted(self._unchecked.items(), key=lambda pair: (-pair[1], pair[0].reason))
            ),
            executed=self.records - self._left_out_of_execution,
            bad_line_count=self.bad.count,
            bad_lines=tuple(self.bad.first),
            notes=tuple(self._notes(graph)),
            defects=tuple(self._defects),
        )

    def _rate(self, kind: DefectKind) -> KindRate:
        single, multi = (
            Share(hits=self._hits[kind, part], of=self._parts[part] - self._left_out[kind, part])
            for part in (ConstraintCount.SINGLE, ConstraintCount.MULTI)
        )
        return KindRate(
            kind=kind,
            meaning=MEANING[kind],
            all=Share(hits=single.hits + multi.hits, of=single.of + multi.of),
            single=single,
            multi=multi,
            examples=tuple(_first_of(kind, self._defects, self._examples)),
        )

    def _notes(self, graph: TemporalGraph) -> Iterable[str]:
        others = {name: count for name, count in self._hashes.items() if name not in (None, graph.content_hash)}
        if others:
            name = max(others, key=lambda each: (others[each], str(each)))
            yield (
                f"{sum(others.values())} of {self.records} records say that they come from another graph: theirs has the content hash "
                f"{str(name)[:12]}, this one {graph.content_hash[:12]}"
            )
        missing = sum(self._hits[DefectKind.NOT_IN_GRAPH, part] for part in ConstraintCount)
        if not others and missing > self.records * _WRONG_GRAPH_SHARE:
            yield f"{missing} of {self.records} records hold facts that the graph does not have: it may not be the one they were made from"


def _first_of(kind: DefectKind, defects: list[DefectRow], most: int) -> Iterable[DefectRow]:
    found = (row for row in defects if row.kind is kind)
    return [row for row, _ in zip(found, range(most), strict=False)]


def rate_table(report: AuditReport, caption: str) -> Table:
    """Kinds of defects by part; a rate is over the records for which the check could be made."""
    rows = [(rate.kind.value, rate.all, rate.single, rate.multi) for rate in report.kinds]
    rows.append(("at least one", report.any_defect.all, report.any_defect.single, report.any_defect.multi))
    cells = tuple((name, *(cell for share in shares for cell in (str(share.hits), rounded(share.percent)))) for name, *shares in rows)
    return Table("rates", caption, ("defect", "all", "%", "S", "S %", "M", "M %"), cells)


def defect_table(report: AuditReport) -> Table:
    """One row a defect."""
    rows = tuple((str(row.number), row.id, row.part.value, row.kind.value, row.why) for row in report.defects)
    return Table("audit", "Defects", ("line", "id", "part", "kind", "why"), rows)


def write_audit(folder: Path, report: bytes, defects: Table) -> list[Path]:
    """Writes a report and its defects, both or none; returns the paths."""
    files = {folder / JSON_FILE: report, folder / CSV_FILE: as_csv(defects).encode("utf-8", "surrogatepass")}
    write_together(files)
    return list(files)


def refuse_unwritable_audit(folder: Path) -> None:
    """Passes if `write_audit` could write there now; asked before an audit.

    Raises:
        RunFolderError: the disk refuses, or something else has one of the names.
    """
    for name in (JSON_FILE, CSV_FILE):
        refuse_unwritable(folder / name)
