"""The report of a run: its figures, its files, and what becomes of labels that other programs do not survive."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import re
import resource
import shutil
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evaluation.pages.tables import rounded
from evaluation.run_report.instances import ALL_FATES, NOT_FINISHED
from evaluation.run_report.page import MOST_WITHIN, PART_SIZE
from evaluation.run_report.report import RunReport, report_run
from runs.comparing import ACCEPTED
from runs.engine import run_pending
from runs.json_lines import model_line
from runs.manifest import Manifest
from runs.run_folder import DATABASE, MANIFEST, TRACES, RunFolder
from runs.terminal import shown
from state.errors import RunFolderError
from state.instance import BenchmarkRecord
from state.vocabulary import ConstraintCount, Family
from tests.command_line import here, refused
from tests.report_checks import STRANGE, Page
from tests.run_directory import ScriptedAgents, config, mixed, sampled
from tests.sample_record import make_record

COUNT = 20
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")


def make_run(path: Path, records: list[BenchmarkRecord], *overrides: str, with_agents: bool = True) -> Path:
    path.mkdir(parents=True)
    with RunFolder(path / "run", config(path, *overrides)) as folder:
        sampled(folder, records)
        if with_agents:
            run_pending(folder, ScriptedAgents(mixed).agents)
    return path / "run"


def strange_records(labels: tuple[str, ...]) -> list[BenchmarkRecord]:
    """Records in which every label, name and question is one of these."""
    return [
        make_record(
            number=number,
            labels={f"Q{11 + place}": f"{labels[(number + place) % len(labels)]} {place}" for place in range(5)}
            | {"Q1": labels[number % len(labels)], "P39": labels[-number % len(labels)]},
            aliases=labels[:2],
            raw_question=f"{labels[number % len(labels)]} number {number}?",
        )
        for number in range(1, COUNT + 1)
    ]


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunReport]:
    path = make_run(tmp_path_factory.mktemp("strange") / "a", strange_records(STRANGE))
    return path, report_run(path)


def parts_within(path: Path) -> dict[str, Any]:
    """What the elements of a page hold that a script reads."""
    html = (path / "report.html").read_text(encoding="utf-8")
    found = dict(re.findall(r'<script type="application/json" id="report-([a-z0-9-]+)">(.*?)</script>', html, re.DOTALL))
    assert not any(set("<>&\u2028\u2029") & set(text) for text in found.values())
    return {name: json.loads(text) for name, text in found.items()}


def files_of(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("report*")) if file.is_file()} | {
        str(file.relative_to(path)): file.read_bytes() for folder in path.glob("report-*") for file in sorted(folder.iterdir())
    }


def rows_of(path: Path, table: str) -> list[dict[str, str]]:
    return list(csv.DictReader((path / "report-tables" / f"{table}.csv").read_text(encoding="utf-8").splitlines(keepends=True)))


def test_every_instance_has_exactly_one_outcome_the_one_that_the_run_gave_it(strange: tuple[Path, RunReport]) -> None:
    path, report = strange
    items = parts_within(path)["part-list"]
    assert [item[0] for item in items] == [record.id for record in strange_records(STRANGE)]
    assert all(item[4] in ALL_FATES for item in items)
    assert Counter(item[4] for item in items) == {row.fate: row.instances for row in report.summary.fates}
    assert sum(row.instances for row in report.summary.fates) == report.summary.traces == COUNT
    counts = Manifest.model_validate_json((path / MANIFEST).read_bytes()).counts
    assert counts is not None
    assert report.summary.count(ACCEPTED) == counts.accepted
    assert report.summary.count("failed") == counts.failed
    by_reason = {reason: report.summary.count(f"discarded: {reason}") for reason in counts.discarded}
    assert by_reason == counts.discarded
    assert report.summary.count("discarded: duplicate question") == 3
    assert sum(row.instances for row in report.summary.lost) == COUNT - counts.accepted


def test_strange_labels_are_text_wherever_they_stand(strange: tuple[Path, RunReport]) -> None:
    path, report = strange
    html = (path / "report.html").read_bytes()
    page = Page(html.decode())
    assert [element for element in page.elements if element[0] in {"img", "iframe", "object", "link", "base"}] == []
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    details = parts_within(path)["part-0000"]
    said = {text for data in details for text in data["labels"]}
    assert {shown(f"{label} 2") for label in STRANGE} <= said
    assert all(shown(text) == text for data in details for text in (data["raw"], data["answer"], *data["labels"], *data["aliases"]))
    for file in (path / "report-tables").iterdir():
        for row in csv.reader(file.read_text(encoding="utf-8").splitlines(keepends=True)):
            assert [cell for cell in row if _FORMULA.match(cell) and not re.fullmatch(r"[+-]?[\d.]+|-", cell)] == []
    assert all(line == shown(line) for line in report.lines())


def test_the_pages_script_is_the_only_one_and_loads_nothing(strange: tuple[Path, RunReport]) -> None:
    path, _ = strange
    page = Page((path / "report.html").read_text(encoding="utf-8"))
    digest = base64.b64encode(hashlib.sha256(page.scripts["code"].encode()).digest()).decode()
    policies = [value for tag, name, value in page.attributes if tag == "meta" and name == "content" and "script-src" in value]
    assert policies == [
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    ]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", page.scripts["code"])
    assert not [value for _, name, value in page.attributes if name in {"src", "href", "xlink:href"} and not value.startswith("#")]
    assert not (path / "report-data").exists()


def test_the_same_run_gives_the_same_bytes(strange: tuple[Path, RunReport], tmp_path: Path) -> None:
    path, report = strange
    shutil.copytree(path, tmp_path / "elsewhere")
    for file in (tmp_path / "elsewhere").glob("report*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    again = report_run(tmp_path / "elsewhere")
    assert again.summary == report.summary
    assert files_of(tmp_path / "elsewhere") == files_of(path)
    assert len(files_of(path)) == len(report.written)


def test_the_tables_add_up(strange: tuple[Path, RunReport]) -> None:
    path, report = strange
    accepted = report.summary.count(ACCEPTED)
    (single, multi) = rows_of(path, "table3")
    assert (single["n_questions"], multi["n_questions"]) == ("0", str(accepted))
    assert (single["hops"], multi["constraints"]) == ("-", "2.00")
    assert int(multi["n_pairwise_constraints"]) == 2 * accepted == int(multi["I-I"])
    assert sum(int(multi[family]) for family in Family) == int(multi["n_constraints"])
    words = report.summary.words[0]
    assert sum(words.raw.bins) == sum(words.final.bins) == accepted
    assert sum(int(row["final questions"]) for row in rows_of(path, "figure4-words")) == accepted
    assert rows_of(path, "table9")[1]["1 hop"] == "5.00"
    assert [row["mean candidates"] for row in rows_of(path, "candidates-by-step")] == ["5.00", "2.00"]
    rates = {row["role"]: int(row["calls"]) for row in rows_of(path, "usage")}
    assert rates.pop("all") == sum(rates.values()) > 0


def test_a_large_run_has_its_instances_beside_the_page(tmp_path: Path, years_records: list[BenchmarkRecord]) -> None:
    years_records = years_records[: MOST_WITHIN + PART_SIZE]
    path = make_run(tmp_path / "a", years_records, with_agents=False)
    report = report_run(path)
    parts: dict[str, Any] = {}
    for file in (path / "report-data").iterdir():
        text = file.read_text(encoding="utf-8")
        name, data = re.fullmatch(r'chronoqgPart\("(\w+)",(.*)\);\n', text, re.DOTALL).groups()  # type: ignore[union-attr]
        assert not set("<>&\u2028\u2029") & set(data)
        assert file.stem == name
        parts[name] = json.loads(data)
    items = parts.pop("list")
    assert (
        [data["id"] for name in sorted(parts) for data in parts[name]] == [item[0] for item in items] == [one.id for one in years_records]
    )
    assert {len(data) for data in parts.values()} == {PART_SIZE}
    html = (path / "report.html").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(Page(html).scripts["code"].encode()).digest()).decode()
    policies = [value for tag, name, value in Page(html).attributes if tag == "meta" and name == "content" and "script-src" in value]
    assert [re.search("script-src ([^;]*)", text)[1] for text in policies] == [  # type: ignore[index]
        f"'sha256-{digest}' 'strict-dynamic'",
        f"'sha256-{digest}' 'self' file:",
    ]
    assert years_records[0].raw_question not in html
    assert report.summary.state == "sample"
    assert {row.fate: row.instances for row in report.summary.fates} == {ACCEPTED: 0, NOT_FINISHED: len(years_records)}
    assert report.summary.rewording == ()
    assert "no agent has worked on it" in report.lines()[0]
    both = report.summary.splits
    assert sum(split.n_questions for split in both) == len(years_records)
    for split in both:
        records = [record for record in years_records if record.constraint_part is split.part]
        facts = [fact for record in records for fact in record.support_facts]
        assert split.entities == len({fact.subject for fact in facts} | {fact.object for fact in facts})
        assert split.relations == len({fact.relation for fact in facts})
        assert split.families == {family: sum(one.families.count(family) for one in records) for family in Family}
    for root in report.summary.roots:
        sizes = [one.trace.steps[0].candidates for one in years_records if (one.constraint_part, one.hop_count) == (root.part, root.hops)]
        assert (root.instances, root.candidates) == (len(sizes), sum(sizes))


def test_an_unfinished_run_says_so_and_what_lay_beside_the_page_goes(tmp_path: Path) -> None:
    path = make_run(tmp_path / "a", strange_records(("Ana Roy", "Bo Lind"))[:6], "run.limit=4")
    (path / "report-data").mkdir()
    (path / "report-data" / "0000.js").write_text("old")
    manifest = Manifest.model_validate_json((path / MANIFEST).read_bytes())
    (path / MANIFEST).write_bytes(model_line(manifest.model_copy(update={"counts": None})))
    report = report_run(path)
    assert not (path / "report-data").exists()
    assert report.summary.state == "unfinished"
    assert report.summary.count(NOT_FINISHED) == 2
    assert report.lines()[0] == (
        "2 of 6 instances accepted (33.3 %), 1 discarded, 1 failed, 2 not finished. "
        "The build is not through: duplicate questions are still among the accepted ones."
    )


def test_what_is_no_sound_run_is_refused_in_one_line(strange: tuple[Path, RunReport], tmp_path: Path) -> None:
    assert "there is no such run directory" in refused("report", str(tmp_path / "nowhere"))
    assert "has no manifest.json" in refused("report", str(tmp_path))
    shutil.copytree(strange[0], tmp_path / "run")
    run = tmp_path / "run"
    traces = (run / TRACES).read_bytes()
    (run / TRACES).write_bytes(traces[:-200])
    assert "the last line is cut off" in refused("report", str(run))
    (run / TRACES).write_bytes(traces)
    manifest = Manifest.model_validate_json((run / MANIFEST).read_bytes())
    assert manifest.counts is not None
    wrong = manifest.counts.model_copy(update={"accepted": 1})
    (run / MANIFEST).write_bytes(model_line(manifest.model_copy(update={"counts": wrong})))
    assert "the outcomes are not those that the manifest counts" in refused("report", str(run))
    (run / MANIFEST).write_bytes(model_line(manifest))
    (run / "items.jsonl").write_bytes(b"")
    assert "a study's directory" in refused("report", str(run))
    (run / "items.jsonl").unlink()
    (run / "run.sqlite").write_bytes(b"no database" * 100)
    assert "database cannot be used" in refused("report", str(run))


def test_the_command_prints_tables_or_json_and_says_what_comes_next(strange: tuple[Path, RunReport]) -> None:
    path, report = strange
    done = here("report", str(path), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads(report.as_json())
    assert f"wrote {path / 'report.html'}, and {len(report.written) - 1} files in" in done.stderr.replace("\n", "")
    assert f"next: chronoqg show {path} sample-000000000002" in done.stderr.replace("\n", "")


def test_a_damaged_trace_does_not_leave_a_page(tmp_path: Path) -> None:
    record = make_record()
    steps = (record.trace.steps[0], record.trace.steps[1].model_copy(update={"left": "f9"}))
    broken = record.model_copy(update={"trace": record.trace.model_copy(update={"steps": steps})})
    path = make_run(tmp_path / "a", [broken], with_agents=False)
    with pytest.raises(RunFolderError, match="its trace cannot be executed"):
        report_run(path)
    assert not (path / "report.html").exists()


def test_a_report_that_cannot_be_made_leaves_the_earlier_one_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.run_report.page.MOST_WITHIN", 1)
    monkeypatch.setattr("evaluation.run_report.page.PART_SIZE", 2)
    path = make_run(tmp_path / "a", strange_records(("Ana Roy", "Bo Lind"))[:6])
    manifest = (path / MANIFEST).read_bytes()
    counts = Manifest.model_validate_json(manifest).counts
    assert counts is not None
    wrong = Manifest.model_validate_json(manifest).model_copy(update={"counts": counts.model_copy(update={"accepted": 1})})
    (path / MANIFEST).write_bytes(model_line(wrong))
    with pytest.raises(RunFolderError, match="the outcomes are not those"):
        report_run(path)
    assert [file.name for file in path.iterdir() if "report" in file.name] == []
    (path / MANIFEST).write_bytes(manifest)
    report_run(path)
    earlier = files_of(path)
    assert "report-data/0002.js" in earlier
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))
    try:
        with pytest.raises(
            RunFolderError, match=rf"^{re.escape(str(path))}/report[^ ]*: cannot be written: File too large. Free the place.$"
        ):
            report_run(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert files_of(path) == earlier
    with sqlite3.connect(path / DATABASE) as database:
        database.execute("UPDATE outcomes SET question = 'Who else?'")
        database.execute("UPDATE visits SET visit = '{' WHERE instance_id = 'sample-000000000006'")
    with pytest.raises(RunFolderError, match="a stored node visit cannot be read"):
        report_run(path)
    assert files_of(path) == earlier
    names = {file.name for file in path.iterdir() if "report" in file.name}
    assert names == {"report.html", "report-data", "report-figures", "report-tables"}


def test_table_8_is_made_of_the_accepted_questions(strange: tuple[Path, RunReport]) -> None:
    _, report = strange
    finals = {item.part: item for item in report.summary.rewording}
    assert set(finals) == {ConstraintCount.MULTI, None}
    assert finals[None].length.questions == report.summary.count(ACCEPTED)
    assert finals[None].bleu == finals[ConstraintCount.MULTI].bleu
    assert rounded(finals[None].preservation.micro) == "0.0"
