"""Whole evaluations on temporal tables: models behind a server, files of replies; nothing is paid for twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation.time_accuracy.estimate import estimate_tables
from evaluation.time_accuracy.questions import read_instances, scored_questions
from evaluation.time_accuracy.study import TimeAccuracyReport, evaluate_tables
from runs.config_file import LoadedConfig, load_config
from state.errors import BudgetReached, ChronoQGError
from state.tdbench_scoring import AnswerRow
from tests.command_line import COMMAND, ROOT, environment, here, refused
from tests.composed_tables import INSTANCES, RIGHT, Mayors, asked_for, is_judged, write_run
from tests.fake_openai_server import FakeServer, Reply

KEY = "sk-tables-0123456789"
QUESTIONS = (
    {"id": "1", "question": "Who was mayor of Arn after 1999?", "gold": "Bo Lind", "start": "2004-05", "end": "2009", "relation": "after"},
    {"id": "2", "question": "Who is mayor of Fenn?", "gold": "Cy Moe", "start": "2012", "end": "", "distractors": ["Ida Holt"]},
)
REPLIES = ({"id": "1", "reply": "Bo Lind, from May 2004 to 2009. <script>alert(1)</script>"}, {"id": "2", "reply": "Cy Moe, since 2011."})


@pytest.fixture
def model() -> Mayors:
    return Mayors()


@pytest.fixture
def server(model: Mayors) -> Iterator[FakeServer]:
    with FakeServer(model) as running:
        yield running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLES_KEY", KEY)


def file(folder: Path) -> str:
    path = folder / "my.yaml"
    path.write_text("dataset: towns\ngraph: {path: bundled:years}\nmodels: {offline: {provider: offline-rules}}\n", encoding="utf-8")
    return str(path)


def lines(path: Path, *records: object) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def overrides(folder: Path, url: str, *more: str) -> list[str]:
    price = {"input": 1, "output": 2}
    model = {"provider": "openai", "model": "m", "base_url": url, "api_key_env": "TABLES_KEY", "price": price, "token_limit": 60}
    big = {**model, "model": "n"}
    return [
        f"models.small={json.dumps(model)}", f"models.big={json.dumps(big)}", f"cache.path={folder / 'cache'}",
        "tdbench.evaluate.models=[small]", f"tdbench.evaluate.run={folder / 'run'}", *more,
    ]  # fmt: skip


def config(folder: Path, url: str, *more: str) -> LoadedConfig:
    if not (folder / "run").exists():
        write_run(folder / "run")
    return load_config(file(folder), overrides(folder, url, *more))


def evaluated(folder: Path, url: str, *more: str, retry_failed: bool = False) -> TimeAccuracyReport:
    return evaluate_tables(folder / "out", config(folder, url, *more), folder / "none", retry_failed=retry_failed)


def shares(report: TimeAccuracyReport, judge: int = 0, row: int = 0) -> tuple[int, int, int]:
    tally = report.evaluation.summary.rows[row].judged[judge].whole.tally
    return tally.asked, tally.right, tally.both


@pytest.mark.slow
def test_models_are_asked_judged_and_compared_once_and_nothing_of_the_key_is_kept(
    model: Mayors, server: FakeServer, tmp_path: Path
) -> None:
    more = ("tdbench.evaluate.models=[small, big]", "tdbench.evaluate.judge=big")
    report = evaluated(tmp_path, server.url, *more)
    assert shares(report) == (7, 7, 7)
    assert shares(report, 1) == (7, 7, 1)  # the judge says half of every date; of a question without an answer it is not asked for dates
    asked = [seen.body for seen in server.seen if not is_judged(seen.body)]
    assert Counter(asked_for(body).id for body in asked) == dict.fromkeys(RIGHT, 2)
    assert {body["temperature"] for body in asked} == {0}
    assert all("Ana Roy" not in body["messages"][1]["content"] for body in asked)
    agreement = report.evaluation.summary.rows[0].agreement
    assert agreement is not None
    assert (agreement.answer.share, agreement.time.judged) == (1, 7)
    calls = len(server.seen)
    assert calls == 7 * 3  # both models' replies are the same, and so are the judge's requests
    again = evaluated(tmp_path, server.url, *more)
    assert len(server.seen) == calls
    assert again.evaluation == report.evaluation
    cell = next((tmp_path / "out" / "cells").glob("judge-big-of-small-*"))
    same = here("tdbench", "evaluate", file(tmp_path), "--replay", "--out", str(tmp_path / "out"))
    assert (same.returncode, len(server.seen)) == (0, calls)
    assert "28 visits" in same.stdout
    with sqlite3.connect(cell / "run.sqlite") as connection:
        connection.execute("UPDATE outcomes SET question = replace(question, 'half', 'yes')")
    other = here("tdbench", "evaluate", file(tmp_path), "--replay", "--out", str(tmp_path / "out"))
    assert other.returncode == 1
    assert "the record does not lead to the stored reply" in other.stdout
    kept = [path for path in (tmp_path / "out").rglob("*") if path.is_file()] + list((tmp_path / "cache").rglob("*"))
    assert not [path for path in kept if path.is_file() and KEY.encode() in path.read_bytes()]
    page = (tmp_path / "out" / "evaluation.html").read_text()
    assert "Bo Lind, from 1999 to 2009." in page
    assert "not measured here" in page


@pytest.mark.slow
def test_with_rows_the_table_is_shown_and_a_question_without_a_reply_is_a_miss_until_it_is_asked_again(
    model: Mayors, server: FakeServer, tmp_path: Path
) -> None:
    del model.replies["mayors-000000000004.1"]
    more = ("tdbench.evaluate.with_rows=true", "tdbench.evaluate.paraphrases=first", "agents.retries=0")
    report = evaluated(tmp_path, server.url, *more)
    assert (shares(report), report.failed) == ((6, 5, 5), 1)
    assert all("Ana Roy" in seen.body["messages"][1]["content"] for seen in server.seen)
    evaluated(tmp_path, server.url, *more)
    assert len(server.seen) == 6
    model.replies.update(RIGHT)
    report = evaluated(tmp_path, server.url, *more, retry_failed=True)
    assert (shares(report), report.failed, len(server.seen)) == ((6, 6, 6), 0, 7)
    with pytest.raises(ChronoQGError, match=r"belongs to an evaluation of other questions: it asks 6 of .*, this one 7 of"):
        evaluated(tmp_path, server.url, "tdbench.evaluate.with_rows=true")
    with pytest.raises(ChronoQGError, match=r"it asks with rows shown \(open book\), this one without rows \(closed book\)"):
        evaluated(tmp_path, server.url)


@pytest.mark.slow
def test_a_budget_holds_for_answers_and_verdicts_and_a_larger_one_goes_on(server: FakeServer, tmp_path: Path) -> None:
    judged = ("tdbench.evaluate.judge=big", "run.concurrency=1", "models.big.price={input: 1, output: 200}")
    estimate = estimate_tables(tmp_path / "out", config(tmp_path, server.url, *judged), tmp_path / "none")
    assert [(row.name, row.questions, row.cached) for row in estimate.rows] == [("small", 7, 0), ("judge of small", 7, 0)]
    assert server.seen == []
    assert not (tmp_path / "out").exists()
    with pytest.raises(BudgetReached, match=r"the judge's next call"):
        evaluated(tmp_path, server.url, *judged, "run.budget_usd=0.02")
    calls = len(server.seen)
    assert 7 < calls < 14
    report = evaluated(tmp_path, server.url, *judged, "run.budget_usd=1")
    assert len(server.seen) == 14
    assert report.usd_paid <= sum(float(row.usd or 0) for row in estimate.rows)


@pytest.mark.slow
def test_a_killed_evaluation_goes_on_and_pays_again_only_for_calls_in_flight(tmp_path: Path) -> None:
    slow = Mayors()

    def script(body: dict[str, Any]) -> Reply:
        reply = slow(body)
        return Reply(content=reply.content, delay_s=0.3)

    with FakeServer(script) as server:
        write_run(tmp_path / "run")
        given = [argument for one in overrides(tmp_path, server.url, "run.concurrency=1") for argument in ("--set", one)]
        command = [*COMMAND, "tdbench", "evaluate", file(tmp_path), *given, "--out", str(tmp_path / "out")]
        running = subprocess.Popen(command, cwd=ROOT, env=environment(TABLES_KEY=KEY), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until = time.monotonic() + 60
        while len(server.seen) < 4 and time.monotonic() < until:
            time.sleep(0.02)
        os.kill(running.pid, signal.SIGKILL)
        running.communicate()
        assert 4 <= len(server.seen) < 7
        report = evaluated(tmp_path, server.url)
        assert (shares(report), len(server.seen)) == ((7, 7, 7), 8)


@pytest.mark.slow
def test_replies_of_a_file_are_scored_without_asking_anybody(tmp_path: Path) -> None:
    questions, replies = lines(tmp_path / "q.jsonl", *QUESTIONS), lines(tmp_path / "r.jsonl", *REPLIES)
    out = str(tmp_path / "out")
    given = ("tdbench", "evaluate", file(tmp_path), "--questions", questions, "--replies", f"mine={replies}", "--out", out)
    told = json.loads(here(*given, "--json").stdout)
    (row,) = told["rows"]
    tally = row["judged"][0]["parts"][0]["tally"]
    assert (row["name"], row["kind"], tally["right"], tally["both"]) == ("mine", "outside", 2, 1)
    table = (tmp_path / "out" / "tables" / "replies.csv").read_text()
    assert "Cy Moe (2012 to present)" in table
    assert "<script>alert" not in (tmp_path / "out" / "evaluation.html").read_text()
    assert "<script>alert" not in (tmp_path / "out" / "evaluation.md").read_text()
    one = here(*given[:-1], str(tmp_path / "one"), "--limit", "1")  # the file answers more than is asked
    assert one.returncode == 0
    assert "1/1" in one.stdout


@pytest.mark.slow
def test_replies_that_copy_the_rows_of_a_real_build_are_right_in_all(tmp_path: Path) -> None:
    quickstart, run = str(ROOT / "runs" / "tdbench-quickstart.yaml"), str(tmp_path / "run")
    built = here("tdbench", "build", quickstart, "--limit", "40", "--out", run)
    assert built.returncode == 0, built.stderr

    def copied(rows: Sequence[AnswerRow]) -> str:
        return " ".join(f"{row.name}, from {row.start} to {row.end or 'the present'}." for row in rows) or "no answer"

    asked = scored_questions(read_instances(Path(run)))
    replies = lines(tmp_path / "r.jsonl", *({"id": one.id, "reply": copied(one.gold)} for one in asked))
    given = ("--set", f"tdbench.evaluate.run={run}", "--replies", f"gold={replies}", "--out", str(tmp_path / "out"), "--json")
    told = json.loads(here("tdbench", "evaluate", quickstart, *given).stdout)
    tally = told["rows"][0]["judged"][0]["parts"][0]["tally"]
    assert tally["asked"] == tally["both"] == len(asked) > 40
    assert {"relation", "join"} <= {size["part"] for size in told["sizes"] if size["by"] == "kind"}


@pytest.mark.slow
def test_the_real_dyknow_can_be_scored(shared_data: Path, tmp_path: Path) -> None:
    source = str(shared_data / "dyknow" / "qa_generated.json.gz")
    from tdbench.scoring.outside import read_questions

    asked = read_questions(Path(source))
    replies = lines(tmp_path / "r.jsonl", *({"id": one.id, "reply": f"{one.gold[0].name}, since {one.gold[0].start}"} for one in asked))
    done = here("tdbench", "evaluate", file(tmp_path), "--questions", source, "--replies", f"mine={replies}", "--out", str(tmp_path / "o"))
    assert done.returncode == 0, done.stderr
    assert "phrasings of" in done.stdout


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "there is nobody to ask"),
        (("--set", "tdbench.evaluate.models=[offline]"), "'offline' is the offline rules, which know no facts and cannot answer"),
        (("--set", "tdbench.evaluate.models=[ofline]"), "Did you mean 'offline'?"),
        (("--replies", "mine=r.jsonl", "--set", "tdbench.evaluate.judge=offline"), "cannot judge"),
        (("--replies", "mine"), "is not of the form NAME=FILE"),
        (("--replies", "mine=nowhere.jsonl", "--questions", "{q}"), "nowhere.jsonl: cannot be read"),
        (("--replies", "mine={short}", "--questions", "{q}"), "missing"),
        (("--replies", "mine={q}", "--questions", "{r}"), "no key 'question'"),
        (("--replies", "mine={r}"), "no finished build over temporal tables"),
        (("--replies", "mine={r}", "--questions", "{q}", "--with-rows"), "come without rows"),
    ],
)
def test_what_a_user_got_wrong_is_one_line_and_leaves_nothing(given: tuple[str, ...], message: str, tmp_path: Path) -> None:
    files = {
        "q": lines(tmp_path / "q.jsonl", *QUESTIONS),
        "r": lines(tmp_path / "r.jsonl", *REPLIES),
        "short": lines(tmp_path / "short.jsonl", REPLIES[0]),
    }
    words = [word.format(**files) for word in given]
    assert message in refused("tdbench", "evaluate", file(tmp_path), *words, "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_key_that_is_not_set_is_named_before_anything_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABLES_KEY")
    with pytest.raises(ChronoQGError, match="TABLES_KEY is not set"):
        evaluated(tmp_path, "http://127.0.0.1:1/v1")
    assert not (tmp_path / "out").exists()
    assert len(INSTANCES) == estimate_tables(tmp_path / "out", config(tmp_path, "http://127.0.0.1:1/v1"), tmp_path).rows[0].questions
