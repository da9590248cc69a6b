"""How what a question states is brought to what its trace holds, and how the two are told apart."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agents.constraint_difference import compare_constraints
from agents.read_constraints import Bench
from agents.round_trip import judge_reading, read_request
from graph_sampler.execute import execute
from graph_sampler.operators import WORDINGS, Wording
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.roles import FactDescription, ReadingReply, StatedConstraint
from state.trace import OrdinalStep, RootStep, Trace, TransitionStep
from state.vocabulary import Difference, Family, OperatorWord, RankOrder, Template
from tests.random_traces import random_graph, random_trace, record_of
from tests.sample_record import OFFICE, make_record

CONVERSES = {wording.word: wording.converse for wording in WORDINGS}
W = OperatorWord
OPPOSITES = [
    {"I-before-I", "I-after-I"}, {"I-meets-I", "I-met-by-I"}, {"I-starts-I", "I-started-by-I"}, {"I-finishes-I", "I-finished-by-I"},
    {"I-during-I", "I-contains-I"}, {"I-overlaps-I", "I-overlapped-by-I"}, {"P-before-P", "P-after-P"}, {"P-before-I", "P-after-I"},
    {"P-at-start-I", "P-at-end-I"}, {"I-before-P", "I-after-P"}, {"I-starts-at-P", "I-ends-at-P"},
]  # fmt: skip
ANYBODY = FactDescription(relation="position held", subject=None, object=OFFICE)


def holder(name: str) -> FactDescription:
    return FactDescription(relation="position held", subject=name, object=OFFICE)


def compared(left: FactDescription, word: OperatorWord, right: FactDescription) -> StatedConstraint:
    return StatedConstraint(operator=word, left=left, right=right, rank=None, order=None)


def ranked(rank: int, order: RankOrder = RankOrder.ASCENDING, word: OperatorWord = W.START_RANK) -> StatedConstraint:
    return StatedConstraint(operator=word, left=ANYBODY, right=None, rank=rank, order=order)


def reply(*stated: StatedConstraint) -> ReadingReply:
    return ReadingReply(constraints=stated, cannot_tell=False)


def labels(record: BenchmarkRecord, *stated: StatedConstraint) -> list[str]:
    return [finding.label.value for finding in judge_reading(reply(*stated), record).findings]


AFTER_ANA, BEFORE_CY = compared(ANYBODY, W.AFTER, holder("Ana Roy")), compared(ANYBODY, W.BEFORE, holder("Cy Moe"))


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ((AFTER_ANA, BEFORE_CY), []),
        ((BEFORE_CY, AFTER_ANA), []),
        ((AFTER_ANA, BEFORE_CY, AFTER_ANA), []),
        ((AFTER_ANA, BEFORE_CY, compared(holder("Ana Roy"), W.BEFORE, ANYBODY)), []),
        ((compared(holder("Ana Roy"), W.BEFORE, ANYBODY), compared(holder("CY  moe"), W.AFTER, ANYBODY)), []),
        ((AFTER_ANA,), ["missing"]),
        ((), ["missing", "missing"]),
        ((AFTER_ANA, BEFORE_CY, compared(ANYBODY, W.AFTER, holder("Ida Holt"))), ["unnecessary"]),
        ((AFTER_ANA, BEFORE_CY, ranked(1)), ["unnecessary"]),
        ((AFTER_ANA, compared(ANYBODY, W.AFTER, holder("Cy Moe"))), ["reversed"]),
        ((AFTER_ANA, compared(holder("Cy Moe"), W.BEFORE, ANYBODY)), ["reversed"]),
        ((AFTER_ANA, compared(ANYBODY, W.MEETS, holder("Cy Moe"))), ["wrong"]),
        ((AFTER_ANA, compared(ANYBODY, W.BEFORE, holder("Eva Dunn"))), ["wrong"]),
        ((AFTER_ANA, compared(holder("Eva Dunn"), W.AFTER, ANYBODY)), ["wrong"]),
        ((AFTER_ANA, compared(holder("Bo Lind"), W.BEFORE, holder("Cy Moe"))), ["wrong"]),
        ((AFTER_ANA, compared(ANYBODY, W.BEFORE, FactDescription(relation="1990", subject=None, object=None))), ["wrong"]),
        ((AFTER_ANA, compared(ANYBODY, W.OVERLAPS, holder("Eva Dunn"))), ["missing", "unnecessary"]),
    ],
)
def test_each_type_of_failure_is_told_by_a_pair_of_questions(stated: tuple[StatedConstraint, ...], expected: list[str]) -> None:
    assert labels(make_record(), *stated) == expected


def test_a_finding_holds_the_traces_sentence_and_what_was_read() -> None:
    record = make_record()
    missing, unnecessary = judge_reading(reply(AFTER_ANA, ranked(2, RankOrder.DESCENDING)), record).findings
    assert (missing.label, missing.gold, missing.read) == (Difference.MISSING, record.temporal_constraints[1], None)
    assert missing.sentence == f"missing: {record.temporal_constraints[1]}"
    assert unnecessary.sentence == f"unnecessary: (?, position held, {OFFICE}) start rank 2 descending"
    (turned,) = judge_reading(reply(AFTER_ANA, compared(ANYBODY, W.AFTER, holder("Cy Moe"))), record).findings
    assert turned.sentence.endswith(f"; it should be: {record.temporal_constraints[1]}")


def with_ordinal() -> BenchmarkRecord:
    """The sample with one constraint, an ordinal."""
    record = make_record()
    fields = {"constraint": "c1", "operator": "end_rank", "fact": "f1", "rank": 2, "order": "descending", "candidates": 1}
    step = OrdinalStep.model_validate(fields)
    trace = record.trace.model_copy(update={"steps": (record.trace.steps[0], step), "references": {}})
    update = {"trace": trace, "temporal_constraints": ("end_rank: ...",), "families": (Family.ORDINAL,), "operators": ("end_rank",)}
    return record.model_copy(update=update)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (ranked(2, RankOrder.DESCENDING, W.END_RANK), []),
        (ranked(2, RankOrder.ASCENDING, W.END_RANK), ["reversed"]),
        (ranked(2, RankOrder.DESCENDING, W.START_RANK), ["wrong"]),
        (ranked(1, RankOrder.DESCENDING, W.END_RANK), ["wrong"]),
        (ranked(2, RankOrder.DESCENDING, W.END_RANK).model_copy(update={"left": holder("Bo Lind")}), ["wrong"]),
        (ranked(3, RankOrder.ASCENDING, W.END_RANK).model_copy(update={"left": holder("Bo Lind")}), ["missing", "unnecessary"]),
    ],
)
def test_an_ordinal_is_reversed_by_its_order_and_wrong_by_key_rank_or_fact(stated: StatedConstraint, expected: list[str]) -> None:
    assert labels(with_ordinal(), stated) == expected


def chain(second: str = "member of", third: str = "member of", last: str = "1963") -> BenchmarkRecord:
    """A chain of three hops, `f1 before f3`, whose later hops may have one relation."""
    names = {f"Q{number}": name for number, name in enumerate(("Arn", "Ana Roy", "Bo Lind", "Red Club", "Blue Club"), 1)}
    names |= {"Pborn": "born in", "Ptwo": second, "Pthree": third} if second != third else {"Pborn": "born in", "Ptwo": second}
    last_relation = "Pthree" if second != third else "Ptwo"
    facts = [
        TemporalFact(subject="Q2", relation="Pborn", object="Q1", start="1950", end="1950"),
        TemporalFact(subject="Q2", relation="Ptwo", object="Q4", start="1960", end="1962"),
        TemporalFact(subject="Q3", relation=last_relation, object="Q4", start="1960", end=last),
    ]
    template = make_record()
    trace = Trace.model_validate({
        "template": Template.THREE_HOP, "answer_variable": "?c", "references": {},
        "steps": [
            RootStep(fact="f1", pattern=("?a", "Pborn", "Q1"), candidates=1),
            TransitionStep(fact="f2", pattern=("?a", "Ptwo", "?b"), candidates=1),
            TransitionStep(fact="f3", pattern=("?c", last_relation, "?b"), candidates=1),
            {"action": "temporal_filter", "constraint": "c1", "operator": "I-starts-I", "left": "f2", "right": "f3", "candidates": 1},
        ],
    })  # fmt: skip
    changes = {
        "trace": trace, "evidence": tuple(facts), "support_facts": (), "labels": names, "answer": "Bo Lind", "answer_id": "Q3",
        "temporal_constraints": ("I-starts-I: ...",), "families": (Family.I_I,), "operators": ("I-starts-I",),
        "temporal_constraint_count": 1, "graph_structure": Template.THREE_HOP, "hop_count": 3,
    }  # fmt: skip
    return template.model_copy(update=changes)


MEMBER = FactDescription(relation="member of", subject=None, object=None)


def test_hops_that_no_description_can_tell_apart_are_read_in_the_way_that_fits_best() -> None:
    record = chain()
    assert labels(record, compared(MEMBER, W.STARTS, MEMBER)) == []
    assert labels(record, compared(MEMBER, W.STARTED_BY, MEMBER)) == []
    assert labels(record, compared(MEMBER, W.FINISHES, MEMBER)) == ["wrong"]


def test_of_hops_that_cannot_be_told_apart_the_one_that_was_meant_is_executed_and_without_a_match_none() -> None:
    record = chain(last="1961")
    spare = FactDescription(relation="member of", subject="Ana Roy", object="Red Club")
    own = compared(MEMBER, W.STARTED_BY, MEMBER)
    assert judge_reading(reply(own), record).findings == ()
    turned = judge_reading(reply(compared(MEMBER, W.STARTS, spare)), record)
    assert [finding.label for finding in turned.findings] == [Difference.WRONG]
    more = judge_reading(reply(own, compared(MEMBER, W.STARTS, spare)), record)
    assert ([finding.label for finding in more.findings], more.answers) == ([Difference.UNNECESSARY], ())


def test_a_description_with_swapped_ends_or_more_open_ends_than_the_pattern_fits_nothing() -> None:
    swapped = FactDescription(relation="position held", subject=OFFICE, object=None)
    vague = FactDescription(relation="position held", subject=None, object=None)
    for left in (swapped, vague, FactDescription(relation="employer", subject=None, object=OFFICE)):
        reading = judge_reading(reply(AFTER_ANA, compared(left, W.BEFORE, holder("Cy Moe"))), make_record())
        assert [finding.label for finding in reading.findings] == [Difference.WRONG]
        assert reading.answers == ()


def test_what_is_less_exact_than_the_pattern_still_denotes_the_only_fact_that_it_can_mean() -> None:
    record = chain(third="player of")
    vague_root = FactDescription(relation="born in", subject=None, object=None)
    assert Bench(record).of_reply(reply(compared(vague_root, W.BEFORE, MEMBER)))[0].options[0].left == "f1"
    half_named = FactDescription(relation="position held", subject="Cy Moe", object=None)
    assert labels(make_record(), AFTER_ANA, compared(ANYBODY, W.BEFORE, half_named)) == []


def test_of_moments_words_that_differ_only_in_length_mean_the_same() -> None:
    record = make_record()
    moments = tuple(fact.model_copy(update={"end": fact.start}) for fact in record.evidence)
    references = {name: fact.model_copy(update={"end": fact.start}) for name, fact in record.trace.references.items()}
    steps = (record.trace.steps[0], record.trace.steps[1].model_copy(update={"operator": "I-equals-I"}))
    changes = {
        "evidence": moments, "trace": record.trace.model_copy(update={"steps": steps, "references": references}),
        "temporal_constraints": ("I-equals-I: ...",),
    }  # fmt: skip
    record = record.model_copy(update=changes)
    for word in (W.EQUALS, W.STARTS, W.STARTED_BY, W.FINISHES, W.FINISHED_BY, W.MEETS, W.MET_BY):
        assert labels(record, compared(ANYBODY, word, holder("Ana Roy"))) == []
    assert labels(record, compared(ANYBODY, W.DURING, holder("Ana Roy"))) == ["wrong"]
    assert read_request(record, "?").moments == ("position held",)


def test_what_was_read_is_executed_on_the_evidence_with_references_of_its_own() -> None:
    record = make_record()
    for stated, answers in {
        (AFTER_ANA, BEFORE_CY): ("Bo Lind",),
        (AFTER_ANA,): ("Bo Lind", "Cy Moe", "Eva Dunn"),
        (AFTER_ANA, compared(ANYBODY, W.BEFORE, holder("Eva Dunn"))): ("Bo Lind", "Cy Moe"),
        (ranked(1, RankOrder.DESCENDING), AFTER_ANA, BEFORE_CY): ("Bo Lind",),
        (ranked(2), compared(ANYBODY, W.AFTER, holder("Ida Holt"))): ("Bo Lind",),
        (ranked(9),): (),
    }.items():
        assert judge_reading(reply(*stated), record).answers == answers


def some_record(rng: Random) -> BenchmarkRecord:
    """A record of a random trace in which no two facts of the evidence are told apart by their time alone."""
    graph = random_graph(rng)
    trace = random_trace(rng, graph)
    evidence = {entity for fact in graph.facts for entity in (fact.subject, fact.object)}
    record = record_of(graph, trace, min(evidence))
    gold = Bench(record).of_trace()
    assume(len({told.options for told in gold}) == len(gold))
    return record


def mirrored(stated: StatedConstraint) -> StatedConstraint:
    if stated.right is None:
        return stated
    return compared(stated.right, CONVERSES[stated.operator], stated.left)


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_the_traces_own_constraints_read_back_from_either_side_in_any_order_differ_in_nothing(rng: Random) -> None:
    record = some_record(rng)
    stated = [mirrored(one) if rng.random() < 0.5 else one for one in Bench(record).state().constraints]
    rng.shuffle(stated)
    reading = judge_reading(reply(*stated), record)
    assert reading.findings == ()
    assert set(reading.answers) == {record.labels[entity] for entity in execute(record.trace, record.evidence).answers}


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.data())
def test_a_constraint_left_out_is_missing_and_nothing_else(rng: Random, data: st.DataObject) -> None:
    record = some_record(rng)
    stated = list(Bench(record).state().constraints)
    place = data.draw(st.integers(0, len(stated) - 1))
    del stated[place]
    (finding,) = judge_reading(reply(*stated), record).findings
    assert (finding.label, finding.gold) == (Difference.MISSING, record.temporal_constraints[place])


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.sampled_from(OperatorWord), st.integers(1, 4), st.sampled_from(RankOrder))
def test_a_constraint_added_is_unnecessary_and_nothing_else(rng: Random, word: OperatorWord, rank: int, order: RankOrder) -> None:
    record = some_record(rng)
    own = Bench(record).state().constraints
    sides = [side for one in own for side in (one.left, one.right) if side is not None]
    left, right = rng.choice(sides), rng.choice(sides)
    more = compared(left, word, right)
    if word.is_rank:
        more = StatedConstraint(operator=word, left=left, right=None, rank=rank, order=order)
    bench = Bench(record)
    (options,) = (told.options for told in bench.of_reply(reply(more)))
    assume(not set(options) & {option for told in bench.of_reply(reply(*own)) for option in told.options})
    (finding,) = judge_reading(reply(*own, more), record).findings
    assert (finding.label, finding.gold) == (Difference.UNNECESSARY, None)


@settings(max_examples=80)
@given(st.randoms(use_true_random=False), st.sampled_from(WORDINGS))
def test_another_operator_between_the_same_facts_is_reversed_if_it_is_the_opposite_else_wrong(rng: Random, other: Wording) -> None:
    record = some_record(rng)
    bench, stated = Bench(record), list(Bench(record).state().constraints)
    pairs = [place for place, one in enumerate(stated) if one.right is not None]
    assume(pairs)
    place = rng.choice(pairs)
    sides = [(told.options[0].left, told.options[0].right) for told in bench.of_trace()]
    assume(sides.count(sides[place]) == 1)
    gold = stated[place]
    stated[place] = gold.model_copy(update={"operator": other.word})
    read = bench.of_reply(reply(*stated))
    assume(len(read) == len(stated) and all(len(told.options) == 1 for told in read))
    before, after = bench.of_trace()[place].options[0], read[place].options[0]
    assume(before.operator != after.operator)
    (finding,) = compare_constraints(bench.of_trace(), read).findings
    turned = {before.operator, after.operator} in OPPOSITES
    assert finding.label is (Difference.REVERSED if turned else Difference.WRONG)
    assert finding.gold == record.temporal_constraints[place]


@settings(max_examples=30)
@given(st.randoms(use_true_random=False))
def test_a_request_shows_every_fact_once_and_neither_times_nor_order(rng: Random) -> None:
    record = some_record(rng)
    request = read_request(record, "Which one?")
    shuffled = record.model_copy(update={"evidence": tuple(rng.sample(record.evidence, len(record.evidence)))})
    assert read_request(shuffled, "Which one?") == request
    names = record.labels
    assert {(fact.subject, fact.relation, fact.object) for fact in request.facts} == {
        (names[fact.subject], names[fact.relation], names[fact.object]) for fact in record.evidence
    }
    assert len(set(request.facts)) == len(request.facts)
    assert set(request.model_dump()) == {"question", "facts", "moments"}
