"""Point relations read off the records are those of the graph."""

from __future__ import annotations

import pytest

from benchmarks.verifier_rates import Sampled
from evaluation.damage.relation_kinds import point_relations
from graph_sampler.templates import Verbaliser
from state.instance import BenchmarkRecord
from tests.sample_record import make_record
from tests.shipped_sample import first


@pytest.fixture(scope="module")
def sampled(years_records: list[BenchmarkRecord], years_points: frozenset[str]) -> Sampled:
    return first(500, years_records, years_points)


def relations(records: list[BenchmarkRecord]) -> set[str]:
    return {fact.relation for record in records for fact in record.evidence}


def test_all_relations_of_five_hundred_records_are_told_apart(sampled: Sampled) -> None:
    used = relations(sampled.records)
    assert len(used & sampled.points) >= 5
    assert len(used - sampled.points) >= 5
    assert point_relations(sampled.records) == used & sampled.points


def test_the_point_relations_of_the_records_word_every_template_question(sampled: Sampled) -> None:
    points = point_relations(sampled.records)
    for record in sampled.records:
        assert Verbaliser(record.labels, points, sampled.granularity).question(record.trace) == record.raw_question


def test_an_operator_makes_an_interval_relation_of_one_that_shows_single_granules() -> None:
    record = make_record()
    short = {fact: fact.model_copy(update={"end": fact.start}) for fact in record.evidence}
    trace = record.trace.model_copy(update={"references": {name: short[fact] for name, fact in record.trace.references.items()}})
    told = record.model_copy(update={"evidence": tuple(short.values()), "support_facts": (), "trace": trace})
    assert point_relations([told]) == frozenset()
    silent = told.model_copy(update={"trace": trace.model_copy(update={"steps": trace.steps[:1], "references": {}})})
    assert point_relations([silent]) == {"P39"}
