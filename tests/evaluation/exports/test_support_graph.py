"""The support subgraph: the right nodes and edges, and the same graph when another program reads it."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.exports.support_graph import graphml, node_link_line, plain_text, support_graph, visible_text
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from tests.run_directory import HOSTILE
from tests.sample_record import make_record

BAD = "a\x00b\x1b[2J\r\n\t\x85\ufffe\uffff\\x1b ]]> <b> & \"' \u2028"


def with_ids(record: BenchmarkRecord, names: dict[str, str]) -> BenchmarkRecord:
    """The record with other ids, as of a source whose labels are its ids."""

    def renamed(fact: TemporalFact) -> TemporalFact:
        ends = {"subject": names.get(fact.subject, fact.subject), "object": names.get(fact.object, fact.object)}
        return fact.model_copy(update=ends)

    references = {name: renamed(fact) for name, fact in record.trace.references.items()}
    return record.model_copy(
        update={
            "support_facts": tuple(map(renamed, record.support_facts)),
            "trace": record.trace.model_copy(update={"references": references}),
            "answer_id": names.get(record.answer_id, record.answer_id),
            "labels": {names.get(ident, ident): label for ident, label in record.labels.items()},
        }
    )


def read_graphml(data: bytes) -> nx.MultiDiGraph:
    """The graph as networkx reads it, with its texts as they were."""
    read = nx.read_graphml(io.BytesIO(data), edge_key_type=int, force_multigraph=True)
    plain = nx.MultiDiGraph(**texts({name: value for name, value in read.graph.items() if name not in ("node_default", "edge_default")}))
    for node, found in read.nodes(data=True):
        plain.add_node(plain_text(node), **texts(found))
    for start, end, key, found in read.edges(keys=True, data=True):
        plain.add_edge(plain_text(start), plain_text(end), key=key, **texts(found))
    return plain


def texts(data: dict[str, Any]) -> dict[str, Any]:
    return {name: plain_text(value) if isinstance(value, str) else value for name, value in data.items() if name != "id"}


def assert_both_forms_hold(graph: nx.MultiDiGraph) -> None:
    line = node_link_line(graph)
    assert len(line.decode().splitlines()) == 1
    assert nx.utils.graphs_equal(nx.node_link_graph(json.loads(line), edges="edges"), graph)
    assert nx.utils.graphs_equal(read_graphml(graphml(graph)), graph)


def test_nodes_say_what_they_are_for() -> None:
    graph = support_graph(make_record(), "dev")
    assert {node: data["role"] for node, data in graph.nodes(data=True)} == {
        "Q13": "answer", "Q1": "anchor", "Q12": "reference", "Q14": "reference",
    }  # fmt: skip
    assert graph.nodes["Q13"]["label"] == "Bo Lind"
    edges = [(data["role"], data["label"], data["start"], data["end"]) for _, _, data in graph.edges(data=True)]
    assert edges == [
        ("structural", "position held", "1970", "1978"),
        ("reference", "position held", "1960", "1968"),
        ("reference", "position held", "1980", "1988"),
    ]
    assert (graph.graph["instance_id"], graph.graph["split"], graph.graph["answer_id"]) == ("sample-000000000001", "dev", "Q13")


def test_real_instances_are_read_back_as_the_same_graph(years_records: list[BenchmarkRecord]) -> None:
    roles = set()
    for record in years_records[:60]:
        graph = support_graph(record, "train")
        assert graph.number_of_edges() == len(record.support_facts)
        assert [node for node, data in graph.nodes(data=True) if data["role"] == "answer"] == [record.answer_id]
        roles |= {data["role"] for _, data in graph.nodes(data=True)}
        assert_both_forms_hold(graph)
    assert roles == {"answer", "anchor", "reference", "intermediate"}


@pytest.mark.parametrize("label", [*HOSTILE.values(), BAD])
def test_hostile_labels_and_ids_are_read_back_as_the_same_graph(label: str) -> None:
    record = with_ids(make_record(labels={"Q12": label, "Q13": label, "P39": label}), {"Q13": label, "Q12": label + "2"})
    graph = support_graph(record, "test")
    assert_both_forms_hold(graph)
    assert {sign for sign in graphml(graph).decode() if ord(sign) < 32} <= {"\n"}


def test_ids_that_differ_in_what_xml_cannot_hold_stay_two_nodes() -> None:
    graph = support_graph(with_ids(make_record(), {"Q12": "a\x1b", "Q14": "a\\x1b"}), "train")
    assert {"a\x1b", "a\\x1b"} <= set(read_graphml(graphml(graph)).nodes)


@given(st.text(st.characters(codec=None)))
@settings(max_examples=200)
def test_an_escaped_text_is_plain_xml_and_stands_for_the_text(text: str) -> None:
    element = ElementTree.Element("a")
    element.text = visible_text(text)
    assert plain_text(ElementTree.fromstring(ElementTree.tostring(element, "utf-8")).text or "") == text


def test_the_escapes_can_be_seen() -> None:
    assert visible_text("a\x1b\x85\uffff\\") == "a\\x1b\\x85\\uffff\\\\"
    assert visible_text("São 北京 \u2028") == "São 北京 \u2028"
