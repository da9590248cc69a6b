"""The tables of an evaluation: what stands in them is what was counted, and rows of different kinds stand apart."""

from __future__ import annotations

import pytest

from evaluation.generators.analysis_tables import costs_table, failures_table, leaks_table
from evaluation.generators.failures import offline_reader
from evaluation.generators.figures import EvaluationSummary
from evaluation.generators.item_lists import scores_table
from evaluation.generators.paper_tables import paper_tables
from evaluation.generators.report import evaluation_tables
from evaluation.generators.rows import Dataset, RowKind, RowUsage
from evaluation.generators.score_tables import all_scores, backbone_scores, main_scores, metrics_table, reference_scores
from evaluation.generators.scoring import Evaluation, score_rows
from evaluation.metrics.bleu import corpus_bleu
from evaluation.metrics.scores import METRICS
from evaluation.pages.tables import Table, rounded
from tests.planted_evaluation import PAIRS, dataset, references, row

ASKED = [question for question, _ in PAIRS]


def evaluation(of: Dataset, other: Dataset) -> Evaluation:
    """Two models, a file and two reference rows; not every row has both datasets."""
    usage = RowUsage(questions=11, calls=11, cached_calls=1, input=1100, output=110, usd=0.11, usd_paid=0.1)
    dear = RowUsage(questions=11, calls=22, input=2200, output=220, usd=0.33, usd_paid=0.33)
    rows = [
        row(of, ASKED, usage=usage),
        row(other, ASKED, usage=usage),
        row(of, references(of), "cot", usage=dear),
        row(of, ASKED, model="large", usage=RowUsage(questions=11, calls=11, input=1100, output=110, usd=None)),
        row(of, ASKED, "mine", model=None, kind=RowKind.OUTSIDE),
        row(of, [record.raw_question for record in of.records], "template", model=None, kind=RowKind.REFERENCE),
        row(of, references(of), "rules", model="offline-rules", kind=RowKind.REFERENCE, wrote_references=True),
    ]
    return score_rows([of, other], rows, seed=0, resamples=100, reader=offline_reader(rows, seed=0))


@pytest.fixture(scope="module")
def made() -> Evaluation:
    texts = [reference for _, reference in PAIRS]
    return evaluation(dataset("a-S", texts), dataset("a-M", texts))


@pytest.fixture(scope="module")
def summary(made: Evaluation) -> EvaluationSummary:
    return made.summary


def rows_of(table: Table) -> list[dict[str, str]]:
    return [dict(zip(table.header, cells, strict=True)) for cells in table.rows]


def test_the_main_table_has_methods_by_model_and_outside_rows_and_the_reference_rows_stand_apart(summary: EvaluationSummary) -> None:
    main = main_scores(summary)
    datasets = ("a-S BLEU-4", "a-S ROUGE-2", "a-S ROUGE-L", "a-M BLEU-4", "a-M ROUGE-2", "a-M ROUGE-L")
    assert main.table.header == ("method", "model", *datasets)
    assert [cells[:2] for cells in main.table.rows] == [
        ("zero-shot", "mini"), ("cot", "mini"), ("zero-shot", "large"), ("mine (outside)", "-")
    ]  # fmt: skip
    assert main.table.rows[0][2:] == ("0.483", "0.485", "0.598") * 2
    assert main.table.rows[1][2:] == ("1.000",) * 3 + ("-",) * 3
    assert [len(line) for line in main.intervals] == [8] * 4
    assert main.intervals[1] == ("", "", *("1.000 to 1.000 *",) * 3, "", "", "")  # a copy is told apart from the first row
    assert not any("*" in cell for line in (main.intervals[0], *main.intervals[2:]) for cell in line)
    apart = reference_scores(summary).table
    assert [cells[:2] for cells in apart.rows] == [("template (reference)", "-"), ("rules (reference)", "offline-rules")]
    assert apart.rows[1][2:] == ("self",) * 3 + ("-",) * 3


