"""Questions drawn the way TimelineKGQA draws them, audited: what random pairs and triples of facts come to, and the speed.

    python benchmarks/timeline_audit.py [GRAPH] [--facts N] [--seed S]

GRAPH is a folder in CronKG layout or a table in the published layout; the default is the bundled year graph. N facts,
N pairs and N triples are drawn at random, each with every published type of question, in the published layout; wording and
code are our own, the answers right and no answer put into its question. So what an audit finds is what drawing facts
without a look at the rest of the graph brings about. The published program draws near facts more often; its files are
not part of this repository. Drawing, writing and reading the graph are left out of the time.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.audit.timelinekgqa.answers import expected_answer
from evaluation.audit.timelinekgqa.auditor import audit_timeline
from evaluation.audit.timelinekgqa.facts import stated_facts
from evaluation.audit.timelinekgqa.records import Event, read_timeline_case
from evaluation.audit.timelinekgqa.relations import relate
from evaluation.audit.timelinekgqa.times import Span, written
from graph_sampler.load import load_graph
from graph_sampler.temporal_graph import TemporalGraph
from runs.config_file import load_graph_config
from runs.json_lines import write_lines
from state.interval import days_from_civil

ENTITY, TIMES = ("subject", "object"), ("timestamp_start", "timestamp_end", "timestamp_range", "duration")
SETS, LENGTHS = ("union", "intersection"), ("duration", "duration_compare", "sum", "average")
RANKS = ("rank_start_time", "rank_end_time")
POSITION, CONSTRAINED = "timeline_position_retrieval", "temporal_constrained_retrieval"
NAMES = {
    1: ("simple", CONSTRAINED, POSITION),
    2: ("medium", f"{POSITION}_{CONSTRAINED}", f"{POSITION}_{POSITION}"),
    3: ("complex", f"{POSITION}*2+{CONSTRAINED}", f"{POSITION}*3"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", nargs="?", default="bundled:years")
    parser.add_argument("--facts", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    config = load_graph_config(options.graph)
    graph, _ = load_graph(config)
    if options.facts > len(graph):
        parser.error(f"the graph has {len(graph)} facts")
    records = list(drawn(graph, options.facts, random.Random(options.seed)))
    facts = stated_facts(config)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.jsonl"
        write_lines(path, (json.dumps(each).encode() for each in records))
        cpu = time.process_time()
        report = audit_timeline(path, facts, examples=0)
        cpu = time.process_time() - cpu
    print("\n".join(report.lines()))
    print(f"{len(records) / cpu:.0f} records per CPU second ({cpu:.2f} CPU s)")


def drawn(graph: TemporalGraph, number: int, generator: random.Random) -> Iterator[dict[str, Any]]:
    """Records of all types about `number` facts, pairs and triples."""
    ident = 0
    for size in NAMES:
        drawn_once: set[tuple[int, ...]] = set()
        while len(drawn_once) < number:
            facts = tuple(generator.sample(range(len(graph)), size))
            if facts in drawn_once:
                continue
            drawn_once.add(facts)
            events = [event_of(graph, fact) for fact in facts]
            for asked, operation in kinds(size, generator):
                ident += 1
                yield record(ident, asked, operation, events)


def kinds(size: int, generator: random.Random) -> Iterator[tuple[str, str]]:
    """What is asked of so many facts, and by which operation."""
    yield from ((asked, "timeline" if size == 1 else "") for asked in ENTITY)
    if size == 1:
        yield from ((asked, "timeline") for asked in TIMES)
        return
    yield from (("relation_union_or_intersection", operation) for operation in SETS)
    yield "relation_duration", generator.choice(LENGTHS)
    if size == 3:
        yield "relation_ranking", generator.choice(RANKS)


def event_of(graph: TemporalGraph, fact: int) -> Event:
    """A fact by its labels, coarser times at their first day."""
    ends = (graph.entity_labels[column[fact]] for column in (graph.subject, graph.object))
    days = Span(*(days_from_civil(granule, 1, 1) for granule in graph.fact_interval(fact)))
    return Event(next(ends), graph.relation_labels[graph.relation[fact]], next(ends), days)


def record(ident: int, asked: str, operation: str, events: list[Event]) -> dict[str, Any]:
    """A record whose answer is right."""
    level, constrained, position = NAMES[len(events)]
    first, *others = events
    told = [" ".join(event.labels) for event in events]
    if asked in ENTITY:
        named = first.object if asked == "subject" else first.subject
        how = f"from {written(first.span.start)} to {written(first.span.end)}" if not others else "as the others lie"
        told[0] = f"{named}, {first.predicate}, {how}"
        operation = operation or "&".join(f"X {relate(first.span, other.span)} Y" for other in others)
    made: dict[str, Any] = {
        "id": ident,
        "question": f"{asked} by {operation}: {'; '.join(told)}?",
        "answer": None,
        "events": ["|".join((*event.labels, written(event.span.start), written(event.span.end))) for event in events],
        "question_level": level,
        "question_type": constrained if asked in ENTITY else position,
        "answer_type": asked,
        "temporal_relation": operation,
    }
    expected = expected_answer(read_timeline_case(made, ident))
    assert expected is not None
    return made | {"answer": "No Answer" if expected.may_be_none else expected.said}


if __name__ == "__main__":
    main()
