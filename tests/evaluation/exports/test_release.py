"""The released schema: its exact fields and codes, and records of ours that come back unchanged."""

from __future__ import annotations

import copy
import re
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.exports.release import CODE_OF, GENERATOR_FIELDS, OPERATOR_OF, generator_view, granule_of, release_lines, release_time
from evaluation.exports.release_reader import NotRebuilt, read_release_record
from graph_sampler.operators import OPERATOR_NAMES
from state.instance import Backend, BenchmarkRecord
from state.interval import Granularity, format_granule

FIELDS = (
    "id", "graph_structure", "hop_count", "subgraph", "space_search_process", "temporal_constraints", "temporal_constraint_count",
    "raw_question", "final_question", "answer", "metadata",
)  # fmt: skip
FACT_FIELDS = ("fid", "subject_id", "subject", "relation_id", "relation", "object_id", "object", "start", "end", "time_type")
CODES = {
    "tr-1": "I-before-I", "tr-2": "I-meets-I", "tr-3": "I-overlaps-I", "tr-4": "I-finished-by-I", "tr-5": "I-contains-I",
    "tr-6": "I-starts-I", "tr-7": "I-equals-I", "tr-8": "I-started-by-I", "tr-9": "I-during-I", "tr-10": "I-finishes-I",
    "tr-11": "I-overlapped-by-I", "tr-12": "I-met-by-I", "tr-13": "I-after-I",
    "tptr-14": "P-before-I", "tptr-15": "P-at-start-I", "tptr-16": "P-inside-I", "tptr-17": "P-at-end-I", "tptr-18": "P-after-I",
    "trtp-19": "I-before-P", "trtp-20": "I-ends-at-P", "trtp-21": "I-covers-P", "trtp-22": "I-starts-at-P", "trtp-23": "I-after-P",
    "tp-24": "P-before-P", "tp-25": "P-equals-P", "tp-26": "P-after-P",
}  # fmt: skip


@pytest.fixture(scope="module")
def objects(years_records: list[BenchmarkRecord]) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in release_lines(years_records)]


def test_every_operator_has_one_code_and_the_pairwise_ones_have_the_released_numbers() -> None:
    ordinals = {"start_rank", "end_rank", "duration_rank"}
    assert {code: name for code, name in OPERATOR_OF.items() if name not in ordinals} == CODES
    assert set(CODE_OF) == set(OPERATOR_NAMES)
    assert {CODE_OF[name] for name in ordinals} == ordinals


def test_a_record_has_the_released_fields_and_no_others(objects: list[dict[str, Any]]) -> None:
    for found in objects:
        assert tuple(found) == FIELDS
        assert " " not in found["graph_structure"]
        assert [fact["fid"] for fact in found["subgraph"]] == [f"f{number}" for number in range(1, len(found["subgraph"]) + 1)]
        for fact in found["subgraph"]:
            assert tuple(fact) == FACT_FIELDS
            assert isinstance(fact["start"], int)
            assert fact["time_type"] in ("point", "interval")
        assert {each["type"] for each in found["temporal_constraints"]} <= {"allen", "multi_event"}


def test_the_facts_of_an_operator_have_its_types(objects: list[dict[str, Any]]) -> None:
    for found in objects:
        facts = {fact["fid"]: fact for fact in found["subgraph"]}
        for each in found["temporal_constraints"]:
            sides = {"tr": {"interval"}, "tp": {"point"}}.get(each["code"].split("-")[0])
            if sides:
                assert {facts[fid]["time_type"] for fid in each["support_fids"]} == sides


def test_a_record_read_back_is_the_record(years_records: list[BenchmarkRecord]) -> None:
    accepted = [
        record.model_copy(update={"final_question": f"Who {number}?", "backend": Backend(rewriter="a", verifier="b")})
        for number, record in enumerate(years_records[:100])
    ]
    records = [*years_records, *accepted]
    assert [read_release_record(line) for line in release_lines(records)] == records


def test_labels_with_line_ends_stay_on_one_line_and_come_back(years_records: list[BenchmarkRecord]) -> None:
    record = years_records[0]
    labels = {ident: f'{label}\u2028{{x}}\u0085"\x0b</script>' for ident, label in record.labels.items()}
    hostile = record.model_copy(update={"labels": labels, "answer": labels[record.answer_id]})
    (line,) = release_lines([hostile])
    assert len(line.decode().splitlines()) == 1
    assert read_release_record(line) == hostile


def test_a_line_of_somebody_else_is_not_taken_for_one_of_ours(objects: list[dict[str, Any]]) -> None:
    foreign = copy.deepcopy(objects[0])
    del foreign["metadata"]["provenance"]
    with pytest.raises(NotRebuilt, match="metadata lacks provenance"):
        read_release_record(orjson.dumps(foreign))


@given(unit=st.sampled_from(list(Granularity)), granule=st.integers(-900_000, 2_000_000))
def test_a_released_time_comes_back(unit: Granularity, granule: int) -> None:
    assert granule_of(release_time(format_granule(granule, unit)), unit) == granule


@pytest.mark.parametrize(("value", "unit"), [(1996, Granularity.MONTH), (199613, Granularity.MONTH), (19960231, Granularity.DAY)])
def test_a_time_of_another_unit_is_refused(value: int, unit: Granularity) -> None:
    with pytest.raises(ValueError, match="of the calendar"):
        granule_of(value, unit)


def test_what_a_generator_may_see_does_not_depend_on_answer_or_questions(objects: list[dict[str, Any]]) -> None:
    for found in objects:
        other = copy.deepcopy(found)
        other |= {"answer": "somebody else", "raw_question": "?", "final_question": "?", "metadata": {"answer_id": "?"}}
        for entry in (*other["space_search_process"], *other["temporal_constraints"]):
            entry |= {"support_fids": ["f1"], "binding": {"qualifying_histories": {"?": []}}}
        assert generator_view(other) == generator_view(found)
        assert set(generator_view(found)) == set(GENERATOR_FIELDS)


def test_what_a_generator_may_see_names_the_answer_only_as_one_of_several_candidates(objects: list[dict[str, Any]]) -> None:
    for found in objects:
        view = generator_view(found)
        facts = view.pop("subgraph")
        assert not re.search(rf"(?<!\w){re.escape(found['answer'])}(?!\w)", orjson.dumps(view).decode())
        position = {(fact["relation_id"], end) for fact in facts for end in ("subject", "object") if fact[end] == found["answer"]}
        assert any(len({fact[end] for fact in facts if fact["relation_id"] == relation}) > 1 for relation, end in position)
