"""The summary of a study: planted counts come out exactly, and what is missing is never taken for zero."""

from __future__ import annotations

from math import isnan

import pytest

from evaluation.pages.rate_text import share_text
from evaluation.statistics.intervals import mover, wilson
from evaluation.verifier.cell_figures import KINDS, RIGHT_LABELS, contamination
from evaluation.verifier.figures import MeasureTest
from evaluation.verifier.summary import VerifierSummary, summarise_verifier_study
from state.study import DamageKind, Reading, Register, VerifierStudy
from state.vocabulary import Family
from tests.planted_study import Planted, by_rules, planted_study

YES, OTHER, UNSURE, NONE = Reading.AGREED, Reading.ANOTHER, Reading.ABSTAINED, Reading.NO_REPLY


def one_cell(planted: list[Planted], **settings: object) -> VerifierSummary:
    defaults: dict[str, object] = {"names": ("a",), "prices": (0.001,)}
    return summarise_verifier_study(planted_study(planted, **(defaults | settings)), resamples=200)  # type: ignore[arg-type]


def sound(readings: str, family: Family = Family.I_I, start: int = 0) -> list[Planted]:
    return [Planted(f"s{start + number}", None, (read(letter),), family) for number, letter in enumerate(readings)]


def damaged(readings: str, kind: DamageKind = DamageKind.DROPPED, family: Family = Family.I_I, **more: object) -> list[Planted]:
    planted = [Planted(f"s{number}", kind, (read(letter),), family) for number, letter in enumerate(readings)]
    return [item._replace(**more) for item in planted]


def read(letter: str) -> Reading:
    return {"y": YES, "o": OTHER, "u": UNSURE, "n": NONE}[letter]


def balanced_test(summary: VerifierSummary, place: int = 0) -> MeasureTest:
    return next(test for test in summary.comparisons[place].tests if test.measure == "balanced accuracy")


def test_acceptance_counts_hits_and_keeps_rejections_apart_from_abstentions() -> None:
    summary = one_cell(sound("yyyyoouun") + sound("yo", Family.P_P, 20) + sound("yyn", Family.ORDINAL, 40))
    acceptance = summary.cells[0].template.acceptance
    by_family = {row.family: row for row in acceptance.families}
    assert list(by_family) == [Family.I_I, Family.P_I, Family.I_P, Family.P_P]
    assert by_family[Family.I_I].readings.model_dump() == {"agreed": 4, "another": 2, "abstained": 2, "no_reply": 1}
    assert (by_family[Family.I_I].rate.numerator, by_family[Family.I_I].rate.denominator) == (4, 9)
    assert by_family[Family.I_I].false_rejections == 2
    assert by_family[Family.P_I].rate.value is None
    assert (acceptance.micro.rate.numerator, acceptance.micro.rate.denominator, acceptance.micro.rate.excluded) == (5, 11, 3)
    assert (acceptance.micro.rate.low, acceptance.micro.rate.high) == wilson(5, 11)
    assert (acceptance.ordinal.rate.numerator, acceptance.ordinal.rate.denominator) == (2, 3)
    row = summary.table2.rows[0]
    assert (row.percents, row.overall_percent) == (("44.4", None, None, "50.0"), "45.5")
    expected = "acceptance|families:pairwise|weights:items|register:template|mode:all|n:11|hits:5|excl:3|interval:wilson|"
    assert acceptance.micro.rate.signature == f"{expected}chronoqg:{summary.chronoqg}"


def test_the_weighted_rate_gives_families_their_share_of_the_population() -> None:
    planted = sound("yyyo") + sound("yo", Family.P_P, 20) + sound("oooo", Family.ORDINAL, 40)
    acceptance = (
        one_cell(planted, population={Family.I_I: 100, Family.P_P: 300, Family.P_I: 100, Family.ORDINAL: 900}).cells[0].template.acceptance
    )
    assert acceptance.weighted.value == pytest.approx(0.25 * 0.75 + 0.75 * 0.5)
    assert (acceptance.weighted.numerator, acceptance.weighted.denominator) == (4, 6)
    assert acceptance.population_covered == pytest.approx(0.8)


