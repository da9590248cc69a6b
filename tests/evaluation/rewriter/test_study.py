"""Whole studies of the rewriter: by rules twice alike, and by models behind a server, where only what changed is paid for."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import prompts
from evaluation.pages.report_files import FIGURES, MARKDOWN, PAGE, STUDY, SUMMARY, TABLES
from evaluation.rewriter.outcomes import rewriter_outcome
from evaluation.rewriter.study import RewriterReport, drawn, study_rewriter
from evaluation.rewriter.summary import RewriterSummary
from runs.config_file import LoadedConfig, load_config
from runs.database import InstanceOutcome
from runs.run_folder import RunReader
from state.errors import BudgetReached, ConfigError, RunFolderError
from state.rewriter_study import RewriterStudy
from state.vocabulary import Node, Outcome, Role, Status
from tests.command_line import QUICKSTART, SMALL, here
from tests.fake_openai_server import FakeServer, Reply, good
from tests.known_model import ROLES, KnowsAll, kind_of, mentions, vague
from tests.run_directory import records, visit

SIZE = 12
PLAIN = "Write as plainly as you can."
"""Stands in the second prompt; the model that reads it writes half of the questions too vaguely to be answered."""


def config(*overrides: str) -> LoadedConfig:
    return load_config(QUICKSTART, [*(part for part in SMALL[1:] if part != "--set"), *overrides])


def outputs(study: Path) -> dict[str, bytes]:
    """What a study writes for its reader."""
    files = [
        *(study / name for name in (STUDY, SUMMARY, MARKDOWN, PAGE)),
        *sorted((study / TABLES).iterdir()),
        *sorted((study / FIGURES).iterdir()),
    ]
    return {str(path.relative_to(study)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def by_rules(tmp_path_factory: pytest.TempPathFactory) -> RewriterReport:
    """A study by rules; not to be changed."""
    return study_rewriter(tmp_path_factory.mktemp("one") / "study", config(f"study.size={SIZE}"))


def test_two_studies_by_rules_write_the_same_files(by_rules: RewriterReport, tmp_path: Path) -> None:
    again = study_rewriter(tmp_path / "study", config(f"study.size={SIZE}"))
    assert again.study == by_rules.study
    assert outputs(again.path) == outputs(by_rules.path)
    assert str(by_rules.path).encode() not in b"".join(outputs(by_rules.path).values())


def test_a_second_call_asks_nothing(by_rules: RewriterReport, capsys: pytest.CaptureFixture[str]) -> None:
    before = outputs(by_rules.path)
    again = study_rewriter(by_rules.path, config(f"study.size={SIZE}"))
    assert "to ask" not in capsys.readouterr().err
    assert again.study == by_rules.study
    assert outputs(by_rules.path) == before


def test_what_is_written_can_be_read_back(by_rules: RewriterReport) -> None:
    files = outputs(by_rules.path)
    assert RewriterStudy.model_validate_json(files[STUDY]) == by_rules.study
    assert RewriterSummary.model_validate_json(files[SUMMARY]) == by_rules.summary
    rows = list(csv.DictReader(io.StringIO(files["tables/cells.csv"].decode())))
    assert [(row["cell"], row["instances"]) for row in rows] == [("offline/v1", str(SIZE))]
    assert f"recommendation: take offline/v1: {rows[0]['accepted']} of {SIZE} accepted" in "\n".join(by_rules.lines())
    data = json.loads(by_rules.as_json())
    assert data["cells"][0]["accepted"]["denominator"] == SIZE
    assert data["usage"]["offline/v1"]["calls"] > 0


@pytest.mark.parametrize("reading", [Outcome.AGREES, Outcome.DISAGREES])
def test_a_question_that_a_reader_was_asked_about_after_a_disagreement_has_not_passed(reading: Outcome) -> None:
    (record,) = records(1)
    outcome = InstanceOutcome(
        instance_id=record.id, status=Status.FAILED, reason=None, question="", detail="no reply", last_node=Node.ANALYSE
    )  # fmt: skip
    visits = [
        visit(record, 0, Node.VERIFY, Role.VERIFIER, Outcome.DISAGREES, "verify", verdict="wrong"),
        visit(record, 1, Node.VERIFY, Role.ROUND_TRIP_READER, reading, "analyse", verdict="match"),
    ]
    assert not rewriter_outcome(outcome, visits).passed_at_first
    both = [one.model_copy(update={"outcome": Outcome.AGREES}) for one in visits]
    assert rewriter_outcome(outcome, both).passed_at_first


def test_a_cell_counts_what_its_trajectories_show(by_rules: RewriterReport) -> None:
    (cell,) = by_rules.study.cells
    assert [outcome.instance for outcome in cell.outcomes] == [instance.id for instance in by_rules.study.instances]
    for outcome, instance in zip(cell.outcomes, by_rules.study.instances, strict=True):
        done = here("show", f"{by_rules.path}@{cell.address.partition('@')[2]}", outcome.instance, "--json")
        shown = json.loads(done.stdout)
        assert shown["outcome"]["status"] == outcome.status
        assert shown["outcome"]["question"] == (outcome.final_question or "")
        visits = shown["trajectory"]["visits"]
        assert len([visit for visit in visits if visit["role"] != "leak_filter"]) == outcome.calls
        first = [visit["outcome"] for visit in visits if visit["node"] == "verify"]
        assert outcome.passed_at_first == (first == ["agrees"])
        assert instance.entities
        assert all(names[0] in instance.raw_question for names in instance.entities)


def test_a_sample_is_fixed_by_seed_and_ids_and_grows_with_its_size(by_rules: RewriterReport) -> None:
    records = list(RunReader(by_rules.path).traces())
    few, more = drawn(records, 4, 0), drawn(records[::-1], 8, 0)
    assert len(few) == 4
    assert {record.id for record in few} < {record.id for record in more}
    assert [record.id for record in more] == sorted(record.id for record in more)
    assert drawn(records, 8, 1) != more
    assert drawn(records, 99, 0) == records


def test_a_source_that_is_too_small_is_taken_whole_and_said_so(by_rules: RewriterReport, tmp_path: Path) -> None:
    report = study_rewriter(tmp_path / "study", config(f"study.run={by_rules.path}", "study.size=99", "study.registers=[template, final]"))
    assert [instance.id for instance in report.study.instances] == [instance.id for instance in by_rules.study.instances]
    assert f"the source was taken whole: it has {SIZE} of the 99 traces wanted" in report.study.notes
    assert report.study.cells[0].outcomes == by_rules.study.cells[0].outcomes


def test_an_unknown_model_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no model 'offlin'"):
        study_rewriter(tmp_path / "study", config("study.rewriter.models=[offlin]"))
    assert not (tmp_path / "study").exists()


def test_another_sample_is_another_study(by_rules: RewriterReport) -> None:
    with pytest.raises(RunFolderError, match=r"study\.seed differs"):
        study_rewriter(by_rules.path, config(f"study.size={SIZE}", "study.seed=1"))


class Author:
    """A model that plays all roles, and charges for most of the tokens that a request may take."""

    def __init__(self, study: RewriterReport) -> None:
        finals = {outcome.instance: outcome.final_question for outcome in study.study.cells[0].outcomes}
        self.known = KnowsAll(study.path)
        self.known.known = [(record, finals[record.id] or vague(record)) for record, _ in self.known.known]
        self.broken: set[str] = set()
        """Template questions to which it writes no question."""
        self.bills: list[int] = []
        """Millionths of a US dollar that each request cost."""

    def __call__(self, body: dict[str, Any]) -> Reply:
        read = sum(len(message["content"]) for message in body["messages"]) * 9 // 10
        self.bills.append(read + 2 * 40)
        return replace(self._reply(body), usage={"prompt_tokens": read, "completion_tokens": 40, "total_tokens": read + 40})

    def _reply(self, body: dict[str, Any]) -> Reply:
        if kind_of(body) == "question":
            if any(mentions(body, raw) for raw in self.broken):
                return Reply(content="I would rather not.")
            lazy = [record for record, _ in self.known.known[::2] if is_second(body) and mentions(body, record.raw_question)]
            if lazy:
                return good(question=vague(lazy[0]))
        return self.known(body)


@dataclass
class Models:
    """A model behind a server, and the prompts that it is asked with."""

    folder: Path
    sample: Path
    """The study by rules whose traces are asked."""
    author: Author
    server: FakeServer

    def study(self, name: str, *overrides: str, cache: str = "cache", retry_failed: bool = False) -> RewriterReport:
        model = {
            "provider": "openai", "model": "gpt-test", "base_url": self.server.url, "token_limit": 60, "price": {"input": 1, "output": 2},
        }  # fmt: skip
        loaded = config(
            f"models.gpt={json.dumps(model)}",
            f"cache.path={self.folder / cache}",
            f"prompts.path={self.folder / 'prompts'}",
            f"study.run={self.sample}",
            f"study.size={SIZE}",
            "study.rewriter.prompts=[v1, v2]",
            *(f"agents.{role}.model=gpt" for role in ROLES),
            *overrides,
        )
        return study_rewriter(self.folder / name, loaded, retry_failed=retry_failed)

    @property
    def second_prompt(self) -> Path:
        return self.folder / "prompts" / "rewriter" / "v2.md"

    def write_second_prompt(self, more: str) -> None:
        text = (prompts.FOLDER / "rewriter" / "v1.md").read_text()
        self.second_prompt.write_text(text.rstrip() + f"\n\n{PLAIN}{more}\n")

    def bodies(self) -> Counter[str]:
        return Counter(json.dumps(seen.body) for seen in self.server.seen)


def is_second(body: dict[str, Any]) -> bool:
    return any(PLAIN in message["content"] for message in body["messages"])


@pytest.fixture
def models(by_rules: RewriterReport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-DO-NOT-LEAK")
    shutil.copytree(prompts.FOLDER, tmp_path / "prompts", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    author = Author(by_rules)
    with FakeServer(author) as server:
        models = Models(tmp_path, by_rules.path, author, server)
        models.write_second_prompt("")
        yield models


@pytest.mark.slow
def test_two_prompts_are_told_apart_and_only_an_edited_one_is_paid_for_again(models: Models) -> None:
    first = models.study("study")
    assert [cell.name for cell in first.study.cells] == ["gpt/v1", "gpt/v2"]
    v1, v2 = first.summary.cells
    assert v1.first_pass.numerator == SIZE
    assert v2.first_pass.numerator == SIZE // 2
    assert v2.revised == SIZE // 2
    assert first.usd_paid == pytest.approx(sum(models.author.bills) / 1e6)
    assert v1.pipeline_cost.usd == pytest.approx(first.study.cells[0].usage.usd_paid)
    used = first.study.cells[1].usage
    assert v2.pipeline_cost.usd == pytest.approx(used.usd_paid + used.usd_saved)
    for cell in (v1, v2):
        assert cell.rewriter_cost.usd_per_instance is not None
        assert cell.pipeline_cost.usd_per_instance is not None
        assert 0 < cell.rewriter_cost.usd_per_instance < cell.pipeline_cost.usd_per_instance
    test = first.summary.comparisons[0].tests[1]
    assert (test.measure, len(test.only_a), test.only_b) == ("first verification", SIZE // 2, ())
    asked = models.bodies()
    assert max(asked.values()) == 1
    before = outputs(first.path)

    models.server.seen.clear()
    again = models.study("study")
    assert not models.server.seen
    assert outputs(again.path) == before

    models.write_second_prompt(" Please.")
    edited = models.study("study")
    assert models.server.seen
    assert all(is_second(seen.body) and kind_of(seen.body) == "question" for seen in models.server.seen)
    assert not models.bodies() & asked
    assert edited.study.cells[0] == first.study.cells[0]
    assert [one.final_question for one in edited.study.cells[1].outcomes] == [one.final_question for one in first.study.cells[1].outcomes]
    assert edited.study.cells[1].address != first.study.cells[1].address
    assert edited.study.cells[1].usage.cached_calls > 0
    assert edited.usd_paid == pytest.approx(first.usd_paid + edited.study.cells[1].usage.usd_paid)
    assert b"DO-NOT-LEAK" not in b"".join(outputs(edited.path).values())


@pytest.mark.slow
def test_a_cell_is_shown_replayed_and_compared_like_a_run(models: Models) -> None:
    report = models.study("study")
    addresses = [f"{report.path}@{cell.address.partition('@')[2]}" for cell in report.study.cells]
    assert [cell.address for cell in report.study.cells] == [f"study@{address.rpartition('@')[2]}" for address in addresses]
    models.server.__exit__()
    shutil.rmtree(models.folder / "cache")
    flipped = report.summary.comparisons[0].tests[1].only_a[0]
    shown = here("show", addresses[1], flipped)
    assert shown.returncode == 0, shown.stderr
    assert "prompt v2" in shown.stdout
    for address in addresses:
        replayed = here("replay", address, "--all")
        assert replayed.returncode == 0, replayed.stderr
        assert str(SIZE) in replayed.stdout
    assert list(report.talk())[-1] == f"next: chronoqg compare {addresses[0]} {addresses[1]}"
    compared = here("compare", *addresses)
    assert compared.returncode == 0, compared.stderr


@pytest.mark.slow
def test_one_budget_holds_for_all_cells(models: Models) -> None:
    whole = models.study("whole", cache="other")
    calls, first_cell = models.bodies(), whole.study.cells[0].usage.usd_paid
    models.server.seen.clear()
    models.author.bills.clear()
    budget = 1.3 * first_cell
    for _ in range(2):  # the second has nothing left to spend and says so too
        with pytest.raises(BudgetReached):
            models.study("study", f"run.budget_usd={budget:.9f}")
        assert first_cell < sum(models.author.bills) / 1e6 <= budget
    done = models.study("study", "run.budget_usd=100")
    assert models.bodies() == calls
    assert done.usd_paid == pytest.approx(whole.usd_paid)
    assert [cell.outcomes for cell in done.study.cells] == [cell.outcomes for cell in whole.study.cells]
    assert outputs(done.path)[SUMMARY].replace(b"study@", b"") == outputs(whole.path)[SUMMARY].replace(b"whole@", b"")


@pytest.mark.slow
def test_failed_instances_count_as_not_accepted_and_can_be_redone(models: Models) -> None:
    record = next(RunReader(models.sample).traces())
    models.author.broken.add(record.raw_question)
    report = models.study("study", "study.rewriter.prompts=[v1]")
    (cell,) = report.summary.cells
    assert report.failed == 1
    assert (cell.accepted.numerator, cell.accepted.denominator) == (SIZE - 1, SIZE)
    assert [(count.node, count.instances) for count in cell.failed] == [("rewrite", 1)]
    assert [(error.kind, error.tries, error.instances) for error in cell.errors] == [("unparsable", 3, 1)]
    assert "next: the same command with --retry-failed" in report.talk()
    models.author.broken.clear()
    assert models.study("study", "study.rewriter.prompts=[v1]").failed == 1
    redone = models.study("study", "study.rewriter.prompts=[v1]", retry_failed=True)
    assert redone.failed == 0
    assert redone.summary.cells[0].accepted.numerator == SIZE
    assert redone.summary.cells[0].errors == ()
