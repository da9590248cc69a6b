"""The report of a rewriter study: every file of it holds the summary's numbers, and labels stay text in all of them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from evaluation.pages.page_parts import MOST_SHOWN
from evaluation.rewriter.charts import PICTURES, rewriter_pictures
from evaluation.rewriter.fates import fate_of
from evaluation.rewriter.item_lists import explorer, flipped_grids, lost_table
from evaluation.rewriter.report import summary_lines, write_rewriter_report
from evaluation.rewriter.summary import RewriterSummary, summarise_rewriter_study
from evaluation.rewriter.tables import tables
from runs.terminal import shown
from state.rewriter_study import RewriterStudy
from state.vocabulary import Status
from tests.planted_rewriter_study import FATES, of_fates, study
from tests.report_checks import (
    STRANGE,
    Page,
    assert_csv_files_hold_no_formula,
    assert_figures_hold_no_text,
    assert_markdown_tables_are_whole,
    assert_notes_are_read_as_written,
    assert_page_is_sealed,
    assert_references_have_targets,
    assert_same_elements,
    embedded,
)

SIZE = 2 * len(STRANGE)


def labelled(labels: Sequence[str]) -> RewriterStudy:
    """Two cells that differ in most instances, with these labels wherever a stranger's text can be."""
    at = [labels[number % len(labels)] for number in range(SIZE)]
    fates = [FATES[number % len(FATES)] for number in range(SIZE)]
    made = study(of_fates("a", fates), of_fates("b", ["failed", *fates[:-1]], usd=0.25))
    cells = [
        cell.model_copy(
            update={
                "name": f"{labels[place]}/v1",
                "model": labels[place],
                "model_key": labels[place],
                "prompt": labels[place],
                "address": f"{labels[place + 2]}@cell",
                "outcomes": tuple(
                    outcome.model_copy(update={"final_question": outcome.final_question and f"Who? {at[number]}"})
                    for number, outcome in enumerate(cell.outcomes)
                ),
            }
        )
        for place, cell in enumerate(made.cells)
    ]
    asked = [one.model_copy(update={"raw_question": at[number]}) for number, one in enumerate(made.instances)]
    own = {"dataset": labels[1], "source": labels[2], "notes": tuple(labels)}
    return made.model_copy(update={"instances": tuple(asked), "cells": tuple(cells), **own})


def written(made: RewriterStudy, folder: Path) -> dict[str, bytes]:
    paths = write_rewriter_report(folder, made, summarise_rewriter_study(made))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def tame() -> RewriterStudy:
    return labelled([f"label {number}" for number in range(len(STRANGE))])


@pytest.fixture(scope="module")
def hostile() -> RewriterStudy:
    return labelled(STRANGE)