def test_the_weighted_rate_is_resampled_within_the_families() -> None:
    """Inside each family all came out alike, so no resample differs and the families' Wilson limits are left."""
    planted = sound("yyyy") + sound("oooo", Family.P_P, 20)
    weighted = one_cell(planted, population={Family.I_I: 100, Family.P_P: 300}).cells[0].template.acceptance.weighted
    assert weighted.value == 0.25
    assert (weighted.low, weighted.high) == pytest.approx(mover([1, 0], [4, 4], [0.25, 0.75]))
    assert "|interval:wider of bootstrap and MOVER|" in weighted.signature


def test_balanced_accuracy_is_as_unsure_as_the_items_of_its_halves_allow() -> None:
    """No miss in acceptance and none in one kind: a bootstrap alone takes both for known."""
    figures = one_cell(sound("y" * 30) + damaged("o" * 20) + damaged("o" * 28 + "yy", DamageKind.ADDED)).cells[0].template
    floor = mover([1, 1, 28 / 30], [30, 20, 30], [0.5, 0.25, 0.25])
    assert figures.balanced.low is not None
    assert figures.balanced.high is not None
    assert figures.balanced.low <= floor.low + 1e-12
    assert figures.balanced.high >= floor.high - 1e-12


def test_detection_counts_abstentions_as_detected_and_no_reply_as_not() -> None:
    summary = one_cell(damaged("yoounnnn", model_is_wrong=False))
    row = summary.cells[0].template.detection.kinds[0]
    assert row.readings.model_dump() == {"agreed": 1, "another": 2, "abstained": 1, "no_reply": 4}
    assert (row.rate.numerator, row.rate.denominator) == (3, 8)
    assert (row.right_reason.numerator, row.right_reason.denominator) == (2, 3)


def test_pooled_detection_weights_kinds_alike_and_leaves_unnecessary_and_ordinals_out() -> None:
    planted = damaged("oooo") + damaged("oyyy", DamageKind.ADDED) + damaged("yyyy", DamageKind.UNNECESSARY)
    planted += damaged("oy", DamageKind.REVERSED, Family.ORDINAL) + damaged("ooooyyyy", DamageKind.REVERSED)
    detection = one_cell(planted).cells[0].template.detection
    assert detection.pooled.value == pytest.approx((1 + 0.25 + 0.5) / 3)
    assert (detection.pooled.numerator, detection.pooled.denominator, detection.pooled.excluded) == (9, 16, 6)
    assert (detection.unnecessary.rate.numerator, detection.unnecessary.rate.denominator) == (0, 4)
    assert (detection.ordinal.value, detection.ordinal.denominator) == (0.5, 2)
    assert [(row.kind, row.family, row.rate.denominator) for row in detection.by_family] == [
        (DamageKind.DROPPED, Family.I_I, 4),
        (DamageKind.REVERSED, Family.I_I, 8),
        (DamageKind.REVERSED, Family.ORDINAL, 2),
        (DamageKind.ADDED, Family.I_I, 4),
        (DamageKind.UNNECESSARY, Family.I_I, 4),
    ]


def test_a_source_with_two_items_of_a_kind_is_drawn_whole() -> None:
    summary = one_cell([*damaged("ooyy"), *damaged("ooyy")])
    row = summary.cells[0].template.detection.kinds[0]
    assert (row.rate.denominator, row.rate.method) == (8, "wider of bootstrap and MOVER")
    assert one_cell(damaged("ooyy")).cells[0].template.detection.kinds[0].rate.method == "wilson"


def test_final_questions_are_counted_apart() -> None:
    final = [item._replace(wording=Register.FINAL) for item in sound("yy") + damaged("oo")]
    summary = one_cell(sound("yooo") + damaged("yyyy") + final)
    cell = summary.cells[0]
    assert (cell.template.acceptance.micro.rate.value, cell.template.detection.pooled.value) == (0.25, 0.0)
    assert cell.final is not None
    assert (cell.final.acceptance.micro.rate.value, cell.final.detection.pooled.value) == (1.0, 1.0)
    assert summary.table2.rows[0].overall_asked == 4
    assert one_cell(sound("y")).cells[0].final is None


