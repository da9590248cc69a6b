"""The report of a verifier study: every file of it holds the summary's numbers, and labels stay text in all of them."""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import pytest

from evaluation.pages.page_parts import MOST_EXPLORED, MOST_SHOWN
from evaluation.pages.report_files import offline_warning
from evaluation.verifier.charts import PICTURES, verifier_pictures
from evaluation.verifier.item_lists import answers_of, explorer, flipped_grids, flipped_note, flipped_table, missed_table
from evaluation.verifier.report import summary_lines, write_verifier_report
from evaluation.verifier.summary import VerifierSummary, summarise_verifier_study
from evaluation.verifier.tables import both_rates, verifier_tables
from runs.terminal import shown
from state.study import DamageKind, Reading, Register, VerifierStudy
from state.vocabulary import Family
from tests.planted_study import Planted, by_rules, planted_study
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

YES, OTHER, UNSURE = Reading.AGREED, Reading.ANOTHER, Reading.ABSTAINED


def planted(*, sources: int = 12, final: bool = True, damages: Sequence[DamageKind] = tuple(DamageKind)) -> list[Planted]:
    """Sound and damaged items of two cells that differ in a third of them."""
    items = []
    for number in range(sources):
        family = list(Family)[number % len(Family)]
        register = Register.FINAL if final and number % 6 == 5 else Register.TEMPLATE
        items.append(Planted(f"s{number}", None, (YES, OTHER if number % 3 else YES), family, register))
        for place, kind in enumerate(damages):
            readings = (OTHER, YES) if (number + place) % 3 else (UNSURE, UNSURE)
            items.append(Planted(f"s{number}", kind, readings, family, register, labels=("missing",)))
    return items


def relabelled(study: VerifierStudy, labels: Sequence[str]) -> VerifierStudy:
    """The same study with these labels wherever a stranger's text can be."""
    at = [labels[number % len(labels)] for number in range(len(study.items))]
    items = [
        item.model_copy(update={"question": f"Who? {at[n]}", "expected": (at[n],), "note": at[n]}) for n, item in enumerate(study.items)
    ]
    cells = [
        cell.model_copy(
            update={
                "name": f"{labels[place]}/v1/all",
                "model": labels[place],
                "model_key": labels[place],
                "prompt": labels[place],
                "address": f"{labels[place + 2]}@cell",
                "outcomes": tuple(outcome.model_copy(update={"named": (at[n], labels[0])}) for n, outcome in enumerate(cell.outcomes)),
            }
        )
        for place, cell in enumerate(study.cells)
    ]
    own = {"dataset": labels[1], "source": labels[2], "notes": tuple(labels)}
    return study.model_copy(update={"items": tuple(items), "cells": tuple(cells), **own})


def summarised(study: VerifierStudy) -> VerifierSummary:
    return summarise_verifier_study(study, resamples=40)


def written(study: VerifierStudy, folder: Path) -> dict[str, bytes]:
    paths = write_verifier_report(folder, study, summarised(study))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def tame() -> VerifierStudy:
    return relabelled(planted_study(planted()), [f"label {number}" for number in range(len(STRANGE))])


@pytest.fixture(scope="module")
def hostile() -> VerifierStudy:
    return relabelled(planted_study(planted()), STRANGE)


