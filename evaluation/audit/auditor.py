"""Somebody's benchmark file against its graph: every record is executed again. Design: section 10."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from evaluation.audit.cases import Case, FileFormat, format_of, read_case
from evaluation.audit.defects import Defect, DefectKind, Findings, Unchecked
from evaluation.audit.duplicates import Duplicates
from evaluation.audit.execution_checks import ExecutionChecks
from evaluation.audit.known_graph import KnownGraph
from evaluation.audit.other_graph import LOOKED_AT, refuse_other_graph
from evaluation.audit.reading import AuditError, Item, read_items
from evaluation.audit.report import AuditReport, Tally
from evaluation.audit.tdbench.records import is_table_record
from evaluation.audit.text_checks import blank_of, leak_of, slot_of
from evaluation.audit.told import BadLine
from graph_sampler.labels import normalise_label
from graph_sampler.temporal_graph import TemporalGraph
from runs.terminal import Advance
from state.interval import Granularity

_NO_QUERY = "without a trace its query cannot be compared with the others'"
_NO_NAMES = "the graph has no entity of the answer's id, so its aliases are not known"


class Audited(NamedTuple):
    """One item of a file: a case with its findings, or why it is none."""

    item: Item
    case: Case | None
    findings: Findings
    problem: str


class Auditor:
    """The checks of one graph over one file; records are given in the order of the file."""

    def __init__(self, graph: TemporalGraph) -> None:
        self._known = KnownGraph(graph)
        self._execution = ExecutionChecks(self._known)
        self._duplicates = Duplicates()
        self._called = dict(zip((*graph.entity_ids, *graph.relation_ids), (*graph.entity_labels, *graph.relation_labels), strict=True))

    @property
    def known(self) -> KnownGraph:
        """The graph, as the checks ask it."""
        return self._known

    def findings(self, case: Case) -> Findings:
        """Everything that is wrong with a record, and the checks that could not be made."""
        executed = self._execution.findings(case)
        aliases, unchecked = self._aliases(case)
        found = [leak_of(case, aliases), slot_of(case, self._is_id), self._duplicates.defect_of(case), blank_of(case), self._label_of(case)]
        if case.contradiction:
            found.append(Defect(DefectKind.CONTRADICTION, case.contradiction))
        if case.trace is None:
            unchecked.append(Unchecked((), _NO_QUERY))
        return Findings([*executed.defects, *(each for each in found if each is not None)], [*executed.unchecked, *unchecked])

    def _label_of(self, case: Case) -> Defect | None:
        """An id that the record calls otherwise than the graph."""
        if case.labels.items() <= self._called.items():
            return None
        graph = self._known.graph
        for ident, label in case.labels.items():
            entity, relation = self._known.entities.get(ident), self._known.relations.get(ident)
            names = [graph.entity_labels[entity]] if entity is not None else []
            names += [graph.relation_labels[relation]] if relation is not None else []
            if names and label not in names and normalise_label(label) not in map(normalise_label, names):
                return Defect(DefectKind.WRONG_LABEL, f"{ident!r} is called {label!r}, in the graph {names[0]!r}")
        return None

    def _is_id(self, text: str) -> bool:
        return text in self._known.entities or text in self._known.relations

    def _aliases(self, case: Case) -> tuple[tuple[str, ...], list[Unchecked]]:
        """The graph's own names for the one entity that a record means."""
        codes = [self._known.entities.get(ident) for ident in case.answer_ids]
        if len(codes) != 1 or codes[0] is None:
            return (), [Unchecked((), _NO_NAMES)]
        return self._known.graph.entity_aliases.get(codes[0], ()), []


def audit_items(path: Path, graph: TemporalGraph, form: FileFormat | None = None, advance: Advance | None = None) -> Iterator[Audited]:
    """Each item of a file with its findings, in the order of the file, as they are asked for.

    Args:
        path: the file.
        graph: the graph that it was made from.
        form: its format; `None`: that of the first item that has one.
        advance: told how much is read.

    Raises:
        AuditError: the file cannot be read, or its first records are all about another graph.
    """
    auditor, unit = Auditor(graph), graph.granularity
    told: list[Advance] = []  # nobody until the file is known to be about the graph

    def tell(done: int, size: int) -> None:
        for each in told:
            each("bytes audited", done, size)

    items = read_items(path, tell)
    first = list(islice(items, LOOKED_AT))
    refuse_other_graph(list(_cases(first, form, unit)), auditor.known, path)
    told += [] if advance is None else [advance]
    for item in chain(first, items):
        form = form or format_of(item.value)
        case, problem = _case(item, form, unit)
        yield Audited(item, case, auditor.findings(case) if case else Findings([], []), problem)


def audit_file(
    path: Path,
    graph: TemporalGraph,
    form: FileFormat | None = None,
    advance: Advance | None = None,
    examples: int = 5,
) -> AuditReport:
    """The audit of a benchmark file against its graph.

    Time is linear in the records; memory holds a few bytes for each, and the neighbourhoods they walk.

    Args:
        path: JSON Lines or one JSON array, plain or gzip.
        graph: the graph that the records are about.
        form: the file's format; `None`: that of its first record.
        advance: told how much is read.
        examples: how many records to name for each kind of defect.

    Raises:
        AuditError: the file cannot be read, holds no record of the format, or its first records are all about another graph.
    """
    tally = Tally(examples)
    used: FileFormat | None = form
    for audited in audit_items(path, graph, form, advance):
        used = used or format_of(audited.item.value)
        if audited.case is None:
            tally.bad.add(BadLine(number=audited.item.number, what=audited.problem))
        else:
            tally.add(audited.case, audited.findings)
    if not tally.records or used is None:
        raise _nothing_of_the_kind(path, tally, form)
    return tally.report(path.name, used, graph)


def _cases(items: Iterable[Item], form: FileFormat | None, unit: Granularity) -> Iterator[Case]:
    """The items that are records."""
    for item in items:
        form = form or format_of(item.value)
        case, _ = _case(item, form, unit)
        if case is not None:
            yield case


def _case(item: Item, form: FileFormat | None, unit: Granularity) -> tuple[Case | None, str]:
    if item.problem is not None:
        return None, item.problem
    if form is None and is_table_record(item.value):
        return None, "a question about a table, which is audited with --tables"
    if form is None:
        return None, "no record of either format: it has neither trace and evidence nor a subgraph"
    try:
        return read_case(form, item.value, item.number, unit), ""
    except ValueError as err:
        other = format_of(item.value)
        hint = f"; it looks like a record of format {other}" if other not in (None, form) else ""
        return None, f"no record of format {form}: {err}{hint}"


def _nothing_of_the_kind(path: Path, tally: Tally, form: FileFormat | None) -> AuditError:
    if not tally.bad.first:
        return AuditError("holds no record: the file is empty", where=str(path))
    first = tally.bad.first[0]
    wanted = f"format {form}" if form else "a known format"
    lines = "its one line is none" if tally.bad.count == 1 else f"none of its {tally.bad.count} lines is one"
    return AuditError(
        f"holds no record of {wanted}, {lines}; line {first.number} is {first.what}",
        where=str(path),
        remedy=f"Formats: {', '.join(FileFormat)}, timelinekgqa, and with --tables tdbench.",
    )
