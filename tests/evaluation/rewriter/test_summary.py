"""A study of the rewriter is counted as it was planted, in whatever order, and every number can be told from another."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evaluation.pages.tables import as_csv, as_markdown
from evaluation.rewriter.fates import fate_of
from evaluation.rewriter.fates import fates as fates_of
from evaluation.rewriter.figures import MeasureTest, RewriterFigures
from evaluation.rewriter.summary import RewriterSummary, summarise_rewriter_study
from evaluation.rewriter.tables import tables
from state.rewriter_study import RewriterOutcome
from state.study import CellUsage
from state.vocabulary import DiscardReason, Status, TryError
from tests.planted_rewriter_study import FATES, NOTHING, cell, of_fates, outcome, study


def only(summary: RewriterSummary) -> RewriterFigures:
    (figures,) = summary.cells
    return figures


def compared(summary: RewriterSummary, measure: str, pair: int = 0) -> MeasureTest:
    return next(test for test in summary.comparisons[pair].tests if test.measure == measure)


@given(st.lists(st.sampled_from(FATES), min_size=1, max_size=30))
def test_planted_fates_come_out(fates: list[str]) -> None:
    figures = only(summarise_rewriter_study(study(of_fates("a", fates))))
    count = fates.count
    accepted = count("passed") + count("revised") + count("leaked") + count("appealed")
    assert (figures.accepted.numerator, figures.accepted.denominator) == (accepted, len(fates))
    assert (figures.first_pass.numerator, figures.first_pass.denominator) == (count("passed") + count("leaked") + count("leak"), len(fates))
    assert {one.reason.value: one.instances for one in figures.discarded} == {
        name: number for name, number in (("failed verification", count("rejected")), ("answer leak", count("leak"))) if number
    }
    assert (figures.accepted_at_once, figures.accepted_on_appeal) == (count("passed"), count("appealed"))
    assert Counter(fate_of(outcome) for outcome in of_fates("a", fates).outcomes) == dict(fates_of(figures))
    assert [one.instances for one in figures.failed] == ([count("failed")] if count("failed") else [])
    assert (figures.revised, figures.revised_accepted) == (count("revised") + count("rejected"), count("revised"))
    assert (figures.leak_rewritten, figures.leak_rewritten_accepted) == (count("leaked") + count("leak"), count("leaked"))
    assert figures.length.questions == figures.preservation.questions == accepted
    assert (figures.length.mean, figures.preservation.micro) == ((pytest.approx(100 * (1 - 5 / 9)), 100) if accepted else (None, None))
    assert figures.pipeline_cost.usd == pytest.approx(0.5 * len(fates))
    assert figures.rewriter_cost.usd_per_instance == pytest.approx(0.25)
    assert figures.pipeline_cost.tokens_per_accepted == (40 * len(fates) / accepted if accepted else None)


@given(st.lists(st.sampled_from(FATES), min_size=1, max_size=20))
def test_parts_and_templates_split_the_instances_and_families_count_each_once(fates: list[str]) -> None:
    figures = only(summarise_rewriter_study(study(of_fates("a", fates))))
    for grouping in ("part", "template"):
        rates = [group.accepted for group in figures.groups if group.grouping == grouping]
        assert sum(rate.denominator for rate in rates) == len(fates)
        assert sum(rate.numerator for rate in rates) == figures.accepted.numerator
        assert all(rate.denominator + rate.excluded == len(fates) for rate in rates)
    families = {group.group: group.accepted.denominator for group in figures.groups if group.grouping == "family"}
    assert families == {name: number for name, number in (("I-I", len(fates)), ("P-P", (len(fates) + 1) // 2)) if number}


@given(st.lists(st.tuples(st.sampled_from(FATES), st.sampled_from(FATES)), min_size=1, max_size=20), st.data())
def test_the_order_of_instances_does_not_matter(fates: list[tuple[str, str]], data: st.DataObject) -> None:
    a, b = (of_fates(name, list(column)) for name, column in zip("ab", zip(*fates, strict=True), strict=True))
    whole = study(a, b)
    shuffled = whole.model_copy(
        update={
            "instances": tuple(data.draw(st.permutations(whole.instances))),
            "cells": tuple(one.model_copy(update={"outcomes": tuple(data.draw(st.permutations(one.outcomes)))}) for one in whole.cells),
        }
    )
    assert summarise_rewriter_study(shuffled) == summarise_rewriter_study(whole)


@given(st.lists(st.tuples(st.sampled_from(FATES), st.sampled_from(FATES)), min_size=1, max_size=20))
def test_exchanging_two_cells_transposes_their_comparison(fates: list[tuple[str, str]]) -> None:
    a, b = (of_fates(name, list(column)) for name, column in zip("ab", zip(*fates, strict=True), strict=True))
    one, other = summarise_rewriter_study(study(a, b)), summarise_rewriter_study(study(b, a))
    assert one.cells == other.cells[::-1]
    for measure in ("accepted", "first verification"):
        here, there = compared(one, measure), compared(other, measure)
        assert (here.only_a, here.only_b, here.p, here.p_holm) == (there.only_b, there.only_a, there.p, there.p_holm)
        assert here.hits_a - here.hits_b == len(here.only_a) - len(here.only_b)


def test_what_cells_found_in_the_cache_changes_nothing() -> None:
    one = study(of_fates("a", ["passed", "failed"]))
    paid = CellUsage(calls=9, cached_calls=9, usd_paid=0.0, usd_saved=7.0)
    other = one.model_copy(update={"cells": (one.cells[0].model_copy(update={"usage": paid}),)})
    assert summarise_rewriter_study(one) == summarise_rewriter_study(other)


def test_errors_are_counted_by_kind_and_faults_are_no_unusable_replies() -> None:
    empty, busy, bad = TryError.EMPTY, TryError.RATE_LIMITED, TryError.UNUSABLE_QUESTION
    planted = cell("a", outcome(0, "passed", errors=(empty, empty, busy)), outcome(1, "failed", errors=(bad, empty)), outcome(2, "passed"))
    figures = only(summarise_rewriter_study(study(planted)))
    assert {error.kind: (error.tries, error.instances, error.is_fault) for error in figures.errors} == {
        empty: (3, 2, False),
        bad: (1, 1, False),
        busy: (1, 1, True),
    }
    assert figures.unusable == 4
    assert figures.unusable_per_instance == pytest.approx(4 / 3)


def test_p_values_are_mcnemars_and_adjusted_over_all_pairs() -> None:
    good, bad = ["passed"] * 8, ["rejected"] * 8
    summary = summarise_rewriter_study(study(of_fates("a", good), of_fates("b", bad), of_fates("c", good)))
    tests = [compared(summary, "accepted", pair) for pair in range(3)]
    assert [test.p for test in tests] == [2 / 2**8, 1.0, 2 / 2**8]
    assert [test.p_holm for test in tests] == [3 * 2 / 2**8, 1.0, 3 * 2 / 2**8]
    assert [test.told_apart for test in tests] == [True, False, True]
    assert tests[0].only_a == tuple(f"d-{number:03}" for number in range(8))
    assert tests[1].note == "not told apart: no instance flipped"


def test_the_cheapest_of_those_not_told_apart_is_recommended() -> None:
    best, cheap, bad = ["passed"] * 20, ["passed"] * 19 + ["rejected"], ["rejected"] * 19 + ["passed"]
    summary = summarise_rewriter_study(study(of_fates("best", best), of_fates("cheap", cheap, usd=0.1), of_fates("bad", bad, usd=0.001)))
    advice = summary.recommendation
    assert (advice.cell, advice.best, advice.not_told_apart, advice.cost_by) == ("cheap", "best", ("best", "cheap"), "usd")
    assert advice.sample_suffices is False
    assert "take cheap: 19 of 20 accepted" in advice.line
    assert "too small to say that they are alike" in advice.line


def test_without_every_price_tokens_decide() -> None:
    summary = summarise_rewriter_study(study(of_fates("a", ["passed"]), of_fates("b", ["passed"], usd=None)))
    assert summary.recommendation.cost_by == "tokens"
    assert summary.cells[1].pipeline_cost.usd is None
    assert "without a price for all replies: b" in summary.notes


def test_nothing_accepted_is_nothing_to_recommend() -> None:
    summary = summarise_rewriter_study(study(of_fates("a", ["failed"])))
    assert summary.recommendation.cell is None
    assert "1 of 1 instances of a failed; each counts as not accepted" in summary.notes


def test_a_try_without_tokens_has_no_price_to_miss() -> None:
    unanswered = outcome(1, "failed").model_copy(update={"spent": NOTHING, "rewriter_spent": NOTHING})
    figures = only(summarise_rewriter_study(study(cell("a", outcome(0, "passed"), unanswered))))
    assert (figures.pipeline_cost.usd, figures.pipeline_cost.usd_per_instance) == (0.5, 0.25)


def test_a_cell_must_have_one_outcome_for_each_instance() -> None:
    with pytest.raises(ValueError, match="one outcome for each instance"):
        summarise_rewriter_study(study(of_fates("a", ["passed"]), size=2))
    with pytest.raises(ValueError, match="one outcome for each instance"):
        summarise_rewriter_study(study(cell("a", outcome(0, "passed"), outcome(0, "passed")), size=1))


def test_an_outcome_that_contradicts_itself_is_refused() -> None:
    good = outcome(0, "passed").model_dump()
    for change in ({"final_question": None}, {"reason": DiscardReason.ANSWER_LEAK}, {"status": Status.DISCARDED}):
        with pytest.raises(ValidationError):
            RewriterOutcome.model_validate({**good, **change})


def test_tables_hold_every_cell_and_survive_hostile_names() -> None:
    name = "=cmd|x/<b>\n"
    summary = summarise_rewriter_study(study(of_fates(name, list(FATES)), of_fates("b", list(FATES[::-1]))))
    made = {table.name: table for table in tables(summary)}
    assert [row[0] for row in made["cells"].rows] == [name, "b"]
    assert all(len(row) == len(table.header) for table in made.values() for row in table.rows)
    assert all(len(set(table.header)) == len(table.header) for table in made.values())
    assert len(made["flipped"].rows) == sum(len(test.only_a) + len(test.only_b) for test in summary.comparisons[0].tests)
    for table in made.values():
        assert "\n=cmd" not in as_csv(table)
        assert "<b>" not in as_markdown(table)
        assert as_markdown(table).count("\n") == 4 + len(table.rows)
