"""Scores of rows: the known numbers of known questions, everything in the denominator, the same resamples for all rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from evaluation.generators.failures import offline_reader
from evaluation.generators.figures import EvaluationSummary, RowFigures
from evaluation.generators.measuring import measure_rows
from evaluation.generators.rows import Dataset, Row, RowKind
from evaluation.generators.scoring import offline_warning, score_rows
from evaluation.metrics.scores import METRICS, PRIMARY
from tests.planted_evaluation import PAIRS, dataset, references, row
from tests.sample_record import make_record


def scored(datasets: list[Dataset], rows: list[Row]) -> EvaluationSummary:
    return score_rows(datasets, rows, seed=3, resamples=200, reader=None).summary


def value(figures: RowFigures, metric: str) -> float:
    score = figures.score(metric)
    assert score is not None
    return score.value


@pytest.fixture(scope="module")
def pairs() -> Dataset:
    return dataset("pairs", [reference for _, reference in PAIRS])


@pytest.fixture(scope="module")
def long_pairs(pairs: Dataset) -> Dataset:
    """Thirty references."""
    return dataset("long", [f"{reference} {number}" for number, reference in enumerate(references(pairs) * 3) if number < 30])


def test_a_copy_of_the_references_scores_one_in_every_metric(pairs: Dataset) -> None:
    [figures] = scored([pairs], [row(pairs, references(pairs))]).rows
    assert [(score.metric, score.value) for score in figures.scores] == [(metric, 1.0) for metric in METRICS]
    assert [(score.low, score.high) for score in figures.scores] == [(1.0, 1.0)] * len(PRIMARY) + [(None, None)] * (
        len(METRICS) - len(PRIMARY)
    )


def test_the_known_pairs_score_what_other_programs_compute(pairs: Dataset) -> None:
    [figures] = scored([pairs], [row(pairs, [question for question, _ in PAIRS])]).rows
    known = {
        "bleu4": 0.483209, "rouge2_f1": 0.485248, "rougeL_f1": 0.597612, "sentence_bleu4_m1": 0.384193, "rouge2_recall": 0.473581,
        "rougeL_recall": 0.582222, "unicode_rouge2_f1": 0.474506, "unicode_rougeL_f1": 0.621621, "caption_rougeL": 0.616035,
    }  # fmt: skip
    assert {score.metric: round(score.value, 6) for score in figures.scores} == known
    for score in figures.scores:
        assert f"|n:{len(PAIRS)}|" in score.signature
        assert ("seed:3" in score.signature) == (score.metric in PRIMARY)
    for metric in PRIMARY:
        score = figures.score(metric)
        assert score is not None
        assert score.low is not None
        assert score.high is not None
        assert score.low < score.value < score.high


def test_empty_questions_score_zero_and_stay_in_every_mean(pairs: Dataset) -> None:
    copies = references(pairs)
    half = [question if number % 2 else " " * (number % 3) for number, question in enumerate(copies)]
    kept = sum(bool(question.strip()) for question in half)
    [figures] = scored([pairs], [row(pairs, half, failed=2)]).rows
    assert (figures.n, figures.empty, figures.failed) == (len(copies), len(copies) - kept, 2)
    assert value(figures, "rougeL_f1") == pytest.approx(kept / len(copies))
    assert value(figures, "bleu4") < 1
    assert figures.mean_words == pytest.approx(sum(len(question.split()) for question in half) / kept)
    [nothing] = scored([pairs], [row(pairs, [""] * len(copies))]).rows
    assert {score.value for score in nothing.scores} == {0.0}
    assert (nothing.mean_words, nothing.leaks.numerator) == (None, 0)


def test_questions_are_joined_by_id_and_wrong_ids_stop_with_a_list(pairs: Dataset) -> None:
    asked = row(pairs, [question for question, _ in PAIRS])
    turned = row(pairs, dict(reversed(asked.predictions.items())))
    assert scored([pairs], [turned]) == scored([pairs], [asked])
    lacking = {ident: question for ident, question in asked.predictions.items() if ident != "pairs-004"}
    with pytest.raises(ValueError, match=r"no question for 1 of 11 records: pairs-004"):
        scored([pairs], [row(pairs, lacking)])
    with pytest.raises(ValueError, match=r"questions for unknown ids 1 of 11 records: other"):
        scored([pairs], [row(pairs, {**asked.predictions, "other": "Who?"})])


def test_two_rows_or_datasets_of_one_name_are_refused(pairs: Dataset) -> None:
    asked = row(pairs, references(pairs))
    with pytest.raises(ValueError, match="two rows"):
        scored([pairs], [asked, asked])
    with pytest.raises(ValueError, match="two datasets"):
        scored([pairs, pairs], [asked])
    with pytest.raises(ValueError, match="no dataset given"):
        scored([dataset("others", ["Who?"])], [asked])


def test_a_row_that_wrote_the_references_has_no_scores_and_is_set_beside_nothing(pairs: Dataset) -> None:
    own = row(pairs, references(pairs), "offline_rules", kind=RowKind.REFERENCE, model="offline-rules", wrote_references=True)
    method, free = scored([pairs], [own, row(pairs, [question for question, _ in PAIRS])]).rows
    assert (free.is_self, free.scores, free.comparisons) == (True, (), ())
    assert free.mean_words is not None
    assert method.comparisons == ()
    assert {one.row.method for one in scored([pairs], [own]).heatmaps} == set()


def test_rows_are_set_beside_the_first_of_their_model_and_outside_ones_beside_the_first_of_all(long_pairs: Dataset) -> None:
    copies = references(long_pairs)
    cut = [question.rsplit(" ", 4)[0] for question in copies]
    rows = [
        row(long_pairs, copies, "template", kind=RowKind.REFERENCE, model=None),
        row(long_pairs, cut, "file", kind=RowKind.OUTSIDE, model=None),
        row(long_pairs, copies),
        row(long_pairs, cut, "cot"),
        row(long_pairs, copies, "few_shot"),
        row(long_pairs, cut, model="large"),
        row(long_pairs, copies, "cot", model="large"),
    ]
    summary = scored([long_pairs], rows)
    assert [one.row.kind for one in summary.rows] == [RowKind.METHOD] * 5 + [RowKind.OUTSIDE, RowKind.REFERENCE]
    beside = {(one.row.method, one.row.model): one.comparisons for one in summary.rows}
    assert beside["zero_shot", "mini"] == beside["zero_shot", "large"] == beside["template", None] == ()
    baselines = {key: {(test.baseline.method, test.baseline.model) for test in tests} for key, tests in beside.items() if tests}
    mini, large = {("zero_shot", "mini")}, {("zero_shot", "large")}
    assert baselines == {("cot", "mini"): mini, ("few_shot", "mini"): mini, ("cot", "large"): large, ("file", None): mini}
    for test in beside["few_shot", "mini"]:
        assert (test.difference, test.low, test.high, test.p_holm, test.told_apart) == (0, 0, 0, 1, False)
    for worse, better in zip(beside["cot", "mini"], beside["cot", "large"], strict=True):
        assert worse.difference == -better.difference < 0
        assert (worse.low, worse.high) == (pytest.approx(-(better.high or 0)), pytest.approx(-(better.low or 0)))
        assert worse.p == better.p == pytest.approx(2 / 201)
        assert worse.told_apart is better.told_apart is True
        assert worse.p_holm == pytest.approx(4 * 2 / 201)


def test_intervals_resample_groups_and_one_group_gives_none() -> None:
    texts = [f"Who led the harbour board of town number {number} after the great flood?" for number in range(40)]
    questions = [text if number % 2 else "Who?" for number, text in enumerate(texts)]
    widths = []
    for groups in (40, 2):
        of = dataset("town", texts, groups=groups)
        [figures] = scored([of], [row(of, questions)]).rows
        score = figures.score("rougeL_f1")
        assert score is not None
        assert score.low is not None
        assert score.high is not None
        widths.append(score.high - score.low)
    assert widths[1] > 2 * widths[0]  # the two groups are of all good and of all bad questions
    of = dataset("town", texts, groups=1)
    figures, other = scored([of], [row(of, questions), row(of, texts, "cot")]).rows
    assert {(score.low, score.high) for score in figures.scores} == {(None, None)}
    assert {(test.p, test.told_apart) for test in other.comparisons} == {(None, None)}


def test_leaks_are_those_of_the_leak_filter() -> None:
    record = make_record()
    of = dataset("leaky", ["Who was Mayor of Arn?"] * 4)
    questions = [f"Was it {record.answer}?", f"Was it {record.answer_aliases[0]}?", "Who was it?", ""]
    [figures] = scored([of], [row(of, questions)]).rows
    assert (figures.leaks.numerator, figures.leaks.denominator) == (2, 4)


def test_references_and_rows_of_the_offline_rules_are_warned_of() -> None:
    models, rules = dataset("models", ["Who was it?"]), dataset("rules", ["Who was it?"], rewriter="offline-rules")
    assert offline_warning(scored([models], [row(models, ["Who?"])])) == ""
    said = offline_warning(scored([models, rules], [row(models, ["Who?"], "mine", model="offline-rules"), row(rules, ["Who?"])]))
    assert "The references of rules were written by the offline rules" in said
    assert "mine, offline-rules are no language model's" in said


_SCRIPT = """
import sys
from evaluation.generators.failures import offline_reader
from evaluation.generators.item_lists import scores_table
from evaluation.generators.report import evaluation_tables
from evaluation.generators.scoring import score_rows
from evaluation.pages.tables import as_csv
from tests.planted_evaluation import PAIRS, dataset, row

