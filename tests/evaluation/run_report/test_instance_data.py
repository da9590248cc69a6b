"""What is drawn of an instance is what its record says: facts, constraints, candidates."""

from __future__ import annotations

from evaluation.run_report.instance_data import instance_data
from evaluation.run_report.instances import NOT_FINISHED, ReportedInstance
from evaluation.run_report.time_axis import span_reading
from graph_sampler.execute import execute
from runs.terminal import shown
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep
from tests.sample_record import make_record

SOME = 200
"""Records of the sample that are looked at: they are sorted by a hash, so the first are like the others."""


def untouched(record: BenchmarkRecord) -> ReportedInstance:
    return ReportedInstance(record, NOT_FINISHED, None, "", ())


def test_every_fact_that_is_drawn_is_a_support_fact_and_every_support_fact_is_drawn(years_records: list[BenchmarkRecord]) -> None:
    for record in years_records[:SOME]:
        data = instance_data(untouched(record))
        texts = data["labels"]
        drawn = [(texts[fact[0]], texts[fact[1]], texts[fact[2]], fact[3]) for fact in data["facts"]]
        proof = [
            (*(shown(record.labels[ident]) for ident in (fact.subject, fact.relation, fact.object)), span_reading(fact.start, fact.end))
            for fact in record.support_facts
        ]
        assert sorted(drawn) == sorted(proof)
        assert len(data["facts"]) + len(data["evidence"]) == len(record.evidence)


def test_names_and_constraints_stand_at_the_facts_of_the_rows_left(years_records: list[BenchmarkRecord]) -> None:
    """The rows are those of the whole evidence here, and of the support facts alone where the page is made."""
    assert any(isinstance(step, OrdinalStep) for record in years_records[:SOME] for step in record.trace.steps)
    for record in years_records[:SOME]:
        data = instance_data(untouched(record))
        rows = execute(record.trace, record.evidence).rows
        named = {(name, span_reading(fact.start, fact.end)) for row in rows for name, fact in row.facts.items()}
        named |= {(name, span_reading(fact.start, fact.end)) for name, fact in record.trace.references.items()}
        assert {(name, fact[3]) for fact in data["facts"] for name in fact[4]} == named
        steps = [step for step in record.trace.steps if isinstance(step, PairwiseStep | OrdinalStep)]
        assert [constraint[0] for constraint in data["constraints"]] == [step.constraint for step in steps]
        for step, (_, operator, _, left, right) in zip(steps, data["constraints"], strict=True):
            assert operator == step.operator
            sides = (step.left, step.right) if isinstance(step, PairwiseStep) else (step.fact,)
            for name, places in zip(sides, (left, right), strict=False):
                assert places == [place for place, fact in enumerate(data["facts"]) if name in fact[4]]


def test_the_funnel_has_the_candidates_of_the_trace(years_records: list[BenchmarkRecord]) -> None:
    for record in years_records[:SOME]:
        funnel = instance_data(untouched(record))["funnel"]
        assert [candidates for *_, candidates in funnel] == [step.candidates for step in record.trace.steps]
        for (action, _, text, candidates), sentence in zip(funnel, record.space_search_process, strict=True):
            assert shown(sentence).startswith(f"{action}: {text} | {candidates} candidate")


def test_points_are_dots_and_intervals_of_one_granule_are_not(years_records: list[BenchmarkRecord], years_points: frozenset[str]) -> None:
    """Certain wherever a constraint reads the fact; elsewhere a relation without any longer fact here looks like points."""
    checked = 0
    for record in years_records[:SOME]:
        relations = {name: step.pattern[1] for step in record.trace.steps if hasattr(step, "pattern") for name in (step.fact,)}
        relations |= {name: fact.relation for name, fact in record.trace.references.items()}
        read = {name for step in record.trace.steps if isinstance(step, PairwiseStep) for name in (step.left, step.right)}
        for fact in instance_data(untouched(record))["facts"]:
            for name in read & set(fact[4]):
                assert bool(fact[7]) == (relations[name] in years_points)
                checked += 1
    assert checked > SOME


def test_labels_that_are_names_of_properties_are_only_labels() -> None:
    data = instance_data(untouched(make_record(labels={"Q13": "__proto__", "P39": "constructor"})))
    assert data["answer"] == "__proto__"
    assert {"__proto__", "constructor"} <= set(data["labels"])
