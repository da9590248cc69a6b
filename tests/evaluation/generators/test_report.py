"""The report of an evaluation: every file holds the summary's numbers, and labels and questions stay text in all of them."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Sequence
from html import unescape
from pathlib import Path

import pytest

from evaluation.generators.charts import PICTURES, drawn_rows
from evaluation.generators.failures import offline_reader
from evaluation.generators.figures import EvaluationSummary
from evaluation.generators.item_lists import explorer
from evaluation.generators.items import EvaluationData
from evaluation.generators.paper_tables import PAPER_NOTE, paper_tables
from evaluation.generators.report import evaluation_tables, summary_lines, write_evaluation_report
from evaluation.generators.rows import RowKind, RowUsage
from evaluation.generators.scoring import Evaluation, score_rows
from evaluation.pages import page_parts
from evaluation.pages.tables import rounded
from runs.terminal import shown
from tests.planted_evaluation import dataset, references, row
from tests.report_checks import (
    STRANGE,
    Page,
    assert_csv_files_hold_no_formula,
    assert_figures_hold_no_text,
    assert_markdown_tables_are_whole,
    assert_page_is_sealed,
    assert_references_have_targets,
    assert_same_elements,
    embedded,
)

SIZE = 24


def labelled(labels: Sequence[str]) -> Evaluation:
    """Rows of every kind, with these labels wherever a stranger's text can be."""
    texts = [f"Who led the harbour board then? {labels[number % len(labels)]}" for number in range(SIZE)]
    of = dataset("d", texts, source=labels[0], rewriter=labels[1])
    rules = dataset("r", texts, source=labels[2], rewriter="offline-rules")
    renamed = [
        type(one)(f"{label}-{place}", one.source, one.records, one.groups)
        for place, (one, label) in enumerate(zip((of, rules), labels[3:], strict=False))
    ]
    asked = [f"Who led it? {labels[(number + 1) % len(labels)]}" if number % 3 else "" for number in range(SIZE)]
    usage = RowUsage(questions=SIZE, calls=SIZE, input=10, output=2, usd=0.5)
    rows = []
    for one in renamed:
        rows += [
            row(one, asked, labels[4], label=labels[4], model=labels[5], usage=usage, failed=1, address=f"{labels[6]}@cell"),
            row(one, references(one), labels[7], label=labels[7], model=labels[5], usage=usage),
            row(one, asked, labels[4], label=labels[4], model=labels[6]),
            row(one, asked, labels[8], label=labels[8], model=None, kind=RowKind.OUTSIDE),
            row(one, references(one), labels[3], label=labels[3], model=labels[3], kind=RowKind.REFERENCE, wrote_references=True),
        ]
    return score_rows(renamed, rows, seed=0, resamples=100, reader=offline_reader(rows, seed=0, most=2))


def written(made: Evaluation, folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in write_evaluation_report(folder, made)}


@pytest.fixture(scope="module")
def tame() -> Evaluation:
    return labelled([f"label {number}" for number in range(len(STRANGE))])


@pytest.fixture(scope="module")
def hostile() -> Evaluation:
    return labelled(STRANGE)


