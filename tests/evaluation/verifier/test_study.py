"""Whole studies of the verifier: by rules, and by models behind a server whose planted answers come out to the digit."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import prompts
from evaluation.verifier.study import VerifierReport, answered_study, ask, estimate_verifier_study, study_verifier
from runs.config_file import LoadedConfig, load_config
from runs.forks import ForkReader
from runs.run_folder import RunReader
from state.errors import BudgetReached, ConfigError, RunFolderError, SamplingError
from state.instance import BenchmarkRecord
from state.study import DamageKind, Reading, StudyItem, VerifierStudy
from state.vocabulary import Family
from tests.command_line import QUICKSTART, ROOT, SMALL, environment, here, refused
from tests.fake_openai_server import FakeServer, Reply, good

SIZE = 16
EVERY_MODE = "study.verifier.modes=[single, all, roundtrip, all+roundtrip]"
STRANGER = "Somebody Else"
FEW = ("study.damages_per_question=2", "study.size=10")
KEY = "sk-test-DO-NOT-LEAK"


def config(*overrides: str) -> LoadedConfig:
    return load_config(QUICKSTART, [*(part for part in SMALL[1:] if part != "--set"), f"study.size={SIZE}", *overrides])


def outputs(study: Path) -> dict[str, bytes]:
    """What a study writes for its reader."""
    files = [path for path in study.iterdir() if path.is_file() and path.name not in (".lock", "manifest.json")]
    files += [*(study / "tables").iterdir(), *(study / "figures").iterdir()]
    return {str(path.relative_to(study)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def by_rules(tmp_path_factory: pytest.TempPathFactory) -> VerifierReport:
    """A study by rules in every mode; not to be changed."""
    return study_verifier(tmp_path_factory.mktemp("one") / "study", config(EVERY_MODE))


@pytest.mark.slow
def test_two_studies_by_rules_write_the_same_files(by_rules: VerifierReport, tmp_path: Path) -> None:
    again = study_verifier(tmp_path / "study", config(EVERY_MODE))
    assert outputs(again.path) == outputs(by_rules.path)
    assert str(by_rules.path) not in "".join(content.decode("latin-1") for content in outputs(by_rules.path).values())


def test_a_second_call_asks_nothing(by_rules: VerifierReport, capsys: pytest.CaptureFixture[str]) -> None:
    before = outputs(by_rules.path)
    study_verifier(by_rules.path, config(EVERY_MODE))
    assert "to ask" not in capsys.readouterr().err
    assert outputs(by_rules.path) == before


def test_the_rules_read_every_template_question_and_miss_what_their_mode_cannot_see(by_rules: VerifierReport) -> None:
    cells = {"+".join(cell.modes): cell for cell in by_rules.study.cells}
    items = {item.id: item for item in by_rules.study.items}
    for mode, cell in cells.items():
        sound = [outcome for outcome in cell.outcomes if items[outcome.item].kind is None]
        assert {outcome.reading for outcome in sound} == {Reading.AGREED}, mode
        assert not any(outcome.model_is_wrong for outcome in sound)
    unnecessary = {item.id for item in by_rules.study.items if item.kind is DamageKind.UNNECESSARY}
    assert unnecessary
    passed = {mode: {one.item for one in cell.outcomes if one.reading is Reading.AGREED} for mode, cell in cells.items()}
    assert unnecessary <= passed["all"]
    assert not unnecessary & passed["roundtrip"]
    assert passed["all+roundtrip"] == passed["all"] & passed["roundtrip"]
    read = {mode: {one.item for one in cell.outcomes if one.was_read} for mode, cell in cells.items()}
    assert read == {"single": set(), "all": set(), "roundtrip": set(items), "all+roundtrip": passed["all"]}
    other_damage = {item.id for item in by_rules.study.items if item.kind is not None} - unnecessary
    assert not other_damage & passed["all"]


@pytest.mark.slow
def test_what_a_study_recorded_can_be_shown_replayed_and_compared(by_rules: VerifierReport) -> None:
    damaged = next(item for item in by_rules.study.items if item.kind is DamageKind.REVERSED)
    cells = [f"{by_rules.path}@{cell.address.partition('@')[2]}" for cell in by_rules.study.cells]
    shown = here("show", cells[1], damaged.id)
    assert shown.returncode == 0, shown.stderr
    assert f"reversed, {damaged.operator}; template question of {damaged.source}" in shown.stdout
    assert f"its trace names  {', '.join(damaged.expected)}" in shown.stdout
    assert "Reading            damaged, and noticed" in shown.stdout
    bare = here("show", str(by_rules.path), damaged.id)
    assert [line.strip() for line in bare.stdout.splitlines() if "@" in line] == sorted(cells)
    unknown = refused("show", f"{by_rules.path}@offline/v1/all", damaged.id)
    assert all(cell.rpartition("@")[2] in unknown for cell in cells)
    assert "runs are packed" in refused("pack", str(by_rules.path))
    for cell in cells:
        replayed = here("replay", cell, "--all")
        assert replayed.returncode == 0, replayed.stdout + replayed.stderr
        assert "all the same as recorded" in replayed.stdout
    compared = json.loads(here("compare", cells[1], cells[2], "--json").stdout)
    assert compared["compared"] == len(by_rules.study.items)
    assert any("cells of a study" in note for note in compared["notes"])


def test_the_command_prints_writes_and_says_what_comes_next(tmp_path: Path) -> None:
    out = tmp_path / "study"
    done = here("study", "verifier", *SMALL, "--set", f"study.size={SIZE}", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "recommendation: " in done.stdout
    assert f"next: chronoqg show {out}@" in done.stderr
    for name in ("study.json", "summary.json", "study.md", "study.html", "figures/rates.svg", "figures/rates.png", "tables/acceptance.csv"):
        assert (out / name).stat().st_size > 0
    as_json = json.loads(here("study", "verifier", *SMALL, "--set", f"study.size={SIZE}", "--out", str(out), "--json").stdout)
    assert as_json == json.loads((out / "summary.json").read_bytes())


@pytest.mark.slow
def test_a_larger_study_holds_a_smaller_one_and_both_ask_what_a_build_samples(by_rules: VerifierReport, tmp_path: Path) -> None:
    more = {item.source for item in by_rules.study.items}
    fewer = {item.source for item in ask(config("study.size=6").config).items}
    assert len(fewer - more) <= 1, "but for one where shares are rounded"
    assert here("sample", *SMALL, "--out", str(tmp_path / "run")).returncode == 0
    assert more <= {record.id for record in RunReader(tmp_path / "run").traces()}


@pytest.mark.slow
def test_another_sample_is_another_study_and_a_wider_grid_is_not(by_rules: VerifierReport, tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"study\.seed differs"):
        study_verifier(by_rules.path, config("study.seed=1"))
    copied = tmp_path / "study"
    shutil.copytree(by_rules.path, copied)
    assert [cell.modes for cell in study_verifier(copied, config("study.verifier.modes=[all+single, all]")).study.cells] == [
        ("all", "single"),
        ("all",),
    ]


@pytest.mark.parametrize(
    ("override", "error", "says"),
    [
        ("study.verifier.models=[offlin]", ConfigError, "no model 'offlin'"),
        ("study.registers=[template, final]", ConfigError, "no accepted questions"),
        ("study.allocation={P-P: 0}", SamplingError, "no trace with a single temporal constraint"),
        ("study.run=nowhere", RunFolderError, "no such run directory"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_one_line_and_leaves_nothing(
    override: str, error: type[Exception], says: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=says):
        study_verifier(tmp_path / "study", config(override))
    assert not (tmp_path / "study").exists()


@pytest.mark.slow
def test_final_questions_of_a_finished_run_are_asked_beside_the_template_ones(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert here("build", *SMALL, "--out", str(run)).returncode == 0
    report = study_verifier(tmp_path / "study", config(f"study.run={run}", "study.registers=[template, final]"))
    finals = [item for item in report.study.items if item.wording == "final"]
    accepted = {json.loads(line)["final_question"] for path in run.glob("benchmark/*.jsonl") for line in path.read_text().splitlines()}
    assert {item.question for item in finals if item.kind is None} <= accepted
    damaged = [item for item in finals if item.kind is not None]
    assert damaged
    assert not {item.question for item in damaged} & accepted
    for cell, figures in zip(report.study.cells, report.summary.cells, strict=True):
        assert figures.final is not None
        asked = {outcome.item: outcome for outcome in cell.outcomes}
        hits = sum(asked[item.id].reading is Reading.AGREED for item in finals if item.kind is None and item.family is not Family.ORDINAL)
        assert figures.final.acceptance.micro.rate.numerator == hits
    assert RunReader(run).manifest.counts is not None


@dataclass
class Planted:
    """A verifier whose answer to each item is planned: the gold answer, another, none, or nothing usable."""

    records: list[BenchmarkRecord]
    """The items as the verifier is shown them."""
    plan: dict[str, Reading]
    """By item id."""
    calls: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._shown = [(record, shown(record)) for record in self.records]

    def __call__(self, body: dict[str, Any]) -> Reply:
        asked = body["messages"][1]["content"]
        (record,) = (record for record, parts in self._shown if all(part in asked for part in parts))
        self.calls[record.id] += 1
        read = sum(len(message["content"]) for message in body["messages"]) * 9 // 10
        usage = {"prompt_tokens": read, "completion_tokens": 40, "total_tokens": read + 40}
        return replace(self._reply(record), usage=usage)

    def _reply(self, record: BenchmarkRecord) -> Reply:
        match self.plan[record.id]:
            case Reading.AGREED:
                return good(answers=[record.answer], cannot_tell=False)
            case Reading.ANOTHER:
                return good(answers=[STRANGER], cannot_tell=False)
            case Reading.ABSTAINED:
                return good(answers=[], cannot_tell=True)
            case _:
                return good(neither="this nor that")


def shown(record: BenchmarkRecord) -> tuple[str, str]:
    """What a request about this item holds: two traces may lose what told their questions apart, but not their facts."""
    first = record.labelled_evidence[0]
    fact = {"subject": first.subject_label, "relation": first.relation_label, "object": first.object_label}
    question = f"question: {json.dumps(record.raw_question, ensure_ascii=False)}\n"
    return question, f"facts: [\n  {json.dumps(fact, ensure_ascii=False)[:-1]}"


@dataclass
class Models:
    """Two models at one server, and prompts of their own."""

    folder: Path
    planted: Planted
    server: FakeServer

    def config(self, *overrides: str) -> LoadedConfig:
        entry = {
            "provider": "openai", "model": "gpt-test", "base_url": self.server.url, "token_limit": 60,
            "api_key_env": "STUDY_KEY", "price": {"input": 1, "output": 2},
        }  # fmt: skip
        return config(
            f"models.gpt={json.dumps(entry)}",
            f"models.twin={json.dumps({**entry, 'model': 'gpt-twin'})}",
            f"cache.path={self.folder / 'cache'}",
            f"prompts.path={self.folder / 'prompts'}",
            "study.verifier.models=[gpt]",
            "study.verifier.modes=[all]",
            *FEW,
            *overrides,
        )

    def study(self, name: str, *overrides: str, **more: bool) -> VerifierStudy:
        with answered_study(self.folder / name, self.config(*overrides), **more) as study:
            return study

    def failed(self, study: VerifierStudy) -> int:
        return sum(outcome.reading is Reading.NO_REPLY for cell in study.cells for outcome in cell.outcomes)


def plan_of(items: tuple[StudyItem, ...]) -> dict[str, Reading]:
    """By turns, so that every stratum and kind has some of each."""
    turn: Counter[tuple[object, ...]] = Counter()
    plan = {}
    for item in items:
        key = (item.kind, item.family if item.kind is None else None)
        plan[item.id] = (Reading.AGREED, Reading.ANOTHER, Reading.AGREED, Reading.ABSTAINED, Reading.NO_REPLY)[turn[key] % 5]
        turn[key] += 1
    return plan


@pytest.fixture(scope="module")
def asked() -> tuple[list[BenchmarkRecord], tuple[StudyItem, ...]]:
    """The items of each study of models, as they are shown and as they are counted."""
    few = ask(config(*FEW).config)
    return list(few.records), tuple(few.items)


@pytest.fixture
def models(asked: tuple[list[BenchmarkRecord], tuple[StudyItem, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    monkeypatch.setenv("STUDY_KEY", KEY)
    shutil.copytree(prompts.FOLDER, tmp_path / "prompts", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    records, items = asked
    planted = Planted(records, plan_of(items))
    with FakeServer(planted) as server:
        yield Models(tmp_path, planted, server)


@pytest.mark.slow
def test_planted_hits_come_out_exactly(models: Models) -> None:
    report = study_verifier(models.folder / "study", models.config())
    plan, items = models.planted.plan, report.study.items
    (figures,) = report.summary.cells
    assert {outcome.item: outcome.reading for outcome in report.study.cells[0].outcomes} == plan

    def count(reading: Reading, wanted: list[StudyItem]) -> int:
        return sum(plan[item.id] is reading for item in wanted)

    for row in figures.template.acceptance.families:
        own = [item for item in items if item.kind is None and item.family is row.family]
        assert (row.rate.numerator, row.rate.denominator) == (count(Reading.AGREED, own), len(own))
        assert row.false_rejections == count(Reading.ANOTHER, own)
    pairwise = [item for item in items if item.family is not Family.ORDINAL]
    for kind_row in figures.template.detection.kinds:
        own = [item for item in pairwise if item.kind is kind_row.kind]
        seen = kind_row.readings
        assert [seen.agreed, seen.another, seen.abstained, seen.no_reply] == [count(reading, own) for reading in Reading]
        assert kind_row.rate.numerator == count(Reading.ANOTHER, own) + count(Reading.ABSTAINED, own)
    no_reply = [item for item in items if plan[item.id] is Reading.NO_REPLY]
    assert report.failed == len(no_reply) > 0
    assert all(models.planted.calls[item.id] == 3 for item in no_reply)
    assert all(models.planted.calls[item.id] == 1 for item in items if item not in no_reply)
    assert KEY not in "".join(content.decode("latin-1") for content in outputs(report.path).values())


@pytest.mark.slow
def test_only_the_edited_prompts_cell_is_paid_for_again(models: Models) -> None:
    first = models.folder / "prompts" / "verifier" / "v1.md"
    second = first.with_name("v2.md")
    second.write_text(first.read_text().rstrip() + "\n\nTake your time.\n")
    grid = ("study.verifier.prompts=[v1, v2]", "study.verifier.models=[gpt, twin]")
    one = models.study("study", *grid)
    before = len(models.server.seen)
    assert models.study("study", *grid).cells == one.cells
    assert len(models.server.seen) == before
    second.write_text(second.read_text().replace("Take your time.", "Hurry up."))
    two = models.study("study", *grid)
    fresh = [seen.body for seen in models.server.seen[before:]]
    assert len(fresh) == before // 2
    assert all("Hurry up." in json.dumps(body) for body in fresh)
    assert [cell.address == other.address for cell, other in zip(one.cells, two.cells, strict=True)] == [True, False] * 2
    models.study("elsewhere", *grid)
    # Replies that nobody can use are in no cache: another directory asks for them again, and for nothing else.
    unusable = sum(models.planted.plan[item.id] is Reading.NO_REPLY for item in one.items)
    assert len(models.server.seen) - before - len(fresh) == 4 * 3 * unusable


@pytest.mark.slow
def test_one_budget_holds_for_all_cells_and_the_study_goes_on_with_a_larger_one(models: Models) -> None:
    grid = ("study.verifier.models=[gpt, twin]",)
    whole = models.study("whole", *grid)
    paid = sum(cell.usage.usd_paid for cell in whole.cells)
    with pytest.raises(BudgetReached, match="the budget of"):
        models.study("capped", *grid, f"run.budget_usd={paid * 0.75:.9f}", f"cache.path={models.folder / 'other'}")
    spent = 0
    for note in (models.folder / "capped" / "forks").glob("*/fork.json"):
        with ForkReader(models.folder / "capped", note.parent.name).database() as database:
            spent += database.spent()
    assert 0 < spent / 1e9 <= paid * 0.75
    done = models.study("capped", *grid, f"cache.path={models.folder / 'other'}")
    assert [cell.outcomes for cell in done.cells] == [cell.outcomes for cell in whole.cells]


@pytest.mark.slow
def test_items_without_a_usable_reply_are_asked_again_when_told_so(models: Models) -> None:
    first = models.study("study")
    assert models.failed(first)
    models.planted.plan = {
        ident: Reading.AGREED if reading is Reading.NO_REPLY else reading for ident, reading in models.planted.plan.items()
    }
    assert models.failed(models.study("study")) == models.failed(first)
    again = models.study("study", retry_failed=True)
    assert models.failed(again) == 0
    assert {outcome.item: outcome.reading for outcome in again.cells[0].outcomes} == models.planted.plan


@pytest.mark.slow
def test_a_dry_run_says_what_is_left_and_asks_and_writes_nothing(models: Models) -> None:
    loaded = models.config("study.verifier.models=[gpt, twin]")
    estimate = estimate_verifier_study(models.folder / "study", loaded)
    assert not (models.folder / "study").exists()
    assert models.server.seen == []
    items = len(models.planted.records)
    assert [(cell.questions, cell.cached, cell.calls) for cell in estimate.cells] == [(items, 0, (items, items, 3 * items))] * 2
    report = models.study("study")
    paid = report.cells[0].usage.usd_paid
    first = estimate.cells[0]
    assert first.usd is not None
    assert paid <= float(first.usd[2])
    left = estimate_verifier_study(models.folder / "study", loaded)
    unusable = sum(reading is Reading.NO_REPLY for reading in models.planted.plan.values())
    assert [(cell.questions, cell.calls[0]) for cell in left.cells] == [(0, 0), (items, items)]
    elsewhere = estimate_verifier_study(models.folder / "elsewhere", loaded)
    assert [cell.cached for cell in elsewhere.cells] == [items - unusable, 0]


@pytest.mark.slow
def test_a_killed_study_goes_on_and_comes_to_the_same(models: Models) -> None:
    whole = models.study("whole")
    command = [sys.executable, "-m", "runs.cli", "study", "verifier", QUICKSTART, "--out", str(models.folder / "killed")]
    loaded = models.config(f"cache.path={models.folder / 'other'}", "run.concurrency=2")
    for key, value in plain_overrides(loaded):
        command += ["--set", f"{key}={value}"]
    ends: list[int] = []
    for _ in range(2):
        process = subprocess.Popen(command, cwd=ROOT, env=environment(STUDY_KEY=KEY), stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        deadline, before = time.monotonic() + 60, len(models.server.seen)
        while len(models.server.seen) < before + 6 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        process.kill()
        ends.append(process.wait())
    assert ends[0] == -signal.SIGKILL, "the study ended before it could be killed"
    finished = subprocess.run(command, cwd=ROOT, env=environment(STUDY_KEY=KEY), capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 1, finished.stderr
    again = json.loads((models.folder / "killed" / "study.json").read_bytes())
    assert [outcome["reading"] for outcome in again["cells"][0]["outcomes"]] == [
        outcome.reading.value for outcome in whole.cells[0].outcomes
    ]


def plain_overrides(loaded: LoadedConfig) -> list[tuple[str, str]]:
    """The config as overrides of the quickstart one."""
    data = loaded.config.model_dump(mode="json", exclude_unset=True)
    return [(key, json.dumps(value)) for key, value in data.items() if key not in ("dataset", "graph")]
