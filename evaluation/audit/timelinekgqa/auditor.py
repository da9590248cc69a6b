"""A published question file against its graph: what its types ask is worked out anew, on its events and on the graph."""

from __future__ import annotations

from pathlib import Path

from evaluation.audit.reading import AuditError
from evaluation.audit.timelinekgqa.checks import TimelineAuditor
from evaluation.audit.timelinekgqa.facts import StatedFacts
from evaluation.audit.timelinekgqa.items import timeline_items
from evaluation.audit.timelinekgqa.records import is_timeline_record, read_timeline_case
from evaluation.audit.timelinekgqa.report import TimelineAuditReport, TimelineTally
from evaluation.audit.told import BadLine
from runs.terminal import Advance


def audit_timeline(path: Path, facts: StatedFacts, advance: Advance | None = None, examples: int = 5) -> TimelineAuditReport:
    """The audit of a question file in the published layout.

    Time is linear in the records, times the rows at the entities that they ask about; memory holds a few bytes for each.

    Args:
        path: JSON Lines, one JSON array or the published table; plain or gzip.
        facts: the rows that the questions are about.
        advance: told how much is read.
        examples: how many records to name for each kind of defect.

    Raises:
        AuditError: the file cannot be read, or holds no such record.
    """
    tally, auditor = TimelineTally(examples), TimelineAuditor(facts)
    tell = None if advance is None else lambda done, size: advance("bytes audited", done, size)
    for item in timeline_items(path, tell):
        problem = item.problem
        if problem is None and not is_timeline_record(item.value):
            problem = "no record of format timelinekgqa: it has no question_level and events"
        if problem is None:
            try:
                case = read_timeline_case(item.value, item.number)
            except ValueError as err:
                problem = f"no record of format timelinekgqa: {err}"
            else:
                tally.add(case, auditor.findings(case))
        if problem is not None:
            tally.bad.add(BadLine(number=item.number, what=problem))
    if not tally.counts.records:
        first = f"; line {tally.bad.first[0].number} is {tally.bad.first[0].what}" if tally.bad.first else ": the file is empty"
        raise AuditError(f"holds no record of format timelinekgqa{first}", where=str(path), remedy="Leave --format out to have it guessed.")
    return tally.report(path.name, facts)
