"""Questions whose answer hangs on a dropped row, on a cut in one spell, or on nothing at all, are not asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runs.config_file import load_config
from runs.run_folder import RunFolder
from state.config import Config
from state.errors import ConfigError
from tdbench.dependencies.overview import dependency_overview
from tdbench.sampling import instances_of
from tdbench.spellings import spelt_apart
from tests.tdbench.small_tables import MAYORS, write_config


def sampled(folder: Path, **changes: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The questions of a config, each once, and what they cover by table."""
    config: Config = load_config(write_config(folder, **changes)).config
    lines, coverage, _ = instances_of(config, lambda line: None)
    records = [json.loads(line) for line in lines]
    first = [record["question"] for record in records if record["phrasing"] == 1]
    return first, {one.name: one for one in coverage.tables}


def test_nothing_is_asked_about_a_thing_of_which_a_row_could_not_be_read(tmp_path: Path) -> None:
    questions, coverage = sampled(tmp_path, mayors=MAYORS.replace("Dee Falk,1988-07-01", "Dee Falk,July 1988?"), relations=[])
    about = [question["determinants"].get("town") for question in questions if question["table"] == "mayors"]
    assert set(about) == {"Arn", "Corv"}
    assert not any(question["determinants"].get("fair") == "Fair of 1999" for question in questions), "Belm's mayors answer it"
    assert any(question["table"] == "hosts" for question in questions)
    assert coverage["mayors"].dropped == {"unparsable date": 1}
    assert coverage["mayors"].left_out["rows of what it asks about were dropped in reading"] > 0


def test_a_spell_that_is_told_in_two_rows_is_asked_about_only_where_it_makes_no_difference(tmp_path: Path) -> None:
    again = MAYORS.replace(
        "Arn,Mayor,Bo Lind,1998-03-01,2006-05-01", "Arn,Mayor,Bo Lind,1998-03-01,2002-01-01\nArn,Mayor,Bo Lind,2002-01-01,2006-05-01"
    )
    questions, coverage = sampled(tmp_path, mayors=again, relations=[], per_cardinality=100)
    rows = [row for question in questions for row in question["gold"] if row["values"].get("name") == "Bo Lind"]
    assert rows == [], "neither of the two rows is the whole of what he held"
    assert any(question["determinants"].get("town") == "Arn" and question["gold"] for question in questions)
    assert coverage["mayors"].left_out["one spell is told in several rows"] > 0


def test_what_nothing_could_meet_is_not_asked(tmp_path: Path) -> None:
    questions, _ = sampled(tmp_path, relations=["during"], per_cardinality=200, per_relation=200)
    for question in questions:
        bounds = {(test["bound"], test["operator"]): test["date"] for test in question["comparisons"]}
        if ("start", ">") in bounds and ("end", "<") in bounds:
            assert bounds["start", ">"] < bounds["end", "<"]


def test_a_limit_gives_each_table_and_join_its_turn(tmp_path: Path) -> None:
    questions, _ = sampled(tmp_path, limit=9, relations=[], per_cardinality=50)
    tables = [question["table"] for question in questions]
    assert sorted(map(tables.count, ("mayors", "fairs", "hosts"))) == [3, 3, 3]


def test_found_dependencies_need_support(tmp_path: Path) -> None:
    tables = {"mayors": {"path": str(tmp_path / "mayors.csv"), "granularity": "day"}}
    with pytest.raises(ConfigError, match="no dependency is found"):
        sampled(tmp_path, tables=tables, joins={}, min_support=4)
    questions, coverage = sampled(tmp_path, tables=tables, joins={}, min_support=3)
    assert questions
    assert [used.is_declared for used in coverage["mayors"].dependencies] == [False] * len(coverage["mayors"].dependencies)


def test_the_overview_of_dependencies_shows_witnesses_and_repairs(tmp_path: Path) -> None:
    broken = MAYORS.replace("Cy Roth,2006-05-01,", "Cy Roth,2006-04-01,")
    config = load_config(write_config(tmp_path, mayors=broken)).config.tdbench
    text = "\n".join(dependency_overview(config, "mayors").lines())
    assert "is broken by 1 of the 9 pairs" in text
    assert "'Bo Lind'" in text
    assert "end 1 row earlier" in text or "drop" in text
    with pytest.raises(ConfigError, match="no table 'mayor'"):
        dependency_overview(config, "mayor")


