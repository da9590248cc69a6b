"""A small graph in EventKG's layout with lines of a test's own, and what a loaded one holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graph_sampler.load import load_graph
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.graph_report import CleaningReport
from state.interval import format_granule
from tests.eventkg_layout import Graph, Layout, quoted, time_lines, write

SYNTAXES = [
    Layout("early"), Layout("full"), Layout("light"), Layout("full", "http://eventkg.l3s.uni-hannover.de/"),
    Layout("light", "http://EventKG.L3S.uni-hannover.de/"), Layout("full", "https://events.example.org/"), Layout("early", "http://x.org/"),
]  # fmt: skip
LABELS = {"event_1": "Arn Games", "entity_1": "Ana Roy", "entity_2": "FC Arn", "entity_3": "Bo Lind"}
SMALL = Graph(
    facts=[
        ("entity_1", "P54", "entity_2", "1996-05-01", "2003-06-30"),
        ("entity_3", "P54", "entity_2", "1999-01-01", "2001-12-31"),
        ("entity_1", "P1344", "event_1", "1999-06-01", "1999-06-12"),
    ],
    labels=LABELS,
    relations={"P54": "member of sports team", "P1344": "participant in"},
    events=frozenset(("event_1",)),
)


def load(path: Path | tuple[Path, ...], granularity: str = "day", **options: Any) -> tuple[TemporalGraph, CleaningReport]:
    paths = str(path) if isinstance(path, Path) else tuple(map(str, path))
    data = {"path": paths, "format": "eventkg", "granularity": granularity, "options": options}
    return load_graph(GraphConfig.model_validate(data))


def facts(graph: TemporalGraph) -> set[tuple[str, ...]]:
    """Facts by ids, times as text."""
    return {
        (
            graph.entity_ids[graph.subject[row]], graph.relation_ids[graph.relation[row]], graph.entity_ids[graph.object[row]],
            format_granule(int(graph.start[row]), graph.granularity), format_granule(int(graph.end[row]), graph.granularity),
        )
        for row in range(len(graph))
    }  # fmt: skip


def labels(graph: TemporalGraph) -> dict[str, str]:
    return dict(zip(graph.entity_ids, graph.entity_labels, strict=True))


def counters(report: CleaningReport) -> dict[str, int]:
    """What the loader itself counts: not what any row shows later, such as a bound that is not known."""
    assert report.source is not None
    later = {"unknown_start", "unknown_end", "open_end", "coarse", "start_after_end", "sentinel", "bad_date", "duplicate_exact"}
    return {name: count for name, count in report.source.counters.items() if name not in later and not name.startswith("unlabelled")}


def folder(path: Path, extra: dict[str, str], graph: Graph = SMALL, layout: Layout | None = None) -> Path:
    """The small graph with lines added to some of its files."""
    write(path, graph, layout)
    for name, text in extra.items():
        file = path / f"{name}.nq"
        file.write_text((file.read_text(encoding="utf-8") if file.exists() else "") + text, encoding="utf-8", newline="")
    return path


def node(number: int, subject: str, relations: dict[str, str], object_: str, start: str = "", end: str = "", graph: str = "") -> str:
    """A relation node; `relations` maps a term to its graph, and the other lines have `graph`, or none."""
    layout, name = Layout(), f"resource:relation_{number}"
    lines = [layout.line(name, "rdf:type", "schema:Relation", graph), layout.line(name, "rdf:subject", subject, graph)]
    lines += [layout.line(name, "rdf:object", object_, graph)]
    lines += [layout.line(name, "sem:roleType", term, source) for term, source in relations.items()]
    return "".join((*lines, *time_lines(layout, name, start, end, graph)))


def dated(number: int, start: str, end: str, unit: str, unit_of_end: str | None = None) -> str:
    """A relation node of the event with dates and units as they stand."""
    layout, name = Layout(), f"resource:relation_{number}"
    lines = [node(number, "resource:event_1", {"wdt:P54": "wikidata"}, "resource:entity_2", graph="wikidata")]
    for date, predicate, stated, kind in (
        (start, "sem:hasBeginTimeStamp", "startUnitType", unit), (end, "sem:hasEndTimeStamp", "endUnitType", unit_of_end or unit),
    ):  # fmt: skip
        lines.append(layout.line(name, predicate, quoted(date, "^^xsd:date"), "wikidata"))
        if kind:
            lines.append(layout.line(name, f"schema:{stated}", kind, "wikidata"))
    return "".join(lines)
