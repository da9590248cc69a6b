"""An instance's support subgraph as a networkx graph, as GraphML and as node-link JSON.

GraphML is XML, which cannot hold control characters at all. There they are written as escapes that one can
see (`\\x1b`), and a backslash as two, so that `plain_text` gets the text back and two ids never become one.
"""

from __future__ import annotations

import io
import re
from typing import Any

import networkx as nx
import orjson

from runs.json_lines import escape_line_ends
from runs.splits import Part
from state.instance import BenchmarkRecord
from state.model_base import FORMAT_VERSION
from state.trace import StructuralStep

_ESCAPED = re.compile("[\\\\\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_ESCAPE = re.compile(r"\\(?:\\|x([0-9a-f]{2})|u([0-9a-f]{4}))")


def support_graph(record: BenchmarkRecord, part: Part) -> nx.MultiDiGraph:
    """The support facts as edges between entities; nodes and edges in the order of the facts.

    A node has `label` and `role`: `answer`, `anchor` (named in the structural pattern), `reference` (only in facts
    that a constraint refers to) or `intermediate`; where two fit, the first. An edge has `relation`, `label`, `start`,
    `end` and `role`: `reference` or `structural`; its key is the fact's place. The graph itself says what is asked.

    Args:
        record: the instance.
        part: its part of the split.
    """
    graph = nx.MultiDiGraph(
        format=FORMAT_VERSION,
        instance_id=record.id,
        dataset=record.dataset,
        split=part,
        question=record.final_question or record.raw_question,
        answer=record.answer,
        answer_id=record.answer_id,
        graph_structure=record.graph_structure.value,
        hop_count=record.hop_count,
        temporal_constraints=" | ".join(record.temporal_constraints),
    )
    patterns = [step.pattern for step in record.trace.steps if isinstance(step, StructuralStep)]
    anchors = {end for left, _, right in patterns for end in (left, right) if not end.startswith("?")}
    references = set(record.trace.references.values())
    inner = {end for fact in record.support_facts if fact not in references for end in (fact.subject, fact.object)}
    for place, fact in enumerate(record.support_facts):
        for entity in (fact.subject, fact.object):
            role = "answer" if entity == record.answer_id else "anchor" if entity in anchors else "intermediate"
            if role == "intermediate" and entity not in inner:
                role = "reference"
            graph.add_node(entity, label=record.labels[entity], role=role)
        graph.add_edge(
            fact.subject,
            fact.object,
            key=place,
            relation=fact.relation,
            label=record.labels[fact.relation],
            start=fact.start,
            end=fact.end,
            role="reference" if fact in references else "structural",
        )
    return graph


def node_link_line(graph: nx.MultiDiGraph) -> bytes:
    """A graph as one line of JSON, without the newline; `networkx.node_link_graph(..., edges="edges")` reads it."""
    return escape_line_ends(orjson.dumps(nx.node_link_data(graph, edges="edges")))


def graphml(graph: nx.MultiDiGraph) -> bytes:
    """A graph as GraphML; every text in it, ids included, is escaped by `visible_text`."""
    safe = nx.MultiDiGraph(**_visible(graph.graph))
    for node, data in graph.nodes(data=True):
        safe.add_node(visible_text(node), **_visible(data))
    for start, end, key, data in graph.edges(keys=True, data=True):
        safe.add_edge(visible_text(start), visible_text(end), key=key, **_visible(data))
    file = io.BytesIO()
    nx.write_graphml_xml(safe, file)  # the other writer is used where lxml happens to be there, and its bytes differ
    return file.getvalue() + b"\n"


def visible_text(text: str) -> str:
    """The text with what XML cannot hold, and the backslash, as escapes.

    >>> visible_text("a\\x1b[2J")
    'a\\\\x1b[2J'
    """
    return _ESCAPED.sub(_escape, text)


def plain_text(text: str) -> str:
    """What `visible_text` was made of."""
    return _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)) if found[1] or found[2] else "\\", text)


def _visible(data: dict[str, Any]) -> dict[str, Any]:
    return {name: visible_text(value) if isinstance(value, str) else value for name, value in data.items()}


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return "\\\\" if code == 0x5C else f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