@pytest.mark.parametrize("kind", list(DamageKind))
def test_labels_are_held_against_the_one_that_the_damage_should_get(kind: DamageKind) -> None:
    right = RIGHT_LABELS[kind]
    planted = damaged("o", kind, labels=(right,)) + damaged("oo", kind, labels=(right, "other"))[1:]
    planted += [Planted("s7", kind, (OTHER,), labels=("other",)), Planted("s8", kind, (UNSURE,)), Planted("s9", kind, (NONE,))]
    row = next(row for row in one_cell(planted, modes=("roundtrip",)).cells[0].template.labels if row.kind is kind)
    assert {count.label: count.items for count in row.given} == {right: 2, "other": 2}
    assert (row.rate.numerator, row.alone.numerator, row.rate.denominator, row.unlabelled) == (2, 1, 5, 2)


def test_items_that_an_earlier_mode_stopped_are_not_held_against_the_reader() -> None:
    planted = damaged("oy", DamageKind.REVERSED, labels=("reversed",))
    planted += [Planted(f"t{number}", DamageKind.REVERSED, (OTHER,), is_stopped_before=True) for number in range(5)]
    rows = one_cell(planted, modes=("all", "roundtrip")).cells[0].template.labels
    row = next(row for row in rows if row.kind is DamageKind.REVERSED)
    assert (row.items, row.unlabelled, row.rate.numerator, row.rate.denominator) == (2, 1, 1, 2)
    assert row.rate.excluded == row.alone.excluded == 5
    assert [row.rate.value for row in rows if row.kind is not DamageKind.REVERSED] == [None] * 6


def test_cells_that_do_not_read_back_have_no_labels() -> None:
    assert one_cell(damaged("o")).cells[0].template.labels == ()


def test_every_kind_of_damage_has_a_right_label() -> None:
    assert set(RIGHT_LABELS) == set(DamageKind) == {*KINDS, DamageKind.UNNECESSARY}


def test_both_rates_together_and_what_they_let_through() -> None:
    figures = one_cell(sound("yyyo") + damaged("ooyy") + damaged("oooo", DamageKind.ADDED)).cells[0].template
    assert figures.balanced.value == pytest.approx((0.75 + 0.75) / 2)
    assert (figures.balanced.numerator, figures.balanced.denominator) == (9, 12)
    assert figures.balanced.low is not None
    assert figures.balanced.high is not None
    assert figures.balanced.low < 0.75 < figures.balanced.high
    assert [row.error_rate for row in figures.contamination] == [0.05, 0.1, 0.2]
    assert figures.contamination[1].share == pytest.approx(0.1 * 0.25 / (0.1 * 0.25 + 0.9 * 0.75))


def test_contamination_is_none_where_nothing_is_known_or_accepted() -> None:
    assert contamination(0.1, None, 0.5) is None
    assert contamination(0.1, 0.5, None) is None
    assert contamination(0.1, 0.0, 1.0) is None
    assert contamination(0.1, 0.0, 0.5) == 1.0
    assert contamination(0.1, 0.5, 1.0) == 0.0


def test_cost_is_summed_and_the_frontier_keeps_cells_that_nobody_beats_twice() -> None:
    planted = [Planted(f"s{number}", None, (YES, OTHER, YES, YES)) for number in range(4)]
    planted += [Planted(f"s{number}", DamageKind.ADDED, (OTHER, OTHER, OTHER, YES)) for number in range(4)]
    study = planted_study(planted, names=("a", "b", "c", "d"), prices=(0.002, 0.001, 0.003, None))
    summary = summarise_verifier_study(study, resamples=100)
    assert [cell.on_frontier for cell in summary.cells] == [True, True, False, None]
    cost = summary.cells[0].cost
    assert cost.model_dump() == {
        "items": 8, "input_tokens": 80, "output_tokens": 40, "tokens_per_item": 15.0, "usd": pytest.approx(0.016),
        "usd_per_item": pytest.approx(0.002), "calls": 8, "cached_calls": 1, "usd_paid": 0.5, "usd_saved": 0.25,
    }  # fmt: skip
    assert (summary.cells[3].cost.usd, summary.cells[3].cost.usd_per_item) == (None, None)
    assert summary.notes[0] == "planted"
    assert summary.notes[-1] == "without a price, and so not on the frontier of cost and accuracy: d"


