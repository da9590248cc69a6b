"""The evaluator's rules, each on a tiny graph with an expectation worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from state.config import Caps, Rules
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.trace import FilterStep, RootStep, Step, TransitionStep
from state.vocabulary import Family, Template
from tests.brute_force_club import (
    ANA,
    BO,
    CLUB,
    CY,
    DI,
    FAY,
    LABELS,
    MEMBERS,
    PRIZES,
    RELATIONS,
    broken,
    chain,
    club,
    ordinal,
    overlap,
    pairwise,
    trace_of,
    violations,
)
from tests.brute_force_graph import Aside, BruteGraph, Fact
from tests.random_traces import graph_of, record_of, write


def test_a_good_record_with_evidence_written_by_hand_breaks_no_rule() -> None:
    graph = club(Fact("Q7", "P4", "Q8", 1990, 1999))
    evidence = tuple(TemporalFact(subject=f.subject, relation="P3", object="Q9", start=str(f.start), end=str(f.end)) for f in CLUB)
    record = record_of(graph, overlap(graph), "Q3", evidence=evidence[::-1], support_facts=(evidence[2], evidence[0]))
    assert [step.candidates for step in record.trace.steps] == [6, 1]
    assert violations(record, graph) == []


# Grammar.


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((MEMBERS, pairwise(2, "I-overlaps-I", "f1", "g1")), "named"),
        ((MEMBERS, pairwise(1, "P-before-I", "f1", "g1")), "between facts of I-I"),
        ((MEMBERS, pairwise(1, "I-overlaps-I", "g1", "f1")), "binds"),
        ((MEMBERS, pairwise(1, "I-overlaps-I", "f1", "f2")), "binds"),
        ((MEMBERS, pairwise(1, "I-overlaps-I", "f1", "f1")), "not bound later"),
        ((MEMBERS, ordinal(1, "start_rank", 1), pairwise(2, "I-overlaps-I", "f1", "g1")), "out of order"),
        ((MEMBERS, pairwise(1, "I-overlaps-I", "f1", "g1"), ordinal(2, "start_rank", 1), ordinal(3, "end_rank", 1)), "out of order"),
        ((MEMBERS, ordinal(1, "start_rank", 1)), "references"),
        ((PRIZES, ordinal(1, "duration_rank", 1)), "of a point relation"),
        ((MEMBERS, FilterStep(fact="f2", pattern=("?a", "P4", "Q8"), candidates=0), ordinal(1, "start_rank", 1)), "structural_filter"),
        ((pairwise(1, "I-overlaps-I", "f1", "g1"), MEMBERS), "first step"),
        ((RootStep(fact="f2", pattern=("?a", "P3", "Q9"), candidates=0), pairwise(1, "I-overlaps-I", "f2", "g1")), "named f2"),
        ((RootStep(fact="f1", pattern=("?b", "P3", "Q9"), candidates=0), pairwise(1, "I-overlaps-I", "f1", "g1")), "root"),
    ],
)
def test_a_trace_out_of_grammar_is_not_executed(steps: tuple[Step, ...], said: str) -> None:
    graph = club(Fact("Q1", "P1", "Q9", 2000, 2000))
    good = record_of(graph, overlap(graph), "Q3")
    trace = good.trace.model_copy(update={"steps": steps})
    found = violations(good.model_copy(update={"trace": trace}), graph)
    assert found
    assert all(text.startswith("grammar:") for text in found)
    assert any(said in text for text in found)


def test_a_constraint_stands_in_the_stage_of_its_later_fact() -> None:
    graph = chain()
    walk = TransitionStep(fact="f2", pattern=("?a", "P4", "?b"), candidates=0)
    late = trace_of(graph, MEMBERS, walk, pairwise(1, "I-overlaps-I", "f1", "g1"), template=Template.TWO_HOP, g1=ANA)
    assert any("bound earlier" in text for text in violations(record_of(graph, late, "Q13"), graph))
    ranked = trace_of(graph, MEMBERS, walk, ordinal(1, "start_rank", 1, fact="f1"), template=Template.TWO_HOP)
    assert any("bound earlier" in text for text in violations(record_of(graph, ranked, "Q15"), graph))


# Counts, seed, answer.


def test_wrong_counts_and_answers_are_named() -> None:
    graph = club()
    trace = overlap(graph)
    miscounted = trace.model_copy(update={"steps": (trace.steps[0].model_copy(update={"candidates": 5}), trace.steps[1])})
    assert broken(record_of(graph, miscounted, "Q3"), graph) == {"candidates"}
    assert "answer" in broken(record_of(graph, trace, "Q2"), graph)


def test_the_root_has_between_5_and_50_candidates() -> None:
    record = record_of(club(), overlap(club()), "Q3")
    assert broken(record, club(), caps=Caps(seed_min=7)) == {"seed"}
    assert broken(record, club(), caps=Caps(seed_max=5)) == {"seed"}
    assert broken(record, club(), caps=Caps(max_rows=5)) == {"seed"}


# Ordinals.


@pytest.mark.parametrize(
    ("operator", "rank", "order", "answer", "expected"),
    [
        ("start_rank", 1, "ascending", "Q5", set()),
        ("start_rank", 2, "ascending", "Q3", set()),
        ("start_rank", 1, "descending", "Q4", set()),
        ("end_rank", 3, "ascending", "Q2", set()),
        ("duration_rank", 1, "descending", "Q3", set()),
        ("start_rank", 3, "ascending", "Q1", {"ordinals", "answer"}),  # Ana and Bo began in one year
        ("start_rank", 3, "descending", "Q2", {"ordinals", "answer"}),
        ("duration_rank", 2, "ascending", "Q4", {"ordinals", "answer"}),  # Di 4, Bo 4
        ("end_rank", 4, "ascending", "Q1", {"ordinals"}),  # third from the other end
        ("end_rank", 7, "ascending", "Q1", {"ordinals", "answer"}),
    ],
)
def test_ranks_that_a_tie_decides_or_that_count_from_the_far_end_are_refused(
    operator: str, rank: int, order: str, answer: str, expected: set[str]
) -> None:
    graph = club()
    record = record_of(graph, trace_of(graph, MEMBERS, ordinal(1, operator, rank, order)), answer)
    found = broken(record, graph)
    assert found >= expected
    assert found == expected or expected


def test_an_ordinal_ranks_three_facts_at_least_and_one_fact_a_candidate() -> None:
    graph = club()
    two = trace_of(graph, MEMBERS, pairwise(1, "I-after-I", "f1", "g1"), ordinal(2, "start_rank", 1), g1=ANA)
    assert broken(record_of(graph, two, "Q6"), graph) == {"ordinals"}
    spells = club(Fact("Q3", "P3", "Q9", 2020, 2021))
    assert broken(record_of(spells, trace_of(spells, MEMBERS, ordinal(1, "start_rank", 1)), "Q5"), spells) == {"ordinals"}


# References.


def test_a_reference_is_bound_by_a_full_row() -> None:
    elsewhere = Fact("Q1", "P3", "Q8", 1996, 2003)
    graph = club(elsewhere)
    stray = trace_of(graph, MEMBERS, pairwise(1, "I-overlaps-I", "f1", "g1"), g1=elsewhere)
    assert broken(record_of(graph, stray, "Q3"), graph) == {"references"}
    chained = chain()
    dead_end = trace_of(
        chained,
        MEMBERS,
        pairwise(1, "I-before-I", "f1", "g1"),
        TransitionStep(fact="f2", pattern=("?a", "P4", "?b"), candidates=0),
        template=Template.TWO_HOP,
        g1=FAY,
    )
    assert any("bound by no full row" in text for text in violations(record_of(chained, dead_end, "Q12"), chained))


def test_a_reference_has_no_second_spell_kept_or_dropped() -> None:
    spells = club(Fact("Q1", "P3", "Q9", 1950, 1951))
    assert broken(record_of(spells, overlap(spells), "Q3"), spells) == {"references"}
    dropped = club(aside=[Aside("Q1", "P3", "Q9", 1950, 1950, 1951, 1951)])
    assert broken(record_of(dropped, overlap(dropped), "Q3"), dropped) == {"references"}


def test_a_reference_does_not_name_the_answer() -> None:
    root = RootStep(fact="f1", pattern=("Q3", "P3", "?a"), candidates=0)
    facts = [Fact("Q3", "P3", f"Q1{number}", 1990 + number, 1995 + number) for number in range(6)]
    labels = {f"Q1{number}": f"club number {number}" for number in range(6)}
    graph = graph_of([*facts, Fact("Q3", "P3", "Q10", 1960, 1961)], set(), entity_labels=LABELS | labels, relation_labels=RELATIONS)
    trace = trace_of(graph, root, pairwise(1, "I-before-I", "f1", "g1"), g1=facts[0])
    assert broken(record_of(graph, trace, "Q10"), graph) >= {"references"}
    assert any("names Q10" in text for text in violations(record_of(graph, trace, "Q10"), graph))


# Progress, necessity, redundancy.


def test_a_constraint_that_only_removes_its_own_reference_makes_no_progress() -> None:
    last = Fact("Q7", "P3", "Q9", 2015, 2016)
    graph = club(last)
    steps = (pairwise(1, "I-before-I", "f1", "g1"), pairwise(2, "I-overlaps-I", "f1", "g2"))
    found = violations(record_of(graph, trace_of(graph, MEMBERS, *steps, g1=last, g2=ANA), "Q3"), graph)
    assert "progress: c1 removes nothing but its own reference" in found
    assert "temporal necessity: c1 does not matter" in found
    assert "non-redundancy: c2 makes c1 redundant" in found
    assert "evidence reveals: it does not show the loss of c1" in found


def test_a_constraint_that_removes_nothing_makes_no_progress() -> None:
    graph = club()
    steps = (pairwise(1, "I-overlaps-I", "f1", "g1"), pairwise(2, "I-before-I", "f1", "g2"))
    found = violations(record_of(graph, trace_of(graph, MEMBERS, *steps, g1=ANA, g2=DI), "Q3"), graph)
    assert "progress: step 2 leaves 1 of 1" in found
    assert "temporal necessity: c2 does not matter" in found


def test_two_constraints_that_need_each_other_pass() -> None:
    steps = (pairwise(1, "I-after-I", "f1", "g1"), pairwise(2, "I-before-I", "f1", "g2"))
    late = Fact("Q7", "P3", "Q9", 2007, 2009)
    graph = club(late)
    trace = trace_of(graph, MEMBERS, *steps, g1=ANA, g2=late)
    assert broken(record_of(graph, trace, "Q6"), graph) == set()


def test_a_transition_that_leads_to_the_same_entities_is_no_progress() -> None:
    ring = [Fact(f"Q{n}", "P4", f"Q{n % 6 + 1}", 1960 + n, 1961 + n) for n in range(1, 7)]
    graph = club(*ring)
    walk = TransitionStep(fact="f2", pattern=("?a", "P4", "?b"), candidates=0)
    trace = trace_of(graph, MEMBERS, walk, ordinal(1, "start_rank", 1, fact="f2"), template=Template.TWO_HOP)
    assert broken(record_of(graph, trace, "Q2"), graph) == {"progress"}


def branch(*posts: Fact) -> tuple[BruteGraph, BenchmarkRecord]:
    """Who held a post at the city hall and left the club before Di Ash came."""
    graph = club(*posts)
    held = FilterStep(fact="f2", pattern=("?a", "P4", "Q8"), candidates=0)
    trace = trace_of(graph, MEMBERS, held, pairwise(1, "I-overlaps-I", "f1", "g1"), template=Template.BRANCH, g1=ANA)
    return graph, record_of(graph, trace, "Q3")


def test_a_filter_that_does_not_matter_is_named() -> None:
    posts = [Fact(entity, "P4", "Q8", 1950, 1951) for entity in ("Q1", "Q3", "Q4")]
    graph, record = branch(*posts)
    assert broken(record, graph) == {"structural necessity", "evidence reveals"}
    assert broken(record, graph, rules=Rules(structural_necessity=False)) == set()


def test_a_filter_that_decides_passes() -> None:
    posts = [Fact(entity, "P4", "Q8", 1950, 1951) for entity in ("Q1", "Q3", "Q4")]
    graph, record = branch(*posts, Fact("Q7", "P3", "Q9", 1991, 1998))
    assert broken(record, graph) == set()


# Words.


@pytest.mark.parametrize(
    ("labels", "aliases", "expected"),
    [
        ({"Q9": "Cy Moe United"}, {}, {"sayable"}),
        ({"Q9": "Cy Moen United"}, {}, set()),
        ({"Q9": "The Kid United"}, {"Q3": ["The Kid"]}, {"sayable"}),
        ({"Q1": "Brother of CY  MOÉ"}, {}, {"sayable"}),
        ({"Q4": "Cy Móe"}, {}, {"sayable"}),
        ({}, {"Q4": ["cy moe"]}, {"sayable"}),
        ({"Q7": "Ana Roy"}, {}, {"sayable"}),  # a reference's name at the same end elsewhere
        ({"Q8": "F.C. Arn"}, {}, set()),
        ({"Q8": "FC ARN"}, {}, {"sayable"}),  # the anchor's name
        ({"Q2": "Gus Ek"}, {}, set()),  # shared, but neither answer nor named
    ],
)
def test_names_must_tell_entities_apart(labels: dict[str, str], aliases: dict[str, list[str]], expected: set[str]) -> None:
    graph = club(Fact("Q7", "P3", "Q8", 1990, 1991), labels=labels, aliases=aliases)
    assert broken(record_of(graph, overlap(graph), "Q3"), graph) == expected


def test_the_answer_does_not_come_about_in_the_raw_question() -> None:
    graph = club()
    assert broken(record_of(graph, overlap(graph), "Q3", raw_question="Who, cy moe?"), graph) == {"sayable"}
    assert broken(record_of(graph, overlap(graph), "Q3", raw_question="Who, cy moen?"), graph) == set()


# Readable.


def test_constraints_are_few() -> None:
    graph = club()
    assert broken(record_of(graph, overlap(graph), "Q3"), graph, max_constraints=0) == {"readable"}


def test_a_fact_has_one_equality_reference() -> None:
    twins = [Fact("Q7", "P3", "Q9", 1990, 1999), Fact("Q8", "P3", "Q9", 1990, 1999)]
    graph = club(*twins)
    steps = (pairwise(1, "I-equals-I", "f1", "g1"), pairwise(2, "I-equals-I", "f1", "g2"))
    found = violations(record_of(graph, trace_of(graph, MEMBERS, *steps, g1=twins[0], g2=twins[1]), "Q3"), graph)
    assert "readable: 2 equality references of f1" in found


def test_no_entity_occurs_twice_in_a_row_left_at_the_end() -> None:
    posts = [Fact(entity, "P4", "Q9", 1950, 1951) for entity in ("Q1", "Q3", "Q4")]
    graph = club(*posts, Fact("Q7", "P3", "Q9", 1991, 1998))
    held = FilterStep(fact="f2", pattern=("?a", "P4", "Q9"), candidates=0)
    trace = trace_of(graph, MEMBERS, held, pairwise(1, "I-overlaps-I", "f1", "g1"), template=Template.BRANCH, g1=ANA)
    assert broken(record_of(graph, trace, "Q3"), graph) == {"readable"}


def test_a_fact_that_is_read_has_no_second_spell() -> None:
    graph = club(Fact("Q3", "P3", "Q9", 2020, 2021))
    assert broken(record_of(graph, overlap(graph), "Q3"), graph) == {"readable"}


def test_a_spell_of_a_row_that_does_not_remain_is_no_harm() -> None:
    graph = club(Fact("Q4", "P3", "Q9", 2020, 2021))
    assert broken(record_of(graph, overlap(graph), "Q3"), graph) == set()


def test_meta_entities_are_not_named() -> None:
    graph = club(labels={"Q9": "occurrence"})
    assert broken(record_of(graph, overlap(graph), "Q3"), graph) == {"readable"}


def test_a_chain_passes_and_needs_two_full_walks() -> None:
    walk = TransitionStep(fact="f2", pattern=("?a", "P4", "?b"), candidates=0)
    steps = (MEMBERS, walk, pairwise(1, "I-meets-I", "f1", "f2"))
    graph = chain()
    assert broken(record_of(graph, trace_of(graph, *steps, template=Template.TWO_HOP), "Q13"), graph) == set()
    single = club(Fact("Q3", "P4", "Q8", 1999, 2002))
    found = violations(record_of(single, trace_of(single, *steps, template=Template.TWO_HOP), "Q8"), single)
    assert "readable: fewer than two root candidates have a full walk" in found


def test_operators_read_plainly_give_the_same_answer() -> None:
    meeting = Fact("Q7", "P3", "Q9", 1990, 1996)
    trace = trace_of(club(meeting), MEMBERS, pairwise(1, "I-meets-I", "f1", "g1"), g1=ANA)
    assert broken(record_of(club(meeting), trace, "Q7"), club(meeting)) == set()
    graph = club(meeting, Fact("Q8", "P3", "Q9", 1996, 1996))
    trace = trace_of(graph, MEMBERS, pairwise(1, "I-meets-I", "f1", "g1"), g1=ANA)
    assert broken(record_of(graph, trace, "Q7"), graph) == {"plain reading"}


# Evidence, support, fields.


def test_evidence_is_exact() -> None:
    graph = club(Fact("Q7", "P4", "Q8", 1990, 1999))
    good = record_of(graph, overlap(graph), "Q3")
    missing = good.model_copy(update={"evidence": tuple(fact for fact in good.evidence if fact.subject != "Q5")})
    assert broken(missing, graph) == {"evidence"}
    extra = good.model_copy(update={"evidence": (*good.evidence, write(Fact("Q7", "P4", "Q8", 1990, 1999)))})
    assert "evidence" in broken(extra, graph)
    twice = good.model_copy(update={"evidence": (*good.evidence, good.evidence[0])})
    assert broken(twice, graph) == {"evidence"}
    assert broken(good, graph, max_facts=5) == {"evidence"}


def test_evidence_of_the_answer_alone_reveals_nothing() -> None:
    graph = club()
    good = record_of(graph, overlap(graph), "Q3")
    thin = good.model_copy(update={"evidence": tuple(fact for fact in good.evidence if fact.subject in ("Q1", "Q3"))})
    assert broken(thin, graph) == {"evidence", "evidence reveals"}


def test_support_is_the_final_rows_and_the_references() -> None:
    graph = club()
    good = record_of(graph, overlap(graph), "Q3")
    assert broken(good.model_copy(update={"support_facts": (write(CY),)}), graph) == {"support"}
    assert broken(good.model_copy(update={"support_facts": (write(CY), write(ANA), write(BO))}), graph) == {"support"}


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "small-0123"},
        {"id": "other-0123456789ab"},
        {"hop_count": 2},
        {"operators": ("I-during-I",)},
        {"families": (Family.P_P,)},
        {"answer_aliases": ("Someone",)},
        {"answer": "Cy"},
        {"labels": {"Q3": "Cy Moe"}},
        {"structure_hint": "no names"},
    ],
)
def test_the_other_fields_say_what_the_trace_says(changes: dict[str, Any]) -> None:
    graph = club()
    assert broken(record_of(graph, overlap(graph), "Q3").model_copy(update=changes), graph) == {"record"}
