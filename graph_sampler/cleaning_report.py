"""The account of a source graph, and the same account as lines of text. Paper: section 4.2.1."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from graph_sampler.labels import LabelProblem, shared_label_count
from graph_sampler.loaders.counters import BESIDE_ROWS
from graph_sampler.relation_types import RelationTypes
from graph_sampler.temporal_graph import TemporalGraph
from state.graph_report import CleaningReport, DropReason, ImportReport, RelationReport
from state.interval import format_granule

_LABEL_WIDTH = 44


def build_report(
    graph: TemporalGraph,
    types: RelationTypes,
    relation_ids: Sequence[str],
    relation_labels: Sequence[str],
    entity_problems: Sequence[LabelProblem | None],
    drops: Mapping[DropReason, int],
) -> CleaningReport:
    """The report of a cleaned graph; `types` and the ids and labels beside it are by code of the source."""
    kept = Counter({graph.relation_ids[code]: int(count) for code, count in enumerate(np.bincount(graph.relation))})
    on_point = graph.relation_is_point[graph.relation]
    in_use = np.flatnonzero(
        np.bincount(graph.subject, minlength=len(graph.entity_ids)) + np.bincount(graph.object, minlength=len(graph.entity_ids))
    )
    columns = (graph.subject, graph.relation, graph.object)
    repeats = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
    return CleaningReport(
        name=graph.name,
        granularity=graph.granularity,
        content_hash=graph.content_hash,
        rows=len(graph) + sum(drops.values()),
        facts=len(graph),
        dropped=dict(drops),
        kept_aside=len(graph.dropped),
        entities=len(in_use),
        unusable_labels={problem.value: count for problem, count in sorted(Counter(filter(None, entity_problems)).items())},
        shared_labels=shared_label_count([graph.entity_labels[entity] for entity in in_use.tolist()]),
        relations=tuple(
            RelationReport(
                id=relation,
                label=label,
                facts=int(facts),
                point_share=int(one) / int(facts) if facts else None,
                one_granule=int(one),
                type=kind,
                why=why,
                kept=kept[relation],
            )
            for relation, label, facts, one, kind, why in zip(
                relation_ids, relation_labels, types.facts, types.one_granule, types.types, types.reasons, strict=True
            )
        ),
        point_facts=int(on_point.sum()),
        interval_facts=int((~on_point).sum()),
        one_granule_intervals=int((~on_point & (graph.start == graph.end)).sum()),
        repeated_spells=int(repeats.sum()),
        self_loops=int((graph.subject == graph.object).sum()),
        first=format_granule(int(graph.start.min()), graph.granularity),
        last=format_granule(int(graph.end.max()), graph.granularity),
    )


def render_report(report: CleaningReport) -> list[str]:
    """The report as lines of plain text; control characters of labels are shown escaped."""
    lines = [
        f"graph       {shown(report.name)} ({report.granularity.value} level, {report.first} to {report.last})",
        f"hash        {report.content_hash}",
        *(_import_lines(report.source) if report.source else ()),
        f"rows        {report.rows:,}{_others(report)}",
        f"facts       {report.facts:,}: {report.point_facts:,} of point relations, {report.interval_facts:,} of interval relations "
        f"({report.one_granule_intervals:,} of one granule)",
        f"entities    {report.entities:,}, {report.shared_labels:,} of them share a label",
        f"spells      {report.repeated_spells:,} repeated; {report.self_loops:,} facts of an entity with itself",
        f"dropped     {sum(report.dropped.values()):,} ({report.kept_aside:,} kept aside)",
    ]
    lines += [f"  {count:>9,}  {reason.value}" for reason, count in report.dropped.items()]
    if report.unusable_labels:
        lines.append(f"unusable    {sum(report.unusable_labels.values()):,} entity labels")
        lines += [f"  {count:>9,}  {problem}" for problem, count in report.unusable_labels.items()]
    alike = shared_label_count([row.label for row in report.relations if row.kept])
    unasked = f", {alike:,} of them read like another and are not asked about: give them other labels, or one id" if alike else ""
    lines.append(f"relations   {len(report.relations):,}{unasked}")
    table = [("relation", "label", "type", "kept", "facts", "points", "why")]
    empty = sum(not row.facts for row in report.relations)
    is_folded = empty > 1
    for row in sorted(report.relations, key=lambda row: (-row.kept, -row.facts, row.id)):
        if is_folded and not row.facts:
            continue
        share = "-" if row.point_share is None else f"{row.point_share:.3f}"
        table.append((shown(row.id), shown(row.label), row.type.value, f"{row.kept:,}", f"{row.facts:,}", share, row.why))
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for cells in table:
        padded = (
            cell.rjust(width) if column in (3, 4, 5) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        lines.append(("  " + "  ".join(padded)).rstrip())
    return [*lines, f"  and {empty:,} without a usable fact, which `chronoqg graph inspect --json` lists"] if is_folded else lines


def _import_lines(source: ImportReport) -> list[str]:
    files = ", ".join(map(shown, source.files[:4])) + (", ..." if len(source.files) > 4 else "")
    lines = [f"read        {source.rows:,} rows as {source.layout}: {files}"]
    lines += [f"  {count:>9,}  {name}" for name, count in source.counters.items()]
    return lines + [f"  note: {note}" for note in source.notes]


def _others(report: CleaningReport) -> str:
    """What became of the rows read that are no rows of the cleaning."""
    source = report.source
    beside = BESIDE_ROWS.get(source.layout, ()) if source else ()
    counts = [f"{source.counters[name]:,} {name}" for name in beside if name in source.counters] if source else []
    return f", the others read: {', '.join(counts)}" if counts else ""


COUNTED = ("graph", "layout", "unit", "rows", "facts", "point facts", "interval facts", "entities", "relations", "dropped", "counted")
"""Header of `counts_row`."""


def counts_row(report: CleaningReport) -> tuple[str, ...]:
    """One graph as a row of a table of graphs."""
    source = report.source
    counted = ", ".join(f"{name} {count:,}" for name, count in source.counters.items()) if source else ""
    relations = sum(relation.kept > 0 for relation in report.relations)
    numbers = (
        source.rows if source else report.rows, report.facts, report.point_facts, report.interval_facts, report.entities, relations,
        sum(report.dropped.values()),
    )  # fmt: skip
    names = (shown(report.name), source.layout if source else "", report.granularity.value)
    return (*names, *(f"{number:,}" for number in numbers), counted or "-")


def shown(text: str) -> str:
    """The text on one line of a terminal: control and format characters escaped, the middle of a long text cut."""
    text = "".join(
        sign.encode("unicode_escape").decode("ascii") if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp") else sign
        for sign in text[: 2 * _LABEL_WIDTH]
    )
    return text if len(text) <= _LABEL_WIDTH else text[: _LABEL_WIDTH - 1] + "…"
