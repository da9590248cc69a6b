"""The fast encoder writes what the models would: same words, same JSON, nothing that breaks a line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_sampler.encoding import escape
from graph_sampler.sampler import Sample
from graph_sampler.templates import Verbaliser
from graph_sampler.temporal_graph import TemporalGraph
from state.instance import BenchmarkRecord
from state.interval import Granularity


@pytest.fixture(scope="module")
def points(years_graph: TemporalGraph) -> frozenset[str]:
    ids = years_graph.relation_ids
    return frozenset(ids[code] for code, is_point in enumerate(years_graph.relation_is_point) if is_point)


def test_the_words_of_a_record_are_those_of_its_trace(years_records: list[BenchmarkRecord], points: frozenset[str]) -> None:
    for record in years_records:
        words = Verbaliser(record.labels, points, Granularity.YEAR)
        assert record.raw_question == words.question(record.trace)
        assert record.temporal_constraints == words.constraints(record.trace)
        assert record.space_search_process == words.search_process(record.trace)


def test_a_line_read_and_written_by_the_model_is_the_same_json(years_sample: Sample) -> None:
    for line in years_sample.lines:
        record = BenchmarkRecord.model_validate_json(line)
        assert list(json.loads(line)) == list(BenchmarkRecord.model_fields)
        assert json.loads(record.model_dump_json()) == json.loads(line)


@given(st.text())
def test_an_escaped_text_is_one_line_and_the_same_text(text: str) -> None:
    line = escape(text)
    assert json.loads(line) == text
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\n", "\r"])
def test_signs_that_some_readers_take_for_line_ends_are_escaped(sign: str) -> None:
    assert sign not in escape(f"a{sign}b")
