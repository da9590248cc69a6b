"""Damage to free questions: what is exchanged is what was meant, and doubtful questions are left alone."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import NamedTuple

import pytest

from agents.names import spans, tokens
from benchmarks.verifier_rates import Register, word
from evaluation.damage.final_damage import FinalDamage, final_damages
from evaluation.damage.trace_damage import random_stream
from graph_sampler.operators import BY_NAME
from state.instance import BenchmarkRecord
from state.study import DamageKind
from state.trace import OrdinalStep, PairwiseStep, RootStep, StructuralStep, Trace
from state.vocabulary import Family, RankOrder, Template
from tests.brute_force_execution import execute
from tests.evidence_graph import evidence_graph, references_of
from tests.sample_record import HOLDERS, make_record
from tests.shipped_sample import first

OFFICE = "Mayor of Arn"
LAST = f"Q{10 + len(HOLDERS)}"


class Case(NamedTuple):
    record: BenchmarkRecord
    question: str
    found: list[FinalDamage]


@pytest.fixture(scope="module")
def cases(years_records: list[BenchmarkRecord], years_points: frozenset[str]) -> list[Case]:
    sampled = first(120, years_records, years_points)
    made = []
    for record in sampled.records:
        question = word(record.raw_question, record, Register.REWRITTEN)
        made.append(Case(record, question, final_damages(record, question, sampled.points, random_stream(0, record.id))))
    return made


def single(step: PairwiseStep | OrdinalStep, reference: str | None, answer: str, labels: Mapping[str, str]) -> BenchmarkRecord:
    """The invented record with one constraint of its own."""
    record = make_record(labels=labels)
    facts = {fact.subject: fact for fact in record.evidence}
    trace = Trace(
        template=Template.ONE_HOP,
        answer_variable="?a",
        steps=(RootStep(fact="f1", pattern=("?a", "P39", "Q1"), candidates=5), step),
        references={} if reference is None else {"g1": facts[reference]},
    )
    family = BY_NAME[step.operator].family if isinstance(step, PairwiseStep) else Family.ORDINAL
    update = {
        "trace": trace, "answer_id": answer, "answer": record.labels[answer], "answer_aliases": (), "temporal_constraint_count": 1,
        "temporal_constraints": record.temporal_constraints[:1], "families": (family,), "operators": (step.operator,),
        "support_facts": (facts[answer],),
    }  # fmt: skip
    return BenchmarkRecord.model_validate(record.model_copy(update=update).model_dump())


def after_the_fourth(**labels: str) -> BenchmarkRecord:
    """Who held the office after Q14 did: Q15."""
    return single(PairwiseStep(constraint="c1", operator="I-after-I", left="f1", right="g1", candidates=1), "Q14", LAST, labels)


def ranked(rank: int, order: RankOrder, answer: str, operator: str = "start_rank") -> BenchmarkRecord:
    return single(OrdinalStep(constraint="c1", operator=operator, fact="f1", rank=rank, order=order, candidates=1), None, answer, {})


def found(record: BenchmarkRecord, question: str, seed: int = 0) -> dict[DamageKind, FinalDamage]:
    return {one.damage.kind: one for one in final_damages(record, question, (), Random(seed))}


def test_the_sample_shows_each_kind_that_can_be_done_by_text(cases: list[Case]) -> None:
    kinds = {one.damage.kind for case in cases for one in case.found}
    assert kinds >= {DamageKind.SWAPPED, DamageKind.REVERSED}
    assert kinds <= {DamageKind.SWAPPED, DamageKind.REVERSED, DamageKind.REPLACED}
    assert sum(len(case.found) for case in cases) >= 50


def test_the_damaged_trace_names_another_set_as_the_brute_force_confirms(cases: list[Case]) -> None:
    for record, _, damaged in cases:
        graph = evidence_graph(record)
        for one in damaged:
            trace = one.damage.trace
            assert Trace.model_validate(trace.model_dump()) == trace
            run = execute(graph, trace, references_of(trace))
            assert run.answers == one.damage.answers != {record.answer_id}


def test_a_swapped_reference_is_named_by_the_question_and_the_old_name_is_gone(cases: list[Case]) -> None:
    for record, question, damaged in cases:
        for one in damaged:
            if one.damage.kind is DamageKind.SWAPPED:
                [(old, new)] = changed_references(record.trace, one.damage.trace)
                [(gone, fresh)] = [
                    (record.labels[a], record.labels[b]) for a, b in ((old[0], new[0]), (old[2], new[2])) if a != b
                ]  # fmt: skip
                assert old[1] == new[1]
                assert len(spans(tokens(gone), tokens(question))) == 1
                assert not spans(tokens(gone), tokens(one.question)) or spans(tokens(gone), tokens(fresh))
                assert len(spans(tokens(fresh), tokens(one.question))) == 1
                assert not spans(tokens(fresh), tokens(question))
                assert not spans(tokens(record.answer), tokens(one.question))
                assert one.question.replace(fresh, gone) == question


def patterns(trace: Trace) -> list[tuple[str, str, str]]:
    return [step.pattern for step in trace.steps if isinstance(step, StructuralStep)]


def changed_references(before: Trace, after: Trace) -> list[tuple[tuple[str, str, str], tuple[str, str, str]]]:
    pairs = [(before.references[name], after.references[name]) for name in before.references]
    return [((a.subject, a.relation, a.object), (b.subject, b.relation, b.object)) for a, b in pairs if a != b]


def test_one_word_is_exchanged_where_the_order_is_reversed_or_the_rank_another(cases: list[Case]) -> None:
    for record, question, damaged in cases:
        for one in damaged:
            if one.damage.kind is not DamageKind.SWAPPED:
                assert record.temporal_constraint_count == 1
                differences = [(a, b) for a, b in zip(question.split(), one.question.split(), strict=True) if a != b]
                assert len(differences) == 1
                assert patterns(one.damage.trace) == patterns(record.trace)


HOSTILE = [
    'Jo "Jay" Roe', "A|B", "C++", "a.b*c+(d)[e]{f}^$", r"back\1slash \g<0>", "O'Neill", "Smith & Sons, Ltd.", "Naïve Ω", "x - y", "100 %",
]  # fmt: skip


@pytest.mark.parametrize("label", HOSTILE)
def test_a_hostile_label_is_exchanged_and_comes_in_as_it_is(label: str) -> None:
    question = "Who was {} after {} was {}?"
    gone = after_the_fourth(Q14=label)
    text = question.format(OFFICE, label, "it")
    assert {found(gone, text, seed)[DamageKind.SWAPPED].question for seed in range(12)} == {
        question.format(OFFICE, name, "it") for name in HOLDERS[:3]
    }
    come = after_the_fourth(Q11=label)
    texts = {found(come, question.format(OFFICE, "Cy Moe", "it"), seed)[DamageKind.SWAPPED].question for seed in range(12)}
    assert question.format(OFFICE, label, "it") in texts


def test_look_alike_names_are_told_apart() -> None:
    texts = {
        found(after_the_fourth(Q14="Niger", Q11="Nigeria"), f"Who was {OFFICE} after Niger was?", seed)[DamageKind.SWAPPED].question
        for seed in range(12)
    }
    assert f"Who was {OFFICE} after Nigeria was?" in texts
    other_way = after_the_fourth(Q14="Nigeria", Q11="Niger")
    texts = {found(other_way, f"Who was {OFFICE} after Nigeria was?", seed)[DamageKind.SWAPPED].question for seed in range(12)}
    assert f"Who was {OFFICE} after Niger was?" in texts


@pytest.mark.parametrize(
    ("labels", "question"),
    [
        ({"Q14": "Niger", "Q11": "Niger Delta"}, f"Who was {OFFICE} after Niger Delta was?"),
        ({"Q14": "Niger"}, f"Who was {OFFICE} after Niger was, and was not Niger?"),
        ({"Q14": "Niger"}, f"Who was {OFFICE} after NIGER was?"),
        ({"Q14": "Niger"}, f"Who was {OFFICE} after the Niger-Benue was?"),
        ({"Q14": "Arn"}, f"Who was {OFFICE} after that?"),
        ({"Q14": OFFICE}, f"Who was {OFFICE} after that?"),
        ({"Q14": "Cyrus Moelin"}, f"Who was {OFFICE} after Cyrus Moelin was, Moelin being the one meant?"),
        ({"Q14": "|"}, f"Who was {OFFICE} after | was?"),
    ],
    ids=[
        "inside another name",
        "twice",
        "spelt otherwise",
        "part of a word",
        "inside the office",
        "the office",
        "cited in part",
        "no word",
    ],
)
def test_a_name_that_does_not_stand_alone_is_left(labels: dict[str, str], question: str) -> None:
    assert DamageKind.SWAPPED not in found(after_the_fourth(**labels), question)


def test_a_name_that_tells_the_answer_or_is_not_alone_in_its_words_does_not_come_in() -> None:
    question = f"Who was {OFFICE} after Cy Moe was?"
    texts = {found(after_the_fourth(Q11="Young Eva Dunn"), question, seed)[DamageKind.SWAPPED].question for seed in range(12)}
    assert not any("Eva Dunn" in text for text in texts)
    texts = {found(after_the_fourth(Q11="Bo Lind"), question, seed)[DamageKind.SWAPPED].question for seed in range(12)}
    assert texts == {f"Who was {OFFICE} after Ana Roy was?"}
    texts = {found(after_the_fourth(Q11="Mayor"), question, seed)[DamageKind.SWAPPED].question for seed in range(12)}
    assert texts == {f"Who was {OFFICE} after {name} was?" for name in HOLDERS[1:3]}


def test_the_one_cue_is_exchanged_and_the_operator_with_it() -> None:
    damaged = found(after_the_fourth(), f"After Cy Moe, who was {OFFICE}?")[DamageKind.REVERSED]
    assert damaged.question == f"Before Cy Moe, who was {OFFICE}?"
    assert [step.operator for step in damaged.damage.trace.steps if isinstance(step, PairwiseStep)] == ["I-before-I"]
    assert damaged.damage.answers == {"Q11", "Q12", "Q13"}


@pytest.mark.parametrize(
    "question",
    [
        f"Who was {OFFICE} after Cy Moe and before tea?",
        f"Who was {OFFICE} later than Cy Moe?",
        f"Who, not before Cy Moe, was {OFFICE}?",
        f"Who was {OFFICE} after and later than Cy Moe?",
        f"Who was in the afternoon {OFFICE}, Cy Moe aside?",
    ],
)
def test_an_order_that_is_not_in_one_cue_alone_is_left(question: str) -> None:
    assert DamageKind.REVERSED not in found(after_the_fourth(), question)


def test_a_cue_inside_a_name_is_left() -> None:
    record = after_the_fourth(Q14="Before Sunrise")
    assert DamageKind.REVERSED not in found(record, f"Who came next as {OFFICE} to Before Sunrise?")
    assert DamageKind.REVERSED not in found(record, f"Who was {OFFICE} when BEFORE SUNRISE was gone?")


def test_a_constraint_of_another_kind_is_not_reversed_by_a_cue() -> None:
    step = PairwiseStep(constraint="c1", operator="I-equals-I", left="f1", right="g1", candidates=1)
    record = single(step, "Q14", LAST, {})
    assert DamageKind.REVERSED not in found(record, f"Who was {OFFICE} after Cy Moe?")


@pytest.mark.parametrize(
    ("rank", "order", "answer", "old", "new", "named"),
    [
        (1, RankOrder.ASCENDING, "Q11", "first", "last", "Q15"),
        (1, RankOrder.DESCENDING, "Q15", "Last", "First", "Q11"),
        (1, RankOrder.ASCENDING, "Q11", "earliest", "latest", "Q15"),
        (1, RankOrder.DESCENDING, "Q15", "LATEST", "EARLIEST", "Q11"),
        (2, RankOrder.ASCENDING, "Q12", "second", "third", "Q13"),
        (3, RankOrder.ASCENDING, "Q13", "third", "second", "Q12"),
    ],
)
def test_the_one_rank_word_is_exchanged(rank: int, order: RankOrder, answer: str, old: str, new: str, named: str) -> None:
    damaged = found(ranked(rank, order, answer), f"Who was the {old} {OFFICE}?")
    kind = DamageKind.REPLACED if rank > 1 else DamageKind.REVERSED
    assert damaged[kind].question == f"Who was the {new} {OFFICE}?"
    assert damaged[kind].damage.answers == {named}


@pytest.mark.parametrize(
    ("rank", "order", "answer", "question"),
    [
        (2, RankOrder.DESCENDING, "Q14", f"Who was the second-to-last {OFFICE}?"),
        (2, RankOrder.DESCENDING, "Q14", f"Who was the second most recent {OFFICE}?"),
        (2, RankOrder.DESCENDING, "Q14", f"Counting from the newest, who was the second {OFFICE}?"),
        (2, RankOrder.DESCENDING, "Q14", f"Who was the last {OFFICE} but one?"),
        (1, RankOrder.DESCENDING, "Q15", f"Who was the first {OFFICE}?"),
        (4, RankOrder.ASCENDING, "Q14", f"Who was the fourth {OFFICE}?"),
        (1, RankOrder.ASCENDING, "Q11", f"Who was the first {OFFICE}, ahead of the 2nd?"),
        (1, RankOrder.ASCENDING, "Q11", f"Who was the longest {OFFICE}?"),
    ],
)
def test_a_rank_that_is_not_in_one_word_alone_is_left(rank: int, order: RankOrder, answer: str, question: str) -> None:
    assert found(ranked(rank, order, answer), question) == {}


def test_a_rank_word_inside_a_name_is_left() -> None:
    record = ranked(1, RankOrder.ASCENDING, "Q11")
    named = record.model_copy(update={"labels": {**record.labels, "Q1": "First Mayor"}})
    assert found(named, "Who became First Mayor in the beginning?") == {}