def test_an_item_without_tokens_needs_no_price_and_one_with_tokens_does() -> None:
    study = planted_study([Planted("s1", None, (YES,)), Planted("s2", None, (NONE,))], names=("a",), prices=(0.5,))
    first, second = study.cells[0].outcomes

    def usd(outcome: dict[str, object]) -> float | None:
        cell = study.cells[0].model_copy(update={"outcomes": (first, second.model_copy(update=outcome))})
        return summarise_verifier_study(study.model_copy(update={"cells": (cell,)}), resamples=50).cells[0].cost.usd

    assert usd({"usd": None}) is None
    assert usd({"usd": None, "input_tokens": 0, "output_tokens": 0}) == 0.5


def test_a_comparison_counts_who_alone_was_right_and_lists_the_flipped_items() -> None:
    readings = [(YES, YES)] * 3 + [(YES, OTHER)] * 6 + [(UNSURE, NONE)]
    planted = [Planted(f"s{number}", None, pair) for number, pair in enumerate(readings)]
    planted += [Planted("s0", DamageKind.ADDED, (YES, UNSURE)), Planted("s1", DamageKind.UNNECESSARY, (OTHER, YES))]
    comparison = summarise_verifier_study(planted_study(planted), resamples=100).comparisons[0]
    acceptance, detection, balanced = comparison.tests
    assert (acceptance.hits_a, acceptance.hits_b, acceptance.only_a, acceptance.only_b, acceptance.items) == (9, 3, 6, 0, 10)
    assert (acceptance.p, acceptance.p_holm, acceptance.told_apart) == (0.03125, 0.03125, True)
    assert acceptance.difference == pytest.approx(0.6)
    assert (detection.items, detection.only_a, detection.only_b, detection.difference, detection.p) == (1, 0, 1, -1.0, 1.0)
    assert balanced.difference == pytest.approx((0.6 - 1) / 2)
    assert [flip.item for flip in comparison.flipped] == [f"planted-{number:012x}" for number in (3, 4, 5, 6, 7, 8, 10, 11)]
    assert (comparison.flipped[-1].a, comparison.flipped[-1].b, comparison.flipped[-1].kind) == (OTHER, YES, DamageKind.UNNECESSARY)


def test_holm_runs_over_all_pairs_of_cells() -> None:
    planted = [Planted(f"s{number}", None, (YES, OTHER, YES)) for number in range(7)]
    comparisons = summarise_verifier_study(planted_study(planted, names=("a", "b", "c"), prices=(1, 1, 1)), resamples=50).comparisons
    tests = [(pair.a, pair.b, pair.tests[0].p, pair.tests[0].p_holm) for pair in comparisons]
    assert tests == [("a", "b", 2 / 128, 6 / 128), ("a", "c", 1.0, 1.0), ("b", "c", 2 / 128, 6 / 128)]


def test_the_cheapest_of_those_not_told_apart_is_recommended() -> None:
    planted = [Planted(f"s{number}", None, (YES, YES, OTHER)) for number in range(400)]
    planted += [Planted(f"s{number}", DamageKind.ADDED, (OTHER, OTHER if number else YES, YES)) for number in range(400)]
    summary = summarise_verifier_study(planted_study(planted, names=("a", "b", "c"), prices=(0.02, 0.01, 0.001)), resamples=50)
    found = summary.recommendation
    assert (found.cell, found.best, found.not_told_apart, found.cost_by) == ("b", "a", ("a", "b"), "usd")
    assert found.sample_suffices is True
    balanced = summary.cells[1].template.balanced
    assert found.line.startswith(
        f"take b: balanced accuracy 99.9 % [{share_text(balanced.low)}, {share_text(balanced.high)}] on 400 source questions, "
        "measured on template questions, 0.01 USD an item; a has 100 %, which 400 source questions do not tell apart"
    )