def test_models_stand_beside_each_other_only_where_a_method_has_several(summary: EvaluationSummary) -> None:
    assert [cells[:2] for cells in backbone_scores(summary).table.rows] == [("zero-shot", "mini"), ("zero-shot", "large")]


def test_costs_are_of_all_datasets_a_question_and_beside_zero_shot(summary: EvaluationSummary) -> None:
    zero, cot, large = rows_of(costs_table(summary))
    assert zero["USD"] == "0.22"
    assert (zero["questions"], zero["USD a question"], zero["calls a question"], zero["calls from the cache"]) == (
        "22",
        "0.01",
        "1.00",
        "2",
    )
    assert (zero["tokens in a question"], zero["tokens out a question"], zero["USD paid here"]) == ("100.0", "10.0", "0.2")
    assert (zero["USD to zero-shot"], zero["tokens to zero-shot"]) == ("1.00", "1.00")
    assert (cot["USD to zero-shot"], cot["tokens to zero-shot"], cot["calls a question"]) == ("3.00", "2.00", "2.00")
    assert (large["USD"], large["USD a question"], large["USD to zero-shot"], large["tokens to zero-shot"]) == ("-", "-", "-", "1.00")
    assert "without a price for all replies: zero-shot, large" in summary.notes


def test_every_metric_has_a_column_and_every_number_a_signature(summary: EvaluationSummary) -> None:
    assert len(metrics_table(summary).header) == 4 + len(METRICS)
    every = rows_of(all_scores(summary))
    assert len(every) == 6 * len(METRICS)
    assert {line["metric"] for line in every} == set(METRICS)
    assert all(line["signature"].startswith(f"{line['metric']}|") and "|n:11|" in line["signature"] for line in every)


def test_the_lines_of_all_questions_sum_to_the_score_of_their_row(made: Evaluation) -> None:
    lines = [line for line in rows_of(scores_table(made.measured)) if line["method"] == "zero-shot" and line["dataset"] == "a-S"]
    mini = [line for line in lines if line["model"] == "mini"]
    assert [line["id"] for line in mini] == [f"a-S-{number:03}" for number in range(11)]
    counts = ("matches", "n-grams")
    columns = [*(f"{what} {order}" for what in counts for order in (1, 2, 3, 4)), "tokens", "reference tokens"]
    sums = [sum(int(line[column]) for line in mini) for column in columns]
    assert sums == [71, 51, 40, 32, 101, 90, 79, 68, 101, 115]
    assert rounded(corpus_bleu(sums), 6) == "0.483209"
    assert rounded(sum(float(line["rouge2_f1"]) for line in mini) / 11, 6) == "0.485248"
    assert {line["method"] for line in rows_of(scores_table(made.measured))} == {
        "zero-shot", "cot", "mine (outside)", "template (reference)"
    }  # fmt: skip


def test_shares_of_failures_and_leaks_are_of_all_questions(summary: EvaluationSummary) -> None:
    failures = rows_of(failures_table(summary))
    assert {(line["method"], line["dataset"]) for line in failures if line["dataset"] == "all"} == {("zero-shot", "all")}
    assert all(line["questions given"] in {"11", "22"} for line in failures)
    template = next(line for line in failures if line["method"] == "template (reference)")
    assert (template["clean %"], template["could not be read %"]) == ("100", "0.0")
    assert all(line["n"] == "11" for line in rows_of(leaks_table(summary)))


def test_each_of_the_papers_tables_says_that_it_is_the_papers_and_no_table_of_ours_does(summary: EvaluationSummary) -> None:
    papers = paper_tables()
    assert all(table.caption.startswith("The paper's ") and table.name.startswith("paper_") for table in papers)
    assert [table.rows[0][:3] for table in papers[:2]] == [("Zero-shot", "GPT-4o-mini", "0.458"), ("SGSH", "GPT-4o", "0.320")]
    ours = evaluation_tables(summary)
    assert not ours.keys() & {table.name for table in papers}
    assert not [table.name for table in ours.values() if table.caption.startswith("The paper's")]