def test_a_run_keeps_what_was_left_out(tmp_path: Path) -> None:
    config = load_config(write_config(tmp_path, mayors=MAYORS.replace("Dee Falk,1988-07-01", "Dee Falk,?")))
    lines, coverage, source = instances_of(config.config, lambda line: None)
    with RunFolder(tmp_path / "run", config, "tables") as folder:
        folder.write_sample(lines, coverage, source)
    stored = json.loads((tmp_path / "run/coverage.json").read_text())
    assert {one["name"]: one["dropped"] for one in stored["tables"]} == {"fairs": {}, "mayors": {"unparsable date": 1}, "hosts": {}}


def test_questions_of_which_every_comparison_matters_come_first_under_a_limit(tmp_path: Path) -> None:
    _, few = sampled(tmp_path, limit=12, relations=[], per_cardinality=100)
    _, every = sampled(tmp_path, relations=[], per_cardinality=100)
    assert every["mayors"].idle > 0
    assert few["mayors"].idle * every["mayors"].taken < every["mayors"].idle * few["mayors"].taken


def test_an_answer_that_is_given_is_not_asked_for(tmp_path: Path) -> None:
    questions, coverage = sampled(tmp_path, mayors=MAYORS.replace("Arn,Mayor,Bo Lind", "Arn,Mayor,Arn"), relations=[])
    assert not any("Arn" in row["values"].values() for question in questions for row in question["gold"])
    assert coverage["mayors"].left_out["an answer stands among the values that it gives"] > 0


def test_what_is_spelt_in_two_ways_is_not_given_and_named_to_be_mended(tmp_path: Path) -> None:
    spelt = MAYORS.replace("Arn,Mayor,Ada Berg", "ARN,Mayor,Ada Berg")
    heard: list[str] = []
    config = load_config(write_config(tmp_path, mayors=spelt, relations=[]))
    _, coverage, _ = instances_of(config.config, heard.append)
    questions, _ = sampled(tmp_path, mayors=spelt, relations=[])
    about = {question["determinants"].get("town") for question in questions if question["table"] == "mayors"}
    led = {question["determinants"]["fair"] for question in questions if question["table"] == "hosts"}
    assert about == {"Belm", "Corv"}
    assert led == {"Fair of 1999", "Fair of 2004"}, "the mayors of Arn are told under two names"
    mend = "values that read the same are spelt differently: 2 in town, as 'ARN' and 'Arn'; make them one in the table"
    assert {f"  {mend}", f"hosts: {mend}"} <= set(heard)
    assert all(one.left_out[mend] > 0 for one in coverage.tables if one.name != "fairs")
    text = dependency_overview(config.config.tdbench, "mayors").lines()
    assert sum("2 in town, as 'ARN' and 'Arn'" in line for line in text) == 1


@pytest.mark.parametrize("other", ["bo lind", "Bo  Lind", "Bo\u0301 Lind"])
def test_an_answer_that_another_spelling_would_change_is_not_asked_for(tmp_path: Path, other: str) -> None:
    spelt = MAYORS.replace("Cy Roth,2006-05-01", f"{other},2006-05-01")
    questions, coverage = sampled(tmp_path, mayors=spelt, joins={}, relations=["meet", "during", "finished-by"], per_cardinality=40)
    names = {row["values"].get("name") for question in questions for row in question["gold"]}
    assert not names & {"Bo Lind", other}, "the two are one spell to any reader"
    assert "Ada Berg" in names
    assert any(reason.startswith("values that read the same are spelt differently: 2 in name") for reason in coverage["mayors"].left_out)


def test_a_spelling_that_changes_no_answer_is_no_reason_not_to_ask(tmp_path: Path) -> None:
    spelt = MAYORS.replace("Ida Rusk,2015", "ada berg,2015")
    questions, _ = sampled(tmp_path, mayors=spelt, joins={}, per_cardinality=40)
    names = {row["values"].get("name") for question in questions for row in question["gold"]}
    assert {"Ada Berg", "ada berg"} <= names, "they are of two towns"


def test_a_dropped_row_under_another_spelling_is_one_of_the_same_thing(tmp_path: Path) -> None:
    questions, _ = sampled(tmp_path, mayors=f"{MAYORS}arn,Mayor,Jo Salk,?,\n", joins={})
    assert {question["determinants"]["town"] for question in questions if question["table"] == "mayors"} == {"Belm", "Corv"}


def test_a_pair_that_looks_the_same_is_shown_by_its_codes() -> None:
    assert spelt_apart({"city": (("Jos\u00e9", "Jose\u0301"),)}) == "2 in city, as 'Jos\\xe9' and 'Jose\\u0301'"
