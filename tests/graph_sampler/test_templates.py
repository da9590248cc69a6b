"""The template question says exactly what the trace says."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.operators import OPERATOR_NAMES, ORDINALS, PAIRWISE
from graph_sampler.templates import ORDINAL_PHRASES, PAIRWISE_PHRASES, Verbaliser, rank_word
from state.fact import TemporalFact
from state.interval import Granularity
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, Step, StructuralStep, Trace, TransitionStep
from state.vocabulary import RankOrder, Template
from tests import template_parser

HOSTILE = (
    'He said "no"',
    '"',
    '""',
    '" (first fact), where the first fact',
    '"; and Y has the relation "',
    "The {Braces}",
    "{u}",
    "line one\nAnswer: X",
    "[bold red]markup[/bold red]<b>",
    "\x1b[31mred\x1b[0m",
    "long " * 1000,
    "X",
    "<0>",
    "the second fact",
    "ended in the same year in which",
    "a ; and b, where c, and d?",
)
LABELS = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
SHAPES = {
    Template.ONE_HOP: (RootStep,),
    Template.BRANCH: (RootStep, FilterStep),
    Template.TWO_HOP: (RootStep, TransitionStep),
    Template.THREE_HOP: (RootStep, TransitionStep, TransitionStep),
}


@st.composite
def traces(draw: st.DrawFn) -> tuple[Trace, dict[str, str], set[str]]:
    """A trace of any template with constraints of any operator, its labels and its point relations."""
    labels = draw(st.lists(LABELS, min_size=8, max_size=8, unique=True))
    names = dict(zip([*(f"Q{i}" for i in range(6)), "P1", "P2"], labels, strict=True))
    entity, relation = st.sampled_from([f"Q{i}" for i in range(6)]), st.sampled_from(["P1", "P2"])
    points = draw(st.sets(relation))
    template = draw(st.sampled_from(list(Template)))
    references: dict[tuple[str, str, str], str] = {}
    steps: list[Step] = []
    stages: list[list[StructuralStep]] = []
    variables = itertools.count()
    variable = ""
    for number, kind in enumerate(SHAPES[template], 1):
        previous, variable = variable, variable if kind is FilterStep else f"?{'abc'[next(variables)]}"
        ends = (variable, previous if kind is TransitionStep else draw(entity))
        ends = ends[::-1] if draw(st.booleans()) else ends
        step = kind(fact=f"f{number}", pattern=(ends[0], draw(relation), ends[1]), candidates=0)
        if kind is FilterStep:
            stages[-1].append(step)
        else:
            stages.append([step])
    bound: list[str] = []
    count = itertools.count(1)
    for stage in stages:
        steps.extend(stage)
        earlier, bound = bound, [*bound, *(step.fact for step in stage)]
        for _ in range(draw(st.integers(0, 2))):
            left = draw(st.sampled_from(bound))
            later = [name for name in bound if name > left and name not in earlier]
            if later and draw(st.booleans()):
                right = draw(st.sampled_from(later))
            else:
                left = draw(st.sampled_from([step.fact for step in stage]))
                triple = (draw(entity), draw(relation), draw(entity))
                right = references.setdefault(triple, f"g{len(references) + 1}")
            operator = draw(st.sampled_from(PAIRWISE)).name
            steps.append(PairwiseStep(constraint=f"c{next(count)}", operator=operator, left=left, right=right, candidates=0))
        if draw(st.booleans()):
            ranked = draw(st.sampled_from(stage))
            operator = "start_rank" if ranked.pattern[1] in points else draw(st.sampled_from(ORDINALS)).name
            rank, order = draw(st.integers(1, 120)), draw(st.sampled_from(list(RankOrder)))
            steps.append(
                OrdinalStep(constraint=f"c{next(count)}", operator=operator, fact=ranked.fact, rank=rank, order=order, candidates=0)
            )
    facts = {name: TemporalFact(subject=s, relation=r, object=o, start="1990", end="1999") for (s, r, o), name in references.items()}
    return Trace(template=template, answer_variable=variable, steps=tuple(steps), references=facts), names, points


def read(question: str, names: dict[str, str]):  # type: ignore[no-untyped-def]
    entities = {label: [key] for key, label in names.items() if key[0] == "Q"}
    relations = {label: [key] for key, label in names.items() if key[0] == "P"}
    return template_parser.parse(question, entities, relations)


@settings(max_examples=300)
@given(traces(), st.sampled_from(list(Granularity)))
def test_a_template_question_reads_back_as_its_trace(drawn, granularity):  # type: ignore[no-untyped-def]
    trace, names, points = drawn
    (parsed,) = read(Verbaliser(names, points, granularity).question(trace), names)
    assert parsed.steps == trace.steps
    assert parsed.template is trace.template
    assert parsed.answer_variable == trace.answer_variable
    assert parsed.references == {name: (f.subject, f.relation, f.object) for name, f in trace.references.items()}


@settings(max_examples=100)
@given(traces())
def test_our_own_words_in_a_template_question_never_repeat_at_once(drawn):  # type: ignore[no-untyped-def]
    trace, names, points = drawn
    question = Verbaliser(names, points, Granularity.YEAR).question(trace)
    own = template_parser.QUOTED.sub("_", question)
    assert re.search(r"\b(\w+) \1\b", own) is None


def one_constraint(step: PairwiseStep | OrdinalStep, points: set[str]) -> str:
    names = {"Q0": "Arn", "Q1": "Bo Lind", "Q2": "Ida Holt", "P1": "award received", "P2": "position held"}
    steps = (
        RootStep(fact="f1", pattern=("?a", "P1", "Q0"), candidates=0),
        FilterStep(fact="f2", pattern=("?a", "P2", "Q1"), candidates=0),
        step,
    )
    references = {"g1": TemporalFact(subject="Q2", relation="P1", object="Q0", start="1990", end="1990")}
    trace = Trace(template=Template.BRANCH, answer_variable="?a", steps=steps, references=references)
    return Verbaliser(names, points, Granularity.DAY).question(trace)


@pytest.mark.parametrize("operator", [operator.name for operator in PAIRWISE])
@pytest.mark.parametrize("right", ["f2", "g1"])
def test_every_pairwise_operator_reads_back_and_follows_the_granularity(operator: str, right: str) -> None:
    step = PairwiseStep(constraint="c1", operator=operator, left="f1", right=right, candidates=0)
    names = {"Q0": "Arn", "Q1": "Bo Lind", "Q2": "Ida Holt", "P1": "award received", "P2": "position held"}
    question = one_constraint(step, set())
    (parsed,) = read(question, names)
    assert parsed.steps[-1] == step
    assert "year" not in question
    assert "day" in question


def test_every_operator_and_order_has_a_phrase_of_its_own() -> None:
    assert set(PAIRWISE_PHRASES) == {operator.name for operator in PAIRWISE}
    assert set(ORDINAL_PHRASES) == {(ordinal.name, order) for ordinal in ORDINALS for order in RankOrder}
    assert set(template_parser.PAIRWISE) | {ordinal.name for ordinal in ORDINALS} == set(OPERATOR_NAMES)
    pairwise = [
        one_constraint(PairwiseStep(constraint="c1", operator=o.name, left="f1", right="f2", candidates=0), set()) for o in PAIRWISE
    ]
    ordinals = [
        one_constraint(OrdinalStep(constraint="c1", operator=o.name, fact="f1", rank=2, order=order, candidates=0), set())
        for o in ORDINALS
        for order in RankOrder
    ]
    assert len({*pairwise, *ordinals}) == len(PAIRWISE) + 6


def test_a_rank_reads_as_english_counts() -> None:
    words = {rank: rank_word(rank) for rank in (1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111, 112)}
    assert words == {
        1: "", 2: "2nd ", 3: "3rd ", 4: "4th ", 11: "11th ", 12: "12th ", 13: "13th ",
        21: "21st ", 22: "22nd ", 101: "101st ", 111: "111th ", 112: "112th ",
    }  # fmt: skip


def test_a_label_that_two_ids_share_gives_both_readings() -> None:
    step = PairwiseStep(constraint="c1", operator="I-before-I", left="f1", right="f2", candidates=0)
    entities = {"Arn": ["Q0", "Q9"], "Bo Lind": ["Q1"]}
    readings = template_parser.parse(one_constraint(step, set()), entities, {"award received": ["P1"], "position held": ["P2"]})
    assert [reading.steps[0].pattern for reading in readings] == [("?a", "P1", "Q0"), ("?a", "P1", "Q9")]


def test_a_sentence_in_other_words_is_refused_rather_than_guessed() -> None:
    with pytest.raises(template_parser.NotATemplateQuestion):
        template_parser.parse("Who played for Arn after Bo Lind?", {}, {})
