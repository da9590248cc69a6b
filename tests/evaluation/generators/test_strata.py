"""BLEU-4 by hops and constraints and by operator: groups are whole, pooled, and never a mean of scores."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from evaluation.generators.figures import RowName
from evaluation.generators.rows import RowKind
from evaluation.generators.strata import CONSTRAINTS, HOPS, LEAST, OPERATORS, Scored, constraints_of, heatmap, operator_bars
from evaluation.metrics.bleu import bleu_counts
from evaluation.metrics.scores import ItemScores
from state.instance import BenchmarkRecord
from state.vocabulary import Family
from tests.sample_record import make_record

ROW = RowName(method="zero_shot", label="Zero-shot", model="mini", kind=RowKind.METHOD, with_path=False)


def questions(records: list[BenchmarkRecord]) -> list[tuple[str, str]]:
    """A question that loses every third word, and its reference."""
    return [
        (" ".join(word for place, word in enumerate(record.raw_question.split()) if place % (2 + number % 3)), record.raw_question)
        for number, record in enumerate(records)
    ]


def scored(records: list[BenchmarkRecord]) -> Scored:
    return Scored(records, ItemScores.of(questions(records)).counts)


@pytest.fixture(scope="module")
def some(years_records: list[BenchmarkRecord]) -> list[BenchmarkRecord]:
    """Records of the shipped sample."""
    return years_records[:180]


def test_a_cell_is_the_corpus_score_of_its_questions_and_blank_below_twenty(some: list[BenchmarkRecord]) -> None:
    single, several = ([record for record in some if (record.temporal_constraint_count == 1) is wanted] for wanted in (True, False))
    found = heatmap(ROW, "years", [scored(single), scored(several)])
    assert [(cell.hops, cell.constraints) for cell in found.cells] == [(hops, constraints) for hops in HOPS for constraints in CONSTRAINTS]
    assert sum(cell.n for cell in found.cells) == len(some)
    pairs = dict(zip([record.id for record in (*single, *several)], questions(single) + questions(several), strict=True))
    blank = full = 0
    for cell in found.cells:
        own = [record for record in some if (record.hop_count, constraints_of(record)) == (cell.hops, cell.constraints)]
        assert cell.n == len(own)
        blank, full = blank + (0 < cell.n < LEAST), full + (cell.n >= LEAST)
        whole = ItemScores.of(pairs[record.id] for record in own).corpus().bleu4
        assert cell.bleu4 == (None if cell.n < LEAST else pytest.approx(whole))
    assert blank
    assert full > 2


def test_more_than_two_constraints_are_one_group() -> None:
    counts = [make_record().model_copy(update={"temporal_constraint_count": count}) for count in (1, 2, 3, 4)]
    assert [constraints_of(record) for record in counts] == ["1", "2", "3+", "3+"]


def test_there_are_29_operators_of_five_families() -> None:
    assert Counter(family for _, family in OPERATORS) == {
        Family.I_I: 13, Family.P_I: 5, Family.I_P: 5, Family.P_P: 3, Family.ORDINAL: 3
    }  # fmt: skip


def test_a_question_counts_once_for_each_of_its_distinct_operators(some: list[BenchmarkRecord]) -> None:
    parts = [scored(some[:70]), scored(some[70:])]
    pairs = questions(some[:70]) + questions(some[70:])
    for constraints in (None, *CONSTRAINTS):
        bars = operator_bars(ROW, constraints, parts).bars
        assert [bar.operator for bar in bars] == [name for name, _ in OPERATORS]
        kept = [place for place, record in enumerate(some) if constraints in (None, constraints_of(record))]
        assert sum(bar.n for bar in bars) == sum(len(set(some[place].operators)) for place in kept)
        for bar in bars:
            own = [pairs[place] for place in kept if bar.operator in some[place].operators]
            assert (bar.n, bar.bleu4) == (len(own), pytest.approx(ItemScores.of(own).corpus().bleu4) if own else None)


def test_an_operator_that_a_question_has_twice_counts_once() -> None:
    record = make_record().model_copy(update={"operators": ("I-after-I", "I-after-I")})
    bars = operator_bars(ROW, None, [Scored([record], np.array([bleu_counts("Who led it then?", "Who led it then?")]))]).bars
    assert {bar.operator: (bar.n, bar.bleu4) for bar in bars if bar.n} == {"I-after-I": (1, 1.0)}
