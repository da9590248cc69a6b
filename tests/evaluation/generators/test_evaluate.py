"""Whole evaluations: free rows, models behind a server, files of outside systems; nothing is paid for twice."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agents.read_constraints import Bench
from baselines.methods.offline_rules import METHOD as RULES
from baselines.task import task_of
from evaluation.generators.datasets import read_benchmarks
from evaluation.generators.estimate import estimate_evaluation
from evaluation.generators.study import EvaluationReport, evaluate, score_generators
from runs.config_file import LoadedConfig, load_config
from runs.json_lines import model_line
from state.errors import BudgetReached, ChronoQGError, ConfigError, ReplayMismatch
from state.instance import Backend, BenchmarkRecord
from tests.command_line import here
from tests.fake_openai_server import FakeServer, Reply, good

KEY = "sk-evaluate-0123456789"
METHOD_FILE = '''
from dataclasses import dataclass

from baselines.method import Ask, Method, Pool, Write
from baselines.task import Task


@dataclass(frozen=True)
class Mine(Method):
    """Two stages."""

    key = "mine"
    label = "Mine"
    needs_pool = True
    shots: int = 1

    @property
    def calls(self) -> tuple[int, int]:
        return 2, 2

    def prepare(self, pool: Pool) -> Write:
        async def write(task: Task, ask: Ask) -> str:
            plan = await ask("plan", "Plan.", f"{task.id} {task.facts_text()}")
            return await ask("write", "Write.", f"{task.id} {plan} {pool.examples[0].question}")

        return write


METHOD = Mine()
'''


@pytest.fixture(scope="module")
def benchmark(years_records: Sequence[BenchmarkRecord], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of records whose questions a person might have written."""
    path = tmp_path_factory.mktemp("benchmark") / "years.jsonl"
    backend = Backend(rewriter="somebody", verifier="somebody else")
    kept = [
        record.model_copy(update={"final_question": question, "backend": backend})
        for record in years_records[:240]
        if (question := RULES.write(record))
    ]
    path.write_bytes(b"".join(model_line(record) + b"\n" for record in kept))
    return path


@dataclass
class Known:
    """A model that knows the references of some records, and says `Who?` of the others."""

    records: Sequence[BenchmarkRecord]
    silent: set[str] = field(default_factory=set)
    """Ids for which it says nothing."""

    def __post_init__(self) -> None:
        self._shown = [
            (record, task_of(record, shows_path=False).facts_text(), json.dumps(record.answer, ensure_ascii=False))
            for record in self.records
        ]

    def __call__(self, body: dict[str, Any]) -> Reply:
        text = body["messages"][1]["content"]
        for record, facts, answer in self._shown:
            if facts in text and answer in text:
                if record.id in self.silent:
                    return Reply(content="")
                return Reply(content=f"Final question: {record.final_question}" if int(record.id[-1], 16) % 2 else "Who?")
        return Reply(content="Who?")


@pytest.fixture(scope="module")
def records(benchmark: Path) -> list[BenchmarkRecord]:
    return [BenchmarkRecord.model_validate_json(line) for line in benchmark.read_bytes().splitlines()]


@pytest.fixture
def server(records: list[BenchmarkRecord]) -> Iterator[FakeServer]:
    with FakeServer(Known(records)) as running:
        yield running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALUATE_KEY", KEY)


def config(folder: Path, benchmark: Path, *overrides: str, url: str | None = None) -> LoadedConfig:
    file = folder / "evaluate.yaml"
    file.write_text("dataset: years\ngraph: {path: bundled:years}\nmodels: {offline: {provider: offline-rules}}\n", encoding="utf-8")
    model = {"provider": "openai", "model": "gpt-small", "base_url": url, "api_key_env": "EVALUATE_KEY", "price": {"input": 1, "output": 2}}
    given = [
        f"evaluate.runs=[{benchmark}]",
        f"cache.path={folder / 'cache'}",
        "evaluate.resamples=100",
        "evaluate.reader=none",
        "run.concurrency=3",
    ]
    if url is not None:
        given += [f"models.small={json.dumps(model)}", "evaluate.models=[small]"]
    return load_config(file, [*given, *overrides])


def scored(report: EvaluationReport, records: Sequence[BenchmarkRecord]) -> list[BenchmarkRecord]:
    idents = {record.id for dataset in report.evaluation.datasets for record in dataset.records}
    return [record for record in records if record.id in idents]