def unnecessary_grid(noticed: tuple[int, int, int], b_rejects: int = 0) -> str:
    """The recommendation of three cells, by how many of 90 unnecessary constraints they notice; b rejects some sound items."""
    planted = [Planted(f"s{number}", None, (YES, OTHER if number < b_rejects else YES, YES)) for number in range(90)]
    planted += [Planted(f"s{number}", DamageKind.ADDED, (OTHER, OTHER, OTHER)) for number in range(90)]
    planted += [
        Planted(f"s{number}", DamageKind.UNNECESSARY, tuple(OTHER if number < most else YES for most in noticed)) for number in range(90)
    ]
    study = planted_study(planted, names=("a", "b", "c"), prices=(0.01, 0.02, 0.03))
    return summarise_verifier_study(study, resamples=50).recommendation.line


def test_the_recommendation_says_what_balanced_accuracy_leaves_out() -> None:
    start = "; unnecessary constraints, which balanced accuracy leaves out, are noticed "
    assert f"{start}by c (90 of 90) and not by it (0 of 90)" in unnecessary_grid((0, 40, 90))
    assert f"{start}by c (90 of 90)" in unnecessary_grid((0, 90, 90), b_rejects=1), "the more accurate of two that notice as many"
    assert f"{start}more often by b (80 of 90) than by it (20 of 90)" in unnecessary_grid((20, 80, 80))
    assert "unnecessary" not in unnecessary_grid((40, 45, 45))
    assert "unnecessary" not in unnecessary_grid((90, 0, 0))


def test_no_cost_is_told_where_there_is_no_choice_or_none_to_pay() -> None:
    planted = [Planted(f"s{number}", None, (YES, YES)) for number in range(5)]
    planted += [Planted(f"s{number}", DamageKind.ADDED, (OTHER, OTHER)) for number in range(5)]

    def line(study: VerifierStudy) -> str:
        return summarise_verifier_study(study, resamples=50).recommendation.line

    unpriced = planted_study(planted, prices=(None, None))
    alone = unpriced.model_copy(update={"cells": unpriced.cells[:1]})
    assert " USD an item; the most accurate and the cheapest of 2 cells" in line(planted_study(planted))
    assert " 15 tokens an item (not every price is known); the most accurate and the cheapest of 2 cells" in line(unpriced)
    assert line(alone).endswith("on 5 source questions, measured on template questions; there is no other cell to choose from")
    assert "is dearer" not in line(planted_study(planted, prices=(None, 0.01))), "both use as many tokens"
    assert "measured on template questions; the most accurate of 2 cells that are not told apart" in line(by_rules(unpriced))


def test_the_registers_that_were_asked_are_noted() -> None:
    template, final = sound("y"), [item._replace(wording=Register.FINAL) for item in sound("y")]
    assert any(note.startswith("all items are template questions") for note in one_cell(template).notes)
    both = one_cell(template + final).notes
    assert not any(note.startswith("all items are template questions") for note in both)
    assert any(note.startswith("final questions are those that the run's own verifier accepted") for note in both)


def test_a_sample_that_could_overlook_five_points_is_said_to_be_too_small() -> None:
    planted = [Planted(f"s{number}", None, (YES, OTHER if number == 3 else YES)) for number in range(12)]
    planted += [Planted(f"s{number}", DamageKind.ADDED, (OTHER, OTHER)) for number in range(12)]
    found = summarise_verifier_study(planted_study(planted, prices=(0.02, 0.01)), resamples=50).recommendation
    assert (found.cell, found.best, found.sample_suffices) == ("b", "a", False)
    assert "too small" in found.line


def test_cells_that_never_differ_are_alike_only_if_there_are_enough_sources() -> None:
    def suffices(sources: int) -> bool | None:
        planted = [
            Planted(f"s{number}", kind, (reading, reading))
            for number in range(sources)
            for kind, reading in ((None, YES), (DamageKind.ADDED, OTHER))
        ]
        return summarise_verifier_study(planted_study(planted), resamples=50).recommendation.sample_suffices

    assert suffices(10) is False
    assert suffices(100) is True


def test_without_every_price_tokens_decide() -> None:
    planted = sound("yy") + damaged("oo")
    study = planted_study([item._replace(readings=(item.readings[0],) * 2) for item in planted], prices=(0.1, None))
    dear = study.cells[0].model_copy(
        update={"outcomes": tuple(outcome.model_copy(update={"output_tokens": 50}) for outcome in study.cells[0].outcomes)}
    )
    found = summarise_verifier_study(study.model_copy(update={"cells": (dear, study.cells[1])}), resamples=50).recommendation
    assert (found.cell, found.cost_by) == ("b", "tokens")