@pytest.fixture(scope="module")
def tame_files(tame: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return written(tame, tmp_path_factory.mktemp("tame"))


@pytest.fixture(scope="module")
def hostile_files(hostile: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return written(hostile, tmp_path_factory.mktemp("hostile"))


def test_the_report_has_all_its_files(tame: Evaluation, tame_files: dict[str, bytes]) -> None:
    assert "scores" in evaluation_tables(tame.summary), "the main table has a file of its own"
    names = {*evaluation_tables(tame.summary), "questions", *(table.name for table in paper_tables())}
    pages = {"evaluation.json", "summary.json", "evaluation.md", "evaluation.html"}
    figures = {f"figures/{name}.{ending}" for name in PICTURES for ending in ("svg", "png")}
    assert set(tame_files) == {*pages, *figures, *(f"tables/{name}.csv" for name in names)}
    assert EvaluationSummary.model_validate_json(tame_files["summary.json"]) == tame.summary
    data = EvaluationData.model_validate_json(tame_files["evaluation.json"])
    for stored, one in zip(data.rows, tame.measured, strict=True):
        assert stored.questions == tuple(one.row.predictions[record.id] for record in one.dataset.records)
        assert (stored.row, stored.dataset, stored.is_self) == (one.name, one.dataset.name, one.row.wrote_references)


@pytest.mark.slow
def test_hostile_labels_stay_text_in_every_file(tame_files: dict[str, bytes], hostile_files: dict[str, bytes]) -> None:
    page = hostile_files["evaluation.html"]
    assert_same_elements(tame_files["evaluation.html"], page)
    assert {item[3].removeprefix("Who led the harbour board then? ") for item in embedded(page)["items"]} >= {
        shown(label).strip() for label in STRANGE[:3]
    }
    assert_page_is_sealed(page)
    assert_references_have_targets(page)
    assert_figures_hold_no_text(hostile_files, PICTURES)
    assert_csv_files_hold_no_formula(hostile_files)
    assert_markdown_tables_are_whole(hostile_files["evaluation.md"])
    for line in hostile_files["evaluation.json"], hostile_files["summary.json"]:
        assert not {"\u2028", "\u2029"} & set(line.decode())


def test_page_and_markdown_have_every_cell_of_the_tables_and_intervals_stand_below_the_scores(
    tame: Evaluation, tame_files: dict[str, bytes]
) -> None:
    on_page = Page(tame_files["evaluation.html"].decode())
    cells, markdown = "\n".join(on_page.cells), tame_files["evaluation.md"].decode()
    for table in evaluation_tables(tame.summary).values():
        assert table.caption in markdown
        assert "\n".join(cell for one in table.rows for cell in one) in cells
    rows = list(csv.DictReader(tame_files["tables/all_scores.csv"].decode().splitlines()))
    for one in tame.summary.rows:
        score = one.score("rougeL_f1")
        if score is not None:
            assert repr(score.value) in {line["value"] for line in rows}
            star = " *" if any(test.told_apart for test in one.comparisons if test.metric == score.metric) else ""
            assert f"{rounded(score.low, 3)} to {rounded(score.high, 3)}{star}" in on_page.text


def test_the_papers_figures_stand_in_a_part_of_their_own(tame_files: dict[str, bytes]) -> None:
    text = tame_files["evaluation.html"].decode()
    part = text[text.index('<section id="paper">') :].partition("</section>")[0]
    assert unescape(part).count(PAPER_NOTE) == 1
    outside = text.replace(part, "")
    for table in paper_tables():
        assert f">{table.caption}<" in unescape(part)
        assert table.caption not in unescape(outside)


def test_offline_rules_are_warned_of_before_any_number(tame_files: dict[str, bytes]) -> None:
    for name in ("evaluation.html", "evaluation.md"):
        text = tame_files[name].decode()
        assert 0 < text.index("were written by the offline rules") < text.index("Highest BLEU-4")


def test_the_page_filters_questions_by_row_template_operator_failure_and_text(tame: Evaluation) -> None:
    found = explorer(tame.measured)
    assert found is not None
    assert found.filters == ("template", "operators", "differs")
    assert len(found.items) == 2 * SIZE
    for setting, one in zip(found.settings, tame.measured, strict=True):
        answers = [answer for answer in setting.answers if answer is not None]
        assert [answer[-1] for answer in answers] == [one.row.predictions[record.id] or "-" for record in one.dataset.records]
        assert sum(answer[0] != "not asked" for answer in answers) == 2
        assert shlex.split(setting.command) == (["chronoqg", "show", one.row.address] if one.row.address else [])
        assert ("-" in {answer[1] for answer in answers}) == one.row.wrote_references


def test_of_very_many_questions_those_that_went_wrong_are_on_the_page(tame: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.generators.item_lists.MOST_EXPLORED", 5)
    found = explorer(tame.measured)
    assert found is not None
    assert len(found.items) == 5 < page_parts.MOST_EXPLORED
    assert found.note == f"{2 * SIZE - 5} records are not on this page; tables/questions.csv has all."


def test_an_evaluation_without_rows_or_with_reference_rows_alone_is_written(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    for name in PICTURES:
        (tmp_path / "figures" / f"{name}.svg").write_text("old", encoding="utf-8")
    of = dataset("d", ["Who was it?"] * 3)
    own = row(of, ["Who?"] * 3, "template", kind=RowKind.REFERENCE, model=None)
    copy = row(of, references(of), "rules", kind=RowKind.REFERENCE, model="offline-rules", wrote_references=True)
    for rows, pictures in (([], set()), ([copy], set()), ([own], {"hops_constraints", "operators-1"})):
        made = score_rows([of], rows, seed=0, resamples=100, reader=None)
        files = written(made, tmp_path)
        Page(files["evaluation.html"].decode())
        assert {path.stem for path in (tmp_path / "figures").iterdir()} == pictures
        assert bool(summary_lines(made.summary)) is bool(rows)
        assert any("3 groups of questions only" in note for note in made.summary.notes) is bool(rows)
    assert [one.method for one in drawn_rows(made.summary)] == ["template"]


def test_the_terminal_gets_a_row_for_each_generator_and_the_warning(tame: Evaluation) -> None:
    lines = summary_lines(tame.summary)
    assert sum(line.startswith("  label 4") for line in lines) == 2
    assert any("self" in line for line in lines)
    assert any(line.startswith("note: The references of") for line in lines)