of = dataset("pairs", [reference for _, reference in PAIRS])
rows = [row(of, [question for question, _ in PAIRS]), row(of, [question for _, question in PAIRS], "cot")]
made = score_rows([of], rows, seed=0, resamples=100, reader=offline_reader(rows, seed=0))
print(made.summary.model_dump_json())
print(*(as_csv(table) for table in (*evaluation_tables(made.summary).values(), scores_table(made.measured))))
"""


@pytest.mark.slow
def test_hash_seeds_change_nothing() -> None:
    root = Path(__file__).parents[3]
    outputs = [
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert json.loads(outputs[0].splitlines()[0])["rows"]
    assert outputs[0] == outputs[1]


def test_more_processes_measure_the_same() -> None:
    of = dataset("many", [f"Who led the harbour board of town number {number} after Lena Voss?" for number in range(600)])
    rows = [row(of, [f"Who led town {number}?" if number % 7 else "" for number in range(600)]), row(of, references(of), "cot")]
    reader = offline_reader(rows, seed=0, most=20)
    one, two = (measure_rows([of], rows, reader, workers=workers) for workers in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert a.scores is not None
        assert b.scores is not None
        assert np.array_equal(a.scores.statistics(), b.scores.statistics())
        assert np.array_equal(a.leaks, b.leaks)
        assert np.array_equal(a.words, b.words)
        assert a.failures == b.failures
        assert len(a.failures) == len(a.scores) == 600