@pytest.fixture(scope="module")
def tame_files(tame: VerifierStudy, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return written(tame, tmp_path_factory.mktemp("tame"))


@pytest.fixture(scope="module")
def hostile_files(hostile: VerifierStudy, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return written(hostile, tmp_path_factory.mktemp("hostile"))


def test_the_report_has_all_its_files(tame: VerifierStudy, tame_files: dict[str, bytes]) -> None:
    names = {table.name for table in verifier_tables(summarised(tame))} | {"flipped", "missed"}
    figures = {f"figures/{name}.{ending}" for name in PICTURES for ending in ("svg", "png")}
    assert set(tame_files) == {"study.json", "summary.json", "study.md", "study.html", *figures, *(f"tables/{n}.csv" for n in names)}
    assert VerifierStudy.model_validate_json(tame_files["study.json"]) == tame
    assert VerifierSummary.model_validate_json(tame_files["summary.json"]) == summarised(tame)


@pytest.mark.slow
def test_another_process_with_another_hash_seed_and_other_settings_of_matplotlib_writes_the_same_bytes(
    hostile: VerifierStudy, hostile_files: dict[str, bytes], tmp_path: Path
) -> None:
    code = """
import sys
from pathlib import Path
import evaluation.rewriter.report
from evaluation.verifier.report import write_verifier_report
from evaluation.verifier.summary import VerifierSummary
from state.study import VerifierStudy
assert not {"matplotlib", "jinja2"} & set(sys.modules), "a report loads its tools before it needs them"
import matplotlib
matplotlib.rcParams.update({"font.size": 31, "text.usetex": True, "svg.fonttype": "none"})
given, out = map(Path, sys.argv[1:])
study = VerifierStudy.model_validate_json((given / "study.json").read_bytes())
write_verifier_report(out, study, VerifierSummary.model_validate_json((given / "summary.json").read_bytes()))
assert matplotlib.rcParams["font.size"] == 31
assert "matplotlib.pyplot" not in sys.modules
"""
    given = tmp_path / "given"
    given.mkdir()
    for name in ("study.json", "summary.json"):
        (given / name).write_bytes(hostile_files[name])
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", code, str(given), str(tmp_path / "out")], check=True, env=environment, cwd=tmp_path)
    again = {name: (tmp_path / "out" / name).read_bytes() for name in hostile_files}
    assert [name for name in hostile_files if again[name] != hostile_files[name]] == []


def test_hostile_labels_make_no_element_and_no_attribute(tame_files: dict[str, bytes], hostile_files: dict[str, bytes]) -> None:
    assert_same_elements(tame_files["study.html"], hostile_files["study.html"])


def test_hostile_labels_are_read_as_they_are_written(hostile_files: dict[str, bytes]) -> None:
    assert_notes_are_read_as_written(hostile_files["study.html"], STRANGE)
    data = embedded(hostile_files["study.html"])
    assert {item[5] for item in data["items"]} == {shown(label) for label in STRANGE}


def test_the_page_allows_nothing_but_its_own_script_and_asks_for_no_resource(hostile_files: dict[str, bytes]) -> None:
    assert_page_is_sealed(hostile_files["study.html"])


def test_every_reference_within_a_figure_on_the_page_has_one_target(tame_files: dict[str, bytes]) -> None:
    assert_references_have_targets(tame_files["study.html"])


def test_figures_are_well_formed_and_hold_no_text(hostile_files: dict[str, bytes]) -> None:
    assert_figures_hold_no_text(hostile_files, PICTURES)


def test_csv_files_are_tables_without_formulas(hostile_files: dict[str, bytes]) -> None:
    assert_csv_files_hold_no_formula(hostile_files)


def test_every_row_of_a_markdown_table_has_as_many_cells_as_its_header(hostile_files: dict[str, bytes]) -> None:
    assert_markdown_tables_are_whole(hostile_files["study.md"])


def test_the_tables_show_the_numbers_of_the_summary(tame: VerifierStudy, tame_files: dict[str, bytes]) -> None:
    summary = summarised(tame)
    _, *rows = csv.reader(tame_files["tables/both_rates.csv"].decode().splitlines())
    assert len(rows) == len(summary.cells)
    for row, cell in zip(rows, summary.cells, strict=True):
        rates = cell.template.acceptance.micro.rate, cell.template.detection.pooled, cell.template.balanced
        assert row[0] == cell.name
        for text, rate in zip(row[1:4], rates, strict=True):
            found = re.fullmatch(r"(?:(\d+)/(\d+)  )?([\d.]+) \[([\d.]+), ([\d.]+)\](?:, n (\d+))?", text)
            assert found is not None
            assert [float(end) / 100 for end in found.groups()[2:5]] == pytest.approx([rate.value, rate.low, rate.high], abs=0.00051)
            if found[6] is None:
                assert (int(found[1]), int(found[2])) == (rate.numerator, rate.denominator)
                assert rate.numerator / rate.denominator == pytest.approx(rate.value)
            else:
                assert (found[1], int(found[6])) == (None, rate.denominator)
                assert rate.numerator / rate.denominator != pytest.approx(rate.value)
    assert any(", n " in cell for row in rows for cell in row)


def test_page_and_markdown_have_every_cell_of_the_tables(tame: VerifierStudy, tame_files: dict[str, bytes]) -> None:
    page, markdown = Page(tame_files["study.html"].decode()), tame_files["study.md"].decode()
    on_page = "\n".join(page.cells)
    for table in verifier_tables(summarised(tame)):
        assert "\n".join(cell for row in table.rows for cell in row) in on_page
    assert summarised(tame).cells[0].template.balanced.signature in page.cells
    for row in both_rates("t", "", summarised(tame), lambda cell: cell.template).rows:
        assert f"| {' | '.join(cell.replace('[', chr(92) + '[').replace(']', chr(92) + ']') for cell in row)} |" in markdown


def test_the_papers_rows_stand_in_their_own_table_only(tame_files: dict[str, bytes]) -> None:
    with_paper = [name for name, data in tame_files.items() if name.endswith(".csv") and b"GPT" in data]
    assert with_paper == ["tables/paper_table2.csv"]
    assert b"293/500  58.6" in tame_files["tables/paper_table2.csv"]


def test_flipped_items_stand_in_the_file_and_open_with_the_cell_that_was_wrong(hostile: VerifierStudy) -> None:
    summary, answers = summarised(hostile), answers_of(hostile)
    table = flipped_table(hostile, summary, answers)
    flipped = summary.comparisons[0].flipped
    assert [row[2] for row in table.rows] == [flip.item for flip in flipped]
    addresses = {cell.name: cell.address for cell in hostile.cells}
    for row in table.rows:
        right, wrong, item, command = row[0], row[1], row[2], row[-1]
        assert {right, wrong} == set(addresses)
        assert shlex.split(command) == ["chronoqg", "show", addresses[wrong], item]
        of_wrong = next(answers[place] for place, cell in enumerate(hostile.cells) if cell.name == wrong)
        assert not of_wrong[item].is_right


def test_of_a_large_grid_the_file_has_pairs_with_the_recommended_cell_and_of_neighbours() -> None:
    readings = [tuple(YES if place != number % 5 else OTHER for place in range(5)) for number in range(20)]
    planted_grid = [Planted(f"s{number}", None, readings[number]) for number in range(20)]
    damaged = [Planted(f"s{number}", DamageKind.DROPPED, (OTHER,) * 5) for number in range(20)]
    study = planted_study([*planted_grid, *damaged], names="abcde", prices=(0.003, 0.002, 0.004, 0.005, 0.006))
    summary = summarised(study)
    table = flipped_table(study, summary, answers_of(study))
    assert summary.recommendation.cell == "b"
    assert {"".join(sorted(row[:2])) for row in table.rows} == {"ab", "bc", "bd", "be", "cd", "de"}
    assert "between b and every other cell, and between neighbours in the grid" in table.caption
    note = flipped_note(study, summary)
    assert note is not None
    assert "between b and every other cell, and between neighbours in the grid" in note.lines[0]


def test_no_more_than_some_flipped_items_are_shown(tame: VerifierStudy) -> None:
    summary = summarised(tame)
    [grid] = flipped_grids(tame, summary, answers_of(tame))
    assert flipped_note(tame, summary) is None
    count = len(summary.comparisons[0].flipped)
    assert count > MOST_SHOWN == len(grid.table.rows)
    assert grid.note == f"{MOST_SHOWN} of {count} shown; all are in tables/flipped.csv."


def test_missed_items_are_those_taken_wrongly_without_the_unnecessary_ones() -> None:
    study = planted_study([Planted("s", None, (YES, OTHER)), *(Planted("s", kind, (YES, UNSURE)) for kind in DamageKind)])
    rows = missed_table(study, answers_of(study)).rows
    assert [(row[0], row[2]) for row in rows if row[0] == "a"] == [
        ("a", kind.value) for kind in DamageKind if kind is not DamageKind.UNNECESSARY
    ]
    assert [row[2] for row in rows if row[0] == "b"] == ["none: sound"]


def test_the_page_keeps_the_items_that_went_wrong_if_there_are_too_many() -> None:
    study = planted_study([Planted(f"s{n}", None, (YES, OTHER if n > 4000 else YES)) for n in range(MOST_EXPLORED + 5)])
    found = explorer(study, summarised(study), answers_of(study))
    kept = {item[0] for item in found.items}
    assert len(kept) == MOST_EXPLORED
    assert {outcome.item for outcome in study.cells[1].outcomes if outcome.reading is OTHER} <= kept
    assert found.note.startswith("5 items")
    assert all(len(setting.answers) == MOST_EXPLORED for setting in found.settings)


def test_the_offline_rules_are_never_taken_for_a_model(tame: VerifierStudy, tame_files: dict[str, bytes], tmp_path: Path) -> None:
    assert offline_warning(tame) == ""
    assert b"offline rules" not in tame_files["study.html"]
    cells = tuple(cell.model_copy(update={"model": "offline-rules"}) for cell in tame.cells)
    all_offline = tame.model_copy(update={"cells": cells})
    assert offline_warning(all_offline).startswith("All figures are of the offline rules, not of any language model")
    mixed = tame.model_copy(update={"cells": (cells[0], tame.cells[1])})
    assert offline_warning(mixed).startswith(f"The figures of {tame.cells[0].name} are of the offline rules")
    files = written(planted_offline(all_offline), tmp_path)
    page = Page(files["study.html"].decode())
    assert page.elements.index(("p", "class", "role")) < page.elements.index(("section", "id"))
    assert "of the offline rules, not of any language model" in files["study.md"].decode().split("##")[0]
    assert any("offline rules" in line for line in summary_lines(all_offline, summarised(all_offline)))


def planted_offline(study: VerifierStudy) -> VerifierStudy:
    """A study with sound items only, which draws one figure and so is quick."""
    items = tuple(item for item in study.items if item.kind is None)
    kept = {item.id for item in items}
    cells = tuple(cell.model_copy(update={"outcomes": tuple(o for o in cell.outcomes if o.item in kept)}) for cell in study.cells)
    return study.model_copy(update={"items": items, "cells": cells})


def test_a_study_without_damages_draws_what_it_can_and_removes_figures_of_before(tame: VerifierStudy, tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    for name in PICTURES:
        (tmp_path / "figures" / f"{name}.svg").write_text("old", encoding="utf-8")
    written(planted_offline(tame), tmp_path)
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == ["rates.png", "rates.svg"]


def test_a_study_without_cells_or_without_items_is_written(tmp_path: Path) -> None:
    for number, study in enumerate((planted_study([], names=()), planted_study([]), planted_study(planted(sources=2), names=()))):
        files = written(study, tmp_path / str(number))
        Page(files["study.html"].decode())
        assert not any(name.startswith("figures") for name in files)
        assert all(data.count(b"\n") >= 1 for data in files.values())
        assert summary_lines(study, summarised(study))[-1].startswith("recommendation: ")


def test_the_terminal_gets_a_row_for_each_cell_and_tokens_where_no_price_is_known(tame: VerifierStudy) -> None:
    lines = summary_lines(tame, summarised(tame))
    assert "USD per 1,000 questions" in lines[1]
    assert [line.split()[-1] for line in lines[2:4]] == ["1.00", "2.00"]
    assert lines[-1] == f"recommendation: {summarised(tame).recommendation.line}"
    unpriced = planted_study(planted(), prices=(None, None))
    lines = summary_lines(unpriced, summarised(unpriced))
    assert "tokens a question" in lines[1]
    assert [line.split()[-1] for line in lines[2:4]] == ["15", "15"]


def test_nothing_is_said_of_a_frontier_where_nothing_costs_anything() -> None:
    small = planted_study(planted(sources=4, final=False, damages=(DamageKind.DROPPED,)), prices=(None, None))
    for study, names, says in ((small, ["rates", "frontier", "detection"], True), (by_rules(small), ["rates", "detection"], False)):
        summary = summarised(study)
        assert [picture.name for picture in verifier_pictures(summary)] == names
        assert any("frontier" in note for note in summary.notes) == says


def test_the_terminal_says_how_many_ordinals_stand_apart_and_that_rules_read_no_prompt() -> None:
    study = planted_study(planted(sources=4, final=False), population={Family.I_I: 100, Family.ORDINAL: 50})
    assert summary_lines(study, summarised(study))[0].startswith(
        "4 source questions (traces with one constraint) of graph, of which 10 ordinals stand apart in the report; 32 items, 2 cells: "
    )
    other = study.model_copy(update={"cells": (study.cells[0], study.cells[1].model_copy(update={"prompt": "v2"}))})
    for asked, says in ((other, False), (by_rules(study), False), (by_rules(other), True)):
        assert any(line.startswith("note: rules read no prompt") for line in summary_lines(asked, summarised(asked))) == says


@pytest.mark.parametrize("prices", [(None, None), (0.0, 0.0), (None, 0.001)])
def test_the_frontier_is_drawn_whatever_is_known_of_prices(prices: tuple[float | None, float | None]) -> None:
    summary = summarised(planted_study(planted(sources=4, final=False, damages=(DamageKind.DROPPED,)), prices=prices))
    before = dict(matplotlib.rcParams)
    [picture] = [one for one in verifier_pictures(summary) if one.name == "frontier"]
    assert dict(matplotlib.rcParams) == before
    assert ("stand apart" in picture.caption) == (prices == (None, 0.001))
    assert ("tokens a question" in picture.caption) == (prices == (None, None))


def test_the_filters_of_the_page_are_columns_of_it(tame: VerifierStudy) -> None:
    found = explorer(tame, summarised(tame), answers_of(tame))
    assert set(found.filters) <= {*found.item_columns, *found.answer_columns}
