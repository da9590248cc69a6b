"""A published question file against its tables: every query is read, put together anew and run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluation.audit.reading import AuditError, read_items
from evaluation.audit.tdbench.checks import TableAuditor
from evaluation.audit.tdbench.execution import PublishedTables
from evaluation.audit.tdbench.records import read_table_case
from evaluation.audit.tdbench.report import TableAuditReport, TableTally
from evaluation.audit.tdbench.tables import configured, open_published
from evaluation.audit.told import BadLine
from runs.config_file import load_config
from runs.terminal import Advance
from state.interval import Granularity
from tdbench.questions.build import as_of_granule


def published_tables(source: str, overrides: Sequence[str] = (), as_of: str | None = None) -> PublishedTables:
    """The tables of a config, of a CSV file or of all CSV files below a folder, ready to be asked.

    Args:
        source: a YAML file, or the file or folder.
        overrides: of a config.
        as_of: the day past which a date lies in the future; `None` for that of the config, or else each table's last date.

    Raises:
        ConfigError: the config is wrong, or the day is none.
        TableError: a file is refused.
    """
    notes: list[str] = []
    if Path(source).suffix in (".yaml", ".yml"):
        section = load_config(source, overrides).config.tdbench
        tables, as_of = configured(section.tables), as_of or section.as_of
    else:
        tables, notes = open_published(Path(source))
    return PublishedTables(tables, as_of_granule(as_of, Granularity.DAY), notes)


def audit_tables(path: Path, tables: PublishedTables, advance: Advance | None = None, examples: int = 5) -> TableAuditReport:
    """The audit of a question file in the published layout.

    Args:
        path: JSON Lines or one JSON array, plain or gzip.
        tables: the tables that the questions are about.
        advance: told how much is read.
        examples: how many records to name for each kind of defect.

    Raises:
        AuditError: the file cannot be read, or holds no such record.
    """
    tally, auditor = TableTally(examples), TableAuditor(tables)
    tell = None if advance is None else lambda done, size: advance("bytes audited", done, size)
    for item in read_items(path, tell):
        problem = item.problem
        if problem is None:
            try:
                case = read_table_case(item.value, item.number)
            except ValueError as err:
                problem = f"no record of format tdbench: {err}"
            else:
                tally.add(case, auditor.findings(case))
        if problem is not None:
            tally.bad.add(BadLine(number=item.number, what=problem))
    if not tally.counts.records:
        first = f"; line {tally.bad.first[0].number} is {tally.bad.first[0].what}" if tally.bad.first else ": the file is empty"
        raise AuditError(
            f"holds no record of format tdbench{first}", where=str(path), remedy="Without --tables a graph's records are read."
        )
    return tally.report(path.name, [table.name for table in tables.tables], tables.notes)
