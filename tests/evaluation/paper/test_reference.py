"""The paper's figures against each other: what adds up, what does not, and which claims have exceptions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from importlib.resources import files
from typing import get_args

import pytest

from evaluation.pages.tables import rounded
from evaluation.paper.reference import (
    NAMES,
    abstract_total,
    figure5,
    notes,
    prices,
    results,
    table2,
    table3,
    table4,
    table5,
    table6,
    table7,
    table8,
    table8_averages,
    table9,
    title,
)
from evaluation.paper.rows import ADAPTED, PROMPTED, TRAINED, PaperDataset, PaperMethod, PaperRow
from evaluation.verifier.paper_table2 import PAPER_SIZES

DATASETS = get_args(PaperDataset)


def exact(value: float) -> Fraction:
    return Fraction(repr(value))


def best(value: Callable[[PaperRow], float], methods: tuple[PaperMethod, ...], dataset: str) -> PaperRow:
    return max((row for row in table4() if row.method in methods and row.dataset == dataset), key=value)


def test_every_file_of_data_is_listed_and_has_a_title_and_notes() -> None:
    stems = {path.name.removesuffix(".yaml") for path in files("evaluation.paper").iterdir() if path.name.endswith(".yaml")}
    assert stems == set(NAMES)
    for name in NAMES:
        assert title(name)
        assert notes(name)
        assert all(isinstance(note, str) for note in notes(name))
    with pytest.raises(KeyError):
        notes("table1")


def test_table2_is_of_five_hundred_questions() -> None:
    assert sum(PAPER_SIZES) == 500
    assert [(row.verifier, sum(row.hits)) for row in table2()] == [
        ("GPT-4o-mini", 293),
        ("GPT-4o", 381),
        ("GPT-5-mini", 460),
        ("GPT-5", 469),
    ]
    assert [rounded(Fraction(sum(row.hits), 5)) for row in table2()] == [row.percents[-1] for row in table2()]


def test_table3_adds_up_but_not_to_what_the_abstract_says_nor_to_the_release() -> None:
    rows = table3()
    assert [row.dataset for row in rows] == list(DATASETS)
    assert all(row.i_i + row.p_i + row.i_p + row.p_p == row.total for row in rows)
    assert (sum(row.total for row in rows), abstract_total(), sum(row.released for row in rows)) == (17_990, 16_011, 15_186)
    assert [row.dataset for row in rows if row.total == row.released] == ["Cron-S", "Event-S"]


def test_the_m_totals_of_table3_fit_constraints_and_not_questions() -> None:
    by_name = {row.dataset: row for row in table3()}
    for dataset, constraints in (("Cron-M", 4221), ("Event-M", 5108)):
        row = by_name[dataset]
        assert int(rounded(exact(row.constraints) * row.released, 0)) == constraints
        assert row.released < row.total <= constraints
    assert all(by_name[dataset].constraints == 1 for dataset in ("Cron-S", "Event-S"))


def test_table4_has_every_method_on_every_benchmark_once() -> None:
    rows = table4()
    assert len(rows) == len({(row.backbone, row.method, row.dataset) for row in rows}) == (6 * 3 + 2 + 4) * 4
    assert {row.method for row in rows} == set(get_args(PaperMethod)) == {*PROMPTED, *TRAINED, *ADAPTED}
    assert {row.backbone for row in rows if row.method in TRAINED} == {None}
    assert {row.backbone for row in rows if row.method in ADAPTED} == {"GPT-4o-mini"}
    assert len({row.backbone for row in rows if row.method in PROMPTED}) == 6
    assert all(row.bleu4 < row.rouge2 < row.rougeL for row in rows)


def test_only_two_benchmarks_of_gemini_are_placed_unsurely() -> None:
    unsure = {(row.backbone, row.dataset) for row in table4() if not row.is_placement_sure}
    assert unsure == {("Gemini-3.1-pro-preview", "Cron-M"), ("Gemini-3.1-pro-preview", "Event-M")}


def test_the_trained_method_with_rewards_has_the_best_bleu_everywhere() -> None:
    for dataset in DATASETS:
        assert best(lambda row: row.bleu4, get_args(PaperMethod), dataset).method == "g2s_ae_rl"
        assert best(lambda row: row.rougeL, (*PROMPTED, *ADAPTED), dataset).method in PROMPTED


def test_that_prompting_beats_the_adapted_methods_has_exceptions() -> None:
    """Counted as pairs of a prompted row and an adapted row on one benchmark, by BLEU-4."""
    beaten = {
        (adapted.method, dataset): [
            row for row in table4() if row.method in PROMPTED and row.dataset == dataset and row.bleu4 < adapted.bleu4
        ]
        for dataset in DATASETS
        for adapted in table4()
        if adapted.method in ADAPTED and adapted.dataset == dataset
    }
    assert {row.backbone for row in beaten["kqg_cot", "Cron-S"]} == {
        "GPT-4o-mini", "GPT-4o", "Gemini-3.1-pro-preview", "DeepSeek-V3", "GLM-4.6", "Qwen2.5-32B",
    }  # fmt: skip
    above = [row for row in table4() if row.method in PROMPTED and row.dataset == "Event-M" and row not in beaten["sgsh", "Event-M"]]
    assert [(row.backbone, row.method) for row in above] == [("GPT-4o-mini", "zero_shot")]
    assert [pair for pair, rows in beaten.items() if pair[0] == "r2dqg" and rows] == []


def test_that_m_is_harder_than_s_fails_for_one_method_on_event() -> None:
    scores = {(row.backbone, row.method, row.dataset): row.bleu4 for row in table4()}
    exceptions = [
        (backbone, method, dataset)
        for (backbone, method, dataset), bleu4 in scores.items()
        if dataset.endswith("-M") and bleu4 >= scores[backbone, method, dataset.replace("-M", "-S")]
    ]
    assert exceptions == [("GPT-4o-mini", "sgsh", "Event-M")]


def test_table5_has_a_method_that_a_stronger_backbone_makes_worse() -> None:
    assert {(row.backbone, row.dataset) for row in table5()} == {("GPT-4o", "Event-S"), ("GPT-4o", "Event-M")}
    worse = []
    for row in table5():
        (weaker,) = results(row.method, row.dataset, "GPT-4o-mini")
        if row.bleu4 < weaker.bleu4:
            worse.append((row.method, row.dataset))
    assert worse == [("role_agent_qg", "Event-S")]


def test_rows_are_looked_up_by_method_benchmark_and_backbone() -> None:
    assert [(row.backbone, row.bleu4, row.rouge2, row.rougeL) for row in results("zero_shot", "Cron-S", "GPT-4o-mini")] == [
        ("GPT-4o-mini", 0.458, 0.577, 0.666)
    ]
    assert [row.backbone for row in results("kqg_cot", "Event-M")] == ["GPT-4o-mini", "GPT-4o"]
    assert [row.backbone for row in results("g2s_ae", "Cron-M")] == [None]
    assert results("r2dqg", "Event-S", "GPT-4o") == ()


def test_one_column_of_table6_is_the_other_at_other_prices() -> None:
    cheap, dear = prices()
    ratio = exact(dear.input) / exact(cheap.input)
    assert ratio == exact(dear.output) / exact(cheap.output) == Fraction(50, 3)
    for row in table6():
        assert Fraction("16.645") <= exact(row.gpt_4o) / exact(row.gpt_4o_mini) < Fraction("16.675")
        assert abs(exact(row.gpt_4o) / ratio - exact(row.gpt_4o_mini)) < Fraction("0.01")
    ratios = [rounded(exact(row.gpt_4o_mini) / exact(table6()[0].gpt_4o_mini), 2) for row in table6()]
    assert ratios == ["1.00", "1.07", "2.93", "7.46", "10.07", "9.10"]


def test_table7_has_a_fluency_below_what_the_prose_claims() -> None:
    assert [(row.dataset, row.fluency) for row in table7() if row.fluency <= 4.69] == [("Event-M", 4.59)]


def test_table8_averages_are_those_of_the_prose() -> None:
    rows, (printed, prose) = table8(), table8_averages()
    lengths = [exact(row.length_reduction) for row in rows]
    assert rounded(sum(lengths) / 4) == "56.9" == str(prose["length_reduction"])
    assert printed["length_reduction"] == 59.6
    sizes = [(row.total, row.released) for row in table3()]
    for column, mean in ((0, "55.5"), (1, "54.1")):
        weights = [size[column] for size in sizes]
        assert rounded(sum(length * weight for length, weight in zip(lengths, weights, strict=True)) / sum(weights)) == mean
    bleu4 = sum(exact(row.bleu4) for row in rows) / 4
    assert bleu4 == Fraction("0.0825")
    assert (rounded(bleu4, 2), rounded(bleu4, 3)) == (f"{printed['bleu4']:.2f}", str(prose["bleu4"]))
    preservation = sum(exact(row.preservation) for row in rows) / 4
    assert (rounded(preservation, 2), rounded(preservation)) == ("94.65", str(printed["preservation"]))


def test_no_mean_of_table9_is_below_the_smallest_candidate_set_allowed() -> None:
    rows = table9()
    assert [row.dataset for row in rows] == list(DATASETS)
    assert all(5 <= size <= 50 for row in rows for size in (row.one_hop, row.two_hops, row.three_hops))


def test_the_quoted_cells_of_figure5_agree_with_table4() -> None:
    """With the mean hops of Table 3, a mean over the cells of one constraint is a line in the share of three hops."""
    cells = {(cell.source, cell.hops, cell.constraints): exact(cell.bleu4) for cell in figure5()}
    assert len(cells) == len(figure5()) == 12
    for source, dataset, start, slope in (("Cron", "Cron-S", "0.4515", "0.142"), ("Event", "Event-S", "0.4118", "0.138")):
        one, two, three = (cells[source, hops, 1] for hops in (1, 2, 3))
        (row,) = (row for row in table3() if row.dataset == dataset)
        extra = exact(row.hops) - 1
        assert one * (1 - extra) + two * extra == Fraction(start)
        assert one - 2 * two + three == Fraction(slope)
        assert one > two > three
    (cron,), (event,) = (results("zero_shot", dataset, "GPT-4o-mini") for dataset in ("Cron-S", "Event-S"))
    assert Fraction("0.4515") < exact(cron.bleu4) < Fraction("0.4515") + Fraction("0.142") / 4
    assert exact(event.bleu4) < Fraction("0.4118")
