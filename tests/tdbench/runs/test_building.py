"""A build from temporal tables: whole, replayable, checked, the same bytes however it went, and refreshed without a call."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from evaluation.translation.accuracy import report_of
from runs.config_file import load_config
from runs.replaying_all import replay_run
from runs.run_folder import RunReader
from runs.show import answering_rows, describe_instance
from state.errors import ChronoQGError
from state.table_instance import TableInstance
from tdbench.building import build_tables
from tdbench.checking import check_tables
from tdbench.refreshing import refresh, tables_with
from tdbench.sampling import instances_of
from tests.tdbench.small_tables import MAYORS, write_config


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("towns")


@pytest.fixture(scope="module")
def built(place: Path) -> Path:
    """A finished build; not to be written to."""
    build_tables(place / "run", load_config(write_config(place)))
    return place / "run"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_build_asks_every_table_and_join_and_passes_its_check_and_replay(built: Path) -> None:
    reader = RunReader(built)
    accepted = lines(built / "benchmark/towns.jsonl")
    assert {record["question"]["table"] for record in accepted} == {"mayors", "fairs", "hosts"}
    assert {record["question"]["hops"] for record in accepted} >= {1, 2}
    assert check_tables(reader).findings == ()
    assert replay_run(str(built), processes=1).differences == ()


def test_every_accepted_question_names_what_is_given_and_none_of_its_answers(built: Path) -> None:
    for record in lines(built / "benchmark/towns.jsonl"):
        assert all(value in record["final_question"] for value in record["question"]["determinants"].values())
        answers = {value for row in record["question"]["gold"] for value in row["values"].values()}
        assert not any(answer in record["final_question"] for answer in answers)


def test_the_translators_accuracy_counts_first_phrasings_alone(built: Path) -> None:
    report = report_of(build_tables(built, load_config(built.parent / "towns.yaml")))
    every = report.translated[0]
    assert every.name == "all"
    assert every.first.denominator * 2 == every.accepted.denominator == RunReader(built).manifest.taken
    assert every.first.numerator <= every.first.denominator


@pytest.mark.slow
def test_a_build_that_was_cut_off_goes_on_to_the_same_bytes(built: Path, tmp_path: Path) -> None:
    config = built.parent / "towns.yaml"
    build_tables(tmp_path / "run", load_config(config, ["run.limit=7"]))
    build_tables(tmp_path / "run", load_config(config, ["run.concurrency=1"]))
    for name in ("traces.jsonl", "benchmark/towns.jsonl", "discarded.jsonl", "failed.jsonl"):
        assert (tmp_path / "run" / name).read_bytes() == (built / name).read_bytes()


def test_an_instance_is_shown_with_its_query_its_rows_and_its_history(built: Path) -> None:
    reader = RunReader(built)
    ident = reader.first_accepted() or ""
    text = "\n".join(describe_instance(reader, ident))
    assert "Query              SELECT" in text
    assert "Rows shown of" in text
    assert "leak_check (leak_filter): clean -> accepted" in text


def test_exactly_the_rows_that_give_the_answer_are_marked(built: Path) -> None:
    reader = RunReader(built)
    records = [record for record in reader.instances().records() if isinstance(record, TableInstance)]
    for record in records:
        *before, last = record.evidence
        right = answering_rows(record)
        assert {(row.start, row.end) for row in right} == {(row.start, row.end) for row in record.question.gold}
        other_dates = [row.model_copy(update={"start": "1900-01-01"}) for row in right]
        other_things = [row.model_copy(update={"values": ("Elsewhere", *row.values[1:])}) for row in right]
        shown = last.model_copy(update={"rows": (*last.rows, *other_dates, *other_things)})
        assert answering_rows(record.model_copy(update={"evidence": (*before, shown)})) == right
    told = next(record for record in records if record.answers)
    marked = [line for line in describe_instance(reader, told.id) if line.startswith("  * ")]
    assert len(marked) == len(answering_rows(told))


def test_a_check_notices_an_answer_that_was_changed(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "run")
    path = tmp_path / "run/benchmark/towns.jsonl"
    path.write_text(path.read_text().replace('"gold":[{"values":{"name":"', '"gold":[{"values":{"name":"Not ', 1))
    assert any("it differs from its trace" in found.what for found in check_tables(RunReader(tmp_path / "run")).findings)


def test_a_build_is_not_continued_over_other_rows(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "run")
    other = write_config(tmp_path, mayors=MAYORS.replace("Cy Roth", "Cy Rath"))
    with pytest.raises(ChronoQGError, match="the tables hold other rows than when this run began"):
        build_tables(tmp_path / "run", load_config(other))


def test_a_refresh_changes_answers_drops_what_cannot_be_asked_and_keeps_the_rest(built: Path, tmp_path: Path) -> None:
    new = MAYORS.replace("Fay Ott,2011-09-01,", "Fay Ott,2011-09-01,2020-01-01\nBelm,Mayor,Jo Salk,2020-01-01,")
    new = "\n".join(line for line in new.splitlines() if not line.startswith("Corv")) + "\n"
    (tmp_path / "mayors.csv").write_text(new)
    reader = RunReader(built)
    tables = tables_with(reader.config().config.tdbench, [f"mayors={tmp_path / 'mayors.csv'}"])
    report = refresh(reader, tables, tmp_path / "fresh")
    before = {record["id"]: record for record in lines(built / "benchmark/towns.jsonl")}
    after = {record["id"]: record for record in lines(tmp_path / "fresh/benchmark/towns.jsonl")}
    assert after.keys() | {one.id for one in report.vanished} == before.keys()
    assert report.vanished
    assert all(after[ident]["final_question"] == before[ident]["final_question"] for ident in after)
    changed = {one.id for one in report.changed}
    assert changed == {ident for ident in after if after[ident]["question"]["gold"] != before[ident]["question"]["gold"]}
    assert all(record["question"]["determinants"].get("town") != "Corv" for record in after.values() if "office" in record["sql"])
    now = [one for one in report.changed if "As of" in one.question and "Belm" in one.question]
    assert all("Jo Salk" in " ".join(one.after) for one in now)


@pytest.mark.slow
def test_a_refresh_over_the_same_rows_changes_nothing(built: Path, tmp_path: Path) -> None:
    reader = RunReader(built)
    report = refresh(reader, tables_with(reader.config().config.tdbench, []), tmp_path / "fresh")
    assert (report.changed, report.vanished, report.appeared) == ((), (), ())
    assert report.before == report.after
    assert report.kept == len(lines(built / "benchmark/towns.jsonl"))


@pytest.mark.slow
def test_new_data_that_nothing_can_be_asked_of_vanish_what_they_must_and_stop_nothing(built: Path, tmp_path: Path) -> None:
    (tmp_path / "mayors.csv").write_text("\n".join(MAYORS.splitlines()[:2]) + "\n")
    reader = RunReader(built)
    tables = tables_with(reader.config().config.tdbench, [f"mayors={tmp_path / 'mayors.csv'}"])
    report = refresh(reader, tables, tmp_path / "fresh")
    assert (report.appeared, report.kept + len(report.vanished)) == ((), len(lines(built / "benchmark/towns.jsonl")))
    gone = [one.why for one in report.vanished if one.id.startswith("mayors-") and "Belm" in one.question]
    assert set(gone) == {"nothing is known of what it asks about"}


def test_a_table_without_dependencies_is_asked_about_in_its_joins(place: Path, built: Path) -> None:
    config = load_config(built.parent / "towns.yaml", ["tdbench.tables.fairs.dependencies=[]"]).config
    text = (place / "fairs.csv").read_text()
    once = config.tdbench.tables["fairs"].model_copy(update={"path": str(place / "once.csv")})
    (place / "once.csv").write_text("\n".join(text.splitlines()[:4]) + "\n")
    chosen = config.tdbench.model_copy(update={"tables": {**config.tdbench.tables, "fairs": once}})
    _, coverage, _ = instances_of(config.model_copy(update={"tdbench": chosen}), lambda line: None)
    assert {table.name: bool(table.questions) for table in coverage.tables} == {"mayors": True, "fairs": False, "hosts": True}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tables": {}}, "no table is named"),
        ({"as_of": "last year"}, "as_of"),
        ({"joins": {"hosts": {"tables": ["fairs", "majors"]}}}, "no table 'majors'"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_written(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    config = write_config(tmp_path, **change)
    with pytest.raises(ChronoQGError, match=message):
        build_tables(tmp_path / "run", load_config(config))
    assert not (tmp_path / "run").exists()