@pytest.fixture(scope="module")
def tame_files(tame: RewriterStudy, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return written(tame, tmp_path_factory.mktemp("tame"))


@pytest.fixture(scope="module")
def hostile_files(hostile: RewriterStudy, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return written(hostile, tmp_path_factory.mktemp("hostile"))


def test_the_report_has_all_its_files(tame: RewriterStudy, tame_files: dict[str, bytes]) -> None:
    names = {table.name for table in tables(summarise_rewriter_study(tame))} | {"settings", "not_accepted"}
    figures = {f"figures/{name}.{ending}" for name in PICTURES for ending in ("svg", "png")}
    assert set(tame_files) == {"study.json", "summary.json", "study.md", "study.html", *figures, *(f"tables/{n}.csv" for n in names)}
    assert RewriterStudy.model_validate_json(tame_files["study.json"]) == tame
    assert RewriterSummary.model_validate_json(tame_files["summary.json"]) == summarise_rewriter_study(tame)


def test_a_study_read_back_writes_the_same_bytes(hostile_files: dict[str, bytes], tmp_path: Path) -> None:
    again = written(RewriterStudy.model_validate_json(hostile_files["study.json"]), tmp_path)
    assert [name for name in hostile_files if again[name] != hostile_files[name]] == []


def test_hostile_labels_stay_text_in_every_file(tame_files: dict[str, bytes], hostile_files: dict[str, bytes]) -> None:
    page = hostile_files["study.html"]
    assert_same_elements(tame_files["study.html"], page)
    assert_notes_are_read_as_written(page, STRANGE)
    assert {item[3] for item in embedded(page)["items"]} == {shown(label) for label in STRANGE}
    assert_page_is_sealed(page)
    assert_references_have_targets(page)
    assert_figures_hold_no_text(hostile_files, PICTURES)
    assert_csv_files_hold_no_formula(hostile_files)
    assert_markdown_tables_are_whole(hostile_files["study.md"])


def test_page_and_markdown_have_every_cell_of_the_tables(tame: RewriterStudy, tame_files: dict[str, bytes]) -> None:
    on_page = "\n".join(Page(tame_files["study.html"].decode()).cells)
    markdown = tame_files["study.md"].decode()
    for table in tables(summarise_rewriter_study(tame)):
        if table.name != "flipped":
            assert "\n".join(cell for row in table.rows for cell in row) in on_page
            assert table.caption in markdown


def test_the_page_filters_instances_by_cell_fate_and_each_family(tame: RewriterStudy, tame_files: dict[str, bytes]) -> None:
    found = explorer(tame, summarise_rewriter_study(tame))
    assert set(found.filters) <= {*found.item_columns, *found.answer_columns}
    assert {"fate", "family"} <= set(found.filters)
    assert {item[1] for item in found.items} == {"I-I", "I-I, I-I, P-P"}
    data = embedded(tame_files["study.html"])
    assert (data["several"], data["separator"]) == (["family"], ", ")
    for setting, cell in zip(data["settings"], tame.cells, strict=True):
        assert shlex.split(setting["command"]) == ["chronoqg", "show", cell.address]
        answers = [tuple(data["answers"][place]) for place in setting["answers"]]
        assert answers == [(fate_of(outcome), outcome.final_question or "-") for outcome in cell.outcomes]


def test_single_instances_open_with_the_cell_that_lost_them(hostile: RewriterStudy) -> None:
    summary = summarise_rewriter_study(hostile)
    [grid] = flipped_grids(hostile, summary)
    accepted_test = summary.comparisons[0].tests[0]
    assert [row[2] for row in grid.table.rows] == sorted((*accepted_test.only_a, *accepted_test.only_b))
    status = {(cell.name, outcome.instance): outcome.status for cell in hostile.cells for outcome in cell.outcomes}
    addresses = {cell.name: cell.address for cell in hostile.cells}
    for row in grid.table.rows:
        good, bad, ident, command = row[0], row[1], row[2], row[-1]
        assert status[good, ident] is Status.ACCEPTED
        assert status[bad, ident] is not Status.ACCEPTED
        assert shlex.split(command) == ["chronoqg", "show", addresses[bad], ident]
    lost = lost_table(hostile).rows
    assert Counter(row[0] for row in lost) == Counter(name for (name, _), state in status.items() if state is not Status.ACCEPTED)
    assert all(shlex.split(row[-1]) == ["chronoqg", "show", addresses[row[0]], row[1]] for row in lost)


def test_no_more_than_some_flipped_instances_are_shown() -> None:
    made = study(of_fates("a", ["passed"] * 70), of_fates("b", ["failed"] * 70))
    [grid] = flipped_grids(made, summarise_rewriter_study(made))
    assert len(grid.table.rows) == MOST_SHOWN
    assert grid.note == f"{MOST_SHOWN} of 70 shown; the ids of all are in tables/flipped.csv."


def test_a_cell_without_an_accepted_question_is_drawn_apart() -> None:
    made = study(of_fates("a", ["passed"] * 3), of_fates("b", ["failed"] * 3), of_fates("c", ["revised"] * 3))
    pictures = {picture.name: picture for picture in rewriter_pictures(summarise_rewriter_study(made))}
    assert tuple(pictures) == PICTURES
    assert "stand apart" in pictures["frontier"].caption


def test_a_study_without_cells_or_without_instances_is_written_and_figures_of_before_are_removed(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    for name in PICTURES:
        (tmp_path / "figures" / f"{name}.svg").write_text("old", encoding="utf-8")
    for made in (study(of_fates("a", [])), study(of_fates("a", ["passed"])).model_copy(update={"cells": ()})):
        files = written(made, tmp_path)
        Page(files["study.html"].decode())
        assert list((tmp_path / "figures").iterdir()) == []
        assert summary_lines(made, summarise_rewriter_study(made))[-1].startswith("recommendation: ")


def test_the_terminal_gets_a_row_for_each_cell_and_tokens_where_no_price_is_known(tame: RewriterStudy) -> None:
    lines = summary_lines(tame, summarise_rewriter_study(tame))
    assert "USD an accepted question" in lines[1]
    costs = [cell.pipeline_cost.usd_per_accepted for cell in summarise_rewriter_study(tame).cells]
    assert [float(line.split()[-1]) for line in lines[2:4]] == pytest.approx(costs, rel=0.01)
    assert lines[4] == "note: label 0"
    unpriced = study(of_fates("a", ["passed", "failed"], usd=None))
    lines = summary_lines(unpriced, summarise_rewriter_study(unpriced))
    assert "tokens an accepted question" in lines[1]
    assert lines[2].split() == ["a", "1/2", "50.0", "[9.5,", "90.5]", "1/2", "50.0", "[9.5,", "90.5]", "44.4", "100.0", "80"]