def assert_nothing_is_nan(value: object) -> None:
    if isinstance(value, float):
        assert not isnan(value)
    elif isinstance(value, dict):
        for part in value.values():
            assert_nothing_is_nan(part)
    elif isinstance(value, list | tuple):
        for part in value:
            assert_nothing_is_nan(part)


@pytest.mark.parametrize(
    "planted",
    [[], sound("yo"), damaged("yo"), sound("nnn") + damaged("nnn"), sound("yo", Family.ORDINAL), damaged("yo", DamageKind.UNNECESSARY)],
    ids=["nothing", "no damages", "no sound items", "no replies", "only ordinals", "only unnecessary ones"],
)
@pytest.mark.parametrize("cells", [0, 1, 2])
def test_what_is_missing_is_none_and_neither_zero_nor_nan(planted: list[Planted], cells: int) -> None:
    twice = [item._replace(readings=item.readings * 2) for item in planted]
    study = planted_study(twice, names=("a", "b")[:cells], prices=(None, None), modes=("all", "roundtrip"))
    summary = summarise_verifier_study(study, resamples=50)
    assert_nothing_is_nan(summary.model_dump())
    assert VerifierSummary.model_validate_json(summary.model_dump_json()) == summary
    kinds = {item.kind for item in planted if item.family is not Family.ORDINAL}
    for cell in summary.cells:
        assert (cell.template.acceptance.micro.rate.value is None) == (None not in kinds)
        assert (cell.template.detection.pooled.value is None) == (not kinds & set(KINDS))
        assert (cell.template.balanced.value is None) == (not (None in kinds and kinds & set(KINDS)))
        assert (cell.cost.usd, cell.on_frontier) == (None, None)
    if summary.comparisons and balanced_test(summary).p is None:
        assert summary.recommendation.cell is None
        assert balanced_test(summary).note == "nothing to compare"


def test_all_without_a_reply_is_a_rate_of_zero_that_is_known() -> None:
    figures = one_cell(sound("nnn") + damaged("nnn")).cells[0].template
    assert (figures.acceptance.micro.rate.value, figures.detection.pooled.value, figures.balanced.value) == (0.0, 0.0, 0.0)
    assert figures.detection.right_reason.value is None


def test_items_without_an_outcome_are_left_out_and_named() -> None:
    study = planted_study(sound("yyo"), names=("a",))
    cell = study.cells[0].model_copy(update={"outcomes": study.cells[0].outcomes[:2]})
    summary = summarise_verifier_study(study.model_copy(update={"cells": (cell,)}), resamples=50)
    assert summary.cells[0].template.acceptance.micro.rate.denominator == 2
    assert "cell a has no outcome of 1 of 3 items, left out there" in summary.notes


def test_outcomes_of_no_item_and_two_of_one_item_are_refused() -> None:
    study = planted_study(sound("yo"), names=("a",))
    outcomes = study.cells[0].outcomes

    def with_outcomes(*others: object) -> VerifierStudy:
        return study.model_copy(update={"cells": (study.cells[0].model_copy(update={"outcomes": (*outcomes, *others)}),)})

    with pytest.raises(ValueError, match="two outcomes"):
        summarise_verifier_study(with_outcomes(outcomes[0]))
    with pytest.raises(ValueError, match="no item of the study"):
        summarise_verifier_study(with_outcomes(outcomes[0].model_copy(update={"item": "other"})))


def test_a_stratum_taken_whole_and_one_without_a_question_are_noted() -> None:
    study = planted_study(sound("yo"), names=("a",), population={Family.I_I: 100, Family.P_I: 4, Family.I_P: 30})
    strata = (
        study.strata[0],
        study.strata[1].model_copy(update={"taken": 4}),
        study.strata[2].model_copy(update={"taken": 0, "wanted": 0}),
    )
    notes = summarise_verifier_study(study.model_copy(update={"strata": strata}), resamples=50).notes
    assert any(note.startswith("family P-I was taken whole: 4 of 10 wanted") for note in notes)
    assert any(note.startswith("no question of I-P was drawn") for note in notes)