def files(path: Path) -> dict[str, bytes]:
    """What an evaluation writes for its reader."""
    names = ("evaluation.json", "summary.json", "evaluation.md", "evaluation.html")
    found = [*(path / name for name in names), *sorted((path / "tables").iterdir()), *sorted((path / "figures").iterdir())]
    return {str(file.relative_to(path)): file.read_bytes() for file in found}


@pytest.mark.slow
def test_a_model_that_knows_half_of_the_references_is_scored_so(
    benchmark: Path, records: list[BenchmarkRecord], server: FakeServer, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text("".join(json.dumps({"id": one.id, "question": one.final_question}) + "\n" for one in reversed(records)))
    loaded = config(
        tmp_path, benchmark, "evaluate.methods=[zero_shot, template]", f"evaluate.predictions.perfect={outside}", url=server.url
    )
    report = evaluate(tmp_path / "out", loaded, tmp_path / "none")
    asked = scored(report, records)
    assert len(server.seen) == len(asked) > 8
    assert all(seen.headers["authorization"] == f"Bearer {KEY}" for seen in server.seen)
    rows = {(row.row.method, row.dataset): row for row in report.evaluation.summary.rows}
    assert {method for method, _ in rows} == {"zero_shot", "template", "perfect"}
    for dataset in report.evaluation.datasets:
        perfect, zero = rows["perfect", dataset.name], rows["zero_shot", dataset.name]
        values = {score.metric: score.value for score in perfect.scores}
        assert values["bleu4"] == values["rouge2_f1"] == values["rougeL_f1"] == 1
        known = sum(int(record.id[-1], 16) % 2 for record in dataset.records)
        exact = [one for one in report.evaluation.measured if one.row.method == "zero_shot" and one.dataset.name == dataset.name]
        assert sum(exact[0].row.predictions[record.id] == record.final_question for record in dataset.records) == known
        assert 0 < {score.metric: score.value for score in zero.scores}["rouge2_f1"] < 1
        assert (zero.spending.calls, zero.spending.input, zero.spending.output) == (zero.n, 11 * zero.n, 7 * zero.n)
    assert report.usd_paid == pytest.approx(len(asked) * (11 + 14) / 1e6)

    before, calls = files(report.path), len(server.seen)
    evaluate(report.path, loaded, tmp_path / "none")
    assert (files(report.path), len(server.seen)) == (before, calls)
    elsewhere = evaluate(tmp_path / "elsewhere" / "out", loaded, tmp_path / "none")
    assert len(server.seen) == calls, "the cache answers"
    changed = {name for name, data in files(elsewhere.path).items() if data != before[name]}
    assert changed <= {"summary.json", "evaluation.json", "evaluation.md", "evaluation.html", "tables/costs.csv"}, (
        "cached calls cost nothing"
    )
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert KEY.encode() not in written


def test_no_prompt_holds_the_template_question(benchmark: Path, records: list[BenchmarkRecord], server: FakeServer, tmp_path: Path) -> None:
    score_generators(tmp_path / "out", config(tmp_path, benchmark, "evaluate.methods=[zero_shot]", url=server.url), tmp_path / "none")
    sent = "\n".join(message["content"] for seen in server.seen for message in seen.body["messages"])
    for record in records:
        assert record.raw_question not in sent
        for sentence in record.temporal_constraints:
            assert sentence.partition(": ")[2] not in sent


@pytest.mark.slow
def test_a_question_without_a_reply_fails_scores_zero_and_can_be_asked_again(
    benchmark: Path, records: list[BenchmarkRecord], tmp_path: Path
) -> None:
    free = score_generators(tmp_path / "free", config(tmp_path, benchmark, "evaluate.methods=[template]"), tmp_path / "none")
    ident = scored(free, records)[0].id
    model = Known(records, {ident})
    with FakeServer(model) as server:
        loaded = config(tmp_path, benchmark, "evaluate.methods=[zero_shot]", url=server.url)
        report = score_generators(tmp_path / "out", loaded, tmp_path / "none")
        assert report.failed == 1
        row = next(one for one in report.evaluation.measured if ident in one.row.predictions)
        assert row.row.predictions[ident] == ""
        assert row.row.failed == 1
        model.silent.clear()
        calls = len(server.seen)
        assert score_generators(report.path, loaded, tmp_path / "none").failed == 1
        again = score_generators(report.path, loaded, tmp_path / "none", retry_failed=True)
        assert (again.failed, len(server.seen)) == (0, calls + 1)


@pytest.mark.slow
def test_a_method_in_a_file_of_the_users_own_needs_no_change_elsewhere(
    benchmark: Path, records: list[BenchmarkRecord], server: FakeServer, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(METHOD_FILE)
    loaded = config(tmp_path, benchmark, f"evaluate.methods=[{file}]", url=server.url)
    report = score_generators(tmp_path / "out", loaded, tmp_path / "none")
    asked = scored(report, records)
    assert len(server.seen) == 2 * len(asked)
    address = next(row.address for row in report.evaluation.summary.rows)
    run = f"{report.path}@{address.partition('@')[2]}"
    shown = here("show", run, asked[0].id).stdout
    assert "mode plan" in shown
    assert "mode write" in shown
    same = here("replay", run, "--all")
    assert same.returncode == 0
    assert f"replayed {len(asked)} instances, {2 * len(asked)} visits" in same.stdout
    file.write_text(METHOD_FILE.replace('"Plan."', '"Think."'))
    other = here("replay", run, asked[0].id)
    assert other.returncode == 1
    assert "the request rendered now is not the recorded one" in other.stderr
    calls = len(server.seen)
    score_generators(report.path, loaded, tmp_path / "none")
    # The plan is asked anew; what follows it is the same request as before, since the plan came out the same.
    assert len(server.seen) == calls + len(asked)


@pytest.mark.slow
def test_an_edited_reply_is_found_by_a_replay(benchmark: Path, records: list[BenchmarkRecord], server: FakeServer, tmp_path: Path) -> None:
    report = score_generators(
        tmp_path / "out", config(tmp_path, benchmark, "evaluate.methods=[zero_shot]", url=server.url), tmp_path / "none"
    )
    fork = next((report.path / "forks").iterdir())
    ident = scored(report, records)[0].id
    with sqlite3.connect(fork / "run.sqlite") as connection:
        connection.execute("UPDATE outcomes SET question = 'Who was it?' WHERE instance_id = ?", (ident,))
    from evaluation.generators.replaying import replay_row_instance
    from runs.forks import ForkReader

    with pytest.raises(ReplayMismatch, match="does not lead to the recorded question"):
        replay_row_instance(ForkReader(report.path, fork.name), ident)


@pytest.mark.slow
def test_a_budget_stops_before_it_is_exceeded_and_a_larger_one_goes_on(
    benchmark: Path, records: list[BenchmarkRecord], server: FakeServer, tmp_path: Path
) -> None:
    dear = ("evaluate.methods=[zero_shot]", "models.small.token_limit=20", "models.small.price={input: 1, output: 200}")
    with pytest.raises(BudgetReached):
        score_generators(tmp_path / "out", config(tmp_path, benchmark, *dear, "run.budget_usd=0.02", url=server.url), tmp_path / "none")
    calls = len(server.seen)
    assert 0 < calls * 0.001411 < 0.02
    more = config(tmp_path, benchmark, *dear, "run.budget_usd=5", url=server.url)
    report = score_generators(tmp_path / "out", more, tmp_path / "none")
    assert calls < len(server.seen) == len(scored(report, records))


@pytest.mark.slow
def test_the_same_evaluation_has_the_same_bytes_whatever_the_hash_seed(benchmark: Path, tmp_path: Path) -> None:
    loaded = config(tmp_path, benchmark, "evaluate.methods=[template, offline_rules]")
    one = files(evaluate(tmp_path / "a" / "out", loaded, tmp_path / "none").path)
    loaded = config(tmp_path, benchmark, "evaluate.methods=[template, offline_rules]", "run.concurrency=1")
    assert files(evaluate(tmp_path / "b" / "out", loaded, tmp_path / "none").path) == one


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["evaluate.methods=[zero_shots]"], "no method 'zero_shots'"),
        (["evaluate.methods=[zero_shot]"], "needs a language model"),
        (["evaluate.methods=[zero_shot]", "evaluate.models=[big]"], "no model 'big' in models"),
        (["evaluate.methods=[nowhere.py]"], "there is no such file"),
        (["evaluate.methods=[template]", "evaluate.options.template.k=3"], "has no option 'k'"),
        (["evaluate.methods=[template]", "evaluate.options.few_shot.k=3"], "not among evaluate.methods"),
        (["evaluate.methods=[]"], "there is nothing to score"),
        (["evaluate.methods=[template]", "evaluate.runs=[nowhere]"], "there is no such run"),
        (["evaluate.methods=[template]", "evaluate.predictions.template=x.jsonl"], "a method is called 'template' too"),
        (["evaluate.methods=[template]", "evaluate.predictions.mine=nowhere.jsonl"], "cannot be read"),
    ],
)
def test_what_a_user_got_wrong_is_said_before_anything_is_made(overrides: list[str], message: str, benchmark: Path, tmp_path: Path) -> None:
    with pytest.raises(ChronoQGError, match=message):
        score_generators(tmp_path / "out", config(tmp_path, benchmark, *overrides), tmp_path / "none")
    assert not (tmp_path / "out").exists()


def test_a_benchmark_that_is_all_training_part_is_not_told_to_score_all(benchmark: Path, tmp_path: Path) -> None:
    tiny = tmp_path / "tiny.jsonl"
    tiny.write_bytes(benchmark.read_bytes().splitlines(keepends=True)[0])
    chosen = ("evaluate.methods=[template]", "evaluate.part=all")
    part = next(
        config(tmp_path, tiny, *chosen, f"evaluate.seed={seed}")
        for seed in range(50)
        if read_benchmarks(config(tmp_path, tiny, f"evaluate.seed={seed}").config, tmp_path)[0].split.sizes["train"]
    )
    with pytest.raises(ConfigError, match=r"every record is in the training part\. Build more, or take another evaluate\.seed\.$"):
        score_generators(tmp_path / "out", part, tmp_path / "none")


def test_an_unset_key_is_named_before_anything_is_made(benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVALUATE_KEY")
    with pytest.raises(ConfigError, match="EVALUATE_KEY is not set"):
        evaluate(
            tmp_path / "out", config(tmp_path, benchmark, "evaluate.methods=[zero_shot]", url="http://127.0.0.1:1/v1"), tmp_path / "none"
        )
    assert not (tmp_path / "out").exists()
    assert "EVALUATE_KEY" not in os.environ


@pytest.mark.slow
def test_another_benchmark_in_the_same_directory_is_refused(benchmark: Path, tmp_path: Path) -> None:
    loaded = config(tmp_path, benchmark, "evaluate.methods=[template]")
    score_generators(tmp_path / "out", loaded, tmp_path / "none")
    shorter = tmp_path / "shorter.jsonl"
    shorter.write_bytes(b"\n".join(benchmark.read_bytes().splitlines()[:200]) + b"\n")
    with pytest.raises(ChronoQGError, match="belongs to another study or run"):
        score_generators(tmp_path / "out", config(tmp_path, shorter, "evaluate.methods=[template]"), tmp_path / "none")
    moved = tmp_path / "moved.jsonl"
    moved.write_bytes(benchmark.read_bytes())
    score_generators(tmp_path / "out", config(tmp_path, moved, "evaluate.methods=[template]"), tmp_path / "none")


@pytest.mark.slow
def test_a_dry_run_counts_the_calls_that_are_left_and_bounds_what_they_cost(
    benchmark: Path, records: list[BenchmarkRecord], server: FakeServer, tmp_path: Path
) -> None:
    loaded = config(tmp_path, benchmark, "evaluate.methods=[zero_shot, template]", url=server.url)
    estimate = estimate_evaluation(tmp_path / "out", loaded, tmp_path / "none")
    assert server.seen == []
    assert not (tmp_path / "out").exists()
    report = score_generators(tmp_path / "out", loaded, tmp_path / "none")
    n = len(scored(report, records))
    zero, template = estimate.rows
    assert (zero.questions, zero.calls, zero.cached) == (n, (n, n), 0)
    assert (template.questions, template.calls, template.usd) == (n, (0, 0), 0)
    assert zero.usd is not None
    assert report.usd_paid <= zero.usd
    assert [row.questions for row in estimate_evaluation(tmp_path / "out", loaded, tmp_path / "none").rows] == [0, 0]
    elsewhere = estimate_evaluation(tmp_path / "elsewhere", loaded, tmp_path / "none").rows[0]
    assert (elsewhere.questions, elsewhere.cached) == (n, n)


@pytest.mark.slow
def test_a_method_that_breaks_is_counted_told_of_and_no_hindrance_to_a_dry_run(
    benchmark: Path, server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(METHOD_FILE.replace('return await ask("write", "Write.",', 'return await ask("write", 1 / 0,'))
    loaded = config(tmp_path, benchmark, f"evaluate.methods=[{file}]", "evaluate.limit=2", url=server.url)
    (row,) = estimate_evaluation(tmp_path / "out", loaded, tmp_path / "none").rows
    assert row.calls[1] == 2 * row.questions
    report = score_generators(tmp_path / "out", loaded, tmp_path / "none")
    assert report.failed == len(server.seen) == row.questions
    assert sum(figures.spending.usd_paid for figures in report.evaluation.summary.rows) == pytest.approx(report.usd_paid)
    assert "questions failed: the method broke: ZeroDivisionError in mine.py:" in capsys.readouterr().err


def test_a_method_that_cannot_be_prepared_is_an_error_in_one_line(benchmark: Path, server: FakeServer, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(METHOD_FILE.replace("async def write", "raise RuntimeError('no')\n\n        async def write"))
    with pytest.raises(ConfigError, match="mine cannot be prepared for years: RuntimeError: no"):
        score_generators(tmp_path / "out", config(tmp_path, benchmark, f"evaluate.methods=[{file}]", url=server.url), tmp_path / "none")


@pytest.mark.slow
def test_questions_that_the_reader_gave_no_usable_reply_to_are_read_again_on_demand(benchmark: Path, tmp_path: Path) -> None:
    reads = False

    def read(body: dict[str, Any]) -> Reply:
        return good(constraints=[], cannot_tell=False) if reads else Reply(content="nonsense")

    with FakeServer(read) as server:
        loaded = config(tmp_path, benchmark, "evaluate.methods=[template]", "evaluate.limit=2", "evaluate.reader=small", url=server.url)

        def missing(*, retry_failed: bool) -> list[int]:
            rows = score_generators(tmp_path / "out", loaded, tmp_path / "none", retry_failed=retry_failed).evaluation.summary.rows
            return [row.failures.missing for row in rows if row.failures is not None]

        assert missing(retry_failed=True) == [0, 0]
        reads, calls = True, len(server.seen)
        assert missing(retry_failed=False) == [0, 0]
        assert len(server.seen) == calls
        assert missing(retry_failed=True) == [2, 2]


def test_a_model_that_reads_says_which_constraints_a_question_lacks(
    benchmark: Path, records: list[BenchmarkRecord], tmp_path: Path
) -> None:
    by_question = {json.dumps(record.final_question, ensure_ascii=False): record for record in records}

    def read(body: dict[str, Any]) -> Reply:
        text = body["messages"][1]["content"]
        record = next((record for question, record in by_question.items() if question in text), None)
        if record is None:
            return good(constraints=[], cannot_tell=False)
        return good(**Bench(record).state().model_dump(mode="json"))

    outside = tmp_path / "outside.jsonl"
    lines = [(one.id, one.final_question if number % 3 else "Who?" if number % 2 else "") for number, one in enumerate(records)]
    outside.write_text("".join(json.dumps({"id": ident, "question": question}) + "\n" for ident, question in lines))
    with FakeServer(read) as server:
        loaded = config(
            tmp_path, benchmark, "evaluate.methods=[]", f"evaluate.predictions.mine={outside}", "evaluate.reader=small", url=server.url
        )
        report = score_generators(tmp_path / "out", loaded, tmp_path / "none")
        asked = {record.id for record in scored(report, records)}
        written = {ident: question for ident, question in lines if ident in asked}
        for row in report.evaluation.summary.rows:
            mine = [
                written[record.id] for dataset in report.evaluation.datasets if dataset.name == row.dataset for record in dataset.records
            ]
            assert row.failures is not None
            assert row.failures.clean == sum(question not in ("", "Who?") for question in mine)
            assert row.failures.missing == mine.count("Who?")
            assert row.failures.read == len(mine) - mine.count("")
        calls = len(server.seen)
        assert calls == sum(bool(question) for question in written.values())
        score_generators(tmp_path / "out", loaded, tmp_path / "none")
        assert len(server.seen) == calls
